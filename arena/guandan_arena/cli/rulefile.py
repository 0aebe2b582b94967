"""A rule set as an operator names it: one of the arena's, or a TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from guandan_arena.errors import InvalidArgument
from guandan_engine.errors import InvalidRules
from guandan_engine.rules import RuleSet, parse, presets

MOST_BYTES: Final = 64_000


def rules_named(text: str | None) -> RuleSet | str | None:
    """Return the rule set of a file that ends in ``.toml``; the name of a preset, or None, as it is."""
    if text is None or text in presets():
        return text
    if not text.endswith(".toml"):
        known = ", ".join(presets())
        raise InvalidArgument(
            "unknown_rules", f"there is no rule set {text!r}", f"name a .toml file, or one of: {known}"
        )
    try:
        return parse(_read(Path(text)))
    except InvalidRules as error:
        raise InvalidArgument(
            "bad_rules", f"{text}: {error}", "guandan rules show standard lists every parameter"
        ) from None


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InvalidArgument(
                "bad_rules", f"{file}: more than {MOST_BYTES} bytes", "a rule set is a short TOML file"
            )
        return data.decode("utf-8")
    except OSError as error:
        raise InvalidArgument("no_rules", f"{file}: {error.strerror}", "name a file that can be read") from None
    except UnicodeDecodeError:
        raise InvalidArgument("bad_rules", f"{file}: not UTF-8 text", "a rule set is a TOML file") from None
