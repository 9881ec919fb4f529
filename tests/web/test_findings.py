"""What the organiser is told of judgments while they come in."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import evenhand
from evenhand.design.reading import make_campaign
from evenhand.judges.cards import Card, Evidence, Screening
from evenhand.web import Site, Store, make_app
from evenhand.web.downloads import AnswerTables, open_download
from evenhand.web.findings import BOTTOM, LEFT, Findings, Mark, draw_map, find
from evenhand.web.store import judging, people
from evenhand.web.store.database import WriteTransaction
from policy_campaigns import Truth, list_judged, make_chosen, open_campaign
from stored_campaigns import fill, judge_next, reply_to, take

TOLD = {
    "name": "three",
    "judges": ["ann", "ben"],
    "design": {"judges_per_item": 2},
    "tasks": [{"kind": "pair", "name": "better"}, {"kind": "rating", "name": "good"}],
    "items": [{"item": str(n), "outputs": {"A": f"a{n}", "B": f"b{n}"}} for n in range(40)],
}
SYSTEMS = ("A", "B", "C")
MANY = {
    **TOLD,
    "judges": [f"j{n}" for n in range(9)],
    "design": {"judges_per_item": 4},
    "items": [{"item": str(n), "outputs": {s: f"{s}{n}" for s in SYSTEMS}} for n in range(30)],
}
REVERSED = "j4"


def look_at(store: Store) -> Findings:
    return find(AnswerTables(store))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Nine judges, one of whom says the contrary of what the others see; to be read only."""
    luck = random.Random(11)
    with Store.open(str(tmp_path_factory.mktemp("judged") / "c.db")) as store:
        fill(store, make_campaign(MANY))
        for number in range(9):
            sign = -1 if f"j{number}" == REVERSED else 1
            store.do(lambda tx, name=f"j{number}", sign=sign: judge_all(tx, name, sign, luck))
        yield store


def judge_all(tx: WriteTransaction, judge: str, sign: int, luck: random.Random) -> None:
    """Answer all that one judge is asked, in one commit."""
    served = judging.serve(tx, judge)
    while served is not None:
        said = answer(served.ticket.systems, sign, luck)
        served = judging.answer(tx, reply_to(served, said)).next


def answer(systems: tuple[str, ...], sign: int, luck: random.Random) -> dict[str, Any]:
    if len(systems) == 1:
        return {"score": 50 - sign * 15 * SYSTEMS.index(systems[0]) + luck.randint(-8, 8)}
    first = (systems[0] < systems[1]) == (luck.random() < 0.85)
    return {"outcome": "left" if first == (sign > 0) else "right"}


def read_table(store: Store, folder: Path, name: str) -> Any:
    (folder / name).write_bytes(b"".join(open_download(store, name) or ()))
    return evenhand.read(folder / name)


@pytest.mark.parametrize("judgments", [1, 2, 5, 45])
def test_few_judgments_are_refused_in_words_and_never_fail(
    client: TestClient, store: Store, judgments: int
) -> None:
    fill(store, make_campaign(TOLD))
    for _ in range(judgments):
        task = take(store, "ann").ticket.task
        judge_next(store, "ann", {"outcome": "left"} if task == "better" else {"score": 50})
    page = client.get(f"/a/{store.do(people.replace_link, 'admin').token}/findings")
    assert page.status_code == 200
    for panel in look_at(store).panels.values():
        assert panel.why or (panel.screening is not None and not panel.flagged)


def test_the_ranking_without_flagged_judges_is_the_one_of_a_table_without_their_rows(
    judged: Store, tmp_path: Path
) -> None:
    found = look_at(judged)
    assert found.panels["comparisons"].flagged == [REVERSED]
    table = read_table(judged, tmp_path, "comparisons.csv")
    rows = found.orders["better"].rows
    for part, values in (
        (table, {one.system: one.value for one in rows}),
        (table.without(judges=[REVERSED]), {one.system: one.value_without for one in rows}),
    ):
        right: Any = evenhand.rank(part)
        assert values == pytest.approx({row["system"]: row["log_worth"] for row in right.rows()})


@pytest.mark.parametrize("name", ["comparisons", "ratings"])
def test_judges_are_compared_as_in_the_file_that_is_taken_home(
    judged: Store, tmp_path: Path, name: str
) -> None:
    panel = look_at(judged).panels[name]
    right = evenhand.screen_judges(read_table(judged, tmp_path, f"{name}.csv"))
    assert panel.screening is not None
    cards = [
        [(one.judge, one.n, one.flags, one.evidence) for one in screening.cards]
        for screening in (panel.screening, right)
    ]
    assert cards[0] == cards[1]


def test_scores_with_and_without_flagged_judges_are_those_of_rank(
    judged: Store, tmp_path: Path
) -> None:
    found = look_at(judged)
    assert found.panels["ratings"].flagged == [REVERSED]
    table = read_table(judged, tmp_path, "ratings.csv")
    order = found.orders["good"]
    whole, rest = evenhand.rank(table), evenhand.rank(table.without(judges=[REVERSED]))
    for ranking, values in (
        (whole, [(one.system, one.value, one.n) for one in order.rows]),
        (rest, sorted([(one.system, one.value_without) for one in order.rows])),
    ):
        told: Any = ranking
        every = [(row["system"], row["estimate"], row["ratings"]) for row in told.rows()]
        expected = every if told is whole else sorted(row[:2] for row in every)
        assert [row[0] for row in values] == [row[0] for row in expected]
        assert [row[1] for row in values] == pytest.approx([row[1] for row in expected])
    assert order.answer == str(whole.document().answer[0])
    assert [(one.lower, one.upper) for one in order.rows] == [
        (row["lower"], row["upper"]) for row in whole.rows()
    ]


def test_a_flagged_judge_is_told_by_shape_and_word_on_the_map_and_in_the_table(
    judged: Store,
) -> None:
    with TestClient(make_app(Site(judged))) as client:
        page = client.get(f"/a/{judged.do(people.replace_link, 'admin').token}/findings").text
    assert page.count('<path class="mark reversed"') == 2  # by comparisons and by ratings
    assert f">{REVERSED} reversed</text>" in page
    row = page.partition(f'<tr data-judge="{REVERSED}">')[2].partition("</tr>")[0]
    flags = row.partition("<summary>")[2].partition("</summary>")[0]
    assert flags == "<em>reversed, by comparisons</em>; <em>reversed, by ratings</em>"
    assert "agrees in 3 of 25" in row
    assert f'data-judge="{REVERSED}"' in page
    assert "style=" not in page  # the policy of the page lets no style in


HONEST = {"honest": 1.0, "careless": 0.0, "reversed": 0.0}
NO_CARDS = Screening((), 0.05, "ratings", 0, None, "", (), (), "")


def card(judge: str, slope: float, gap: float, *flags: str) -> Card:
    seen = (
        Evidence("others' scores", "", slope, slope - 0.5, slope + 0.5),
        Evidence("severity", "", gap, gap - 1, gap + 1),
    )
    return Card(judge, 40, HONEST, flags, seen)


def draw(*cards: Card, kind: str = "ratings") -> dict[str, Mark]:
    return {one.judge: one for one in draw_map(replace(NO_CARDS, cards=cards, kind=kind)).marks}


def test_no_name_stands_over_another_one_or_outside() -> None:
    """Twelve flagged judges in nearly one place; names are as wide as their letters at least."""
    cards = [card(f"judge-{k:02}", 0.1 + k / 400, k / 50, "careless") for k in range(12)]
    others = [card(f"honest-{k}", 0.1 + k / 100, 0.3 + k / 20) for k in range(4)]
    boxes, marks = [], draw(card("x", 1.5, -4), card("y", -1.5, 4), *others, *cards)
    assert all(one.label for one in marks.values() if one.flags)  # before those who are not
    for one in marks.values():
        if one.label is None:
            continue
        x, y, anchor = one.label
        wide = 6 * len(" ".join((one.judge, *one.flags)))
        left = x if anchor == "start" else x - wide
        boxes.append((left, y - 9, left + wide, y + 1))
        assert left >= LEFT
        assert left + wide <= 360
        assert y >= 9
        assert y <= BOTTOM
    assert len(boxes) < len(marks)  # who has no room is named in the table
    for (a, b, c, d), (e, f, g, h) in combinations(boxes, 2):
        assert c <= e or g <= a or d <= f or h <= b


def test_a_flagged_judge_is_named_beside_the_mark_before_those_who_are_not() -> None:
    near = [card("honest-1", 0.1, 0), card("honest-2", 0.015, 0)]
    marks = draw(card("x", 1.5, -4), card("y", -1.5, 4), *near, card("z", 0.12, 0, "careless"))
    label = marks["z"].label
    assert label is not None
    assert label[1] == pytest.approx(marks["z"].y + 4, abs=0.1)


def collect(store: Store, *, judges: int = 10, random_share: float = 0.4) -> None:
    campaign = make_chosen(
        items=90, judges=judges, judgments=600, judges_per_item=2, random_share=random_share
    )
    open_campaign(store, campaign)
    Truth(3).judge_all(store, [one.name for one in campaign.judges])


def test_judges_are_compared_on_the_rows_that_no_answer_led_to(
    store: Store, tmp_path: Path
) -> None:
    collect(store)
    panel = find(AnswerTables(store)).panels["comparisons"]
    assert panel.screening is not None
    path = tmp_path / "comparisons.csv"
    path.write_bytes(b"".join(open_download(store, "comparisons.csv") or ()))
    rows = path.read_text(encoding="utf-8").splitlines()
    at = rows[0].split(",").index("chosen")
    free = [one for one in rows[1:] if one.split(",")[at] not in ("policy", "narrowed")]
    assert 0 < len(free) < len(rows) - 1
    path.write_text("\n".join([rows[0], *free]), encoding="utf-8")
    right = evenhand.screen_judges(evenhand.read(path))
    told = {card.judge: (card.n, card.flags, card.evidence) for card in panel.screening.cards}
    assert told == {card.judge: (card.n, card.flags, card.evidence) for card in right.cards}
    assert panel.rests.startswith(f"judges are compared on {len(free):,} of {len(rows) - 1:,} ans")


def test_who_follows_the_others_stands_right_and_the_severe_stand_high() -> None:
    drawn = draw(card("ann", 1.0, 0.0), card("ben", -1.0, 0.0), card("cy", 1.0, -3.0))
    assert drawn["ben"].x < drawn["ann"].x == drawn["cy"].x
    assert drawn["cy"].y < drawn["ann"].y  # three points below the others: severe
    assert drawn["cy"].up == 3.0


def test_each_flag_has_a_shape_of_its_own() -> None:
    drawn = draw(
        card("a", 1, 0),
        card("b", 0, 1, "careless"),
        card("c", -1, 0, "reversed"),
        card("d", 1, 2, "coarse"),
        card("e", 0, 2, "careless", "coarse"),
    )
    shapes = [drawn[name].shape for name in "abcde"]
    assert shapes == ["circle", "triangle", "diamond", "square", "triangle"]
    assert drawn["a"].label is not None  # there is room beside it


def test_the_page_says_that_a_policy_runs_and_how_many_pairs_it_chose(
    client: TestClient, store: Store
) -> None:
    collect(store)
    n = Counter(one.chosen or "design" for one in list_judged(store))
    page = client.get(f"/a/{store.do(people.replace_link, 'admin').token}/findings").text
    told = (
        f"{n['policy']:,} by the policy, {n['random']:,} at random (40\xa0% is asked for),"
        f" {n['start-up']:,} of the start-up phase"
    )
    assert "Pairs are chosen by the policy order" in page
    assert told in page
    assert "Judges are compared on" in page
