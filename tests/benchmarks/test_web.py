"""The bench of the web plays its judges against a server, and says what was seen."""

from pathlib import Path

import pytest
from benchmarks.measure import Failed
from benchmarks.web import organiser, peer, process, table
from benchmarks.web.measured import Plan, Row, measure
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


def test_the_best_of_several_rounds_counts() -> None:
    slow = Row(2, 2, "bare", "closed", per_s=10.0)
    fast = Row(2, 2, "bare", "closed", per_s=20.0, round=2)
    early = Row(2, 2, "bare", "open", per_s=20.0, p95_ms=5.0)
    late = Row(2, 2, "bare", "open", per_s=30.0, p95_ms=9.0, round=2)
    assert table.best([slow, fast, early, late]) == [fast, early]


def test_promises_are_met_or_missed_and_the_peer_is_compared() -> None:
    rows = [
        Row(2, 2, "evenhand", "open", 300.0, per_s=300.0, p95_ms=49.0, cpu_ms=1.0, load=0.5),
        Row(2, 2, "evenhand", "closed", per_s=299.0, cpu_ms=1.0, load=0.5),
        Row(2, 2, "pearmut", "closed", per_s=29.9, cpu_ms=20.0, load=0.5),
        Row(9, 9, "evenhand", "open", 300.0, per_s=300.0, p95_ms=51.0, cpu_ms=1.4, load=0.5),
    ]
    said = list(table.lines(rows))
    assert [line.split()[0] for line in said] == ["MISSED", "met", "ratio", "MISSED", "MISSED"]
    assert "10.0 x the judgments/s of pearmut, which takes 20.0 x the CPU" in said[2]
    assert "1.40 x as much" in said[4]


def test_without_a_python_that_is_new_enough_the_peer_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "_candidates", lambda: iter([str(tmp_path / "no-such-python")]))
    with pytest.raises(Failed, match=r"pearmut needs Python 3\.12 or newer, and there is none"):
        peer.install_pearmut(tmp_path)


def test_times_with_the_page_open_are_told_as_multiples_of_those_with_it_closed() -> None:
    rows = [
        organiser.Row(
            program="this", database="sqlite", mode=mode, round=number, stored=10, offered=1.0,
            judgments=10, unanswered=0, p50_ms=4.0, p95_ms=p95, p99_ms=2 * p95, looks=1,
            look_s=1.0, wal_mb=4.0, load=1.0,
        )
        for number, mode, p95 in (
            (1, "closed", 8.0), (1, "open", 16.0), (2, "closed", 4.0), (2, "open", 16.0),
        )
    ]  # fmt: skip
    told = "this, open against closed: p50 x 1.00, p95 x 3.00, p99 x 3.00 (median of the rounds)"
    assert list(organiser.compare(rows)) == [told]  # twice in one round, four times in the other
    assert "p95   16.0" in organiser.say(rows[1])
