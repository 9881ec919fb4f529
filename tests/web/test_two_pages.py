"""Two pages of one judge, requests that come twice, and links that ended."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.web import Store
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from stored_campaigns import (
    LEFT,
    RIGHT,
    HandClock,
    fill,
    list_judgments,
    make_pairs,
    name_worker,
)

pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def links(store: Store) -> dict[str, str]:
    """Links of two judges who have agreed."""
    found = fill(store)
    for judge in found:
        store.do(people.consent, judge)
    return found


def load(client: TestClient, token: str) -> Any:
    return client.get(f"/j/{token}/item").json()


def send(client: TestClient, token: str, item: Any, answer: object = LEFT) -> Any:
    told = {"ticket": item["ticket"], "key": item["key"], "answer": answer}
    return client.post(f"/j/{token}/answer", json=told)


def undo(client: TestClient, token: str, **told: object) -> Any:
    return client.post(f"/j/{token}/undo", json=told)


def order(client: TestClient, store: Store, what: str, **told: str) -> Any:
    admin = store.do(people.replace_link, "admin").token
    return client.post(f"/a/{admin}/do", json={"what": what, **told})


def test_two_tabs_show_one_item_and_store_one_answer(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    token = links["j0"]
    one, other = load(client, token), load(client, token)
    assert one == other
    assert send(client, token, one).status_code == 200
    late = send(client, token, other, RIGHT)  # under the same key, as both tabs have it
    assert (late.status_code, late.json()["word"]) == (409, "reload")
    assert "sent from the same page" in late.json()["error"]
    late = send(client, token, {**other, "key": "another"}, RIGHT)
    assert (late.status_code, "another tab" in late.json()["error"]) == (409, True)
    assert load(client, token)["place"] == 2
    assert [record.answer for record in list_judgments(store)] == [LEFT]


def test_the_tab_that_stayed_behind_cannot_send_an_answer_that_was_taken_back(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    item = load(client, links["j0"])
    send(client, links["j0"], item)
    undo(client, links["j0"])
    replayed = send(client, links["j0"], item)
    assert (replayed.status_code, replayed.json()["word"]) == (409, "reload")
    assert list(list_judgments(store)) == []
    again = load(client, links["j0"])
    assert (again["ticket"], again["key"] != item["key"]) == (item["ticket"], True)
    assert send(client, links["j0"], again, RIGHT).status_code == 200


def test_an_answer_that_is_sent_again_much_later_is_still_stored_once(
    client: TestClient, store: Store, clock: HandClock, links: dict[str, str]
) -> None:
    first = load(client, links["j0"])
    told = send(client, links["j0"], first).json()
    send(client, links["j0"], told["next"])
    clock.wait(86_400)
    assert send(client, links["j0"], first).json()["receipt"] == told["receipt"]
    assert len(list(list_judgments(store))) == 2


def test_a_wish_to_take_back_that_is_sent_twice_takes_one_answer_back(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    token, shown = links["j0"], load(client, links["j0"])
    for _ in range(2):
        shown = send(client, token, shown).json()["next"]
    back = [undo(client, token, at=shown["ticket"]).json() for _ in range(3)]
    assert back[0] == back[1] == back[2]
    assert back[0]["place"] == 2
    assert len(list(list_judgments(store))) == 1


def test_at_the_end_too_one_wish_takes_one_answer_back(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    token, shown = links["j0"], load(client, links["j0"])
    while shown["state"] == "item":
        shown = send(client, token, shown).json()["next"]
    total = len(list(list_judgments(store)))
    assert shown["state"] == "done"
    back = [undo(client, token, at=None).json() for _ in range(2)]
    assert back[0] == back[1]
    assert len(list(list_judgments(store))) == total - 1


def test_a_tab_that_shows_an_older_item_takes_nothing_back(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    token, old = links["j0"], load(client, links["j0"])
    new = send(client, token, old).json()["next"]
    assert undo(client, token, at=old["ticket"]).json() == new
    assert len(list(list_judgments(store))) == 1


def test_whoever_agreed_or_left_twice_did_so_once(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    fresh = store.invite("j9", note="").token
    for _ in range(2):
        assert client.post(f"/j/{fresh}/consent", json={}).status_code == 200
    codes = [client.post(f"/j/{links['j0']}/leave", json={}).status_code for _ in range(2)]
    assert codes == [200, 403]
    kinds = [one.kind for one in store.records() if one.judge in ("j0", "j9")]
    assert (kinds.count("leave"), kinds.count("consent")) == (1, 2)


def test_a_judge_cannot_send_or_guess_the_answer_of_another_one(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    theirs, mine = load(client, links["j1"]), load(client, links["j0"])
    assert theirs["ticket"] != mine["ticket"]
    for key in (theirs["key"], mine["key"], "guessed"):
        told = send(client, links["j0"], {"ticket": theirs["ticket"], "key": key})
        assert (told.status_code, told.json()["word"]) == (409, "reload")
    assert send(client, links["j1"], theirs).status_code == 200
    stolen = send(client, links["j0"], theirs)  # also where the key is known
    assert stolen.status_code == 409
    assert "left" not in stolen.text
    assert [one.judge for one in list_judgments(store)] == ["j1"]


def test_a_ticket_that_was_not_asked_yet_cannot_be_answered(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    item = load(client, links["j0"])
    for number in range(len(list(store.campaign.items)) * 3):
        for ticket in (store.name_ticket("j0", number), store.name_ticket("j1", number)):
            if ticket != item["ticket"]:
                told = send(client, links["j0"], {"ticket": ticket, "key": item["key"]})
                assert (told.status_code, told.json()["word"]) == (409, "reload")
        told = send(client, links["j0"], {"ticket": number, "key": item["key"]})
        assert (told.status_code, told.json()["word"]) == (400, "unreadable")
    assert list(list_judgments(store)) == []


def test_a_lease_that_ran_out_goes_to_the_next_worker_and_the_late_answer_is_refused(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    store.launch(make_pairs(judges=1, items=2))
    crowd = store.do(people.replace_link, "crowd").token

    def come(worker: str) -> str:
        path = f"/crowd/{crowd}?PROLIFIC_PID={name_worker(worker)}"
        told = client.post(path, follow_redirects=False)
        return told.headers["location"].removeprefix("/j/") if told.status_code == 303 else ""

    slow = come("slow")
    client.post(f"/j/{slow}/consent", json={})
    item = load(client, slow)
    assert come("quick") == ""
    clock.wait(61)
    quick = come("quick")
    client.post(f"/j/{quick}/consent", json={})
    late = send(client, slow, item)
    assert late.status_code == 403
    assert send(client, quick, load(client, quick)).status_code == 200
    assert [one.judge for one in list_judgments(store)] == ["j0.2"]


def test_a_lease_that_ran_out_and_was_lent_again_to_the_same_judge_takes_the_old_answer(
    client: TestClient, store: Store, clock: HandClock, links: dict[str, str]
) -> None:
    item = load(client, links["j0"])
    clock.wait(61)
    assert load(client, links["j0"]) == item
    assert send(client, links["j0"], item).status_code == 200


@pytest.mark.parametrize("what", ["revoke", "forget"])
def test_whoever_is_shut_out_can_do_nothing_from_that_moment(
    client: TestClient, store: Store, links: dict[str, str], what: str
) -> None:
    item = load(client, links["j0"])
    send(client, links["j0"], item)
    assert order(client, store, what, judge="j0").status_code == 200
    assert send(client, links["j0"], item).status_code == 404
    for route in ("undo", "consent", "leave"):
        assert client.post(f"/j/{links['j0']}/{route}", json={}).status_code == 404
    for route in ("", "/item"):
        assert client.get(f"/j/{links['j0']}{route}").status_code == 404
    assert len(list(list_judgments(store))) == 1
    assert check_store(store).holds


def test_an_old_link_ends_with_the_new_one_even_if_it_was_used_a_moment_ago(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    item = load(client, links["j0"])
    new = order(client, store, "invite", judge="j0").json()["link"].rpartition("/")[2]
    assert send(client, links["j0"], item).status_code == 404
    assert client.get(f"/j/{links['j0']}").status_code == 404
    assert load(client, new) == item
    assert send(client, new, item).status_code == 200


def test_a_paused_campaign_asks_nothing_takes_nothing_back_and_lets_nobody_join(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    item = load(client, links["j0"])
    crowd = store.do(people.replace_link, "crowd").token
    order(client, store, "pause")
    assert client.get(f"/j/{links['j0']}/item").json()["word"] == "paused"
    assert undo(client, links["j0"], at=item["ticket"]).json()["word"] == "paused"
    path = f"/crowd/{crowd}?PROLIFIC_PID={name_worker('w')}"
    assert client.post(path, follow_redirects=False).status_code == 409
    assert send(client, links["j0"], item).json()["next"]["word"] == "paused"
    order(client, store, "resume")
    assert load(client, links["j0"])["place"] == 2


def test_a_forgotten_judge_cannot_be_asked_in_again_under_the_same_name(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    order(client, store, "forget", judge="j0")
    told = order(client, store, "invite", judge="j0")
    assert (told.status_code, "invite under another name" in told.text) == (403, True)
