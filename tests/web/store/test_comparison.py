"""Tables of a database that say something else than its log are found out."""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from random import Random
from sqlite3 import connect
from typing import Any

import pytest
from sqlalchemy import text

from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError
from evenhand.web import Store
from evenhand.web.store import judging, people
from evenhand.web.store.audit import audit, check_store
from evenhand.web.store.judging import Reply
from evenhand.web.store.log import GENESIS, canonical, digest
from odd_requests import EVERY_KIND
from policy_campaigns import make_chosen
from stored_campaigns import (
    LEFT,
    RIGHT,
    fill,
    judge_next,
    list_judgments,
    make_pairs,
    release,
)


@pytest.mark.parametrize("tables", ["log campaign tickets specs", "log"])
def test_a_database_from_which_everything_was_deleted_does_not_hold(
    store: Store, tables: str
) -> None:
    fill(store)
    with store.engine.begin() as connection:
        for name in reversed(tables.split()):
            connection.execute(text(f"DELETE FROM {name}"))
    check = check_store(store)
    assert (check.bad, check.holds) == (1, False)


@pytest.mark.parametrize("kind", ["pairs", "chosen"])
def test_tables_hold_beside_the_log_of_everything_that_can_happen(store: Store, kind: str) -> None:
    """Answers, revisions, undo, joins, leaving, new links, forgetting; with a policy, too."""
    told = {"repeats": 1, "lag": 2}
    campaign = (
        make_pairs(items=24, judges=4, **told) if kind == "pairs" else make_chosen(items=8, **told)
    )
    fill(store, campaign)
    draws, names = Random(5), [one.name for one in store.judges()]
    happens: dict[str, Callable[[str], object]] = {
        "judge": lambda judge: judge_next(store, judge, draws.choice([LEFT, RIGHT])),
        "revise": lambda judge: _revise(store, judge),
        "undo": partial(store.do, judging.undo),
        "leave": partial(store.do, people.leave),
        "revoke": store.revoke,
        "invite": store.invite,
        "forget": lambda judge: store.forget(judge, answers=draws.random() < 0.5),
        "join": lambda judge: store.join(judge, draws.choice(names)),
        "consent": partial(store.do, people.consent),
        "take over": lambda judge: store.invite(f"{judge}b", seat=judge),
        "hand back": partial(store.do, release),
    }
    often = ["judge"] * 12 + ["undo", "revise", "invite", "take over", "hand back"] * 2
    done: Counter[str] = Counter()
    for turn in range(81):
        judge = draws.choice([one.name for one in store.judges()])
        what = draws.choice([*happens, *often])
        with suppress(CampaignError, AssertionError):
            happens[what](judge)
            done[what] += 1
        assert turn % 4 or check_store(store).holds, (what, judge)
    assert len(done) >= len(happens) - 2


def _revise(store: Store, judge: str) -> None:
    standing = [one for one in list_judgments(store) if one.judge == judge]
    assert standing
    last = standing[-1]
    assert last.ticket is not None
    key = f"again {last.number}"
    store.do(judging.append, Reply(judge, last.ticket.number, RIGHT, key, replaces=last.number))


@pytest.mark.parametrize(
    ("order", "value", "fault"),
    [
        ("UPDATE log SET body = ? WHERE number = 4", b"\xff", "cannot be read as it was written"),
        ("UPDATE log SET note = ? WHERE number = 4", 5.5, "was changed"),
        (
            "UPDATE tickets SET again = ? WHERE number = 0",
            2**62,
            "ticket 0 is not what was asked",
        ),
        ("UPDATE tickets SET expected = ? WHERE number = 1", "x", "what is expected of ticket 1"),
    ],
)
def test_values_that_no_column_can_hold_are_named(
    tmp_path: Path, order: str, value: object, fault: str
) -> None:
    path = str(tmp_path / "campaign.db")
    with Store.open(path) as store:
        fill(store)
        judge_next(store, "j0", LEFT)
    with closing(connect(path)) as connection, connection:
        assert connection.execute(order, (value,)).rowcount == 1
    check = audit(path)
    assert not check.holds
    assert fault in check.reason


@pytest.mark.parametrize("table", ["boards", "tokens"])
def test_a_table_that_is_missing_is_named(store: Store, table: str) -> None:
    fill(store)
    with store.engine.begin() as connection:
        connection.execute(text(f"DROP TABLE {table}"))
    assert check_store(store).fault == f"the database is damaged: there is no table '{table}'"


def _space_answer(_: dict[str, Any], beside: dict[str, Any]) -> None:
    beside["said"] = beside["said"] and beside["said"].replace(":", ": ")


def _double_answer(_: dict[str, Any], beside: dict[str, Any]) -> None:
    """What one program reads first, and another one last."""
    beside["said"] = beside["said"] and '{"answer":{"outcome":"tie"},' + beside["said"][1:]


def _rewrite(store: Store, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Change bodies and the columns beside them, and make all hashes again."""
    before = GENESIS
    with store.engine.begin() as connection:
        for row in connection.execute(text("SELECT * FROM log ORDER BY number")).mappings().all():
            body, beside = json.loads(row["body"]), {"said": row["said"]}
            change(body, beside)
            if beside["said"] is not None:
                body["said"] = digest(beside["said"])
            body["before"] = before
            before = digest(canonical(body))
            told = {"body": canonical(body), "hash": before, "number": row["number"], **beside}
            order = "UPDATE log SET body = :body, hash = :hash, said = :said WHERE number = :number"
            connection.execute(text(order), told)
        connection.execute(text("UPDATE campaign SET head_hash = :hash"), {"hash": before})


def _remove_answer(body: dict[str, Any], beside: dict[str, Any]) -> None:
    if body["kind"] == "judgment":
        del body["said"]
        beside["said"] = None


def _empty_answer(body: dict[str, Any], beside: dict[str, Any]) -> None:
    if body["kind"] == "judgment":
        body["said"], beside["said"] = digest(""), ""


def _nest_answer(body: dict[str, Any], beside: dict[str, Any]) -> None:
    if body["kind"] == "judgment":
        beside["said"] = "[" * 100_000
        body["said"] = digest(beside["said"])


def _other_seed(body: dict[str, Any], _: dict[str, Any]) -> None:
    if body["kind"] == "launch":
        body["facts"]["seed"] = "ab" * 24


@pytest.mark.parametrize(
    ("change", "bad", "reason"),
    [
        (_remove_answer, 4, "it holds no answer, and none was deleted"),
        (_empty_answer, 4, "it holds no answer, and none was deleted"),
        (_nest_answer, 4, "it is no record of a log"),
        (_space_answer, 4, "it is no record of a log"),
        (_double_answer, 4, "it is no record of a log"),
        (_other_seed, 1, "the seed of the launch is not the campaign's"),
    ],
)
def test_a_log_written_anew_that_no_server_writes_does_not_hold(
    store: Store,
    change: Callable[[dict[str, Any], dict[str, Any]], None],
    bad: int,
    reason: str,
) -> None:
    fill(store)
    judge_next(store, "j0", LEFT)
    _rewrite(store, lambda *_: None)
    assert check_store(store).holds
    _rewrite(store, change)
    check = check_store(store)
    assert (check.bad, check.reason) == (bad, reason)


def test_a_campaign_that_was_changed_with_its_digest_is_named(store: Store) -> None:
    """The tickets of another campaign are of another assignment: that is told, and not a state."""
    fill(store, make_pairs(items=6, judges=2, repeats=1, lag=2))
    while (served := store.do(judging.serve, "j0")) is not None and served.ticket.kind != "repeat":
        judge_next(store, "j0", LEFT)
    store.do(people.leave, "j0")
    store.invite("j0b", seat="j0")
    assert check_store(store).holds
    with store.engine.begin() as connection:
        void = text("SELECT count(*) FROM tickets WHERE state = 2")
        assert connection.execute(void).scalar() == 1
        connection.execute(text("UPDATE campaign SET assignment = :a"), {"a": "0" * 64})

    def change(body: dict[str, Any], _: dict[str, Any]) -> None:
        if body["kind"] == "launch":
            body["facts"]["assignment"] = "0" * 64

    _rewrite(store, change)
    check = check_store(store)
    assert not check.holds
    assert "state" not in check.reason


@pytest.mark.parametrize(
    ("table", "column"), [("people", "note"), ("people", "worker"), ("leases", "until")]
)
def test_a_column_that_is_missing_is_named(store: Store, table: str, column: str) -> None:
    """Also one that no log determines: without it nobody can be served."""
    fill(store)
    with store.engine.begin() as connection:
        if table == "people":  # SQLite drops no column of a constraint
            connection.execute(text("DROP TABLE people"))
            kept = {"note", "worker", "judge", "platform"} - {column}
            rows = ", ".join(f"{name} TEXT" for name in sorted(kept))
            connection.execute(text(f"CREATE TABLE people ({rows})"))
        else:
            connection.execute(text(f'ALTER TABLE {table} DROP COLUMN "{column}"'))
    told = f"the database is damaged: the table '{table}' has no column '{column}'"
    assert check_store(store).fault == told


def test_tickets_of_every_kind_are_those_that_were_launched(store: Store) -> None:
    store.launch(make_campaign(EVERY_KIND))
    assert check_store(store).holds
