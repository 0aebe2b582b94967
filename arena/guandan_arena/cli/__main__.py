"""`python -m guandan_arena.cli`."""

from guandan_arena.cli import main

main()
