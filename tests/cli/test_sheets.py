"""A researcher's spreadsheet, as it is: what is read, what is said, and remedies to copy."""

import re
import shlex
from pathlib import Path

import openpyxl
import pytest

QUALITY = {"GPT-4": 4, "Claude": 4, "Llama": 3, "Baseline": 2}
HEADER = ["Participant", "Segment ID", "System", "Fluency", "Adequacy"]


def likert(judge, item, system, of):
    """A score from 1 to 5 that depends on all four, and on no chance."""
    spread = (7 * judge + 5 * item + 3 * len(system) + of) % 3 - 1
    return min(5, max(1, QUALITY[system] + spread))


@pytest.fixture
def study(folder):
    """Six people score 10 segments of four systems, with a title, notes and a blank cell."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Responses"
    sheet.append(["Likert study, autumn"])
    sheet.append([])
    sheet.append(HEADER)
    for judge in range(6):
        for item in range(10):
            for system in QUALITY:
                scores = [likert(judge, item, system, of) for of in range(2)]
                sheet.append([f"P{judge}", item + 1, system, *scores])
    sheet["E5"] = None
    notes = book.create_sheet("Scale")
    for row in (["Points", "Meaning"], [1, "bad"], [5, "good"]):
        notes.append(row)
    book.save("study.xlsx")
    return "study.xlsx"


def test_a_likert_sheet_becomes_a_ranking(evenhand, study):
    ran = evenhand("rank", study, "--json")
    told = [one["text"] for one in ran.json["findings"]]
    assert any("sheet 'Responses'" in one for one in told)
    assert any("each is a criterion" in one for one in told)
    assert any("Likert study, autumn" in one for one in told)
    assert [one["rows"] for one in ran.json["excluded"]] == [1]
    text = " ".join(evenhand("rank", study, "--criterion", "Fluency").out.split())
    assert text.startswith("Claude and GPT-4 share first place")


def test_the_named_sheet_of_several_works_when_copied(evenhand, study):
    book = openpyxl.load_workbook(study)
    book.copy_worksheet(book["Responses"]).title = "Second wave"
    book.save(study)
    said = evenhand("inspect", study, code=2).err
    assert "has 3 sheets, several of which could be meant: Responses, Second wave" in said
    words = shlex.split(re.search(r"(--sheet .*), in Python", " ".join(said.split()))[1])
    assert evenhand("inspect", study, *words).out.startswith("study.xlsx: 479")


def test_the_columns_that_decide_work_when_copied(evenhand, folder):
    rows = "\n".join(
        f"{at},{system},{at % 5 + 1},{at % 3 + 1}" for at in range(9) for system in "AB"
    )
    (folder / "t.csv").write_text(f"item,system,taste,smell\n{rows}\n")
    said = " ".join(evenhand("inspect", "t.csv", code=2).err.split())
    remedies = re.findall(r"--column (\S+), in Python", said)
    assert remedies == ["judge=taste,smell", "criterion=taste,smell"]
    for remedy in remedies:
        out = evenhand("inspect", "t.csv", "--column", remedy).out
        assert f"each is a {remedy.partition('=')[0]}" in " ".join(out.split())


def test_the_end_of_a_scale_works_when_copied(evenhand, folder):
    votes = "\n".join(f"j{at % 3},x,y,{at % 3 - 1}" for at in range(12))
    (folder / "v.csv").write_text(f"judge,model_a,model_b,verdict\n{votes}\n")
    said = " ".join(evenhand("rank", "v.csv", code=2).err.split())
    remedies = re.findall(r"--outcome (\S+)", said)
    assert remedies == ["-1=left", "1=left"]
    for remedy in remedies:
        told = evenhand("rank", "v.csv", "--outcome", remedy, "--json").json["findings"]
        assert any("runs from −1 to 1" in one["text"] for one in told)


def test_tables_of_items_and_judges_may_be_workbooks(evenhand, study, folder):
    book = openpyxl.Workbook()
    book.active.append(["Participant", "native"])
    for judge in range(6):
        book.active.append([f"P{judge}", "yes" if judge % 2 else "no"])
    book.save("people.xlsx")
    votes = "\n".join(f"P{at % 6},{at},x,y,{'ab'[at % 3 == 0]}" for at in range(24))
    (folder / "v.csv").write_text(f"Participant,item,left,right,outcome\n{votes}\n")
    words = ("--judges", "people.xlsx", "--judge-covariate", "native")
    assert "native" in evenhand("fit", "v.csv", *words).out

    items = openpyxl.Workbook()
    items.active.title = "Texts"
    items.active.append(["Segment ID", "Doc ID", "Source", "GPT-4", "Llama"])
    for at in range(6):
        items.active.append([at, f"d{at // 2}", f"text {at}", f"one {at}", f"other {at}"])
    items.save("items.xlsx")
    assert "6 items, 2 systems" in evenhand("check", "items.xlsx").out
    items.copy_worksheet(items.active).title = "Old"
    items.save("items.xlsx")
    said = " ".join(evenhand("check", "items.xlsx", code=2).err.split())
    remedy = re.search(r'say so in the campaign file: (sheet = "Texts")', said)[1]
    (folder / "c.toml").write_text(f'items = "items.xlsx"\n{remedy}\n')
    assert "6 items, 2 systems" in evenhand("check", "c.toml").out


def test_a_bad_cell_costs_only_itself_and_plans_skip_it_too(evenhand, study):
    book = openpyxl.load_workbook(study)
    book["Responses"]["D6"] = "illegible"  # of fluency: the adequacy of that row is kept
    book.save(study)
    refused = evenhand("plan", "--pilot", study, "--criterion", "Adequacy", code=2).err
    assert "--skip-bad-rows" in refused
    more = ("--skip-bad-rows", "--criterion", "Adequacy", "--json")
    ranked = evenhand("rank", study, *more).json
    assert ranked["n_judgments"] == 6 * 10 * 4 - 1  # all but the blank one
    said = [one["reason"] for one in ranked["excluded"]]
    assert "cells that are no numbers, row 6 ('illegible' in 'Fluency')" in said
    planned = evenhand("plan", "--pilot", study, "--campaigns", "0", *more).json
    assert [one["reason"] for one in planned["excluded"]] == said


def write_sheets(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


def rate(shift, head=("item", "system", "score")):
    cells = [(i, k, name) for i in range(6) for k, name in ((1, "x"), (2, "y"))]
    return [head, *((f"i{i}", name, 1 + (i * k + shift) % 5) for i, k, name in cells)]


def test_sheets_of_the_same_columns_are_judges_where_no_column_is(evenhand, folder):
    write_sheets("judges.xlsx", {"ann": rate(0), "bob": rate(1), "read me": [["how to rate"]]})
    found = evenhand("rank", "judges.xlsx", "--json").json
    means = {row["system"]: (row["ratings"], row["mean"]) for row in found["systems"]}
    # 6 scores of each judge for each system, counted by hand from `rate`
    expected = {
        name: [1 + (i * k + shift) % 5 for i in range(6) for shift in (0, 1)]
        for k, name in ((1, "x"), (2, "y"))
    }
    assert means == {name: (12, sum(one) / 12) for name, one in expected.items()}
    note = next(one["text"] for one in found["findings"] if "read together" in one["text"])
    assert note.startswith("sheets ann, bob were read together, each as a judge")
    option = re.search(r"(--sheet \w+)", note)[1]
    one = evenhand("inspect", "judges.xlsx", *option.split()).out
    assert "12 ratings" in one


GERMAN = "Bewerter,Satz,{},Verständlichkeit,Genauigkeit,Stil\n" + "".join(
    f"B{j},{i},{s},{1 + (j + i + k) % 7},{99 if (i, j) == (3, 1) else 1 + (j * i + k) % 6},"
    f"{1 + (i + 2 * j + k) % 7}\n"
    for j in range(4)
    for i in range(1, 31)
    for k, s in enumerate(("rot", "blau", "grün"))
)


@pytest.mark.parametrize("system", ["System", "Modell"])
def test_foreign_headings_are_refused_with_a_remedy_that_works(evenhand, folder, system):
    Path("sheet.csv").write_text(GERMAN.format(system))
    refused = evenhand("rank", "sheet.csv", code=2).err
    words = shlex.split(refused.replace("; ", " "))
    given = [words[at + 1].rstrip(",") for at, one in enumerate(words) if one == "--column"]
    known = system == "System"  # then the columns before it are candidates
    criterion = "criterion=Verständlichkeit,Genauigkeit,Stil"
    assert (criterion in given) == known
    assert {f"judge={'Bewerter' if known else 'NAME'}"} < {*given}
    assert {f"item={'Satz' if known else 'NAME'}"} < {*given}
    names = {"judge": "Bewerter", "item": "Satz", "system": system}
    columns = [word for role, name in names.items() for word in ("--column", f"{role}={name}")]
    columns += ["--column", criterion] if known else []
    asked = (*columns, "--missing", "99", "--json")
    groups = evenhand("rank", "sheet.csv", *asked).json["groups"]
    assert {name: one["n_judgments"] for name, one in groups.items()} == {
        "Verständlichkeit": 360,
        "Genauigkeit": 357,
        "Stil": 360,
    }
    assert (groups["Stil"]["n_judges"], groups["Stil"]["n_items"]) == (4, 30)


def test_commands_of_a_report_name_the_sheet(evenhand, study):
    words = ("--sheet", "Responses", "--sections", "scores", "--json")
    report = evenhand("report", study, *words).json
    (section,) = report["parts"][0]["sections"]
    for command in (report["command"], section["command"]):
        assert "--sheet Responses" in command


@pytest.mark.parametrize(
    ("sheets", "names"),
    [
        # the judges are named, so that sheets are something else, such as waves
        (2 * [rate(0, ("judge", "system", "score"))], "first, second"),
        # nobody says whose outputs were scored: sheets may be systems
        (2 * [[("item", "fluency"), ("i1", 3), ("i2", 4)]], "first, second"),
        ([rate(0), rate(0, ("item", "system", "rating"))], "first, second"),
    ],
)
def test_other_sheets_are_chosen_by_name(evenhand, folder, sheets, names):
    write_sheets("book.xlsx", dict(zip(("first", "second"), sheets, strict=True)))
    said = evenhand("rank", "book.xlsx", code=2).err
    assert names in said
    assert "--sheet first" in said


@pytest.mark.parametrize("names", [("German", "French"), ("News", "Law"), ("Batch1", "Batch2")])
def test_sheets_of_parts_of_a_study_are_no_judges(evenhand, folder, names):
    write_sheets("book.xlsx", dict(zip(names, (rate(0), rate(1)), strict=True)))
    said = evenhand("rank", "book.xlsx", code=2).err
    assert f"say which one: --sheet {names[0]}" in " ".join(said.split())


@pytest.mark.parametrize("further", [("Team", "E-mail"), ()])
def test_names_of_systems_keep_their_dots_beside_other_sheets(evenhand, folder, further):
    book = openpyxl.Workbook()
    for row in [("item", "judge", "GPT-4.1", "GPT-4_1"), *((n, "ann", n, 2) for n in range(1, 8))]:
        book.active.append(row)
    if further:
        other = book.create_sheet("Contacts")
        other.append(further)
        other.append(("GPT", "a@example.org"))
    book.save("scores.xlsx")
    ranked = evenhand("rank", "scores.xlsx", "--json").json
    assert {one["system"] for one in ranked["systems"]} == {"GPT-4.1", "GPT-4_1"}
