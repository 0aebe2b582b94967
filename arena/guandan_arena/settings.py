"""Everything an operator may set: read once, from a TOML file and then the environment; contradictions are refused."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

from guandan_arena.errors import InvalidArgument
from guandan_engine.board import longest_ms
from guandan_engine.clock import Clocks
from guandan_engine.errors import InvalidRules
from guandan_runner.runtimes import InvalidRuntimes, Runtime, load_runtimes

SANDBOXES: Final = ("auto", "docker", "bubblewrap", "process")
_LOOPBACK: Final = ("localhost", "127.0.0.1")
_HIGHEST_PORT: Final = 65_535
_CONFIG: Final = "GUANDAN_CONFIG"
_SHORT: Final = {"database_url": "DATABASE_URL", "redis_url": "REDIS_URL"}
_TOO_LONG: Final = "a match of {0.night_boards} boards may take {1} ms with these clocks, more than {0.match_limit_ms}"
_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Settings:
    """One value per key; a key ``x`` is ``GUANDAN_X`` in the environment and ``x`` in the TOML file.

    ``database_url`` and ``redis_url`` are also read from ``DATABASE_URL`` and ``REDIS_URL``. None means embedded:
    SQLite and Valkey inside ``data_dir``.
    """

    data_dir: Path = Path("var/arena")
    database_url: str | None = None
    redis_url: str | None = None
    blobs_dir: Path | None = None
    host: str = "127.0.0.1"
    grpc_port: int = 0
    web_port: int = 0
    public_url: str = ""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    open_registration: bool = True
    registrations_per_hour: int = 60
    submissions_per_hour: int = 30
    bots_per_account: int = 20
    active_per_account: int = 10
    token_days: int = 365
    archive_max_bytes: int = 50 * 1024 * 1024
    unpacked_max_bytes: int = 200 * 1024 * 1024
    unpacked_max_files: int = 5_000
    image_max_bytes: int = 200 * 1024 * 1024
    image_max_files: int = 20_000
    runtimes_file: Path | None = None
    wheels_dir: Path | None = None
    unpacked_keep_days: int = 7
    unpacked_keep_bytes: int = 8 * 1024 * 1024 * 1024
    check_boards: int = 1
    night_rounds: int = 4
    night_boards: int = 4
    night_rules: str = "standard"
    night_hour_utc: int | None = None
    clock_connect_ms: int = 10_000
    clock_move_ms: int = 1_000
    clock_bank_ms: int = 10_000
    clock_increment_ms: int = 100
    lease_ms: int = 30_000
    lease_renew_ms: int = 10_000
    reap_ms: int = 15_000
    requeue_ms: int = 60_000
    match_attempts: int = 5
    match_limit_ms: int = 9_000_000
    sandbox: str = "auto"
    sandbox_policy: Path | None = None
    sandbox_accepts_gaps: bool = False
    production: bool = False
    remote_host: str = ""
    remote_ports: str = ""
    workers: int = 2
    remote_workers: int = 1
    start_wait_ms: int = 20_000

    def __post_init__(self) -> None:
        for keys, reason in _contradictions(self):
            raise InvalidArgument("bad_settings", f"{' and '.join(keys)}: {reason}", "correct one of them")
        try:
            load_runtimes(self.runtimes_file)
        except InvalidRuntimes as error:
            raise InvalidArgument("bad_settings", f"runtimes_file: {error}", "correct the file") from error

    @property
    def clocks(self) -> Clocks:
        """Return the clocks of checks, and of nights when nobody says otherwise."""
        return Clocks(self.clock_connect_ms, self.clock_move_ms, self.clock_bank_ms, self.clock_increment_ms)

    @property
    def runtimes(self) -> Mapping[str, Runtime]:
        """Return the runtimes that versions may name."""
        return load_runtimes(self.runtimes_file)

    @property
    def door_ports(self) -> range:
        """Return the ports at which workers let remote bots in; none when there are no remote bots here."""
        return _ports(self.remote_ports) or range(0)

    @property
    def wheel_folder(self) -> Path:
        """Return where the operator puts wheels for bots."""
        return self.wheels_dir or self.data_dir / "wheels"

    @property
    def store_url(self) -> str:
        """Return the SQLAlchemy URL in force."""
        return self.database_url or f"sqlite:///{(self.data_dir / 'arena.db').resolve()}"

    @property
    def broker_url(self) -> str:
        """Return the redis-py URL in force."""
        return self.redis_url or f"unix://{self.valkey_socket}?db=0"

    @property
    def valkey_socket(self) -> Path:
        """Return where the embedded Valkey listens: in the data folder, or under /tmp when that path is too long.

        A socket's path has at most 107 bytes; the folder under /tmp is named by the data folder, so that all
        processes find the same one.
        """
        socket = (self.data_dir / "valkey" / "v.sock").resolve()
        if len(os.fsencode(socket)) <= 100:
            return socket
        name = sha256(os.fsencode(socket)).hexdigest()[:16]
        return Path(f"/tmp/guandan-{os.getuid()}-{name}/v.sock")  # noqa: S108 - its folder is made 0700 and checked

    @property
    def blob_folder(self) -> Path:
        """Return where blobs are kept."""
        return self.blobs_dir or self.data_dir / "blobs"


def read(environ: Mapping[str, str]) -> Settings:
    """Return the settings of the TOML file that ``GUANDAN_CONFIG`` names, if any, overridden by the environment.

    Raises InvalidArgument naming the key, or both keys when two contradict.
    """
    values = _from_file(Path(environ[_CONFIG])) if environ.get(_CONFIG) else {}
    for key in _TYPES:
        long, short = f"GUANDAN_{key.upper()}", _SHORT.get(key, "")
        given = {name: environ[name] for name in (long, short) if environ.get(name)}
        if len(set(given.values())) > 1:
            raise InvalidArgument("bad_settings", f"{long} and {short} are both set and differ", "keep one of them")
        for name, text in given.items():
            values[key] = _parsed(name, key, text)
    return Settings(**values)


def _contradictions(s: Settings) -> list[tuple[tuple[str, ...], str]]:
    """Return the keys that cannot stand as they are, or not together, with the reason."""
    least_one = (
        "check_boards",
        "unpacked_keep_days",
        "night_rounds",
        "night_boards",
        "match_attempts",
        "token_days",
        "lease_renew_ms",
        "reap_ms",
        "remote_workers",
    )
    checks = [
        (("lease_renew_ms", "lease_ms"), s.lease_renew_ms * 2 > s.lease_ms, "a lease must outlive one missed renewal"),
        (("tls_cert", "tls_key"), (s.tls_cert is None) != (s.tls_key is None), "TLS needs both"),
        (("production", "sandbox"), s.production and s.sandbox == "process", "processes are no sandbox in production"),
        (("grpc_port", "web_port"), s.grpc_port == s.web_port != 0, "two servers cannot share a port"),
        (("match_limit_ms", "clock_connect_ms"), s.match_limit_ms <= s.clock_connect_ms, "no time is left to play"),
        (("clock_move_ms", "clock_bank_ms"), s.clock_move_ms + s.clock_bank_ms <= 0, "no time is left to think"),
        (("unpacked_max_bytes", "archive_max_bytes"), s.unpacked_max_bytes < s.archive_max_bytes, "it is the smaller"),
        (("remote_host", "remote_ports"), bool(s.remote_host) != bool(s.remote_ports), "remote bots need both"),
        (("remote_ports",), _ports(s.remote_ports) is None, f"{s.remote_ports!r} is not a range such as 7300-7309"),
        (
            ("remote_workers", "remote_ports"),
            0 < len(_ports(s.remote_ports) or ()) < s.remote_workers,
            "each game of remote bots takes a port of its own",
        ),
        (
            ("remote_host", "host", "tls_cert"),
            bool(s.remote_host) and not {s.remote_host, s.host} <= set(_LOOPBACK) and s.tls_cert is None,
            "tickets are not sent over a network without TLS",
        ),
        (("sandbox",), s.sandbox not in SANDBOXES, f"{s.sandbox!r} is none of {', '.join(SANDBOXES)}"),
        (("night_hour_utc",), s.night_hour_utc not in (None, *range(24)), "an hour is 0 to 23"),
        (("night_boards", "match_limit_ms"), s.match_limit_ms < _longest_ms(s), _TOO_LONG.format(s, _longest_ms(s))),
        *(((key,), getattr(s, key) < 1, "must be at least 1") for key in least_one),
        *(((key,), (getattr(s, key) or 0) < 0, "must not be negative") for key, kind in _TYPES.items() if kind is int),
    ]
    return [(keys, reason) for keys, wrong, reason in checks if wrong]


def _ports(text: str) -> range | None:
    """Return the ports of a range such as 7300-7309, none of an empty one; None when it is not one."""
    if not text:
        return range(0)
    first, dash, last = text.partition("-")
    if not (dash and first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        return None
    ports = range(int(first), int(last) + 1)
    return ports if ports and ports[0] > 0 and ports[-1] <= _HIGHEST_PORT else None


def _longest_ms(s: Settings) -> int:
    """Return how long a match of a night may take; 0 for clocks that are refused themselves."""
    try:
        return longest_ms(s.clocks, s.night_boards)
    except InvalidRules:
        return 0


def _from_file(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgument("bad_settings", f"{_CONFIG}: {path} cannot be read: {error}", "correct it") from error
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _TYPES:
            raise InvalidArgument("bad_settings", f"{path}: {key} is no setting", f"settings: {', '.join(_TYPES)}")
        wanted = str if _TYPES[key] is Path else _TYPES[key]
        if type(value) is not wanted:
            raise InvalidArgument("bad_settings", f"{path}: {key} = {value!r} is not {wanted.__name__}", "correct it")
        values[key] = _TYPES[key](value)
    return values


def _parsed(name: str, key: str, text: str) -> object:
    """Read an environment variable as its setting's type."""
    kind = _TYPES[key]
    if kind is bool and text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    if kind is int and text.lstrip("-").isascii() and text.lstrip("-").isdigit():
        return int(text)
    if kind in (bool, int):
        raise InvalidArgument("bad_settings", f"{name} = {text!r} is not {kind.__name__}", "correct it")
    return kind(text)


def _type_of(hint: Any) -> type[Any]:
    """Return the type of a setting, without its None."""
    kind: type[Any] = next((arg for arg in get_args(hint) if arg is not type(None)), hint)
    return kind


_TYPES: Final = {f.name: _type_of(get_type_hints(Settings)[f.name]) for f in fields(Settings)}
