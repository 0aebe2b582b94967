"""Rule sets as data: the parameters of Guandan, their allowed values, and the presets shipped with the engine."""

from guandan_engine.rules.loading import from_dict, load, parse, preset_text, presets, titles
from guandan_engine.rules.ruleset import RuleSet

__all__ = ["RuleSet", "from_dict", "load", "parse", "preset_text", "presets", "titles"]
