"""WMT's RNK table."""

import polars as pl
import pytest

from evenhand.data.engine import fetch_columns
from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.formats.layouts.wmt import LANGUAGES
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,"
    "system1rank,system2rank,system3rank\n"
)
ROW = "Czech,English,{item},d,-1,{judge},1,{a},2,{b},3,{c},{ranks}\n"


def _row(ranks="1,2,2", item=7, judge="j1", systems=("A", "B", "C")) -> str:
    a, b, c = systems
    return ROW.format(item=item, judge=judge, a=a, b=b, c=c, ranks=ranks)


def test_a_row_becomes_its_pairs_in_the_order_of_the_screen(save) -> None:
    path = save("t.csv", HEADER + _row("2,1,2"))
    assert cells_of(tally_of(path)) == {
        ("A", "B"): (0, 0, 1),
        ("A", "C"): (0, 1, 0),
        ("B", "C"): (1, 0, 0),
    }
    assert tally_of(path).positions_known


def test_roles_come_from_the_layout(save) -> None:
    data = read(save("t.csv", HEADER + _row() + _row(item=8, judge="j2")))
    assert isinstance(data, Rankings)
    columns = fetch_columns(data.frame)
    assert columns["ranking"].tolist() == ["1"] * 3 + ["2"] * 3
    assert columns["position"].tolist() == [1, 2, 3] * 2
    assert columns["item"].tolist() == ["7"] * 3 + ["8"] * 3
    assert columns["judge"].tolist() == ["j1"] * 3 + ["j2"] * 3
    assert set(columns["task"]) == {"cs-en"}
    assert {"documentId", "segmentId"} < set(columns)
    assert not any(name.startswith("system1") for name in columns)


def test_what_was_understood_is_one_sentence(save) -> None:
    source = read(save("t.csv", HEADER + _row())).source
    assert source.notes == (
        "read WMT rankings: system1Id..system3Id, judge=judgeId, item=srcIndex,"
        " task=srclang-trglang",
    )


def test_minus_one_and_blank_are_not_ranked(save) -> None:
    data = read(save("t.csv", HEADER + _row("-1,1,2") + _row("-1,-1,-1") + _row(",,1")))
    assert isinstance(data, Rankings)
    assert (data.count(), data.count_blank(), data.count_used()) == (3, 1, 1)
    assert cells_of(data.comparisons().tally()) == {("B", "C"): (1, 0, 0)}


def test_empty_places_are_no_outputs(save) -> None:
    data = read(save("t.csv", HEADER + _row("1,2,", systems=("A", "B", ""))))
    assert isinstance(data, Rankings)
    assert fetch_columns(data.frame)["system"].tolist() == ["A", "B"]


def test_all_engines_agree(save, tmp_path) -> None:
    path = save("t.csv", HEADER + _row() + _row("3,2,1", judge="j2") + _row("1,-1,1"))
    frame = pl.read_csv(path)
    frame.write_parquet(tmp_path / "t.parquet")
    sources = (
        path,
        tmp_path / "t.parquet",
        frame,
        frame.lazy(),
        frame.to_arrow(),
        frame.to_pandas(),
    )
    tallies = [tally_of(source, ("task", "judge")) for source in sources]
    assert len({tally.digest for tally in tallies}) == 1
    assert {tally.n_judgments for tally in tallies} == {3}
    assert {tally.factor("judge").labels for tally in tallies} == {("j1", "j2")}


@pytest.mark.parametrize(("rank", "line"), [("0", 3), ("1.5", 3), ("-2", 3), ("6x", 3)])
def test_bad_ranks_name_the_lines_of_the_file(rank: str, line: int, save) -> None:
    words = refusal(save("t.csv", HEADER + _row() + _row(f"1,2,{rank}")), InvalidJudgments)
    assert rank in words
    assert "column 'system3rank'" in words
    assert f"(line {line})" in words


def test_a_system_twice_in_a_row_names_the_ranking(save) -> None:
    path = save("t.csv", HEADER + _row() + _row(systems=("A", "B", "A")))
    assert "system 'A' stands twice in ranking '2'" in refusal(path, InvalidJudgments)


def test_a_rank_without_a_system_is_refused(save) -> None:
    path = save("t.csv", HEADER + _row(systems=("A", "", "C")))
    assert "missing in column 'system1Id..system3Id'" in refusal(path, InvalidJudgments)


def test_languages_have_the_codes_of_wmt_and_others_keep_their_names(save) -> None:
    assert LANGUAGES["czech"] == "cs"
    assert LANGUAGES["german"] == "de"
    path = save("t.csv", HEADER + _row().replace("Czech", "Klingon"))
    assert tally_of(path, ("task",)).factor("task").labels == ("klingon-en",)


def test_columns_can_be_mapped(save) -> None:
    path = save("t.csv", HEADER + _row())
    mapped = tally_of(path, ("item", "judge"), columns={"item": "documentId", "judge": "srcIndex"})
    assert mapped.factor("judge").labels == ("7",)
    assert mapped.factor("item").labels == ("cs-en / d",)
    assert "no role 'left'" in refusal(
        path, UnknownOption, format="wmt_rnk", columns={"left": "judgeId"}
    )


def test_a_system_without_its_rank_is_refused(save) -> None:
    text = (HEADER + _row()).replace(",system3rank", "").replace(",1,2,2", ",1,2")
    assert "system3 of" in refusal(save("t.csv", text), UnknownColumn)
