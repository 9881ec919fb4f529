"""A campaign served by the policy `sort`, through its pages: the questions, and the order."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand import BradleyTerry, choose_pairs, rank, read
from evenhand.data.coding import SEED
from evenhand.design.policy import Policy
from evenhand.errors import NotIdentified
from evenhand.ranking.ranking import write_ranks
from evenhand.web import Site, Store, make_app
from evenhand.web.store import people
from policy_campaigns import SYSTEMS, make_chosen
from stored_campaigns import invite_all

pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)

SORT = Policy("sort", random_share=0)
MOST = 10
"""Questions that merge insertion needs at most for six systems: OEIS A001768."""


class Judges:
    """Judges who prefer the system whose name comes first, or find all alike; and what was asked.

    They err in a share of the answers. A store is opened anew after every `lives` answers.
    """

    def __init__(
        self, where: str, judges: int, *, lives: int = 99, ties: bool = False, errors: float = 0
    ) -> None:
        design = {"policy": "sort", "random_share": 0, "judgments": 60, "judges_per_item": 1}
        campaign = make_chosen(items=20, judges=judges, **design)
        free = tuple(one for one in campaign.items if not one.anchor)  # every answer was asked for
        self.where, self.lives, self.ties = where, lives, ties
        self.errors, self.luck = errors, Random(1)
        self.asked: list[tuple[str, str]] = []
        with Store.open(where) as store:
            store.launch(replace(campaign, items=free, seed=SEED))
            self.links = {one.judge: one.token for one in invite_all(store)}
            self.admin = store.do(people.replace_link, "admin").token

    @contextmanager
    def live(self) -> Iterator[TestClient]:
        with Store.open(self.where) as store, TestClient(make_app(Site(store))) as client:
            yield client

    def look(self, client: TestClient, judge: str) -> Any:
        client.post(f"/j/{self.links[judge]}/consent", json={})
        return client.get(f"/j/{self.links[judge]}/item").json()

    def name(self, item: Any) -> tuple[str, ...]:
        return tuple(output["text"][0] for output in item["outputs"])

    def judge_all(self, most: int = 60) -> None:
        """Let each judge answer in turn."""
        while len(self.asked) < most:
            with self.live() as client:
                for _ in range(min(self.lives, most - len(self.asked))):
                    self.answer_one(client, list(self.links)[len(self.asked) % len(self.links)])

    def answer_one(self, client: TestClient, judge: str) -> None:
        item = self.look(client, judge)
        left, right = self.name(item)
        first = (left < right) != (self.luck.random() < self.errors)
        outcome = "tie" if self.ties else "left" if first else "right"
        sent = {"ticket": item["ticket"], "key": item["key"], "answer": {"outcome": outcome}}
        reply = client.post(f"/j/{self.links[judge]}/answer", json=sent)
        assert reply.status_code == 200
        self.asked.append((min(left, right), max(left, right)))

    def download(self, client: TestClient, folder: Path) -> Any:
        path = folder / f"{len(self.asked)}.csv"
        path.write_bytes(client.get(f"/a/{self.admin}/download/comparisons.csv").content)
        return read(path)


def test_it_ends_with_the_order_and_asks_near_pairs_until_the_campaign_ends(
    where: str, tmp_path: Path
) -> None:
    judges = Judges(where, 4)
    judges.judge_all()
    with judges.live() as client:
        assert judges.look(client, "judge-1")["state"] != "item"
        votes = judges.download(client, tmp_path)
    found = choose_pairs(votes, SORT, n=1)
    assert found.to_dict()["sort"]["order"] == [[name] for name in SYSTEMS]
    assert found.to_dict()["sort"]["decided"] <= MOST
    asked = Counter(judges.asked)
    neighbours = [asked[pair] for pair in pairwise(SYSTEMS)]
    assert max(neighbours) - min(neighbours) <= 1
    assert all(
        1 <= asked[pair] < min(neighbours) for pair in asked if ord(pair[1]) - ord(pair[0]) > 1
    )


def test_a_server_that_stops_goes_on_with_the_same_questions(where: str, tmp_path: Path) -> None:
    whole = Judges(where, 4)
    whole.judge_all(40)
    again = Judges(str(tmp_path / "again.db"), 4, lives=3)
    again.judge_all(40)
    assert again.asked == whole.asked


def test_the_file_says_the_same_next_question_as_the_server(where: str, tmp_path: Path) -> None:
    judges = Judges(where, 1)
    with judges.live() as client:
        for _ in range(15):
            judges.answer_one(client, "judge-1")
            votes = judges.download(client, tmp_path)
            new = [name for name in SYSTEMS if name not in votes.tally().systems]
            (told,) = choose_pairs(votes, SORT, n=1, systems=new).pairs
            assert {told.left, told.right} == {*judges.name(judges.look(client, "judge-1"))}


def test_the_page_has_the_order_of_the_sort_and_how_sure_the_votes_are(
    where: str, tmp_path: Path
) -> None:
    judges = Judges(where, 4)
    judges.judge_all(2)
    with judges.live() as client:
        page = client.get(f"/a/{judges.admin}/findings").text
        assert "The sort has not ended: the votes decide" in page
        assert f"of at most {MOST} questions" in page
        # no worths are of systems that nobody compared, of any estimate
        assert page.count('data-label="log-worth" class="n">–<') == len(SYSTEMS)
    judges.judge_all()
    with judges.live() as client:
        page = client.get(f"/a/{judges.admin}/findings").text
        votes = judges.download(client, tmp_path)
    with pytest.raises(NotIdentified):  # all agree: nothing contradicts the order
        rank(votes)
    assert f"The sort has ended: {' &gt; '.join(SYSTEMS)}" in page
    ranking = rank(votes, model=BradleyTerry(prior=1))
    for row in ranking.rows():
        cells = page.partition(f"<bdi>{row['system']}</bdi>")[2].partition("</tr>")[0]
        places = write_ranks(row, "–")
        assert f'data-label="current">{places}<' in cells
        worth = f"{row['estimate']:.2f}".replace("-", "−")
        assert f'data-label="log-worth" class="n">{worth}<' in cells
    assert "evenhand rank --prior 1" in page
    assert "pass --prior" not in page
    assert "No ranking" not in page


def test_systems_that_are_alike_end_as_one(where: str, tmp_path: Path) -> None:
    judges = Judges(where, 2, ties=True)
    judges.judge_all()
    with judges.live() as client:
        sort = choose_pairs(judges.download(client, tmp_path), SORT, n=1).to_dict()["sort"]
    assert sort["ended"]
    assert [sorted(group) for group in sort["order"]] == [list(SYSTEMS)]


def test_with_errors_it_ends_with_an_order_and_its_uncertainty(where: str, tmp_path: Path) -> None:
    judges = Judges(where, 4, errors=0.15)
    judges.judge_all()
    with judges.live() as client:
        ranking = rank(judges.download(client, tmp_path))
    assert ranking.rank_lower is not None
    assert ranking.rank_upper is not None
    for at, name in enumerate(ranking.systems):
        assert ranking.rank_lower[at] <= 1 + SYSTEMS.index(name) <= ranking.rank_upper[at]
