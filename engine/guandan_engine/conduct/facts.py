"""Words for the facts that show how a seat's game ended: what was measured, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["FACT_WORDS", "fact_words"]

_BYTES_IN_MB: Final = 1_000_000

# Name of the fact -> (English, Chinese); a fact that is none, or 0 where 0 says nothing, is not told.
FACT_WORDS: Final[dict[str, tuple[str, str]]] = {
    "exit_code": ("exit code {}", "退出码 {}"),
    "signal": ("ended by signal {}", "被信号 {} 终止"),
    "memory_exceeded": ("passed its memory limit", "内存超限"),
    "output_exceeded": ("passed its output limit", "输出超限"),
    "peak_memory_bytes": ("used up to {} MB of memory", "内存峰值 {} MB"),
    "cpu_ms": ("{} ms of processor time", "处理器时间 {} 毫秒"),
    "throttled_ms": ("held back {} ms by its share of the processors", "因处理器配额被限速 {} 毫秒"),
    "silent_ms": ("last heard {} ms before the end", "最后一次消息在结束前 {} 毫秒"),
    "bank_ms": ("{} ms left on its clock", "剩余备用时间 {} 毫秒"),
    "timeouts": ("late {} times", "超时 {} 次"),
    "answered_for": ("the table answered for it {} times", "由裁判代打 {} 次"),
    "refusals": ("{} answers not taken", "{} 次回答未被接受"),
    "streams": ("opened {} streams", "建立连接 {} 次"),
    "stalled_ms": ("the table itself stood still for {} ms, charged to nobody", "牌桌自身停顿 {} 毫秒，不计入用时"),
    "given_up": ("lost the boards that remained", "其余各副判负"),
}
_ZERO_SAYS: Final = frozenset({"exit_code", "silent_ms", "bank_ms", "peak_memory_bytes", "cpu_ms"})


def fact_words(facts: Mapping[str, object], *, chinese: bool = False) -> list[str]:
    """Return the facts that were told, in words, in a fixed order; facts without words are left out."""
    told = [name for name in FACT_WORDS if _says_something(name, facts.get(name))]
    return [FACT_WORDS[name][chinese].format(_shown(name, facts[name])) for name in told]


def _says_something(name: str, value: object) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    return value != 1 if name == "streams" else bool(value) or name in _ZERO_SAYS


def _shown(name: str, value: object) -> object:
    return round(value / _BYTES_IN_MB, 1) if name.endswith("_bytes") and isinstance(value, int) else value
