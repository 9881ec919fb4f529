"""The public board: what it shows, whom it does not name, and that nothing is reached from it."""

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from starlette.routing import Route
from starlette.testclient import TestClient

import evenhand
from browsers import run_site
from evenhand.cli.main import main
from evenhand.design.assignment import assign_llm
from evenhand.design.reading import make_campaign
from evenhand.web import Limits, Site, Store, asking, make_app
from evenhand.web.app import make_public_app
from evenhand.web.dashboard import ReadOnlyClient
from evenhand.web.limits import HEADERS as GUARDED
from evenhand.web.store import people
from evenhand.web.store.judging import Answering, Reply
from followed_campaigns import SYSTEMS, prefer
from served_campaigns import read_links, start
from stored_campaigns import fill, invite_all, judge_next, take
from waiting import LONG, wait_for

JUDGES = [
    f"Zo\N{LATIN SMALL LETTER E WITH DIAERESIS} {word}-77"
    for word in ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine")
]

ITEMS = "item,A,B\n" + "".join(f"{n},a {n},b {n}\n" for n in range(6))


def make(items: int = 24, judges: Sequence[str] = JUDGES) -> Any:
    told = [{"item": str(n), "outputs": {s: f"{s}{n}" for s in SYSTEMS}} for n in range(items)]
    tasks = [{"kind": "pair", "name": "better"}, {"kind": "rating", "name": "good"}]
    planned = {"name": "spring", "title": "Spring board", "judges": judges, "items": told}
    return make_campaign({**planned, "tasks": tasks, "design": {"judges_per_item": 5}})


def judge_on(store: Store, rounds: int, seed: int = 1, judges: Sequence[str] = JUDGES) -> None:
    """Let all judges answer; the first one prefers what the others do not."""
    luck = random.Random(seed)
    for judge in [*judges] * rounds:
        ticket = take(store, judge).ticket
        if len(ticket.systems) == 1:
            score = 40 + 20 * SYSTEMS.index(ticket.systems[0]) + luck.randint(-15, 15)
            said: dict[str, Any] = {"score": score}
        else:
            said = prefer(ticket.systems, luck)
            if judge == judges[0] and said["outcome"] != "tie":
                said = {"outcome": "right" if said["outcome"] == "left" else "left"}
        judge_next(store, judge, said)


@pytest.fixture
def public(store: Store) -> Iterator[TestClient]:
    with TestClient(make_public_app(Site(store)), raise_server_exceptions=False) as opened:
        yield opened


def test_it_ranks_as_rank_does_and_names_the_head(
    public: TestClient, store: Store, where: str
) -> None:
    fill(store, make(items=8))
    judge_on(store, 22)
    board = public.get("/board.json").json()
    page = public.get("/").text
    assert (board["n_judgments"], board["remaining"]) == (220, 20)
    assert board["log_head"] == str(store.head())
    assert board["log_check"] == f"evenhand check log.jsonl --head {store.head()}"
    assert f'<code class="head">{board["log_check"]}</code>' in page
    assert [one["name"] for one in board["passes"]] == ["better", "good"]
    for table, one in zip(("comparisons", "ratings"), board["passes"], strict=True):
        told = evenhand.rank(evenhand.read(where, format=table)).to_dict()
        assert set(one["ranking"]) == set(told)
        for key in ("systems", "pairs", "n_judges", "says", "level", "scale"):
            assert one["ranking"][key] == told[key]
        for row in told["systems"]:
            assert f"<bdi>{row['system']}</bdi>" in page
    live = ReadOnlyClient(where).look().passes[0].board
    assert live is not None
    assert board["passes"][0]["board"]["systems"] == live.to_dict()["systems"]
    assert f"<p>{board['passes'][0]['ranking']['says']}.</p>" in page


def test_no_judge_is_named(public: TestClient, client: TestClient, store: Store) -> None:
    fill(store, make())
    judge_on(store, 30)
    store.revoke(JUDGES[3])
    store.invite("Ivy Quill-88", seat=JUDGES[3], note="Ann Lee")
    judge_next(store, "Ivy Quill-88", {"outcome": "left"})
    model = store.do(asking.invite_llm, asking.LlmJudge("quux-99", "{{ outputs }}"))
    store.do(asking.issue, model, assign_llm(store.campaign)[:12])
    for _ in range(12):
        served = take(store, model)
        facts = {"prompt": asking.LlmJudge("quux-99", "{{ outputs }}").digest, "tokens": [3, 4]}
        reply = Reply(model, served.ticket.number, {"outcome": "left"}, served.key, facts=facts)
        store.do(Answering(reply))
    admin = store.do(people.replace_link, "admin").token
    assert "reversed" in client.get(f"/a/{admin}/findings").text  # a judge is spoken of
    shown = public.get("/").text + public.get("/board.json").text
    excluded = public.get("/board.json").json()["passes"][0]["ranking"]["excluded"]
    assert [(one["code"], one["judges"], one["judge_names"]) for one in excluded] == [
        ("llm-judges", 1, []),
    ]
    for name in (*JUDGES, "Ivy Quill-88", "Ann Lee", "quux-99"):
        assert name in client.get(f"/a/{admin}").text
        assert name not in shown
    assert "-77" not in shown
    assert "-88" not in shown


def test_nothing_of_the_campaign_is_reached_from_it(public: TestClient, store: Store) -> None:
    links = fill(store, make())
    judge_on(store, 1)
    secrets = [*links.values()][:2]
    secrets += [store.do(people.replace_link, role).token for role in ("admin", "crowd")]
    for route in (one for one in make_app(Site(store)).routes if isinstance(one, Route)):
        for token in secrets if "{token}" in route.path else ():
            path = re.sub(r"{(name|kind)}", "log.jsonl", route.path.replace("{token}", token))
            for method in sorted(set(route.methods or ()) - {"HEAD"}):
                told = public.request(method, path, json={"what": "pause"})
                assert (told.status_code, token in told.text) == (404, False)
    for text in (public.get("/").text, public.get("/board.json").text):
        assert not any(token in text for token in secrets)
        assert "/a/" not in text
        assert "/j/" not in text


def test_it_is_made_anew_when_the_dashboard_is(public: TestClient, store: Store) -> None:
    fill(store, make())
    judge_on(store, 3)
    first = public.get("/board.json")
    mark = first.headers["ETag"]
    same = public.get("/board.json", headers={"If-None-Match": mark})
    assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", mark)
    judge_on(store, 2)
    # it rests for a while
    wait_for(lambda: public.get("/board.json").json()["n_judgments"] != 30, every=0.2)
    told = public.get("/board.json").json()
    assert (first.json()["n_judgments"], told["n_judgments"]) == (30, 50)
    assert told["log_head"] == str(store.head())


def read_board(address: str) -> bytes:
    try:
        with urlopen(f"{address}board.json", timeout=LONG) as reply:
            return bytes(reply.read())
    except HTTPError as refusal:  # where other processes take all of the machine for long
        if refusal.code != 503:
            raise
        return refusal.read()


def test_a_process_serves_it_on_an_address_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(ITEMS, encoding="utf-8")
    with start(tmp_path, "items.csv", "--port", "0", "--board", "0") as process:
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith("board"):
            assert line
        address = line.split()[1].rstrip(",")
        assert address.startswith("http://127.0.0.1:")
        wait_for(lambda: b'"n_judgments": 0' in read_board(address))
        for link in read_links(tmp_path / "items.toml").values():
            with pytest.raises(HTTPError, match="404"):
                urlopen(address.rstrip("/") + link.path, timeout=LONG)
            with urlopen(link.geturl(), timeout=LONG) as reply:  # the control
                assert reply.status == 200


def test_whoever_asks_too_often_waits(store: Store) -> None:
    fill(store, make())
    site = Site(store, limits=Limits(per_second=0.001, burst=2))
    with TestClient(make_public_app(site)) as client:
        codes = [client.get("/board.json").status_code for _ in range(3)]
    assert codes == [200, 200, 429]


def test_it_needs_no_script_and_is_guarded_as_other_pages(public: TestClient, store: Store) -> None:
    fill(store, make())
    for path in ("/", "/board.json", "/nothing"):
        told = public.get(path, headers={"accept": "text/html"})
        assert {name: told.headers[name] for name in GUARDED} == GUARDED
        assert "<script" not in told.text
        assert "set-cookie" not in told.headers
    assert public.post("/").status_code == 405
    assert "no judgments yet" in public.get("/").text


def test_it_fits_a_phone(browser: Any, store: Store) -> None:
    store.launch(make(items=8), plan='new = "B"\nold = "A"\nmargin = 0.1\n')
    invite_all(store)
    judge_on(store, 22)
    with run_site(Site(store), make_public_app) as address:
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.on("console", lambda said: said.type != "error" or pytest.fail(said.text))
        page.goto(f"{address}/")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator("table.board tbody tr").count() == 2 * len(SYSTEMS)
        page.close()


@pytest.mark.parametrize("address", ["here", "0.0.0.0:"])
def test_an_address_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    told = CliRunner().invoke(main, ["serve", "items.csv", "--port", "0", "--board", address])
    assert told.exit_code == 2
    assert f"--board {address}: a port, as 8001" in told.stderr
    assert not Path("items.db").exists()
