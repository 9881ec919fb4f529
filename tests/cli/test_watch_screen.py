"""What is drawn of judgments that come in, in terminals large and small."""

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from click import unstyle

from evenhand.cli.watch_screen import Status, compose, say_change
from evenhand.ranking.sequential.leaderboard import LiveLeaderboard
from evenhand.ranking.sequential.votes import Vote
from evenhand.render.text import width
from evenhand.web.dashboard import CampaignStatus, Flagged, PanelStatus, PassStatus

NAMES = [f"system-{n:02d}" for n in range(30)]


def make_pass(name: str = "better", systems: int = 30) -> PassStatus:
    state = LiveLeaderboard().start(NAMES[:systems])
    votes = [
        Vote(one, other, "left", f"j{turn}")
        for turn in range(12)
        for one, other in pairwise(NAMES[:systems])
    ]
    state.observe(votes)
    board = state.look()
    return PassStatus(name, board, board.says)


def make_sight(*passes: PassStatus) -> CampaignStatus:
    now = int(time.time() * 1000)
    panel = PanelStatus("comparisons", (Flagged("j7", ("reversed",)), Flagged("j9", ("careless",))))
    done_by = "2030-01-02T03:04+00:00"
    told = {"pace": "in 2 days", "done_by": done_by, "last": now - 4_000}
    return CampaignStatus("spring", 1204, now, 1796, passes=passes, panels=(panel,), **told)


def draw(
    sight: CampaignStatus, lines: int | None, columns: int = 80, **status: object
) -> list[str]:
    known = replace(Status(time.time()), **status)
    return [unstyle(one) for one in compose(sight, known, columns, lines)]


def test_the_head_says_how_far_it_is_when_votes_came_and_who_is_flagged() -> None:
    lines = draw(make_sight(make_pass(systems=4)), 30)
    assert lines[0].startswith("spring · open")
    assert lines[0].endswith("Ctrl-C ends")
    assert lines[1].startswith("judged 1,204 of 3,000; 1,796 remain, at this pace done 0")
    assert lines[1].endswith("in 2 days")
    assert lines[2].startswith("votes  last came ")
    assert ", 4 s ago; looked " in lines[2]
    assert lines[3] == "judges flagged: j7 (reversed), j9 (careless)"
    assert " ".join(lines[5].split()) == "decided rank now system log-worth better than"
    assert [line.split()[2] for line in lines[6:10]] == NAMES[:4]
    assert lines[10].startswith("says   ")
    assert "of 6 pairs are decided for this panel" in lines[10]


@pytest.mark.parametrize("lines", [6, 12, 24, 57])
@pytest.mark.parametrize("columns", [40, 120])
def test_it_fits_and_says_how_many_rows_more_there_are(lines: int, columns: int) -> None:
    found = draw(make_sight(make_pass()), lines, columns)
    assert len(found) <= lines
    assert all(width(line) <= max(columns, 60) for line in found)
    shown = sum(" of 29" in line for line in found)
    out = [int(line.split()[1]) for line in found if line.endswith(("more row", "more rows"))]
    assert shown + sum(out) == 30
    assert (out == []) == (shown == 30)


def test_a_server_that_is_away_is_said_beside_the_age_of_what_stands_there() -> None:
    now = time.time()
    away = {"looked": now - 130, "away": "example.org does not answer", "again": now + 8}
    said = " ".join(" ".join(draw(make_sight(make_pass(systems=3)), 24, **away)).split())
    assert "away example.org does not answer; tried again in 8 s; what stands here is 2 min" in said
    assert "system-00" in said


def test_names_that_would_move_the_cursor_are_written_out() -> None:
    odd = replace(make_sight(PassStatus("p", why="\x1b[2Jnone")), title="\x1b]0;x\x07spring")
    panel = PanelStatus("comparisons", (Flagged("j\x1b[31m", ("careless",)),))
    known = Status(time.time())
    drawn = "\n".join(compose(replace(odd, panels=(panel,)), known, 80, 24))
    assert unstyle(drawn).isprintable() is False  # line ends alone
    assert "\x1b" not in unstyle(drawn)
    assert "\x07" not in drawn


def test_a_change_is_a_line_for_each_pass() -> None:
    lines = say_change(make_sight(make_pass("one", 3), make_pass("two", 3)))
    assert [line.split("; ")[1].split(":")[0] for line in lines] == ["one", "two"]
    assert all(line.startswith("1,204 judged, 1,796 remain; ") for line in lines)
