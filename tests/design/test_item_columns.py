"""A column is a system only if nothing speaks against it; what is excluded is said to be."""

import re

import pytest

from evenhand.design.reading import build_items
from evenhand.errors import CampaignError

SHEET = {"item": "1", "src": "uno", "new": "one", "old": "un", "notes": "check"}


def build(row, **chosen):
    return build_items([("f, row 2", row)], **chosen)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("id", "Did you mean 'item'"),
        ("Segment ID", "Did you mean 'item'"),
        ("notes", r"ignore = \[\"notes\"\]"),
        ("domain", r"ignore = \[\"domain\"\]"),
        ("Source text (EN)", "Did you mean 'source'. Then rename it in the table"),
        ("Original", "Did you mean 'source'"),
        ("Quelle", "Did you mean 'source'"),
        ("Input (user)", r'systems = \["A", "B", "Input \(user\)"\]'),
    ],
)
def test_usual_columns_are_no_systems(name, hint):
    with pytest.raises(CampaignError, match=f"f, row 2: '{re.escape(name)}' would be a .*{hint}"):
        build({"item": "1", "A": "x", "B": "y", name: "z"})


@pytest.mark.parametrize(
    "row", [{"prompt_1": "x", "prompt_2": "y"}, {"source": "s", "A": "x", "open-source-7b": "y"}]
)
def test_longer_headers_are_systems_where_several_or_another_may_be_the_source(row):
    systems = tuple(sorted(name for name in row if name != "source"))
    assert build({"item": "1", **row})[0].systems == systems


def test_systems_select_columns_and_rows_and_what_looks_like_a_text_is_still_refused():
    rest = {name: one for name, one in SHEET.items() if name != "src"}
    assert build({**rest, "third": "x"}, systems=("old", "new"))[0].systems == ("new", "old")
    with pytest.raises(CampaignError, match=r"'sorce' is not a column. Did you mean 'source'"):
        build({**rest, "sorce": "uno"}, systems=("old", "new"))
    told = [("1", "A", "x", ""), ("1", "B", "y", ""), ("c", "made", "z", "bad")]
    rows = [
        ("f", {"item": item, "system": system, "output": output, "control": control})
        for item, system, output, control in told
    ]
    assert [one.systems for one in build_items(rows, ("A",))] == [("A",), ("made",)]


@pytest.mark.parametrize(
    "row",
    [
        {"item": "1", "outputs": {"A": "x", "B": "y"}, "genre": "news"},
        {"item": "1", "outputs": {"A": "x", "B": "y"}, "A": "another"},
        {"item": "1", "system": "A", "output": "x", "mine": "hm"},
    ],
)
def test_there_are_no_further_systems_where_outputs_are_named(row):
    last = list(row)[-1]
    with pytest.raises(CampaignError, match=f"f, row 2: '{last}' is not a column"):
        build(row)
    if last != "A":
        assert "A" in build(row, ignore=(last,))[0].systems


def test_all_columns_that_are_no_systems_are_named_at_once():
    with pytest.raises(CampaignError) as wide:
        build({"id": "7", **SHEET, "sorce": "uno", "domain": "news"})
    assert str(wide.value) == (
        "f, row 2: 'id', 'notes', 'sorce' and 'domain' would be systems. Did you mean 'item' by"
        " 'id', 'source' by 'sorce'? Then rename it in the table. If they are neither, exclude"
        ' them, in a campaign file: ignore = ["id", "notes", "sorce", "domain"]; if they are,'
        ' list all systems: systems = ["id", "new", "old", "notes", "sorce", "domain"]'
    )
    with pytest.raises(CampaignError) as long:
        build({"item": "1", "system": "A", "output": "x", "mine": "hm", "sorce": "uno"})
    assert str(long.value) == (
        "f, row 2: 'mine' and 'sorce' are no columns of a table with 'system', which says whose"
        " the outputs are. Did you mean 'source' by 'sorce'? Then rename it in the table. If not,"
        ' exclude them, in a campaign file: ignore = ["mine", "sorce"]'
    )


def test_names_that_are_nowhere_or_taken_are_refused():
    with pytest.raises(CampaignError, match=r"no item has an output of system 'nwe'.*'new'"):
        build({"item": "1", "new": "x", "old": "y"}, systems=("nwe", "old"))
    with pytest.raises(CampaignError, match="ignore: no item has a column 'note'"):
        build({"item": "1", "A": "x"}, ignore=("note",))
    (built,) = build({"item": "1", "ref": "x", "new": "y"}, systems=("ref", "new"))
    assert built.systems == ("ref", "new")
    with pytest.raises(CampaignError, match="'src' would be a system"):
        build({"item": "1", "source": "uno", "src": "un", "A": "x"})
    with pytest.raises(CampaignError, match="'seg_id' and 'segment' could each be the item"):
        build({"seg_id": "1", "segment": "un", "A": "x"})
    assert build({"seg_id": "1", "segment": "un", "A": "x"}, ignore=("segment",))[0].name == "1"


@pytest.mark.parametrize("empty", ["", " ", None])
def test_an_empty_cell_is_no_output_in_any_shape(empty):
    full = ("f", {"item": "2", "A": "x", "B": "y"})
    wide = build_items([("f", {"item": "1", "A": "x", "B": empty}), full])[:1]
    nested = build({"item": "1", "outputs": {"A": "x", "B": empty}})
    long = build_items(
        [
            ("f", {"item": "1", "system": name, "output": one})
            for name, one in (("A", "x"), ("B", empty))
        ]
    )
    assert wide == nested == long
    assert wide[0].systems == ("A",)


def test_a_system_called_1_can_be_expected_and_a_score_is_a_number():
    row = {"item": "c", "1": "x", "2": "y", "expected": "1"}
    assert build(row)[0].expected == "1"
    assert build({"item": "c", "A": "x", "expected": "3.5"})[0].expected == 3.5
    assert build({"item": "c", "nan": "x", "b": "y", "expected": "nan"})[0].expected == "nan"


@pytest.mark.parametrize("column", ["item", "group", "document"])
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (" 1", "has a blank before"),
        ("1 ", "has a blank before"),
        ("a\nb", "has a line break"),
        ("a\u2028b", "has a line break"),
        ("ann\u202egnp.exe", "turns the direction"),
        ("\u2067ann\u2069", "turns the direction"),
    ],
)
def test_names_that_could_not_be_read_back_are_refused(column, name, fault):
    with pytest.raises(CampaignError, match=f"f, row 2: .*{fault}"):
        build({"item": "1", column: name, "A": "x"})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *(("Segment ID", "name"), ("seg_id", "name"), ("question id", "name"), ("ITEM", "name")),
        *(("src", "source"), ("Source", "source"), ("Ref", "reference")),
        *(("doc id", "document"), ("Document_ID", "document"), ("docid", "document")),
    ],
)
def test_columns_have_the_other_names_that_tables_of_judgments_know(name, meant):
    item = {} if meant == "name" else {"item": "1"}
    (built,) = build({**item, "A": "x", "B": "y", name: "z"})
    assert getattr(built, meant) == "z"
    assert built.systems == ("A", "B")


def test_a_system_without_any_output_is_named(tmp_path):
    rows = [("f", {"item": one, "A": "x", "B": " ", "C": None}) for one in ("1", "2")]
    with pytest.raises(CampaignError, match=r'output of B, C: .* ignore = \["B", "C"\]'):
        build_items(rows)
    assert build_items(rows, ignore=("B", "C"))[0].systems == ("A",)
    filled = [*rows, ("f", {"item": "3", "A": "x", "B": "y", "C": "z"})]
    assert build_items(filled)[2].systems == ("A", "B", "C")
