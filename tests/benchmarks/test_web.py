"""The bench of the web plays its judges against a server, and says what was seen."""

from pathlib import Path

import pytest
from benchmarks.web import process, table
from benchmarks.web.measured import Plan, measure
from benchmarks.web.work import Work, write_evenhand, write_pearmut

from evenhand.design.assignment import assign
from evenhand.design.reading import read_campaign

TOY = Work(items=60, judges=6, per_item=2)


def test_both_servers_are_given_the_same_work(tmp_path: Path) -> None:
    """Each item is seen by as many judges, and all judges have the same share."""
    tickets = assign(read_campaign(write_evenhand(tmp_path, TOY)))
    sittings = TOY.sittings()
    assert len(tickets) == TOY.tickets == sum(map(len, sittings)) == 120
    assert {len(mine) for mine in sittings} == {len(set(mine)) for mine in sittings} == {20}
    assert write_pearmut(tmp_path, TOY).read_text().count('"item_id"') == TOY.tickets


@pytest.mark.skipif(not process.PROC.joinpath("self/stat").exists(), reason="there is no /proc")
def test_judges_are_played_against_the_bare_server_and_evenhand() -> None:
    rows = list(measure(TOY, Plan(seconds=1.0, rate=40)))
    told = [(row.contender, row.phase) for row in rows]
    phases = [(name, phase) for name in ("bare", "evenhand") for phase in ("open", "closed")]
    assert told == [("append", "one by one"), ("commit", "one by one"), *phases]
    assert [row.note for row in rows if row.per_s is None] == []
    ours = rows[-2]
    assert ours.judgments
    assert ours.p50_ms is not None
    assert ours.p95_ms is not None
    assert 0 < ours.p50_ms <= ours.p95_ms
    assert "no work was left" in rows[-1].note  # six judges without a pause are soon done
    said = "\n".join([table.case(rows), *table.lines(rows)])
    assert "evenhand" in said
    assert "judgments/s, at least 300" in said
