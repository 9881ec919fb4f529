"""`evenhand check`, beside `evenhand plan` as it was."""

import re
from pathlib import Path
from typing import Any

import pytest

from evenhand.design.assignment import assign
from evenhand.design.guarantees import verify_design
from evenhand.design.reading import read_campaign
from evenhand.web.store import judging
from evenhand.web.store.store import Store
from stored_campaigns import invite_all, reply_to, take

ITEMS = "item,source,A,B,C\n" + "".join(f"{n},s{n},a{n},b{n},c{n}\n" for n in range(12))


def test_promises_are_counted(evenhand, folder):
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    ran = evenhand("check", "items.csv")
    assert "Campaign items: 12 items, 3 systems, 3 judges, 36 tickets." in ran.out
    assert "promises are kept: the campaign can be launched" in ran.out
    assert "Shown beside outputs: source (12 of 12 items)." in " ".join(ran.out.split())
    assert "BROKEN" not in ran.out


def test_systems_whose_names_differ_in_capitals_alone_are_named(evenhand, folder):
    Path("items.csv").write_text(ITEMS.replace("A,B,C", "Łódź,łódź ,C"), encoding="utf-8")
    said = " ".join(evenhand("check", "items.csv").out.split())
    assert "'Łódź' and 'łódź' are taken for two systems" in said


def test_a_check_is_a_rehearsal_and_a_seed_in_the_file_is_warned_of(evenhand, folder):
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    ran = evenhand("check", "items.csv")
    told = "Rehearsal with seed 20131: the launch draws a secret seed of its own"
    assert told in " ".join(ran.out.split())
    found = evenhand("check", "items.csv", "--json").json
    assert (found["seed"], found["rehearsal"], found["warns"]) == (20131, True, [])
    Path("named.toml").write_text('items = "items.csv"\nseed = 7\n', encoding="utf-8")
    ran = evenhand("check", "named.toml")
    assert "Rehearsal" not in ran.out
    found = evenhand("check", "named.toml", "--json").json
    assert (found["seed"], found["rehearsal"]) == (7, False)
    assert "The campaign file names its seed" in found["warns"][0]


def test_what_was_collected_is_checked_without_telling_the_seed(evenhand, folder):
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    with Store.open("items.db") as store:
        store.launch(read_campaign("items.csv"))
        invite_all(store)
        store.do(judging.append, reply_to(take(store, "judge-1")))
        seed = store.campaign.seed
    for form in ("--json", "--latex"):
        ran = evenhand("check", "items.csv", "--collected", "items.db", form)
        assert not [one for one in (f"{seed:x}", str(seed)) if one in ran.out]
    found = evenhand("check", "items.csv", "--collected", "items.db", "--json").json
    assert (found["seed"], found["rehearsal"], found["warns"]) == (None, False, [])
    assert "seed=secret" in found["signature"]


def test_a_database_is_named_without_user_and_password(evenhand, folder, monkeypatch):
    def check(_where: str, planned: Any) -> Any:
        assignment = assign(planned)
        return assignment, verify_design(assignment)

    monkeypatch.setattr("evenhand.web.store.audit.check_collected", check)
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    where = "postgresql://bob:s3cret@localhost/spring"
    for form in ((), ("--json",), ("--latex",), ("--markdown",)):
        ran = evenhand("check", "items.csv", "--collected", where, *form)
        assert "s3cret" not in ran.out + ran.err
        assert "spring" in ran.out or form == ("--latex",)


def test_feedback_that_names_an_output_by_its_place_is_warned_of(evenhand, folder):
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    training = (
        'items = "items.csv"\n[[tasks]]\nkind = "pair"\nname = "better"\n[[training]]\n'
        'task = "better"\nitem = "try"\nA = "x"\nB = "y"\nfeedback = "The second is better."\n'
    )
    Path("c.toml").write_text(training, encoding="utf-8")
    (warned,) = evenhand("check", "c.toml", "--json").json["warns"]
    assert "The feedback of training 'try' in pass 'better' says 'second'" in warned


@pytest.fixture
def collected(folder):
    """A campaign of which the first judge has answered everything, and the others nothing."""
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    with Store.open("items.db") as store:
        store.launch(read_campaign("items.csv"))
        invite_all(store)
        for _ in range(12):
            store.do(judging.append, reply_to(take(store, "judge-1")))
        yield store


def test_what_was_collected_is_counted_and_what_is_open_is_said(evenhand, collected):
    ran = evenhand("check", "items.csv", "--collected", "items.db", "--verbose")
    assert "12 answers in items.db." in ran.out
    assert re.search(r"^ kept +tickets .* 12 of 36 tickets$", ran.out, re.MULTILINE)
    assert re.search(r"^ not yet +preference: judges", ran.out, re.MULTILINE)
    assert "kept so far; of 7 it can be said when all is answered" in ran.out
    found = evenhand("check", "items.csv", "--collected", "items.db", "--json").json
    assert (found["holds"], found["tickets"], found["collected"]) == (True, 12, "items.db")


def test_at_the_end_nothing_is_open(evenhand, collected):
    for judge in ("judge-2", "judge-3"):
        for _ in range(12):
            collected.do(judging.append, reply_to(take(collected, judge)))
    ran = evenhand("check", "items.csv", "--collected", "items.db")
    assert "promises are kept by what was collected" in ran.out
    assert "not yet" not in ran.out


def test_answers_to_another_campaign_are_refused(evenhand, collected):
    Path("items.csv").write_text(ITEMS.replace("a1,", "other,"), encoding="utf-8")
    ran = evenhand("check", "items.csv", "--collected", "items.db", code=2)
    assert "holds answers to campaign 'items' as it was in other words" in ran.err


def test_a_database_that_is_not_there_is_refused(evenhand, folder):
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    ran = evenhand("check", "items.csv", "--collected", "item.db", code=2)
    assert "there is no file 'item.db'" in ran.err


def test_what_is_odd_is_warned_of(evenhand, folder):
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    text = 'items = "items.csv"\n[[tasks]]\nkind = "rating"\nname = "q"\nshows = ["reference"]\n'
    Path("campaign.toml").write_text(text, encoding="utf-8")
    ran = evenhand("check", "campaign.toml")
    assert "Pass 'q' shows the reference, and no item has one." in ran.out
    assert len(evenhand("check", "campaign.toml", "--json").json["warns"]) == 1
