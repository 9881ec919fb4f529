"""Published judgments by name: what is fetched, from a server of our own, and what is refused."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import duckdb
import pytest

from evenhand.datasets.public import PublicFile, PublicSet, cache_folder, fetch, find, public_sets
from evenhand.errors import UnknownFormat, UnknownOption

COMMIT = "0" * 40
TEXT = "left,right,outcome\na,b,left\nb,a,tie\n"


def of_text(path, text):
    digest = hashlib.sha256(text.encode()).hexdigest()
    return PublicFile(path, COMMIT, len(text), digest, "somebody/small")


SMALL = PublicSet(
    name="small",
    title="two comparisons",
    repository="somebody/small",
    commit=COMMIT,
    licence="CC0-1.0",
    files=(of_text("data/votes.csv", TEXT), of_text("more.csv", "x\n1\n")),
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture
def host(tmp_path):
    """A server that holds the files of SMALL as published; returns its address and folder."""
    folder = tmp_path / "host" / "somebody" / "small" / COMMIT
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "votes.csv").write_text(TEXT, encoding="utf-8", newline="\n")
    (folder / "more.csv").write_text("x\n1\n", encoding="utf-8", newline="\n")
    handler = partial(Quiet, directory=tmp_path / "host")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", folder
        server.shutdown()
        thread.join()


@pytest.fixture
def apart(tmp_path, monkeypatch):
    """A cache and a folder of judgments of our own; returns both."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("EVENHAND_DATA", str(tmp_path / "data"))
    return tmp_path / "cache" / "evenhand", tmp_path / "data"


def test_a_set_is_downloaded_once_or_taken_from_a_folder(host, apart) -> None:
    address, folder = host
    first = fetch(SMALL, host=address)
    assert (first.folder, first.downloaded) == (cache_folder() / "small", ("votes.csv", "more.csv"))
    assert (first.folder / "votes.csv").read_text(encoding="utf-8") == TEXT
    (folder / "more.csv").unlink()
    assert fetch(SMALL, host=address).downloaded == ()
    assert sorted(path.name for path in first.folder.iterdir()) == ["more.csv", "votes.csv"]
    _, data = apart
    (data / "small").mkdir(parents=True)
    (data / "small" / "votes.csv").write_text(TEXT, encoding="utf-8", newline="\n")
    (data / "small" / "more.csv").write_text("x\n1\n", encoding="utf-8", newline="\n")
    nowhere = "http://127.0.0.1:1"
    assert fetch(SMALL, host=nowhere).folder == data / "small"
    assert fetch(SMALL, data, host=nowhere).downloaded == ()


@pytest.mark.parametrize("other", ["left,right,outcome\na,b,left\nb,a,win\n", TEXT[:-4]])
def test_another_file_than_the_published_one_is_refused_with_both_digests(host, apart, other):
    address, folder = host
    (folder / "data" / "votes.csv").write_text(other, encoding="utf-8", newline="\n")
    with pytest.raises(UnknownFormat) as refused:
        fetch(SMALL, host=address)
    assert hashlib.sha256(other.encode()).hexdigest() in str(refused.value)
    assert f"published {SMALL.files[0].sha256}" in str(refused.value)
    assert not (cache_folder() / "small").exists()


def test_other_files_are_refused_and_not_kept(host, apart) -> None:
    address, folder = host
    (folder / "data" / "votes.csv").write_text(TEXT * 2, encoding="utf-8", newline="\n")
    with pytest.raises(UnknownFormat, match="more than 36 bytes"):
        fetch(SMALL, host=address)
    assert not (cache_folder() / "small").exists()
    copies = tuple(replace(file, remade=True) for file in SMALL.files)
    (host[1] / "data" / "votes.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(UnknownFormat, match="made again from its rows") as refused:
        fetch(replace(SMALL, files=copies), host=host[0])
    assert "published" not in str(refused.value)


def test_a_changed_or_missing_file_is_named_with_what_to_do(host, apart) -> None:
    fetched = fetch(SMALL, host=host[0])
    (fetched.folder / "more.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(UnknownFormat, match="move it away") as refused:
        fetch(SMALL, host=host[0])
    assert hashlib.sha256(b"mine").hexdigest() in str(refused.value)
    assert SMALL.files[1].sha256 in str(refused.value)
    assert (fetched.folder / "more.csv").read_text(encoding="utf-8") == "mine"
    by_hand = replace(SMALL, files=(), by_hand="data", table="votes.parquet")
    with pytest.raises(UnknownFormat, match="no SHA-256 of its files is known") as refused:
        fetch(by_hand)
    assert f"https://github.com/somebody/small/tree/{COMMIT}" in str(refused.value)


def test_what_cannot_be_downloaded_is_named_with_its_address_and_folder(host, apart):
    address, folder = host
    (folder / "more.csv").unlink()
    for base, reason in ((address, "HTTP 404"), ("http://127.0.0.1:1", "refused")):
        with pytest.raises(UnknownFormat, match=reason) as refused:
            fetch(SMALL, host=base)
        assert f"{base}/somebody/small/{COMMIT}/more.csv" in str(refused.value)
        assert f"put more.csv into '{cache_folder() / 'small'}'" in str(refused.value)
    # what was whole stays, and is not asked for again
    (folder / "more.csv").write_text("x\n1\n", encoding="utf-8", newline="\n")
    assert fetch(SMALL, host=address).downloaded == ("more.csv",)


def test_a_set_is_found_in_the_folder_of_judgments_then_among_the_fetched(apart):
    fetched, data = apart
    assert find("evalica_samples") is None
    (fetched / "evalica_samples").mkdir(parents=True)
    assert find("evalica_samples") is None  # nothing came of it
    for file in public_sets()["evalica_samples"].files:
        (fetched / "evalica_samples" / file.name).touch()
    assert find("evalica_samples") == fetched / "evalica_samples"
    (data / "evalica_samples").mkdir(parents=True)
    (data / "evalica_samples" / "other.csv").touch()
    assert find("evalica_samples") == fetched / "evalica_samples"  # another file is not the set
    for file in public_sets()["evalica_samples"].files:
        (data / "evalica_samples" / file.name).touch()
    assert find("evalica_samples") == data / "evalica_samples"
    (data / "wmt22_calibration").mkdir()
    (data / "wmt22_calibration" / "scores.csv").touch()
    assert find("wmt22_calibration") is None
    with pytest.raises(UnknownOption, match="Did you mean 'llmfao'"):
        find("lmfao")


def test_every_set_has_a_licence_a_place_and_whole_digests():
    for public in public_sets().values():
        assert public.licence
        assert re.fullmatch(r"[\w-]+/[\w-]+", public.repository)
        assert bool(public.files) == bool(public.citation) == bool(public.command)
        assert bool(public.files) != bool(public.by_hand)
        assert public.files or public.table
        assert bool(public.sql) == bool(public.parts or (public.files and public.table))
        assert bool(public.holds) == (bool(public.table) and not public.sql)  # how to make it
        for commit in (public.commit, *(file.commit for file in public.files)):
            assert re.fullmatch(r"[0-9a-f]{40}", commit)
        for file in public.files:
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("evalica_samples", {}),
        ("llmfao", {"llmfao-golden.csv": "evalica_golden.csv", "llmfao.csv": None}),
    ],
)
def test_the_digests_are_those_of_copies_of_the_published_files(data_set, name, there):
    folder: Path = data_set(name)
    for file in public_sets()[name].files:
        copy = there.get(file.name, file.name)
        if copy and (folder / copy).exists():
            data = (folder / copy).read_bytes()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size, file.sha256)


RNK = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    + ",".join(f"system{n}Number,system{n}Id" for n in range(1, 6))
    + ","
    + ",".join(f"system{n}rank" for n in range(1, 6))
    + "\n"
)
FIVE = "English,Czech,781,en-cz.test,781,ann,1,_ref,10,upv,3,cmu,4,uedin,5,dcu,2,3,-1,1,1\n"
THREE = "French,German,9,x,9,bob,1,_ref,10,upv,3,cmu,0,blank,0,blank,1,2,2,-1,-1\n"
OF_FIVE = [
    ("en-cs", "ann", 781, 1, place, system, rank)
    for place, system, rank in zip(
        range(1, 6), ("_ref", "upv", "cmu", "uedin", "dcu"), (2, 3, -1, 1, 1), strict=True
    )
]
OF_THREE = [
    ("fr-de", "bob", 9, 1, place, system, rank)
    for place, system, rank in ((1, "_ref", 1), (2, "upv", 2), (3, "cmu", 2))
]
GPT = "id,prompt,model_x,model_y,winner,left,right\n"
BY_HAND = {
    "wmt12_rankings": ({"wmt12.RNK_results.csv": RNK + FIVE}, OF_FIVE),
    "wmt10_rankings": (
        {"data_RNK.csv": RNK + FIVE, "data_RNK-public.csv": RNK + THREE},
        [(task, "expert", *rest) for task, *rest in OF_FIVE]
        + [(task, "crowd", *rest[:2], 100_001, *rest[3:]) for task, *rest in OF_THREE],
    ),
    "wmt11_rankings": (
        {
            f"wmt11-maneval-{kind}systems.RNK_results.csv": RNK + line
            for kind, line in (("indiv", FIVE), ("combo", THREE))
        },
        [(task, "individual", *rest) for task, *rest in OF_FIVE]
        + [(task, "combination", *rest[:2], 100_001, *rest[3:]) for task, *rest in OF_THREE],
    ),
    "wmt22_calibration": (
        {
            "WMT22.Appraise.calibrationHITs.20221103.csv": (
                "ann,A,8,TGT,zho,eng,99,d.com_97#9-19,False,1665807956.909,1665807961.116\n"
                "ann,A,19,TGT,zho,eng,88,d.com_97#9-19,True,1665807413.719,1665807969.056\n"
            )
        },
        [
            (
                *("zho-eng", "ann", f"d.com_97:{item}", "A", "da_sqm", score, "TGT", item == "doc"),
                *(start, end, "d.com_97", segment),
            )
            for item, score, start, end, segment in (
                ("9", 99, 1665807956.909, 1665807961.116, 8),
                ("doc", 88, 1665807413.719, 1665807969.056, 19),
            )
        ],
    ),
    "wmt07_scores": (
        {
            "judgements": "TASK,TYPE,ITEM_ID,ANNOTATOR_ID,TIME,"
            + ",".join(f"SYSTEM_{n},SCORE_{n}_A,SCORE_{n}_B" for n in range(5))
            + "\nWMT07 Czech-English,NIST,12,18,46,cu,-,2,umd,4,3\n"
        },
        [
            ("WMT07 Czech-English", "18", 12, *rest, 46)
            for rest in (("cu", "B", 2), ("umd", "A", 4), ("umd", "B", 3))
        ],
    ),
    "mlqe_pe_da": (
        {
            f"{name}.df.short.tsv": "index\toriginal\ttranslation\tscores\tmean\tz_scores\n"
            f'7\tsay "so\tb\t{scores}\t1\t[0.1]\n'
            for name, scores in (("test20.neen", "[61, 70.5]"), ("train.ende", "[1]"))
        },
        [
            ("en-de", "pos1", "train:7", "nmt", "da", 1.0),
            ("ne-en", "pos1", "test:7", "nmt", "da", 61.0),
            ("ne-en", "pos2", "test:7", "nmt", "da", 70.5),
        ],
    ),
}


def rows_of(path):
    return duckdb.sql(f"from '{path}'").fetchall()


@pytest.mark.parametrize("name", BY_HAND)
def test_the_table_that_pages_read_is_made_of_files_that_were_put_there(apart, name):
    _, data = apart
    public, (texts, rows) = public_sets()[name], BY_HAND[name]
    with pytest.raises(UnknownFormat) as refused:
        fetch(public)
    folder = data / name
    folder.mkdir(parents=True)
    said = f"into '{folder}', and `evenhand demo --fetch {name}` makes {public.table}"
    assert said in str(refused.value)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    fetched = fetch(public)
    assert (fetched.folder, fetched.made) == (folder, True)
    assert rows_of(folder / public.table) == rows
    assert not fetch(public).made
    assert find(name) == folder
    (folder / public.table).unlink()
    for text in ("other\n1\n", ""):
        for file in texts:
            (folder / file).write_text(text, encoding="utf-8")
        with pytest.raises(UnknownFormat, match=r"not as published.*move them away") as refused:
            fetch(public)
        assert len(str(refused.value)) < 500


def test_a_table_is_made_of_files_that_were_downloaded(host, apart):
    public = public_sets()["llmfao"]
    texts = {
        "llmfao.csv": "id,prompt,model_x,model_y,worker,winner,left,right\n0,8,97,98,3,right,X,Y\n",
        "gpt3-comparisons.csv": GPT + "1,8,98,5,tie,Y,Z\n",
        "gpt4-crowd-comparisons.csv": GPT + "0,8,97,98,left,X,Y\n",
    }
    for name, text in texts.items():
        (host[1] / name).write_text(text, encoding="utf-8", newline="\n")
    listed = tuple(of_text(name, text) for name, text in texts.items())
    fetched = fetch(replace(public, files=listed), host=host[0])
    assert (fetched.checked, fetched.made, len(fetched.downloaded)) == (True, True, 3)
    assert rows_of(fetched.folder / "pairwise.parquet") == [
        ("crowd_3", 0, 8, "X", "Y", "b", "crowd"),
        ("llm:gpt3-all", 1, 8, "Y", "Z", "tie", "gpt3"),
        ("llm:gpt4", 0, 8, "X", "Y", "a", "gpt4-crowd"),
    ]
    for name in texts:
        (fetched.folder / name).unlink()
    assert fetch(public, fetched.folder.parent, host="http://127.0.0.1:1").downloaded == ()


def test_the_table_here_is_that_made_of_the_published_file(data_set, tmp_path):
    here = data_set("wmt12_rankings")
    published = "wmt12.RNK_results.csv"
    if not (here / published).exists():
        pytest.skip(f"{published} is not in '{here}'")
    (tmp_path / "wmt12_rankings").mkdir()
    shutil.copy(here / published, tmp_path / "wmt12_rankings")
    made = fetch(public_sets()["wmt12_rankings"], tmp_path)
    assert rows_of(made.folder / "rankings.parquet") == rows_of(here / "rankings.parquet")
