"""Arena battles, an LLM's verdicts on all pairs and people's on some, as a new user tries them."""

import csv
import json
import re
import shlex
from itertools import combinations, permutations

import numpy as np
import pytest

from evenhand import make_report

WORTHS = {"opus": 1.0, "lark": 0.5, "wren": -0.5}
HEADER = ["judge", "question_id", "model_a", "model_b", "winner"]
TURNS = [*HEADER, "turn"]
ITEMS = 80


def write(path, rows, header=HEADER):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def draw():
    """Three people on 20 items, two LLM judges on 80."""
    rng = np.random.default_rng(3)
    output = {(item, one): rng.normal() for item in range(ITEMS) for one in WORTHS}

    def vote(item, a, b, sharpness):
        gap = sharpness * (WORTHS[a] + output[item, a] - WORTHS[b] - output[item, b])
        return "model_a" if rng.random() < 1 / (1 + np.exp(-gap)) else "model_b"

    people = [
        [f"rater{rater}", f"q{item}", *pair, vote(item, *pair, 1.0)]
        for item in range(20)
        for two in combinations(WORTHS, 2)
        for rater in range(6)
        for pair in [two[:: 1 if (rater + item) % 2 else -1]]
    ]
    verdicts = {
        name: [
            [name, f"q{item}", a, b, vote(item, a, b, sharpness)]
            for item in range(ITEMS)
            for a, b in permutations(WORTHS, 2)
        ]
        for name, sharpness in (("gpt-4-turbo", 2.0), ("claude-3-opus", 1.0))
    }
    return people, verdicts


@pytest.fixture
def battles(folder):
    people, verdicts = draw()
    gpt, claude = verdicts.values()
    write(folder / "people.csv", people)
    write(folder / "verdicts.csv", gpt)
    marked = [[*row, "human"] for row in people] + [[*row, "llm"] for row in (*gpt, *claude)]
    write(folder / "one.csv", marked, [*HEADER, "judge_type"])
    write(folder / "unmarked.csv", [row[:5] for row in marked])
    return folder


def find_command(text, verb):
    """The command of a verb that a text names in brackets, as one line."""
    (command,) = re.findall(rf"\((evenhand {verb} [^()\n]+)\)", text)
    return shlex.split(command)[1:]


def read_json(evenhand, *words):
    return json.loads(evenhand(*words, "--json").out)


def test_three_commands_from_battles_to_a_page(battles, evenhand):
    ranked = evenhand("rank", "people.csv", "--llm", "verdicts.csv").out
    assert "360 judgments are as precise as about" in " ".join(ranked.split())
    replaced = evenhand("replace", "people.csv", "--llm", "verdicts.csv", "--epsilon", ".15").out
    assert replaced.splitlines()[0].startswith(
        ("gpt-4-turbo may replace a human judge", "These judgments are no evidence")
    )
    evenhand("report", "people.csv", "--llm", "verdicts.csv", "-o", "page.html")
    page = (battles / "page.html").read_text()
    assert "evenhand replace people.csv --llm verdicts.csv --epsilon .15" in page


@pytest.mark.parametrize(
    ("file", "code"), [("one.csv", "llm-judges-help"), ("unmarked.csv", "named-like-llms-inside")]
)
def test_the_command_that_inspect_prints_ranks_with_both(battles, evenhand, file, code):
    printed = evenhand("inspect", file).out
    command = find_command(printed, "rank")
    assert command == ["rank", file, "--llm-judges", "claude-3-opus,gpt-4-turbo"]
    assert code in [one["code"] for one in read_json(evenhand, "inspect", file)["findings"]]
    assert read_json(evenhand, *command)["llm"]["n_verdicts"] == 2 * 6 * ITEMS


def test_a_report_of_one_file_takes_one_of_two_marked_judges(battles, evenhand):
    made = read_json(evenhand, "report", "one.csv", "--llm-judges", "gpt-4-turbo")
    (left_out,) = made["excluded"]
    assert (left_out["judge_names"], left_out["rows"]) == (["claude-3-opus"], 6 * ITEMS)
    (part,) = made["parts"]
    assert part["sections"][0]["name"] == "llm"
    for section in part["sections"]:  # what the page names runs
        if section["command"] and "rank" in section["command"].split():
            evenhand(*shlex.split(section["command"])[1:])


def test_replace_names_the_file_where_it_advises_a_command(battles, evenhand):
    people, verdicts = draw()
    once = [row for at, row in enumerate(people) if at % 6 == 0]
    write(battles / "once.csv", once)
    write(battles / "both.csv", [*once, *verdicts["gpt-4-turbo"]])
    two = ["once.csv", "--llm", "verdicts.csv"]
    for words in (two, ["both.csv", "--llm-judges", "gpt-4-turbo"]):
        refused = evenhand("replace", *words, "--epsilon", ".1", code=2).err
        command = find_command(refused, "bias")
        assert command == ["bias", *words]
        evenhand(*command)


MISSING = {"winner": "", "NaN": "NaN", "skip": "skip"}


@pytest.mark.parametrize("label", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("method", [[], ["--llm-method", "ppi++"]], ids=["worths", "ppi"])
def test_verdicts_without_an_answer_are_counted_and_named(battles, evenhand, label, method):
    _, verdicts = draw()
    rows = verdicts["gpt-4-turbo"]
    write(
        battles / "gaps.csv", [[*one[:4], label] if at < 30 else one for at, one in enumerate(rows)]
    )
    words = ["rank", "people.csv", "--llm", "gaps.csv", "--unpaired", "drop", *method]
    found = read_json(evenhand, *words)
    (left_out,) = found["excluded"]
    assert (left_out["code"], left_out["unit"]) == ("verdicts-no-outcome", "verdict")
    assert (left_out["rows"], left_out["of_rows"]) == (30, 6 * ITEMS)
    assert "excluded 30 of 480 verdicts, the outcome is missing" in found["signature"]
    assert "excluded: 30 of 480 verdicts, the outcome is missing" in evenhand(*words).out


def test_people_among_the_verdicts_are_left_out_of_these(battles, evenhand):
    found = read_json(evenhand, "rank", "people.csv", "--llm", "one.csv")
    assert found["llm"]["n_verdicts"] == 2 * 6 * ITEMS
    assert [(one["code"], one["rows"]) for one in found["excluded"]] == [("verdicts-people", 360)]
    people, _ = draw()
    write(battles / "marked.csv", [[*one, "human"] for one in people], [*HEADER, "judge_type"])
    refused = evenhand("rank", "people.csv", "--llm", "marked.csv", code=2).err
    assert "people judged in marked.csv (column judge_type)" in refused


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("next", "people.csv", "--for-llm", "--batch", "5"), "--for-llm needs VERDICTS"),
        (("rank", "people.csv", "--level", "--json"), "--level needs PROPORTION"),
        (("rank", "people.csv", "--without", "--json"), "--without needs NAME,NAME"),
    ],
)
def test_an_option_is_no_value_of_another(battles, evenhand, words, says):
    assert says in evenhand(*words, code=2).err


def test_a_second_file_of_verdicts_is_not_dropped(battles, evenhand):
    two = ["--llm", "verdicts.csv", "--llm", "one.csv"]
    assert "one file of verdicts is taken" in evenhand("rank", "people.csv", *two, code=2).err


@pytest.mark.parametrize("turns", [1, 2])
def test_turns_of_mt_bench_are_items_where_questions_have_several(battles, evenhand, turns):
    people, verdicts = draw()
    rounds = range(1, turns + 1)
    write(battles / "human.csv", [[*row, n] for row in people for n in rounds], TURNS)
    games = {"judge": ["gpt-4", "pair-v2"], "g1_winner": "model_1", "g2_winner": "tie"}
    lines = [
        {"question_id": item, "model_1": a, "model_2": b, "turn": n, **games}
        for n in rounds
        for _, item, a, b, _ in verdicts["gpt-4-turbo"]
        if a < b
    ]
    (battles / "pairs.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    ranked = read_json(evenhand, "rank", "human.csv", "--llm", "pairs.jsonl")
    assert ranked["llm"]["n_unpaired"] == 0
    assert ranked["llm"]["n_verdicts"] == 2 * 3 * ITEMS * turns


def test_verdicts_of_turns_beside_people_without_turns_are_refused_with_a_remedy(battles, evenhand):
    both = [[*row, turn] for row in draw()[1]["gpt-4-turbo"] for turn in (1, 2)]
    write(battles / "both.csv", both, TURNS)
    for words in (("rank", "people.csv"), ("replace", "people.csv", "--epsilon", ".15")):
        refused = evenhand(*words, "--llm", "both.csv", code=2).err
        assert "both.csv has several turns of a question, and people.csv has no column" in refused
    command, kept = re.search(r"such as evenhand (.*?), and give (\S+) in", refused).groups()
    evenhand(*shlex.split(command))
    of_turn = read_json(evenhand, "rank", "people.csv", "--llm", kept)["llm"]
    assert of_turn == read_json(evenhand, "rank", "people.csv", "--llm", "verdicts.csv")["llm"]


VERBS = {"rank": "", "bias": "", "agreement": "", "replace": "--epsilon .15"}


@pytest.mark.parametrize("verb", VERBS)
def test_turns_that_convert_wrote_into_items_are_joined_with_those_of_the_files(
    battles, evenhand, verb
):
    people, verdicts = draw()
    of_turns = {"people": people, "verdicts": verdicts["gpt-4-turbo"]}
    for name, rows in of_turns.items():
        write(battles / f"{name}.csv", [[*row, n] for row in rows for n in (1, 2)], TURNS)
        evenhand("convert", f"{name}.csv", "-o", f"{name}_own.jsonl")
    evenhand("convert", "people.csv", "--to", "arena", "-o", "people_arena.csv")
    results = [
        read_json(evenhand, verb, files[0], "--llm", files[1], *VERBS[verb].split())
        for files in (
            *(("people.csv", "verdicts.csv"), ("people_own.jsonl", "verdicts.csv")),
            *(("people.csv", "verdicts_own.jsonl"), ("people_own.jsonl", "verdicts_own.jsonl")),
            ("people_arena.csv", "verdicts.csv"),
        )
    ]
    assert len([one.pop("findings") for one in results]) == 5  # which name how files were read
    assert all(one == results[0] for one in results)


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_wrong_with_a_verdict_is_said_with_its_file_and_line(battles, evenhand, verb):
    verdicts = draw()[1]["gpt-4-turbo"]
    write(battles / "odd.csv", [*verdicts, [*verdicts[0][:4], "error"]])
    words = (verb, "people.csv", "--llm", "odd.csv", *VERBS[verb].split())
    refused = evenhand(*words, code=2).err
    assert f"column 'winner' of odd.csv (line {len(verdicts) + 2})" in refused
    (remedy,) = re.findall(r"exclude it \((--missing \S+), in Python", refused)
    said = " ".join(evenhand(*words, *shlex.split(remedy)).out.split())
    assert f"excluded: 1 of {len(verdicts) + 1} verdicts, the outcome is missing" in said
    assert "no cell of winner in people.csv is error" in said


def test_columns_of_other_names_are_those_of_the_file_that_has_them(battles, evenhand):
    _, verdicts = draw()
    names = ["annotator", "prompt_text", "first_model", "second_model", "verdict"]
    write(battles / "named.csv", verdicts["gpt-4-turbo"], names)
    refused = evenhand("rank", "people.csv", "--llm", "named.csv", code=2).err
    (options,) = re.findall(r"Say which they are: (--column .*), in Python", refused)
    asked = ["rank", "people.csv", "--llm", "named.csv", *shlex.split(options)]
    refused = evenhand(*asked, code=2).err
    assert "no column of named.csv holds items" in refused
    assert "--column item=NAME, NAME being one of prompt_text)" in refused
    named = read_json(evenhand, *asked, "--column", "item=prompt_text")
    usual = read_json(evenhand, "rank", "people.csv", "--llm", "verdicts.csv")
    assert named["systems"] == usual["systems"]
    for words in (["--column", "item=nothing"], ["--column", "left=nothing"]):
        refused = evenhand("rank", "people.csv", "--llm", "verdicts.csv", *words, code=2).err
        assert "column 'nothing'" in refused


def test_an_llm_judge_who_is_ranked_is_named(battles, evenhand):
    _, verdicts = draw()
    write(battles / "own.csv", [["opus", *row[1:]] for row in verdicts["gpt-4-turbo"]])
    findings = read_json(evenhand, "rank", "people.csv", "--llm", "own.csv")["findings"]
    (warned,) = [one for one in findings if one["code"] == "judges-ranked"]
    assert (warned["severity"], warned["values"]["judges"]) == ("warning", ["opus"])
    findings = read_json(evenhand, "rank", "people.csv", "--llm", "verdicts.csv")["findings"]
    assert "judges-ranked" not in [one["code"] for one in findings]


UNUSABLE = {
    "header.csv": lambda _: [],
    "blank.csv": lambda verdicts: [[*row[:4], ""] for row in verdicts],
    "elsewhere.csv": lambda verdicts: [[row[0], f"other {row[1]}", *row[2:]] for row in verdicts],
    "some.csv": lambda verdicts: [row for row in verdicts if row[1] != "q3"],
}


@pytest.mark.parametrize("unpaired", ["", "--unpaired drop", "--unpaired keep"])
def test_names_of_systems_that_differ_in_capitals_are_named(battles, evenhand, unpaired):
    verdicts = draw()[1]["gpt-4-turbo"]
    write(battles / "low.csv", [[one.replace("opus", "Opus") for one in row] for row in verdicts])
    for verb, more in VERBS.items() if not unpaired else [("rank", unpaired)]:
        refused = evenhand(verb, "people.csv", "--llm", "low.csv", *more.split(), code=2).err
        assert "differ only in capitals: opus and Opus. Write the same names in both" in refused


@pytest.mark.parametrize("verb", ["bias", "agreement"])
def test_an_empty_name_of_a_system_is_refused_with_its_row(battles, evenhand, verb):
    people, verdicts = draw()[0], draw()[1]["gpt-4-turbo"]
    people[0][2] = ""
    write(battles / "hole.csv", people)
    write(battles / "verdicts.csv", verdicts)
    refused = evenhand(verb, "hole.csv", "--llm", "verdicts.csv", code=2).err
    assert "a value is missing in column 'model_a' of hole.csv (row 1)" in refused


@pytest.mark.parametrize("file", UNUSABLE)
def test_a_report_refuses_the_verdicts_that_rank_refuses(battles, evenhand, file):
    write(battles / file, UNUSABLE[file](draw()[1]["gpt-4-turbo"]))
    words = ["people.csv", "--llm", file]
    refused = evenhand("rank", *words, code=2).err
    assert evenhand("report", *words, "-o", "page.html", code=2).err == refused
    assert not (battles / "page.html").exists()


@pytest.mark.parametrize("choice", ["drop", "keep"])
def test_a_report_takes_the_remedy_for_judgments_without_a_verdict(battles, evenhand, choice):
    write(battles / "some.csv", UNUSABLE["some.csv"](draw()[1]["gpt-4-turbo"]))
    words = ["people.csv", "--llm", "some.csv"]
    assert f"--unpaired {choice}" in evenhand("report", *words, code=2).err
    words += ["--unpaired", choice]
    (part,) = read_json(evenhand, "report", *words, "--sections", "llm")["parts"]
    (section,) = part["sections"]
    assert shlex.split(section["command"]) == ["evenhand", "rank", *words]
    left = 360 - (3 * 6 if choice == "drop" else 0)  # six people, three pairs of item q3
    assert f"{left} judgments" in " ".join(section["says"])
    made = make_report(words[0], llm=words[2], unpaired=choice, sections=["llm"])
    assert made.to_dict()["parts"][0]["sections"][0]["says"] == section["says"]
    refused = evenhand("report", "people.csv", "--unpaired", choice, code=2).err
    assert "give verdicts (--llm)" in refused


def test_many_marked_llm_judges_are_all_named_in_the_command(battles, evenhand):
    people, verdicts = draw()
    marked = [[*row, "human"] for row in people] + [
        [f"model-{n:02}", *row[1:], "llm"] for n in range(12) for row in verdicts["gpt-4-turbo"]
    ]
    write(battles / "twelve.csv", marked, [*HEADER, "judge_type"])
    for verb in ("inspect", "rank"):
        command = find_command(evenhand(verb, "twelve.csv").out, "rank")
        assert command[2:] == ["--llm-judges", ",".join(f"model-{n:02}" for n in range(12))]
    assert read_json(evenhand, *command)["llm"]["n_verdicts"] == 12 * 6 * ITEMS


@pytest.mark.parametrize("verb", ["replace", "bias", "agreement"])
def test_verdicts_without_items_are_refused_by_the_name_of_their_file(battles, evenhand, verb):
    rows = [[row[0], *row[2:]] for row in draw()[1]["gpt-4-turbo"]]
    write(battles / "bare.csv", rows, [HEADER[0], *HEADER[2:]])
    more = ["--epsilon", ".1"] if verb == "replace" else []
    refused = evenhand(verb, "people.csv", "--llm", "bare.csv", *more, code=2).err
    assert "column 'item' not found in bare.csv" in refused


def test_replace_says_that_files_may_be_exchanged_or_hold_no_people(battles, evenhand):
    end = ["--epsilon", ".1"]
    refused = evenhand("replace", "verdicts.csv", "--llm", "people.csv", *end, code=2).err
    assert "exchange the two files" in refused
    rows = [[*row, "llm"] for row in draw()[1]["gpt-4-turbo"]]
    write(battles / "alone.csv", rows, [*HEADER, "judge_type"])
    assert "there are no people" in evenhand("replace", "alone.csv", *end, code=2).err


def test_graded_labels_of_verdicts_are_told_with_their_file(battles, evenhand):
    _, verdicts = draw()
    labels = {"model_a": "I prefer A", "model_b": "I prefer B"}
    rows = [[*row[:4], labels[row[4]]] for row in verdicts["gpt-4-turbo"]]
    write(battles / "words.csv", rows)
    found = read_json(evenhand, "rank", "people.csv", "--llm", "words.csv")
    (note,) = (one["text"] for one in found["findings"] if one["code"] == "graded-sides")
    assert note == "words.csv: column 'winner': left is I prefer A; right is I prefer B"
    plain = read_json(evenhand, "rank", "people.csv", "--llm", "verdicts.csv")
    assert found["llm"]["n_verdicts"] == plain["llm"]["n_verdicts"]
