"""Names and texts of any script pass through the files of other projects."""

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.data.annotations import Span, write_spans
from evenhand.formats.reading import read
from evenhand.formats.writing import write
from read_tables import rows_of

letters = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])
texts = st.text(letters | st.sampled_from(",;\"'\n|éф鳥🎉"), min_size=1, max_size=12)
names = texts.filter(lambda text: text == text.strip() and text not in {"NA", "None"})
lines = st.text(letters | st.sampled_from("\"'éф鳥🎉"), min_size=2, max_size=12).filter(
    lambda text: "<" not in text and text == text.strip()
)
quiet = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _same(frame: pl.DataFrame, path, kind: str) -> bool:
    data = read(frame)
    again = rows_of(write(data, path, kind=kind, force=True))
    wanted = [{name: row[name] for name in frame.columns} for row in rows_of(data)]
    found = [{name: row.get(name) for name in frame.columns} for row in again]
    return sorted(found, key=repr) == sorted(wanted, key=repr)


@quiet
@given(rows=st.lists(st.tuples(names, names, names, st.integers(0, 100)), min_size=1, max_size=5))
@pytest.mark.parametrize(("kind", "ending"), [("appraise", "csv"), ("label-studio", "json")])
def test_ratings_of_any_name(kind, ending, rows, tmp_path) -> None:
    columns = ("judge", "item", "system", "score")
    frame = pl.DataFrame(rows, schema=columns, orient="row").with_columns(task=pl.lit("eng-deu"))
    assert _same(frame, tmp_path / f"out.{ending}", kind)


@quiet
@given(
    rows=st.lists(
        st.tuples(names, lines, lines, st.sampled_from(["minor", "major"]), st.integers(0, 1)),
        min_size=1,
        max_size=4,
        unique_by=lambda row: row[0],
    )
)
@pytest.mark.parametrize(("kind", "ending"), [("wmt-json", "jsonl"), ("mqm-tsv", "tsv")])
def test_errors_in_any_text(kind, ending, rows, tmp_path) -> None:
    made = [
        {
            "judge": judge.replace("\n", " "),
            "item": f"d{at}:1" if kind == "mqm-tsv" else str(at + 1),
            "system": "S",
            "score": -5.0 if severity == "major" else -1.0,
            "spans": write_spans([Span(start, 2, severity, "Style", "output")]),
            "document": f"d{at}",
            "source": source,
            "output": output,
        }
        for at, (judge, source, output, severity, start) in enumerate(rows)
    ]
    if len({row["judge"] for row in made}) < len(made):
        return
    assert _same(pl.DataFrame(made), tmp_path / f"out.{ending}", kind)
