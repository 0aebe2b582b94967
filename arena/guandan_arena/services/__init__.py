"""The use cases of the arena: ``services.<subject>.<verb>(ports, *, ...)`` answers frozen records or raises ArenaError."""
