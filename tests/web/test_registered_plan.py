"""The plan of a gate that a campaign registered: it cannot be changed after the votes."""

import json
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import evenhand
from evenhand.cli import serve
from evenhand.cli.main import main
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign, read_campaign
from evenhand.errors import CampaignError, InvalidJudgments, UnknownOption
from evenhand.web import Site, Store
from evenhand.web.app import make_app, make_public_app
from evenhand.web.downloads import open_download
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import Reply
from evenhand.web.store.queries import MoveCount
from followed_campaigns import judge_some, make
from stored_campaigns import invite_all, judge_next, list_judgments, take

PLAN = 'new = "B"\nold = "C"\nmargin = 0.05\n'
DIGEST = sha256(PLAN.encode()).hexdigest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the plan of the campaign is."""
    return tmp_path / "gate.toml"


def begin(store: Store, path: Path, plan: str = PLAN, campaign: Campaign | None = None) -> None:
    """Write a plan, and launch a campaign with it."""
    path.write_text(plan, encoding="utf-8")
    store.launch(campaign or make(items=8), plan=plan)
    invite_all(store)


def make_pairs(n: int, systems: Sequence[str], **design: int) -> Campaign:
    """A campaign of pairs that six judges see; item n has an output of each system."""
    items = [
        {"item": f"{at}", "outputs": {one: f"{one}{at}" for one in systems[at % len(systems)]}}
        for at in range(n)
    ]
    told = {"name": "c", "judges": [f"j{at}" for at in range(6)], "items": items}
    told |= {"tasks": [{"kind": "pair", "name": "t"}]}
    return make_campaign({**told, "design": {"judges_per_item": 6, **design}})


def test_it_stands_in_the_first_record_and_is_no_longer_changed(store: Store, path: Path) -> None:
    begin(store, path)
    assert store.plan == PLAN
    assert check_store(store, store.head()).holds
    assert not store.launch(store.campaign, plan=PLAN)
    assert not store.launch(store.campaign)
    with pytest.raises(CampaignError, match="another plan of a gate"):
        store.launch(store.campaign, plan=PLAN.replace("0.05", "0.2"))


def test_a_gate_by_another_plan_is_refused(store: Store, where: str, path: Path) -> None:
    begin(store, path)
    judge_some(store, 60)
    assert evenhand.gate(where, plan=path).plan_sha256 == DIGEST
    path.write_text(PLAN.replace("0.05", "0.2"), encoding="utf-8")
    with pytest.raises(InvalidJudgments, match=f"{DIGEST} was registered when the campaign began"):
        evenhand.gate(where, plan=path)


def test_a_gate_without_the_registered_plan_is_refused(
    store: Store, where: str, path: Path
) -> None:
    begin(store, path)
    judge_some(store, 60)
    for asked in ([], ["--new", "A", "--old", "C", "--margin", ".2"]):
        told = CliRunner().invoke(main, ["gate", where, *asked])
        assert told.exit_code == 2
        said = " ".join(told.stderr.split())
        assert f"a plan with SHA-256 {DIGEST} was registered when the campaign began" in said
        assert "give that file (--plan FILE" in said


def prefer_b(store: Store, judge: str, *, better: bool = True) -> None:
    ticket = take(store, judge).ticket
    left = ticket.systems[0] == min(ticket.systems)
    judge_next(store, judge, {"outcome": "left" if left == better else "right"})


def end(store: Store, path: Path) -> None:
    """Let all answers be given: by three judges to 24 pairs."""
    begin(store, path, PLAN.replace("0.05", "0.2"))
    for turn in range(72):
        prefer_b(store, f"j{turn % 3}", better=turn % 5 > 0)


def test_answers_deleted_after_the_end_leave_it_exploratory(
    store: Store, where: str, path: Path
) -> None:
    end(store, path)
    found = evenhand.gate(where, plan=path)
    assert not found.unplanned
    store.forget("j2", answers=True)
    store.invite("j3", seat="j2")
    for _ in range(24):
        prefer_b(store, "j3")
    found = evenhand.gate(where, plan=path)
    assert found.unplanned == ("24 answers deleted, or changed after all had been given",)
    assert (found.decision, found.exit_code) == ("undecided", 3)
    with TestClient(make_public_app(Site(store))) as client:
        board = client.get("/board.json").json()["plan"]["decision"]
    assert board["answer"] == list(found.says)


def test_answers_revised_after_the_end_leave_it_exploratory(
    store: Store, where: str, path: Path
) -> None:
    end(store, path)
    first = next(one for one in list_judgments(store) if one.judge == "j1")
    assert first.ticket is not None
    reply = Reply("j1", first.ticket.number, {"outcome": "tie"}, "again", replaces=first.number)
    store.do(judging.append, reply)
    found = evenhand.gate(where, plan=path)
    assert found.unplanned == ("1 answer deleted, or changed after all had been given",)
    assert found.says[0] == "Exploratory, so that nothing is decided by the plan."


def test_moved_answers_are_counted_in_one_reading(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever counts again reads new records alone, and finds what one reading of all finds."""
    end(store, path)
    read, take_one = list[int](), MoveCount.take

    def count_reads(moves: MoveCount, row: Any) -> None:
        read.append(row.number)
        take_one(moves, row)

    monkeypatch.setattr(MoveCount, "take", count_reads)
    moves = MoveCount()
    with store.reading() as connection:
        assert moves.catch_up(connection) == 0
    assert len(read) == len({*read}) == 72
    for judge in ("j1", "j2"):
        first = next(one for one in list_judgments(store) if one.judge == judge)
        assert first.ticket is not None
        said = {"outcome": "tie"}
        reply = Reply(judge, first.ticket.number, said, f"again {judge}", replaces=first.number)
        store.do(judging.append, reply)
        read.clear()
        with store.reading() as connection:
            found = moves.catch_up(connection)
            assert len(read) == 1
            assert found == MoveCount().catch_up(connection)
    audited = MoveCount()
    assert check_store(store, moves=audited).holds
    assert audited.count() == moves.count() == 2


def test_the_head_of_the_log_is_printed_so_that_a_cut_shows(
    store: Store, where: str, path: Path
) -> None:
    end(store, path)
    told = CliRunner().invoke(main, ["gate", where, "--plan", str(path), "--json"])
    (said,) = (one for one in json.loads(told.stdout)["findings"] if one["code"] == "log")
    assert said["values"]["head"] == str(store.head())
    lines = [f"{one.write()}\n" for one in store.lines()]
    log = path.with_name("log.jsonl")
    log.write_text("".join(lines[:-1]), encoding="utf-8")
    for head, code in (([], 0), (["--head", said["values"]["head"]], 2)):
        assert CliRunner().invoke(main, ["check", str(log), *head]).exit_code == code


def test_answers_deleted_before_the_end_leave_it_exploratory_too(
    store: Store, where: str, path: Path
) -> None:
    begin(store, path)
    for turn in range(60):
        prefer_b(store, f"j{turn % 3}")
    store.forget("j2", answers=True)
    store.invite("j3", seat="j2")
    for judge, n in (("j0", 4), ("j1", 4), ("j3", 24)):
        for _ in range(n):
            prefer_b(store, judge)
    (said,) = evenhand.gate(where, plan=path).unplanned
    assert said == "20 answers deleted, or changed after all had been given"


def test_a_log_that_was_changed_decides_nothing(store: Store, where: str, path: Path) -> None:
    end(store, path)
    with closing(sqlite3.connect(where)) as file, file:
        file.execute("update tickets set record = null, state = 2 where number = 5")
    told = CliRunner().invoke(main, ["gate", where, "--plan", str(path)])
    assert told.exit_code == 2
    assert "is not what was written, so that its answers say nothing" in " ".join(
        told.stderr.split()
    )


@pytest.mark.parametrize("anytime", [False, True])
def test_before_the_end_nothing_is_decided(
    store: Store, where: str, path: Path, *, anytime: bool
) -> None:
    """Three judges see each of three pairs of eight items: 72 answers."""
    plan = PLAN + "anytime = true\n" * anytime
    begin(store, path, plan)
    judge_some(store, 60)
    early = "not decided yet: the plan decides once, at the end, and 12 answers are to come."
    found = evenhand.gate(where, plan=path)
    assert (early in found.says[0]) == (not anytime)
    assert anytime or (found.exit_code, found.comparisons[0].decision) == (3, "undecided")
    judge_some(store, 12)
    assert early not in evenhand.gate(where, plan=path).says[0]


def test_answers_of_a_judge_who_was_revoked_are_still_to_come(
    store: Store, where: str, path: Path
) -> None:
    """Who could end a plan by revoking judges could end it where it passes."""
    begin(store, path)
    judge_some(store, 66)
    store.revoke("j1")
    for judge in ("j0", "j2") * 2:
        judge_next(store, judge, {"outcome": "left"})
    (said,) = evenhand.gate(where, plan=path).says
    assert "2 answers are to come, 2 of them at free seats: invite judges to these." in said
    store.invite("j3", seat="j1")
    (said,) = evenhand.gate(where, plan=path).says
    assert said.endswith("and 2 answers are to come.")
    for _ in range(2):
        judge_next(store, "j3", {"outcome": "left"})
    assert "to come" not in evenhand.gate(where, plan=path).says[0]


@pytest.mark.parametrize("anytime", [False, True])
def test_the_board_decides_when_the_plan_says(
    store: Store, where: str, path: Path, *, anytime: bool
) -> None:
    plan = PLAN + "anytime = true\n" * anytime
    begin(store, path, plan)
    with TestClient(make_public_app(Site(store))) as client:
        judge_some(store, 60)
        told = client.get("/board.json").json()["plan"]
        assert (told["new"], told["old"], told["margin"]) == (["B"], "C", 0.05)
        assert told["sha256"] == sha256(plan.encode()).hexdigest()
        page = client.get("/").text
        assert told["says"] in page
        assert f'<code class="head">{told["sha256"]}</code>' in page
        assert (told["decision"] is not None) == anytime
    judge_some(store, 12)  # none remain
    with TestClient(make_public_app(Site(store))) as client:
        board = client.get("/board.json").json()
    found = evenhand.gate(where, plan=path).to_dict()
    assert board["remaining"] == 0
    for key in ("decision", "answer", "comparisons"):
        assert board["plan"]["decision"][key] == found[key]


def test_the_board_counts_a_judge_once_at_any_time(store: Store, where: str, path: Path) -> None:
    """Six judges see three pairs twice, and answer them the other way round the second time."""
    begin(store, path, PLAN + "anytime = true\n", make_pairs(6, ["ABC"], repeats=3, lag=3))
    luck = random.Random(5)
    for turn in range(126):
        ticket = take(store, f"j{turn % 6}").ticket
        better = ticket.systems[0] < ticket.systems[1]
        turned = ticket.kind == "repeat" or luck.random() < 0.2
        judge_next(store, f"j{turn % 6}", {"outcome": "left" if better != turned else "right"})
    found = evenhand.gate(where, plan=path).to_dict()
    assert found["comparisons"][0]["judgments"] == 36
    with TestClient(make_public_app(Site(store))) as client:
        board = client.get("/board.json").json()
    assert board["plan"]["decision"]["comparisons"] == found["comparisons"]
    assert board["plan"]["decision"]["decision"] == found["decision"]


RATED = """
name = "c"
judges = 3
[[tasks]]
name = "fluency"
kind = "rating"
[[items]]
item = "1"
[items.outputs]
A = "a"
B = "b"
"""
PAIRS = RATED.replace('kind = "rating"', 'kind = "pair"')


@pytest.mark.parametrize(
    ("campaign", "plan", "says"),
    [
        (PAIRS, "margin = 0.7", "margin cannot be 0.7: of comparisons it is below .5"),
        (PAIRS, 'margin = 0.1\nbetter = "lower"', "criterion and better are of ratings"),
        (PAIRS, 'margin = 0.1\ncriterion = "fluency"', "criterion and better are of ratings"),
        (PAIRS, 'margin = 0.1\ngroup_by = "language"', "no groups by 'language'"),
        (PAIRS, 'margin = 0.1\ncluster = "ranking"', "cluster cannot be 'ranking'"),
        (PAIRS, 'margin = 0.1\ncluster = "document"', "cluster cannot be 'document'"),
        (PAIRS, "alpha = 0.05", "does not state margin"),
        (RATED, "margin = 2\nanytime = true", "an anytime decision needs comparisons"),
        (RATED, 'margin = 2\ncriterion = "adequacy"', "no criterion 'adequacy'"),
        (RATED, 'margin = 2\ngroup_by = "task"', "no groups by 'task'"),
    ],
)
def test_serve_refuses_a_plan_that_no_answers_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, campaign: str, plan: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.toml").write_text(campaign, encoding="utf-8")
    Path("gate.toml").write_text(f'new = "B"\nold = "A"\n{plan}\n', encoding="utf-8")
    told = CliRunner().invoke(main, ["serve", "c.toml", "--port", "0", "--plan", "gate.toml"])
    said = " ".join(told.stderr.split())
    assert told.exit_code == 2
    assert f"'gate.toml'{' ' if 'state' in says else ': '}" in said
    assert says in said
    assert not Path("c.db").exists()


def test_a_copy_of_the_answers_says_that_the_plan_is_not_in_it(
    store: Store, where: str, path: Path
) -> None:
    begin(store, path)
    judge_some(store, 9)
    votes = path.with_name("votes.csv")
    told = CliRunner().invoke(main, ["convert", where, "-o", str(votes)])
    assert told.exit_code == 0
    said = "".join(told.stderr.split())
    assert f"SHA-256{DIGEST},whichthecampaignregistered" in said
    head = json.loads(b"".join(open_download(store, "head.json") or ()))
    assert head["plan_sha256"] == DIGEST


def test_the_board_decides_nothing_by_other_systems(store: Store, path: Path) -> None:
    """B and C stand beside A each, and never beside each other."""
    begin(store, path, campaign=make_pairs(16, ["AB", "AC"]))
    luck = random.Random(3)
    for turn in range(96):
        judge_next(store, f"j{turn % 6}", {"outcome": luck.choice(["left", "right"])})
    with TestClient(make_public_app(Site(store))) as client:
        decision = client.get("/board.json").json()["plan"]["decision"]
    assert decision["decision"] == "undecided"
    assert decision["answer"] == [
        "B and C were never compared with each other; collect comparisons of these two"
    ]


def test_watch_and_the_organiser_see_it(store: Store, where: str, path: Path) -> None:
    begin(store, path)
    said = " ".join(CliRunner().invoke(main, ["watch", where]).stdout.split())
    assert "plan B may replace C if it passes a gate with margin 0.05" in said
    assert DIGEST in said
    with TestClient(make_app(Site(store))) as client:
        page = client.get(f"/a/{store.do(people.replace_link, 'admin').token}").text
    assert (
        "registered before the first answer: B may replace C if it passes a gate with margin 0.05"
        in page
    )
    assert DIGEST in page


@pytest.mark.parametrize(
    ("campaign", "plan"),
    [
        (PAIRS, 'margin = 0.1\ngroup_by = "task"\ncluster = "judge+item"\nanytime = true'),
        (RATED, 'margin = 2\ncriterion = "fluency"\nbetter = "higher"\ngroup_by = "item"'),
    ],
)
def test_serve_takes_a_plan_that_answers_decide(tmp_path: Path, campaign: str, plan: str) -> None:
    (tmp_path / "c.toml").write_text(campaign, encoding="utf-8")
    path = tmp_path / "gate.toml"
    path.write_text(f'new = "B"\nold = "A"\n{plan}\n', encoding="utf-8")
    planned = read_campaign(tmp_path / "c.toml")
    assert serve._read_plan(str(path), planned) == path.read_text(encoding="utf-8")
    path.write_text(f'new = "C"\nold = "A"\n{plan}\n', encoding="utf-8")
    with pytest.raises(UnknownOption, match="the campaign has no system 'C'"):
        serve._read_plan(str(path), planned)


def test_the_board_decides_by_votes_that_are_all_alike(
    store: Store, where: str, path: Path
) -> None:
    begin(store, path, PLAN.replace("0.05", "0.2"), make_pairs(6, ["BC"]))
    for turn in range(36):
        ticket = take(store, f"j{turn % 6}").ticket
        outcome = "left" if ticket.systems[0] == "B" else "right"
        judge_next(store, f"j{turn % 6}", {"outcome": outcome})
    found = evenhand.gate(where, plan=path).to_dict()
    assert found["decision"] == "passed"
    with TestClient(make_public_app(Site(store))) as client:
        board = client.get("/board.json").json()
    assert board["plan"]["decision"]["comparisons"] == found["comparisons"]
