"""``guandan rules list | show | diff | validate``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guandan_sdk.cli.output import Format, FormatOption, Row, write_record, write_rows
from guandan_sdk.errors import InvalidInput, SdkError

if TYPE_CHECKING:
    from guandan_engine.rules import RuleSet

app = typer.Typer(help="Rule sets: those of the arena, and your own.", no_args_is_help=True)

MOST_BYTES = 64_000
REPLAYS = (".gdr.jsonl", ".gdr.jsonl.zst")


class Language(StrEnum):
    """The language of the words."""

    EN = "en"
    ZH = "zh"


RulesArgument = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="A rule set of the arena, a TOML file, or a replay.")
]
LanguageOption = Annotated[Language, typer.Option("--lang", help="Words in English or in Chinese.")]


@app.command("list")
def list_rules(language: LanguageOption = Language.EN, style: FormatOption = Format.TABLE) -> None:
    """List the rule sets of the arena and in how much they differ from the house rules.

    Example: guandan rules list --lang zh
    """
    from guandan_engine.rules import RuleSet, load, presets, titles  # noqa: PLC0415 - the engine is not needed for help
    from guandan_engine.rules.wording import differences  # noqa: PLC0415

    names = sorted(presets(), key=lambda name: (name != "standard", name))
    rows = [
        {
            "name": name,
            "title": titles(name)[language is Language.ZH],
            "differences": len(differences(RuleSet(), load(name))),
        }
        for name in names
    ]
    write_rows(rows, ("name", "title", "differences"), style)


@app.command("show")
def show(rules: RulesArgument, language: LanguageOption = Language.EN, style: FormatOption = Format.TABLE) -> None:
    """Show every parameter of a rule set; those unlike the house rules are marked with *.

    Example: guandan rules show yangzhou
    """
    from guandan_engine.rules import RuleSet  # noqa: PLC0415
    from guandan_engine.rules.wording import parameter_text, value_text  # noqa: PLC0415

    values = rules_named(rules).as_dict()
    if style is Format.JSON:
        _write_json(values)
        return
    standard = RuleSet().as_dict()
    rows = [
        {
            "parameter": key,
            "meaning": parameter_text(key, language.value),
            "value": value_text(key, value, language.value),
            "unlike": "*" if value != standard[key] else "",
        }
        for key, value in values.items()
        if key != "name"
    ]
    write_rows(rows, ("parameter", "meaning", "value", "unlike"), style)


@app.command("diff")
def diff(
    first: RulesArgument,
    second: RulesArgument,
    language: LanguageOption = Language.EN,
    style: FormatOption = Format.TABLE,
) -> None:
    """Show in what two rule sets differ.

    Example: guandan rules diff standard digest_004
    Example: guandan rules diff standard game-b1w0.gdr.jsonl
    """
    from guandan_engine.rules.wording import differences, parameter_text, value_text  # noqa: PLC0415

    one, other = rules_named(first), rules_named(second)
    rows: list[Row] = [
        {
            "parameter": key,
            "meaning": parameter_text(key, language.value),
            first: a if style is Format.JSON else value_text(key, a, language.value),
            second: b if style is Format.JSON else value_text(key, b, language.value),
        }
        for key, a, b in differences(one, other)
    ]
    columns = tuple(dict.fromkeys(("parameter", "meaning", first, second)))
    write_rows(rows, columns, style, headings=columns)


@app.command("validate")
def validate(
    file: Annotated[Path, typer.Argument(help="A TOML file with a rule set.")],
    style: FormatOption = Format.TABLE,
) -> None:
    """Check a rule set of your own; exit 1 when it is not sound, with the line and what is allowed.

    Example: guandan rules validate club.toml
    """
    from guandan_engine.errors import InvalidRules  # noqa: PLC0415
    from guandan_engine.rules import RuleSet, parse  # noqa: PLC0415
    from guandan_engine.rules.wording import differences  # noqa: PLC0415

    try:
        rules = parse(_read(file))
    except InvalidRules as error:
        raise SdkError(f"{file}: {error}", "guandan rules show standard lists every parameter") from None
    found = {"file": str(file), "sound": True, "name": rules.name}
    write_record({**found, "differences": len(differences(RuleSet(), rules))}, style)


def rules_named(name: str) -> RuleSet:
    """Return the preset of a name, or the rule set of a TOML file or of a replay; raise InvalidInput otherwise."""
    from guandan_engine.errors import InvalidRules  # noqa: PLC0415
    from guandan_engine.rules import load, parse, presets  # noqa: PLC0415

    try:
        if name in presets():
            return load(name)
        if name.endswith(".toml"):
            return parse(_read(Path(name)))
        if name.endswith(REPLAYS):
            from guandan_sdk.replays import read_replay  # noqa: PLC0415

            return read_replay(Path(name)).header.rules
    except InvalidRules as error:
        raise InvalidInput(f"{name}: {error}", "guandan rules show standard lists every parameter") from None
    known = ", ".join(presets())
    raise InvalidInput(f"there is no rule set {name!r}", f"name a file that ends in .toml, or one of: {known}")


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{file}: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise InvalidInput(f"{file}: more than {MOST_BYTES} bytes", "a rule set is a short TOML file")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(f"{file}: not UTF-8 text", "a rule set is a TOML file") from None


def _write_json(values: Mapping[str, object]) -> None:
    json.dump(values, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
