"""A DuckDB relation whose connection is gone is refused in words, whatever is asked of it."""

import duckdb
import pytest

import evenhand
from days_of_votes import frame
from evenhand.errors import UnknownFormat

VERBS = (
    "rank",
    "screen_judges",
    "measure_agreement",
    "make_report",
    "find_position_bias",
    "tabulate_models",
    "compare_methods",
)


@pytest.fixture
def votes(tmp_path):
    """An open connection, and its table of votes as it was read."""
    frame(200, 1).write_csv(tmp_path / "v.csv")
    connection = duckdb.connect()
    connection.execute(f"create table votes as select * from '{tmp_path / 'v.csv'}'")
    return connection, evenhand.read(connection.table("votes"))


@pytest.mark.parametrize("verb", VERBS)
def test_a_closed_connection_is_said_by_every_verb(verb, votes):
    connection, data = votes
    connection.close()
    with pytest.raises(UnknownFormat, match=r"connection of .* was closed: keep it open"):
        getattr(evenhand, verb)(data)


@pytest.mark.parametrize("method", ["tally", "count_judgments", "votes"])
def test_a_closed_connection_is_said_by_the_table_itself(method, votes):
    connection, data = votes
    connection.close()
    with pytest.raises(UnknownFormat, match="was closed"):
        getattr(data, method)()


def test_a_dropped_table_is_refused_in_one_line(votes):
    connection, data = votes
    connection.execute("drop table votes")
    with pytest.raises(UnknownFormat, match="votes") as refused:
        evenhand.rank(data)
    assert "\n" not in str(refused.value)
