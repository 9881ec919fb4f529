"""Names that differ only in capitals, blanks, punctuation or how a number is written are told."""

import polars as pl
import pytest

import evenhand
from evenhand.data.joining import say_alike
from evenhand.errors import NotIdentified
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read

CIRCLE = [("Alpha", "beta"), ("beta", "alpha"), ("alpha", "Alpha"), ("beta", "Alpha")]


def votes(pairs=CIRCLE, judges=("Ann", "ann", "Bob", "Bob")):
    left, right = zip(*pairs, strict=True)
    outcomes = ["left"] * len(left)
    table = {"left": left, "right": right, "outcome": outcomes, "judge": judges[: len(left)]}
    return read(pl.DataFrame(table))


@pytest.mark.parametrize(
    "pair",
    [
        ("Alpha", "alpha"),
        ("gpt 4", "gpt-4"),
        ("gpt4", "gpt-4"),
        ("llama\u00a02", "llama_2"),
        ("system (a)", "System A"),
        ("STRASSE", "straße"),
        ("gpt-4.1", "gpt-4 1"),
    ],
)
def test_a_name_written_in_two_ways_is_told(pair):
    (said,) = say_alike([*pair, "other"])
    assert all(f"'{name}'" in said for name in pair)
    assert "are taken for two systems" in said


@pytest.mark.parametrize(
    "names",
    [
        ("+", "-"),
        (".", "-"),
        ("C", "C++", "C#"),
        ("gpt-4.1", "gpt-41"),
        ("run 1-2", "run 12"),
        ("a", "b"),
        ("e", "é"),
    ],
)
def test_names_that_say_different_things_are_left_alone(names):
    assert say_alike(names) == ()


def about_names(notes):
    return [note for note in notes if "Alpha" in note]


def test_every_way_to_use_judgments_tells_it_once():
    data = votes()
    told = {
        "inspect": inspect(data).notes,
        "fit": evenhand.BradleyTerry().fit(data).notes,
        "rank": evenhand.rank(data, interval="model").notes,
        "test": evenhand.find_preferences(data).notes,
        "rules": evenhand.compare_methods(data, methods=["origwmt"]).notes,
    }
    assert {name: len(about_names(notes)) for name, notes in told.items()} == dict.fromkeys(told, 1)


def test_a_refusal_names_them_too_since_they_may_be_why():
    data = votes([("Alpha", "beta"), ("beta", "alpha"), ("Alpha", "alpha"), ("Alpha", "alpha")])
    with pytest.raises(NotIdentified, match="'Alpha' and 'alpha' are taken for two systems"):
        evenhand.BradleyTerry().fit(data)
