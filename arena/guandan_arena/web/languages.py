"""The two languages of the pages: which one a request wants, and the catalogue that translates into it."""

from __future__ import annotations

import io
from functools import cache
from importlib.resources import files
from typing import Final

from babel import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from starlette.requests import Request

LANGUAGES: Final = {"en": "English", "zh": "中文"}
COOKIE: Final = "lang"
_HTML_LANG: Final = {"en": "en", "zh": "zh-CN"}


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the message catalogue of a language; English is the source and needs none."""
    if language == "en":
        return NullTranslations()
    source = files("guandan_arena.web").joinpath("locale", f"{language}.po").read_bytes()
    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(source), locale=language))
    compiled.seek(0)
    return Translations(compiled)


def language_of(request: Request) -> str:
    """Choose the language: the cookie set by the switch, else the browser's first wish we have, else English."""
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    wishes = [
        part.split(";")[0].strip().split("-")[0] for part in request.headers.get("accept-language", "").split(",")
    ]
    return negotiate_locale([wish for wish in wishes if wish], list(LANGUAGES)) or "en"


def html_lang(language: str) -> str:
    """Return the value of the ``lang`` attribute."""
    return _HTML_LANG[language]
