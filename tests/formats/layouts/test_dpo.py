"""Chosen and rejected answers."""

import json

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from outside_files import DPO
from read_tables import cells_of, rows_of, tally_of


def test_models_stand_in_order_of_name_since_positions_are_unknown(save) -> None:
    path = save("dpo.jsonl", DPO)
    assert cells_of(tally_of(path)) == {("a", "x"): (0, 0, 1)}
    assert not read(path).positions_known


def test_what_stands_beside_is_kept_with_its_meaning(save) -> None:
    beside = {"judge": "ann", "weight": 3, "task": "t", "item": "i1", "lang": "de"}
    data = read(save("dpo.jsonl", json.dumps({**json.loads(DPO), **beside})))
    (row,) = rows_of(data)
    assert (row["judge"], row["task"], row["item"], row["lang"]) == ("ann", "t", "i1", "de")
    assert data.tally().n_judgments == 3
    assert "not read: chosen, rejected" in data.source.notes


def test_a_model_against_itself_is_refused_without_a_condition_that_reads_no_column(save) -> None:
    text = json.dumps({**json.loads(DPO), "rejected_model": json.loads(DPO)["chosen_model"]})
    with pytest.raises(
        InvalidJudgments, match=r"is compared with itself .*, or leave such rows out$"
    ):
        read(save("dpo.jsonl", text)).tally()
