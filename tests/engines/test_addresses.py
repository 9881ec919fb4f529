"""Tables by an address, closed connections, and threads."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import duckdb
import polars as pl
import psycopg
import pytest
from click.testing import CliRunner

import evenhand
from days_of_votes import frame
from engines_matrix import votes
from evenhand.cli.main import main
from evenhand.errors import UnknownFormat
from evenhand.formats.files import connect
from evenhand.formats.reading import read
from postgres_server import run_server

# `evenhand rank URL`: tables of DuckDB, SQLite, PostgreSQL and Spark by their URL.


pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
SECRET = "hunter2hunter2"
VOTES = pl.DataFrame(votes()).drop("weight", "task")


def rank(*words):
    return CliRunner().invoke(main, ["rank", *words, "--json"], prog_name="evenhand")


def ranking(*words):
    """What --json prints but for names of files."""
    result = rank(*words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    return {name: found[name] for name in ("systems", "signature") if name in found}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the same votes as Parquet, in a DuckDB and in an SQLite file."""
    monkeypatch.chdir(tmp_path)
    VOTES.write_parquet("votes.parquet")
    with duckdb.connect("votes.db") as connection:
        connection.from_arrow(VOTES.to_arrow()).create("votes")
        connection.execute("create view other as select 1 as x")
    store = sqlite3.connect("votes.sqlite")
    store.execute(f"create table votes ({', '.join(VOTES.columns).replace('group', '[group]')})")
    store.executemany(f"insert into votes values ({', '.join('?' * VOTES.width)})", VOTES.rows())
    store.commit()
    store.close()
    return tmp_path


def test_a_table_of_a_database_ranks_as_the_file_does(folder):
    expected = ranking("votes.parquet")
    assert len(expected) == 2
    assert ranking("duckdb://votes.db?table=votes") == expected
    assert ranking(f"duckdb://{folder}/votes.db?table=main.votes") == expected
    pytest.importorskip("ibis", reason="ibis is not installed")
    assert ranking("sqlite://votes.sqlite?table=votes") == expected


def test_tables_are_opened_whatever_signs_their_names_hold(tmp_path):
    path = tmp_path / "odd.db"
    names = ('q"t', "s.2.v.1", "it's", "select")
    with duckdb.connect(str(path)) as connection:
        connection.from_arrow(VOTES.to_arrow()).create("votes")
        connection.execute('create schema "s.2"')
        for name in ('"q""t"', '"s.2"."v.1"', '"it\'s"', '"select"'):
            connection.execute(f"create view {name} as from votes")
    expected = read(f"duckdb://{path}?table=votes").tally().digest
    assert {read(f"duckdb://{path}?table={name}").tally().digest for name in names} == {expected}


REFUSED = {
    "duckdb://none.db?table=votes": "there is no DuckDB file 'none.db'",
    "duckdb://votes.db": "with ?table=NAME: it has other, votes",
    "duckdb://votes.db?table=vote": "Did you mean 'votes'?",
    f"duckdb://votes.db?table=votes&token={SECRET}": "says too much",
    "duckdb://votes.parquet?table=votes": "cannot be opened",
    "sqlite://none.sqlite?table=votes": "there is no SQLite file",
    "sqlite://votes.sqlite?table=vote": "Did you mean 'votes'?",
    "sqlite://votes.sqlite": "add ?table=",
    f"postgres://ann:{SECRET}@127.0.0.1:1/db?table=votes": "does not answer",
    f"snowflake://ann:{SECRET}@a/b?table=votes": "ibis-framework[snowflake]",
    f"snowflak://ann:{SECRET}@a/b?table=votes": "Did you mean 'snowflake'?",
    f"sc://127.0.0.1:1/votes;token={SECRET}": "no Spark Connect server answers at 127.0.0.1:1",
    f"sc://127.0.0.1:1/votes?table=other;token={SECRET}": "names two tables",
    f"sc://127.0.0.1:1;token={SECRET}": "add ?table=",
    f"spark://ann:{SECRET}@local?table=votes": "names no Spark",
    f"s3://{SECRET}@bucket/votes.parquet": "from the environment",
    f"s3://bucket/votes.parquet?key={SECRET}": "from the environment",
    "s3:///votes.parquet": "names no bucket",
    f"https://ann:{SECRET}@a.b/votes.csv?token={SECRET}": "holds a user or a password",
}


@pytest.mark.parametrize("url", REFUSED)
def test_what_cannot_be_read_is_said_in_one_line_without_secrets(folder, url):
    if url.startswith(("sqlite", "postgres", "snowflake")):
        pytest.importorskip("ibis", reason="ibis is not installed")
    if url.startswith(("spark", "sc")):
        pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    result = rank(url)
    assert result.exit_code == 2, result.output
    said = " ".join(result.output.split())
    assert REFUSED[url] in said
    assert SECRET not in said
    assert result.output.startswith("error  ")


def test_a_url_is_read_alone(folder):
    result = rank(f"sc://h/votes;token={SECRET}", "votes.parquet")
    assert result.exit_code == 2
    assert "name it alone" in " ".join(result.output.split())
    assert SECRET not in result.output


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("ibis", reason="ibis is not installed")
    with run_server() as running:
        yield running


def test_a_postgres_table_ranks_as_the_file_does(folder, server):
    types = ", ".join(
        f'"{name}" {"text" if kind == pl.String else "float8" if kind == pl.Float64 else "bigint"}'
        for name, kind in VOTES.schema.items()
    )
    server.run(f"create table votes ({types})")
    with psycopg.connect(server.url) as connection, connection.cursor() as cursor:
        places = ", ".join(["%s"] * VOTES.width)
        cursor.executemany(f"insert into votes values ({places})", VOTES.rows())
    url = f"{server.url}&table=public.votes"
    assert ranking(url) == ranking("votes.parquet")
    assert read(url).source.name == "postgresql:///postgres?table=public.votes"
    assert "there is no table 'public.vote'" in rank(url.replace("votes", "vote")).output


# A DuckDB relation whose connection is gone is refused in words, whatever is asked of it.


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


# What threads may do at once: read files, each its own or the same one.


def threads_of_engine():
    return connect().execute("select current_setting('threads')").fetchone()


def test_threads_share_a_table_and_leave_the_engine_its_threads(tmp_path) -> None:
    frame(20_000, 1).write_parquet(tmp_path / "v.parquet")
    data = evenhand.read(tmp_path / "v.parquet")
    before, right = threads_of_engine(), data.tally(by=("judge", "item")).digest
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(data.tally, by=("judge", "item")) for _ in range(12)]
    assert [one.result().digest for one in asked] == [right] * 12
    assert threads_of_engine() == before
    for at in range(3):
        frame(2000, at).write_parquet(tmp_path / f"{at}.parquet")
    connect().execute("set threads = 2")
    with ThreadPoolExecutor(3) as pool:
        tables = [evenhand.read(tmp_path / f"{at % 3}.parquet") for at in range(12)]
        found = list(pool.map(evenhand.rank, tables))
    assert [one.n_judgments for one in found] == [2000] * 12
    assert threads_of_engine() == (2,)
