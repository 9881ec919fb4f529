"""`evenhand bias`."""

from pathlib import Path

import numpy as np
import pytest

from ranking.test_position_bias import campaign


@pytest.fixture
def votes(folder: Path) -> str:
    """Twenty judges, of whom two always take the first."""
    campaign(1, biased=2).write_csv("votes.csv")
    return "votes.csv"


def test_it_says_how_often_the_first_wins_and_who_stands_out(evenhand, votes):
    ran = evenhand("bias", votes)
    text = " ".join(ran.out.split())
    assert text.startswith("Position bias: between equals the output shown first wins 60.3 %")
    assert "Different from the others: j01 (99 %), j00 (99 %)." in text
    judges = [line.split()[0] for line in ran.out.splitlines() if line.startswith(" j")]
    assert {"j00", "j01"} == set(judges[1:3])
    assert "... and 10 more" in ran.out
    assert len(ran.out.splitlines()) <= 28


def arena(path: str = "battles.csv") -> None:
    """Twelve people and a verdict of gpt in either order on each pair of three systems."""
    rng = np.random.default_rng(4)
    rows = ["judge,judge_type,item,left,right,winner,len_left,len_right"]
    for item in range(30):
        words = dict(zip("xyz", rng.integers(20, 300, 3).tolist(), strict=True))
        for pair in (("x", "y"), ("y", "z"), ("x", "z")):
            for judge, (left, right) in (
                ("gpt", pair),
                ("gpt", pair[::-1]),
                (f"j{item % 12:02d}", pair if rng.random() < 0.5 else pair[::-1]),
            ):
                longer = (words[left] - words[right]) / 100 * (1.5 if judge == "gpt" else 0)
                won = rng.random() < 1 / (1 + np.exp(-longer - 0.5 * (left < right)))
                sides = f"{left},{right},{'left' if won else 'right'}"
                kind = "llm" if judge == "gpt" else "human"
                lengths = f"{words[left]},{words[right]}"
                rows.append(f"{judge},{kind},{item},{sides},{lengths}")
    Path(path).write_text("\n".join(rows))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--llm-judges", "gtp"), "no judge 'gtp'. Did you mean 'gpt'?"),
        (("--own", "own.csv"), "--own needs LLM judges: name them (--llm-judges NAME)"),
        (("--llm-judges", "gpt", "--cluster", "item"), "leave it out"),
    ],
)
def test_what_does_not_fit_llm_judges_is_refused(evenhand, folder, words, error):
    arena()
    ran = evenhand("bias", "battles.csv", *words, code=2)
    assert error in " ".join(ran.err.split())
