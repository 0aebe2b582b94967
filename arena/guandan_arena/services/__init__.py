"""The use cases: ``services.<subject>.<verb>(ports, *, ...)`` answers frozen records or raises ArenaError."""
