"""Every parameter has a position that tells its values apart, and changing any of a preset's changes some outcome."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from guandan_engine.rules import RuleSet, load, presets
from tests.rule_positions import IDLE, POSITIONS
from tests.rule_values import COMBINATION_PARAMETERS, PARAMETERS, others, sound

for path in sorted((Path(__file__).parents[2] / "positions").glob("*.py")):
    import_module(f"tests.positions.{path.stem}")

STANDARD = RuleSet()


def outcomes(parameter: str, rules: RuleSet) -> list[object]:
    return [of(rules) for of in POSITIONS[parameter]]


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_parameter_has_a_position(parameter):
    assert POSITIONS.get(parameter), f"no position tells the values of {parameter} apart"


@pytest.mark.parametrize("parameter", COMBINATION_PARAMETERS)
def test_every_two_values_of_a_combination_parameter_have_different_outcomes(parameter):
    values = [getattr(STANDARD, parameter), *others(STANDARD, parameter)]
    found = [repr(outcomes(parameter, sound(STANDARD, **{parameter: value}))) for value in values]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("name", presets())
def test_changing_a_parameter_of_a_preset_changes_an_outcome(name, parameter):
    rules = load(name)
    idle = IDLE.get(parameter)
    for value in others(rules, parameter):
        changed = sound(rules, **{parameter: value})
        if changed is None or (idle and idle(rules) and idle(changed)):
            continue
        assert outcomes(parameter, changed) != outcomes(parameter, rules), (name, parameter, value)
