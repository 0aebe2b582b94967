"""One page: a template and its data, rendered for people as HTML or for programs as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from guandan_arena.web.languages import LANGUAGES, catalogue, html_lang, language_of
from guandan_arena.web.wording import FILTERS

MAX_PAGE_SIZE: Final = 200


@dataclass(frozen=True, slots=True)
class Page:
    """``data`` is what JSON shows; ``extra`` is only for the template."""

    template: str
    data: Mapping[str, Any]
    extra: Mapping[str, Any] | None = None


Rendering: TypeAlias = Callable[[Request, Page], Response]


@cache
def _templates(language: str) -> Environment:
    environment = Environment(
        loader=PackageLoader("guandan_arena.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        extensions=["jinja2.ext.i18n"],
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.install_gettext_translations(catalogue(language), newstyle=True)  # type: ignore[attr-defined]
    environment.filters.update(FILTERS)
    environment.filters["when"] = _when
    environment.globals["language"] = language
    return environment


def _when(at_ms: int | None) -> str:
    return "–" if at_ms is None else datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def render_html(request: Request, page: Page, *, status: int = 200) -> Response:
    """Fill the page's template in the reader's language."""
    language = language_of(request)
    query = f"?{request.url.query}" if request.url.query else ""
    text = (
        _templates(language)
        .get_template(page.template)
        .render(
            **page.data,
            **(page.extra or {}),
            request=request,
            url_for=request.app.url_path_for,
            languages=LANGUAGES,
            html_lang=html_lang(language),
            here=request.url.path + query,
            json_url="/api/v1" + request.url.path.rstrip("/") + query,
        )
    )
    return HTMLResponse(text, status_code=status, headers={"content-language": html_lang(language), "vary": "cookie"})


def render_json(_request: Request, page: Page) -> Response:
    """Show the page's data as JSON, in English and with sorted keys."""
    text = json.dumps(_plain(page.data), ensure_ascii=False, sort_keys=True, indent=1)
    return Response(text + "\n", media_type="application/json")


def _plain(value: Any) -> Any:
    """Return dataclasses as objects, bytes as hex, enums as their values and mappings with text keys."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a list that is shown."""

    limit: int
    offset: int


def window(request: Request, *, size: int = 50) -> Window:
    """Read ``limit`` and ``offset`` from the query; anything that is not a sensible number counts as absent."""
    return Window(
        limit=_number(request, "limit", low=1, high=MAX_PAGE_SIZE, default=size),
        offset=_number(request, "offset", low=0, high=10**9, default=0),
    )


def _number(request: Request, key: str, *, low: int, high: int, default: int) -> int:
    text = request.query_params.get(key, "")
    return min(max(int(text), low), high) if text.isascii() and text.isdigit() and len(text) < 12 else default
