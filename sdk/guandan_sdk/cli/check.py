"""``guandan check``: a bot through the stages of a server's check, in the same sandbox with the same limits."""

from __future__ import annotations

import os
import secrets
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from guandan_sdk.cli.output import Format, FormatOption, say
from guandan_sdk.cli.rules import rules_named
from guandan_sdk.errors import CheckUnavailable

if TYPE_CHECKING:
    from guandan_runner.checking import Report, StageEnd
    from guandan_runner.results import BotFiles
    from guandan_runner.sandbox import Choice, Policy
    from guandan_sdk.cli.check_report import Shown


def check(
    path: Annotated[Path, typer.Argument(help="The bot's folder, or a .zip or .tar.gz of it.")],
    boards: Annotated[int, typer.Option("--boards", "-n", min=1, help="How many boards against greedy.")] = 20,
    seed: Annotated[int | None, typer.Option(help="Same seed, same moves as `guandan play BOT greedy`.")] = None,
    rules: Annotated[str, typer.Option(help="Rule set of the boards.")] = "standard",
    sandbox: Annotated[
        Literal["auto", "docker", "bubblewrap", "process"],
        typer.Option(help="Where the bot runs: the strongest that works here, or the one named."),
    ] = "auto",
    wheels: Annotated[Path | None, typer.Option(help="Folder of wheels for the bot's dependencies.")] = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Check a bot as the arena will before it plays for rating; exit 1 when a stage fails.

    Stages: unpacked, static, started, conformity (every kind of request and combo), boards, limits. The sandbox, its
    limits and the clocks are those of a server; what was not the same is said. Needs the extra
    `check` of guandan-sdk.

    Example: guandan check mybot --seed 7
    """
    _installed()
    from guandan_sdk.archive import pack  # noqa: PLC0415
    from guandan_sdk.cli.check_report import write  # noqa: PLC0415

    _, data = pack(path)
    drawn = secrets.randbelow(1_000_000) if seed is None else seed
    choice, policy = _sandbox(sandbox)
    with closing(choice.sandbox):
        say(choice.statement)
        say(f"seed {drawn}")
        report = _checked(data, path, choice, policy, wheels, boards=boards, seed=drawn, rules=rules)
    write(report, path=path, seed=drawn, choice=choice, style=style)
    if not report.passed:
        raise typer.Exit(1)


def _installed() -> None:
    """Refuse where the extra that checks was not installed."""
    if find_spec("guandan_runner") is None or find_spec("docker") is None:
        raise CheckUnavailable(
            "checking plays in the server's sandboxes, which are not installed",
            "pip install guandan-sdk[check]",
        )


def _checked(
    data: bytes,
    path: Path,
    choice: Choice,
    policy: Policy,
    wheels: Path | None,
    *,
    boards: int,
    seed: int,
    rules: str,
) -> Report:
    """Unpack a bot into a folder of its own and go through the stages, shown as they end."""
    from guandan_sdk.cli.check_report import Shown  # noqa: PLC0415

    with TemporaryDirectory(prefix=f"ga-{os.getpid()}-") as name, Shown() as shown:
        folder = Path(name)
        folder.chmod(0o755)
        bot, first = _unpacked(data, folder / "bot", choice, policy, wheels)
        shown.ended(first)
        if bot is None:
            return _only(first, path, choice)
        return _played(bot, first, choice, policy, shown, boards=boards, seed=seed, rules=rules)


def _cache() -> Path:
    """Return where runtime roots are kept between checks."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "guandan" / "runtime"


def _sandbox(wanted: str) -> tuple[Choice, Policy]:
    """Choose a sandbox under the policy that ships with the runner, which is a server's too."""
    from guandan_runner.errors import SandboxUnavailable  # noqa: PLC0415
    from guandan_runner.sandbox import choose, load_policy  # noqa: PLC0415

    policy = load_policy()
    try:
        return choose(wanted=wanted, production=False, cache=_cache(), policy=policy), policy
    except SandboxUnavailable as error:
        raise CheckUnavailable(
            f"no sandbox to play in: {error}", "guandan check PATH --sandbox auto takes the strongest that works"
        ) from error


def _unpacked(
    data: bytes, folder: Path, choice: Choice, policy: Policy, wheels: Path | None
) -> tuple[BotFiles | None, StageEnd]:
    """Unpack and build the bot, with the root of its runtime unless it plays as an ordinary process."""
    from guandan_runner.checking import unpacked  # noqa: PLC0415
    from guandan_runner.errors import InfrastructureFault, RuntimeNotBuilt  # noqa: PLC0415
    from guandan_runner.sandbox.roots import Roots  # noqa: PLC0415

    roots = None if choice.sandbox.kind == "process" else Roots(_cache(), wheels=wheels)
    try:
        return unpacked(data, folder, policy=policy, roots=roots, wheels=wheels)
    except RuntimeNotBuilt as error:
        hint = "check it on a machine that has this runtime, or write another runtime in bot.toml"
        raise CheckUnavailable(str(error), hint) from error
    except InfrastructureFault as error:
        raise CheckUnavailable(str(error), "this is no fault of the bot; try again") from error


def _only(first: StageEnd, path: Path, choice: Choice) -> Report:
    """Report a bot that could not even be unpacked."""
    from guandan_runner.checking import Report  # noqa: PLC0415

    return Report(path.resolve().name, "", choice.sandbox.kind, (first,))


def _played(
    bot: BotFiles,
    first: StageEnd,
    choice: Choice,
    policy: Policy,
    shown: Shown,
    *,
    boards: int,
    seed: int,
    rules: str,
) -> Report:
    """Go through the other stages, on the boards that ``guandan play`` deals from this seed."""
    from guandan_proto.manifest import MANIFEST, parse_manifest  # noqa: PLC0415
    from guandan_runner.checking import CheckSpec, run_check  # noqa: PLC0415
    from guandan_runner.errors import RunnerError  # noqa: PLC0415
    from guandan_sdk.local import secret_of  # noqa: PLC0415

    batch = parse_manifest((bot.folder / MANIFEST).read_bytes()).batch
    spec = CheckSpec(bot=bot, rules=rules_named(rules), secret=secret_of(seed), boards=boards, batch=batch)
    try:
        return run_check(spec, sandbox=choice.sandbox, policy=policy, progress=shown, before=(first,))
    except RunnerError as error:
        raise CheckUnavailable(
            f"the check itself failed, which says nothing of the bot: {error}", "try again, or with another --sandbox"
        ) from error
