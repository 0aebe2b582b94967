"""Bots: names under which accounts submit versions."""

from __future__ import annotations

from guandan_arena.errors import Exhausted, NotFound
from guandan_arena.ports import Ports
from guandan_arena.services.identity import fresh_id, require_name
from guandan_arena.services.records import Account, AuditEntry, Bot


def create(ports: Ports, *, caller: Account, name: str) -> Bot:
    """Create a bot; raise InvalidArgument (name), AlreadyExists, or Exhausted (too many bots)."""
    require_name(name, what="a bot")
    now = ports.clock.now_ms()
    bot = Bot(fresh_id(ports.entropy, "b"), caller.id, caller.name, name, now)
    most = ports.settings.bots_per_account
    with ports.store.transaction() as tx:
        if len(tx.bots.browse(owner=caller.name, limit=most)) >= most:
            raise Exhausted("too_many_bots", f"an account may have {most} bots", "submit to one of those you have")
        tx.bots.add(bot)
        tx.audit.add(AuditEntry(now, caller.name, "bot.create", bot.id, name))
    return bot


def get(ports: Ports, *, name: str) -> Bot:
    """Return a bot by its name, which is unique in the arena."""
    with ports.store.snapshot() as tx:
        bot = tx.bots.find(name)
    if bot is None:
        raise NotFound("unknown_bot", f"there is no bot {name[:80]!r}", "list the bots to find the one you mean")
    return bot


def browse(ports: Ports, *, owner: str | None = None, limit: int = 50, offset: int = 0) -> tuple[Bot, ...]:
    """Return all bots, or one owner's, by name."""
    with ports.store.snapshot() as tx:
        return tx.bots.browse(owner=owner, limit=limit, offset=offset)
