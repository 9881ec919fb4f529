"""The comparison finds what was changed, and passes over what was declared."""

from copy import deepcopy
from pathlib import Path

import pytest

from corpus.answers import Answer, Renamed, answer, are_same, compare
from corpus.runner import Case, Run, read_cases, select

KEPT: Answer = {
    "case": "rank/votes",
    "form": "json",
    "words": "rank votes.csv",
    "code": 0,
    "out": {
        "says": "A is the best of 2 systems",
        "systems": [
            {"system": "A", "rank": 1, "log_worth": 0.7338491518449677, "p": 3.2e-9},
            {"system": "B", "rank": 2, "log_worth": 0.0, "p": None},
        ],
        "notes": ["read comparisons", "A tie counts for none"],
        "converged": True,
    },
    "err": "",
}


def change(path: str, value: object, kept: Answer = KEPT) -> Answer:
    """The answer with another value under a path such as `out.systems.0.rank`."""
    new = deepcopy(kept)
    at, *steps = path.split(".")
    place = new
    for step in steps:
        place, at = place[int(at) if isinstance(place, list) else at], step
    place[int(at) if isinstance(place, list) else at] = value
    return new


def told(new: Answer, renamed: Renamed | None = None, kept: Answer = KEPT, *, text=False) -> list:
    return [str(one) for one in compare(kept, new, renamed or Renamed(), text=text)]


def test_the_same_answer_differs_nowhere() -> None:
    assert told(KEPT) == []


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (
            "out.systems.0.log_worth",
            0.7338501519449677,
            "systems[0].log_worth: 0.7338491518449677 → 0.7338501519449677",
        ),
        ("out.systems.0.rank", 2, "systems[0].rank: 1 → 2"),
        ("out.systems.1.rank", 2.0, "systems[1].rank: 2 → 2.0"),
        ("out.systems.0.p", 3.3e-9, "systems[0].p: 3.2e-09 → 3.3e-09"),
        ("out.systems.0.p", None, "systems[0].p: 3.2e-09 → null"),
        ("out.says", "A leads", 'says: "A is the best of 2 systems" → "A leads"'),
        ("out.notes.1", "ties count", 'notes[1]: "A tie counts for none" → "ties count"'),
        ("out.notes", ["read comparisons"], "notes (length): 2 → 1"),
        ("out.converged", 1, "converged: true → 1"),
        ("out.new", 1, "new: nothing → 1"),
        ("code", 1, "exit code: 0 → 1"),
        ("err", "note  slow", 'stderr line 1: nothing → "note  slow"'),
    ],
)
def test_a_planted_change_is_printed_by_its_key(path: str, value: object, line: str) -> None:
    assert line in told(change(path, value))


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (0.7338491518449677, 0.7338491518449679, True),
        (1e12, 1e12 + 0.5, True),
        (1.0, 1.0 + 2e-7, False),
        (3e-17, -2e-16, True),
        (0.0, 9e-13, True),
        (0.0, 2e-12, False),
        (3e-10, 3.000001e-10, False),
        (float("nan"), float("nan"), True),
        (float("inf"), float("inf"), True),
        (float("inf"), 1e300, False),
        (1, 1.0, False),
        (1, True, False),
        ("1", 1, False),
    ],
)
def test_numbers_are_the_same_to_a_relative_1e_7(old: object, new: object, same: object) -> None:
    assert are_same(old, new) is same


def test_a_p_value_has_digits_however_small_it_is() -> None:
    assert not are_same(3e-40, 3.1e-40, "p")
    assert are_same(3e-40, 3.1e-40, "estimate")


TABLE = "system,rank,log_worth\nA,1,0.5\nB,2,1e-17\n"


@pytest.mark.parametrize(
    ("table", "lines"),
    [
        (TABLE.replace("1e-17", "0.0"), []),
        (TABLE.replace("0.5", "0.500001"), ['row 1, log_worth: "0.5" → "0.500001"']),
        (TABLE.replace("B,2", "B,1"), ['row 2, rank: "2" → "1"']),
        (TABLE + "C,3,0\n", ["rows: 2 → 3"]),
        (
            TABLE.replace("rank", "place"),
            ['columns: ["system", "rank", "log_worth"] → ["system", "place", "log_worth"]'],
        ),
    ],
)
def test_tables_are_compared_cell_by_cell(table: str, lines: list[str]) -> None:
    kept = {**KEPT, "form": "csv", "out": TABLE}
    assert told({**kept, "out": table}, kept=kept) == lines


def test_text_is_compared_where_that_is_asked_and_always_of_refusals() -> None:
    kept = {**KEPT, "form": "text", "out": "says A\n"}
    new = {**kept, "out": "says B\n"}
    assert told(new, kept=kept) == []
    assert told(new, kept=kept, text=True) == ['line 1: "says A" → "says B"']
    refused = {**kept, "code": 2, "out": "", "err": "error  no such file\n"}
    assert told({**refused, "err": "error  no file\n"}, kept=refused) == [
        'stderr line 1: "error  no such file" → "error  no file"'
    ]


def test_files_that_a_command_writes_are_part_of_its_answer() -> None:
    kept = {**KEPT, "out": {}, "files": {"out.csv": TABLE, "board.json": {"n": 1}}}
    new = {**kept, "files": {"out.csv": TABLE.replace("0.5", "0.6"), "board.json": {"n": 2}}}
    assert told(new, kept=kept) == [
        'file out.csv: row 1, log_worth: "0.5" → "0.6"',
        "file board.json: n: 1 → 2",
    ]
    gone = {**kept, "files": {"board.json": {"n": 1}}}
    assert told(gone, kept=kept) == ['file out.csv: "a file" → nothing']


def declare(path: Path, text: str) -> Renamed:
    path.write_text(text, encoding="utf-8")
    return Renamed.read(path)


def test_renamed_keys_are_no_differences(tmp_path: Path) -> None:
    new = change("out.systems", [{"name": "A", "place": 1}])
    kept = change("out.systems", [{"system": "A", "rank": 1}])
    names = '[[key]]\nold = "systems.system"\nnew = "name"\n[[key]]\nold = "rank"\nnew = "place"\n'
    assert told(new, kept=kept) != []
    assert told(new, declare(tmp_path / "all.toml", names), kept) == []
    other = names.replace('"place"', '"place"\ncase = "fit/*"')
    assert told(new, declare(tmp_path / "other.toml", other), kept) == [
        "systems[0].rank: 1 → nothing",
        "systems[0].place: nothing → 1",
    ]
    table = {**KEPT, "form": "csv", "out": TABLE}
    turned = {**table, "out": TABLE.replace("rank", "place")}
    assert told(turned, declare(tmp_path / "all.toml", names), table) == []


def test_words_that_were_changed_on_purpose_are_free_and_numbers_beside_them_are_not(
    tmp_path: Path,
) -> None:
    free = declare(tmp_path / "r.toml", '[[words]]\nkey = "notes"\ncase = "rank/*"\nreason = "x"\n')
    assert told(change("out.notes", ["other", "words", "here"]), free) == []
    assert told(change("out.notes", [1]), free) != []
    assert told(change("out.says", "other"), free) != []


def test_renamed_verbs_and_options_run_under_their_new_names(tmp_path: Path) -> None:
    text = (
        '[[command]]\nold = "doubt"\nnew = "robust"\n'
        '[[command]]\nold = "--interval model"\nnew = "--errors plain"\ncase = "rank/*"\n'
        '[[deleted]]\ncase = "rank/lot*"\nreason = "gone"\n'
    )
    renamed = declare(tmp_path / "r.toml", text)
    assert renamed.rewrite(("doubt", "v.csv")) == ("robust", "v.csv")
    words = ("rank", "v.csv", "--interval", "model", "--elo")
    assert renamed.rewrite(words) == ("rank", "v.csv", "--errors", "plain", "--elo")
    assert renamed.rewrite(("fit", "--interval", "model")) == ("fit", "--interval", "model")
    assert renamed.is_deleted("rank/lottery")
    assert not renamed.is_deleted("rank/votes")


def make_run(out: str, form: str = "json", name: str = "compare/votes") -> Run:
    return Run(Case(name, "fast", ("compare", "votes.csv"), (form,)), form, 0, out, "")


def test_what_changes_by_its_nature_is_masked() -> None:
    text = '{"seconds": 1.5, "signature": "evenhand 0.1.0 | n=3", "models": [{"seconds": 2}]}'
    assert answer(make_run(text))["out"] == {
        "seconds": "*",
        "signature": "evenhand * | n=3",
        "models": [{"seconds": "*"}],
    }
    assert answer(make_run(text, name="bias/votes"))["out"]["seconds"] == 1.5
    table = 'model,seconds,p\n"a, b",0.25,0.1\nc,1.5,\n'
    masked = answer(make_run(table, "csv"))["out"]
    assert masked == 'model,seconds,p\n"a, b",*,0.1\nc,*,\n'
    assert answer(make_run(table, "csv", "bias/votes"))["out"] == table


def test_cases_are_read_with_their_forms_and_files(tmp_path: Path) -> None:
    path = tmp_path / "cases.toml"
    path.write_text(
        '[fast.rank]\none = "a.csv --where \\"x = \'y z\'\\" -> all"\n'
        '[whole.convert]\ntwo = "data/b.csv -o c.csv -> text! =c.csv"\n'
        '[whole.refusals]\nthree = "rank none.csv"\n'
    )
    two, one, three = read_cases(path)
    assert (two.words, two.forms) == (("convert", "data/b.csv", "-o", "c.csv"), ("text",))
    assert (two.exact, two.files, two.needs_data) == (True, ("c.csv",), True)
    assert one.words == ("rank", "a.csv", "--where", "x = 'y z'")
    assert (one.forms, one.part) == (("json", "csv", "latex", "text"), "fast")
    assert (three.words, three.forms) == (("rank", "none.csv"), ("text",))
    assert [case.name for case in select((two, one, three), ["rank", "ref*/th*"])] == [
        "rank/one",
        "refusals/three",
    ]
    path.write_text('[fast.rank]\none = "a.csv"\n[whole.rank]\none = "b.csv"\n')
    with pytest.raises(ValueError, match="twice"):
        read_cases(path)
