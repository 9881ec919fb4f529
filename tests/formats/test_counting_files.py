"""Files counted one by one rank as they do when they are read as one, and are counted once."""

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from days_of_votes import frame
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption
from evenhand.formats import counting_files
from evenhand.formats.counting_files import count_files
from evenhand.formats.fingerprint import BLOCK, BLOCKS, find_fingerprint
from evenhand.ranking import clustering


def forbid_reading(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a file was read")

    monkeypatch.setattr(counting_files._Way, "count", refuse)


def assert_same(one, two):
    assert one.signature == two.signature
    assert one.systems == two.systems
    np.testing.assert_array_equal(one.log_worth, two.log_worth)
    np.testing.assert_array_equal(one.rank_sets.statistic, two.rank_sets.statistic)
    assert (one.n_judgments, one.n_judges, one.n_items) == (
        two.n_judgments,
        two.n_judges,
        two.n_items,
    )


@pytest.mark.parametrize("cached", [True, False])
def test_a_folder_of_parts_ranks_as_if_it_were_read_as_one(days, cached, tmp_path):
    whole = evenhand.rank(evenhand.read(days))
    counted = count_files(days, cache=tmp_path / "kept" if cached else None)
    assert_same(evenhand.rank(counted), whole)
    assert counted.notes[0].startswith("read comparisons")


def test_a_tally_ranks_as_the_judgments_that_it_counts(days):
    data = evenhand.read(days)
    assert_same(evenhand.rank(data.tally(by=("judge", "item"))), evenhand.rank(data))
    only = {"interval": "sandwich", "cluster": "judge"}
    assert evenhand.rank(data.tally(by=("judge",)), **only).signature == (
        evenhand.rank(data, **only).signature
    )


def test_more_judges_than_clusters_are_merged_over_all_files(tmp_path):
    for at in range(2):
        frame(900, at, judges=300).write_parquet(tmp_path / f"{at}.parquet")
    counted = count_files(tmp_path / "*.parquet", cache=tmp_path / "kept")
    assert_same(evenhand.rank(counted), evenhand.rank(evenhand.read(tmp_path / "*.parquet")))


def test_very_many_judgments_are_counted_by_judge_and_by_item_apart(days, tmp_path, monkeypatch):
    assert counting_files.JOINT == clustering.JOINT
    # the package lends the function of this name
    for module in (counting_files, clustering, sys.modules["evenhand.ranking.rank"]):
        monkeypatch.setattr(module, "JOINT", 100)
    counted = count_files(days, cache=tmp_path / "kept")
    assert_same(evenhand.rank(counted), evenhand.rank(evenhand.read(days)))
    with pytest.raises(UnknownOption, match="by judge and by item alone"):
        counted.tally(by=("judge", "item"))


def test_what_was_counted_is_not_read_again(days, tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    first = evenhand.rank(count_files(days, cache=kept))
    forbid_reading(monkeypatch)
    again = count_files(days, cache=kept)
    assert all(one.found for one in again.files)
    assert_same(evenhand.rank(again), first)


def test_an_interrupted_run_goes_on_where_it_stopped(days, tmp_path, monkeypatch):
    kept, seen, count = tmp_path / "kept", [], counting_files._Way.count

    def stop_at_the_third(way, path):
        seen.append(path)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return count(way, path)

    monkeypatch.setattr(counting_files._Way, "count", stop_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        count_files(days, cache=kept)
    assert [one.found for one in count_files(days, cache=kept).files] == [True, True, False]
    assert not list(kept.glob("*.part"))


def test_a_file_that_changed_is_counted_again_and_others_are_not(days, tmp_path):
    kept = tmp_path / "kept"
    count_files(days, cache=kept)
    frame(140, 9).write_parquet(days / "day=2" / "part.parquet")
    again = count_files(days, cache=kept)
    assert [one.found for one in again.files] == [True, False, True]
    assert again.n_judgments == 440


@pytest.mark.parametrize("what", ["cut", "text", "turned bits", "another file's", "codes"])
def test_a_damaged_or_foreign_entry_is_counted_again_and_said(what, days, tmp_path):
    kept = tmp_path / "kept"
    right = count_files(days, cache=kept)
    one, two, _ = sorted(kept.iterdir())
    if what == "codes":
        with np.load(one) as arrays:
            np.savez(one, **{**arrays, "0.left": np.full_like(arrays["0.left"], 77)})
    else:
        data = bytearray(one.read_bytes())
        data[data.index(b"j003")] ^= 1  # a judge's name, which nothing but a checksum can tell
        changed = {"cut": data[:900], "text": b"no tally", "turned bits": data}
        one.write_bytes(changed.get(what) or two.read_bytes())
    found = count_files(days, cache=kept)
    assert sum(part.found for part in found.files) == 2
    assert "is damaged or no tally of" in found.notes[-1]
    np.testing.assert_array_equal(found.tally().counts, right.tally().counts)
    assert all(part.found for part in count_files(days, cache=kept).files)


def test_a_folder_cleared_meanwhile_costs_another_look_at_the_files(days, tmp_path):
    counted = count_files(days, cache=tmp_path / "kept")
    for entry in (tmp_path / "kept").iterdir():
        entry.unlink()
    assert counted.tally().n_judgments == 450


def test_tasks_named_by_folders_are_ranked_apart(tmp_path):
    for at, task in enumerate(("de-en", "fr-en")):
        (tmp_path / f"task={task}").mkdir()
        frame(200, at).write_parquet(tmp_path / f"task={task}" / "a.parquet")
    counted = count_files(tmp_path, cache=tmp_path / "kept")
    apart, whole = evenhand.rank(counted), evenhand.rank(evenhand.read(tmp_path))
    assert list(apart) == ["de-en", "fr-en"] == list(counted.tasks)
    for name in apart:
        assert_same(apart[name], whole[name])
    one = count_files(tmp_path, task="fr-en")
    assert one.notes[-1] == "1 of 2 files hold nothing that counts"
    assert_same(evenhand.rank(one), evenhand.rank(evenhand.read(tmp_path, task="fr-en")))
    assert "excluded 200 of 400 rows" in evenhand.rank(one).signature
    with pytest.raises(InvalidJudgments, match="no judgments of task 'xx'"):
        count_files(tmp_path, task="xx")


def test_groups_are_counted_in_the_same_pass(days):
    data = evenhand.read(days)
    found = evenhand.rank(count_files(days, group_by="day"), group_by="day")
    whole = evenhand.rank(data, group_by="day")
    for name in whole:
        assert_same(found[name], whole[name])
    with pytest.raises(UnknownColumn, match="do not tell apart day"):
        evenhand.rank(count_files(days), group_by="day")


def test_rankings_are_answers_in_each_task(tmp_path):
    rows = [(f"r{i}", s, 1 + (at + i) % 3) for i in range(40) for at, s in enumerate("abc")]
    columns = {"ranking": 0, "system": 1, "rank": 2}
    table = pl.DataFrame({name: [row[at] for row in rows] for name, at in columns.items()})
    table = table.with_columns(
        task=pl.when(pl.col("ranking") < "r2").then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    table.write_csv(tmp_path / "one.csv")
    counted, whole = count_files(tmp_path / "one.csv"), evenhand.read(tmp_path / "one.csv")
    found = evenhand.rank(counted)
    for name, one in evenhand.rank(whole).groups.items():
        assert (found[name].signature, found[name].answers) == (one.signature, "rankings")
    tally = whole.comparisons().tally(by=("task",))
    with pytest.raises(UnknownOption, match="count by ranking as well"):
        evenhand.rank(tally)


def test_files_that_are_not_alike_are_refused(tmp_path):
    frame(20, 1).write_parquet(tmp_path / "a.parquet")
    frame(20, 2).drop("item").write_parquet(tmp_path / "b.parquet")
    with pytest.raises(UnknownFormat, match=r"b\.parquet has no column item, which .*a\.parquet"):
        count_files(tmp_path)


def test_what_needs_the_judgments_is_refused(days):
    counted = count_files(days)
    with pytest.raises(UnknownOption, match="random-judges needs the judgments themselves"):
        evenhand.rank(counted, model="random-judges")
    with pytest.raises(UnknownOption, match="a mix or a judge cap needs the judgments"):
        evenhand.rank(counted, judge_cap="median")
    with pytest.raises(InvalidJudgments, match="not list"):
        evenhand.rank([])


def test_a_folder_that_cannot_be_is_refused(days, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(UnknownOption, match="tallies cannot be kept in"):
        count_files(days, cache=tmp_path / "taken")


def test_yesterdays_ranking_is_where_todays_starts(days):
    parts = count_files(days).files
    yesterday = evenhand.rank(
        evenhand.add_tallies([one.load().tallies["judge", "item"] for one in parts[:2]])
    )
    cold, warm = evenhand.rank(count_files(days)), evenhand.rank(count_files(days), start=yesterday)
    assert warm.signature == cold.signature
    np.testing.assert_allclose(warm.log_worth, cold.log_worth, rtol=0, atol=1e-9)
    with pytest.raises(UnknownOption, match="takes no start"):
        evenhand.rank(evenhand.read(days), model="plackett-luce", start=yesterday)


def test_progress_is_told_in_bytes(days):
    told: list[tuple[int, int]] = []
    count_files(days, progress=lambda done, total: told.append((done, total)))
    sizes = [path.stat().st_size for path in sorted(days.rglob("*.parquet"))]
    assert told == [(sum(sizes[:at]), sum(sizes)) for at in range(4)]


def test_a_fingerprint_tells_contents_apart_that_have_one_size_and_time(tmp_path: Path):
    path = tmp_path / "large"
    data = bytearray(BLOCK * (BLOCKS + 2))

    def write() -> object:
        path.write_bytes(data)
        os.utime(path, ns=(1, 1))
        return find_fingerprint(path)

    before = write()
    assert write() == before
    data[-1] = 1
    assert write() != before


def test_a_fingerprint_tells_when_a_file_was_written(tmp_path: Path):
    path = tmp_path / "v.csv"
    path.write_bytes(b"left,right\n")
    os.utime(path, ns=(1, 1))
    before = find_fingerprint(path)
    os.utime(path, ns=(1, 2))
    assert find_fingerprint(path) != before
