"""The pages: ladder, events, bots, matches and replays for people, with the same data as JSON beside each."""

from guandan_arena.web.app import create_app

__all__ = ["create_app"]
