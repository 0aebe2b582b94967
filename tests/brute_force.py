"""What may be played, found the slow way: every sub-multiset of a hand with every meaning of its wild cards.

Written from the text of docs/rules.md alone and sharing nothing with ``guandan_engine.plays`` but the value types, so
that two independent readings of the rules can be compared, under any parameters of a rule set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, product

from guandan_engine.cards import Card, Rank, Suit
from guandan_engine.combos import Combo, Kind
from guandan_engine.rules import RuleSet

JOKERS = (Rank.SMALL_JOKER, Rank.BIG_JOKER)
PLAIN = tuple(rank for rank in Rank if rank not in JOKERS)
LINE = (Rank.ACE, *PLAIN)  # an ace stands at both ends of the line, and the line is no circle
RUNS = {Kind.STRAIGHT: (5, 1), Kind.THREE_PAIR: (3, 2), Kind.TWO_TRIPS: (2, 3)}


def all_combos(hand: Sequence[Card], level: Rank, rules: RuleSet) -> set[Combo]:
    """Everything a hand can lay when it leads."""
    found: set[Combo] = set()
    naturals_held = any(not is_wild(card, level) for card in hand)
    for cards in sub_multisets(hand):
        only_wilds = all(is_wild(card, level) for card in cards)
        if not (rules.wild_alone == "last_only" and only_wilds and naturals_held):
            found |= combos_of(cards, level, rules)
    return found


def followers(combos: Iterable[Combo], to_beat: Combo, level: Rank, rules: RuleSet) -> set[Combo]:
    """Those of the combos that may be laid on another."""
    return {combo for combo in combos if outranks(combo, to_beat, level, rules)}


def sub_multisets(hand: Iterable[Card]) -> Iterator[tuple[Card, ...]]:
    """Every choice of one or more cards, copies being alike."""
    counts = sorted(Counter(hand).items())
    for numbers in product(*(range(count + 1) for _, count in counts)):
        if any(numbers):
            yield tuple(card for (card, _), number in zip(counts, numbers, strict=True) for _ in range(number))


def combos_of(cards: Sequence[Card], level: Rank, rules: RuleSet) -> set[Combo]:
    """Everything that exactly these cards can be, as the last cards of a hand."""
    naturals = [card for card in cards if not is_wild(card, level)]
    wilds = len(cards) - len(naturals)
    if wilds and any(card.rank in JOKERS for card in naturals) and not rules.wild_with_jokers:
        return set()
    found: set[Combo] = set()
    for meaning in meanings_of_wilds(wilds, level, alone=not naturals):
        ranks = tuple(sorted([*(card.rank for card in naturals), *meaning]))
        for shape in shapes(ranks, level, rules):
            found |= worn(shape, naturals, wilds, level)
    joined = {combo for combo in found if combo.kind in rules.wild_kinds}
    return found if not wilds or not naturals else joined


def worn(shape: Combo, naturals: Sequence[Card], wilds: int, level: Rank) -> set[Combo]:
    """The combos of a shape when these natural cards and so many wilds make it."""
    rank, pair, top = shape.rank, shape.pair, shape.top
    if shape.kind is Kind.STRAIGHT:
        suits = [card.suit for card in naturals]
        return {Combo(k, rank, 5, None, wilds, suit, top) for k, suit in straight_or_flush(suits, wilds)}
    if pair is not None and wilds == 2 and all(card.rank is rank for card in naturals):
        pair = pair_of_two_wilds(rank, level)  # both wilds are the pair
    return {Combo(shape.kind, rank, shape.size, pair, wilds, None, top)}


def is_wild(card: Card, level: Rank) -> bool:
    return card.suit is Suit.HEARTS and card.rank is level


def meanings_of_wilds(wilds: int, level: Rank, *, alone: bool) -> Iterable[tuple[Rank, ...]]:
    """Wilds stand for any rank but a joker; without a natural card beside them they are level cards."""
    return [(level,) * wilds] if alone else combinations_with_replacement(PLAIN, wilds)


def straight_or_flush(suits: list[Suit | None], wilds: int) -> set[tuple[Kind, Suit | None]]:
    """Five ranks in a row are a straight flush when all cards are, or stand for, one suit; else a plain straight."""
    found: set[tuple[Kind, Suit | None]] = set()
    for meaning in product(Suit, repeat=wilds):
        different = {*suits, *meaning}
        found.add((Kind.STRAIGHT_FLUSH, different.pop()) if len(different) == 1 else (Kind.STRAIGHT, None))
    return found


def pair_of_two_wilds(triple: Rank, level: Rank) -> Rank:
    """Both wilds as the pair of a full house can be any rank but the triple's: it is written as the strongest."""
    return max((rank for rank in PLAIN if rank is not triple), key=lambda rank: (rank is level, rank))


def shapes(ranks: tuple[Rank, ...], level: Rank, rules: RuleSet) -> list[Combo]:
    """What sorted ranks can be, suits and wilds aside; a straight flush is a straight here."""
    terms = (rules.max_bomb, rules.mixed_joker_pair, rules.full_house_joker_pair, rules.full_house_same_rank)
    return groups_of(ranks, *terms) + runs_of(ranks, line_of_runs(level, rules))


@cache
def groups_of(ranks: tuple[Rank, ...], max_bomb: int, unlike: bool, jokers_in: bool, same: bool) -> list[Combo]:
    """Equal cards, pairs and full houses."""
    counts = Counter(ranks)
    size, different = len(ranks), list(counts)
    alike = len(different) == 1
    plain = different[-1] not in JOKERS
    found: list[Combo] = []
    if size == 1:
        found.append(Combo(Kind.SINGLE, ranks[0], 1))
    if size == 2 and alike:
        found.append(Combo(Kind.PAIR, ranks[0], 2))
    if ranks == JOKERS and unlike:
        found.append(Combo(Kind.PAIR, Rank.SMALL_JOKER, 2, top=Rank.BIG_JOKER))
    if size == 3 and alike and plain:
        found.append(Combo(Kind.TRIPS, ranks[0], 3))
    if 4 <= size <= max_bomb and alike and plain:
        found.append(Combo(Kind.BOMB, ranks[0], size))
    if counts == {Rank.SMALL_JOKER: 2, Rank.BIG_JOKER: 2}:
        found.append(Combo(Kind.JOKER_BOMB, Rank.BIG_JOKER, 4))
    if size == 5:
        found += full_houses(counts, unlike, jokers_in, same)
    return found


def full_houses(counts: Counter[Rank], unlike: bool, jokers_in: bool, same: bool) -> Iterator[Combo]:
    for triple in PLAIN:
        rest = counts - Counter({triple: 3})
        if counts[triple] < 3 or rest.total() != 2:
            continue
        if len(rest) == 2:
            if set(rest) == set(JOKERS) and unlike and jokers_in:
                yield Combo(Kind.THREE_WITH_TWO, triple, 5, Rank.SMALL_JOKER, top=Rank.BIG_JOKER)
            continue
        (pair,) = rest
        if (pair not in JOKERS or jokers_in) and (pair is not triple or same):
            yield Combo(Kind.THREE_WITH_TWO, triple, 5, pair)


def line_of_runs(level: Rank, rules: RuleSet) -> tuple[Rank, ...]:
    """The ranks in which runs go, with the ace below; on past the ace where runs wrap."""
    if rules.seq_level_card == "elevated":
        return (Rank.ACE, *(rank for rank in PLAIN if rank is not level), level)
    return (*LINE, *PLAIN[:4]) if rules.seq_wrap else LINE


@cache
def runs_of(ranks: tuple[Rank, ...], line: tuple[Rank, ...]) -> list[Combo]:
    """Neighbouring ranks of a line; ``top`` is told where it is not as many natural steps above the lowest."""
    counts = Counter(ranks)
    found: list[Combo] = []
    for kind, (length, each) in RUNS.items():
        for first in range(len(line) - length + 1):
            stretch = line[first : first + length]
            if len(ranks) == length * each and counts == dict.fromkeys(stretch, each):
                natural = [PLAIN[(stretch[0] + step) % 13] for step in range(length)]
                top = None if list(stretch) == natural else stretch[-1]
                found.append(Combo(kind, stretch[0], len(ranks), top=top))
    return found


def strength(rank: Rank, level: Rank, rules: RuleSet) -> int:
    """2 3 .. K A, then the level, then the small joker, then the big one; the ace first where it is low."""
    plain = (Rank.ACE, *PLAIN[:-1]) if rules.single_ace == "low" else PLAIN
    ladder = [*(r for r in plain if r is not level), level, *JOKERS]
    return ladder.index(rank)


def outranks(a: Combo, b: Combo, level: Rank, rules: RuleSet) -> bool:
    """Whether a beats b: higher on the ladder of bombs, or of the same kind and size and stronger."""
    ladder = ladder_of_bombs(rules)
    if rung(a, ladder) != rung(b, ladder):
        return rung(a, ladder) > rung(b, ladder)
    if a.kind is not b.kind or a.size != b.size or a.kind is Kind.JOKER_BOMB:
        return False
    if a.kind in (*RUNS, Kind.STRAIGHT_FLUSH):
        higher, lower = (height_of_run(one, level, rules) for one in (a, b))
        hearts = (a.suit is Suit.HEARTS) > (b.suit is Suit.HEARTS)
        return higher > lower or (higher == lower and hearts and rules.sf_tie == "hearts_top")
    return strength(a.rank, level, rules) > strength(b.rank, level, rules)


def height_of_run(combo: Combo, level: Rank, rules: RuleSet) -> int:
    """Where a run stands: by its highest card as a single, or by how far up the line it begins."""
    length, _ = RUNS[Kind.STRAIGHT if combo.kind is Kind.STRAIGHT_FLUSH else combo.kind]
    line = line_of_runs(level, rules)
    top = PLAIN[(combo.rank + length - 1) % 13] if combo.top is None else combo.top
    starts = range(len(line) - length + 1)
    start = next(n for n in starts if line[n] is combo.rank and line[n + length - 1] is top)
    return strength(top, level, rules) if rules.seq_compare == "level" else start


def ladder_of_bombs(rules: RuleSet) -> list[str]:
    sizes = [str(size) for size in range(4, 11)]
    place = sizes.index(str(rules.sf_beats_upto)) + 1
    return ["", *sizes[:place], "StraightFlush", *sizes[place:], "JokerBomb"]


def rung(combo: Combo, ladder: list[str]) -> int:
    name = str(combo.size) if combo.kind is Kind.BOMB else str(combo.kind)
    return ladder.index(name) if name in ladder else 0
