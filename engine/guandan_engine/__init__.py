"""Guandan: cards, plays, rule sets, deals, matches, tables and replays. Pure: no IO, no clock, no random source."""
