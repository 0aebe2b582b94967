"""The bot plays boards to the end without a single answer that the table had to refuse."""

from pathlib import Path

from guandan_sdk.local import play_boards


def test_plays_without_faults() -> None:
    """Four seats, two boards, both ways round."""
    for pair in play_boards(str(Path(__file__).parent), "random", boards=2, seed=1):
        for game in pair.games:
            assert not game.evidence
