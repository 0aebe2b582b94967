"""Write the table of all rule parameters into docs/rules.md and docs/rules.zh.md.

python scripts/rules_table.py            write the tables
python scripts/rules_table.py --check    fail when they are not what the rule sets say
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from guandan_engine.rules import RuleSet, load, preset_text, presets
from guandan_engine.rules.parameter import (
    Domain,
    Numbers,
    OneOf,
    OrNone,
    Several,
    Table,
    Whole,
    domain_of,
    plain,
    written,
)
from guandan_engine.rules.wording import Language, parameter_text, value_text

ROOT = Path(__file__).resolve().parents[1]
PAGES: dict[Language, Path] = {"en": ROOT / "docs/rules.md", "zh": ROOT / "docs/rules.zh.md"}
BEGIN, END = "<!-- parameters: python scripts/rules_table.py -->", "<!-- end of parameters -->"
HEADS = {
    "en": "| parameter | § | meaning | values | elsewhere |\n|---|---|---|---|---|",
    "zh": "| 参数 | § | 含义 | 取值 | 其他规则 |\n|---|---|---|---|---|",
}
RANGES = {"en": "{} to {}", "zh": "{}至{}"}
NUMBERS = {"en": "{} numbers", "zh": "{}个数"}
LISTS = {"en": "any of: ", "zh": "任选："}


def main() -> int:
    """Write the pages, or compare them."""
    stale = [page for language, page in PAGES.items() if page.read_text(encoding="utf-8") != fresh(language)]
    if "--check" in sys.argv[1:]:
        for page in stale:
            print(f"{page.relative_to(ROOT)} is out of date; run: python scripts/rules_table.py")
        return 1 if stale else 0
    for language, page in PAGES.items():
        page.write_text(fresh(language), encoding="utf-8")
    return 0


def fresh(language: Language) -> str:
    """The page as it should be."""
    before, _, rest = PAGES[language].read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = "\n".join(row(field.name, domain_of(field), language) for field in fields(RuleSet) if field.name != "name")
    return f"{before}{BEGIN}\n{HEADS[language]}\n{rows}\n{END}{after}"


def row(parameter: str, domain: Domain, language: Language) -> str:
    """One line of the table."""
    default = getattr(RuleSet(), parameter)
    meaning = parameter_text(parameter, language)
    cells = (f"`{parameter}`", paragraph(parameter), meaning, values(parameter, domain, default, language))
    return "| " + " | ".join((*cells, elsewhere(parameter, language))) + " |"


def paragraph(parameter: str) -> str:
    """Where the parameter is explained, as the file of the house rules says."""
    found = re.search(rf"^{parameter} = .*# (§.*)$", preset_text("standard"), re.MULTILINE)
    assert found, parameter
    return found[1]


def values(parameter: str, domain: Domain, default: Any, language: Language) -> str:
    """What the parameter may be, its default in bold."""
    now = f"**{value_text(parameter, plain(default), language)}**"
    match domain:
        case OneOf(allowed):
            shown = [f"`{bare(value)}` {words(parameter, value, language)}".rstrip() for value in allowed]
            shown[allowed.index(default)] = f"**{shown[allowed.index(default)]}**"
            return "; ".join(shown)
        case Whole(least, most):
            return f"{now}; {RANGES[language].format(least, most)}"
        case Numbers(count):
            return f"{now}; {NUMBERS[language].format(count)}"
        case Several(allowed):
            return f"{now}; {LISTS[language]}" + ", ".join(f"`{bare(v)}`" for v in allowed)
        case OrNone(inner):
            return f"{now}; " + "; ".join(("`none`", inside(inner)))
        case Table():
            return f"{now}; {inside(domain)}"
    raise AssertionError(domain)


def inside(domain: Domain) -> str:
    """The keys of a structured value, or the values that may stand in place of none."""
    match domain:
        case Table(of):
            return ", ".join(f"`{field.name}`" for field in fields(of))
        case OneOf(allowed):
            return f"`{bare(allowed[0])}` – `{bare(allowed[-1])}`"
    raise AssertionError(domain)


def words(parameter: str, value: Any, language: Language) -> str:
    """What a value means, where that is not the value itself."""
    text = value_text(parameter, plain(value), language)
    return "" if text == bare(value) else text


def bare(value: Any) -> str:
    """A value as in a rule file, without quotes."""
    return written(value).strip('"')


def elsewhere(parameter: str, language: Language) -> str:
    """The rule sets that differ."""
    told = (told_by(name, parameter, language) for name in presets() if name != "standard")
    return "; ".join(text for some in told for text in some)


def told_by(name: str, parameter: str, language: Language) -> Iterator[str]:
    """What a rule set unlike the house rules says of the parameter, and after which text."""
    value = load(name).as_dict()[parameter]
    if value != RuleSet().as_dict()[parameter]:
        yield f"`{name}` {value_text(parameter, value, language)} ({source(name, parameter)})"


def source(name: str, parameter: str) -> str:
    """The text and lines that a preset, or the one it builds on, cites for a parameter."""
    found = re.search(
        rf"^{parameter} = .*# ([\w.+()]+(?: l\.\d+(?: \(\d+\))?(?:,| to| and)?)*)", preset_text(name), re.MULTILINE
    )
    if found:
        return found[1]
    return source(tomllib.loads(preset_text(name))["base"], parameter)


if __name__ == "__main__":
    sys.exit(main())
