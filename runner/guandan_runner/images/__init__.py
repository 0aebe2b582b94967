"""An author's container image, read as hostile input and laid out as a root folder; no container tool sees it."""

from guandan_runner.images.config import Config
from guandan_runner.images.image import IMAGE_LIMITS, opened_image

__all__ = ["IMAGE_LIMITS", "Config", "opened_image"]
