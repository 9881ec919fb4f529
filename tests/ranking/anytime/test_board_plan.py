"""A board by a plan that was written before its first vote."""

from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

from evenhand import InvalidJudgments, LiveLeaderboard, UnknownOption, read
from evenhand.ranking.sequential.leaderboard import read_board, write_board
from evenhand.ranking.sequential.watch import Beginning, GrowingVotes, Watched, watch
from ranking.anytime.arrivals import NAMES, draw_table

LEVEL = 0.9


@pytest.fixture(name="plan")
def write_plan(tmp_path: Path) -> Path:
    names = ", ".join(f'"{name}"' for name in NAMES)
    path = tmp_path / "board.toml"
    path.write_text(
        f"systems = [{names}]\nlevel = {LEVEL}\norder = 'second'\nmay_withdraw = ['{NAMES[-1]}']\n"
        f"[variants]\nacme = ['{NAMES[0]}', '{NAMES[1]}']\n"
    )
    return path


def look(plan: Path, table: pl.DataFrame | None = None, **more: object) -> Watched:
    found = watch(read(draw_table(900) if table is None else table), plan=plan, **more)
    assert isinstance(found, Watched)
    return found


def test_a_plan_states_what_options_do(plan):
    planned = look(plan, draw_table(900).sample(fraction=1.0, shuffle=True, seed=3)).board
    settings = LiveLeaderboard(level=LEVEL)
    asked = watch(read(draw_table(900)), settings, order="second", systems=NAMES).board
    assert planned.decided == asked.decided
    assert planned.plan_sha256 == sha256(plan.read_bytes()).hexdigest()
    assert asked.plan_sha256 is None


def test_who_withdraws_leaves_the_board_and_what_is_decided_of_others(plan):
    whole, (*_, gone) = look(plan), NAMES
    left = look(plan, withdrawn=[gone]).board
    among = {one for one in whole.board.decided if gone not in (one.better, one.worse)}
    assert any(gone in (one.better, one.worse) for one in whole.board.decided)
    assert {*left.decided} == among
    assert {*left.systems} == {*NAMES} - {gone}
    assert left.withdrawn == (gone,)
    assert {one.upper for one in left.standings} <= {*range(1, len(NAMES))}
    assert sorted(one.place for one in left.standings) == [*range(1, len(NAMES))]
    assert left.n_votes == whole.board.n_votes


def test_a_board_remembers_who_withdrew_and_its_plan(plan, tmp_path):
    state = read_board(write_board(look(plan, withdrawn=NAMES[-1:]).state))
    assert look(plan, state=state).board.withdrawn == (NAMES[-1],)
    plan.write_text(plan.read_text().replace("may_withdraw", "seed = 1\nmay_withdraw"))
    with pytest.raises(InvalidJudgments, match="this board was begun with another plan"):
        look(plan, state=state)
    with pytest.raises(UnknownOption, match="this board was begun with a plan"):
        watch(read(draw_table(900)), state=state)


@pytest.mark.parametrize("how", [{"withdrawn": NAMES[:1]}, {"plan_sha256": "0" * 64}])
def test_what_the_plan_does_not_allow_is_refused(plan, how):
    with pytest.raises(InvalidJudgments, match=r"may not be withdrawn|it was changed"):
        look(plan, **how)


def test_votes_of_a_planned_system_are_not_left_out(plan):
    data = read(draw_table(900), without=f"system={NAMES[-1]}")
    with pytest.raises(InvalidJudgments, match=f"--withdrawn {NAMES[-1]} takes it off the board"):
        watch(data, plan=plan)
    data = read(draw_table(900), without=f"system={NAMES[0]}")
    with pytest.raises(InvalidJudgments, match=r"keep all votes$"):
        watch(data, plan=plan)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("level = 0.9", "a plan names the systems"),
        ("systems = ['a', 'b']\nlooks = 3", "a board has no setting 'looks'"),
        ("systems = ['a', 'b']\nmay_withdraw = ['c']", "names c, which systems does not"),
        ("systems = ['a', 'b']\njudge_votes = true", "judge_votes cannot be True"),
        ("systems = ['a', 'b']\nvariants = {x = ['a'], y = ['a']}", "cannot have two owners"),
        ("systems = ['a', 'a']", "names a system twice"),
        ("systems = [1, 2]", "it is a list of names"),
        ("systems = ['a', 'b']\nvariants = {acme = 'a'}", "it is a list of names"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(tmp_path, text, why):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(UnknownOption, match=why):
        look(path)


def test_two_systems_stay_on_a_board(plan):
    text = plan.read_text().replace(f"['{NAMES[-1]}']", str([*NAMES]))
    plan.write_text(text)
    assert len(look(plan, withdrawn=NAMES[2:]).board.systems) == 2
    with pytest.raises(InvalidJudgments, match="fewer than two systems"):
        look(plan, withdrawn=NAMES[1:])


def test_who_withdraws_still_joins_the_others(plan):
    """The others met the withdrawn system alone, and are compared through it."""
    gone = NAMES[-1]
    table = draw_table(2000).filter((pl.col("left") == gone) | (pl.col("right") == gone))
    whole, left = look(plan, table).board, look(plan, table, withdrawn=[gone]).board
    assert left.groups == (tuple(sorted({*NAMES} - {gone})),)
    assert {*left.decided} == {one for one in whole.decided if gone not in (one.better, one.worse)}
    assert {*left.held} == {one for one in whole.held if gone not in (one.better, one.worse)}


def test_claims_by_judges_on_who_withdraws_go_too(plan):
    plan.write_text("judge_votes = 5\n" + plan.read_text())
    table = draw_table(3000, judges=40)
    assert any(NAMES[-1] in (one.better, one.worse) for one in look(plan, table).board.by_judges)
    left = look(plan, table, withdrawn=NAMES[-1:]).board.by_judges
    assert not any(NAMES[-1] in (one.better, one.worse) for one in left)


def test_what_is_given_beside_a_plan_may_be_the_same_in_another_order(plan):
    again = {"systems": NAMES[::-1], "settings": LiveLeaderboard(level=LEVEL), "order": "second"}
    assert look(plan, plan_sha256=sha256(plan.read_bytes()).hexdigest().upper(), **again).board
    with pytest.raises(UnknownOption, match=r"level is 0\.8, and the plan says 0\.9"):
        look(plan, settings=LiveLeaderboard(level=0.8))


def test_rows_that_the_plan_does_not_leave_out_are_named(plan):
    data = read(draw_table(900), without="judge=j03")
    (note,) = [
        one
        for one in watch(data, plan=plan).board.notes
        if getattr(one, "code", "") == "unplanned-rows"
    ]
    assert "j03" in note


def test_a_live_board_keeps_what_is_said_and_counts_what_is_excluded(plan, tmp_path):
    path, table = tmp_path / "votes.csv", draw_table(900)
    table.head(400).write_csv(path)

    def open_table(name):
        return read(name, where="judge <> 'j03'")

    votes = GrowingVotes(path, open_table, Beginning().follow(plan, None, {}))
    try:
        assert votes.look()
        before = votes.board
        with path.open("a") as file:
            file.write(table.tail(500).write_csv(include_header=False))
        assert votes.look()
        codes = [getattr(one, "code", "") for one in votes.board.notes]
        assert {"planned", "variants", "unplanned-rows"} <= {*codes}
        (first,), (last,) = before.excluded, votes.board.excluded
        assert first.rows < last.rows == table.filter(pl.col("judge") == "j03").height
    finally:
        votes.close()


def test_what_differs_from_the_plan_is_said(plan):
    gone = NAMES[-1]
    table = draw_table(900).filter((pl.col("left") != gone) & (pl.col("right") != gone))
    codes = {one.code: one for one in look(plan, table).board.notes if hasattr(one, "code")}
    assert gone in codes["no-votes-yet"]
    assert {"planned", "variants"} <= {*codes}


def test_systems_are_withdrawn_by_a_plan_alone():
    with pytest.raises(UnknownOption, match="name it"):
        watch(read(draw_table(90)), withdrawn=NAMES[:1])
