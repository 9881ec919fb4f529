"""`evenhand metrics`, as a new user types it."""

import csv
import gzip
import shlex
from pathlib import Path

import numpy as np
import pytest

SYSTEMS = [*(f"sys{k}" for k in range(7)), "refA"]


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(3)
    h = 0.5 * rng.normal(size=(8, 1)) + rng.normal(size=(1, 30)) + 0.7 * rng.normal(size=(8, 30))
    return h, {n: h + s * rng.normal(size=h.shape) for n, s in (("COMET", 0.4), ("BLEU", 2.0))}


def write_scores(path, table, without=()):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (
        f"{name}\t{'None' if np.isnan(value) else value}\n"
        for name, row in zip(SYSTEMS, table, strict=True)
        if name not in without
        for value in row
    )
    path.write_text("".join(rows), "utf-8")


@pytest.fixture
def campaign(tmp_path, scores):
    """A folder as mt-metrics-eval has them: two language pairs, the reference not scored."""
    h, metrics = scores
    root = tmp_path / "wmt23"
    for pair in ("en-de", "zh-en"):
        gold = np.round(-2 * np.exp(-h))
        gold[2, 5] = np.nan
        write_scores(root / "human-scores" / f"{pair}.mqm.seg.score", gold)
        write_scores(root / "human-scores" / f"{pair}.wmt.seg.score", h)
        documents = root / "documents" / f"{pair}.docs"
        documents.parent.mkdir(exist_ok=True)
        documents.write_text("".join(f"news doc{s // 6}\n" for s in range(30)), "utf-8")
        for name, table in metrics.items():
            path = root / "metric-scores" / pair / f"{name}-refA.seg.score"
            write_scores(path, table, without=("refA",))
    return str(root)


@pytest.fixture
def beside(tmp_path, scores):
    """DA scores with three metrics beside them, one row a judgment."""
    h, metrics = scores
    rng = np.random.default_rng(1)
    path = tmp_path / "da.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["judge", "item", "system", "score", "comet", "bleu", "ter"])
        for k, s in np.ndindex(7, 30):
            own = [round(metrics[n][k, s], 4) for n in ("COMET", "BLEU")]
            own.append(round(60 - 5 * metrics["BLEU"][k, s], 2))
            for j in rng.choice(9, 2, replace=False):
                da = round(60 + 12 * h[k, s] + 5 * rng.normal())
                rows.writerow([f"j{j}", s, f"sys{k}", da, *own])
    return str(path)


def test_a_folder_of_mt_metrics_eval_becomes_a_table_with_clusters(evenhand, campaign):
    run = evenhand("metrics", campaign, "--task", "en-de")
    assert "2 metrics against mqm: 7 systems, 30 items." in run.out
    assert "COMET-refA" in run.out
    assert "cluster" in run.out
    assert "1 of 8 systems (refA), human references that not all metrics scored" in " ".join(
        run.out.split()
    )


def test_all_language_pairs_are_groups_and_a_protocol_can_be_chosen(evenhand, campaign):
    run = evenhand("metrics", campaign, "--criterion", "wmt", "--json")
    found = run.json
    assert [*found["groups"]] == ["en-de", "zh-en"]
    assert {one["gold"] for one in found["groups"].values()} == {"wmt"}


def test_metrics_beside_scores_of_people_become_a_table_with_clusters(evenhand, beside):
    run = evenhand("metrics", beside)
    assert "3 metrics against people's scores: 7 systems, 30 items, 9 judges." in run.out
    assert "Scores of bleu, comet, ter are from" in " ".join(run.out.split())
    assert "Scores of ter were negated" in " ".join(run.out.split())
    assert "compares them with people" not in run.out


def test_a_metric_among_ratings_is_noticed_and_is_no_judge(evenhand, beside):
    run = evenhand("rank", beside)
    assert "Scores of metrics, not of judges: comet, bleu, ter" in " ".join(run.out.split())
    assert "9 judges" in run.out


def test_rows_of_a_folder_are_chosen_by_a_condition(evenhand, campaign):
    words = ["metrics", campaign, "--task", "en-de"]
    found = evenhand(*words, "--where", "item <> '1' and system <> 'sys6'", "--json").json
    assert found["items"] == 29
    assert "sys6" not in found["systems"]
    assert any("where" in one["reason"] for one in found["excluded"])
    said = evenhand(*words, "--where", "nonsense = 1", code=2).err
    assert "'nonsense', which folder wmt23 does not have. It has task, criterion, item" in said
    assert [*evenhand("metrics", campaign, "--where", "task = 'zh-en'", "--json").json] == [*found]


@pytest.mark.parametrize("kind", ["global", "seg", "document", "alone", "few"])
def test_items_of_googles_mqm_are_matched_by_their_numbers_in_the_test_set(
    evenhand, tmp_path, kind
):
    """Metrics count segments 1..N; documents are named in another order than they stand in."""
    rng = np.random.default_rng(0)
    errors = rng.integers(0, 4, (len(SYSTEMS), 12))
    columns = {"global": ["docSegId", "globalSegId"]}
    columns |= {one: ["doc_id", "seg_id"] for one in ("seg", "alone", "few")}
    names = ["system", "doc", *columns.get(kind, ["docSegId"]), "rater", "source", "target"]
    lines = ["\t".join([*names, "category", "severity"])]
    for k, s in np.ndindex(errors.shape):
        if kind == "few" and s % 4 != s // 4:  # one of each document, and none has another's number
            continue
        ids = [s % 4 + 1, s % 4 + 1 if kind == "few" else s + 1][: 1 if kind == "document" else 2]
        what = ["Accuracy/Omission", "Minor"] if errors[k, s] else ["No-error", "No-error"]
        row = [
            SYSTEMS[k],
            "doc" if kind == "alone" else f"doc{3 - s // 4}",
            *ids,
            "r1",
            f"source {s}",
            f"output {k} {s}",
            *what,
        ]
        lines += ["\t".join(map(str, row))] * max(errors[k, s], 1)
    people = tmp_path / "mqm.tsv"
    people.write_text("\n".join(lines) + "\n", "utf-8")
    folder = tmp_path / "scores"
    write_scores(folder / "same-refA.seg.score", -errors.astype(float))
    if kind in ("document", "alone", "few"):  # numbers start anew in each document, or may do so
        said = evenhand("metrics", str(people), str(folder), code=2).err
        assert "items have other names in the scores" in said
        return
    found = evenhand("metrics", str(people), str(folder), "--statistic", "tau-b,acc-eq", "--json")
    (metric,) = [one for one in found.json["metrics"] if one["metric"] == "same-refA"]
    assert (metric["segment_tau_b"], metric["acc_eq"]) == pytest.approx((1, 1))
    assert "matched by the number in the test set (doc1:" in found.out


def test_a_refusal_is_one_line_with_exit_code_2(evenhand, beside, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("system,item,bleu\nsys0,0,1\nsys1,0,2\n", "utf-8")
    run = evenhand("metrics", beside, str(path), code=2)
    assert len(run.err.strip().splitlines()) == 1
    assert "bleu has no score of sys2" in run.err


def test_files_of_a_folder_may_be_compressed_and_metrics_of_systems_alone_are_named(
    evenhand, campaign
):
    plain = evenhand("metrics", campaign, "--task", "en-de", "--json").json
    folder = Path(campaign)
    for path in [*folder.rglob("*.seg.score")]:
        with gzip.open(f"{path}.gz", "wb") as packed:
            packed.write(path.read_bytes())
        path.unlink()
    whole = folder / "metric-scores" / "en-de" / "GEMBA-src.sys.score"
    whole.write_text("".join(f"sys{k}\t{k}\n" for k in range(7)), "utf-8")
    run = evenhand("metrics", str(folder), "--task", "en-de", "--json")
    assert run.json["metrics"] == plain["metrics"]
    (note,) = [one for one in run.json["findings"] if one["code"] == "only-systems"]
    assert note["values"]["metrics"] == ["GEMBA-src"]
    (folder / "metric-scores" / "en-de" / "bad-src.seg.score.gz").write_bytes(b"junk")
    broken = evenhand("metrics", str(folder), "--task", "en-de", code=2).err
    assert "bad-src.seg.score.gz cannot be unpacked" in broken
    asked = evenhand("inspect", str(folder), code=2).err
    assert f"evenhand metrics {folder}" in asked


def find_remedy(said):
    """Return the words of a refusal that can be copied into the same command."""
    return shlex.split(said[said.index("--") :].split(", in Python")[0])


@pytest.mark.parametrize("kind", ["folder", "gold", "table"])
def test_the_remedy_of_outputs_without_a_score_can_be_copied(
    evenhand, campaign, beside, tmp_path, kind
):
    with Path(beside).open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    names = {f"it's, {row[1]}" for row in rows}
    for row in rows:
        row[1] = f"it's, {row[1]}"
    header[1] = "Segment ID"
    for path, kept in (("people", [0, 1, 2, 3]), ("scores", [1, 2, 4, 5])):
        lines = [[row[at] for at in kept] for row in [header, *rows]]
        if path == "scores":
            lines[1][2] = ""
            lines = [one for one in lines if one[:2] != lines[1][:2] or one is lines[1]]
        with (tmp_path / f"{path}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(lines)
    for row in rows:
        row[4] = "" if row[1:3] == rows[0][1:3] else row[4]
    with (tmp_path / "whole.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    metric = Path(campaign) / "metric-scores" / "en-de" / "COMET-refA.seg.score"
    lines = metric.read_text("utf-8").splitlines()
    metric.write_text("\n".join([*lines[:8], "sys0\tNone", *lines[9:]]), "utf-8")
    words = {
        "folder": [campaign],
        "gold": [str(tmp_path / "people.csv"), str(tmp_path / "scores.csv")],
        "table": [str(tmp_path / "whole.csv")],
    }[kind]
    if kind != "folder":
        words += ["--column", "item=Segment ID"]
    else:
        words += ["--task", "en-de"]
    said = evenhand("metrics", *words, code=2).err
    found = evenhand("metrics", *words, *find_remedy(said), "--json").json
    assert found["items"] == (29 if kind == "folder" else len(names) - 1)


def test_metrics_are_named_with_one_prefix_and_without_their_reference(evenhand, campaign, beside):
    found = evenhand("metrics", beside, "--without", "sys3,metric=ter,bleu", "--json").json
    assert {one["metric"] for one in found["metrics"]} == {"comet", "people"}
    assert "sys3" not in found["systems"]
    words = ["--task", "en-de", "--without", "metric=COMET", "--json"]
    found = evenhand("metrics", campaign, *words).json
    assert [one["metric"] for one in found["metrics"]] == ["BLEU-refA"]
    source = Path(campaign) / "metric-scores" / "en-de" / "BLEU-refA.seg.score"
    source.with_name("BLEU-src.seg.score").write_text(source.read_text("utf-8"), "utf-8")
    said = evenhand("metrics", campaign, "--task", "en-de", "--lower", "BLEU", code=2).err
    assert "no metric 'BLEU'. There are BLEU-refA, BLEU-src" in said
    for files, name in (([beside], "ter"), ([campaign], "COMET")):
        said = evenhand("metrics", *files, "--without", name, code=2).err
        assert f"{name} is a metric: write --without metric={name}" in said
        assert "is a" not in evenhand("metrics", *files, "--without", "nobody", code=2).err


def test_a_metric_is_excluded_alike_in_metrics_and_report(evenhand, beside, tmp_path):
    words = ["report", beside, "--sections", "metrics"]
    said = evenhand(*words, "--without", "ter", code=2).err
    assert "ter is a metric: write --without metric=ter" in said
    report = evenhand(*words, "--without", "metric=ter", "--json").json
    (section,) = report["parts"][0]["sections"]
    assert {"--without", "metric=ter"} <= {*section["command"].split()}
    for name in ("nobody", "te"):
        assert "is a metric" not in evenhand(*words, "--without", name, code=2).err
    people = tmp_path / "people.csv"  # without metrics, the name is unknown
    people.write_text("system,item,score\na,1,3\nb,1,4\na,2,3\nb,2,5\n", "utf-8")
    said = evenhand("report", str(people), "--without", "nobody", code=2).err
    assert "no system 'nobody'" in said or ("nobody" in said and "metric" not in said)


def test_lower_scores_of_a_metric_are_better_in_metrics_and_report(evenhand, beside):
    words = ["--lower", "bleu,comet", "--json"]
    found = evenhand("metrics", beside, *words).json
    assert found["metrics"][0]["metric"] == "ter"
    report = evenhand("report", beside, "--sections", "metrics", *words).json
    (section,) = report["parts"][0]["sections"]
    assert section["command"].endswith("--lower bleu,comet")
    assert report["command"].endswith("--lower bleu,comet")


def test_options_that_mean_nothing_of_a_folder_are_refused(evenhand, campaign):
    for words in ("--weight n", "--column item=seg", "--missing 99", "--from ratings"):
        said = evenhand("metrics", campaign, *words.split(), code=2).err
        assert f"{words.split()[0]} does not apply to a folder of mt-metrics-eval" in said
