"""The fixed-width numbers and vectors the kernel is written in; this file itself is never compiled.

A compiled kernel has real ones and never looks here. Uncompiled, numbers are ints, ``vec`` is a list, which is the
fastest there, and ``buffer`` an array, which others may view without a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["buffer", "i16", "i32", "i64", "u8", "vec"]

if TYPE_CHECKING:
    from librt.vecs import vec
    from librt.vecs import vec as buffer
    from mypy_extensions import i16, i32, i64, u8
else:
    from array import array
    from functools import partial

    i64 = int
    i16, i32, u8 = (type(name, (int,), {}) for name in ("i16", "i32", "u8"))

    class vec:
        """As ``librt.vecs.vec``, without it."""

        def __class_getitem__(cls, item):
            return list

    class buffer:
        """A ``vec`` that is seen outside."""

        def __class_getitem__(cls, item):
            return partial(array, {i64: "q", i32: "i", i16: "h", u8: "B"}[item])
