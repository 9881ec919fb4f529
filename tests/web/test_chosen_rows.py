"""Under a policy judges are compared on pairs that no answer led to, and the page says so."""

from collections import Counter
from pathlib import Path

from starlette.testclient import TestClient

import evenhand
from evenhand.web import Store
from evenhand.web.downloads import AnswerTables, open_download
from evenhand.web.findings import find
from evenhand.web.store import people
from policy_campaigns import Truth, list_judged, make_chosen, open_campaign


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


def test_without_a_policy_nothing_is_said_of_one(client: TestClient, store: Store) -> None:
    campaign = make_chosen(items=8, judges=2, policy="", judges_per_item=2)
    open_campaign(store, campaign)
    Truth(3).judge_all(store, ["judge-1", "judge-2"])
    page = client.get(f"/a/{store.do(people.replace_link, 'admin').token}/findings").text
    assert "policy" not in page
    assert "are compared on" not in page
