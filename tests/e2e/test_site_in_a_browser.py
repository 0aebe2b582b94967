"""The site in a real browser: phone and desktop, light and dark, both languages; nothing refused, nothing cut off."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, Request, sync_playwright

from guandan_arena.services import matches
from guandan_arena.web import create_app
from tests.machine import chromium_program
from tests.site import finished_night

pytestmark = pytest.mark.needs("browser:chromium")

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[tuple[str, list[str]]]:
    ports, event = finished_night(tmp_path_factory.mktemp("site"))
    match = matches.browse(ports, event_id=event.id)[0]
    table = matches.get(ports, match_id=match.id).tables[0]
    paths = [
        "/",
        "/ladder",
        "/events",
        f"/events/{event.id}",
        "/bots/bot-1",
        "/matches",
        f"/matches/{match.id}",
        f"/matches/{match.id}/logs",
    ]
    server = uvicorn.Server(uvicorn.Config(create_app(ports), port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}", [*paths, f"/replays/{table.id}?n=40", f"/replays/{table.id}?n=40&seat=1"]
    server.should_exit = True
    thread.join()
    ports.store.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_program(), args=SWITCHES)
        yield chromium
        chromium.close()


def refused(request: Request) -> bool:
    """Whether a request failed, and was not only given up because the reader went on."""
    return request.failure != "net::ERR_ABORTED"


def watched(page: Page) -> list[str]:
    """Collect everything the browser complains about."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url) if refused(request) else None)
    return complaints


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_pages_fit_the_screen_and_the_browser_has_no_complaint(browser: Browser, site, size, scheme, locale):
    base, paths = site
    context = browser.new_context(viewport=size, color_scheme=scheme, locale=locale)
    page = context.new_page()
    complaints = watched(page)
    for path in paths:
        page.goto(base + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.locator("html").get_attribute("lang") == ("zh-CN" if locale == "zh-CN" else "en")
        if folder := os.environ.get("SCREENSHOTS"):
            name = (
                f"{path.strip('/').replace('/', '-').replace('?', '-') or 'home'}-{size['width']}-{scheme}-{locale}.png"
            )
            page.screenshot(path=Path(folder) / name, full_page=True)
    context.close()
    assert not complaints


def test_a_reader_walks_from_the_ladder_to_a_move_by_keyboard_and_links(browser: Browser, site):
    base, _ = site
    page = browser.new_page(viewport=DESKTOP, locale="en-GB")
    page.goto(base)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.get_by_role("link", name="Events", exact=True).click()
    page.locator("tbody th a").first.click()
    page.locator("tbody th a[href^='/matches/']").first.click()
    page.get_by_role("link", name="watch").first.click()
    page.get_by_role("link", name="Next", exact=True).click()
    page.get_by_role("link", name="Next", exact=True).click()
    assert "n=3" in page.url
    assert page.locator("li[aria-current=step]").count() == 1
    page.close()


def test_the_switches_for_language_and_colour_are_remembered(browser: Browser, site):
    base, _ = site
    page = browser.new_context(color_scheme="light", locale="en-GB").new_page()
    page.goto(base + "/ladder")
    page.get_by_role("button", name="中文").click()
    assert page.get_by_role("heading", level=1).text_content() == "天梯"
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="明 / 暗").click()
    page.goto(base + "/events")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.context.close()
