"""Files in a bucket, also while they change."""

import gzip
import json
from io import BytesIO

import polars as pl
import pytest
from click.testing import CliRunner

from bucket_server import run_server
from days_of_votes import frame
from engines_matrix import votes
from evenhand.cli.main import main
from evenhand.errors import EvenhandError
from evenhand.formats import remote_files
from evenhand.formats.reading import read
from evenhand.formats.remote_files import find_remote, open_remote

# `evenhand rank s3://…`: files of a bucket, from a store on this machine that asks for keys.


VOTES = pl.DataFrame(votes()).drop("weight", "task")
SECRET = "hunter2hunter2"
PARTS = [VOTES[:120], VOTES[120:200], VOTES[200:]]


def parquet(frame, compression="zstd"):
    written = BytesIO()
    frame.write_parquet(written, compression=compression, row_group_size=50_000)
    return written.getvalue()


@pytest.fixture(scope="module")
def server():
    """A store with the same votes as one file of each kind, and as a folder of days."""
    with run_server() as running:
        table = VOTES.write_csv().encode()
        files = {
            "one/votes.parquet": parquet(VOTES),
            "one/votes.csv": table,
            "one/votes.csv.gz": gzip.compress(table),
            "one/votes.jsonl": VOTES.write_ndjson().encode(),
            "one/empty.csv": b"",
            "one/short.csv": table + b"a,b\n",
            "one/no.parquet": table,
            **{f"days/day={i}/part.parquet": parquet(part) for i, part in enumerate(PARTS)},
            "days/_log/part.parquet": b"no votes",
            "wide/all.parquet": parquet(VOTES.with_columns(pl.lit("x" * 99).alias("text"))),
        }
        for name, data in files.items():
            running.put(f"votes/{name}", data)
        yield running


@pytest.fixture
def bucket(server, monkeypatch, tmp_path):
    """The store as the environment names it, and nothing else that could hold keys."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_NO_SIGN_REQUEST"):
        monkeypatch.delenv(name, raising=False)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return server


def run(*words):
    return CliRunner().invoke(main, words, prog_name="evenhand")


def said(result):
    return " ".join(result.output.split())


def ranking(*words):
    result = run("rank", *words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    return {name: found[name] for name in ("systems", "signature")}


@pytest.fixture
def expected(tmp_path):
    """The ranking of the same votes as a file of this machine."""
    VOTES.write_parquet(tmp_path / "here.parquet")
    return ranking(str(tmp_path / "here.parquet"))


@pytest.mark.parametrize("name", ["parquet", "csv", "csv.gz", "jsonl"])
def test_a_file_of_a_bucket_ranks_as_one_of_this_machine(bucket, expected, name):
    assert ranking(f"s3://votes/one/votes.{name}") == expected


@pytest.mark.parametrize("name", ["days", "days/", "days/day=*/part.parquet", "days/day=[0-2]/*"])
def test_a_folder_or_a_pattern_of_a_bucket_stands_for_its_files(bucket, expected, name):
    assert ranking(f"s3://votes/{name}") == expected
    assert "day" in read(f"s3://votes/{name}").columns


def test_what_is_said_of_a_bucket_holds_no_key(bucket, monkeypatch) -> None:
    out = run("rank", "s3://votes/days", "--explain", "--json").output
    assert "explain  duckdb: " in out
    for secret in (bucket.key, bucket.secret):
        assert secret not in out
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    assert "are wrong" in said(run("rank", "s3://votes/one/*.parquet"))
    monkeypatch.setattr(remote_files, "find_spec", dict[str, None]().get)
    result = run("rank", "s3://votes/one/votes.parquet")
    assert result.exit_code == 2
    assert "pip install 'evenhand[s3]'" in said(result)


def test_conditions_and_odd_names_work_in_a_bucket(bucket, expected) -> None:
    one = VOTES["judge"].unique().sort()[0]
    kept = read("s3://votes/days", where=f"judge = '{one}'")
    assert kept.count_judgments() == VOTES.filter(pl.col("judge") == one).height
    bucket.put("odd/a[1]*.csv", VOTES.write_csv().encode())
    bucket.put("odd/it's [1].parquet", parquet(VOTES))
    assert ranking("s3://odd/a[1]*.csv") == expected
    assert ranking("s3://odd/it's [1].parquet") == expected


REFUSED = {
    "s3a://votes/one/votes.csv": "Did you mean 's3'?",
    "s3://votes/one/part-?.csv": "a ? ; or & in a name is written *",
    "s3://votes/one/vote.csv": "Did you mean 's3://votes/one/votes.csv'?",
    "s3://votes/none/": "the bucket has no such file or folder",
    "s3://vote/one/votes.csv": "there is no bucket 'vote'",
    "s3://vote/one/*.csv": "there is no bucket 'vote'",
    "s3://votes/one/*.orc": "no file of the bucket matches 's3://votes/one/*.orc'",
    "s3://votes/one/*": "files read together must be of one kind",
    "s3://votes/one/empty.csv": "s3://votes/one/empty.csv is empty",
    "s3://votes/one/short.csv": "line 302 of s3://votes/one/short.csv has 2 fields where",
    "s3://votes/one/no.parquet": "s3://votes/one/no.parquet is not a whole Parquet file",
    "s3://votes/one/votes.csv here.csv": "are read by themselves",
    "s3://votes/one/votes.csv s3://votes/one/votes.csv": "is given twice",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_a_bucket_does_not_have_is_said_in_one_line(bucket, words):
    result = run("rank", *words.split())
    assert result.exit_code == 2, result.output
    assert REFUSED[words] in said(result)
    assert result.output.startswith("error  ")


CLOSED = {
    "no keys": ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "needs keys"),
    "a wrong secret": ({"AWS_SECRET_ACCESS_KEY": SECRET}, "are wrong"),
    "an unknown key": ({"AWS_ACCESS_KEY_ID": SECRET}, "are wrong"),
    "unsigned": ({"AWS_NO_SIGN_REQUEST": "yes"}, "needs keys"),
    "nobody there": ({"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "does not answer"),
    "no address": ({"AWS_ENDPOINT_URL": f"http://ann:{SECRET}@h"}, "is no address of a store"),
}


@pytest.mark.parametrize("case", CLOSED)
def test_a_store_that_lets_nobody_in_is_said_in_one_line_without_keys(bucket, monkeypatch, case):
    settings, expected = CLOSED[case]
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    result = run("rank", "s3://votes/one/votes.parquet")
    assert result.exit_code == 2, result.output
    assert expected in said(result)
    for secret in (SECRET, bucket.key, bucket.secret):
        assert secret not in result.output


def test_a_file_that_is_taken_away_while_it_is_read_is_said_so(bucket):
    # more rows than are looked at when the file is opened, which the engine keeps
    many = VOTES.sample(200_000, with_replacement=True, seed=1).with_row_index("row")
    bucket.put("going/votes.parquet", parquet(many.with_columns(item=pl.col("row").cast(str))))
    data = read("s3://going/votes.parquet")
    bucket.open().delete_file("going/votes.parquet")
    with pytest.raises(ValueError, match=r"'s3://going/votes[.]parquet' was changed or taken away"):
        data.tally(["item"])


@pytest.fixture
def swapped(bucket):
    """Overwrites a file by one of the same size, in which all that won has lost."""
    many = VOTES.sample(200_000, with_replacement=True, seed=1).with_row_index("row")
    tables = [many.with_columns(item=pl.col("row").cast(str)).drop("row")]
    tables.append(tables[0].rename({"model_a": "model_b", "model_b": "model_a"}))
    before, after = (
        {
            "csv": table.select(sorted(table.columns))[:300].write_csv().encode(),
            "parquet": parquet(table, "uncompressed"),
        }
        for table in tables
    )
    assert {name: len(data) for name, data in before.items()} == {
        name: len(data) for name, data in after.items()
    }
    for name, data in before.items():
        bucket.put(f"torn/votes.{name}", data)
    return after


def test_a_copy_of_a_file_that_is_overwritten_meanwhile_is_refused(bucket, swapped, monkeypatch):
    read_part, starts = remote_files.RemoteFile.read, []

    def read_slowly(self, start, stop):
        starts.append(start)
        if len(starts) == 2:
            bucket.put("torn/votes.csv", swapped["csv"])
        return read_part(self, start, stop)

    monkeypatch.setattr(remote_files.RemoteFile, "read", read_slowly)
    monkeypatch.setattr(remote_files, "CHUNK", 4096)
    with pytest.raises(ValueError, match=r"s3://torn/votes[.]csv' was changed while it was read"):
        read("s3://torn/votes.csv")
    assert len(starts) > 2


def test_an_answer_of_a_file_that_is_overwritten_meanwhile_is_refused(bucket, swapped):
    data = read("s3://torn/votes.parquet")
    known = data.tally(["judge"]).digest
    bucket.put("torn/votes.parquet", swapped["parquet"])
    for _ in range(2):  # whoever asks again gets no mixture either
        with pytest.raises(ValueError, match=r"votes[.]parquet' was changed while it was read"):
            data.tally(["item"])
    assert read("s3://torn/votes.parquet").tally(["judge"]).digest != known


# Files of a bucket that change between listing and reading, and files of unlike types.


MANY = frame(300, 1)


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (MANY.sample(900, with_replacement=True, seed=1), "was changed while it was read"),
        (MANY[:120], "was changed while it was read"),
        (None, "was changed or taken away"),
    ],
    ids=["grew", "shrank", "gone"],
)
@pytest.mark.parametrize("name", ["votes.parquet", "votes.csv"])
def test_a_file_that_changes_between_listing_and_reading_is_not_called_damaged(
    bucket, then, said, name
):
    write = parquet if name.endswith("parquet") else lambda table: table.write_csv().encode()
    bucket.put(f"listed/{name}", write(MANY))
    files = find_remote(f"s3://listed/{name}")
    if then is None:
        bucket.open().delete_file(f"listed/{name}")
    else:
        bucket.put(f"listed/{name}", write(then))
    with pytest.raises(EvenhandError, match=f"'s3://listed/{name}' {said}"):
        open_remote(files)


def test_parquet_of_unlike_types_is_read_alike_in_either_order(bucket):
    whole = MANY.with_columns(weight=pl.lit(2))
    bucket.put("types/a.parquet", parquet(whole))
    bucket.put("types/b.parquet", parquet(whole.with_columns(weight=pl.lit(0.5))))
    urls = ["s3://types/a.parquet", "s3://types/b.parquet"]
    for names in (urls, urls[::-1]):
        assert read(names, weights="importance").count_judgments() == 2.5 * MANY.height
