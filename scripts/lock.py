"""Compile requirements/run.txt and requirements/dev.txt from the members' pyproject files.

The lock files hold exact versions and hashes, and no address of any package registry, so that they install from
whichever registry or mirror pip is set up to use.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"


def main() -> int:
    """Write both lock files; versions already locked stay unless --upgrade is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest allowed versions")
    upgrade = ["--upgrade"] if parser.parse_args().upgrade else []
    run = wanted("setup")
    _compile(run, REQUIREMENTS / "run.txt", upgrade)
    _compile(sorted({*run, *wanted("dev")}), REQUIREMENTS / "dev.txt", [*upgrade, "-c", str(REQUIREMENTS / "run.txt")])
    return 0


def wanted(group: str) -> list[str]:
    """Every requirement of the members and of one dependency group of the root, without the members themselves.

    What a member needs for an extra is wanted where another member asks for that extra, and for development, where all
    extras are tested.
    """
    workspace = _toml(ROOT)
    names = [member.split("/")[-1] for member in workspace["tool"]["uv"]["workspace"]["members"]]
    projects = {project["name"]: project for project in (_toml(ROOT / name)["project"] for name in names)}
    found = {text for project in projects.values() for text in project.get("dependencies", [])}
    asked = {(one.name, extra) for one in map(Requirement, found) for extra in one.extras}
    for name, project in projects.items():
        for extra, texts in project.get("optional-dependencies", {}).items():
            if group == "dev" or (name, extra) in asked:
                found |= set(texts)
    ours = {text for text in found if Requirement(text).name in projects}
    return sorted({*_group(workspace["dependency-groups"], group), *found} - ours)


def _group(groups: dict[str, list[Any]], name: str) -> list[str]:
    """The requirements of a dependency group with the groups it includes."""
    found: list[str] = []
    for entry in groups[name]:
        found += _group(groups, entry["include-group"]) if isinstance(entry, dict) else [entry]
    return found


def _compile(requirements: list[str], target: Path, options: list[str]) -> None:
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--output-file", str(target.relative_to(ROOT))]
    command += ["--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--universal"]
    command += ["--python-version", "3.11", "--custom-compile-command", "make lock", "--quiet", *options]
    subprocess.run(command, input="\n".join(requirements), text=True, check=True, cwd=ROOT)


def _toml(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
