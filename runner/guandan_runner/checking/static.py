"""What can be said of a bot's files without running them: in its sandbox, for reading hostile source is work too."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from concurrent.futures import Executor
from pathlib import Path
from typing import Final

from guandan_engine.conduct import Verdict
from guandan_engine.quoting import quoted
from guandan_runner.checking.hints import HINTS
from guandan_runner.checking.process import started
from guandan_runner.checking.stages import Outcome, Stage, StageEnd
from guandan_runner.results import BotFiles
from guandan_runner.sandbox.seat import Evidence, Sandbox, SeatSpec
from guandan_runner.sandbox.verdict import fault_of

__all__ = ["check_static"]

READING_S: Final = 60.0
PYTHONS: Final = ("python", "python3")
# -P: the bot's folder is looked up last, so that a json.py of its own is not taken for Python's.
PROBE: Final = """
import ast, importlib.util, json, os, sys
script = sys.argv[1]
broken, trees = [], {}
for folder, folders, files in os.walk("."):
    folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "__pycache__")
    for path in (os.path.normpath(os.path.join(folder, f)) for f in sorted(files) if f.endswith(".py")):
        try:
            with open(path, "rb") as file:
                trees[path] = ast.parse(file.read(), path)
            compile(trees[path], path, "exec")
        except Exception as error:
            what = type(error).__name__ + ": " + str(getattr(error, "msg", error))
            broken.append([path[:200], getattr(error, "lineno", 0) or 0, what[:200]])
sys.path.append(os.path.dirname(script) or ".")
wanted = set()
for node in getattr(trees.get(os.path.normpath(script)), "body", ()):
    if isinstance(node, ast.Import):
        wanted.update(alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        wanted.add(node.module.partition(".")[0])
missing = sorted(name for name in wanted if name not in sys.modules and importlib.util.find_spec(name) is None)
print(json.dumps({"broken": broken[:20], "missing": missing[:20]}))
"""


async def check_static(bot: BotFiles, *, sandbox: Sandbox, threads: Executor) -> StageEnd:
    """Compile a Python bot's files and look for the modules its script imports; parse a Node bot's script.

    Of a bot in another language nothing can be said, nor of one in its own image.
    """
    if bot.root is not None and bot.root.brought:
        return StageEnd(Stage.STATIC, Outcome.PASSED)
    command = bot.entry[0]
    if command in PYTHONS:
        evidence = await _read(bot, (command, "-P", "-c", PROBE, _script(bot)), sandbox, threads)
        return _judge_python(bot, evidence)
    if command == "node":
        evidence = await _read(bot, ("node", "--check", bot.entry[1]), sandbox, threads)
        if evidence.exit_code != 0:
            return _failed(f"node cannot parse {quoted(bot.entry[1])}", "run: node --check SCRIPT", evidence.log)
    return StageEnd(Stage.STATIC, Outcome.PASSED)


def _script(bot: BotFiles) -> str:
    """Return the file that a Python bot's entry starts."""
    if bot.entry[1] != "-m":
        return bot.entry[1]
    path = bot.entry[2].replace(".", "/")
    return f"{path}.py" if (bot.folder / f"{path}.py").is_file() else f"{path}/__main__.py"


def _judge_python(bot: BotFiles, evidence: Evidence) -> StageEnd:
    """Judge what the probe has found."""
    try:
        found = json.loads(evidence.log.strip().rpartition("\n")[2])
        broken, missing = found["broken"], found["missing"]
    except (ValueError, KeyError, TypeError):
        verdict = Verdict.MEMORY_EXCEEDED if evidence.memory_exceeded else Verdict.CRASHED
        how = "it took too long" if evidence.killed else fault_of(evidence)[1]
        reason = f"its files could not be read as Python within the limits of a seat: {how}"
        return _failed(reason, HINTS[verdict], evidence.log, verdict)
    if broken:
        path, line, what = broken[0]
        more = f", and {len(broken) - 1} more files" if len(broken) > 1 else ""
        reason = f"{quoted(path)}, line {line}: {quoted(what)}{more}"
        return _failed(reason, f"compile it: python -m py_compile {quoted(path)}")
    if missing:
        names = ", ".join(quoted(name, most=60) for name in missing)
        return _failed(
            f"{quoted(_script(bot))} imports {names}, which neither the bot's folder nor its runtime has",
            "put the module into the folder, name it under dependencies in bot.toml, or choose a runtime that has it",
        )
    return StageEnd(Stage.STATIC, Outcome.PASSED)


def _failed(reason: str, hint: str, log: str = "", verdict: Verdict = Verdict.CRASHED) -> StageEnd:
    return StageEnd(Stage.STATIC, Outcome.FAILED, reason, hint, log, verdict=verdict)


async def _read(bot: BotFiles, entry: tuple[str, ...], sandbox: Sandbox, threads: Executor) -> Evidence:
    """Run the probe where a seat would run, with a socket folder in which nobody listens."""
    folder = Path(tempfile.mkdtemp(prefix=f"ga-{os.getpid()}-"))
    loop = asyncio.get_running_loop()
    try:
        folder.chmod(0o711)
        spec = SeatSpec(f"{folder.name}-probe", bot.folder, entry, folder, bot.root)
        async with started(spec, sandbox=sandbox, threads=threads) as process:
            await loop.run_in_executor(threads, process.wait, READING_S)
            return await loop.run_in_executor(threads, process.end)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
