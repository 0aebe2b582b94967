"""The parts of this machine that tests may need are found, or the reason is said."""

import pytest
from sqlalchemy import create_engine, text

from tests import machine


@pytest.mark.parametrize("part", machine.PARTS)
def test_a_part_is_there_or_says_why_not(part: str) -> None:
    reason = machine.missing(part)
    assert reason is None or reason.strip()


@pytest.mark.needs("database:postgresql")
def test_a_postgresql_server_of_its_own_answers(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        assert connection.execute(text("select 1")).scalar() == 1
    engine.dispose()
