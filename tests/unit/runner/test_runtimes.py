"""Runtimes are data: those that ship, those an operator adds, replaces or takes away, and what is wrong with a list."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from guandan_runner.archives import Limits, inspect
from guandan_runner.errors import BadArchive, RuntimeNotBuilt
from guandan_runner.runtimes import RUNTIMES, InvalidRuntimes, load_runtimes, parse_runtimes
from guandan_runner.sandbox.roots import Roots
from tests.arena import MANIFEST, archive

LIMITS = Limits(total_bytes=100_000, files=20)


def test_an_operators_file_adds_replaces_and_takes_away(tmp_path: Path):
    file = tmp_path / "runtimes.toml"
    file.write_text(
        '["python-3.11-torch"]\nkind = "python"\nversion = "3.11"\npackages = ["torch", "numpy"]\n'
        '[node]\noffered = false\n["python-3.11-numpy"]\nkind = "python"\nversion = "3.11"\npackages = ["numpy<2"]\n'
    )
    found = load_runtimes(file)
    assert set(found) == set(RUNTIMES) - {"node"} | {"python-3.11-torch"}
    assert found["python-3.11-numpy"].packages == ("numpy<2",)
    with pytest.raises(BadArchive) as refused:
        inspect(archive({"bot.toml": MANIFEST.replace("python-3.11", "node"), "bot.py": ""}), LIMITS, found)
    assert refused.value.code == "unknown_runtime"
    assert refused.value.hint.startswith("write one of any, python-3.11, python-3.11-numpy, python-3.11-torch")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[node", "is not TOML"),
        ("node = 3", "is no runtime"),
        ('["Bad Name"]\nkind = "node"', "is no runtime"),
        ('[node]\nkind = "perl"', "node.kind is 'perl', none of python, node, program"),
        ("[node]\n", "node.kind is"),
        ('[remote]\nkind = "node"', "the name for bots that are not started here"),
        ('[node]\nkind = "node"\nfrom = "x"', "node has no key 'from'"),
        ('[node]\nkind = "node"\nimage = 3', "whose name is a text"),
        ('[java]\nkind = "program"\ncommands = ["java"]', "java.commands is for programs in an image"),
        ('[java]\nkind = "program"\nimage = "x"\ncommands = "java"', "not a list of names"),
        ('[py]\nkind = "python"\nversion = "3.11"\nimage = "x"\npackages = ["numpy"]', "without an image"),
        ('[py]\nkind = "python"', "py.version is ''"),
        ('[py]\nkind = "python"\nversion = "2.7"', "py.version is '2.7'"),
        ('[node]\nkind = "node"\nversion = "3.11"', "node.version is"),
        ('[node]\nkind = "node"\npackages = ["left-pad"]', "node.packages is for Python without an image"),
        ('[py]\nkind = "python"\nversion = "3.11"\npackages = "numpy"', "not a list of names"),
    ],
)
def test_a_list_that_cannot_be_used_says_which_key_is_wrong(text: str, reason: str):
    with pytest.raises(InvalidRuntimes) as told:
        parse_runtimes(text, title="runtimes.toml")
    assert reason in str(told.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InvalidRuntimes, match=r"gone\.toml cannot be read"):
        load_runtimes(tmp_path / "gone.toml")


@pytest.mark.parametrize(
    ("entry", "code"),
    [('["java", "-jar", "bot.jar"]', ""), ('["bash", "bot.jar"]', "bad_entry"), ('["./bot.jar"]', "bad_entry")],
)
def test_a_program_in_an_image_is_started_by_the_commands_the_operator_names(entry: str, code: str):
    listed = parse_runtimes('[java]\nkind = "program"\nimage = "temurin:21"\ncommands = ["java"]\n')
    text = f'[bot]\nname = "tester"\nentry = {entry}\nruntime = "java"\n'
    found = ""
    try:
        inspect(
            archive({"bot.toml": text, "bot.jar": ""}), LIMITS, {name: item for name, item in listed.items() if item}
        )
    except BadArchive as refused:
        found = refused.code
    assert found == code


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cobol", "not in this arena's list"),
        ("python-3.99", "the workers run Python"),
        ("hungry", "has no wheel folder"),
    ],
)
def test_a_root_that_cannot_be_built_says_why_and_what_to_do(tmp_path: Path, name: str, reason: str):
    listed = parse_runtimes(
        '["python-3.99"]\nkind = "python"\nversion = "3.99"\n'
        f'[hungry]\nkind = "python"\nversion = "{_here()}"\npackages = ["numpy"]\n'
    )
    with pytest.raises(RuntimeNotBuilt) as told:
        Roots(tmp_path, {name: item for name, item in listed.items() if item}).root(name)
    assert reason in told.value.reason
    assert f"guandan-arena runtimes build {name}" in told.value.hint
    assert list(tmp_path.iterdir()) == []


def _here() -> str:
    return ".".join(platform.python_version_tuple()[:2])
