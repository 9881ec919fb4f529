"""Sixty hostile texts in every place that takes a text: what holds them, shows them, sends them."""

import csv
import io
import json
import math
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from unicodedata import category
from urllib.parse import quote, unquote

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from attacks import ATTACKS
from browsers import run_site
from evenhand.cli.main import main
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import DIRECTIONS, LONGEST_NAME, is_text, say_bad_name
from evenhand.errors import EvenhandError
from evenhand.web import Limits, Site, Store, make_app
from evenhand.web.app import make_public_app
from evenhand.web.downloads import FORMULA, open_download
from evenhand.web.store import people
from judge_pages import settle
from stored_campaigns import fill, judge_next, list_judgments, make_pairs
from watched_pages import check_width, watch

TEXTS: Final = [one for one in ATTACKS.values() if is_text(one)]
NAMES: Final = [one for one in TEXTS if not say_bad_name(one)]
SHORT: Final = [one for one in TEXTS if len(one) < 200]
SYSTEMS, JUDGES = NAMES[:12], NAMES[12:18]
PER_ITEM: Final = 5
"""Texts of an item: what stands beside it, and two outputs."""


def plan(**places: Any) -> Campaign:
    """A small campaign with hostile texts in places of its file."""
    item = {"item": "1", "outputs": {"A": "one", "B": "two"}, **places.pop("row", {})}
    task = {"kind": "pair", "name": "better", **places.pop("task", {})}
    score = {"kind": "rating", "name": "good", **places.pop("score", {})}
    told = {"name": "n", "judges": ["j"], "tasks": [task, score], "items": [item]}
    return make_campaign({**told, **places})


PLACES: Final = {
    "a text": lambda text: plan(row={"source": text, "context": text, "reference": text}),
    "an output": lambda text: plan(row={"outputs": {"A": text, "B": "two"}}),
    "a system": lambda text: plan(row={"outputs": {text: "one", "B": "two"}}),
    "an item": lambda text: plan(row={"item": text, "document": text, "group": text}),
    "a judge": lambda text: plan(judges=[text]),
    "a title": lambda text: plan(title=text, consent=text, thanks=text),
    "a pass": lambda text: plan(task={"name": text}),
    "a question": lambda text: plan(task={"question": text, "instructions": text}),
    "a criterion": lambda text: plan(score={"criterion": text}),
    "a label": lambda text: plan(score={"low_label": text, "high_label": text}),
    "a language": lambda text: plan(texts={"output": text}),
    "a setting": lambda text: plan(**{text or "x": 1}),
}


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
def test_a_campaign_takes_a_text_as_it_stands_or_refuses_it_in_one_line(text: str) -> None:
    for place, make in PLACES.items():
        try:
            made = make(text)
        except EvenhandError as refusal:
            said = str(refusal)
            assert len(said) < len(text) + 500, place
            assert place not in ("a text", "an output", "a title", "a label") or not is_text(text)
            continue
        assert make_campaign(json.loads(json.dumps(made.to_dict()))) == made, place
        named = place in ("a system", "an item", "a judge", "a pass")
        longest = math.inf if place == "an item" else LONGEST_NAME
        assert not named or not say_bad_name(text, longest), place


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A campaign with hostile texts everywhere, of which all but the first judge answered all."""
    items = []
    for n, at in enumerate(range(0, len(TEXTS), PER_ITEM)):
        words = (TEXTS[at : at + PER_ITEM] + TEXTS)[:PER_ITEM]
        beside = dict(zip(("source", "reference", "context"), words, strict=False))
        one, two = SYSTEMS[n % len(SYSTEMS)], SYSTEMS[(n + 1) % len(SYSTEMS)]
        outputs = {one: words[3], two: words[4]}
        items.append({"item": NAMES[n], "document": NAMES[-1], **beside, "outputs": outputs})
    script, style, markdown = (ATTACKS[one] for one in ("script", "style", "markdown link"))
    address = f"https://example.org/{'a' * 120}"  # which no line holds
    pair = {"kind": "pair", "name": NAMES[0], "comment": True, "differences": True}
    scale = {"kind": "rating", "name": NAMES[2], "low_label": script, "high_label": style + address}
    told = {
        "name": NAMES[1],
        "title": script,
        "consent": style + script + " " + address,
        "thanks": script,
    }
    said: dict[str, Any] = {"shows": ["source", "reference", "context"]}
    said |= {"question": script + style, "instructions": f"{script}\n\n{markdown} {address}"}
    campaign = make_campaign(
        {
            **told,
            "judges": JUDGES,
            "tasks": [{**pair, **said}, {**scale, **said}],
            "items": items,
            "design": {"judges_per_item": len(JUDGES), "equal_outputs": "ask"},
        }
    )
    with Store.open(str(tmp_path_factory.mktemp("evil") / "c.db")) as opened:
        fill(opened, campaign)
        comments = iter(TEXTS * 2)
        for judge in JUDGES[1:]:
            opened.do(people.consent, judge)
            opened.do(people.describe, judge, SHORT[JUDGES.index(judge)])
            for n in range(len(items)):
                words = next(comments)[:5_000]
                judge_next(opened, judge, {"outcome": ("left", "right")[n % 2], "comment": words})
            for n in range(2 * len(items)):
                judge_next(opened, judge, {"score": 37 * n % 101})
        opened.revoke(JUDGES[-1])  # a seat is free, and may be named in a form
        yield opened


def test_tables_and_the_log_hold_comments_as_one_cell_and_one_line_each(store: Store) -> None:
    stored = [one for one in store.records() if one.kind == "judgment"]
    said = [one.comment for one in stored if one.answer and "outcome" in one.answer]
    text = b"".join(open_download(store, "comparisons.csv") or ()).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == len(said)
    assert {len(one) for one in rows} == {len(rows[0])}
    risky = [one for one in said if one.lstrip().startswith(FORMULA)]
    assert len(risky) >= 7
    found = sorted(one["comment"] for one in rows)
    assert found == sorted(f"'{one}" if one in risky else one for one in said)
    lines = b"".join(open_download(store, "log.jsonl") or ()).decode().split("\n")
    assert lines.pop() == ""
    records = [json.loads(one) for one in lines]
    assert len(records) == store.head().number
    assert sum("comment" in json.dumps(one) for one in records) >= len(said)
    for name in ("pay.csv", "invitations.csv"):
        text = b"".join(open_download(store, name) or ()).decode()
        for row in csv.DictReader(io.StringIO(text, newline="")):
            for column in ("note", "name", "email", "worker"):
                assert not (row.get(column) or "").lstrip().startswith(FORMULA)


def test_a_worker_whose_name_is_a_formula_has_an_apostrophe_in_the_pay_table(
    tmp_path: Path,
) -> None:
    with Store.open(str(tmp_path / "c.db")) as opened:
        opened.launch(make_pairs(judges=3))
        for worker in ("@SUM", "-1+2", "ann"):
            opened.do(
                lambda tx, who=worker: people.enrol(tx, "other", who, str(people.draw_token()))
            )
        text = b"".join(open_download(opened, "pay.csv") or ()).decode()
    found = {one["worker"] for one in csv.DictReader(text.splitlines())}
    assert found == {"'@SUM", "'-1+2", "ann"}


class Elements(HTMLParser):
    """Elements of a page that an attack made."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.made: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if ("class", "evil") in attrs or any(name.startswith("on") for name, _ in attrs):
            self.made.append(tag)


def test_no_page_of_a_refusal_is_made_of_what_was_asked_for(store: Store) -> None:
    """Also where it stands in the path, the query or the body."""
    assert Elements(ATTACKS["image"]).made == ["img"]
    site = Site(store, limits=Limits(burst=10_000))
    with TestClient(make_app(site), raise_server_exceptions=False) as client:
        admin = store.do(people.replace_link, "admin").token
        for text in SHORT:
            for path in (
                "/a/{}/download/",
                "/a/{}/export/",
                "/static/",
                "/a/{}/export/arena?pass=",
            ):
                told = client.get(
                    path.format(admin) + quote(text, safe="/"), headers={"accept": "text/html"}
                )
                assert told.status_code in (200, 404, 405, 409, 422), (path, text)
                assert told.status_code == 200 or Elements(told.text).made == []
            told = client.post(f"/a/{admin}/do", json={"what": "link", "judge": f"{text}?"})
            assert told.status_code in (404, 409, 422)
            assert told.headers["content-type"] == "application/json"


def test_a_judge_sees_texts_as_they_stand_and_answers_all(
    browser: Any, store: Store, tmp_path: Path
) -> None:
    token = store.invite(JUDGES[0]).token
    n = len(store.campaign.items)
    with run_site(Site(store)) as address, watch(browser, f"{address}/j/{token}") as page:
        page.wait_for_selector("h1:has-text('Before you begin')")
        assert ATTACKS["style"] + ATTACKS["script"] in page.inner_text(".prose")
        check_width(page)
        page.keyboard.press("Enter")
        seen = []
        for place in range(1, n + 1):
            settle(page, f"{place} of {3 * n}")
            assert page.text_content("#question") == ATTACKS["script"] + ATTACKS["style"]
            seen += page.locator(".words").all_text_contents()
            check_width(page)
            page.keyboard.press("d")
            assert page.locator(".output .words").all_text_contents() == seen[-2:]
            page.fill("#comment", seen[-1])
            page.keyboard.press("Escape")
            page.click(".choice.left")
            page.click(".send")
        settle(page, f"{n + 1} of {3 * n}")
        assert ATTACKS["style"] in page.text_content("#answer")
        check_width(page)
    assert {*TEXTS} <= {*seen}
    mine = [one for one in store.records() if one.kind == "judgment" and one.judge == JUDGES[0]]
    assert len(mine) == n


def test_the_organiser_sees_names_comments_and_findings_as_they_stand(
    browser: Any, store: Store
) -> None:
    admin = store.do(people.replace_link, "admin").token
    with run_site(Site(store)) as address, watch(browser, f"{address}/a/{admin}") as page:
        page.wait_for_selector("#found .board")
        assert page.text_content("h1") == ATTACKS["script"]
        assert {*page.locator("#found .board").first.locator("tbody th").all_text_contents()} == {
            *SYSTEMS[: len(store.campaign.systems)]
        }
        names = page.locator(".people tbody th > bdi").all_text_contents()
        assert sorted(names) == sorted(JUDGES)
        for part in ("comments", "promises"):
            page.click(f"[data-load={part}] summary")
            page.wait_for_selector(f"[data-load={part}] :is(.comments, .promises)")
        check_width(page)
        comments = page.locator(".comments .prose").all_text_contents()
        stored = {one.comment for one in list_judgments(store) if one.comment}
        assert {one.replace("\r\n", "\n").replace("\r", "\n") for one in stored} == {*comments}
        page.click("details[data-key=outside] summary")
        for one in page.locator(".offers a").all():
            assert page.request.get(f"{address}{one.get_attribute('href')}").status in (200, 422)
        page.click(".acts summary >> nth=1")
        page.on("dialog", lambda _: None)


def test_what_turns_a_text_around_turns_nothing_beside_it(browser: Any, store: Store) -> None:
    """A comment is a paragraph, a note an isolate: what stands behind them keeps its place."""
    admin = store.do(people.replace_link, "admin").token
    judge = JUDGES[1]
    note = f"Ann {ATTACKS['override']}"
    store.do(people.describe, judge, note)
    with run_site(Site(store)) as address, watch(browser, f"{address}/a/{admin}") as page:
        page.wait_for_selector("#found .board")
        places = page.evaluate(
            """() => [...document.querySelectorAll(".people tr[data-judge] .who bdi")].map((one) =>
              getComputedStyle(one).unicodeBidi)"""
        )
        assert {*places} == {"isolate"}
        page.click("[data-load=comments] summary")
        page.wait_for_selector(".comments")
        kinds = page.evaluate(
            """() => [...document.querySelectorAll(".comments p.prose")].map((one) =>
              getComputedStyle(one).display)"""
        )
        assert {*kinds} == {"block"}
        besides = page.evaluate(
            """() => [...document.querySelectorAll(".comments p.hint")].map((one) =>
              [...one.childNodes].filter((it) => it.nodeName !== "BDI").map((it) =>
                it.textContent).join("").trim())"""
        )
        assert {*besides} == {", , item : ,"}  # every name is an isolate


@pytest.mark.slow
def test_the_public_board_and_the_report_show_names_as_they_stand(
    browser: Any, store: Store, tmp_path: Path
) -> None:
    with (
        run_site(Site(store), make_public_app) as address,
        watch(browser, f"{address}/") as page,
    ):
        assert page.text_content("h1") == ATTACKS["script"]
        names = page.locator(".board").first.locator("tbody th").all_text_contents()
        assert {*names} == {*SYSTEMS[: len(store.campaign.systems)]}
    table, report = tmp_path / "comparisons.csv", tmp_path / "report.html"
    table.write_bytes(b"".join(open_download(store, "comparisons.csv") or ()))
    done = CliRunner().invoke(main, ["report", str(table), "-o", str(report)])
    assert done.exit_code == 0, done.output
    with watch(browser, report.as_uri()) as page:
        text = page.text_content("body")
        assert [one for one in store.campaign.systems if one not in text] == []


SAFE: Final = frozenset("\n")


def test_a_terminal_is_sent_no_character_that_moves_or_hides(store: Store, tmp_path: Path) -> None:
    store.checkpoint()
    table = tmp_path / "evil.csv"
    rows = [("judge", "item", "left", "right", "outcome")]
    wild = [one for one in ATTACKS.values() if is_text(one) and len(one) < 200 and one.strip()]
    for n, one in enumerate(wild):
        rows += [(f"j{n % 3}", str(n), one, "B", ("left", "right")[n % 2])]
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    where = str(store.engine.url.database)
    commands = [
        ["rank", where, "--task", NAMES[0]],
        ["check", where],
        ["judges", where, "--from", "comparisons"],
        ["watch", where, "--task", NAMES[0]],
        ["rank", str(table)],
        ["inspect", str(table)],
        ["judges", str(table)],
    ]
    for words in commands:
        done = CliRunner().invoke(main, words)
        assert done.exit_code in (0, 2), done.output
        odd = {one for one in done.output if category(one) in ("Cc", "Zl", "Zp")} - SAFE
        assert odd | (DIRECTIONS & {*done.output}) == set(), words


def test_a_pass_of_any_name_is_exported_under_a_name_without_a_path(tmp_path: Path) -> None:
    names = [ATTACKS[one] for one in ("path", "shell", "sql", "attribute", "data address")]
    tasks = [{"kind": "pair", "name": one} for one in names]
    items = [{"item": "1", "outputs": {"A": "one", "B": "two"}}]
    with Store.open(str(tmp_path / "c.db")) as opened:
        fill(opened, make_campaign({"name": "n", "judges": ["j"], "tasks": tasks, "items": items}))
        for _ in names:
            judge_next(opened, "j")
        link = f"/a/{opened.do(people.replace_link, 'admin').token}/export/arena"
        with TestClient(make_app(Site(opened))) as client:
            for one in names:
                reply = client.get(link, params={"pass": one})
                assert reply.status_code == 200
                assert len(reply.text.splitlines()) == 1
                said = unquote(reply.headers["content-disposition"].partition("''")[2])
                assert {"/", "\\", '"', ";"}.isdisjoint(said)
                assert not said.startswith(".")
                assert said.isprintable()
