"""Documents in a terminal: what gives way where there is little room, and what never does."""

from __future__ import annotations

import pytest
from click import unstyle

from evenhand.render.document import Column, Document, Finding, Table, Text
from evenhand.render.text import draw_table, render_text, width

COLUMNS = (
    Column(("first", "last"), "rank", "range"),
    Column("system", "system", "name"),
    Column("estimate", "log-worth", "two"),
    Column(("lower", "upper"), "95 % interval", "interval", priority=2),
    Column(("lower", "estimate", "upper"), "", "bar"),
    Column("beats", "beats", "names"),
)
ROWS = (
    {"system": "opus", "estimate": 0.7, "lower": 0.3, "upper": 1.1, "first": 1, "last": 2,
     "beats": ("heron", "wren", "finch")},
    {"system": "lark", "estimate": 0.4, "lower": -0.1, "upper": 0.9, "first": 1, "last": 1,
     "beats": ("finch",)},
    {"system": "finch", "estimate": -1.1, "lower": None, "upper": None, "first": 3, "last": 3,
     "beats": ()},
)  # fmt: skip
TABLE = Table("ranking", "Systems", COLUMNS, ROWS, lines=(2,))


def draw(table: Table, columns: int = 80) -> list[str]:
    return [unstyle(line) for line in draw_table(table, columns)]


def test_a_table_has_bars_lists_of_names_and_a_rule():
    assert draw(TABLE) == [
        " rank  system  log-worth  95 % interval  -0.1       1.1  beats",
        " 1-2   opus         0.70   0.30 to 1.10      ─────●────  heron, wren, finch",
        " 1     lark         0.40  -0.10 to 0.90  ─────●──────    finch",
        f" {'┈' * 61}",
        " 3     finch       -1.10              –",
    ]


def test_a_column_of_other_forms_is_not_drawn():
    columns = (Column("system", "system"), Column("estimate", "worth", "two", only=("latex",)))
    table = Table("ranking", "", columns, ROWS[:1])
    assert draw(table) == [" system", " opus"]
    assert table.list_columns("latex") == list(columns)


@pytest.mark.parametrize(("times", "ends"), [(100, ["30.0", "110.0"]), (3_000, ["900", "3,300"])])
def test_the_ends_of_a_scale_stand_apart(times, ends):
    keys = ("estimate", "lower", "upper")
    row = {**ROWS[0], **{key: ROWS[0][key] * times for key in keys}}
    head, line = draw(Table("ranking", "", COLUMNS, (row,)))
    assert head.split() == ["rank", "system", "log-worth", "95", "%", "interval", *ends, "beats"]
    assert f" {0.3 * times:,.2f} to {1.1 * times:,.2f}  ─" in line


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_no_line_is_longer_than_the_terminal_and_names_differ(columns):
    rows = tuple({**row, "system": f"a very long name of {row['system']}"} for row in ROWS)
    lines = draw(Table("ranking", "", COLUMNS, rows), columns)
    assert max(map(width, lines)) <= columns
    assert all(any(name in line for line in lines[1:4]) for name in ("opus", "lark", "finch"))


def test_sentences_are_wrapped_below_themselves():
    columns = (
        Column("system", "system", "name"),
        Column("why", "why", "prose"),
        Column("n", "n", "count"),
    )
    rows = (
        {"system": "opus", "why": "it is ahead of all the others", "n": 12},
        {"system": "lark", "why": "close", "n": 3},
    )
    rows[0]["why"] += ", and its lead over heron is decided"
    assert draw(Table("why", "", columns, rows, lines=(1,)), 44) == [
        " system  why                              n",
        " opus    it is ahead of all the others,  12",
        "         and its lead over heron is",
        "         decided",
        f" {'┈' * 42}",
        " lark    close                            3",
    ]


def test_a_table_for_files_alone_is_not_shown():
    hidden = Table("cells", "Cells", COLUMNS, ROWS, only=("csv",))
    document = Document(answer=("Done.",), parts=(hidden, TABLE))
    assert unstyle(render_text(document)).splitlines()[2:4] == draw(TABLE)[:2]
    assert document.tables[0].records == list(ROWS)


def test_a_list_that_has_no_room_says_how_many_more():
    rows = ({**ROWS[0], "beats": tuple(f"system-{n}" for n in range(20))},)
    (line,) = draw(Table("ranking", "", COLUMNS, rows))[1:]
    assert line.endswith("system-0, 19 more")


def test_a_document_says_the_answer_first_and_signs_last():
    found = Finding("few-judges", "Only 3 judges: nothing can be said of others.", "warning")
    hidden = Finding("seed", "seed 1", "info")
    document = Document(
        "600 judgments.", ("opus leads.",), (TABLE, Text("card", ("  one", "  two"))),
        (Finding("ties", "Half are ties."), found, hidden, found), "evenhand 1 | n=600",
    )  # fmt: skip
    lines = [unstyle(line) for line in render_text(document).splitlines()]
    assert lines[:3] == ["opus leads.", "600 judgments.", ""]
    assert "warning" in lines[-3]
    assert lines[-2:] == ["note   Half are ties.", "sign   evenhand 1 | n=600"]
    assert sum("Only 3 judges" in line for line in lines) == 1
    assert not any("seed 1" in line for line in lines)


def test_a_name_is_called_alike_in_every_column():
    names = ["wmt12.fr-en.alpha", "wmt12.fr-en.beta", "wmt12.fr-en.gamma"]
    rows = tuple({"one": a, "other": b, "n": 1} for a in names for b in names if a != b)
    columns = (Column("one", "system", "name"), Column("other", "against", "name"))
    lines = draw(Table("pairs", "", columns, rows), 30)
    assert {word for line in lines[1:7] for word in line.split()} == {"alpha", "beta", "gamma"}
    assert lines[-1] == " names without 'wmt12.fr-en.'"


def test_lists_name_systems_as_their_own_column_does():
    names = [f"newstest2015.submissions.{name}.cs-en" for name in ("alpha", "beta", "gamma")]
    rows = tuple({"system": name, "beats": names[at + 1 :]} for at, name in enumerate(names))
    columns = (Column("system", "system", "name"), Column("beats", "beats", "names"))
    lines = [line.split() for line in draw(Table("ranking", "", columns, rows), 32)]
    assert lines[1:4] == [["alpha", "beta,", "gamma"], ["beta", "gamma"], ["gamma"]]


def test_a_table_that_is_too_wide_is_drawn_in_parts_that_repeat_its_first_column():
    groups = tuple(Column(f"group{n}", f"group {n}", "two") for n in range(9))
    rows = tuple(
        {"system": name, **{f"group{n}": n / 2 for n in range(9)}} for name in ("opus", "lark")
    )
    lines = draw(Table("orders", "", (Column("system", "system", "name"), *groups), rows), 40)
    assert max(map(width, lines)) <= 40
    assert [line.split()[0] for line in lines] == ["system", "opus", "lark"] * 3
    assert [title for line in lines[::3] for title in line.split("  ")[1:]] == [
        f"group {n}" for n in range(9)
    ]
