"""Outputs that several systems gave alike: asked about once, and counted for each of them."""

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import evenhand
from evenhand.cli.main import main
from evenhand.design.assignment import assign
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store, make_app
from evenhand.web.downloads import AnswerTables
from evenhand.web.findings import find
from evenhand.web.store import judging, people
from stored_campaigns import fill, judge_next

SYSTEMS = ("A", "B", "C")
WORTH = {"A": 2.0, "B": 0.5, "C": -1.0}
TABLES = {"pair": "comparisons", "rank": "rankings", "rating": "ratings"}
EQUAL = 8  # Items of 24 on which B is as A; on one more all three are alike


def make(kind: str, **design: Any) -> dict[str, Any]:
    items = []
    for at in range(24):
        outputs = {one: f"{one} {at}" for one in SYSTEMS}
        if at % 3 == 0:
            outputs["B"] = outputs["A"]
        if at == 5:
            outputs = dict.fromkeys(SYSTEMS, "the same")
        items.append({"item": str(at), "outputs": outputs})
    told = {"name": "c", "seed": 7, "judges": [f"j{at}" for at in range(9)], "items": items}
    more = {"n": 3} if kind == "rank" else {}
    return {
        **told,
        "design": {"judges_per_item": 3, **design},
        "tasks": [{"kind": kind, "name": "t", **more}],
    }


def say(systems: tuple[str, ...], luck: random.Random) -> dict[str, Any]:
    if len(systems) == 1:
        return {"score": round(50 + 10 * WORTH[systems[0]]) + luck.randint(-9, 9)}
    drawn = {one: WORTH[one] + luck.gauss(0, 1.5) for one in systems}
    if len(systems) == 2:
        return {"outcome": "left" if drawn[systems[0]] > drawn[systems[1]] else "right"}
    order = sorted(systems, key=lambda one: -drawn[one])
    return {"ranks": [order.index(one) + 1 for one in systems]}


def judge_all(store: Store, kind: str) -> int:
    """Answer everything; return how many answers were given."""
    luck, n = random.Random(3), 0
    for at in range(9):
        while (served := store.do(judging.serve, f"j{at}")) is not None:
            systems = served.ticket.systems
            answer = say(systems, luck)
            if kind == "rank" and "outcome" in answer:
                left = answer["outcome"] == "left"
                answer = {"ranks": [1, 2] if left else [2, 1]}
            judge_next(store, f"j{at}", answer)
            n += 1
    return n


@pytest.fixture(params=TABLES)
def judged(request: pytest.FixtureRequest, store: Store) -> tuple[Store, str, int]:
    fill(store, make_campaign(make(request.param)))
    return store, request.param, judge_all(store, request.param)


def download(store: Store, name: str) -> str:
    with TestClient(make_app(Site(store))) as client:
        admin = store.do(people.replace_link, "admin").token
        return client.get(f"/a/{admin}/download/{name}.csv").text


def test_nobody_is_shown_two_equal_texts_and_every_answer_is_one_row_or_ranking(
    judged: tuple[Store, str, int], tmp_path: Path
) -> None:
    store, kind, n = judged
    # 15 items of three texts, 8 of two, 1 of one, by three judges each
    expected = {"pair": 15 * 3 + 8, "rank": 15 + 8, "rating": 15 * 3 + 8 * 2 + 1}[kind] * 3
    assert n == expected
    rows = list(csv.DictReader(download(store, TABLES[kind]).splitlines()))
    assert len({row["ticket"] for row in rows}) == n
    if kind != "rank":
        assert len(rows) == n
    named = Counter(
        row[side] for row in rows for side in ("left", "right", "system") if side in row
    )
    assert named["A+B"] == EQUAL * 3
    assert named["A+B+C"] == (3 if kind == "rating" else 0)
    assert {row["system_separator"] for row in rows} == {"+"}


def test_readers_count_an_answer_for_each_system_and_as_one_judgment(
    judged: tuple[Store, str, int], tmp_path: Path
) -> None:
    store, kind, n = judged
    path = tmp_path / f"{TABLES[kind]}.csv"
    path.write_text(download(store, TABLES[kind]), encoding="utf-8")
    data: Any = evenhand.read(path)
    ranking: Any = evenhand.rank(data)
    rows = {row["system"]: row for row in ranking.rows()}
    assert set(rows) == {*SYSTEMS}
    if kind == "rating":
        # an output of each system on 24 items, by three judges
        assert {row["ratings"] for row in rows.values()} == {24 * 3}
        return
    tally = data.comparisons().tally() if kind == "rank" else data.tally()
    assert tally.n_judgments == n
    # A and B met on 15 items, A and C on 23, B and C on 23, and nobody was asked of equal ones
    assert tally.n_comparisons == (15 + 23 + 23) * 3
    wins = {name: row["wins"] + row["losses"] for name, row in rows.items()}
    assert wins == {"A": 38 * 3, "B": 38 * 3, "C": 46 * 3}
    assert "ranking" in data.columns
    alone: Any = evenhand.rank(data, cluster="judgment")
    assert "by ranking" in alone.signature


@pytest.mark.parametrize("kind", ["pair", "rank"])
def test_on_the_board_an_answer_is_one_vote(store: Store, kind: str) -> None:
    fill(store, make_campaign(make(kind)))
    n = judge_all(store, kind)
    with TestClient(make_app(Site(store))) as client:
        admin = store.do(people.replace_link, "admin").token
        board = client.get(f"/a/{admin}/board.json").json()["passes"][0]["board"]
    votes = [one["wins"] + one["ties"] + one["losses"] for one in board["standings"]]
    assert sum(votes) == 2 * n
    assert min(votes) > n / 3  # B has its share of those on equal outputs


def test_a_policy_asks_about_no_equal_pair(store: Store) -> None:
    design = {"policy": "random", "judgments": 90, "judges_per_item": 3}
    fill(store, make_campaign(make("pair", **design)))
    assert judge_all(store, "pair") == 90
    for row in csv.DictReader(download(store, "comparisons").splitlines()):
        assert not {*row["left"].split("+")} & {*row["right"].split("+")}


def run(*words: str) -> str:
    ran = CliRunner().invoke(main, [*words])
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def test_judges_are_compared_by_their_answers_alone(
    judged: tuple[Store, str, int], tmp_path: Path
) -> None:
    store, kind, _ = judged
    path, other = tmp_path / f"{TABLES[kind]}.csv", tmp_path / "other.csv"
    path.write_text(download(store, TABLES[kind]), encoding="utf-8")
    units = {"pair": 15 * 3 + 8, "rank": 15 * 3 + 8, "rating": 15 * 3 + 8 * 2 + 1}[kind]
    assert f" of {units} output" in str(evenhand.measure_agreement(path))
    found = find(AnswerTables(store))
    screening = found.panels[TABLES[kind]].screening
    assert screening is not None
    cards = {one.judge: one.n for one in screening.cards}
    assert sum(cards.values()) == {"pair": 159, "rank": 69, "rating": 186}[kind]
    verb: Any = json.loads(run("judges", str(path), "--json"))
    assert {one["judge"]: one["n"] for one in verb["screening"]["cards"]} == cards
    assert "inflated" not in run("report", str(path), "--json")
    right: Any = evenhand.rank(path)
    assert {one.system: one.value for one in found.orders["t"].rows} == pytest.approx(
        {row["system"]: row["estimate"] for row in right.rows()}
    )
    run("convert", str(path), "-o", str(other))
    assert evenhand.rank(other).to_dict()["systems"] == right.to_dict()["systems"]


def test_controls_with_equal_outputs_are_asked_and_a_sign_is_in_no_name() -> None:
    told = make("pair", controls=1)
    told["items"] += [{"item": "c", "outputs": {"A": "x", "B": "x"}, "expected": "tie"}]
    campaign = make_campaign(told)
    of_control = {"item": "d", "outputs": {"A": "x", "worse+": "y"}, "expected": "A"}
    assert make_campaign(told | {"items": [*told["items"], of_control]}).separator == "|"
    mine = [one for one in assign(campaign) if one.judge == "j0" and one.kind == "control"]
    (one,) = {ticket.systems for ticket in mine}
    assert set(one) == {"A", "B"}
    assert campaign.separator == "+"
    plus = {"A": "A+", "B": "B|", "C": "C"}
    for item in told["items"]:
        item["outputs"] = {plus[name]: text for name, text in item["outputs"].items()}
    assert make_campaign(told | {"items": told["items"][:-1]}).separator == "&"


def test_marked_errors_count_for_each_system_in_both_tables(store: Store, tmp_path: Path) -> None:
    fill(store, make_campaign(make("spans")))
    for at in range(9):
        while (served := store.do(judging.serve, f"j{at}")) is not None:
            ends = {"start": 0, "end": 1, "severity": "minor"}
            n = 1 + SYSTEMS.index(served.ticket.systems[0])
            judge_next(store, f"j{at}", {"spans": [ends] * n, "score": 90 - n})
    found = []
    for name in ("ratings", "spans"):
        path = tmp_path / f"{name}.csv"
        path.write_text(download(store, name), encoding="utf-8")
        found.append([(one["system"], one["ratings"]) for one in evenhand.rank(path).rows()])
    assert found[0] == found[1] == [(one, 24 * 3) for one in SYSTEMS]
