"""Every attack against every sandbox that claims to stop it, at a table against honest bots."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from guandan_engine import replay
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_runner.match import run_match
from guandan_runner.results import BotFiles, SeatEnd, TableEnd
from guandan_runner.sandbox import Sandbox, choose, load_policy
from tests.bare import BARE
from tests.seating import PATIENT, match, reference_bot, tasks
from tests.security import attacks, table
from tests.security.table import Row
from tests.security.watch import AttackedSandbox, Machine

POLICY = load_policy()
INSIDE = Path(__file__).parent / "inside"
BRISK = Clocks(connect_ms=10_000, move_ms=1_000, bank_ms=1_500)
"""An attacker that does not answer has used these up in a few seconds; honest bots need milliseconds."""

ROOT = Path(__file__).parents[2]


@dataclass
class Arena:
    """A sandbox under attack, its machine, and the rows found so far."""

    sandbox: Sandbox
    machine: Machine
    honest: BotFiles
    attacker: BotFiles
    undisturbed: list[tuple[object, ...]]
    rows: list[Row]

    threads: ThreadPoolExecutor
    fights: dict[tuple[str, str], Future[tuple[list[TableEnd], list[str]]]]

    def play(self, pair: tuple[str, str], *, ways: tuple[int, ...], clocks: Clocks) -> tuple[list[TableEnd], list[str]]:
        """How the tables ended, and the harm they did to the machine."""
        sandbox = AttackedSandbox(self.sandbox, self.machine, self.attacker, pair)
        spec = match(self.honest, self.attacker, tasks(1, ways=ways), clocks=clocks)
        ends = list(run_match(spec, sandbox=sandbox, policy=POLICY).tables)
        return ends, self.machine.harm(sandbox)

    def fight(self, pair: tuple[str, str]) -> tuple[list[TableEnd], list[str]]:
        """One table; the first to ask begins them all, two at a time, since attackers are mostly waited for."""
        for each in attacks.tables(self.sandbox.kind) if not self.fights else ():
            self.fights[each] = self.threads.submit(self.play, each, ways=(0,), clocks=BRISK)
        return self.fights[pair].result()

    def add(self, name: str, *, happened: str, host: str, opponents: str, verdict: Verdict) -> None:
        tried = attacks.ATTACKS[name].tried
        self.rows.append(Row(name, self.sandbox.kind, tried, happened, host, opponents, str(verdict)))


@pytest.fixture(scope="module")
def rows() -> Iterator[list[Row]]:
    found: list[Row] = []
    yield found
    if not table.missing(found):
        table.write(found)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    folder = Path(tempfile.mkdtemp(prefix="gat-", dir="/tmp"))
    folder.chmod(0o755)
    machine = Machine(folder, POLICY)
    with machine.watched():
        yield machine
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def open_arena(machine: Machine, rows: list[Row], runtime_cache: Path) -> Iterator[Callable[[str], Arena]]:
    """Gives the arena of an adapter, made once."""
    honest, attacker = reference_bot("greedy", machine.folder), attacking_bot(machine.folder)
    made: dict[str, Arena] = {}

    def give(kind: str) -> Arena:
        if kind not in made:
            sandbox = choose(wanted=kind, production=False, cache=runtime_cache, policy=POLICY).sandbox
            undisturbed = match(honest, reference_bot("greedy", machine.folder), tasks(1), clocks=PATIENT)
            ends = run_match(undisturbed, sandbox=sandbox, policy=POLICY).tables
            usual = [course(end) for end in ends]
            made[kind] = Arena(sandbox, machine, honest, attacker, usual, rows, ThreadPoolExecutor(2), {})
        return made[kind]

    yield give
    for arena in made.values():
        arena.threads.shutdown(cancel_futures=True)
        arena.sandbox.close()


def attacking_bot(folder: Path) -> BotFiles:
    home = folder / "attacker"
    shutil.copytree(INSIDE, home, ignore=shutil.ignore_patterns("__pycache__"))
    (home / "bare.py").write_text(BARE)
    home.chmod(0o755)
    return BotFiles("attacker", "f" * 64, home, ("python", "bot.py"))


def course(end: TableEnd) -> tuple[object, ...]:
    """What happened at a table, without the times."""
    events = [record.event for record in replay.read(end.replay).records]
    return tuple(repr(event) for event in events), end.points


def adapters(name: str, *, groups: bool = True) -> pytest.param:
    needs = [f"sandbox:{name}", *(["limits:groups"] if groups and name == attacks.BUBBLEWRAP else [])]
    return pytest.param(name, marks=pytest.mark.needs(*needs), id=name)


@pytest.mark.parametrize("adapter", [adapters(name) for name in attacks.WALLED])
def test_nothing_behind_the_walls_is_reached_and_both_boards_are_played_as_ever(
    adapter: str, open_arena: Callable[[str], Arena]
) -> None:
    arena = open_arena(adapter)
    ends, harm = arena.play(("probes", "left-things"), ways=(0, 1), clocks=PATIENT)
    assert [seat.verdict for end in ends for seat in end.seats] == [Verdict.OK] * 8, attacker_seats(ends[0])[0].log[
        -3000:
    ]
    same = [course(end) == usual for end, usual in zip(ends, arena.undisturbed, strict=True)]
    answers = defaultdict[str, list[dict[str, str]]](list)
    for end in ends:
        for found in said(attacker_seats(end)[0], "PROBE"):
            answers[json.loads(found)["attack"]].append(json.loads(found)["answers"])
    for attack in attacks.PROBES:
        assert len(answers[attack.name]) == 2, attack.name
        let_through = {what for board in answers[attack.name] for what, answer in board.items() if not answer}
        arena.add(
            attack.name,
            happened=in_words(answers[attack.name][-1]),
            host=", ".join(harm) or "unharmed",
            opponents="unaffected: the same deal" if all(same) else "the deal went otherwise",
            verdict=attacker_seats(ends[-1])[0].verdict,
        )
        assert not let_through, attack.name
    assert harm == []
    assert same == [True, True]


FIGHTS = [
    pytest.param(adapter.values[0], pair, marks=adapter.marks, id=f"{adapter.id}-{'-and-'.join(pair)}")
    for adapter in map(adapters, attacks.EVERY)
    for pair in attacks.tables(str(adapter.values[0]))
]


@pytest.mark.parametrize(("adapter", "pair"), FIGHTS)
def test_an_attack_costs_the_attacker_only(
    adapter: str, pair: tuple[str, str], open_arena: Callable[[str], Arena]
) -> None:
    arena = open_arena(adapter)
    (end,), harm = arena.fight(pair)
    replay.verify(end.replay)
    honest = [end.seats[seat].verdict for seat in (0, 2)]
    for name, seat in zip(pair, attacker_seats(end), strict=True):
        undisturbed = all(other.verdict is Verdict.OK for other in end.seats) and course(end) == arena.undisturbed[0]
        arena.add(
            name,
            happened=how_it_ended(seat),
            host=", ".join(harm) or "unharmed",
            opponents="unaffected" + (": the same deal" if undisturbed else "") if honest == OK_OK else "affected",
            verdict=seat.verdict,
        )
        assert seat.verdict in attacks.ATTACKS[name].verdicts, seat
    assert harm == []
    assert honest == OK_OK


OK_OK = [Verdict.OK, Verdict.OK]


def attacker_seats(end: TableEnd) -> tuple[SeatEnd, SeatEnd]:
    """The seats of entrant B: the first attack's and its partner's."""
    first = 1 - end.task.way
    return end.seats[first], end.seats[first + 2]


def said(seat: SeatEnd, word: str) -> list[str]:
    return re.findall(rf"^{word} (.*)$", seat.log, re.MULTILINE)


def in_words(answers: dict[str, str]) -> str:
    """Answers by error: EPERM: mount, umount2."""
    by_answer = defaultdict[str, list[str]](list)
    for what, answer in answers.items():
        by_answer[answer or "LET THROUGH"].append(re.sub(rf"/tmp/\S*/|{re.escape(str(ROOT))}\S*", ".../", what))
    return "; ".join(f"{answer}: {', '.join(what)}" for answer, what in by_answer.items())


def how_it_ended(seat: SeatEnd) -> str:
    """What the operating system and the table tell of an attacker's end."""
    facts = seat.facts
    end = (
        "killed after the table"
        if facts.killed
        else f"exit code {facts.exit_code}"
        if facts.signal is None
        else "SIGKILL"
    )
    used = [
        f"{facts.peak_memory_bytes >> 20} MiB at most" if facts.peak_memory_bytes is not None else "",
        f"{facts.cpu_ms / 1000:.1f} s of processor time" if facts.cpu_ms is not None else "",
    ]
    return "; ".join(filter(None, [seat.detail, *said(seat, "SENT"), end, *used]))
