"""A matrix of judges by items."""

from evenhand.errors import UnknownColumn, UnknownFormat
from evenhand.formats.reading import read
from read_tables import refusal, rows_of

TEXT = "worker,i1,i2\nann,4,\nben,2,3\n"


def test_each_cell_is_a_rating_and_blank_ones_are_counted(save) -> None:
    data = read(save("m.csv", TEXT), format="matrix")
    assert [(row["judge"], row["system"], row["score"]) for row in rows_of(data)] == [
        ("ann", "i1", 4),
        ("ben", "i1", 2),
        ("ben", "i2", 3),
    ]
    assert data.source.notes[-1] == "blank cells excluded: 1"


def test_it_is_read_only_where_it_is_asked_for(save) -> None:
    assert "no known layout" in refusal(save("m.csv", TEXT), UnknownFormat)


def test_a_matrix_without_judges_is_refused(save) -> None:
    path = save("m.csv", TEXT.replace("worker", "name"))
    assert "begins with a column 'judge'" in refusal(path, UnknownColumn, format="matrix")
