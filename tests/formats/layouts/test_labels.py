"""Labels of items, which are outputs of no system."""

import pytest

import evenhand
from evenhand.data.controls import leave_out_controls
from evenhand.errors import UnknownColumn
from evenhand.formats.reading import read
from read_tables import rows_of

SNOW = """!amt_annotation_ids\t!amt_worker_ids\torig_id\tresponse\tgold
1\tW1\t7\t0\t1
2\tW2\t7\t1\t1
3\tW1\t8\t1\t0
"""


def test_a_response_is_the_score_of_an_item_by_a_worker(save) -> None:
    data = read(save("rte.standardized.tsv", SNOW))
    rows = [(row["judge"], row["item"], row["score"], row["gold"]) for row in rows_of(data)]
    assert rows == [("W1", "7", 0, "1"), ("W2", "7", 1, "1"), ("W1", "8", 1, "0")]
    assert not data.has("system")
    assert data.rows().systems == ("",)


def test_what_speaks_of_systems_refuses_labels_of_items(save) -> None:
    data = read(save("rte.standardized.tsv", SNOW))
    for work in (leave_out_controls, evenhand.make_report):
        with pytest.raises(UnknownColumn, match="holds labels of items and names no systems"):
            work(data)


def test_labels_of_our_own_are_read_where_they_are_asked_for(save) -> None:
    path = save("labels.csv", "worker,segment,grade\nann,1,4\n")
    with pytest.raises(UnknownColumn, match="--from labels"):
        read(path)
    assert rows_of(path, format="labels") == [{"judge": "ann", "item": "1", "score": 4}]
