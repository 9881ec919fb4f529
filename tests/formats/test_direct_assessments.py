"""WMT's direct assessments as programs save them again: parted by commas, with fewer columns."""

import pytest

from evenhand.formats.reading import read
from read_tables import rows_of

COLUMNS = ("WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score")
ROWS = [
    ("w1", "de", "en", "on-A", "SYSTEM", "s1", "70"),
    ("w1", "de", "en", "on-B", "REF", "s1", "95"),
    ("w2", "de", "en", "on-B", "SYSTEM", "s1", "40"),
]


@pytest.mark.parametrize("sign", [",", "\t"])
def test_commas_and_tabs_part_the_columns_as_well(tmp_path, sign) -> None:
    path = tmp_path / "da.csv"
    path.write_text("\n".join(sign.join(row) for row in (COLUMNS, *ROWS)) + "\n")
    data = read(path)
    assert data.source.format == "wmt_da"
    rows = rows_of(data)
    assert [row["task"] for row in rows] == ["de-en"] * 3
    assert [row["kind"] for row in rows] == ["target", "good", "target"]
