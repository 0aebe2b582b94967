"""Environments for learning: ``VecEnv`` for many deals at once, and two for PettingZoo. Needs ``guandan-sdk[envs]``."""

from __future__ import annotations

try:
    from guandan_sdk.envs.aec import GuandanEnv
    from guandan_sdk.envs.parallel import ParallelGuandanEnv
    from guandan_sdk.envs.vec import VecEnv
except ModuleNotFoundError as error:
    missing = (error.name or "").partition(".")[0]
    if missing not in ("gymnasium", "numpy", "pettingzoo"):
        raise
    raise ModuleNotFoundError(
        f"{missing} is not installed, and environments need it: pip install 'guandan-sdk[envs]'", name=missing
    ) from None

__all__ = ["GuandanEnv", "ParallelGuandanEnv", "VecEnv"]
