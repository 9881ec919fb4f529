"""What cannot be compared is refused in one line that says what is wrong, where, and what to do."""

from pathlib import Path

import pytest

from evenhand import meta_evaluate
from evenhand.errors import EvenhandError
from evenhand.metrics.scores import gather_scores

PEOPLE = {
    "judge": list("aaabbb"),
    "item": [1, 1, 1, 2, 2, 2],
    "system": list("xyzxyz"),
    "score": [3, 4, 1, 2, 5, 3],
}
VOTES = {
    "judge": list("aabbb"),
    "item": [1, 1, 2, 2, 1],
    "left": list("xyzxz"),
    "right": list("yzxyy"),
    "outcome": ["left", "right", "tie", "right", "left"],
}
CRITERIA = {**PEOPLE, "criterion": ["mqm", "da"] * 3}
OK = {"item": PEOPLE["item"], "system": PEOPLE["system"], "bleu": [1.0, 2, 3, 2, 3, 1]}


PLACES = {"item": OK["item"], "system": OK["system"]}


def take(rows, table=OK):
    return {name: [column[at] for at in rows] for name, column in table.items()}


def change(**columns):
    return {**OK, **columns}


# what people said, scores, settings, and words of the refusal
REFUSED = {
    "a cell": (PEOPLE, take([0, 1, 2, 3, 4]), {}, "1 output .* bleu of z on 2.*--where"),
    "a system": (PEOPLE, take([0, 1, 3, 4]), {}, "bleu has no score of z.*--without system=z"),
    "an item": (PEOPLE, take([0, 1, 2]), {}, "1 of the 2 items .* no scores of metrics: 2"),
    "all items": (
        PEOPLE,
        change(item=list("pppqqq")),
        {},
        r"\(p, q\) than .* judged \(1, 2\)",
    ),
    "no item": (PEOPLE, change(item=[1, 1, 1, 2, 2, None]), {}, r"no item \(row 6\): fill it, or"),
    "scores too large": (
        PEOPLE,
        change(bleu=[1e307, -1e307, 2, 3, 4, 5]),
        {},
        r"\(rows 1, 2\) is infinite, or 1e100 or more",
    ),
    "scores too small": (
        PEOPLE,
        change(bleu=[1e-310, 2e-310, 3e-310, 0, 4e-310, -5e-310]),
        {},
        r"scores of bleu are too small to compute with \(5e-310 at most in absolute value\)",
    ),
    "names": (PEOPLE, change(system=list("pqrpqr")), {}, "judged x, y, z and metrics scored p, q"),
    "one system": (take([0, 3], PEOPLE), take([0, 3]), {}, "people judged one system, x"),
    "swapped": (
        OK | {"score": OK["bleu"]},
        {**PEOPLE, "score": [1, 2, 3, 4, 5, 6]} | {"item": [1] * 6},
        {},
        "if these are people's, name them first: evenhand metrics",
    ),
    "votes for scores": (PEOPLE, VOTES, {}, "holds comparisons, and no scores of metrics"),
    "no system": (
        PEOPLE,
        {"item": [1], "bleu": [2.0]},
        {},
        "call it system, or, .* It has item, bleu",
    ),
    "words": (
        PEOPLE,
        change(bleu=list("abcdef")),
        {},
        "'a' in column 'bleu' of dict .row 1. is not a number.*write its scores as numbers$",
    ),
    "two scores": (
        PEOPLE,
        take([0, 0, 1, 2, 3, 4, 5], {**OK, "bleu": [1.0, 2, 3, 2, 3, 1]})
        | {name: [1.0, 9.0, 2, 3, 2, 3, 1] for name in ("bleu", "comet")},
        {},
        "bleu gives the output of x on 1 different scores .*1 output with",
    ),
    "statistic": (PEOPLE, OK, {"statistics": ["kendal"]}, "no statistic 'kendal'"),
    "grouping": (
        PEOPLE,
        OK,
        {"statistics": ["acc-eq"], "group": "none"},
        "acc-eq cannot be computed here: choose spa",
    ),
    "test": (PEOPLE, OK, {"test": "perm-input"}, "test cannot be 'perm-input'"),
    "seed": (PEOPLE, OK, {"seed": -1}, "seed"),
    "no level": (
        PEOPLE,
        {"system": list("xyz"), "bleu": [1.0, 2, 3]},
        {"level": "segment"},
        "no statistics at the level of segments",
    ),
    "model": (PEOPLE, OK, {"model": "bradley-terry"}, "ratings need no model"),
    "no model": (VOTES, OK, {"model": "elo"}, "model cannot be 'elo'"),
    "criterion of votes": (VOTES, OK, {"criterion": "mqm"}, "to ratings only: leave them out"),
    "criterion": (CRITERIA, None, {"criterion": "mqn"}, "no criterion 'mqn'"),
    "no criterion": (CRITERIA, None, {}, r"others with: --criterion da \| mqm"),
    "scores alone": (
        {"metric": ["m"] * 6, **{n: PEOPLE[n] for n in ("item", "system", "score")}},
        None,
        {},
        "dict has no judgments beside its metrics: evenhand metrics RATINGS dict",
    ),
    "unscored pairs": (VOTES, take([0, 1, 2]), {}, "2 of 5 comparisons .*items: 2"),
    "a cell of text": (
        PEOPLE,
        change(bleu=["1", "2", "x", "2", "3", "1"]),
        {},
        "1 output .* bleu of z on 1 .'x' in column 'bleu' of dict .row 3. .*--where",
    ),
    "another task": (
        {**PEOPLE, "task": ["fr"] * 6},
        {**OK, "task": ["de"] * 6},
        {},
        "people judged task fr, and metrics scored de: add scores, or give tasks the same names",
    ),
    "means of other items": (
        {name: column for name, column in VOTES.items() if name != "item"},
        take([0, 1, 2, 4, 5]),
        {},
        "bleu has scores of x on 1 of 2 items.*--without system=x",
    ),
    "no item in common": (
        PEOPLE,
        [take([0, 1, 2]), {**take([3, 4, 5], PLACES), "chrf": [1.0, 2, 3]}],
        {},
        "no output has scores of all metrics",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_words(name):
    people, scores, settings, words = REFUSED[name]
    with pytest.raises(EvenhandError, match=words) as refusal:
        meta_evaluate(people, scores, **settings)
    assert "\n" not in str(refusal.value)
    assert "nan" not in str(refusal.value).lower()


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("--", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


GOLD, METRIC = "human-scores__en-de--mqm--seg--score", "metric-scores__en-de__BLEU--seg--score"
FOLDERS = {
    "uneven": ({GOLD: "x 1\nx 2\ny 1\n", METRIC: "x 1\ny 2\n"}, "1 scores of y and 2"),
    "three words": ({GOLD: "x 1\ny 2 3\n", METRIC: "x 1\ny 2\n"}, "line 2 of en-de.mqm.seg.score"),
    "no number": (
        {GOLD: "x 1\ny b\n", METRIC: "x 1\ny 2\n"},
        "y b'. Write both with a tab between",
    ),
    "empty": ({GOLD: "", METRIC: "x 1\ny 2\n"}, "is empty"),
    "no metrics": ({GOLD: "x 1\ny 2\n"}, "metric-scores' is not there"),
    "documents": (
        {
            GOLD: "x 1\nx 2\ny 1\ny 2\n",
            METRIC: "x 1\nx 2\ny 1\ny 2\n",
            "documents__en-de--docs": "a",
        },
        "en-de.docs' has 1 line, and people's scores are of 2 items",
    ),
    "no people": ({METRIC: "x 1\ny 2\n"}, "a folder without human-scores"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_with_faults_are_refused(name, tmp_path):
    files, words = FOLDERS[name]
    with pytest.raises(EvenhandError, match=words):
        meta_evaluate(write(tmp_path, **files))


def test_metrics_that_scored_other_tasks_are_named_with_these():
    """People judged tasks a and c, and a metric beside them scored task b alone."""
    table = {name: column * 3 for name, column in PEOPLE.items()}
    table |= {"task": [*("a" * 6), *("c" * 6), *("b" * 6)]}
    table |= {"criterion": ["mqm"] * 12 + ["bleu"] * 6}
    with pytest.raises(EvenhandError) as refusal:
        meta_evaluate(table, criterion="mqm")
    assert str(refusal.value).startswith("a: its outputs have no scores of metrics, which are of b")


def test_remedies_of_a_model_do_not_name_the_model_that_was_asked_for():
    vote = {name: column[:1] for name, column in VOTES.items()}
    with pytest.raises(EvenhandError) as refusal:
        meta_evaluate(vote, OK, model="bradley-terry-prior")
    assert "--model" not in str(refusal.value)


def test_lines_with_too_many_fields_are_skipped_where_that_is_asked(tmp_path):
    (tmp_path / "scores.csv").write_text(
        "system,item,bleu\nx,1,1\nx,1,1,9\ny,1,2\nz,1,3\nx,2,2\ny,2,3\nz,2,1\n"
    )
    found = gather_scores(str(tmp_path / "scores.csv"), settings={"skip_bad_rows": True})
    assert found.values.tolist() == [[[1, 2], [2, 3], [3, 1]]]


def test_scores_of_whole_systems_are_compared_in_each_language_pair(tmp_path):
    names = {GOLD: "".join(f"{x} {i + s}\n" for i, x in enumerate("uvwxyz") for s in (0, 2, 1))}
    names["metric-scores__en-de__BLEU--sys--score"] = "".join(
        f"{x} {i * i}\n" for i, x in enumerate("uvwxyz")
    )
    found = meta_evaluate(write(tmp_path, **names))
    assert "group" not in str(type(found).__name__).lower()
    assert found.values["pa"].tolist() == [1]
