"""What is kept of a file is what was asked of it, and nothing that may have changed since."""

import polars as pl
import pytest

import evenhand
from days_of_votes import frame
from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.formats.counting_files import count_files


def test_what_is_asked_otherwise_is_counted_otherwise(days, tmp_path):
    kept = tmp_path / "kept"
    count_files(days, cache=kept)
    some = count_files(days, cache=kept, where="judge < 'j006'")
    assert not any(one.found for one in some.files)
    assert some.n_judgments < 450


@pytest.mark.parametrize(
    "asked",
    [
        {"outcomes": {"left": "right", "right": "left", "tie": "tie"}},
        {"columns": {"left": "right", "right": "left"}},
        {"format": "comparisons"},
        {"weights": "importance"},
        {"group_by": "item"},
        {"task": "one"},
    ],
    ids=lambda one: next(iter(one)),
)
def test_each_wish_is_counted_by_itself(asked, tmp_path):
    votes = frame(60, 3).with_columns(
        weight=pl.lit(2), task=pl.Series(["one", "two", "two"] * 20, dtype=pl.String)
    )
    votes.write_parquet(tmp_path / "votes.parquet")
    kept = tmp_path / "kept"
    count_files(tmp_path / "votes.parquet", cache=kept)
    (other,) = count_files(tmp_path / "votes.parquet", cache=kept, **asked).files
    assert not other.found
    (same,) = count_files(tmp_path / "votes.parquet", cache=kept, **asked).files
    assert same.found


@pytest.mark.parametrize(
    ("where", "asked"),
    [
        ("judge <> cast(now() as varchar)", "now"),
        ("judge <> cast(current_date as varchar)", "current_date"),
    ],
)
def test_a_condition_that_may_change_while_files_do_not_is_not_kept(where, asked, days, tmp_path):
    with pytest.raises(UnknownOption, match=f"asks for {asked}, which may change"):
        count_files(days, cache=tmp_path / "kept", where=where)
    assert count_files(days, where=where).n_judgments > 0


def test_files_that_call_a_role_differently_are_refused_as_when_read_together(tmp_path):
    rows = "A,B,left,j1\nA,B,right,j2\n"
    (tmp_path / "a.csv").write_text("left,right,outcome,judge\n" + rows)
    (tmp_path / "b.csv").write_text("left,right,outcome,annotator\n" + rows)
    both = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(UnknownFormat, match=r"judge is 'judge' in .* and 'annotator' in"):
        count_files(both, cache=tmp_path / "kept")
    with pytest.raises(UnknownFormat):
        evenhand.read(both)
