"""A board by a plan that was written before its first vote."""

from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

from evenhand import InvalidJudgments, UnknownOption, read
from evenhand.ranking.sequential.leaderboard import read_board, write_board
from evenhand.ranking.sequential.watch import Watched, watch
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
    from evenhand import LiveLeaderboard

    planned = look(plan).board
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


def test_who_withdraws_before_any_vote_bars_nobody_from_leading(plan):
    gone = NAMES[-1]
    table = draw_table(900).filter((pl.col("left") != gone) & (pl.col("right") != gone))
    found = look(plan, table, withdrawn=[gone]).board
    assert found.unjoined == ""
    assert found.says[0]
    assert gone not in found.systems


def test_a_board_remembers_who_withdrew_and_its_plan(plan, tmp_path):
    state = read_board(write_board(look(plan, withdrawn=NAMES[-1:]).state))
    assert look(plan, state=state).board.withdrawn == (NAMES[-1],)
    plan.write_text(plan.read_text().replace("may_withdraw", "seed = 1\nmay_withdraw"))
    with pytest.raises(InvalidJudgments, match="this board began by another plan"):
        look(plan, state=state)


@pytest.mark.parametrize("how", [{"withdrawn": NAMES[:1]}, {"plan_sha256": "0" * 64}])
def test_what_the_plan_does_not_allow_is_refused(plan, how):
    with pytest.raises(InvalidJudgments, match=r"may not be withdrawn|it was changed"):
        look(plan, **how)


def test_votes_of_a_planned_system_are_not_left_out(plan):
    data = read(draw_table(900), without=f"system={NAMES[-1]}")
    with pytest.raises(InvalidJudgments, match=f"--withdrawn {NAMES[-1]} takes it from the board"):
        watch(data, plan=plan)


def test_systems_are_withdrawn_by_a_plan_alone():
    with pytest.raises(UnknownOption, match="name it"):
        watch(read(draw_table(90)), withdrawn=NAMES[:1])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("level = 0.9", "a plan names the systems"),
        ("systems = ['a', 'b']\nlooks = 3", "a board has no setting 'looks'"),
        ("systems = ['a', 'b']\nmay_withdraw = ['c']", "names c, which systems does not"),
        ("systems = ['a', 'b']\nlevel = true", "level cannot be True"),
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


def test_what_differs_from_the_plan_is_said(plan):
    gone = NAMES[-1]
    table = draw_table(900).filter((pl.col("left") != gone) & (pl.col("right") != gone))
    codes = {one.code: one for one in look(plan, table).board.notes if hasattr(one, "code")}
    assert gone in codes["no-votes-yet"]
    assert {"planned", "variants"} <= {*codes}
