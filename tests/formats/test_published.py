"""Files in the layouts in which judgments are published: what is read of each, or why not.

Each row is a file of a few rows in the layout of a published set, and what `evenhand inspect`
says of it without any option: the counts follow from the rows.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.formats.reading import read

TEXT = "a text that is long enough to be the answer of a system and not the name of one: "
TURNS = [{"content": "why?", "role": "user"}, {"content": "so", "role": "assistant"}]


@dataclass(frozen=True)
class Published:
    name: str  # of the file
    content: str
    said: str | tuple[str, ...]  # what must be said
    more: str = ""  # words that are added to the command where it is refused, which make it work
    refused: bool = False


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(header: str, rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header.split(","))
    writer.writerows(rows)
    return file.getvalue()


PAIRS = [(1, "x", "y"), (2, "y", "z"), (3, "z", "x"), (4, "x", "z")]
BATTLES = [
    {
        "question_id": f"q{at}",
        "model_a": left,
        "model_b": right,
        "winner": ("model_a", "model_b", "tie", "tie (bothbad)")[at - 1],
        "judge": f"arena_user_{at}",
        "conversation_a": TURNS,
        "conversation_b": TURNS,
        "turn": 1,
        "tstamp": 1682351591.5,
        "openai_moderation": {"flagged": False},
    }
    for at, left, right in PAIRS
]
GAMES = [
    {"question_id": 81, "model_1": "x", "model_2": "y", "judge": ["gpt-4", "pair-v2"]}
    | {"g1_winner": first, "g2_winner": second, "turn": turn}
    for turn, first, second in ((1, "model_1", "model_1"), (2, "tie", "error"))
]
SINGLE = [
    {"question_id": 81, "model": model, "judge": ["gpt-4", "single-v1"]}
    | {"judgment": "[[8]]", "score": score, "turn": turn}
    for model, turn, score in (("x", 1, 8), ("x", 2, 7), ("y", 1, 9), ("y", 2, -1))
]
HARD = [
    {"uid": f"u{at}", "judge": "gpt-4.1", "model": "x", "baseline": "o3-mini"}
    | {"games": [{"score": "A>>B"}, {"score": other}]}
    for at, other in ((1, "B>A"), (2, None))
]
HUMAN = [
    {**one, "question_id": 81, "turn": 1 + at % 2, "judge": "expert_0"}
    for at, one in enumerate(BATTLES)
]
ANSWERS = {"response_1": TEXT, "response_2": TEXT}
MTURK = "HITId,WorkerId,WorkTimeInSeconds,Input.model_a,Input.model_b,Answer.preference"
TOLOKA = "INPUT:model_a,INPUT:model_b,OUTPUT:result,GOLDEN:result,ASSIGNMENT:worker_id"
QUALTRICS = (
    'ResponseId,Q1_1,Q1_2\nResponse ID,"How good?\nGPT","How good?\nLlama"\n'
    '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}"\n'
    "R_1,5,2\nR_2,4,3\n"
)
LIKERT = ("strongly disagree", "Disagree", "Neutral", "agree", "Strongly agree")


def scores(*values: object, column: str = "score") -> str:
    rows = [(f"j{at % 2}", at // 2, "xy"[at % 2], value) for at, value in enumerate(values)]
    return table(f"judge,item,system,{column}", rows)


FILES = (
    Published(
        "arena.jsonl", lines(BATTLES), "4 judgments, 4 judges, 4 items, 3 systems, 50 % ties"
    ),
    Published("arena.json", json.dumps(BATTLES), "4 judgments, 4 judges, 4 items"),
    Published(
        "mt_bench_human.jsonl",
        lines(HUMAN),
        ("1 judge, 2 items, 3 systems", "the turns of one question_id were judged apart"),
    ),
    Published(
        "gpt-4_pair.jsonl",
        lines(GAMES),
        ("1 judge, 2 items, 2 systems", "could not be read by its makers excluded: 1"),
    ),
    Published("gpt-4_single.jsonl", lines(SINGLE), "3 ratings, 1 judge, 2 items, 2 systems"),
    Published("arena-hard.jsonl", lines(HARD), "3 judgments, 1 judge, 2 items, 2 systems"),
    Published(
        "arena-hard-v0.1.jsonl",
        lines({**one, "baseline": None} | {"question_id": "q"} for one in HARD),
        "2 systems",
    ),
    Published(
        "rewardbench.jsonl",
        lines(
            {"prompt": at, "chosen": TEXT, "chosen_model": a, "rejected": TEXT, "rejected_model": b}
            for at, a, b in PAIRS
        ),
        "4 judgments, 4 items, 3 systems",
    ),
    Published(
        "hh-rlhf.jsonl",
        lines([{"chosen": TEXT, "rejected": TEXT}]),
        "does not say whose answers were chosen and rejected: add the columns chosen_model",
        refused=True,
    ),
    Published(
        "helpsteer3.jsonl",
        lines({**ANSWERS, "overall_preference": at - 2} for at in range(5)),
        "does not say which systems gave the answers in response_1, response_2: add columns",
        refused=True,
    ),
    Published(
        "helpsteer3-named.jsonl",
        lines(
            {**ANSWERS, "overall_preference": at - 2, "model_a": a, "model_b": b}
            for at, a, b in PAIRS
        ),
        "4 judgments, 3 systems",
    ),
    Published(
        "helpsteer2.jsonl",
        lines({"prompt": "p", "response": TEXT, "helpfulness": 3, "coherence": 4} for _ in "12"),
        "none that says whose output was scored",
        refused=True,
    ),
    Published(
        "prism.jsonl",
        lines(
            {"interaction_id": "i", "user_id": f"u{at}", "model_name": m, "score": 10 * at}
            for at in (1, 2)
            for m in "xy"
        ),
        "4 ratings, 2 judges, 2 systems",
    ),
    Published(
        "wildbench.jsonl",
        lines({"model_A": a, "model_B": b, "winner": a, "extent": 1} for _, a, b in PAIRS),
        "names the winner of its row",
    ),
    Published(
        "matches.csv", table("winner,loser,judge", [(a, b, "j") for _, a, b in PAIRS]), "3 systems"
    ),
    Published(
        "Batch_results.csv",
        table(MTURK, [("H", f"W{at}", 40, a, b, "A") for at, a, b in PAIRS]),
        "4 judgments, 4 judges, 3 systems",
    ),
    Published(
        "assignments.tsv",
        table(TOLOKA, [(a, b, "left", "", f"w{at}") for at, a, b in PAIRS], "\t"),
        "4 judgments, 4 judges, 3 systems",
    ),
    Published(
        "qualtrics.csv",
        QUALTRICS,
        "has several columns of scores, Q1_1, Q1_2",
        "--column judge=ResponseId --column system=Q1_1,Q1_2",
        refused=True,
    ),
    Published("likert.csv", scores(*LIKERT, LIKERT[1]), "disagree = 1, disagree = 2, neutral = 3"),
    Published("likert.csv", scores(*LIKERT[::4] * 3), "6 1 3 5"),
    Published(
        "likert7.csv", scores("somewhat agree", "agree", *LIKERT), "neutral = 4, somewhat agree = 5"
    ),
    Published("acr.csv", scores("bad", "fair", "excellent", "good"), "4 1 3.25 5"),
    Published("numbered.csv", scores("1 - poor", "2", "3", "4 - very good"), "4 1 2.5 4"),
    Published("percent.csv", scores("80%", "20 %", "50%", "NA"), "3 1 20 50 80"),
    Published("of_five.csv", scores("4/5", "2 / 5", "3 out of 5", "3/5"), "scores out of 5"),
    Published("of_what.csv", scores("4/5", "2/10"), "score '4/5' in column 'score'", refused=True),
    Published("percent_or_share.csv", scores("80%", "0.8"), "per cent or fractions?", refused=True),
    Published(
        "one_slip.csv",
        scores(*["80%"] * 40, "x"),
        "score 'x' in column",
        "--skip-bad-rows",
        refused=True,
    ),
    Published("words.csv", scores("red", "blue"), "score 'red' in column 'score'", refused=True),
    Published(
        "ranks.csv",
        table(
            "judge,item,rank_GPT-4,rank_Llama-2", [("j", 1, 1, 2), ("k", 1, 2, 1), ("j", 2, 1, 1)]
        ),
        "each row is a ranking of GPT-4, Llama-2",
    ),
    Published(
        "stats.csv",
        table("task,rankings,judges,items,systems", [("cs-en", 10, 2, 5, 3)]),
        "looks like results (rankings, judges, items, systems), not like judgments",
        refused=True,
    ),
    Published(
        "leaderboard.csv",
        table(",win_rate,standard_error,n_wins", [("x", 95.3, 0.7, 761), ("y", 88.4, 1.1, 711)]),
        "looks like results (win_rate, standard_error, n_wins)",
        refused=True,
    ),
    Published(
        "label_studio.json",
        json.dumps(
            [
                {
                    "id": at,
                    "data": {"model_a": a, "model_b": b, "output_a": TEXT, "output_b": TEXT},
                    "annotations": [
                        {
                            "completed_by": 1,
                            "result": [
                                {"from_name": "c", "to_name": "a,b", "type": "pairwise"}
                                | {"value": {"selected": "left"}}
                            ],
                        }
                    ],
                }
                for at, a, b in PAIRS
            ]
        ),
        "4 judgments, 1 judge, 4 items, 3 systems",
    ),
    Published(
        "argilla.json",
        json.dumps(
            [
                {"id": "r", "fields": {"prompt": "p"}}
                | {"responses": {"quality": [{"value": 3, "user_id": "u", "status": "submitted"}]}}
            ]
        ),
        "no rankings that were submitted, but answers to 'quality', which is no ranking",
        refused=True,
    ),
    Published("note.txt", "hello world", "holds one line of text ('hello world')", refused=True),
    Published("header.csv", "judge,item,system,score\n", "a header but no judgments", refused=True),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def inspect(name: str, *more: str) -> tuple[str, int]:
    result = CliRunner().invoke(main, ["inspect", name, *more], prog_name="evenhand")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return " ".join(f"{result.stdout} {result.stderr}".split()), result.exit_code


@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case.name}: {case.said}"[:50])
@pytest.mark.usefixtures("folder")
def test_a_published_layout_is_read_or_refused_with_the_reason(case: Published) -> None:
    Path(case.name).write_text(case.content, encoding="utf-8")
    said, code = inspect(case.name)
    for words in [case.said] if isinstance(case.said, str) else case.said:
        assert words in said
    assert code == (2 if case.refused else 0)
    if case.more:
        assert inspect(case.name, *case.more.split())[1] == 0


def test_second_games_are_in_the_other_order(folder) -> None:
    # Arena-Hard: A>>B is for the baseline in the first game, and for the model in the second.
    path = folder / "judgments.jsonl"
    path.write_text(lines(HARD), encoding="utf-8")
    tally = read(path).tally().fold()
    assert tally.systems == ("o3-mini", "x")
    assert tally.counts.tolist() == [[3, 0, 0]]
    path = folder / "judgments.jsonl"
    path.write_text(lines(GAMES), encoding="utf-8")
    tally = read(path).tally()
    assert tally.n_judgments == 3
    folded = tally.fold()
    assert folded.systems == ("x", "y")
    assert folded.counts.tolist() == [[2, 1, 0]]
