from __future__ import annotations

import io
import re
import shlex
import shutil
from pathlib import Path

import duckdb
import pytest

from evenhand import datasets


def test_the_walk_gives_the_numbers_of_the_paper(evenhand, folder):
    text = evenhand("demo").out
    # Dras (2015), section 2; R 4.2.2 glm of eq. (1) and gnm of eq. (2)
    assert "first preferences: A 402, D 334, B 127, C 54" in text
    assert " 30.4554   8 " in text
    assert "107.5000  35 " in text


def test_the_walk_leaves_nothing_behind(evenhand, folder):
    evenhand("demo")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("name", datasets.names())
def test_every_table_gives_the_numbers_it_must(evenhand, name):
    text = evenhand("demo", name).out
    assert text.startswith("Every number agrees.")
    assert "differs" not in text


def test_a_fetched_set_says_what_to_try_with_it(evenhand, folder, data_set):
    copied = Path("my data", "evalica_samples")
    shutil.copytree(data_set("evalica_samples"), copied)
    said = evenhand("demo", "--fetch", "evalica_samples", "--into", "my data").out
    assert "6 files, 0 downloaded, SHA-256 checked; licence: Apache-2.0" in said
    (tried,) = re.findall("^try    evenhand (.*)$", said, re.MULTILINE)
    assert "Tacos" in evenhand(*shlex.split(tried)).out


def test_without_a_network_one_line_names_the_address_and_the_folder(evenhand, folder):
    nowhere = dict.fromkeys(("https_proxy", "HTTPS_PROXY"), "http://127.0.0.1:1")
    words = ("demo", "--fetch", "llmfao", "--into", "data")
    refused = evenhand(*words, code=2, no_proxy="", NO_PROXY="", **nowhere).err
    assert re.search(r"https://raw\S+/dustalov/evalica/[0-9a-f]{40}/llmfao\.csv cannot be", refused)
    assert f"put llmfao.csv into '{Path('data', 'llmfao')}' by hand" in refused
    assert refused.count("\n") == 1
    assert not Path("data").exists()


@pytest.mark.parametrize(
    ("name", "columns"), [("pudding", "left"), ("hamon2007_simulated", "score")]
)
def test_the_ending_decides_how_a_table_is_written(evenhand, folder, name, columns):
    evenhand("demo", name, "-o", "table.csv")
    plain = duckdb.read_csv("table.csv")
    for file in ("table.parquet", "table.jsonl", "table.tsv"):
        evenhand("demo", name, "-o", file)
    assert columns in duckdb.read_parquet("table.parquet").columns
    rows = [duckdb.read_json("table.jsonl"), duckdb.read_csv("table.tsv", delimiter="\t")]
    assert {len(one) for one in (*rows, duckdb.read_parquet("table.parquet"))} == {len(plain)}
    assert "end it in .csv" in evenhand("demo", name, "-o", "table.json", code=2).err
    assert not Path("table.json").exists()


def test_a_copy_that_is_there_is_named_with_what_to_run(evenhand, folder):
    Path("data", "wmt12_rankings").mkdir(parents=True)
    rows = "task,judge,item,ranking_id,system,rank\ncs-en,j,1,1,A,1\ncs-en,j,1,1,B,2\n"
    table = Path("data", "wmt12_rankings", "rankings.parquet")
    duckdb.read_csv(io.StringIO(rows)).write_parquet(str(table))
    said = evenhand("demo", "--fetch", "wmt12_rankings", EVENHAND_DATA="data").out
    assert f"{table.parent}: rankings.parquet is there; licence: not stated" in said
    (tried,) = re.findall("^try    evenhand (.*)$", said, re.MULTILINE)
    assert "1 ranking" in evenhand(*shlex.split(tried)).out
