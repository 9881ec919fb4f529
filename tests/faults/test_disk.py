"""A disk that is full or cannot be written: nothing is acknowledged that is not stored."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

import full_disk
from evenhand.web.store import judging
from evenhand.web.store.audit import check_store
from evenhand.web.store.database import FRESH
from evenhand.web.store.log import NotStored
from evenhand.web.store.store import Store
from stored_campaigns import fill, judge_next, list_judgments, reply_to, take


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "campaign.db"
    command = [sys.executable, full_disk.__file__, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr[-2000:]
    told = json.loads(ran.stdout)
    assert len(told["refused"]) == 4
    assert all(one.startswith("the database did not save anything") for one in told["refused"])
    with Store.open(str(path)) as store:
        kept = [one.number for one in store.records() if one.kind == "judgment"]
        assert kept == [*told["stored"], told["after"]]
        assert len(kept) > 20
        assert check_store(store).holds


def test_a_database_that_becomes_read_only_refuses_and_can_still_be_read(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "campaign.db")) as store:
        fill(store)
        judge_next(store, "j0")
        served = take(store, "j0")

        def forbid(connection: Any, *_: object) -> None:
            connection.execute("PRAGMA query_only=ON")

        event.listen(store.engine, "checkout", forbid)
        time.sleep(FRESH + 0.1)  # until then the writer keeps the connection that it has
        with pytest.raises(NotStored, match="readonly"):
            store.do(judging.append, reply_to(served))
        assert len(list(list_judgments(store))) == 1
        event.remove(store.engine, "checkout", forbid)
        store.engine.dispose()
        store.do(judging.append, reply_to(served))
        assert len(list(list_judgments(store))) == 2
