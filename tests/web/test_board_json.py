"""The board for programs: what the organiser's page shows of now, with the same rights."""

import msgspec
from starlette.testclient import TestClient

from evenhand.web import Store
from evenhand.web.dashboard import CampaignStatus, DashboardCache, ReadOnlyClient, get_status
from evenhand.web.store import people
from followed_campaigns import judge_some, make
from stored_campaigns import HandClock, fill


def read_sight(body: bytes) -> CampaignStatus:
    return msgspec.json.decode(body, type=CampaignStatus)


def test_it_is_the_board_of_the_page(client: TestClient, store: Store) -> None:
    fill(store, make())
    judge_some(store, 120)
    root = f"/a/{store.do(people.replace_link, 'admin').token}"
    page = client.get(f"{root}/findings").text
    seen = read_sight(client.get(f"{root}/board.json").content)
    (one,) = seen.passes
    assert one.board is not None
    assert (seen.judged, seen.remaining, seen.paused) == (120, 150, False)
    for standing in one.board.standings:
        cells = f'class="n">{standing.wins}, {standing.ties}, {standing.losses}</td>'
        assert cells in page
    assert one.says[0].split(" pairs")[0] in page
    assert one.board.decided == DashboardCache(store).look().boards["t"].board.decided != ()


def test_a_database_that_is_only_read_has_the_board_of_the_server(
    store: Store, where: str, clock: HandClock
) -> None:
    fill(store, make())
    onlooker = ReadOnlyClient(where)
    for number in (40, 80):
        judge_some(store, number)
        seen = onlooker.look()
        again = get_status(store, DashboardCache(store))
        assert again is not None
        (mine,), (theirs,) = seen.passes, again.passes
        assert mine.board is not None
        assert theirs.board is not None
        assert mine.board.standings[0].wins == theirs.board.standings[0].wins
        assert {one.better for one in mine.board.decided} <= {
            one.better for one in (*theirs.board.decided, *theirs.board.held)
        }
        assert (seen.judged, seen.remaining) == (again.judged, again.remaining)
    onlooker.close()


def test_whoever_has_seen_it_is_told_nothing_until_something_is_new(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    fill(store, make())
    judge_some(store, 30)
    address = f"/a/{store.do(people.replace_link, 'admin').token}/board.json"
    mark = client.get(address).headers["ETag"]
    again = client.get(address, headers={"If-None-Match": mark})
    assert (again.status_code, again.content) == (304, b"")
    judge_some(store, 1)
    fresh = client.get(address, headers={"If-None-Match": mark})
    assert read_sight(fresh.content).judged == 31
    newer = client.get(address).headers.get("ETag", mark)
    clock.wait(61)  # the pace is another one, although nothing happened
    assert client.get(address, headers={"If-None-Match": newer}).status_code == 200


def test_it_says_when_the_last_judgment_came_and_that_it_is_paused(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    fill(store, make())
    address = f"/a/{store.do(people.replace_link, 'admin').token}/board.json"
    assert read_sight(client.get(address).content).last is None
    judge_some(store, 12)
    told = store.clock.now()
    clock.wait(100)
    store.pause()
    seen = read_sight(client.get(address).content)
    assert (seen.last, seen.paused) == (told, True)
    assert seen.now - told == 100_000


def test_page_and_board_name_the_command_that_finds_a_cut(client: TestClient, store: Store) -> None:
    fill(store, make())
    root = f"/a/{store.do(people.replace_link, 'admin').token}"
    command = f"evenhand check campaign.db --head {store.head()}"
    assert f'<code class="head">{command}</code>' in client.get(root).text
    assert read_sight(client.get(f"{root}/board.json").content).check == command
