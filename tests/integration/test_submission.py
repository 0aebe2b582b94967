"""From an upload to a started bot: every stage tells what was found, and every runtime really starts its bots."""

from __future__ import annotations

import os
import secrets
import shutil
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from guandan_arena.ports import Ports
from guandan_arena.services import accounts, bots, stages, versions
from guandan_arena.services.records import StageReport, Version
from guandan_arena.services.states import CheckState, StageName, StageState, VersionState
from guandan_arena.settings import Settings
from guandan_runner.runtimes import RUNTIMES, RuntimeRoot
from guandan_runner.sandbox import Sandbox, SeatSpec, choose, load_policy
from guandan_runner.sandbox.imported import REPOSITORY, import_image
from guandan_workers import checks as worker_checks
from guandan_workers.shelf import tidy
from guandan_workers.worker import Worker, roots_of, shelf_of
from tests.arena import archive, ports_on
from tests.databases import fresh_store, sqlite_template
from tests.images import compiled, docker_save, layer, link

GREEDY = "from guandan_sdk.bots.greedy import GreedyBot\nfrom guandan_sdk import run\nrun(GreedyBot)\n"
LEANING = f"import tinybrain\nassert tinybrain.THOUGHT == 42\n{GREEDY}"


walled = pytest.mark.parametrize(
    "sandbox",
    [pytest.param(name, marks=pytest.mark.needs(f"sandbox:{name}")) for name in ("docker", "bubblewrap")],
    indirect=True,
)


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    settings = Settings(
        data_dir=tmp_path,
        night_rounds=1,
        night_boards=1,
        clock_connect_ms=20_000,
        clock_move_ms=5_000,
        lease_renew_ms=200,
    )
    with fresh_store(sqlite_template(tmp_path)) as store:
        yield ports_on(store, tmp_path, settings)


@pytest.fixture
def sandbox(request: pytest.FixtureRequest, runtime_cache: Path) -> Iterator[Sandbox]:
    kind = getattr(request, "param", "bubblewrap")
    chosen = choose(wanted=kind, production=False, cache=runtime_cache, policy=load_policy()).sandbox
    yield chosen
    chosen.close()


@pytest.fixture
def worker(ports: Ports, sandbox: Sandbox, runtime_cache: Path) -> Worker:
    (ports.settings.data_dir / "runtime").symlink_to(runtime_cache)
    return Worker("w1", ports, sandbox, load_policy(), shelf_of(ports), roots_of(ports.settings, kind=sandbox.kind))


def manifest(*, entry: str = '["python", "bot.py"]', runtime: str = "python-3.11", more: str = "") -> str:
    return f'[bot]\nname = "tester"\nentry = {entry}\nruntime = "{runtime}"\n{more}\n'


def submitted(ports: Ports, files: dict[str, str | bytes]) -> Version:
    owner = accounts.register(ports, name="ada").account
    bots.create(ports, caller=owner, name="tester")
    return versions.submit(ports, caller=owner, bot="tester", archive=archive(files)).version


def checked(worker: Worker, files: dict[str, str | bytes]) -> tuple[Version, dict[StageName, StageReport]]:
    version = submitted(worker.ports, files)
    worker_checks.check(worker, version.id)
    return versions.get(worker.ports, version_id=version.id), seen(worker.ports, version, "ada")


def seen(ports: Ports, version: Version, name: str) -> dict[StageName, StageReport]:
    with ports.store.snapshot() as tx:
        caller = tx.accounts.find(name)
    return {found.stage.name: found for found in stages.of(ports, version_id=version.id, caller=caller)}


def states(found: dict[StageName, StageReport]) -> list[str]:
    return [report.stage.state.value for report in found.values()]


def put_wheel(folder: Path, name: str, source: str, *, needs: str = "") -> str:
    """Make a wheel by hand, as an operator's folder holds it."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-1.0.dist-info"
    required = f"Requires-Dist: {needs}\n" if needs else ""
    filename = f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(folder / filename, "w") as wheel:
        wheel.writestr(f"{name}.py", source)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{required}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return filename


def program(text: bytes, *, machine: int = 62) -> bytes:
    """A static Linux program for x86-64 that writes a text and ends: its head, and nine instructions."""
    code = b"\xb8\1\0\0\0\xbf\1\0\0\0\x48\x8d\x35\x10\0\0\0\xba" + struct.pack("<I", len(text))
    code += b"\x0f\x05\xb8\x3c\0\0\0\x31\xff\x0f\x05"
    code = code.replace(b"\x35\x10\0\0\0", b"\x35" + struct.pack("<I", len(code) - 17))
    size = 120 + len(code) + len(text)
    head = b"\x7fELF\2\1\1" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head += struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, size, size, 0x1000)
    return head + code + text


@pytest.mark.needs("sandbox:bubblewrap")
def test_a_bot_plays_with_what_the_operators_wheels_give_it(worker: Worker):
    wheels = worker.ports.settings.wheel_folder
    names = [
        put_wheel(wheels, "tinybrain", "import tinyheart\nTHOUGHT = 40 + tinyheart.BEAT\n", needs="tinyheart>=1"),
        put_wheel(wheels, "tinyheart", "BEAT = 2\n"),
    ]
    version, found = checked(
        worker, {"bot.toml": manifest(more='dependencies = ["tinybrain~=1.0"]'), "bot.py": LEANING}
    )
    assert (version.state, states(found)) == (VersionState.ACTIVE, ["done"] * 5)
    assert sorted(wheel.filename for wheel in version.wheels) == names
    log = found[StageName.BUILT].log
    assert all(wheel.digest in log for wheel in version.wheels)
    shutil.rmtree(wheels)
    shutil.rmtree(worker.shelf.folder)
    again = worker.bot(name="x", digest=version.digest, manifest=version.manifest, wheels=version.wheels)
    assert (again.folder / ".packages/tinybrain.py").is_file()  # from the blobs: the version is what it was


@pytest.mark.needs("sandbox:bubblewrap")
def test_a_dependency_that_is_not_in_the_wheel_folder_is_refused_with_what_is(worker: Worker):
    put_wheel(worker.ports.settings.wheel_folder, "tinyheart", "BEAT = 2\n")
    files = {"bot.toml": manifest(more='dependencies = ["torch"]'), "bot.py": GREEDY}
    version, found = checked(worker, files)
    built = found[StageName.BUILT].stage
    assert (version.state, built.state, built.code) == (VersionState.REFUSED, StageState.REFUSED, "dependency_missing")
    assert "No matching distribution found for torch" in built.reason
    assert built.hint.startswith("this arena has tinyheart 1.0; once its operator has added what is missing")
    assert found[StageName.CHECKED].stage.state is StageState.WAITING


@pytest.mark.needs("sandbox:bubblewrap")
def test_once_the_operator_has_added_a_wheel_the_same_bytes_are_built(worker: Worker):
    put_wheel(worker.ports.settings.wheel_folder, "tinyheart", "BEAT = 2\n")
    files = {
        "bot.toml": manifest(more='dependencies = ["tinylung"]'),
        "bot.py": "import tinylung\ntinylung.breathe()\n",
    }
    version, _ = checked(worker, files)
    with worker.ports.store.snapshot() as tx:
        ada = tx.accounts.find("ada")
    assert ada is not None
    put_wheel(worker.ports.settings.wheel_folder, "tinylung", "def breathe():\n    print('it breathes')\n")
    again = versions.submit(worker.ports, caller=ada, bot="tester", archive=archive(files))
    assert (again.created, again.version.id, again.version.state) == (False, version.id, VersionState.RECEIVED)
    worker_checks.check(worker, version.id)
    found = seen(worker.ports, version, "ada")
    assert found[StageName.BUILT].stage.state is StageState.DONE
    assert "it breathes" in found[StageName.CHECKED].log  # and is refused there, because it does nothing else


@pytest.mark.needs("sandbox:bubblewrap")
def test_only_wheels_are_taken_so_that_no_strangers_code_runs_at_build(worker: Worker, tmp_path: Path):
    folder, ran = worker.ports.settings.wheel_folder, tmp_path / "ran"
    folder.mkdir()
    shutil.make_archive(str(folder / "evil-1.0"), "gztar", root_dir=_source_package(tmp_path, ran), base_dir="evil-1.0")
    files = {"bot.toml": manifest(more='dependencies = ["evil"]'), "bot.py": GREEDY}
    _, found = checked(worker, files)
    assert found[StageName.BUILT].stage.code == "dependency_missing"
    assert not ran.exists()


def _source_package(tmp_path: Path, ran: Path) -> Path:
    package = tmp_path / "src" / "evil-1.0"
    package.mkdir(parents=True)
    (package / "setup.py").write_text(f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nsetup(name='evil')\n")
    (package / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    return package.parent


@pytest.mark.needs("sandbox:bubblewrap")
def test_a_runtime_that_is_not_built_here_says_so_and_the_same_bytes_may_come_again(worker: Worker):
    files = {"bot.toml": manifest(runtime="python-3.14"), "bot.py": GREEDY}
    version, found = checked(worker, files)
    built = found[StageName.BUILT].stage
    assert (version.state, built.state, built.code) == (VersionState.RECEIVED, StageState.STALLED, "runtime_not_built")
    assert built.reason.startswith("the runtime python-3.14 is not built on this server: the workers run Python")
    assert "guandan-arena runtimes build python-3.14" in built.hint
    with worker.ports.store.snapshot() as tx:
        ada = tx.accounts.find("ada")
    assert ada is not None
    again = versions.submit(worker.ports, caller=ada, bot="tester", archive=archive(files))
    assert not again.created
    assert versions.check_of(worker.ports, version_id=version.id).state is CheckState.QUEUED
    assert states(seen(worker.ports, version, "ada")) == ["done", *["waiting"] * 4]


@walled
def test_a_static_program_is_started_in_a_root_of_its_own(worker: Worker):
    files = {"bot.toml": manifest(entry='["./bot"]', runtime="any"), "bot": program(b"here is a program\n")}
    version, found = checked(worker, files)
    assert version.state is VersionState.REFUSED
    assert "here is a program" in found[StageName.CHECKED].log
    shutil.rmtree(worker.shelf.folder)
    again = worker.bot(name="x", digest=version.digest, manifest=version.manifest, wheels=())
    assert os.access(again.folder / "bot", os.X_OK)  # also where the archive did not say so
    assert seen(worker.ports, version, "nobody")[StageName.CHECKED].log == ""


IMAGED = '[bot]\nname = "tester"\nruntime = "any"\nimage = "image.tar"\n'


@walled
@pytest.mark.needs("language:c")
def test_a_bot_that_brings_its_image_goes_through_every_stage(worker: Worker):
    told = {"Entrypoint": ["/app/bot"], "Cmd": ["deck"], "Env": ["MOOD=calm"], "WorkingDir": "/work"}
    brought = docker_save([layer(("app/bot", compiled("bot", "-static")), ("work/deck", b""))], told)
    version, found = checked(worker, {"bot.toml": IMAGED, "image.tar": brought})
    assert version.state is VersionState.ACTIVE, [report.stage for report in found.values()]
    again = worker.bot(name="x", digest=version.digest, manifest=version.manifest, wheels=())
    assert again.root is not None
    assert (again.entry, again.root.folder) == (("/app/bot", "deck"), "/work")


@pytest.mark.needs("sandbox:bubblewrap")
def test_an_image_that_reaches_out_is_refused_with_what_to_do(worker: Worker):
    brought = docker_save([layer(link("out", "/tmp"), ("out/evil", b"x"))])
    _, found = checked(worker, {"bot.toml": IMAGED, "image.tar": brought})
    built = found[StageName.BUILT].stage
    assert (built.state, built.code) == (StageState.REFUSED, "image_through_link")
    assert "'/out', which is a link" in built.reason
    assert built.hint == "put it where the link leads, or make a folder of it"


@pytest.mark.parametrize("sandbox", ["process"], indirect=True)
def test_the_development_sandbox_has_no_root_for_an_image_and_the_version_waits(worker: Worker):
    version, found = checked(worker, {"bot.toml": IMAGED, "image.tar": b"x"})
    built = found[StageName.BUILT].stage
    assert (version.state, built.state, built.code) == (VersionState.RECEIVED, StageState.STALLED, "runtime_not_built")
    assert "docker or bubblewrap only" in built.reason
    assert "another sandbox than process" in built.hint


@pytest.fixture
def image(worker: Worker) -> Iterator[str]:
    """An image of the operator's, built by the recipe for programs from a local base."""
    client = docker.from_env()
    name = f"guandan-test-any:{secrets.token_hex(4)}"
    base = client.images.get(f"{REPOSITORY}:{_imported(client, worker.roots.root('any').path)}")
    folder = Path(__file__).parents[2] / "deploy/images/any"
    client.images.build(path=str(folder), tag=name, buildargs={"BASE": base.id}, network_mode="none", rm=True)
    yield name
    client.images.remove(name, force=True)
    client.close()


def _imported(client: docker.DockerClient, root: Path) -> str:
    """Have the daemon import a root as a worker does, and return its tag."""
    tag = root.name.removeprefix("runtime-")
    import_image(client, RuntimeRoot(root, tag))
    return tag


@pytest.mark.needs("sandbox:docker")
@pytest.mark.parametrize("sandbox", ["docker"], indirect=True)
def test_a_runtime_may_be_an_image_that_the_operator_lists(worker: Worker, image: str, tmp_path: Path):
    listed = tmp_path / "runtimes.toml"
    listed.write_text(f'[mine]\nkind = "program"\nimage = "{image}"\n')
    read = replace(worker.ports.settings, runtimes_file=listed)
    ports = replace(worker.ports, settings=read)
    files = {"bot.toml": manifest(entry='["./bot"]', runtime="mine"), "bot": program(b"here is a program\n")}
    owner = replace(worker, ports=ports, roots=roots_of(read, kind="docker"))
    _, found = checked(owner, files)
    assert "here is a program" in found[StageName.CHECKED].log
    assert "runtime root sha256:" in found[StageName.BUILT].log


@walled
def test_an_image_that_cannot_be_started_here_stalls_the_version_and_says_why(worker: Worker, tmp_path: Path):
    listed = tmp_path / "runtimes.toml"
    listed.write_text('[mine]\nkind = "program"\nimage = "guandan-no-such:1"\ncommands = ["java"]\n')
    read = replace(worker.ports.settings, runtimes_file=listed)
    ports = replace(worker.ports, settings=read)
    files = {"bot.toml": manifest(entry='["java", "-jar", "bot.jar"]', runtime="mine"), "bot.jar": "x"}
    owner = replace(worker, ports=ports, roots=roots_of(read, kind=worker.sandbox.kind))
    version, found = checked(owner, files)
    why = {"docker": "the Docker daemon has no image guandan-no-such:1", "bubblewrap": "which only Docker can start"}
    assert (version.state, found[StageName.BUILT].stage.code) == (VersionState.RECEIVED, "runtime_not_built")
    assert why[worker.sandbox.kind] in found[StageName.BUILT].stage.reason


@pytest.mark.needs("sandbox:bubblewrap")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"#!/bin/sh\necho hello\n", "not_a_program"),
        (b"MZ" + bytes(60), "not_a_program"),
        (b"\x7fELF", "not_a_program"),
        (b"", "not_a_program"),
        (program(b"x", machine=243), "other_machine"),
    ],
    ids=["script", "windows", "cut short", "empty", "risc-v"],
)
def test_what_is_no_program_for_this_machine_is_refused_before_it_is_started(worker: Worker, content: bytes, code: str):
    files = {"bot.toml": manifest(entry='["./bot"]', runtime="any"), "bot": content}
    _, found = checked(worker, files)
    assert (found[StageName.BUILT].stage.state, found[StageName.BUILT].stage.code) == (StageState.REFUSED, code)
    assert found[StageName.BUILT].stage.hint


@walled
def test_node_is_started_where_there_is_one_and_said_to_be_missing_elsewhere(worker: Worker):
    files = {
        "bot.toml": manifest(entry='["node", "bot.js"]', runtime="node"),
        "bot.js": "console.log('node', process.version, require('fs').readdirSync('/bot').join())",
    }
    _, found = checked(worker, files)
    if shutil.which("node") is None:
        assert found[StageName.BUILT].stage.code == "runtime_not_built"
    else:
        assert "node v" in found[StageName.CHECKED].log
        assert "bot.js,bot.toml" in found[StageName.CHECKED].log


@pytest.mark.needs("sandbox:bubblewrap")
@pytest.mark.parametrize(("wish", "code"), [("memory_mb = 60000", "too_much_memory"), ("cpus = 60", "too_many_cpus")])
def test_a_bot_that_wishes_more_than_a_seat_has_is_told_what_it_has(worker: Worker, wish: str, code: str):
    files = {"bot.toml": manifest(more=f"[bot.resources]\n{wish}"), "bot.py": GREEDY}
    _, found = checked(worker, files)
    assert found[StageName.BUILT].stage.code == code


def test_unpacked_versions_are_cleared_away_in_time_and_made_again_when_asked_for(ports: Ports):
    shelf, read = shelf_of(ports), replace(ports.settings, sandbox="bubblewrap")
    version = submitted(ports, {"bot.toml": manifest(), "bot.py": GREEDY})
    folder = shelf.built(version.digest)
    assert tidy(read) == 0
    a_month_ago = folder.stat().st_mtime - 30 * 86_400
    os.utime(folder, (a_month_ago, a_month_ago))
    assert tidy(read) == 1
    assert not folder.exists()
    assert (shelf.built(version.digest) / "bot.py").read_text() == GREEDY


def test_every_runtime_that_ships_can_be_named_in_a_manifest(ports: Ports):
    owner = accounts.register(ports, name="ada").account
    bots.create(ports, caller=owner, name="tester")
    for number, runtime in enumerate(RUNTIMES.values()):
        text = manifest(entry=runtime.example, runtime=runtime.name)
        files = {"bot.toml": text, "bot.py": f"# {number}", "bot.js": "", "bot": "x"}
        version = versions.submit(ports, caller=owner, bot="tester", archive=archive(files)).version
        assert version.manifest.runtime == runtime.name


@pytest.mark.needs("sandbox:docker")
@pytest.mark.parametrize("sandbox", ["docker"], indirect=True)
def test_an_image_that_an_operator_cleared_away_is_imported_again(sandbox: Sandbox, worker: Worker, tmp_path: Path):
    digest = f"test-{secrets.token_hex(4)}"
    root = RuntimeRoot(worker.roots.root("any").path, digest)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/bot").write_bytes(program(b"here again\n"))
    (tmp_path / "bot/bot").chmod(0o755)
    client = docker.from_env()
    said = []
    for number in range(2):
        spec = SeatSpec(f"gat-{digest}-{number}", tmp_path / "bot", ("./bot",), tmp_path, root)
        seat = sandbox.start(spec)
        assert seat.wait(30)
        said.append(seat.end().log)
        client.images.remove(f"{REPOSITORY}:{digest}", force=True)
    client.close()
    assert said == ["here again\n"] * 2
