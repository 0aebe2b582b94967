"""``python -m guandan_sdk`` is the ``guandan`` command."""

from guandan_sdk.cli import main

main()
