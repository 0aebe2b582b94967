"""URLs of services as people may read them."""

from __future__ import annotations

import re

_PASSWORDS = (
    (re.compile(r"(://[^/:@]*):.*@", re.DOTALL), r"\1:***@"),
    (re.compile(r"([?&]password=)[^&]*"), r"\1***"),
)


def masked(url: str) -> str:
    """Return a URL whose password is replaced by ``***``, wherever it stands."""
    for password, shown in _PASSWORDS:
        url = password.sub(shown, url)
    return url
