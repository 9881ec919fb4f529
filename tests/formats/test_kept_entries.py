"""An entry of a cache is what was counted, or it is counted again: never something else."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import evenhand
from days_of_votes import frame
from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.formats import counting_files
from evenhand.formats.counting_files import count_files


def change(entry, **arrays):
    with np.load(entry) as kept:
        np.savez(entry, **{**kept, **arrays})


def change_head(entry, alter):
    with np.load(entry) as kept:
        head = json.loads(kept["head"].tobytes())
    alter(head)
    change(entry, head=np.frombuffer(json.dumps(head).encode(), np.uint8))


@pytest.fixture
def kept(tmp_path):
    """Votes, the folder of their entry, and the entry."""
    frame(300, 1).write_csv(tmp_path / "v.csv")
    count_files(tmp_path / "v.csv", cache=tmp_path / "kept")
    (entry,) = (tmp_path / "kept").iterdir()
    return tmp_path / "v.csv", tmp_path / "kept", entry


HEADS = {
    "no notes": lambda head: head.pop("notes"),
    "numbers for names": lambda head: head["tallies"][0].update(systems=[1, 2, 3, 4, 5]),
    "names out of order": lambda head: head["tallies"][0].update(systems=list("BACDE")),
    "a name twice": lambda head: head["tallies"][0].update(systems=list("AACDE")),
    "levels out of order": lambda head: head["tallies"][0]["factors"][0][1].reverse(),
    "fewer than no judgments": lambda head: head["tallies"][0].update(n_judgments=-5),
    "no number of judgments": lambda head: head["tallies"][0].update(n_judgments=float("nan")),
    "an older form": lambda head: (
        head.update(form="evenhand tallies 2"),
        head["tallies"][0].pop("of_rankings"),
    ),
}


@pytest.mark.parametrize("alter", HEADS.values(), ids=HEADS)
def test_an_entry_with_another_head_is_counted_again(alter, kept):
    path, folder, entry = kept
    right = evenhand.rank(count_files(path)).signature
    change_head(entry, alter)
    found = count_files(path, cache=folder)
    assert "counted again" in found.notes[-1]
    assert evenhand.rank(found).signature == right
    assert all(one.found for one in count_files(path, cache=folder).files)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_an_entry_with_counts_that_cannot_be_is_counted_again(value, kept):
    path, folder, entry = kept
    with np.load(entry) as arrays:
        wins = arrays["0.wins"].astype(float)
    wins[0] = value
    change(entry, **{"0.wins": wins})
    found = count_files(path, cache=folder)
    assert "counted again" in found.notes[-1]
    assert np.isfinite(found.tally().counts).all()


def test_what_is_kept_of_a_tally_comes_back(tmp_path):
    votes = pl.DataFrame({"left": ["A", "B"], "right": ["B", "C"], "outcome": ["left", "tie"]})
    prompts = pl.DataFrame({"prompt": ["p", "q"], "chosen": ["x", "y"], "rejected": ["y", "z"]})
    files = {
        "large": votes.with_columns(weight=pl.Series([2**24 + 1, 2**32 + 1])),
        "none": votes.with_columns(weight=pl.Series([0, 3])),
        "folded": prompts.with_columns(chosen_model=pl.lit("A"), rejected_model=pl.lit("B")),
    }
    for name, one in files.items():
        path, folder = tmp_path / f"{name}.csv", tmp_path / name
        one.write_csv(path)
        count_files(path, cache=folder)
        again, whole = count_files(path, cache=folder), evenhand.read(path).tally()
        assert again.files[0].found
        found = again.tally()
        np.testing.assert_array_equal(found.counts, whole.counts)
        assert found.positions_known == whole.positions_known == (name != "folded")
        assert found.zero_weight == whole.zero_weight == (name == "none")


def test_threads_may_share_a_folder(tmp_path):
    frame(50, 1).write_csv(tmp_path / "v.csv")
    for at in range(5):
        with ThreadPoolExecutor(6) as pool:
            one = [
                pool.submit(count_files, tmp_path / "v.csv", cache=tmp_path / f"kept{at}")
                for _ in range(6)
            ]
        assert [each.result().n_judgments for each in one] == [50] * 6
        assert [entry.suffix for entry in (tmp_path / f"kept{at}").iterdir()] == [".npz"]


@pytest.mark.parametrize("folder", ["", "x" * 300, "a\0b"])
def test_a_folder_that_cannot_be_named_is_refused_in_words(folder, kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownOption, match=r"name (a|another) folder"):
        count_files(kept[0], cache=folder)
    assert not list(tmp_path.glob("*.npz"))


def swap_before_counting(monkeypatch, path, other, times=1):
    """Let a file be replaced when it has been looked at, before it is counted."""
    count, left = counting_files._Way.count, [times]

    def after(way, file):
        if left[0]:
            left[0] -= 1
            path.write_text(other)
        return count(way, file)

    monkeypatch.setattr(counting_files._Way, "count", after)


def test_a_file_that_changes_before_it_is_counted_is_refused_and_not_kept(tmp_path, monkeypatch):
    path, folder = tmp_path / "v.csv", tmp_path / "kept"
    frame(300, 1).write_csv(path)
    swap_before_counting(monkeypatch, path, frame(500, 2).write_csv())
    with pytest.raises(UnknownFormat, match="was changed while it was read"):
        count_files(path, cache=folder)
    assert not folder.exists()
    assert count_files(path, cache=folder).tally().n_judgments == 500


def test_a_file_that_changed_since_is_not_counted_again_as_what_it_was(tmp_path):
    path, folder = tmp_path / "v.csv", tmp_path / "kept"
    frame(300, 1).write_csv(path)
    counted = count_files(path, cache=folder)
    for entry in folder.iterdir():
        entry.unlink()
    frame(500, 2).write_csv(path)
    with pytest.raises(UnknownFormat, match="was changed"):
        counted.tally()
    path.unlink()
    with pytest.raises(UnknownFormat, match=r"v\.csv"):
        counted.tally()


def test_the_ending_of_a_name_says_how_a_file_is_read_and_so_what_was_counted(kept):
    path, folder, _ = kept
    path.rename(path.with_suffix(".jsonl"))
    with pytest.raises(UnknownFormat, match="is not JSON"):
        count_files(path.with_suffix(".jsonl"), cache=folder)


def test_what_is_counted_apart_is_not_taken_for_what_is_counted_together(kept, monkeypatch):
    path, folder, _ = kept
    monkeypatch.setattr(counting_files, "JOINT", 100)
    (one,) = count_files(path, cache=folder).files
    assert not one.found
    assert one.names == (("judge",), ("item",))


def test_an_entry_for_which_there_is_no_room_leaves_nothing_behind(tmp_path, monkeypatch):
    def fill(file, **_):
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    frame(30, 1).write_csv(tmp_path / "v.csv")
    monkeypatch.setattr(np, "savez", fill)
    with pytest.raises(UnknownOption, match="No space left on device; name another folder"):
        count_files(tmp_path / "v.csv", cache=tmp_path / "kept")
    assert not list((tmp_path / "kept").iterdir())
