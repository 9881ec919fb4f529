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


def test_a_table_can_be_written_and_used(evenhand):
    ran = evenhand("demo", "pudding", "-o", "pudding.csv")
    assert ran.out == ""
    assert Path("pudding.csv").read_text(encoding="utf-8") == datasets.load("pudding").csv()
    assert evenhand("rank", "pudding.csv", "--json").json["n_judgments"] == 745


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("puding",), "Did you mean 'pudding'?"),
        (("-o", "x.csv"), "which table?"),
        (("--list", "pudding"), "--list stands alone"),
    ],
)
def test_misunderstandings_are_cleared_up(evenhand, words, said):
    assert said in evenhand("demo", *words, code=2).err


def test_a_table_is_not_written_over_a_file_unless_asked(evenhand, folder):
    Path("mine.csv").write_text("mine", encoding="utf-8")
    assert "--force replaces it" in evenhand("demo", "pudding", "-o", "mine.csv", code=2).err
    Path("folder.csv").mkdir()
    assert "is a directory" in evenhand("demo", "pudding", "-o", "folder.csv", code=2).err
    assert Path("mine.csv").read_text(encoding="utf-8") == "mine"
    evenhand("demo", "pudding", "-o", "mine.csv", "--force")
    assert Path("mine.csv").read_text(encoding="utf-8") == datasets.load("pudding").csv()


def test_a_simulated_campaign_is_listed_and_written_as_ratings(evenhand, folder):
    assert "hamon2007_simulated  simulated ratings" in evenhand("demo", "--list").out
    evenhand("demo", "hamon2007_simulated", "-o", "ratings.csv")
    lines = Path("ratings.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "judge,item,system,input,criterion,score,easy"
    assert len(lines) == 1 + 2 * 20_360


def test_a_simulated_campaign_has_no_printed_numbers(evenhand):
    refused = evenhand("demo", "hamon2007_simulated", code=2).err
    assert "is simulated and has no printed numbers" in refused


def test_a_simulated_table_is_suggested_where_its_name_is_nearly_right(evenhand):
    refused = evenhand("demo", "side_by_side", "-o", "votes.csv", code=2).err
    assert "Did you mean 'side_by_side_simulated'?" in " ".join(refused.split())


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


def test_published_sets_are_listed_with_their_licences(evenhand):
    text = evenhand("demo", "--list").out
    assert "evalica_samples  --fetch: 2,947 bytes, licence: Apache-2.0" in text
    assert "wmt12_rankings  by hand, licence: not stated" in text


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


def test_all_sets_are_tried_and_those_that_failed_are_named_at_the_end(evenhand, folder):
    nowhere = dict.fromkeys(("https_proxy", "HTTPS_PROXY"), "http://127.0.0.1:1")
    words = ("demo", "--fetch", "all", "--into", "data")
    done = evenhand(*words, code=2, no_proxy="", NO_PROXY="", **nowhere)
    assert re.findall("^failed ([a-z_]+):$", done.err, re.MULTILINE) == [
        "evalica_samples",
        "llmfao",
    ]
    assert "error  2 sets not fetched: evalica_samples, llmfao; evenhand demo" in done.err
    assert "by hand: esa_wmt23_ende, mlqe_pe_da" in done.out
    assert not Path("data").exists()


def test_a_copy_that_is_there_is_named_with_what_to_run(evenhand, folder):
    Path("data", "wmt12_rankings").mkdir(parents=True)
    rows = "task,judge,item,ranking_id,system,rank\ncs-en,j,1,1,A,1\ncs-en,j,1,1,B,2\n"
    table = Path("data", "wmt12_rankings", "rankings.parquet")
    duckdb.read_csv(io.StringIO(rows)).write_parquet(str(table))
    said = evenhand("demo", "--fetch", "wmt12_rankings", EVENHAND_DATA="data").out
    assert f"{table.parent}: rankings.parquet is there; licence: not stated" in said
    (tried,) = re.findall("^try    evenhand (.*)$", said, re.MULTILINE)
    assert "1 ranking" in evenhand(*shlex.split(tried)).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--fetch", "llmfoa"), "Did you mean 'llmfao'?"),
        (
            ("--fetch", "wmt16_rankings", "--into", "out"),
            "github.com/cfedermann/wmt16/tree/4ed21ef6",
        ),
        (("--into", "data"), "--into is for --fetch NAME"),
        (("pudding", "--fetch", "llmfao"), "--fetch takes only --into"),
    ],
)
def test_what_is_not_fetched_says_why(evenhand, words, said):
    assert said in evenhand("demo", *words, code=2).err
