"""How long a campaign takes: told before it begins, with a line that suggests a break."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.web import Store
from judge_pages import EARLY, find_faults, install_clock, judge_page, keep_picture, press, settle
from stored_campaigns import fill, list_judgments


def make(n: int, time: dict[str, Any] | None = None, **more: Any) -> Campaign:
    outputs = {"A": "one", "B": "two"}
    items = [{"item": str(at), "outputs": outputs} for at in range(n)]
    told = {"name": "n", "judges": ["j"], "tasks": [{"kind": "pair", "name": "p"}], **more}
    return make_campaign({**told, "items": items, **({"time": time} if time else {})})


@pytest.mark.parametrize(
    ("n", "time", "minutes"),
    [
        (40, {"seconds_per_answer": 21}, 14),  # 840 seconds
        (2, {"seconds_per_answer": 3.5}, 1),  # 7 seconds
        (40, {}, None),
        (40, {"seconds_per_answer": 0}, None),
    ],
)
def test_the_time_it_takes_is_told_where_the_campaign_knows_it(
    client: TestClient, store: Store, n: int, time: dict[str, Any], minutes: int | None
) -> None:
    link = fill(store, make(n, time, consent="Do you agree?"))["j"]
    told = client.get(f"/j/{link}/item").json()
    assert (told["state"], told["questions"], told["minutes"]) == ("consent", n, minutes)
    assert told["pay"] == ""


@pytest.mark.parametrize(
    ("width", "asked", "facts"),
    [
        (390, (90, 40), ["Questions 90", "Time about 60 minutes", "Pay 12 EUR per hour"]),
        (1280, (90, 100), ["Questions 90", "Time about 2.5 hours"]),
        (390, (1, 60), ["Questions 1", "Time about 1 minute"]),
        (1280, (90, 0), ["Questions 90"]),
    ],
)
def test_before_a_judge_agrees_the_page_says_how_many_questions_how_long_and_the_pay(
    browser: Any, store: Store, width: int, asked: tuple[int, int], facts: list[str]
) -> None:
    n, time = asked
    more: dict[str, Any] = {"consent": "Your judgments are published under a pseudonym."}
    more |= {"pay": {"per_hour": 12, "currency": "EUR"}} if len(facts) == 3 else {}
    with judge_page(browser, store, make(n, {"seconds_per_answer": time}, **more), width) as page:
        page.wait_for_selector("h1:has-text('Before you begin')")
        names, values = (page.locator(f".sheet {one}").all_inner_texts() for one in ("dt", "dd"))
        assert [" ".join(one) for one in zip(names, values, strict=True)] == facts
        assert find_faults(page) == []
        keep_picture(page, f"consent-{width}-{n}-{time}")


def seen(page: Any) -> str:
    page.wait_for_timeout(EARLY)
    rest = page.locator(".rest")
    return rest.inner_text() if rest.count() else ""


@pytest.mark.parametrize("width", [390, 1280])
def test_a_break_is_suggested_after_so_much_work_once_and_its_time_is_not_counted(
    browser: Any, store: Store, width: int
) -> None:
    campaign = make(9, {"break_after": 8})
    with judge_page(browser, store, campaign, width, ready=install_clock) as page:
        for place, (minutes, worked) in enumerate(
            [(4, 0), (6, 0), (0, 9), (0, 0), (5, 0), (2, 0), (1, 8), (0, 0)], start=1
        ):
            settle(page, f"{place} of 9")
            told = f"You have worked for {worked} minutes" if worked else ""
            assert seen(page).startswith(told), place
            assert bool(seen(page)) == bool(worked), place
            assert seen(page) in page.inner_text("#spoken"), place
            if worked:
                keep_picture(page, f"rest-{width}")
                assert find_faults(page) == []
            if place == 3:  # a pause after the suggestion, then a minute of work
                page.clock.fast_forward(4 * 60_000)
                page.mouse.move(50, place)
                page.clock.fast_forward(60_000)
            page.clock.fast_forward(minutes * 60_000)
            press(page, "1")
    seconds = [one.seconds or 0 for one in list_judgments(store)]
    assert [round(one / 60) for one in seconds] == [4, 6, 1, 0, 5, 2, 1, 0]


@pytest.mark.parametrize("break_after", [0, 8])
def test_no_break_is_suggested_where_the_campaign_wants_none_or_the_judge_was_away(
    browser: Any, store: Store, break_after: int
) -> None:
    campaign = make(9, {"break_after": break_after})
    with judge_page(browser, store, campaign, ready=install_clock) as page:
        for place in range(1, 5):
            settle(page, f"{place} of 9")
            assert seen(page) == ""
            page.clock.fast_forward((4 if break_after == 0 else 11) * 60_000)
            press(page, "1")
