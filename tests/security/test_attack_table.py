"""The table of attacks in the documentation: every attack has its row."""

from __future__ import annotations

from tests.security import attacks, table


def test_the_published_table_has_a_row_for_every_attack_and_no_other() -> None:
    assert table.published() == attacks.expected_rows()


def test_no_attack_lacks_a_row_for_docker() -> None:
    assert {name for name, adapter in attacks.expected_rows() if adapter == attacks.DOCKER} == set(attacks.ATTACKS)
