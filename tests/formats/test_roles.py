"""Which column plays which role."""

import pandas as pd
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.source import fold
from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.formats.reading import read
from evenhand.formats.roles import SYNONYMS, Header, assign, describe
from read_tables import cells_of, refusal, tally_of

ROLES = ("left", "right", "outcome", "judge", "item")
NEEDED = ROLES[:3]


@pytest.mark.parametrize("role", SYNONYMS)
def test_every_synonym_is_understood_in_any_spelling(role: str) -> None:
    for name in SYNONYMS[role]:
        for spelling in (name, name.upper(), name.replace("_", " ").title(), name.replace("_", "")):
            assert Header((spelling, "other")).candidates(role) == [spelling]


def test_no_name_is_a_synonym_of_two_roles() -> None:
    names = [fold(name) for role, others in SYNONYMS.items() for name in (role, *others)]
    assert sorted(names) == sorted(set(names))


def test_the_exact_name_of_a_role_wins_over_a_synonym() -> None:
    header = Header(("left", "right", "outcome", "annotator", "judge"))
    assert assign(header, ROLES, NEEDED)["judge"] == "judge"


def test_two_synonyms_for_one_role_are_refused_until_one_is_named() -> None:
    columns = ("left", "right", "outcome", "annotator", "worker")
    with pytest.raises(UnknownOption, match=r"annotator, worker .*--column judge=annotator"):
        assign(Header(columns), ROLES, NEEDED)
    assert assign(Header(columns, {"judge": "worker"}), ROLES, NEEDED)["judge"] == "worker"


def test_the_columns_of_a_layout_come_after_what_the_caller_says() -> None:
    header = Header(("model_a", "model_b", "winner", "vote"), {"outcome": "vote"})
    fixed = {"left": "model_a", "right": "model_b", "outcome": "winner"}
    found = assign(header, ROLES, NEEDED, fixed)
    assert found == {"left": "model_a", "right": "model_b", "outcome": "vote"}


def test_a_column_given_to_one_role_is_free_for_no_other() -> None:
    header = Header(("left", "right", "winner"), {"judge": "winner"})
    with pytest.raises(UnknownOption, match="'winner' of the table plays two roles, outcome and j"):
        assign(header, ROLES, NEEDED, {"outcome": "winner"})


def test_roles_are_described_with_their_columns() -> None:
    assert describe({"left": "system_a", "judge": "judge"}) == "left=system_a, judge"


def test_sides_can_be_mapped_crosswise(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    crossed = tally_of(path, columns={"left": "right", "right": "left"})
    assert cells_of(crossed) == {("B", "A"): (1, 0, 0)}


def test_a_column_that_does_not_exist_is_refused_with_the_nearest(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    words = refusal(path, UnknownColumn, columns={"outcome": "winer"})
    assert "column 'winer' (asked for as outcome) not found" in words
    assert "Did you mean 'winner'?" in words


def test_one_column_cannot_play_two_roles(save) -> None:
    path = save("t.csv", "left,right,winner,who\nA,B,left,j\n")
    words = refusal(path, UnknownOption, columns={"judge": "who", "item": "who"})
    assert "column 'who'" in words
    assert "judge and item" in words


def test_a_misspelt_needed_column_is_suggested(save) -> None:
    path = save("t.csv", "left,right,winer\nA,B,left\n")
    words = refusal(path, UnknownColumn)
    assert "no column for outcome" in words
    assert "Is it 'winer'? Say which it is: --column outcome=winer, in Python columns=" in words


def test_a_column_that_has_the_name_of_a_role_it_does_not_play_is_renamed(save) -> None:
    path = save("t.csv", "left,right,winner,judge,annotator\nA,B,left,j,k\n")
    data = read(path, columns={"judge": "annotator"})
    assert isinstance(data, Comparisons)
    assert data.covariates == ["original_judge"]
    assert data.tally(("judge",)).factor("judge").labels == ("k",)
    assert data.source.notes[1] == "column 'judge' is kept as 'original_judge'"


def test_the_only_column_of_numbers_is_proposed_for_scores() -> None:
    frame = pd.DataFrame({"rater": ["j", "k"], "system": ["x", "y"], "human": [3, 5]})
    with pytest.raises(UnknownColumn) as refusal:
        read(frame)
    assert "Is it 'human'? Say which it is: evenhand.read(..., columns={" in str(refusal.value)
    assert read(frame, columns={"score": "human"}).rows().score.tolist() == [3, 5]


def test_a_mapping_decides_the_kind_of_table(save) -> None:
    path = save("t.csv", "a,b,c,d\n1,x,1,u\n1,y,2,v\n")
    data = read(path, columns={"ranking": "a", "system": "b", "rank": "c"})
    assert isinstance(data, Rankings)
    compared = tally_of(
        save("u.csv", "a,b,c\nx,y,left\n"), columns={"left": "a", "right": "b", "outcome": "c"}
    )
    assert cells_of(compared) == {("x", "y"): (1, 0, 0)}


@pytest.mark.parametrize(
    ("columns", "item"),
    [
        (["Document"], "Document"),
        (["Prompt"], "Prompt"),
        (["Question"], "Question"),
        (["Input"], "Input"),
        (["Source"], "Source"),
        (["Segment No"], "Segment No"),
        (["source", "prompt"], "prompt"),
        # a column of the role's own names comes first, and parts of documents are not guessed at
        (["Document", "sentence id"], "sentence id"),
        (["Prompt", "item"], "item"),
        (["document", "sentence"], None),
    ],
)
def test_what_was_judged_is_the_item_where_nothing_else_is(columns, item):
    beside = {name: ["one", "two"] for name in columns}
    table = pd.DataFrame(beside | {"judge": ["a", "b"], "system": ["x", "y"], "score": [1, 2]})
    assert read(table).source.columns.get("item") == item
