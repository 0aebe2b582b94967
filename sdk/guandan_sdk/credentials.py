"""Where tokens are kept: one file that only its owner can read."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from guandan_sdk.errors import InvalidInput

DEFAULT_SERVER = "localhost:7654"


@dataclass(frozen=True, slots=True)
class Login:
    """A server and the token for it; the token is empty when there is none."""

    server: str
    token: str = ""


def credentials_file() -> Path:
    """Return the file: ``GUANDAN_CREDENTIALS``, else in the user's configuration folder."""
    if named := os.environ.get("GUANDAN_CREDENTIALS"):
        return Path(named)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "guandan" / "credentials.json"


def current(server: str | None = None) -> Login:
    """Return the server to use and its token: options first, then the environment, then the file."""
    stored = _read()
    chosen = server or os.environ.get("GUANDAN_SERVER") or stored.default or DEFAULT_SERVER
    token = os.environ.get("GUANDAN_TOKEN") or stored.tokens.get(chosen, "")
    return Login(chosen, token)


def keep(login: Login) -> Path:
    """Store a token and make its server the default."""
    stored = _read()
    stored.default = login.server
    stored.tokens[login.server] = login.token
    path = credentials_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(stored), file, indent=2)
    fresh.replace(path)
    return path


@dataclass(slots=True)
class _Stored:
    """What the file holds: the server to use by default, and a token for each server."""

    default: str
    tokens: dict[str, str]


def _read() -> _Stored:
    path = credentials_file()
    try:
        data = json.loads(path.read_text("utf-8"))
        return _Stored(str(data["default"]), {str(k): str(v) for k, v in data["tokens"].items()})
    except FileNotFoundError:
        return _Stored("", {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"cannot read {path}: {error}", "remove it and log in again: guandan login") from None
