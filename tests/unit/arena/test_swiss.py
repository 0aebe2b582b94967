from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_arena.tournaments import Entrant, How, Result, Round, next_round

EVENT_SEED = 7


def field(size: int, *, owners: int = 0) -> list[Entrant]:
    """Entrants 0, 1, 2 ... of falling rating; with ``owners``, dealt round to so many of them."""
    return [Entrant(str(i), f"o{i % owners}" if owners else "", 1_600_000 - i) for i in range(size)]


def play(paired: Round, gain_of: dict[frozenset[str], int] | None = None) -> list[Result]:
    """Results of a round in which the stronger (lower number) wins, unless told otherwise."""
    results = [
        Result.played(paired.number, p.a, p.b, (gain_of or {}).get(frozenset((p.a, p.b)), int(p.b) - int(p.a)))
        for p in paired.pairs
    ]
    return results + [Result.bye(paired.number, entrant) for entrant in paired.byes]


def meetings(history: list[Result]) -> Counter[frozenset[str]]:
    return Counter(frozenset((r.a, r.b)) for r in history if r.b is not None)


def whole(paired: Round) -> list[str]:
    return sorted([e for p in paired.pairs for e in (p.a, p.b)] + list(paired.byes))


def test_the_first_round_folds_the_field_top_half_against_bottom_half() -> None:
    paired = next_round(field(8), [], 1, EVENT_SEED)
    assert [(p.a, p.b) for p in paired.pairs] == [("0", "4"), ("1", "5"), ("2", "6"), ("3", "7")]


def test_the_second_round_folds_each_score_group() -> None:
    entrants = field(8)
    history = play(next_round(entrants, [], 1, EVENT_SEED))
    paired = next_round(entrants, history, 2, EVENT_SEED)
    assert [(p.a, p.b) for p in paired.pairs] == [("0", "2"), ("1", "3"), ("4", "6"), ("5", "7")]


def test_the_bye_goes_to_the_lowest_who_has_had_none() -> None:
    entrants = field(5)
    first = next_round(entrants, [], 1, EVENT_SEED)
    second = next_round(entrants, play(first), 2, EVENT_SEED)
    assert first.byes == ("4",)
    assert second.byes == ("3",)


def test_a_win_by_forfeit_bars_from_a_later_bye() -> None:
    history = [Result(1, "2", "0", (2, 0), how=How.FORFEIT), Result.bye(1, "1")]
    assert next_round(field(3), history, 2, EVENT_SEED).byes == ("0",)


def test_entrants_of_one_owner_never_meet() -> None:
    entrants = field(12, owners=3)
    owner = {e.id: e.owner for e in entrants}
    history: list[Result] = []
    for number in range(1, 7):
        paired = next_round(entrants, history, number, EVENT_SEED)
        assert all(owner[p.a] != owner[p.b] for p in paired.pairs)
        assert whole(paired) == sorted(owner)
        history += play(paired)


def test_a_field_of_one_owner_gets_byes_instead_of_a_failure() -> None:
    paired = next_round(field(4, owners=1), [], 1, EVENT_SEED)
    assert paired.pairs == ()
    assert sorted(paired.byes) == ["0", "1", "2", "3"]


def test_when_one_owner_has_most_entrants_only_as_many_get_byes_as_must() -> None:
    entrants = [Entrant(str(i), "big" if i < 5 else "") for i in range(7)]
    paired = next_round(entrants, [], 1, EVENT_SEED)
    assert len(paired.byes) == 3
    assert whole(paired) == [str(i) for i in range(7)]


def test_a_withdrawn_entrant_is_not_paired_and_a_late_one_joins_with_no_points() -> None:
    entrants = field(6)
    history = play(next_round(entrants, [], 1, EVENT_SEED))
    present = [e for e in entrants if e.id != "0"] + [Entrant("9", rating=1)]
    paired = next_round(present, history, 2, EVENT_SEED)
    assert whole(paired) == ["1", "2", "3", "4", "5", "9"]


def test_a_void_match_may_be_met_again() -> None:
    history = [Result(1, "0", "1", (1, 1), how=How.VOID)]
    paired = next_round(field(2), history, 2, EVENT_SEED)
    assert [(p.a, p.b) for p in paired.pairs] == [("0", "1")]


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7, 8])
def test_a_small_field_plays_everyone_once_and_again_only_after_all(size: int) -> None:
    entrants = field(size)
    cycle = size - 1 + size % 2
    history: list[Result] = []
    for number in range(1, 2 * cycle + 1):
        paired = next_round(entrants, history, number, EVENT_SEED, rounds=2 * cycle)
        history += play(paired)
        if number == cycle:
            assert set(meetings(history).values()) == {1}
            assert len(meetings(history)) == size * (size - 1) // 2
    assert set(meetings(history).values()) == {2}


def test_a_small_field_goes_on_when_somebody_withdraws_in_the_middle() -> None:
    entrants = field(6)
    history: list[Result] = []
    for number in range(1, 6):
        present = entrants if number < 3 else entrants[1:]
        history += play(next_round(present, history, number, EVENT_SEED, rounds=5))
    assert max(meetings(history).values()) == 1


def test_unavoidable_rematches_are_few_instead_of_an_error() -> None:
    entrants = field(4)
    history: list[Result] = []
    for number in range(1, 7):
        history += play(next_round(entrants, history, number, EVENT_SEED))
    assert set(meetings(history).values()) == {2}


def test_the_same_entrant_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        next_round([Entrant("0"), Entrant("0")], [], 1, EVENT_SEED)


def test_results_of_rounds_to_come_are_refused() -> None:
    with pytest.raises(ValueError, match=r"rounds other than 1\.\.1"):
        next_round(field(2), [Result.played(2, "0", "1", 1)], 2, EVENT_SEED)


@settings(max_examples=40, deadline=None)
@given(size=st.integers(2, 9), data=st.data())
def test_every_round_covers_the_field_and_no_meeting_repeats_while_another_matching_exists(
    size: int, data: st.DataObject
) -> None:
    entrants = field(size)
    ids = [e.id for e in entrants]
    history: list[Result] = []
    for number in range(1, data.draw(st.integers(2, 6)) + 1):
        paired = next_round(entrants, history, number, EVENT_SEED)
        assert whole(paired) == ids
        assert len(paired.byes) == size % 2
        before = meetings(history)
        repeated = sum(before[frozenset((p.a, p.b))] for p in paired.pairs)
        if repeated:
            assert repeated == _fewest_repeats(ids, before)
        gains = {frozenset((p.a, p.b)): data.draw(st.integers(-3, 3)) for p in paired.pairs}
        history += play(paired, gains)


@settings(max_examples=20, deadline=None)
@given(size=st.integers(7, 40), gains=st.randoms(use_true_random=False))
def test_nobody_has_a_second_bye_and_input_order_does_not_matter(size: int, gains: object) -> None:
    entrants = field(size)
    history: list[Result] = []
    for number in range(1, 6):
        paired = next_round(entrants, history, number, EVENT_SEED)
        assert paired == next_round(entrants[::-1], history[::-1], number, EVENT_SEED)
        drawn = {frozenset((p.a, p.b)): gains.choice((-1, 0, 1)) for p in paired.pairs}  # type: ignore[attr-defined]
        history += play(paired, drawn)
    byes = Counter(r.a for r in history if r.b is None)
    assert max(byes.values(), default=0) <= 1


def _fewest_repeats(ids: list[str], before: Counter[frozenset[str]]) -> int:
    """Brute force over all matchings; an odd field leaves any one entrant out."""
    if len(ids) % 2:
        return min(_fewest_repeats([e for e in ids if e != out], before) for out in ids)
    if not ids:
        return 0
    first, *rest = ids
    return min(
        before[frozenset((first, other))] + _fewest_repeats([e for e in rest if e != other], before) for other in rest
    )


def test_the_brute_force_finds_the_only_free_matching() -> None:
    before = Counter(map(frozenset, combinations("0123", 2)))
    del before[frozenset("03")], before[frozenset("12")]
    assert _fewest_repeats(list("0123"), before) == 0
