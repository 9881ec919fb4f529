"""The files that the cases of the corpus read: made anew for each run, always the same.

`make_inputs(folder)` writes them all. Names are short, since they stand in `cases.toml`. Bundled
tables come from `evenhand demo`; whatever is random comes from `random.Random(seed).random()`,
which gives the same numbers in every version of Python.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import itertools
import json
import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import outside_files

DEMOS: Final = {
    "baseball1987": "baseball.csv",
    "citations": "citations.csv",
    "collins2005": "collins.csv",
    "collins2005_judges": "collins_judges.csv",
    "dras2015_modpref": "modpref.csv",
    "dras2015_table1": "table1.csv",
    "pudding": "pudding.csv",
    "arena_simulated": "arena.csv",
    "shared_task_simulated": "task.csv",
    "side_by_side_simulated": "side.csv",
    "study_simulated": "study.csv",
    "hamon2007_simulated": "hamon.csv",
}
"""Bundled table → the file that `evenhand demo TABLE -o FILE` writes."""
COLLECTED: Final = Path(__file__).parent / "collected.jsonl.gz"
Row = Sequence[Any]
WORTHS: Final = {"ash": 0.8, "birch": 0.3, "cedar": 0.0, "dogwood": -0.4, "elm": -0.7}
"""System → log-worth of the simulated judgments."""
HEADER: Final = "left,right,outcome\n"
TWO: Final = HEADER + "A,B,left\nB,A,left\n"
RANKS: Final = "ranking,system,rank\n1,A,{}\n1,B,1\n2,A,1\n2,B,2\n"
REFUSED: Final[dict[str, str | bytes]] = {
    "label.csv": HEADER + "A,B,left\nA,B,lft\n",
    "cased.csv": "model_a,model_b,winner\nonlineA,B,onlinea\nB,onlineA,onlineA\n",
    "columns.json": '{"left": {"0": "A"}, "right": {"0": "B"}, "outcome": {"0": "left"}}',
    "marks.csv": "judge,item,a,b,tie\nj,1,1,0,0\nk,1,0,0,1\n",
    "unpaid.toml": "items = 'sheet.csv'\n[pay]\nper_hour = 12\n",
    "itself.csv": HEADER + "A,B,left\nB,B,tie\n",
    "column.csv": "left,right,winer\nA,B,left\n",
    "empty.csv": "",
    "rowless.csv": HEADER,
    "always.csv": HEADER + "A,B,left\nA,C,left\nB,C,left\nC,B,left\n",
    "groups.csv": HEADER + "A,B,left\nB,A,left\nC,D,left\nD,C,left\n",
    "textweight.csv": "left,right,outcome,weight\nA,B,left,x\n",
    "negative.csv": "left,right,outcome,weight\nA,B,left,-1\n",
    "half.csv": "left,right,outcome,weight\nA,B,left,.5\nB,A,left,1.5\n",
    "weightless.csv": "left,right,outcome,weight\nA,B,left,0\nB,A,tie,0\n",
    "huge.csv": "left,right,outcome,weight\nA,B,left,1e300\n",
    "bytes.csv": b"left,right,outcome\n\xc3\x84,B\xff,left\n",
    "doubled.csv": "left,right,outcome,key\nA,B,left,7\nB,A,left,7\n",
    "rank0.csv": RANKS.format(0),
    "rankhalf.csv": RANKS.format(1.5),
    "ranktext.csv": RANKS.format("first"),
    "rankblank.csv": "ranking,system,rank\n1,A,\n1,B,\n",
    "ranks.csv": RANKS.format(2),
    "two.csv": TWO,
    "comment.csv": "# votes\n" + TWO,
    "nobody.csv": HEADER + "A,B,1\n",
    "missing.csv": HEADER + "A,B,None\n",
    "ragged.csv": HEADER + "A,B,left\nA,B\nA,B,left,more\n",
    "quote.csv": HEADER + 'A,"B,left\nB,A,left\n',
    "broken.jsonl": '{"left":"A","right":"B","outcome":"left"}\n{"left":"A",\n',
    "broken.parquet": b"PAR1 this is no table PAR1",
    "broken.csv.gz": b"\x1f\x8b\x08\x00broken",
    "picture.csv": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "unknown.csv": "a,b,c\n1,2,3\n",
    "scores.csv": "system,score\nA,1\nB,2\n",
    "textscore.csv": "judge,system,score\nj,A,good\nj,B,2\n",
    "blank.csv": "judge,item,system,score\nj,1,,3\nk,1,,2\n",
    "nojudge.csv": "system,item,score\nA,1,3\nB,1,2\nA,2,3\n",
    "repeated.csv": "left,left,outcome\nA,B,left\n",
    "log.jsonl": '{"body":{"kind":"launch","number":1},"hash":"63c8"}\n',
    "page.csv": "<html><body>404</body></html>",
    "feed.csv": "<?xml version='1.0'?><a/>",
    "paper.csv": b"%PDF-1.4\n\xff\xff",
    "packed.csv.bz2": bz2.compress(TWO.encode()),
    "unmarked.csv": TWO.encode("utf-16-le") + b"\x00\xd8",
    "header.csv": 'left,right,"outcome\nA,B,left\n',
    "comma.csv": 'left,right,outcome,weight\nA,B,left,"1,5"\n',
    "pasted.csv": 2 * "judge,system,score\nj,A,3\n",
    "emptied.db": "",
    "campaign.json": '{"name":"c","instructions":"","consent":"","thanks":"","design":{}}',
}
"""Files of which most are refused, and what stands in them."""


def make_inputs(folder: Path) -> None:
    """Write every file but the bundled tables."""
    for name, content in {**REFUSED, **list_layouts(), **list_campaigns()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    write_logs(folder)
    write_comparisons(folder)
    write_rankings(folder)
    write_ratings(folder)
    write_tables(folder)


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a table as CSV, its header first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def choose(draw: random.Random, left: str, right: str, push: float = 0.0) -> str:
    """Draw what a judge prefers: Bradley and Terry's model with a fifth of ties."""
    if draw.random() < 0.2:
        return "tie"
    chance = 1 / (1 + math.exp(-2 * (WORTHS[left] - WORTHS[right]) - push))
    return "left" if draw.random() < chance else "right"


def pick(draw: random.Random, values: Sequence[Any]) -> Any:
    """Draw one of some values."""
    return values[int(draw.random() * len(values))]


VOTE_COLUMNS: Final = (
    *("id", "judge", "item", "left", "right", "outcome", "judge_group", "domain", "answered_at"),
    *("length_left", "length_right", "lists", "importance", "seconds", "lang"),
)


def draw_votes(number: int, seed: int, judges: int = 12, systems: int = 4) -> list[list[Any]]:
    """Draw votes with all that a row can say; the output shown first has an advantage."""
    draw, names, rows = random.Random(seed), list(WORTHS)[:systems], []
    for at in range(number):
        judge, item = int(draw.random() * judges), int(draw.random() * 30)
        left = pick(draw, names)
        right = pick(draw, [one for one in names if one != left])
        lengths = [int(40 + 80 * draw.random()) for _ in range(2)]
        outcome = choose(draw, left, right, 0.3 + (lengths[0] - lengths[1]) / 100)
        when = f"2024-03-{1 + at // 60:02d}T10:{at % 60:02d}:00"
        group, domain = ("expert", "crowd")[judge % 3 > 0], ("news", "web")[item % 2]
        lists, weight = int(draw.random() * 3) - 1, round(0.2 + draw.random(), 3)
        rows.append(
            [
                *(f"v{at}", f"j{judge:02d}", f"i{item:02d}", left, right, outcome, group, domain),
                *(when, *lengths, lists, weight, round(4 + 20 * draw.random(), 1)),
                ("de", "en")[at % 2],
            ]
        )
    return rows


def write_comparisons(folder: Path) -> None:
    """Write comparisons of every shape, and the same judgments in other kinds of files."""
    votes = draw_votes(360, seed=1)
    write(folder / "votes.csv", [VOTE_COLUMNS, *votes])
    write(folder / "few.csv", [VOTE_COLUMNS, *draw_votes(40, seed=2, judges=4, systems=3)])
    write(folder / "two_systems.csv", [VOTE_COLUMNS, *draw_votes(120, seed=3, systems=2)])
    write(folder / "tasks.csv", [("task", *VOTE_COLUMNS), *[(row[-1], *row) for row in votes]])
    plain = [row[1:6] for row in votes]
    for day, rows in (("monday", plain[:200]), ("tuesday", plain[200:])):
        write(folder / "days" / f"{day}.csv", [VOTE_COLUMNS[1:6], *rows])
    coded = {"left": "1", "tie": "0", "right": "2"}
    foreign = [(row[0], row[2], row[3], coded[row[4]]) for row in plain]
    write(folder / "foreign.csv", [("annotator", "first", "second", "says"), *foreign])
    unknown = [(*row, "true") for row in plain]
    write(folder / "unplaced.csv", [(*VOTE_COLUMNS[1:6], "positions_unknown"), *unknown])
    fractions = [(row[1], row[3], row[4], row[5], row[12]) for row in votes]
    write(folder / "fractions.csv", [("judge", "left", "right", "outcome", "weight"), *fractions])
    merged = [[*row[:2], "ash+cedar" if row[2] == "ash" else row[2], *row[3:]] for row in plain]
    merged = [row for row in merged if row[3] not in row[2]]
    write(folder / "merged.csv", [VOTE_COLUMNS[1:6], *merged])
    controls = [(*row, "good" if at % 9 == 0 else "target") for at, row in enumerate(plain)]
    write(folder / "controls.csv", [(*VOTE_COLUMNS[1:6], "kind"), *controls])
    circle = [("A", "B"), ("B", "C"), ("C", "A")]
    write(folder / "circle.csv", write_circle(circle))
    write(folder / "crowd.csv", draw_crowd())
    text = "\n".join(",".join(map(str, row)) for row in [VOTE_COLUMNS[1:6], *plain]) + "\n"
    (folder / "plain.csv").write_text(text)
    (folder / "plain.tsv").write_text(text.replace(",", "\t"))
    (folder / "plain.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    lines = (dict(zip(VOTE_COLUMNS[1:6], row, strict=True)) for row in plain)
    (folder / "plain.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_circle(pairs: Sequence[tuple[str, str]]) -> list[Row]:
    """Write preferences that go round: each beats the next in four of five votes."""
    rows: list[Row] = [("judge", "item", "left", "right", "outcome")]
    for at in range(150):
        better, worse = pairs[at % 3]
        said = "right" if at % 5 == 0 else "left"
        shown = (better, worse, said) if at % 2 else (worse, better, _turn(said))
        rows.append((f"j{at % 10}", f"i{at % 15}", *shown))
    return rows


def _turn(outcome: str) -> str:
    return {"left": "right", "right": "left", "tie": "tie"}[outcome]


def draw_crowd() -> list[Row]:
    """Draw five answers to each of 40 pairs; two of eight judges answer at random."""
    draw, rows = random.Random(5), [("judge", "item", "left", "right", "outcome", "place")]
    for item in range(40):
        truth = "left" if draw.random() < 0.6 else "right"
        for at in range(5):
            judge = (item + at) % 8
            sure = 0.5 if judge < 2 else 0.9
            said = truth if draw.random() < sure else _turn(truth)
            said = "tie" if draw.random() < 0.08 else said
            rows.append((f"w{judge}", f"q{item:02d}", "A", "B", said, ("x", "y")[item % 2]))
    return rows


def write_rankings(folder: Path) -> None:
    """Write rankings of four of five systems, with ties, blanks, covariates and two tasks."""
    draw, names = random.Random(7), list(WORTHS)
    header = ("judge", "item", "ranking", "position", "system", "rank", "judge_group")
    rows: list[list[Any]] = []
    for at in range(120):
        skipped = int(draw.random() * 5)
        chosen = names[:skipped] + names[skipped + 1 :]
        scores = {one: round(1.5 * WORTHS[one] + 3 * draw.random()) for one in chosen}
        order = sorted(set(scores.values()), reverse=True)
        judge, blank = int(draw.random() * 9), at % 31 == 30
        for position, one in enumerate(chosen, 1):
            rank = "" if blank or (at % 17 == 3 and position == 2) else order.index(scores[one]) + 1
            group = ("expert", "crowd")[judge % 2]
            rows.append([f"j{judge}", f"i{at % 25}", f"r{at:03d}", position, one, rank, group])
    write(folder / "rankings.csv", [header, *rows])
    both = [("de" if int(row[1][1:]) % 2 else "en", *row) for row in rows]
    write(folder / "rankings_tasks.csv", [("task", *header), *both])
    write(folder / "rankings_named.csv", [("task", *header), *[("cs-en", *row) for row in rows]])
    shown = [[*row[:3], 5 - row[3] if int(row[2][1:]) % 2 else row[3], *row[4:]] for row in rows]
    write(folder / "rankings_shown.csv", [header, *shown])
    orders = [*itertools.permutations(names[:3])] * 2
    whole = [
        (f"i{at}", f"j{at % 3}", f"r{at}", *one)
        for at, order in enumerate(orders)
        for one in enumerate(order, 1)
    ]
    strict_header = ("item", "judge", "ranking", "rank", "system")
    write(folder / "strict.csv", [strict_header, *whole])
    strict = [row for row in rows if row[5] != ""]
    write(folder / "rankings_full.csv", [header, *strict])


WORDS: Final = ("the", "old", "river", "runs", "slowly", "by", "seven", "stone", "mills", "today")


def draw_ratings(
    seed: int, *, judges: int = 8, items: int = 20, systems: int = 3, given: float = 0.7
) -> list[list[Any]]:
    """Draw ratings from 0 to 100 of which a share is given; the last judge rates at random."""
    draw, rows = random.Random(seed), []
    for item in range(items):
        length = 3 + int(draw.random() * 15)
        source = " ".join(pick(draw, WORDS) for _ in range(length))
        ease = 20 * (draw.random() - 0.5)
        for system in list(WORTHS)[:systems]:
            output = " ".join(pick(draw, WORDS) for _ in range(length + int(draw.random() * 4)))
            for judge in range(judges):
                noise = 16 * (draw.random() + draw.random() - 1)
                score = 60 + 15 * WORTHS[system] + ease + 4 * (judge - 4) - length + noise
                if judge == judges - 1:
                    score = 100 * draw.random()
                if draw.random() < given:
                    score = min(100, max(0, round(score)))
                    known = [("news", "web")[item % 2], length, ("yes", "no")[judge % 2]]
                    who = [f"j{judge}", f"i{item:02d}", system]
                    rows.append([*who, score, *known, source, output, round(3 + 9 * draw.random())])
    return rows


RATING_COLUMNS: Final = (
    *("judge", "item", "system", "score", "domain", "words", "native", "source", "output"),
    "seconds",
)


def write_ratings(folder: Path) -> None:
    """Write ratings: with gaps, full, of two criteria and tasks, on five points, with outliers."""
    rows = draw_ratings(11)
    write(folder / "ratings.csv", [RATING_COLUMNS, *rows])
    write(folder / "full.csv", [RATING_COLUMNS, *draw_ratings(12, judges=5, items=12, given=1.1)])
    small = draw_ratings(13, judges=4, items=12, systems=2)
    write(folder / "small.csv", [RATING_COLUMNS, *small])
    tasks = [("de", *row) for row in small]
    tasks += [("en", *row) for row in draw_ratings(14, judges=4, items=10, systems=2)]
    write(folder / "ratings_tasks.csv", [("task", *RATING_COLUMNS), *tasks])
    named = [(("eng-deu", "eng-isl")[row[0] == "en"], *row[1:]) for row in tasks]
    write(folder / "named.csv", [("task", *RATING_COLUMNS), *named])
    waiting = [[*row[:3], "", *row[4:]] if int(row[1][1:]) > 14 else row for row in rows]
    one = [row for row in waiting if row[0] == "j3"]
    write(folder / "waiting.csv", [RATING_COLUMNS, *one])
    points: list[Row] = [("judge", "item", "system", "input", "criterion", "score")]
    for row in draw_ratings(15, judges=9, items=16, given=0.6):
        for criterion, shift in (("fluency", 0), ("adequacy", 7)):
            score = 1 + min(4, int((row[3] + shift) / 21))
            points.append((*row[:3], ("speech", "text")[row[5] % 2], criterion, score))
    write(folder / "points.csv", points)
    (folder / "easy.txt").write_text("i01\ni04\ni07\n")
    again = [*rows[:40], *[[*row[:3], max(0, row[3] - 5), *row[4:]] for row in rows[:12]]]
    write(folder / "again.csv", [RATING_COLUMNS, *again])
    controls = [(*row[:4], "control" if row[1] == "i03" else "target") for row in rows]
    write(folder / "controlled.csv", [("judge", "item", "system", "score", "kind"), *controls])


def write_tables(folder: Path) -> None:
    """Write what is joined to judgments, and the settings of plans."""
    judges = [(f"j{n:02d}", ("yes", "no")[n % 2], 20 + 3 * n) for n in range(12)]
    write(folder / "judges.csv", [("judge", "native", "age"), *judges])
    raters = [(f"J{n}", ("yes", "no")[n % 2]) for n in range(1, 5)]
    write(folder / "raters.csv", [("judge", "native"), *raters])
    items = [(f"i{n:02d}", ("source", "target")[n % 2], 5 + n) for n in range(30)]
    write(folder / "items.csv", [("item", "origin", "words"), *items])
    systems = [("A", 1.0, "lab"), ("B", 2.0, "firm"), ("C", 4.0, "lab"), ("D", 3.5, "firm")]
    write(folder / "systems.csv", [("system", "size", "site"), *systems])
    logins = {f"person {n}": [f"j{n}", f"j{n + 4}"] for n in range(4)}
    (folder / "persons.json").write_text(json.dumps(logins))
    (folder / "plan.toml").write_text(
        "systems = 3\ngap = 0.4\nties = 0.2\njudge_sd = 0.2\njudges = 16\nitems = 40\n"
    )
    (folder / "typo.toml").write_text("systems = 3\ngap = 0.4\njudgse = 16\n")


def write_logs(folder: Path) -> None:
    """Write the log of a campaign that was judged, the same cut, and with one answer changed.

    `collected.jsonl.gz` is what `served_campaign` took home in the first version that had this
    corpus: later versions must read it.
    """
    lines = gzip.decompress(COLLECTED.read_bytes()).decode().splitlines(keepends=True)
    (folder / "collected.jsonl").write_text("".join(lines))
    (folder / "cut.jsonl").write_text("".join(lines[: len(lines) // 2]))
    changed = "".join(lines).replace('"outcome":"left"', '"outcome":"tie"', 1)
    (folder / "changed.jsonl").write_text(changed)


PASSES: Final = """\
[[tasks]]
kind = "pair"
name = "better"
comment = true
[[tasks]]
kind = "rank"
name = "order"
n = 3
[[tasks]]
kind = "rating"
name = "good"
low = 0
high = 100
[[tasks]]
kind = "spans"
name = "errors"
score = true
categories = ["Accuracy", "Style"]
"""
PAIR: Final = '[[tasks]]\nkind = "pair"\nname = "better"\n'


def list_campaigns() -> dict[str, str | bytes]:
    """Return campaigns of every kind of pass, design and policy, and some that cannot be."""
    sheet = "item,source,A,B,C\n" + "".join(f"{n},s{n},a{n},b{n},c{n}\n" for n in range(12))
    rows = [
        {
            "item": f"s{n}",
            "source": f"Quelle {n}",
            "document": f"talk {n // 3}",
            "outputs": {one: f"{one} says, in its {n}th line: so" for one in "ABC"},
        }
        for n in range(6)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    sure = {"item": "sure", "outputs": {"A": "a fine text", "B": "no text"}, "expected": "A"}
    name, texts = 'name = "all"\nseed = 7\n', '[texts]\nsource = "de"\noutput = "en"\n'
    chosen = 'items = "sheet.csv"\n[design]\npolicy = "{}"\njudgments = 30\n{}' + PAIR
    campaigns = {
        "sheet.csv": sheet,
        "all.jsonl": lines,
        "sure.jsonl": lines + json.dumps(sure) + "\n",
        "all.toml": f'{name}judges = 3\nitems = "all.jsonl"\n{texts}[design]\n'
        f"judges_per_item = 2\n{PASSES}",
        "sure.toml": f'name = "sure"\njudges = 3\nitems = "sure.jsonl"\n[design]\n'
        f"judges_per_item = 2\ncontrols = 1\nrepeats = 1\nlag = 1\n{PAIR}",
        "sources.toml": 'name = "scores"\njudges = 4\nitems = "all.jsonl"\n[design]\n'
        'judges_per_item = 2\nonce_per_source = true\n[[tasks]]\nkind = "rating"\nname = "good"\n',
        "ratings.toml": 'name = "scores"\njudges = 6\nitems = "all.jsonl"\n[design]\n'
        'judges_per_item = 2\nonce_per_source = true\n[[tasks]]\nkind = "rating"\nname = "good"\n',
        "crowded.toml": f'items = "sheet.csv"\njudges = 5\n[design]\njudges_per_item = 6\n{PAIR}',
        "misspelt.toml": f'items = "sheet.csv"\njudgse = 5\n{PAIR}',
        "nokind.toml": 'items = "sheet.csv"\n[[tasks]]\nkind = "pears"\nname = "better"\n',
        "noitems.toml": f'items = "none.csv"\n{PAIR}',
        "syntax.toml": "items = \n",
        "rated_policy.toml": 'items = "sheet.csv"\n[design]\npolicy = "order"\n[[tasks]]\n'
        'kind = "rating"\nname = "good"\n',
        "badpolicy.toml": chosen.format("infomation", ""),
    }
    for name, form, text in (
        ("badform", 'form = "markdwn"', "a"),
        ("nofile", 'form = "image"', "none.png"),
        ("nochat", 'form = "chat"', "Hello"),
        ("badmath", "math = true", "$x^$"),
    ):
        output = f"[texts]\noutput = {{ {form} }}\n"
        items = f"[[items]]\nitem = '1'\noutputs = {{ A = '{text}' }}\n"
        campaigns[f"{name}.toml"] = output + items
    for policy in ("order", "closest", "voi", "information", "random"):
        campaigns[f"{policy}.toml"] = chosen.format(policy, "random_share = 0.25\n")
    campaigns["top-k.toml"] = chosen.format("top-k", "top = 1\n")
    return dict(campaigns)


WMT_RNK: Final = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,"
    "system2Number,system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\n"
)


def list_layouts() -> dict[str, str | bytes]:
    """Return a file in each layout that is read; the names of some say what their lines do not."""
    outside, folder = outside_files, "layouts"
    ranks = ("1,2,3", "2,1,2", "1,1,2", "3,2,1", "1,3,2", "-1,-1,-1")
    rnk = "".join(
        f"Czech,English,{7 + n // 2},d,-1,j{n % 2},1,A,2,B,3,C,{rank}\n"
        for n, rank in enumerate(ranks)
    )
    winners = ("model_a", "model_b", "tie", "tie (bothbad)", "model_b")
    battles = [
        {"question_id": f"q{n}", "model_a": "x", "model_b": "y", "winner": winner, "judge": f"u{n}"}
        | {"conversation_a": [{"role": "user", "content": 'a "quoted"\nline'}], "turn": n}
        | {"anony": True, "tstamp": 1.5 + n}
        for n, winner in enumerate(winners)
    ]
    states = [{"model_name": "x"}, {"model_name": "y"}]
    events: list[dict[str, Any]] = [
        {"tstamp": 1.0, "type": "chat", "model": "x", "ip": "1"},
        {"tstamp": 2.0, "type": "leftvote", "models": ["x", "y"], "states": states, "ip": "1"},
        {"tstamp": 3.0, "type": "bothbad_vote", "models": ["", ""], "states": states, "ip": "2"},
        {"tstamp": 4.0, "type": "rightvote", "models": ["y", "x"], "states": [], "ip": "2"},
        {"tstamp": 5.0, "type": "rightvote", "models": ["x", "y"], "states": [], "ip": "2"},
    ]
    files: dict[str, str | bytes] = {
        "wmt_rnk.csv": WMT_RNK + rnk,
        "wmt_da.csv": outside.DA,
        "wmt_da_segments.csv": outside.DA_SEGMENTS,
        "wmt_da_systems.csv": outside.DA_SYSTEMS,
        "appraise_pairs.csv": outside.APPRAISE_PAIRS,
        "appraise_direct.csv": outside.APPRAISE_DIRECT,
        "appraise_documents.csv": outside.APPRAISE_DOCUMENTS,
        "appraise_errors.csv": outside.APPRAISE_ERRORS,
        "wmt24.jsonl": outside.WMT_JSON,
        "mqm_old.tsv": outside.MQM_OLD,
        "mqm_new.tsv": outside.MQM_NEW,
        "mqm_averages.tsv": outside.MQM_AVERAGES,
        "en-de.mqm.seg.score": outside.MTME_SCORES,
        "en-de.mqm.seg.rating": outside.MTME_RATINGS,
        "mtme.jsonl": outside.MTME_JSON,
        "annotations.jsonl": outside.PEARMUT,
        "potato/annotations.tsv": outside.POTATO,
        "potato/w1/user_state.json": outside.POTATO_STATE,
        "label_studio.json": outside.LABEL_STUDIO,
        "argilla.json": outside.ARGILLA,
        "one_hot.csv": "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,"
        'winner_model_b,winner_tie\n1,x,y,"p,q",r,s,1,0,0\n2,x,y,p,r,s,0,1,0\n3,y,x,p,r,s,0,0,1\n',
        "arena_log.jsonl": "".join(json.dumps(event) + "\n" for event in events),
        "arena.jsonl": "".join(json.dumps(battle) + "\n" for battle in battles),
        "dpo.jsonl": outside.DPO,
        "evalica.csv": "left,right,winner\nPizza,Sushi,left\nPizza,Sushi,tie\nSushi,Pizza,left\n",
        "crowd_kit.csv": "worker,left,right,label\nw1,Pizza,Sushi,Pizza\nw2,Pizza,Sushi,Sushi\n"
        "w2,Sushi,Pizza,tie\n",
        "crowd_kit_long.csv": "task,worker,label\nt1,w1,4\nt2,w1,3.5\nt1,w2,3\nt2,w2,5\n",
        "mlqe.tsv": outside.MLQE,
        "subset2evaluate.jsonl": outside.SUBSET2EVALUATE,
        "matrix.csv": "worker,i1,i2\nann,4,\nben,2,3\n",
        "own_comparisons.csv": "judge,item,system_a,system_b,preference\nj,1,x,y,first\n"
        "j,2,x,y,both bad\nk,1,x,y,second\n",
        "own_rankings.csv": "annotator,segment,ranking_id,system,rank\nj,1,r1,A,1\nj,1,r1,B,1\n"
        "j,1,r1,C,2\nk,1,r2,B,1\nk,1,r2,A,2\nk,1,r2,C,\n",
        "own_ratings.csv": "rater,segment_id,system,aspect,rating,kind,duration_s,doc\n"
        "j,1,A,fluency,71.5,target,3,d\nj,1,B,fluency,60,target,4,d\nk,1,A,fluency,80,,2,d\n",
    }
    return {f"{folder}/{name}": content for name, content in files.items()}
