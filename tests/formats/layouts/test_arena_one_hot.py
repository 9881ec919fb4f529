"""Arena battles with one column for each outcome."""

import polars as pl
import pytest

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

HEADER = (
    "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
)
FINE = HEADER + '1,x,y,"p,q",r,s,1,0,0\n2,x,y,p,r,s,0,1,0\n3,y,x,p,r,s,0,0,1\n'
CELLS = {("x", "y"): (1, 0, 1), ("y", "x"): (0, 1, 0)}


def test_the_column_that_holds_one_is_the_outcome(save) -> None:
    path = save("t.csv", FINE)
    assert read(path).source.format == "arena_one_hot"
    assert cells_of(tally_of(path)) == CELLS


def test_numbers_and_truth_values_do_as_well_as_text(save) -> None:
    frame = pl.read_csv(save("t.csv", FINE))
    marks = [name for name in frame.columns if name.startswith("winner_")]
    for kind in (pl.Int64, pl.Float64, pl.Boolean, pl.String):
        cast = frame.with_columns(pl.col(marks).cast(kind))
        for one in (cast, cast.lazy(), cast.to_arrow(), cast.to_pandas()):
            assert cells_of(tally_of(one)) == CELLS


@pytest.mark.parametrize("marks", ["1,0,1", "0,0,0", ",,", "2,0,0", "yes,0,0", "1,0,2", "1,,"])
def test_rows_without_exactly_one_are_refused(marks: str, save) -> None:
    words = refusal(save("t.csv", f"{FINE}4,x,y,p,r,s,{marks}\n"), InvalidJudgments)
    assert "(line 5): exactly one of them must be 1" in words


def test_the_outcome_cannot_be_mapped(save) -> None:
    path = save("t.csv", FINE)
    words = refusal(path, UnknownOption, columns={"outcome": "winner_tie"})
    assert "stands in winner_model_a, winner_model_b, winner_tie" in words
