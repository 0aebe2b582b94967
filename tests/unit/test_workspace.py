"""The workspace keeps its own rules: members, import contracts, locks, file sizes."""

import ast
import importlib
import importlib.metadata
import importlib.util
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
WORKSPACE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MEMBERS = WORKSPACE["tool"]["uv"]["workspace"]["members"]
CONTRACTS = {contract["id"]: contract for contract in WORKSPACE["tool"]["importlinter"]["contracts"]}
GENERATED = ROOT / "proto" / "guandan_proto" / "v1"
PACKAGES = {f"guandan_{member}" for member in MEMBERS}
PROVIDERS = importlib.metadata.packages_distributions()
NOT_INSTALLED = {"__future__"}
COMPILED_NEEDS = {"librt", "mypy_extensions"}  # engine/kernel/types.py names them; compiled code imports them
MODULES_OF = {  # a file or folder; whoever imports it has installed the extra
    "envs": "envs",
    "check": "processes.py",
    "sandboxes": "guandan_runner",
}
USERS = ("docs/howto/environment.md",)
OPERATORS = (*USERS, "docs/howto/operator.md")
TESTERS = ("CONTRIBUTING.md", *OPERATORS)
LONGEST_LINES = 400
tracked = runpy.run_path(str(ROOT / "scripts" / "tracked.py"))
lock = runpy.run_path(str(ROOT / "scripts" / "lock.py"))


def project(member: str) -> dict:
    return tomllib.loads((ROOT / member / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def package(member: str) -> str:
    return f"guandan_{member}"


def locked(kind: str) -> dict[str, list[Requirement]]:
    """Every locked requirement by name; one name may be locked twice, for different Pythons or systems."""
    text = (ROOT / "requirements" / f"{kind}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    found: dict[str, list[Requirement]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line.split("--hash", 1)[0].strip())
            found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def python_files() -> list[Path]:
    return [
        path
        for path in tracked["tracked"]()
        if path.suffix == ".py" and path.exists() and GENERATED not in path.parents
    ]


def test_import_contracts_name_exactly_the_members() -> None:
    layers = {name.strip() for layer in CONTRACTS["members"]["layers"] for name in layer.split("|")}
    assert layers == set(WORKSPACE["tool"]["importlinter"]["root_packages"]) == {package(m) for m in MEMBERS}


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_is_typed_and_says_what_is_public(member: str) -> None:
    assert (ROOT / member / package(member) / "py.typed").exists()
    whole = importlib.import_module(package(member))
    assert len(set(whole.__all__)) == len(whole.__all__)
    for name in whole.__all__:  # a value, or a module that a star import would import
        assert hasattr(whole, name) or importlib.import_module(f"{package(member)}.{name}")


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_takes_from_another_only_what_a_module_says_is_public(member: str) -> None:
    """Of modules that have an ``__all__``."""
    taken = {
        (node.module, alias.name)
        for path in python_files()
        if (ROOT / member / package(member)) in path.parents
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("guandan_")
        for alias in node.names
    }
    hidden = set()
    for source, name in taken:
        module = None if source.split(".")[0] == package(member) else importlib.import_module(source)
        public = getattr(module, "__all__", None)
        is_module = hasattr(module, "__path__") and importlib.util.find_spec(f"{source}.{name}")
        if public is not None and name not in public and not is_module:
            hidden.add((source, name))
    assert hidden == set()


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_declares_the_members_that_it_imports(member: str) -> None:
    extras = project(member).get("optional-dependencies", {}).values()
    texts = [*project(member).get("dependencies", []), *(text for extra in extras for text in extra)]
    declared = {Requirement(text).name.replace("-", "_") for text in texts}
    sources = [path for path in python_files() if (ROOT / member / package(member)) in path.parents]
    ours = {package(other) for other in MEMBERS} - {package(member)}
    assert {name for path in sources for name in imported(path)} & ours <= declared


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_declares_the_packages_that_it_imports(member: str) -> None:
    """What only comes along with another package may be gone tomorrow.

    An extra is for the file or folder that ``MODULES_OF`` names. Templates are no part of the member: they are copied
    into an author's folder, and say there what to install.
    """
    home = ROOT / member / package(member)
    extras = project(member).get("optional-dependencies", {})
    declared = names(project(member).get("dependencies", []))
    ours = [path for path in python_files() if home in path.parents and home / "templates" not in path.parents]
    for path in ours:
        allowed = declared.union(*(names(texts) for extra, texts in extras.items() if MODULES_OF[extra] in path.parts))
        foreign = imported(path) - set(sys.stdlib_module_names) - NOT_INSTALLED - PACKAGES
        foreign -= COMPILED_NEEDS if path.match("kernel/types.py") else set()
        undeclared = {name for name in foreign if not names(PROVIDERS.get(name, [])) & allowed}
        assert undeclared == set(), path


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def test_the_engine_imports_the_standard_library_only() -> None:
    sources = [path for path in python_files() if (ROOT / "engine" / "guandan_engine") in path.parents]
    foreign = {name for path in sources for name in imported(path)} - set(sys.stdlib_module_names) - {"guandan_engine"}
    assert foreign == COMPILED_NEEDS


def test_importing_all_of_the_engine_imports_nothing_of_others_but_what_compiled_code_needs() -> None:
    names = ", ".join(
        f"guandan_engine.{name}" for name in importlib.import_module("guandan_engine").__all__ if name != "compiled"
    )
    code = f"import sys; before = set(sys.modules); import {names}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    tops = {name.split(".")[0] for name in done.stdout.split()}
    assert tops - set(sys.stdlib_module_names) <= {"guandan_engine", *COMPILED_NEEDS}


def imported(path: Path) -> set[str]:
    """The top names of all absolute imports in a file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize(("kind", "group"), [("run", "setup"), ("dev", "dev")])
def test_the_lock_satisfies_every_pyproject(kind: str, group: str) -> None:
    versions = locked(kind)
    for wanted in map(Requirement, lock["wanted"](group) + lock["wanted"]("setup")):
        pins = versions.get(canonicalize_name(wanted.name))
        assert pins, f"{wanted} is not locked in {kind}.txt; run: make lock"
        for pin in pins:
            version = next(iter(pin.specifier)).version
            assert wanted.specifier.contains(version, prereleases=True), (
                f"{pin} does not satisfy {wanted}; run: make lock"
            )


def test_both_locks_agree() -> None:
    run, dev = locked("run"), locked("dev")
    for name, pins in run.items():
        assert {str(pin.specifier) for pin in pins} <= {str(pin.specifier) for pin in dev.get(name, [])}, name


def test_the_lock_is_complete() -> None:
    """All that the installed packages ask for is locked, so that an install with --no-deps lacks nothing."""
    dev = locked("dev")
    for name in dev:
        for text in _asked_for(name):
            asked = Requirement(text)
            if asked.marker is None or asked.marker.evaluate({"extra": ""}):
                assert canonicalize_name(asked.name) in dev, f"{name} asks for {asked}; run: make lock"


def _asked_for(name: str) -> list[str]:
    try:
        return importlib.metadata.distribution(name).requires or []
    except importlib.metadata.PackageNotFoundError:  # locked for another system or another Python
        return []


@pytest.mark.parametrize("kind", ["run", "dev"])
def test_every_locked_line_has_a_version_and_a_hash_and_no_address(kind: str) -> None:
    text = (ROOT / "requirements" / f"{kind}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash)", text, re.MULTILINE), "only hashes may stand beside a requirement"
    for entry in text.replace("\\\n", " ").splitlines():
        assert entry.startswith("#") or not entry or ("==" in entry and "--hash=sha256:" in entry), entry


def test_tracked_files_hold_nothing_of_one_machine() -> None:
    assert list(tracked["complaints"]()) == []


def test_no_source_file_grew_past_its_limit() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in python_files()}
    assert {name: length for name, length in lengths.items() if length > LONGEST_LINES} == {}


def test_every_make_target_explains_itself() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    described = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    assert {
        "help",
        "demo",
        "test",
        "exact",
        "check",
        "fmt",
        "proto",
        "bench",
        "clean",
        "docs",
        "setup",
        "lock",
    } <= described


def test_every_setting_is_explained_to_operators() -> None:
    from dataclasses import fields

    from guandan_arena.settings import Settings

    text = (ROOT / "docs" / "howto" / "operator.md").read_text(encoding="utf-8")
    assert [field.name for field in fields(Settings) if f"`{field.name}`" not in text] == []


@pytest.mark.parametrize(
    ("folders", "pages"),
    [
        (("engine", "proto", "runner", "sdk", "examples"), USERS),
        (("arena", "workers"), OPERATORS),
        (("tests",), TESTERS),
    ],
)
def test_every_environment_variable_that_is_read_is_explained_to_whom_it_is_for(folders, pages) -> None:
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in pages]
    told = {name for text in texts for name in re.findall(r"GUANDAN_\w+", text)}
    firsts = [cell for text in texts for cell in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)]
    told |= {f"GUANDAN_{name.upper()}" for cell in firsts for name in re.findall(r"`([a-z_]+)`", cell)}
    assert {name for folder in folders for name in variables(ROOT / folder)} <= told


def variables(folder: Path) -> set[str]:
    """Our variables that the code of a folder names, in Python or for Node; not those that it only sets."""
    files = [path for path in tracked["tracked"]() if folder in path.parents and path.exists()]
    found = {name for path in files if path.suffix == ".py" for name in read_by(path)}
    for path in files:
        if path.suffix == ".mjs":
            found |= set(re.findall(r"process\.env\.(GUANDAN_\w+)", path.read_text(encoding="utf-8")))
    return found


def read_by(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    only_set = {n.slice for n in nodes if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)}
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and n not in only_set}
    return {text for text in texts if re.fullmatch(r"GUANDAN_[A-Z_]+", text)}


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "index.md").read_text(encoding="utf-8")
    assert [path.name for path in folder.glob("0*.md") if f"({path.name})" not in index] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_the_front_pages_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []
