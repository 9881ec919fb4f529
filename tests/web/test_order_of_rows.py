"""Rows of a table stand as the votes of the board do: in the order of first answers."""

from pathlib import Path

import evenhand
from evenhand.ranking.sequential.watch import watch
from evenhand.web import Store
from evenhand.web.downloads import open_download
from evenhand.web.store import judging
from evenhand.web.store.judging import Reply
from followed_campaigns import SYSTEMS, make
from stored_campaigns import HandClock, fill, judge_next


def test_the_table_holds_votes_in_the_order_of_the_board_though_some_were_given_anew(
    store: Store, clock: HandClock, tmp_path: Path
) -> None:
    fill(store, make())
    revised = judge_next(store, "j0")
    clock.wait(5)
    judge_next(store, "j1")
    store.do(judging.undo, "j1")
    clock.wait(5)
    judge_next(store, "j2")
    judge_next(store, "j1")
    assert revised.ticket is not None
    clock.wait(5)
    number, said = revised.ticket.number, {"outcome": "right"}
    store.do(judging.append, Reply("j0", number, said, "another page", replaces=revised.number))
    rows = list(store.rows("comparisons"))
    assert [(one["judge"], one["outcome"]) for one in rows] == [
        ("j0", "right"), ("j1", "left"), ("j2", "left")
    ]  # fmt: skip
    first = [float(one["answered_at"]) for one in rows]
    assert [round(one - first[0]) for one in first] == [0, 5, 10]
    assert first[0] == revised.at / 1000
    table = tmp_path / "comparisons.csv"
    table.write_bytes(b"".join(open_download(store, table.name) or ()))
    found = watch(evenhand.read(table), systems=SYSTEMS)  # type: ignore[arg-type]
    assert found.state.order == "answered_at"
