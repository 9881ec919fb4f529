"""What a format of another project cannot hold is refused, and nothing is written."""

import pytest

from evenhand.errors import EvenhandError
from evenhand.formats.reading import read
from evenhand.formats.writing import write

RATED = "judge,item,system,score,task\nj,1,A,4,eng-deu\n"
RANKED = "judge,item,task,ranking,system,rank,position\nj,1,cs-en,r,A,1,1\nj,1,cs-en,r,B,1,2\n"
COMPARED = "judge,item,left,right,outcome\nj,1,A,B,left\nj,1,A,B,tie\n"
MARKED = (
    "judge,item,system,score,spans,source,output\n"
    'j,1,A,-1,"[{""start"":0,""end"":2,""severity"":""minor""}]",src,{text}\n'
)


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("wmt-rnk", RATED, "ratings cannot be written as wmt-rnk, which holds rankings"),
        ("wmt-rnk", RANKED.replace("position", "n"), "has no positions"),
        ("wmt-rnk", RANKED.replace("cs-en", "one"), "its task 'one' is no pair of languages"),
        ("wmt-rnk", RANKED.replace("judge,", "who,"), "wmt-rnk needs judge"),
        ("appraise", RATED.replace("eng-deu", "en-de"), "no pair of three-letter languages"),
        ("appraise", RATED.replace(",4,", ",,"), "row 1 of"),
        ("appraise", RATED.replace("task", "lp,kind").replace("deu", "deu,odd"), "kind 'odd'"),
        ("wmt-json", RATED.replace("task", "lp,kind").replace("deu", "deu,bad"), "targets only"),
        ("mqm-tsv", RATED, "mqm-tsv needs spans, source, output"),
        ("mqm-tsv", MARKED.replace("-1", "90"), "is not the -1 that its errors make"),
        ("mqm-tsv", MARKED.replace('"minor', '"awful'), "severity is 'awful'"),
        ("mqm-tsv", MARKED.replace(":2,", ":9,"), "behind the end of the output"),
        ("mqm-tsv", MARKED.replace("{text}", '"a\tb"'), "a tab or a line break"),
        ("mqm-tsv", MARKED.replace("[", "("), "spans are a JSON list such as"),
        ("label-studio", COMPARED, "row 2 of"),
        ("label-studio", RANKED, "its ranking has ties"),
        ("label-studio", RATED.replace(",4,", ",,"), "has no score"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(kind, text, words, save, tmp_path) -> None:
    ending = {"label-studio": "json", "wmt-json": "jsonl", "mqm-tsv": "tsv"}.get(kind, "csv")
    data = read(save("in.csv", text))
    with pytest.raises(EvenhandError) as caught:
        write(data, tmp_path / f"out.{ending}", kind=kind)
    assert words in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("name", ["out.csv", "out.json.zst", "out"])
def test_a_name_that_says_another_format_is_refused(name, save, tmp_path) -> None:
    data = read(save("in.csv", RATED))
    with pytest.raises(EvenhandError):
        write(data, tmp_path / name, kind="label-studio")
    assert not (tmp_path / name).exists()


def test_errors_in_the_source_have_no_place_in_appraise(save, tmp_path) -> None:
    span = '"[{""start"":0,""end"":2,""severity"":""minor"",""side"":""source""}]"'
    text = f"judge,item,system,score,task,spans\nj,1,A,4,eng-deu,{span}\n"
    with pytest.raises(EvenhandError, match="an error lies in the source"):
        write(read(save("in.csv", text)), tmp_path / "out.csv", kind="appraise")


def test_several_criteria_are_too_many_for_one_column(save, tmp_path) -> None:
    text = "judge,item,system,score,task,criterion\nj,1,A,4,eng-deu,x\nj,1,A,4,eng-deu,y\n"
    with pytest.raises(EvenhandError, match="holds the criteria x, y"):
        write(read(save("in.csv", text)), tmp_path / "out.csv", kind="appraise")
