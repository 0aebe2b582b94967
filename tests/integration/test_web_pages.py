"""The site over real services: what each page says, in both languages, to people, programs and attackers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

import pytest
from babel.messages.extract import extract_from_dir
from starlette.testclient import TestClient

from guandan_arena.ports import Ports
from guandan_arena.services import accounts, checks, matches, versions
from guandan_arena.services.records import Event
from guandan_arena.services.states import StageName
from guandan_arena.web import create_app
from guandan_arena.web.languages import catalogue
from guandan_engine.replay import read
from tests.serving import archive
from tests.site import HOSTILE, finished_night

CHINESE = {"accept-language": "zh-CN,zh;q=0.9"}


@pytest.fixture(scope="module")
def night(tmp_path_factory) -> Iterator[tuple[Ports, Event]]:
    ports, event = finished_night(tmp_path_factory.mktemp("site"))
    yield ports, event
    ports.store.close()


@pytest.fixture
def site(night) -> Iterator[TestClient]:
    with TestClient(create_app(night[0], grpc_address="arena.example:7000"), follow_redirects=False) as client:
        yield client


def paths(night: tuple[Ports, Event]) -> list[str]:
    ports, event = night
    match = matches.browse(ports, event_id=event.id)[0]
    table = matches.get(ports, match_id=match.id).tables[0]
    plain = ["/", "/ladder", "/ladder?all=1", "/events", f"/events/{event.id}", "/bots/bot-1", "/matches"]
    return [*plain, f"/matches/{match.id}", f"/replays/{table.id}", f"/replays/{table.id}?n=40&seat=2"]


def test_every_page_answers_in_both_languages_and_as_json(night, site: TestClient):
    for path in paths(night):
        english, chinese = site.get(path), site.get(path, headers=CHINESE)
        assert (english.status_code, chinese.status_code) == (200, 200), path
        assert '<html lang="en">' in english.text
        assert '<html lang="zh-CN">' in chinese.text
        assert "天梯" in chinese.text
        data = site.get("/api/v1" + path.rstrip("/"))
        assert data.headers["content-type"] == "application/json"
        assert data.json(), path


def test_what_authors_write_is_text_and_never_markup(night, site: TestClient):
    for path in paths(night):
        text = site.get(path).text
        assert HOSTILE not in text, path
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in site.get("/bots/bot-1").text


def test_no_page_may_run_or_embed_anything_foreign(night, site: TestClient):
    for path in paths(night):
        answer = site.get(path)
        assert answer.headers["content-security-policy"].startswith("default-src 'self'")
        assert "style=" not in answer.text, path
        assert "onclick=" not in answer.text, path


def test_the_event_page_shows_commitment_secret_and_standings(night, site: TestClient):
    _, event = night
    text = site.get(f"/events/{event.id}").text
    assert event.commitment in text
    assert event.secret is not None
    assert event.secret.hex() in text
    assert all(f"bot-{i}/1" in text for i in range(4))


def test_a_match_page_says_verdict_and_evidence_in_the_readers_language(night, site: TestClient):
    path = paths(night)[7]
    assert "used more memory than allowed" in site.get(path).text
    assert "内存超过限额" in site.get(path, headers=CHINESE).text


def test_a_loss_is_explained_with_facts_the_next_step_and_a_link_to_the_moment(night, site: TestClient):
    path, replay = paths(night)[7], paths(night)[8]
    text = site.get(path).text
    assert "used up to 268.4 MB of memory" in text
    assert "last heard 38112 ms before the end" in text
    assert "For its author: load less; read what it wrote: guandan logs " in text
    assert f'href="{replay}?n=9"' in text
    assert re.search(r"not played: lost by bot-\d/1, by its fault before", text)
    assert "内存峰值 268.4 MB" in site.get(path, headers=CHINESE).text
    assert site.get(replay + "?n=9").status_code == 200


def test_what_a_bot_wrote_is_harmless_on_the_page_and_in_its_json(night, site: TestClient):
    path = paths(night)[7]
    for text in (site.get(path).text, site.get("/api/v1" + path).text):
        assert not [char for char in ("\x1b", "\u202e") if char in text]
        assert "x1b[2J" in text
    assert "<script>alert" not in site.get(path).text


def test_a_bots_page_shows_its_decision_times_by_what_was_decided(night, site: TestClient):
    text = site.get("/bots/bot-1").text
    assert "of the active version, over its newest 2 matches" in text
    assert "<td>leading</td>" in text
    assert "<td>following</td>" in text
    assert "跟牌" in site.get("/bots/bot-1", headers=CHINESE).text
    assert site.get("/api/v1/bots/bot-1").json()["times"]["matches"] == 2


def test_a_match_page_shows_overhead_apart_from_the_bots_time(night, site: TestClient):
    path = paths(night)[7]
    row = '<td class="num">100</td><td class="num">9000</td><td class="num">8876</td><td class="num">1235</td>'
    assert row in site.get(path).text
    assert "每次决策的开销" in site.get(path, headers=CHINESE).text
    told = site.get("/api/v1" + path).json()["tables"][0]["result"]["pace"]
    assert told == {"decisions": 100, "wall_ns": 9_000_000_000, "thinking_ns": 8_876_500_000}


def test_a_replay_opens_at_any_move_and_hides_other_hands_on_wish(night, site: TestClient):
    path = paths(night)[8]
    first, middle, beyond = site.get(path), site.get(path + "?n=40"), site.get(path + "?n=99999999")
    assert first.text.count("27 cards") == 4
    assert 'id="m40" aria-current="step"' in middle.text
    assert "The table is over." in beyond.text
    assert site.get(path + "?n=40&seat=2").text.count("hidden from this seat") == 3
    assert site.get(path + "?n=nonsense&seat=9").status_code == 200


def test_the_replay_file_is_the_recorded_one(night, site: TestClient):
    _, event = night
    answer = site.get(paths(night)[8] + ".gdr.jsonl")
    assert read(answer.content).header.event == event.id
    assert answer.headers["etag"].strip('"')


@pytest.mark.parametrize("path", ["/events/nope", "/bots/nope", "/matches/nope", "/replays/nope", "/nowhere"])
def test_what_does_not_exist_is_404_with_a_reason(site: TestClient, path: str):
    page, data = site.get(path), site.get("/api/v1" + path)
    assert (page.status_code, data.status_code) == (404, 404)
    assert set(data.json()) == {"code", "reason", "hint"}
    assert data.json()["reason"].replace("'", "&#39;") in page.text or path == "/nowhere"


@pytest.mark.parametrize(
    ("back", "target"),
    [("/ladder", "/ladder"), ("//evil.example", "/"), ("https://evil.example", "/"), ("/\\evil.example", "/")],
)
def test_the_language_switch_stays_on_this_site(site: TestClient, back: str, target: str):
    answer = site.post("/language", data={"lang": "zh", "back": back})
    assert (answer.status_code, answer.headers["location"]) == (303, target)
    assert "天梯" in site.get("/ladder").text


@pytest.mark.parametrize(
    "query", ["limit=-1", "limit=x", "offset=99999999999999999999", "limit=%00", "limit=1&offset=1"]
)
def test_a_window_that_makes_no_sense_is_ignored(site: TestClient, query: str):
    assert site.get(f"/matches?{query}").status_code == 200


def test_health_is_200_while_the_stores_answer(site: TestClient):
    assert site.get("/healthz").text == "ok\n"


def test_every_sentence_of_the_pages_is_translated():
    root = files("guandan_arena.web").joinpath("templates")
    found = list(extract_from_dir(str(root), [("**.html", "jinja2")], {"**.html": {"newstyle": "true"}}))
    chinese = catalogue("zh")
    missing = []
    for _, _, message, _, _ in found:
        single, plural = message if isinstance(message, tuple) else (message, None)
        translated = chinese.ungettext(single, plural, 2) if plural else chinese.ugettext(single)
        if translated in (single, plural):
            missing.append(single)
    assert len(found) > 100
    assert not missing


def test_a_bots_page_tells_where_a_version_stood_and_why_but_nothing_of_its_log(tmp_path):
    ports, _ = finished_night(tmp_path, bots_count=2)
    with ports.store.snapshot() as tx:
        owner = tx.accounts.find("author-0")
    sent = versions.submit(ports, caller=owner, bot="bot-0", archive=archive(readme="again")).version
    claim = checks.claim(ports, version_id=sent.id, worker="w")
    checks.begin(ports, claim, StageName.UNPACKED)
    checks.done(ports, claim, StageName.UNPACKED, log=b"a secret of the author")
    checks.refuse(ports, claim, StageName.BUILT, code="dependency_missing", reason=HOSTILE, hint="no torch\x1b[2J")
    with TestClient(create_app(ports, grpc_address="a:1"), follow_redirects=False) as site:
        text, data = site.get("/bots/bot-0").text, site.get("/api/v1/bots/bot-0")
    ports.store.close()
    assert "built: refused" in " ".join(text.split())
    assert (HOSTILE in text, "&lt;script&gt;" in text, "no torch\\x1b[2J" in text) == (False, True, True)
    found = {stage["name"]: stage for stage in data.json()["stages"][sent.id]}
    assert (found["built"]["state"], found["built"]["code"]) == ("refused", "dependency_missing")
    assert found["unpacked"]["log_digest"] is None
    assert "secret" not in text + data.text


def test_an_owner_reads_its_logs_on_the_page_by_its_token_and_nobody_else_does(night, site: TestClient):
    ports, event = night
    match = matches.browse(ports, event_id=event.id)[0]
    path = f"/matches/{match.id}/logs"
    names = (match.a.owner, "author-0", "author-1", "author-2")
    tokens = {name: accounts.issue_token(ports, account=name, label="test").text for name in names}
    asked = site.get(path)
    assert 'type="password"' in asked.text
    assert "What a bot wrote" in asked.text
    mine = site.post(path, data={"token": tokens[match.a.owner]})
    assert (mine.status_code, mine.headers["cache-control"]) == (200, "no-store")
    assert "&lt;b&gt;my weights&lt;/b&gt; \\x1b[2J\\u202e" in mine.text
    assert "before move 8: I fear a bomb" in mine.text
    assert tokens[match.a.owner] not in mine.text
    stranger = next(name for name in tokens if name not in (match.a.owner, match.b.owner))
    for token, status in ((tokens[stranger], 403), ("nonsense", 401)):
        refused = site.post(path, data={"token": token})
        assert refused.status_code == status
        assert "my weights" not in refused.text
    assert site.post(path, data={"token": "x" * 10_000}).status_code == 413
    assert site.get("/matches/nope/logs").status_code == 404


def test_a_program_reads_its_owners_logs_with_the_token_in_its_header(night, site: TestClient):
    ports, event = night
    match = matches.browse(ports, event_id=event.id)[0]
    token = accounts.issue_token(ports, account=match.a.owner, label="program").text
    path = f"/api/v1/matches/{match.id}/logs"
    told = site.get(path, headers={"authorization": f"Bearer {token}"}).json()
    assert told[0]["notes"] == [{"move": 7, "text": "I fear a bomb"}]
    assert site.get(path).status_code == 401
