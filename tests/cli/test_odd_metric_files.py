"""Odd files of scores: the same numbers give the same table, words are refused with a way out."""

import json
import math
import re
import shlex

import pytest

SYSTEMS, ITEMS = [f"s{k}" for k in range(6)], [str(n) for n in range(1, 6)]
SCORES = [
    {"system": s, "item": i, "bleu": round(30 + 3 * k + 4 * math.sin(7 * k + 3 * n), 2)}
    | {"comet": round(0.5 + 0.05 * k + 0.04 * math.cos(5 * k + n), 3)}
    for k, s in enumerate(SYSTEMS)
    for n, i in enumerate(ITEMS)
]
PEOPLE = [
    {"judge": j, "item": i, "system": s, "score": round(40 + 8 * k + 9 * math.sin(3 * k + n + m))}
    for k, s in enumerate(SYSTEMS)
    for n, i in enumerate(ITEMS)
    for m, j in enumerate("ab")
]
VOTES = [
    {"judge": "ab"[(a + n) % 2], "item": i, "left": SYSTEMS[a], "right": SYSTEMS[b]}
    | {"outcome": "left" if math.sin(5 * a + 7 * b + n) > 0.5 else "right"}
    for n, i in enumerate(ITEMS)
    for a in range(6)
    for b in range(a + 1, 6)
]
RANKS = [
    {"judge": "a", "item": i, "ranking": i, "system": s, "rank": (k + n) % 6 + 1}
    for n, i in enumerate(ITEMS)
    for k, s in enumerate(SYSTEMS)
]


def write(rows, path, sep=","):
    names = [*rows[0]]
    lines = [names, *([one[name] for name in names] for one in rows)]
    path.write_text("".join(sep.join(map(str, line)) + "\n" for line in lines), "utf-8")
    return str(path)


def change(at=None, rows=SCORES, **columns):
    """Give row `at`, or all, other cells: values, or functions of the row."""
    return [
        one | {c: v(one) if callable(v) else v for c, v in columns.items()}
        if at in (None, n)
        else one
        for n, one in enumerate(rows)
    ]


def stack():
    return [
        {"metric": m, "system": one["system"], "item": one["item"], "score": one[m]}
        for m in ("bleu", "comet")
        for one in SCORES
    ]


def comma(name):
    return lambda one: str(one[name]).replace(".", ",")


def grade(one):
    return "good" if one["bleu"] > 38 else "bad"


@pytest.fixture
def people(tmp_path):
    return write(PEOPLE, tmp_path / "da.csv")


@pytest.fixture
def plain(evenhand, people, tmp_path):
    return compare(evenhand, people, write(SCORES, tmp_path / "plain.csv"))


def compare(evenhand, *words):
    found = evenhand("metrics", *words, "--json").json
    return found["metrics"], {one["code"]: one for one in found["findings"]}


# the same numbers in other words: rows or a text, the end of the file, options
SAME = {
    "rows twice": (SCORES + SCORES[:3], "csv", ()),
    "backwards": (SCORES[::-1], "csv", ()),
    "long": (stack(), "csv", ()),
    "json lines": ("\n".join(map(json.dumps, SCORES)), "jsonl", ()),
    "numbers for items": (
        "\n".join(json.dumps(one | {"item": int(one["item"])}) for one in SCORES),
        "jsonl",
        (),
    ),
    "a list": (json.dumps(SCORES), "json", ()),
    "per cent": (change(bleu=lambda one: f"{one['bleu']}%"), "csv", ()),
    "blanks": (change(system=lambda one: f"{one['system']} "), "csv", ()),
    "a prefix": (change(system=lambda one: f"wmt24.{one['system']}"), "csv", ()),
    "other systems": (SCORES + change(rows=SCORES[:5], system="s9"), "csv", ()),
    "a domain": (change(domain=lambda one: f"d{int(one['item']) % 2}"), "csv", ()),
    "a team": (change(team=lambda one: f"t{one['system']}"), "csv", ()),
    "a name for each output": (change(of=lambda one: f"{one['system']}-{one['item']}"), "csv", ()),
    "an empty column": (change(chrf=""), "csv", ()),
    "words": (change(verdict=grade), "csv", ()),
    "a rank": (change(rank=lambda one: one["bleu"]), "csv", ()),
    "a kind": (change(kind=lambda one: int(one["item"]) % 3), "csv", ()),
    "expected": (change(expected=lambda one: int(one["item"]) % 3), "csv", ()),
    "a criterion": (change(criterion=lambda one: int(one["item"]) % 3), "csv", ()),
    "a criterion of words": (change(criterion="adequacy"), "csv", ()),
    "a needless word": ([*SCORES, SCORES[0] | {"item": "z", "comet": "?"}], "csv", ()),
}
# what is said beside the numbers
SAID = {
    "a prefix": ("prefixed", "begin with wmt24. in scores of metrics"),
    "other systems": ("unjudged-systems", r"of 1 system .*\(s9\)"),
    "an empty column": ("no-scores", "chrf"),
    "words": ("words", r"verdict \('bad', line 2\)"),
    "a rank": ("counts", "by their names: rank. To use one, rename it"),
    "a kind": ("counts", "by their names: kind. To use one, rename it"),
    "expected": ("counts", "by their names: expected. To use one, rename it"),
    "a criterion": ("counts", "by their names: criterion. To use one, rename it"),
    "a needless word": ("unread", r"Score '\?' in column 'comet' of .*\(line 32\) is not a number"),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_numbers_give_the_same_table(evenhand, people, plain, tmp_path, name):
    rows, end, options = SAME[name]
    path = tmp_path / f"odd.{end}"
    if isinstance(rows, str):
        path.write_text(rows, "utf-8")
    else:
        write(rows, path)
    metrics, said = compare(evenhand, people, str(path), *options)
    assert metrics == plain[0]
    new = {*said} - {*plain[1]} - {"unjudged"}
    code, words = SAID.get(name, (None, ""))
    assert new == ({code} if code else set())
    assert not code or re.search(words, said[code]["text"])


def test_a_byte_order_mark_and_decimal_commas_change_no_number(evenhand, people, plain, tmp_path):
    path = tmp_path / "odd.csv"
    write(change(bleu=comma("bleu"), comet=comma("comet")), path, ";")
    path.write_text("\ufeff" + path.read_text("utf-8"), "utf-8")
    assert compare(evenhand, people, str(path))[0] == plain[0]


# rows, words of the refusal, and which of its remedies work as they stand
REFUSED = {
    "a word": (change(4, comet="good"), r"'good' in column 'comet' of .* \(line 6\)", "iw"),
    "infinity": (change(4, comet="inf"), r"'inf' in column 'comet' of .* \(line 6\)", "iw"),
    "far away": (change(4, comet="1e999"), r"'1e999' in column 'comet'", "iw"),
    "nan": (change(4, comet="nan"), "comet of s0 on 5", "iw"),
    "an empty cell": (change(4, comet=""), "comet of s0 on 5", "iw"),
    "a slip of a comma": (change(4, comet='"0,5"'), "0.5 is one", "iw"),
    "a word of a long table": (
        change(34, stack(), score="good"),
        r"comet of s0 on 5 \('good' in column 'score' of .* \(line 36\)",
        "iw",
    ),
    "words": (change(comet=grade), r"'bad' in column 'comet' of .* \(line 2\)", "w"),
    "parts": (change(bleu=lambda one: f"{one['bleu']}/100"), "'30.0/100' in column 'bleu'", "w"),
    "words of a long table": (
        [one | ({"score": "fair"} if one["metric"] == "comet" else {}) for one in stack()],
        "'fair' in column 'score'",
        "w",
    ),
    "an item lacks": (
        [one for one in SCORES if one["item"] != "3"],
        "no scores of metrics: 3",
        "i",
    ),
    "a system lacks": ([one for one in SCORES if one["system"] != "s3"], "no score of s3", "s"),
    "commas": (change(bleu=lambda one: f'"{comma("bleu")(one)}"'), "comma before", "d"),
    "items as fractions": (
        change(item=lambda one: f"{one['item']}.0"),
        r"judged \(1, 2, 3 .*\): write 1, not 1\.0$",
        "",
    ),
    "two scores": ([*SCORES, SCORES[0] | {"bleu": 1}], "different scores .*keep one row", ""),
    "no items": (
        [{k: v for k, v in one.items() if k != "item"} for one in SCORES],
        "call the column that names items item",
        "",
    ),
    "only words": (
        [{k: v for k, v in one.items() if k != "comet"} | {"bleu": grade(one)} for one in SCORES],
        "write its scores as numbers$",
        "",
    ),
    "no metric": (
        [{k: one[k] for k in ("system", "item")} | {"said": grade(one)} for one in SCORES],
        r"hold words: said \('bad', line 2\)",
        "",
    ),
}
WAYS = {
    "i": r"(--where (?:\"(?:\\.|[^\"\\])*\"|'[^']*'))",
    "w": r"(--without metric=\w+)",
    "s": r"(--without system=\w+)",
    "d": "(--decimal ,)",
}


JUDGED = {"ratings": PEOPLE, "comparisons": VOTES, "rankings": RANKS}
CASES = [*((name, "ratings") for name in REFUSED), ("a system lacks", "comparisons")]
CASES += [("a word", "comparisons"), ("infinity", "rankings"), ("words", "rankings")]


@pytest.mark.parametrize(("name", "gold"), CASES)
def test_what_is_refused_is_named_and_each_remedy_works_as_copied(evenhand, tmp_path, name, gold):
    rows, words, ways = REFUSED[name]
    files = write(JUDGED[gold], tmp_path / "people.csv"), write(rows, tmp_path / "odd.csv")
    said = " ".join(evenhand("metrics", *files, code=2).err.split())
    assert re.search(words, said), said
    assert "--skip-bad-rows" not in said
    for way in ways:
        remedy = re.search(WAYS[way], said)
        assert remedy, said
        evenhand("metrics", *files, *shlex.split(remedy[1]))


def test_a_published_table_of_system_scores_is_read_as_it_comes(evenhand, tmp_path):
    rows = [
        {"protocol": protocol, "system": s, "published_sys_score": value}
        for protocol, values in (("mqm", (-6, -5, -4, -3, -2, -1)), ("da", (7, 8, 9, 6, 10, 11)))
        for s, value in zip(SYSTEMS, values, strict=True)
    ]
    path = write(rows, tmp_path / "published.csv")
    people = change(rows=PEOPLE, system=lambda one: f"wmt23.{one['system']}")
    means = [sum(one["score"] for one in PEOPLE if one["system"] == s) for s in SYSTEMS]
    assert means == sorted(means)  # so that PA counts the pairs that are in order
    metrics, said = compare(evenhand, write(people, tmp_path / "da.csv"), path)
    assert {one["metric"]: one["pa"] for one in metrics} == {"mqm": 1.0, "da": 12 / 15}
    assert said["prefixed"]["values"]["prefix"] == "wmt23."
    metrics, _ = compare(evenhand, path, "--criterion", "mqm")
    assert [(one["metric"], one["pa"]) for one in metrics] == [("da", 12 / 15)]


@pytest.mark.parametrize("text", ["inf", "good", "None"])
def test_a_score_of_a_folder_that_is_no_number_has_remedies_that_work(evenhand, tmp_path, text):
    folder = tmp_path / "wmt"
    for path, name, cell in (
        ("human-scores/de.mqm.seg.score", "bleu", None),
        ("metric-scores/de/A.seg.score", "bleu", None),
        ("metric-scores/de/B.seg.score", "comet", text),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{one['system']}\t{one[name]}" for one in SCORES]
        if cell:
            lines[7] = f"s1\t{cell}"
        (folder / path).write_text("\n".join(lines) + "\n", "utf-8")
    said = " ".join(evenhand("metrics", str(folder), code=2).err.split())
    assert "B of s1 on de / 3" in said
    assert text == "None" or f"'{text}' in column 'score' of B.seg.score (line 8)" in said
    for way in "iw":
        evenhand("metrics", str(folder), *shlex.split(re.search(WAYS[way], said)[1]))


@pytest.mark.parametrize("options", [("--without", "system=s5"), ("--where", "system <> 's5'")])
@pytest.mark.parametrize("gold", ["ratings", "comparisons"])
def test_a_system_that_was_excluded_is_not_called_unjudged(evenhand, tmp_path, gold, options):
    if gold == "comparisons" and options[0] == "--where":
        options = ("--where", "\"left\" <> 's5' and \"right\" <> 's5'")
    files = write(JUDGED[gold], tmp_path / "people.csv"), write(SCORES, tmp_path / "scores.csv")
    said = evenhand("metrics", *files, *options).out
    assert "1 of 6 systems (s5)" in said
    assert "Not used" not in said
