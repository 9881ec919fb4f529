"""WMT's direct assessment by a crowd."""

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.reading import read
from evenhand.formats.table import SKIP
from outside_files import DA, DA_HEADER
from read_tables import refusal, rows_of


def test_tabs_and_blanks_part_the_fields_of_one_line(save) -> None:
    first, second = rows_of(save("ad-latest.csv", DA))
    assert (first["judge"], first["system"], first["score"]) == ("evaluator3", "Online-G.7", 30)
    assert (first["item"], first["task"]) == ("hi-bn-0-46-1001558.1_1", "hi-bn")
    assert second["system"] == "Two Words"
    assert (first["hit_id"], second["hit_id"]) == (None, "h1")  # NA is missing


def test_spoilt_references_are_kept_as_controls_known_bad(save) -> None:
    rows = read(save("ad.csv", DA)).rows()
    assert rows.kind.tolist() == [0, 2]
    assert rows.direction.tolist() == [0, -1]


def test_references_are_no_outputs_of_the_system_whose_place_they_take(save) -> None:
    """As published for 2021 and 2022: blanks part the names, tabs the values."""
    lines = ["H1\tM1\tcs\ten\tad\t4\tA.1\t10\tSYSTEM\t177\t0.6\t931.0"]
    lines += [lines[0].replace("SYSTEM", "REF").replace("0.6", "1.5")]
    lines += [lines[0].replace("SYSTEM", "REPEAT"), lines[0].replace("SYSTEM", "BAD_REF")]
    data = read(save("ad-csen-good-stnd.csv", "\n".join([" ".join(DA_HEADER.split()), *lines])))
    rows = data.rows()
    assert rows.kind.tolist() == [0, 2, 1, 2]
    assert rows.direction.tolist() == [0, 1, 0, -1]
    assert "1 reference shown in the place of systems (REF)" in data.source.notes[-1]


def test_another_type_is_refused_with_its_row_and_those_expected(save) -> None:
    path = save("ad.csv", DA + "NA w hi bn ad NA S NA CHECK x 1 0\n")
    words = refusal(path, InvalidJudgments)
    expected = f"line 4 of {path}: type is 'CHECK': expected SYSTEM | REPEAT | REF | BAD_REF"
    assert words == f"{expected}; correct it, or {SKIP}"


def test_a_line_that_is_too_short_is_refused_by_its_number(save) -> None:
    path = save("ad.csv", DA_HEADER + "NA w hi bn ad NA S NA SYSTEM x 1 0\nNA w hi bn\n")
    assert f"line 3 of {path} has 4 fields, not 12" in refusal(path, UnknownFormat)


def test_clusters_are_no_judgments(save) -> None:
    text = "SRC TRG WINS TOTAL CLUSTER_START CLUSTER_END END_OF_CLUSTER SYSTEM\na b 1 2 1 1 1 S\n"
    assert "not judgments" in refusal(save("clusters.csv", text), UnknownFormat)
