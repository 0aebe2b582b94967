"""Opening a connection to a server by its address: plain on this machine, TLS everywhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import grpc

from guandan_sdk.errors import InvalidInput

AUTHORITY: Final = "GUANDAN_CA"
"""The variable that names a PEM file of the authorities to trust instead of the public ones."""
_OPTIONS: Final = (("grpc.enable_http_proxy", 0),)
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")


def target_of(server: str) -> tuple[str, bool]:
    """Return the gRPC target of a server address and whether to use TLS.

    ``http://`` and ``unix:`` are plain, ``https://`` is TLS; a bare ``host:port`` is plain only on this machine.
    """
    if server.startswith("unix:"):
        return server, False
    parts = urlsplit(server if "//" in server else f"//{server}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("", "http", "https"):
        raise InvalidInput(f"{server!r} is not a server address", "write host:port, http://host:port or https://host")
    tls = parts.scheme == "https" or (not parts.scheme and host not in _LOCAL)
    name = f"[{host}]" if ":" in host else host
    return f"{name}:{port or (443 if tls else 80)}", tls


def open_channel(server: str, *, ping_ms: int | None = None) -> grpc.Channel:
    """Open a connection to a server; over TLS it is to be vouched for by GUANDAN_CA or the public authorities.

    ``ping_ms``: how often the other side is asked for a sign of life, so that a dead line is known to be dead.
    """
    target, tls = target_of(server)
    options = _OPTIONS if ping_ms is None else (*_OPTIONS, ("grpc.keepalive_time_ms", ping_ms))
    if not tls:
        return grpc.insecure_channel(target, options=options)
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(_authorities()), options=options)


def _authorities() -> bytes | None:
    named = os.environ.get(AUTHORITY, "")
    if not named:
        return None
    try:
        return Path(named).read_bytes()
    except OSError as error:
        reason = f"{AUTHORITY}: {named} cannot be read: {error.strerror}"
        raise InvalidInput(reason, "name a PEM file of certificates, or unset it") from error
