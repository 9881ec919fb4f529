"""MQM tables, and files of mt-metrics-eval."""

import json
import re

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.formats.reading import read
from evenhand.formats.table import SKIP
from outside_files import MQM_NEW, MQM_OLD, MTME_JSON, MTME_RATING, MTME_RATINGS
from read_tables import refusal, rows_of

# MQM tables.


def test_quoted_fields_are_told_from_bare_marks_by_the_whole_file(save) -> None:
    bare = MQM_NEW.replace("One", 'a "b" c')
    quoted = MQM_NEW.replace("One", '"a ""b"" c"')
    assert rows_of(save("bare.tsv", bare))[0]["source"] == 'a "b" c'
    assert rows_of(save("quoted.tsv", quoted))[0]["source"] == 'a "b" c'
    text = MQM_NEW.replace("One", '"One"')
    assert rows_of(save("marks.tsv", text))[0]["source"] == '"One"'
    # More than 1 MB of fields without marks come first.
    clean = _row("s" * 300, "ab", "No-error", "No-error", "{}")
    many = "".join(clean.format(n) for n in range(2, 4002))
    quoted = _row('"He said ""hi"""', '"<v>Er</v> sagte ""hallo"""')
    rows = rows_of(save("mqm.tsv", HEADER + many + quoted))
    assert len(rows) == 4001
    (row,) = [row for row in rows if row["item"] == "d:1"]
    assert (row["source"], row["output"]) == ('He said "hi"', 'Er sagte "hallo"')
    (span,) = json.loads(row["spans"])
    assert (span["start"], span["end"]) == (0, 2)
    quoted = _row('"He said ""hi"""', '"plain"')
    (row,) = rows_of(save("quoted.tsv", HEADER + quoted))
    assert (row["source"], row["output"]) == ('He said "hi"', "plain")
    bare = _row("s", 'a "bare" mark', segment=2)
    first, second = rows_of(save("mixed.tsv", HEADER + quoted + bare))
    assert (first["source"], first["output"]) == ('He said "hi"', '"plain"')
    assert second["output"] == 'a "bare" mark'
    text = (HEADER + _row("s", "a <v>b</v>")).replace("\t", ";")
    for name in ("mqm.tsv", "mqm.csv"):
        assert rows_of(save(name, text))[0]["score"] == -5
    text = HEADER.replace("\n", "\tmood\n") + _row("s", "t").replace("\n", "\tgood\n")
    assert "not read: mood" in read(save("mqm.tsv", text)).source.notes


def test_what_cannot_be_read_is_refused_with_its_row(save) -> None:
    words = refusal(save("s.tsv", MQM_NEW.replace("Major", "Awful")), InvalidJudgments)
    assert "line 2 of" in words
    assert "severity is 'awful': expected major | minor | critical | neutral | no-error" in words
    words = refusal(save("v.tsv", MQM_NEW.replace("</v>", "")), InvalidJudgments)
    assert "one error is marked with one <v> and one </v>" in words
    other = MQM_OLD.replace("Betracht<v>,</v>", "Wahrheit<v>,</v>")
    assert "the output is not that of the other errors" in refusal(save("o.tsv", other))


HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def _row(source, target, category="Accuracy", severity="Major", segment=1) -> str:
    return f"A\td\t1\t{segment}\tr\t{source}\t{target}\t{category}\t{severity}\n"


def test_weights_are_those_of_wmts_own_counting(save) -> None:
    """WMT 2024, tools.py: neutral and reinterpretations first, critical as major.

    The categories of the source are free, errors that lie in the source are not.
    """
    rows = [
        ("s", "t", "Other/Creative Reinterpretation", "Major", 0),
        ("s", "t", "Non-translation!", "Neutral", 0),
        ("s", "t", "Non-translation!", "Minor", -25),
        ("s", "t", "Accuracy", "Critical", -5),
        ("s", "t", "No-error", "", 0),
        ("s", "t", "Style", "Neutral", 0),
        ("s", "t", "Fluency/Punctuation", "Minor", -0.1),
        ("s", "t", "Fluency/Punctuation", "Major", -5),
        ("<v>s</v>", "t", "Accuracy/Omission", "Major", -5),
        ("<v>s</v>", "t", "Source issue", "Major", 0),
    ]
    text = "".join(_row(*row[:4], n) for n, row in enumerate(rows))
    data = read(save("mqm.tsv", HEADER + text))
    assert data.rows().score.tolist() == [row[-1] for row in rows]
    assert (
        "errors that are critical take 5 from the score, as major ones do: 1" in data.source.notes
    )


def test_weights_may_be_stated(save) -> None:
    rows = [
        ("s", "t", "Accuracy", "Critical", -25),
        ("s", "t", "Accuracy", "Major", -10),
        ("s", "t", "Fluency/Punctuation", "Minor", -0.1),
        ("s", "t", "Non-translation!", "Major", -25),
    ]
    path = save("mqm.tsv", HEADER + "".join(_row(*row[:4], n) for n, row in enumerate(rows)))
    data = read(path, error_weights={"critical": 25, "major": 10})
    assert data.rows().score.tolist() == [row[-1] for row in rows]
    assert "errors take from the score, as stated: critical 25, major 10" in data.source.notes
    words = ["inspect", str(path), "--error-weight", "critical=25", "--json"]
    found = json.loads(CliRunner().invoke(main, words).output)
    assert "as stated: critical 25" in json.dumps(found)
    for given, why in (
        ({"bad": 1}, "cannot be 'bad': choose minor | major | critical"),
        ({"major": -1}, "takes 0 or more, not -1"),
    ):
        with pytest.raises(UnknownOption, match=re.escape(why)):
            read(path, error_weights=given)
    plain = save("votes.csv", "left,right,winner\nA,B,left\n")
    made = CliRunner().invoke(main, ["rank", str(plain), "--error-weight", "critical=25"])
    assert made.exit_code == 2
    assert "no marked errors" in " ".join(made.output.split())
    made = CliRunner().invoke(main, ["rank", str(path), "--error-weight", "critical"])
    assert made.exit_code == 2
    assert "such as critical=25" in " ".join(made.output.split())


def test_errors_lie_in_the_output_and_keep_the_blanks_of_texts(save) -> None:
    (row,) = rows_of(save("mqm.tsv", HEADER + _row("<v>s</v>", "a <v>t</v>")))
    (span,) = json.loads(row["spans"])
    assert (span["side"], span["start"], span["end"]) == ("output", 2, 3)
    text = HEADER + _row("s", "<v> Hal</v>lo ") + _row("s", " <v>Hallo</v>")
    (row,) = rows_of(save("mqm.tsv", text))
    words = [row["output"][span["start"] : span["end"]] for span in json.loads(row["spans"])]
    assert words == [" Hal", "Hallo"]


@pytest.mark.parametrize("target", ["ab <v></v> cd", "</v>a<v>", "a<v>b</v><v>c</v>"])
def test_marks_around_nothing_reversed_and_several_are_refused_with_their_row(target, save) -> None:
    path = save("mqm.tsv", HEADER + _row("s", "t") + _row("s", target, segment=2))
    words = refusal(path, InvalidJudgments)
    assert f"line 3 of {path}: one error is marked with one <v> and one </v>" in words
    assert words.endswith(f"; correct it, or {SKIP}")


def test_a_bad_row_takes_the_other_errors_of_its_rating_with_it(save) -> None:
    """Without one of its errors an output would be too good."""
    bad = _row("s", "<v>a</v> b") + _row("s", "a <v>b")
    path = save("mqm.tsv", HEADER + bad + _row("s", "<v>t</v>", segment=2))
    data = read(path, skip_bad_rows=True)
    assert [row["score"] for row in rows_of(path, skip_bad_rows=True)] == [-5]
    (excluded,) = data.excluded
    assert (excluded.code, excluded.rows, excluded.of_rows) == ("bad-rows", 2, 3)
    assert excluded.text.startswith("2 rows that cannot be read are excluded: line 3 (one error")
    assert excluded.text.endswith("), line 2 (of the same output)")


def test_our_own_ratings_with_spans_and_no_scores_are_minus_what_errors_take(save) -> None:
    spans = (
        [{"start": 0, "end": 4, "severity": "major"}, {"start": 5, "end": 6, "severity": "minor"}],
        [],
        [{"start": 0, "end": 4, "severity": "minor", "category": "Fluency/Punctuation"}],
        None,
    )
    lines = [
        f'{{"judge":"ann","item":"{i}","system":"x","spans":{json.dumps(one)}}}'
        for i, one in enumerate(spans)
    ]
    path = save("s.jsonl", "\n".join(lines) + "\n")
    data = read(path)
    assert data.rows().score.tolist() == [-6.0, 0.0, -0.1]  # the weights of Freitag et al. (2021)
    assert data.source.format == "spans"
    stated = read(path, error_weights={"major": 10})
    assert stated.rows().score.tolist() == [-11.0, 0.0, -0.1]
    quoted = [one.replace('"', '""') for one in map(json.dumps, spans[:3])]
    rows = [f'ben,{i},y,"{one}"' for i, one in enumerate(quoted)]
    named = read(
        save("s.csv", "Wer,Satz,system,spans\n" + "\n".join(rows) + "\n"),
        columns={"judge": "Wer", "item": "Satz"},
    )
    assert named.rows().score.tolist() == [-6.0, 0.0, -0.1]
    with pytest.raises(InvalidJudgments, match=r"line 2 of .*: severity is 'grob'"):
        read(save("t.csv", "system,spans\n" + rows[0][6:].replace("major", "grob") + "\n")).rows()


# Weights of Freitag et al. (2021): ann takes 5 + 1 from A, ben 0.1 from A, ann 25 from B
ERRORS = """System,Segment,Annotator,Error type,Severity,Start,End
A,1,ann,Accuracy,major,0,4
A,1,ann,Fluency,minor,7,9
A,1,ben,Fluency/Punctuation,Minor,7,8
B,1,ann,Non-translation!,Major,0,9
B,1,ben,,No error,,
"""


def test_lists_of_errors_are_ratings_whose_severity_may_be_named(save) -> None:
    data = read(save("errors.csv", ERRORS))
    found = {(row["judge"], row["system"]): row["score"] for row in rows_of(data)}
    ann, ben = {("ann", "A"): -6, ("ann", "B"): -25}, {("ben", "A"): -0.1, ("ben", "B"): 0}
    assert found == ann | ben
    assert "5 rows of errors are 4 ratings" in data.source.notes
    assert "not read: End, Start" in data.source.notes
    stated = read(save("errors.csv", ERRORS), error_weights={"major": 10})
    assert rows_of(stated)[0]["score"] == -11
    path = save("errors.csv", ERRORS.replace("Severity", "Schwere"))
    words = refusal(path, UnknownColumn, format="mqm")
    assert "no column for the severity of errors" in words
    assert "--column severity=NAME" in words
    data = read(path, columns={"severity": "Schwere", "category": "Error type"})
    assert [row["score"] for row in rows_of(data)] == [-6, -0.1, -25, 0]


@pytest.mark.parametrize(("name", "role"), [("Segment", "item"), ("Annotator", "judge")])
def test_columns_of_a_list_of_errors_may_be_named(save, name, role) -> None:
    known = rows_of(read(save("errors.csv", ERRORS)))
    path = save("renamed.csv", ERRORS.replace(name, "foo"))
    assert rows_of(read(path, columns={role: "foo"})) == known


def test_outputs_without_a_row_are_counted_only_if_a_row_says_so(save) -> None:
    """Of item 1, ben has no row of B then; ann has both."""
    lines = ERRORS.splitlines(keepends=True)
    data = read(save("errors.csv", "".join(lines[:-1])))
    (warning,) = [one for one in data.source.notes if getattr(one, "severity", "") == "warning"]
    assert (warning.code, warning.values) == ("no-clean-outputs", {"absent": 1})
    assert len(rows_of(data)) == 3
    blank = read(save("blank.csv", "".join(lines[:-1]) + "B,1,ben,,,,\n"))
    assert [row["score"] for row in rows_of(blank)][-1] == 0
    assert "1 row without severity and category: outputs without errors." in blank.source.notes


@pytest.mark.parametrize("layout", [None, "mqm"])
def test_mqm_without_documents_has_the_same_scores(layout, save) -> None:
    rows = [line.split("\t") for line in MQM_OLD.splitlines()]
    named = rows[0].index("doc"), rows[0].index("doc_id")
    short = ["\t".join(c for at, c in enumerate(row) if at not in named) for row in rows]
    data = read(save("short.tsv", "\n".join(short) + "\n"), format=layout)
    assert [row["score"] for row in rows_of(data)] == [-1.1, 0, 0, -25]
    spans = json.loads(rows_of(data)[0]["spans"])
    assert [rows_of(data)[0]["output"][one["start"] : one["end"]] for one in spans] == [
        "in Betracht",
        ",",
    ]


def test_places_and_severities_without_errors_are_columns(save) -> None:
    rows = "".join(f"{j},{i},{s},{i},{i + 5}\n" for j in "xy" for i in range(9) for s in "AB")
    path = save("places.csv", "judge,item,system,start,end\n" + rows)
    assert "no column for score" in refusal(path, UnknownColumn)
    path = save("s.csv", "judge,item,system,score,severity\nann,1,A,4,minor\nann,1,B,3,major\n")
    assert read(path).source.format == "ratings"


# Averages of MQM.


def test_averages_and_scores_of_segments_domains_and_systems(save) -> None:
    (row,) = rows_of(save("en-de.wmt-z.domain.score", "news\tA\t0.3\n"))
    assert (row["item"], row["system"], row["criterion"]) == ("news", "A", "wmt-z")
    (row,) = rows_of(save("en-de.wmt-z.sys.score", "A 0.3\n"))
    assert "item" not in row


# Ratings of mt-metrics-eval.


def test_ratings_of_outputs_keep_numbers_ends_and_scores_of_errors(save) -> None:
    text = MTME_RATINGS + 'A\t{"errors": []}\tr1\n'
    data = read(save("en-de.mqm.seg.rating", text))
    assert data.source.notes[-1] == "outputs that were not rated excluded: 1"
    assert [(row["system"], row["item"], row["score"]) for row in rows_of(data)] == [
        ("A", "1", -1),
        ("B", "1", 0),
        ("A", "3", 0),
    ]
    (span,) = json.loads(rows_of(save("en-de.mqm.seg.rating", MTME_RATINGS))[0]["spans"])
    assert (span["start"], span["end"], span["side"]) == (0, 4, "output")
    own = {"errors": [{**MTME_RATING["errors"][0], "score": 2.5}] * 2}
    assert rows_of(save("en-de.x.seg.rating", f"A\t{json.dumps(own)}\n"))[0]["score"] == -5
    own["errors"] = [own["errors"][0], MTME_RATING["errors"][0]]
    path = save("en-de.y.seg.rating", f"A\t{json.dumps(own)}\n")
    assert "some errors have scores and others none" in refusal(path, InvalidJudgments)
    rating = json.dumps(MTME_RATING).replace("minor", "critical")
    data = read(save("en-de.x.seg.rating", f"A\t{rating}\n"))
    assert data.rows().score.tolist() == [-5]
    assert (
        "errors that are critical take 5 from the score, as major ones do: 1" in data.source.notes
    )


def _error(n=0) -> str:
    return json.dumps({"errors": MTME_RATING["errors"] * n})


def test_a_line_is_a_segment_of_its_system_whoever_rated_it(save) -> None:
    """Two raters share segments 1 to 4 of A; the third was not rated, and its line ends early."""
    lines = [f"A\t{_error(1)}\tr1", f"A\t{_error(2)}\tr2", "A\tNone", f"A\t{_error()}\tr1"]
    for text in (lines, ["B\tNone", *lines]):
        rows = rows_of(save("en-de.mqm.merged.seg.rating", "\n".join(text) + "\n"))
        assert [(row["judge"], row["item"], row["score"]) for row in rows] == [
            ("r1", "1", -1),
            ("r2", "2", -2),
            ("r1", "4", 0),
        ]


# Ratings of mt-metrics-eval that stand alone.


def test_ratings_that_stand_alone_keep_numbers_and_texts(save) -> None:
    (row,) = rows_of(save("ratings.jsonl", MTME_JSON))
    assert (row["judge"], row["item"], row["system"], row["score"]) == ("r", "d:0", "S", -1)
    assert row["task"] == "en-de"
    (span,) = json.loads(row["spans"])
    assert row["output"][span["start"] : span["end"]] == "hhhh"
    line = {**json.loads(MTME_JSON), "source": " s ", "hypothesis": " Hello"}
    line["errors"] = [{"start": 1, "end": 6, "severity": "Minor"}]
    (row,) = rows_of(save("ratings.jsonl", json.dumps(line)))
    (span,) = json.loads(row["spans"])
    assert row["output"][span["start"] : span["end"]] == "Hello"
    assert row["source"] == " s "
    lines = [{**json.loads(MTME_JSON), "document_id": name, "domain": "news"} for name in "de"]
    lines[0]["more"] = {"a": [1]}
    data = read(save("ratings.jsonl", "\n".join(map(json.dumps, lines))))
    assert [(row["item"], row["domain"]) for row in rows_of(data)] == [
        ("d:0", "news"),
        ("e:0", "news"),
    ]
    assert "not read: more" in data.source.notes
