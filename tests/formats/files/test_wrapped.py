"""Pearmut's download."""

import json

from outside_files import PEARMUT_LINE
from read_tables import rows_of


def test_campaigns_of_one_download_are_told_apart(save) -> None:
    path = save("d.json", json.dumps({"one": [PEARMUT_LINE], "two": [PEARMUT_LINE]}))
    assert {row["campaign"] for row in rows_of(path)} == {"one", "two"}


def test_lines_that_are_no_download_are_read_as_lines(save) -> None:
    path = save("d.jsonl", json.dumps(PEARMUT_LINE))
    assert len(rows_of(path)) == 2
