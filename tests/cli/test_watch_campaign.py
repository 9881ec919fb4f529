"""`evenhand watch` once at a campaign, and what it refuses."""

from pathlib import Path

import pytest

from evenhand.design.reading import make_campaign
from evenhand.web.downloads import open_download
from evenhand.web.store.store import Store
from followed_campaigns import judge_some, make
from stored_campaigns import fill, judge_next

SECRET = "abcd.s3cr3t-of-the-organiser"


@pytest.fixture
def database(folder: Path) -> str:
    with Store.open("campaign.db") as store:
        fill(store, make())
        judge_some(store, 90)
    return "campaign.db"


def test_one_look_at_a_database(evenhand, database):
    said = evenhand("watch", database).out
    lines = said.splitlines()
    assert lines[0] == "c · open"
    assert lines[1].startswith("judged 90 of 270; 180 remain")
    assert any(" ".join(one.split()).startswith("decided rank now system") for one in lines)
    assert "of 3 pairs are decided for this panel" in said


def test_json_holds_the_board_as_for_files(evenhand, database):
    found = evenhand("watch", database, "--json").json
    (one,) = found["passes"]
    assert (found["title"], found["judged"], found["remaining"]) == ("c", 90, 180)
    assert {"systems", "decided", "held", "says", "signature"} <= set(one["board"])
    assert [set(system) for system in one["board"]["systems"]] == [
        set(one["board"]["systems"][0])
    ] * 3
    assert found["judges"] == [
        {"table": "comparisons", "flagged": [], "why": found["judges"][0]["why"]}
    ]
    assert "8 are needed" in found["judges"][0]["why"]


def test_a_file_is_not_changed_by_a_look(evenhand, database):
    before = Path(database).read_bytes()
    evenhand("watch", database)
    assert Path(database).read_bytes() == before


def test_scores_are_ranked_and_it_is_said_that_ranks_hold_for_one_look(evenhand, folder):
    outputs = [{"item": str(n), "outputs": {"A": f"a{n}", "B": f"b{n}"}} for n in range(6)]
    told = {"name": "c", "judges": ["ann"], "tasks": [{"kind": "rating", "name": "good"}]}
    with Store.open("campaign.db") as store:
        fill(store, make_campaign({**told, "items": outputs}))
        for score in range(12):
            judge_next(store, "ann", {"score": score**2 % 17})
        Path("ratings.csv").write_bytes(b"".join(open_download(store, "ratings.csv") or ()))
    said = " ".join(evenhand("watch", "campaign.db").out.split())
    (seen,) = evenhand("watch", "campaign.db", "--json").json["passes"]
    told = evenhand("rank", "ratings.csv", "--json").json
    assert [(row["system"], row["score"], row["lower"]) for row in seen["scores"]] == [
        (row["system"], row["estimate"], row["lower"]) for row in told["systems"]
    ]
    assert seen["says"][0].startswith(told["says"])
    assert told["says"] in said
    assert "ranks hold for one look" in said
    assert "log-worth" not in said


@pytest.mark.parametrize("live", [(), ("--live",)])
@pytest.mark.parametrize(
    ("link", "said"),
    [
        (f"http://example.org/a/{SECRET}", "everybody on the way to example.org can read"),
        (f"https://nowhere.invalid/a/{SECRET}", "there is no server nowhere.invalid"),
        (f"https://example.org/j/{SECRET}", "is not the organiser's link"),
    ],
)
def test_a_link_that_does_not_do_is_refused_without_its_secret(evenhand, live, link, said):
    ran = evenhand("watch", *live, link, code=2)
    assert said in " ".join(ran.err.split())
    assert "s3cr3t" not in ran.err + ran.out


def test_a_link_without_a_verb_is_not_said_again(evenhand):
    ran = evenhand(f"https://example.org/a/{SECRET}", code=2)
    assert "Try: evenhand watch ADDRESS" in ran.err
    assert "s3cr3t" not in ran.err


def test_a_server_that_is_away_is_one_line_for_one_look(evenhand):
    ran = evenhand("watch", f"http://127.0.0.1:1/a/{SECRET}", code=2)
    assert "127.0.0.1:1 does not answer: connection refused" in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--level", ".9"), "--level is for files of votes: a campaign has one board for all"),
        (("--column", "judge=x"), "--column is for files of votes"),
        (("--task", "betterr"), "--task betterr: this campaign has no such pass"),
        (("--every", "3"), "--every is the pace of --live: say that too"),
        (("--live", "--csv"), "--live shows a board on the terminal, or with --json a line"),
        (("--live", "-o", "x.json"), "--live shows a board on the terminal"),
        (("--live", "other.db"), "--live watches one file, campaign or link at a time"),
    ],
)
def test_words_that_do_not_go_together_are_refused(evenhand, database, words, said):
    assert said in " ".join(evenhand("watch", database, *words, code=2).err.split())


@pytest.mark.parametrize(
    "text",
    [
        "role,judge,link,launch\njudge,ann,https://x/j/y,\n",
        "\ufeffrole;judge;link;launch\r\njudge;ann;https://x/j/y;a\r\n",
    ],
)
def test_a_file_without_a_link_of_the_organiser_is_refused(evenhand, folder, text):
    Path("none.links.csv").write_text(text)
    assert (
        "holds no link of the organiser's"
        in evenhand("watch", "--live", "none.links.csv", code=2).err
    )
