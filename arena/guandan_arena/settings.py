"""Everything an operator may set: read once, from a TOML file and then the environment; contradictions are refused."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path


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
    token_days: int = 365
    archive_max_bytes: int = 50 * 1024 * 1024
    unpacked_max_bytes: int = 200 * 1024 * 1024
    unpacked_max_files: int = 5_000
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
    match_limit_ms: int = 600_000
    sandbox: str = "auto"
    production: bool = False
    workers: int = 2
    start_wait_ms: int = 20_000

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
