"""A database that takes nothing, as a judge sees it: the answer stays on the device until it does.

Screenshots are kept in the folder that EVENHAND_SCREENSHOTS names.
"""

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import event

from browsers import run_site
from evenhand.web.site import Site
from evenhand.web.store import people
from evenhand.web.store.store import Store
from judge_pages import keep_picture
from stored_campaigns import fill, list_judgments, make_pairs


def refuse(_work: object) -> None:
    raise sqlite3.OperationalError("database or disk is full")


def test_an_answer_that_cannot_be_stored_is_kept_over_a_reload_and_sent_when_there_is_room(
    browser: Any, tmp_path: Path
) -> None:
    with Store.open(str(tmp_path / "c.db")) as store:
        token = fill(store, make_pairs())["j0"]
        store.do(people.consent, "j0")
        with run_site(Site(store)) as address:
            page = browser.new_page(viewport={"width": 360, "height": 740})
            page.goto(f"{address}/j/{token}")
            page.wait_for_selector("#progress:text-is('1 of 3')")
            page.fill("#comment", "a thought")
            transact, store._writer.transact = store._writer.transact, refuse
            page.click("#answer button >> nth=0")
            page.click(".send")
            page.wait_for_selector("#notice:has-text('cannot save anything right now')")
            assert "kept on this device" in page.inner_text("#notice")
            keep_picture(page, "not-stored-360")
            page.reload()
            page.wait_for_selector("#notice:has-text('kept on this device')")
            assert list(list_judgments(store)) == []
            store._writer.transact = transact
            page.wait_for_selector("#progress:text-is('2 of 3')")
            assert page.locator("#notice").is_hidden()
            page.close()
        (record,) = list_judgments(store)
        assert (record.answer, record.comment) == ({"outcome": "left"}, "a thought")


def test_a_page_that_cannot_be_made_says_so_and_tries_again(browser: Any, tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "c.db")) as store:
        token = fill(store, make_pairs())["j0"]

        def break_off(_dialect: object, _record: object, *_: object) -> None:
            raise store.engine.dialect.loaded_dbapi.OperationalError("/secret/path is gone")

        with run_site(Site(store)) as address:
            page = browser.new_page(viewport={"width": 360, "height": 740})
            event.listen(store.engine, "do_connect", break_off)
            store.engine.dispose()
            page.goto(f"{address}/j/{token}")
            assert "The server cannot save anything right now" in page.inner_text("h1")
            assert "/secret/path" not in page.content()
            keep_picture(page, "no-database-360")
            event.remove(store.engine, "do_connect", break_off)
            page.wait_for_selector("h1:has-text('Before you begin')")
            page.close()
