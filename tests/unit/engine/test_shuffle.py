"""The provable shuffle gives what docs/shuffle.md says, also when written again from its prose."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine import shuffle
from guandan_engine.cards import DECK, Rank
from guandan_engine.rules import load
from tests.dealing import STANDARD

PAGE = Path(__file__).parents[3] / "docs" / "shuffle.md"


@pytest.fixture(scope="module")
def vectors():
    text = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    return dict(re.fullmatch(r"([^:]+): (.*)", line).groups() for line in text.splitlines())


def test_commitment_and_deal_secrets_equal_the_published_vectors(vectors):
    secret = bytes.fromhex(vectors["event secret"])
    assert shuffle.commit(secret, vectors["event id"]) == vectors["commitment"]
    assert shuffle.deal_secret(secret, vectors["board label"]).hex() == vectors["board secret"]
    label = shuffle.deal_label(vectors["match label"], int(vectors["match deal"]))
    assert shuffle.deal_secret(secret, label).hex() == vectors["deal secret"]


@pytest.mark.parametrize("what", ["board", "deal"])
def test_hands_equal_the_published_vectors(vectors, what):
    hands = shuffle.shuffle(bytes.fromhex(vectors[f"{what} secret"]))
    assert [str(hand) for hand in hands] == [vectors[f"{what} hand {seat}"] for seat in range(4)]


def test_seeds_and_first_leader_equal_the_published_vectors(vectors):
    secret = bytes.fromhex(vectors["board secret"])
    for way in (0, 1):
        for seat in range(4):
            assert str(shuffle.seat_seed(secret, way, seat)) == vectors[f"board seed {way}/{seat}"]
    assert str(shuffle.first_leader(bytes.fromhex(vectors["deal secret"]))) == vectors["first leader"]


def test_the_context_of_a_board_equals_the_published_vectors(vectors):
    board = shuffle.board(bytes.fromhex(vectors["board secret"]), STANDARD)
    assert (str(board.level), str(board.leader)) == (vectors["board level"], vectors["board leader"])
    assert [str(hand) for hand in board.hands] == [vectors[f"board hand {seat}"] for seat in range(4)]


def test_what_chance_gives_a_deal_equals_the_published_vectors(vectors):
    deal = shuffle.deal(bytes.fromhex(vectors["deal secret"]), STANDARD)
    assert [str(hand) for hand in deal.hands] == [vectors[f"deal hand {seat}"] for seat in range(4)]
    assert (str(deal.leader), str(deal.face_up)) == (vectors["first leader"], vectors["face-up card"])
    assert str(deal.lot) == vectors["lot"]


@given(st.binary(min_size=1, max_size=40))
def test_the_leader_holds_the_face_up_card_and_a_joker_is_cut_again(secret):
    counted = shuffle.deal(secret, STANDARD)
    assert counted.face_up in counted.hands[counted.leader]
    assert not counted.face_up.is_joker
    taken = shuffle.deal(secret, replace(STANDARD, first_drawer="rank_mod_4"))
    assert taken.face_up.is_joker or taken.face_up == counted.face_up


def test_face_up_cards_and_lots_are_spread_evenly():
    rules = replace(STANDARD, first_drawer="any")
    deals = [shuffle.deal(n.to_bytes(4, "big"), rules) for n in range(3000)]
    assert all(600 < count < 900 for count in Counter(deal.lot for deal in deals).values())
    assert all(600 < count < 900 for count in Counter(deal.leader for deal in deals).values())
    assert 80 < sum(deal.face_up.is_joker for deal in deals) < 145  # 4 of 108


def test_the_level_of_a_board_is_one_that_the_rules_play():
    eight = replace(STANDARD, final_level=Rank.EIGHT, must_play=(Rank.EIGHT,))
    secrets = [n.to_bytes(4, "big") for n in range(200)]
    assert {shuffle.board_level(secret, eight) for secret in secrets} == set(list(Rank)[: Rank.EIGHT + 1])
    assert {shuffle.board_level(secret, load("anhui_jianzhu_2017")) for secret in secrets} == {Rank.TWO}


def test_a_board_keeps_its_label():
    assert shuffle.deal_label("round/1/board/2", None) == "round/1/board/2"


@given(st.binary(min_size=1, max_size=40))
def test_every_shuffle_deals_the_whole_deck(secret):
    hands = shuffle.shuffle(secret)
    assert [len(hand) for hand in hands] == [27] * 4
    assert sorted(card for hand in hands for card in hand) == list(DECK)


@given(st.binary(min_size=32, max_size=32))
def test_the_shuffle_written_from_the_prose_deals_the_same(secret):
    assert [str(hand) for hand in shuffle.shuffle(secret)] == _from_prose(secret)


@given(st.binary(min_size=32, max_size=32))
def test_seeds_are_63_bits_and_differ_between_seats_and_ways(secret):
    seeds = [shuffle.seat_seed(secret, way, seat) for way in (0, 1) for seat in range(4)]
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert len(set(seeds)) == 8


def test_different_events_have_different_commitments_to_one_secret():
    assert shuffle.commit(b"s", "a") != shuffle.commit(b"s", "b")


def test_every_card_reaches_every_seat_equally_often():
    held = Counter()
    for n in range(400):
        for seat, hand in enumerate(shuffle.shuffle(n.to_bytes(2, "big"))):
            held.update((seat, card) for card in hand)
    assert len(held) == 4 * 54
    assert 140 < min(held.values()) <= max(held.values()) < 260


def _from_prose(secret):
    order = [suit + rank for rank in "23456789TJQKA" for suit in "SHCD"] + ["SB", "HR"]
    deck = [card for card in order for _ in (1, 2)]
    stream = b"".join(
        hashlib.sha256(b"guandan/shuffle/v1\x00" + secret + n.to_bytes(8, "big")).digest() for n in range(20)
    )
    place = 0
    for i in range(107, 0, -1):
        n = i + 1
        while True:
            word = int.from_bytes(stream[place : place + 4], "big")
            place += 4
            if word < (2**32 // n) * n:
                break
        deck[i], deck[word % n] = deck[word % n], deck[i]
    return [" ".join(sorted(deck[at : at + 27], key=order.index)) for at in range(0, 108, 27)]


def test_a_deal_secret_is_an_hmac_of_its_label():
    assert shuffle.deal_secret(b"k", "x") == hmac.new(b"k", b"x", "sha256").digest()
