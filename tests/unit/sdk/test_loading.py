"""Bots are found by name, file or folder; what cannot be loaded says why and what to do."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from guandan_sdk.archive import pack
from guandan_sdk.errors import BotNotFound, BotNotLoaded, SdkError
from guandan_sdk.loading import find_bot

GOOD = "from guandan_sdk import Bot\nclass Good(Bot):\n    def play(self, view, options):\n        return options[0]\n"


def write(folder: Path, text: str, name: str = "bot.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_bot_that_brings_an_image_is_played_by_the_check(tmp_path):
    (tmp_path / "bot.toml").write_text('[bot]\nname = "imaged"\nruntime = "any"\nimage = "image.tar"\n')
    with pytest.raises(BotNotLoaded, match="inside its image") as told:
        find_bot(str(tmp_path))
    assert told.value.hint.startswith("play it with: guandan check")


def test_reference_bots_are_found_by_name() -> None:
    assert [type(find_bot(name).make()).__name__ for name in ("random", "greedy", "planner")] == [
        "RandomBot",
        "GreedyBot",
        "PlannerBot",
    ]


def test_a_file_gives_fresh_instances_of_separate_modules(tmp_path: Path) -> None:
    source = find_bot(str(write(tmp_path, GOOD + "seen = []\n")))
    first, second = source.make(), source.make()
    assert type(first) is not type(second)
    assert type(first).play.__globals__["seen"] is not type(second).play.__globals__["seen"]


def test_modules_beside_a_bot_can_be_imported_and_are_not_shared(tmp_path: Path) -> None:
    sources = []
    for word in ("one", "two"):
        folder = tmp_path / word
        folder.mkdir()
        write(folder, f"WORD = {word!r}\n", "brain.py")
        sources.append(find_bot(str(write(folder, f"import brain\n{GOOD}    word = brain.WORD\n"))))
    assert [source.make().word for source in (*sources, *sources)] == ["one", "two", "one", "two"]


def test_a_folder_is_played_as_its_manifest_says(tmp_path: Path) -> None:
    write(tmp_path, '[bot]\nname = "deep"\nentry = ["python", "main.py"]\nruntime = "python-3.11"\n', "bot.toml")
    write(tmp_path, GOOD, "main.py")
    source = find_bot(str(tmp_path))
    assert source.name == "deep"
    assert type(source.make()).__name__ == "Good"


def test_the_folder_of_a_remote_bot_is_played_at_home_and_only_its_manifest_is_packed(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('[bot]\nname = "away"\nruntime = "remote"\n')
    (tmp_path / "bot.py").write_text("secret = 1\n")
    source = find_bot(str(tmp_path))
    assert (source.name, source.file) == ("away", tmp_path / "bot.py")
    _, data = pack(tmp_path)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["bot.toml"]


def test_a_bot_in_another_language_is_the_command_that_its_manifest_names(tmp_path: Path) -> None:
    write(tmp_path, '[bot]\nname = "other"\nentry = ["./bot", "-m", "fast"]\nruntime = "any"\n', "bot.toml")
    program = write(tmp_path, "#!/bin/sh\n", "bot")
    program.chmod(0o755)
    source = find_bot(str(tmp_path))
    assert (source.name, source.command, source.folder) == ("other", (str(program), "-m", "fast"), tmp_path)
    with pytest.raises(BotNotLoaded, match="not Python"):
        source.make()


def test_one_of_several_bots_in_a_file_is_named_after_a_colon(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + "class Other(Good):\n    pass\nclass Third(Good):\n    pass\n")
    with pytest.raises(BotNotLoaded, match="several bots: Other, Third") as told:
        find_bot(str(path)).make()
    assert f"{path}:Other" in told.value.hint
    assert type(find_bot(f"{path}:Third").make()).__name__ == "Third"


@pytest.mark.parametrize(
    ("text", "reason", "hint"),
    [
        ("x = 1\n", "defines no bot", "derives from guandan_sdk.Bot"),
        ("from guandan_sdk import Bot\nclass Lazy(Bot):\n    pass\n", "Lazy has no method play", "def play"),
        ("import nothing_of_the_kind\n", "ModuleNotFoundError: No module named 'nothing_of_the_kind'", "line 1"),
        ("\n\ndef broken(:\n", "SyntaxError", "line 3"),
        ("\nraise ValueError('no weights')\n", "ValueError: no weights", "line 2"),
    ],
)
def test_a_file_that_holds_no_bot_says_why(tmp_path: Path, text: str, reason: str, hint: str) -> None:
    with pytest.raises(BotNotLoaded) as told:
        find_bot(str(write(tmp_path, text))).make()
    assert reason in told.value.reason
    assert hint in told.value.hint


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ("[bot\n", "is not TOML"),
        ('[bot]\nname = "deep"\n', "bot.entry is missing"),
        ('name = "deep"\n', "has no [bot]"),
        ('[bot]\nname = "deep"\nruntime = "any"\nentry = "python bot.py"\n', "not a list of words"),
        ('[bot]\nname = "deep"\nruntime = "any"\nentry = ["./bot"]\n', "starts ./bot, and there is no such program"),
        (
            '[bot]\nname = "deep"\nruntime = "any"\nentry = ["no-such-language", "bot"]\n',
            "starts no-such-language, and there is no such",
        ),
        ('[bot]\nname = "deep"\nruntime = "any"\nentry = ["python", "bot.js"]\n', "names no .py file"),
        ('[bot]\nname = "deep"\nruntime = "any"\nentry = ["python", "gone.py"]\n', "gone.py, which is not in"),
    ],
)
def test_a_manifest_that_cannot_be_followed_says_why(tmp_path: Path, manifest: str, reason: str) -> None:
    write(tmp_path, manifest, "bot.toml")
    with pytest.raises(SdkError) as told:
        find_bot(str(tmp_path))
    assert reason in told.value.reason
    assert told.value.hint


@pytest.mark.parametrize("text", ["gredy", "no/such/file.py", "."])
def test_a_bot_that_is_nowhere_is_said_to_be_so(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BotNotFound) as told:
        find_bot(text)
    assert told.value.hint
