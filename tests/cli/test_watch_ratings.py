"""`evenhand watch` of a file of ratings: ranked anew at each look, as `evenhand rank` does."""

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.cli.watch import RatedFile
from evenhand.formats.reading import read

SCORES = {"A": (80, 84, 90, 86), "B": (70, 78, 75, 77), "C": (69, 75, 79, 73)}
ROWS = [
    f"j{judge},i{item},{system},{score},{values[item] + judge % 3}\n"
    for judge in range(8)
    for system, values in SCORES.items()
    for item, score in enumerate(values)
]


@pytest.fixture
def rated(folder):
    path = folder / "scores.csv"
    path.write_text("judge,item,system,fluency,adequacy\n" + "".join(ROWS), encoding="utf-8")
    return path


def test_a_file_of_ratings_is_ranked_as_rank_does(evenhand, rated):
    found = evenhand("watch", rated.name, "--json").json
    assert found["judged"] == 2 * len(ROWS)
    ranked = evenhand("rank", rated.name, "--json").json["groups"]
    for one in found["passes"]:
        systems = {row["system"]: row for row in ranked[one["name"]]["systems"]}
        for row in one["scores"]:
            beside = systems[row["system"]]
            assert (row["score"], row["lower"], row["upper"]) == (
                beside["estimate"],
                beside["lower"],
                beside["upper"],
            )
    text = evenhand("watch", rated.name).out
    assert f"judged {2 * len(ROWS)} ratings" in " ".join(text.split())
    assert "ranks hold for one look" in text


def test_a_file_of_a_header_is_followed_as_what_its_first_rows_are(rated, monkeypatch):
    header, *rows = rated.read_text(encoding="utf-8").splitlines(keepends=True)
    rated.write_text(header, encoding="utf-8")
    seen = []

    def follow(source, *_, **__):
        seen.append(source.look().judged)
        with rated.open("a", encoding="utf-8") as file:
            file.writelines(rows)
        seen.append(source.look().judged)
        source.close()

    monkeypatch.setattr("evenhand.cli.watch_screen.follow", follow)
    CliRunner().invoke(main, ["watch", "--live", rated.name], catch_exceptions=False)
    assert seen == [0, 2 * len(ROWS)]


def test_whole_lines_count_as_the_file_grows(rated):
    source = RatedFile(rated, read)
    try:
        first = source.look()
        assert source.look() is first
        with rated.open("a", encoding="utf-8") as file:
            file.write("j9,i0,A,80,8")  # half a line
        assert source.look().judged == first.judged
        with rated.open("a", encoding="utf-8") as file:
            file.write("1\n")
        assert source.look().judged == first.judged + 2
    finally:
        source.close()


def test_options_of_ratings_hold_while_the_file_grows(rated, monkeypatch):
    seen = []

    def follow(source, *_, **__):
        seen.append(source.look())
        source.close()

    monkeypatch.setattr("evenhand.cli.watch_screen.follow", follow)
    words = ["watch", "--live", rated.name, "--criterion", "fluency", "--better", "lower"]
    CliRunner().invoke(main, words, catch_exceptions=False)
    ((one,), judged) = seen[0].passes, seen[0].judged
    assert (one.name, judged) == ("fluency", len(ROWS))
    assert [row.system for row in one.scores][-1] == "A"


def ranked_apart(found):
    return {
        one["name"]: [(row["system"], row["score"]) for row in one["scores"]]
        for one in found["passes"]
    }


def test_options_of_ratings_mean_what_they_mean_in_rank(evenhand, folder):
    rows = [
        f"j{judge},i{item},{system},{name},{'old' if judge < 4 else 'new'},{value + judge % 3}\n"
        for judge in range(8)
        for system, values in (*SCORES.items(), ("refA", (60, 61, 64, 66)))
        for item, value in enumerate(values)
        for name in ("fluency", "adequacy")
    ]
    text = "judge,item,system,criterion,panel,score\n" + "".join(rows)
    (folder / "scores.csv").write_text(text, encoding="utf-8")
    words = ["scores.csv", "--criterion", "fluency", "--better", "lower", "--rank-references"]
    found = evenhand("watch", *words, "--json").json
    assert found["judged"] == len(rows) // 2
    ((name, watched),) = ranked_apart(found).items()
    assert name == "fluency"
    ranked = evenhand("rank", *words, "--json").json
    assert watched == [(row["system"], row["estimate"]) for row in ranked["systems"]]
    assert watched[0][0] == "refA"
    words = ["scores.csv", "--criterion", "fluency", "--group-by", "panel"]
    watched = ranked_apart(evenhand("watch", *words, "--json").json)
    groups = evenhand("rank", *words, "--json").json["groups"]
    assert {name.partition(",")[0] for name in watched} == {*groups} == {"old", "new"}
    for name, systems in watched.items():
        beside = groups[name.partition(",")[0]]
        assert systems[:3] == [(row["system"], row["estimate"]) for row in beside["systems"]]


def test_codes_for_no_answer_are_warned_of(evenhand, folder):
    rows = [
        f"j{judge},i{item},{system},{99 if (judge + item) % 9 == 0 else 1 + (judge + item) % 5}\n"
        for judge in range(6)
        for item in range(6)
        for system in "AB"
    ]
    (folder / "scores.csv").write_text("judge,item,system,score\n" + "".join(rows))
    said = " ".join(evenhand("watch", "scores.csv").out.split())
    assert "If 99 means no answer, add --missing 99" in said
