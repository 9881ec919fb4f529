"""Items that were planted are found and named; extremes of noise are called examples."""

from __future__ import annotations

import pytest

from evenhand.report.sections.data import write_section_items as write_section
from studied_judges import make_rows, study


def blind(judges=14, items=80):
    return make_rows(judges, items, chance=0.5, ties=0.2)


def test_a_planted_item_is_named_with_who_wins_there():
    rows = [
        {**row, "left": "C", "right": "A", "outcome": "left"} if row["item"] == "i7" else row
        for row in blind()
    ]
    section = write_section(study(rows))
    assert section.says[1] == "Judges agree beyond chance, over all items, on i7."
    first = section.tables[0].rows[0]
    assert (first["item"], first["best"], first["worst"]) == ("i7", "C", "A")
    assert first["decided"] == first["comparable"] == 14 * 13 / 2
    assert first["blind"] == pytest.approx(14 * 13 / 4, abs=3)
    assert first["p"] <= 0.05


def test_of_blind_judges_no_item_is_a_finding():
    says = write_section(study(blind())).says
    assert says[1].startswith("Judges agree on no single item beyond chance")
    assert says[2].startswith("Judges disagree on no single item beyond chance")


def test_items_of_one_mind_are_counted_by_hand():
    rows = make_rows(3, 50)
    said = {}
    for row in rows:
        said.setdefault(row["item"], set()).add(row["outcome"])
    united = sum(len(own) == 1 and own != {"tie"} for own in said.values())
    says = write_section(study(rows)).says[0]
    assert says.startswith(f"On {united} of 50 items that two judges or more judged, all votes")


def test_rankings_show_who_wins_on_which_item(data_folder):
    import evenhand
    from evenhand.report.analysis import Analysis, Settings

    data = evenhand.read(data_folder / "wmt12_rankings" / "rankings.parquet").select_task("fr-en")
    part = Analysis(data, Settings(("rankings.parquet",)), "fr-en")
    section = write_section(part)
    (figure,) = (one for one in section.figures if one.name == "sides")
    (rows,) = figure.datasets.values()
    assert {row["item"] for row in rows} == {row["item"] for row in section.tables[0].rows}
    one = section.tables[0].rows[0]
    nets = {row["system"]: row["net"] for row in rows if row["item"] == one["item"]}
    assert max(nets.values()) == nets[one["best"]]
    assert min(nets.values()) == nets[one["worst"]]
    assert any(note.startswith("633 of 949 items had no two judges") for note in section.notes)
    assert part.write_command("report", "--sections", "items", "--json") == section.command
