"""Accounts and tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_arena.errors import (
    AlreadyExists,
    Exhausted,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    Unauthenticated,
)
from guandan_arena.services import accounts, audit, bots
from tests.arena import ports_on
from tests.databases import fresh_store

DAY_MS = 86_400_000


@pytest.fixture
def ports(sqlite_template, tmp_path):
    with fresh_store(sqlite_template) as store:
        yield ports_on(store, tmp_path)


def test_a_token_names_its_account(ports):
    issued = accounts.register(ports, name="ada")
    assert accounts.authenticate(ports, text=issued.text) == issued.account
    assert len(issued.text) > 60


def test_the_secret_of_a_token_is_nowhere_in_the_database(ports):
    issued = accounts.register(ports, name="ada")
    secret = issued.text.rsplit("_", 1)[1]
    with ports.store.snapshot() as tx:
        _, kept = tx.accounts.token(issued.token.id)
    assert secret not in kept
    assert len(kept) == 64


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda text: "", "malformed_token"),
        (lambda text: text.upper(), "malformed_token"),
        (lambda text: text[:-1], "malformed_token"),
        (lambda text: text[:-1] + ("a" if text[-1] != "a" else "b"), "unknown_token"),
        (lambda text: text[:5] + ("b" if text[5] != "b" else "c") + text[6:], "unknown_token"),
    ],
)
def test_a_wrong_token_is_refused(ports, spoil, code):
    text = accounts.register(ports, name="ada").text
    with pytest.raises(Unauthenticated) as refused:
        accounts.authenticate(ports, text=spoil(text))
    assert refused.value.code == code
    assert refused.value.hint


def test_a_token_expires(ports):
    account = accounts.register(ports, name="ada").account
    short = accounts.issue_token(ports, account=account.name, label="laptop", days=1)
    ports.clock.pass_ms(DAY_MS - 1)
    assert accounts.authenticate(ports, text=short.text) == account
    ports.clock.pass_ms(1)
    with pytest.raises(Unauthenticated) as refused:
        accounts.authenticate(ports, text=short.text)
    assert refused.value.code == "expired_token"


def test_a_revoked_token_ends_and_the_others_stay(ports):
    first = accounts.register(ports, name="ada")
    second = accounts.issue_token(ports, account="ada", label="ci")
    accounts.revoke_token(ports, account="ada", token_id=second.token.id)
    accounts.revoke_token(ports, account="ada", token_id=second.token.id)
    with pytest.raises(Unauthenticated) as refused:
        accounts.authenticate(ports, text=second.text)
    assert refused.value.code == "revoked_token"
    assert accounts.authenticate(ports, text=first.text) == first.account
    assert {token.label for token in accounts.tokens(ports, account="ada")} == {"first", "ci"}


def test_nobody_revokes_the_token_of_another(ports):
    ada, bob = (accounts.register(ports, name=name) for name in ("ada", "bob"))
    with pytest.raises(NotFound):
        accounts.revoke_token(ports, account=bob.account.name, token_id=ada.token.id)


@pytest.mark.parametrize("days", [0, -1, 100_000])
def test_a_token_cannot_live_for_no_time_or_for_ever(ports, days):
    account = accounts.register(ports, name="ada").account
    with pytest.raises(InvalidArgument):
        accounts.issue_token(ports, account=account.name, label="x", days=days)


@pytest.mark.parametrize("name", ["", "ab", "a" * 33, "Ada", "a b", "-ada", "ada-", "ädä", "ada\n", "a_b", "../x"])
def test_names_are_short_plain_words(ports, name):
    with pytest.raises(InvalidArgument) as refused:
        accounts.register(ports, name=name)
    assert refused.value.code == "bad_name"
    account = accounts.register(ports, name="ada").account
    with pytest.raises(InvalidArgument):
        bots.create(ports, caller=account, name=name)


def test_a_name_is_given_once(ports):
    accounts.register(ports, name="ada")
    with pytest.raises(AlreadyExists):
        accounts.register(ports, name="ada")


def test_registrations_have_a_rate(ports):
    limited = replace(ports, settings=replace(ports.settings, registrations_per_hour=2))
    for name in ("ada", "bob"):
        accounts.register(limited, name=name)
    with pytest.raises(Exhausted):
        accounts.register(limited, name="cyd")
    ports.clock.pass_ms(3_600_001)
    accounts.register(limited, name="cyd")


def test_registration_can_be_closed(ports):
    closed = replace(ports, settings=replace(ports.settings, open_registration=False))
    with pytest.raises(PermissionDenied):
        accounts.register(closed, name="ada")


def test_operators_are_made_on_the_command_line_only(ports):
    account = accounts.register(ports, name="ada").account
    with pytest.raises(PermissionDenied):
        accounts.require_operator(account)
    accounts.require_operator(accounts.set_operator(ports, name="ada", operator=True))
    assert not accounts.set_operator(ports, name="ada", operator=False).operator
    with pytest.raises(NotFound):
        accounts.set_operator(ports, name="nobody", operator=True)


def test_what_is_done_is_in_the_journal(ports):
    account = accounts.register(ports, name="ada").account
    bots.create(ports, caller=account, name="greedy")
    assert [entry.action for entry in audit.journal(ports)] == ["bot.create", "account.register"]
    assert [entry.actor for entry in audit.journal(ports, subject=account.id)] == ["ada"]


def test_an_account_has_a_limited_number_of_bots(ports):
    few = replace(ports, settings=replace(ports.settings, bots_per_account=2))
    account = accounts.register(ports, name="ada").account
    for name in ("one", "two"):
        bots.create(few, caller=account, name=name)
    with pytest.raises(Exhausted):
        bots.create(few, caller=account, name="three")


def test_bots_are_listed_by_name_and_by_owner(ports):
    ada, bob = (accounts.register(ports, name=name).account for name in ("ada", "bob"))
    for owner, name in ((ada, "zulu"), (bob, "alpha"), (ada, "mike")):
        bots.create(ports, caller=owner, name=name)
    assert [bot.name for bot in bots.browse(ports)] == ["alpha", "mike", "zulu"]
    assert [bot.name for bot in bots.browse(ports, limit=1, offset=1)] == ["mike"]
    assert [bot.name for bot in bots.browse(ports, owner="ada")] == ["mike", "zulu"]
    with pytest.raises(AlreadyExists):
        bots.create(ports, caller=bob, name="zulu")
    with pytest.raises(NotFound, match="no bot 'nobody'"):
        bots.get(ports, name="nobody")
