from __future__ import annotations

import pytest

from guandan_arena.tournaments import DEFAULT_ORDER, Entrant, How, Result, Tiebreak, standings

SEVEN = [Entrant(f"P{i}") for i in range(1, 8)]

# The published example of FIDE's 2026 rules: 7 entrants, 4 rounds. H half bye, U bye, Z absent, + and - forfeit.
# P1: 5:1 2:= 4:1 3:= | P2: 6:1 1:= 7:+ 4:1 | P3: 7:1 H 6:1 1:= | P4: H 7:1 1:0 2:0
# P5: 1:0 6:1 Z Z | P6: 2:0 5:0 3:0 U | P7: 3:0 4:0 2:- Z
SEVEN_PLAYED = [
    Result(1, "P1", "P5", (2, 0)),
    Result(1, "P2", "P6", (2, 0)),
    Result(1, "P3", "P7", (2, 0)),
    Result(1, "P4", None, (1, 0), how=How.HALF_BYE),
    Result(2, "P1", "P2", (1, 1)),
    Result(2, "P3", None, (1, 0), how=How.HALF_BYE),
    Result(2, "P4", "P7", (2, 0)),
    Result(2, "P5", "P6", (2, 0)),
    Result(3, "P1", "P4", (2, 0)),
    Result(3, "P2", "P7", (2, 0), how=How.FORFEIT),
    Result(3, "P3", "P6", (2, 0)),
    Result(4, "P1", "P3", (1, 1)),
    Result(4, "P2", "P4", (2, 0)),
    Result.bye(4, "P6"),
]

PUBLISHED = {
    "P1": (3.0, 10.0, 8.5, 6.75, 8.0, 2, 2),
    "P2": (3.5, 6.0, 5.5, 4.50, 8.5, 3, 2),
    "P3": (3.0, 6.5, 4.5, 4.00, 8.0, 2, 2),
    "P4": (1.5, 8.5, 7.0, 1.25, 5.0, 1, 1),
    "P5": (1.0, 6.0, 5.0, 1.00, 3.0, 1, 1),
    "P6": (1.0, 9.5, 8.5, 1.00, 1.0, 1, 0),
    "P7": (0.0, 4.5, 4.5, 0.00, 0.0, 0, 0),
}
PUBLISHED_ORDER = (
    Tiebreak.MP,
    Tiebreak.BH,
    Tiebreak.BH_C1,
    Tiebreak.SB,
    Tiebreak.PS,
    Tiebreak.WIN,
    Tiebreak.WON,
)
CHESS_SCALE = (2, 2, 2, 4, 2, 1, 1)


@pytest.mark.parametrize("entrant", PUBLISHED)
def test_every_tie_break_equals_the_published_table(entrant: str) -> None:
    (line,) = [s for s in standings(SEVEN, SEVEN_PLAYED, order=PUBLISHED_ORDER) if s.entrant == entrant]
    assert tuple(v / scale for v, scale in zip(line.values, CHESS_SCALE, strict=True)) == PUBLISHED[entrant]


def test_an_absence_written_out_counts_as_one_left_out() -> None:
    written = [
        *SEVEN_PLAYED,
        *(Result(n, e, None, (0, 0), how=How.ABSENT) for n, e in ((3, "P5"), (4, "P5"), (4, "P7"))),
    ]
    assert standings(SEVEN, written, order=PUBLISHED_ORDER) == standings(SEVEN, SEVEN_PLAYED, order=PUBLISHED_ORDER)


def test_the_order_of_tie_breaks_decides_the_order_of_entrants() -> None:
    by_buchholz = standings(SEVEN, SEVEN_PLAYED, order=(Tiebreak.MP, Tiebreak.BH))
    assert [s.entrant for s in by_buchholz] == ["P2", "P1", "P3", "P4", "P6", "P5", "P7"]
    by_wins = standings(SEVEN, SEVEN_PLAYED, order=(Tiebreak.WIN, Tiebreak.MP, Tiebreak.BH_C1))
    assert [s.place for s in by_wins] == [1, 2, 3, 4, 5, 6, 7]


def test_those_whom_nothing_parts_share_a_place_and_the_next_is_left_out() -> None:
    lines = standings([Entrant(e) for e in "abc"], [Result(1, "a", "b", (1, 1))], order=(Tiebreak.MP,))
    assert [s.place for s in lines] == [1, 1, 3]
    assert lines[2].entrant == "c"


def test_level_points_come_after_match_points() -> None:
    history = [Result.played(1, "a", "b", 9), Result.played(1, "c", "d", 4)]
    lines = standings([Entrant(e) for e in "abcd"], history)
    assert [(s.entrant, s.points, s.gain) for s in lines] == [("a", 2, 9), ("c", 2, 4), ("d", 0, -4), ("b", 0, -9)]
    assert len(lines[0].values) == len(DEFAULT_ORDER)


def test_direct_encounter_orders_the_tied_when_all_of_them_met() -> None:
    history = [
        Result(1, "a", "b", (0, 2)),
        Result(2, "a", "c", (2, 0)),
        Result(3, "b", "d", (0, 2)),
    ]
    lines = standings([Entrant(e) for e in "abcd"], history, order=(Tiebreak.MP, Tiebreak.DE))
    tied = [s.entrant for s in lines if s.points == 2]
    assert set(tied) == {"a", "b", "d"}
    assert {s.values[1] for s in lines if s.points == 2} == {0}, "a and d have not met, so nothing is decided"
    two = standings([Entrant(e) for e in "ab"], [Result(1, "a", "b", (2, 0)), Result(2, "b", "a", (1, 1))])
    assert [s.entrant for s in two] == ["a", "b"]


def test_direct_encounter_looks_again_at_those_still_tied() -> None:
    # Among a, b, c, d: a and b take 4 each, c and d 2 each; then a beat b and c beat d.
    history = [
        Result(1, "a", "b", (2, 0)),
        Result(1, "c", "d", (2, 0)),
        Result(2, "a", "c", (2, 0)),
        Result(2, "b", "d", (2, 0)),
        Result(3, "a", "d", (0, 2)),
        Result(3, "b", "c", (2, 0)),
    ]
    lines = standings([Entrant(e) for e in "abcd"], history, order=(Tiebreak.DE,))
    assert [(s.entrant, s.values[0]) for s in lines] == [("a", 3), ("b", 2), ("c", 1), ("d", 0)]


def test_a_forfeit_counts_in_points_but_not_as_played() -> None:
    history = [Result(1, "a", "b", (2, 0), how=How.FORFEIT)]
    lines = standings([Entrant("a"), Entrant("b")], history)
    assert [(s.points, s.played) for s in lines] == [(2, 0), (0, 0)]


def test_a_stranger_in_the_history_is_refused() -> None:
    with pytest.raises(ValueError, match="'x'"):
        standings([Entrant("a")], [Result.played(1, "a", "x", 1)])


def test_two_results_in_one_round_are_refused() -> None:
    with pytest.raises(ValueError, match="two results of 'a'"):
        standings([Entrant("a"), Entrant("b")], [Result.played(1, "a", "b", 1), Result.bye(1, "a")])


def test_before_the_first_round_all_share_the_first_place_in_the_order_of_lots() -> None:
    first = standings(SEVEN, [], seed=1)
    assert {s.place for s in first} == {1}
    assert [s.entrant for s in first] == [s.entrant for s in standings(SEVEN[::-1], [], seed=1)]
