"""An image from its file to a tree: the parts are found, then layer goes on layer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from guandan_runner.archives import Limits
from guandan_runner.errors import BadArchive
from guandan_runner.images.config import Config, not_an_image, require_machine
from guandan_runner.images.layers import Allowance, apply_layer, plain
from guandan_runner.images.layout import Parts, described
from guandan_runner.images.tree import Tree

__all__ = ["IMAGE_LIMITS", "opened_image"]

IMAGE_LIMITS: Final = Limits(200 * 1024 * 1024, 20_000)
"""What the layers of an image may hold together, unless the operator says otherwise."""

_LAYERS: Final = 127  # as many as Docker has


@contextmanager
def opened_image(file: Path, limits: Limits = IMAGE_LIMITS) -> Iterator[tuple[Tree, Config]]:
    """Give what an image's layers make together, to be written while it is open, and its configuration.

    Raises BadArchive.
    """
    with ExitStack() as stack:
        with _damage_told():
            tree, config = _read(stack, file, limits)
        yield tree, config


def _read(stack: ExitStack, file: Path, limits: Limits) -> tuple[Tree, Config]:
    packed = stack.enter_context(file.open("rb"))
    parts = Parts(stack.enter_context(plain(packed, Allowance(limits))))
    told, layers, digests = described(parts)
    require_machine(told)
    if len(layers) != len(digests) or len(layers) > _LAYERS:
        raise not_an_image(f"it has {len(layers)} layers and digests of {len(digests)}; there may be {_LAYERS}")
    tree, allowance = Tree(limits), Allowance(limits)
    unpacked: dict[str, IO[bytes]] = {}  # a layer that comes again is unpacked once
    for name, digest in zip(layers, digests, strict=True):
        packed_layer = parts.open(name, "the layer")
        if digest not in unpacked:
            unpacked[digest] = stack.enter_context(plain(packed_layer, allowance, digest=digest))
        apply_layer(tree, unpacked[digest], allowance)
    return tree, Config.of(told)


@contextmanager
def _damage_told() -> Iterator[None]:
    """Turn what the libraries raise on damaged bytes into a refusal; a full disk is none."""
    try:
        yield
    except BadArchive:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise not_an_image(str(error)[:200]) from error
    except Exception as error:  # on damaged bytes the libraries raise whatever they stumble over
        raise not_an_image(str(error)[:200]) from error
