"""The numbers of docs/papers/wisniewski2013.md are those that its command prints for each task.

Two tasks without EVENHAND_WHOLE: a task takes long.
"""

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from experiments.campaign import WHOLE
from markdown_pages import ROOT, blocks, commands

PAGE = (ROOT / "docs" / "papers" / "wisniewski2013.md").read_text(encoding="utf-8")
TASKS = ("eng-ces", "eng-deu", "eng-hrv", "eng-jpn", "eng-zho", "zho-eng")
METHODS = ("raw mean", "judge + output", "completion")
OTHERS = ("judge + output", "raw mean", "one rating")


def rows(header):
    """A table of the page by task: its cells as lists of numbers."""
    _, _, below = PAGE.partition(f"\n{header}")
    lines = below.partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {task: [re.findall(r"-?\d+\.?\d*", cell) for cell in rest] for task, *rest in cells}


def shown(estimate, digits, scale=1.0):
    return [f"{scale * estimate[part]:.{digits}f}" for part in ("value", "lower", "upper")]


@pytest.fixture(scope="module")
def decisions(data_set):
    """What the page's command prints as JSON, with each task in the place of its task."""
    (line,) = (one.line for block in blocks(PAGE) for one in commands(block.code))
    folder = str(data_set("wmt22_calibration"))
    words = [word.replace("wmt22_calibration", folder) for word in shlex.split(line)[1:]]
    found = {}
    for task in TASKS if WHOLE else TASKS[:2]:
        own = [task if word in TASKS else word for word in words]
        done = CliRunner().invoke(main, [*own, "--json"], prog_name="evenhand")
        assert done.exit_code == 0, done.output
        found[task] = json.loads(done.stdout)["decisions"]
    return found


@pytest.mark.slow
def test_both_tables_are_those_with_half_of_the_ratings_seen(decisions):
    errors = rows("| task | judge mean | judge + output | completion | gain | abstains |")
    orders = rows("| task | raw mean | judge + output | completion | gain over judge + output |")
    assert tuple(errors) == tuple(orders) == TASKS
    for task, found in decisions.items():
        (half,) = (
            one for one in found["points"] if (one["design"], one["share"]) == ("spread", 0.5)
        )
        error = [half["mae"][name]["value"] for name in ("judge mean", *METHODS[1:])]
        assert errors[task][:3] == [[f"{one:.1f}"] for one in error]
        assert errors[task][3] == shown(half["mae_more"]["judge + output"], 2)
        assert abs(float(errors[task][4][0]) - 100 * half["abstained"]) <= 0.5
        order = [100 * half["reliability"][name]["value"] for name in METHODS]
        assert orders[task][:3] == [[f"{one:.0f}"] for one in order]
        gains = [[float(x) for x in shown(half["gains"][name], 1, 100)] for name in OTHERS]
        assert [[float(x) for x in cell] for cell in orders[task][3:]] == gains


def test_ranges_of_errors_are_those_of_the_first_table():
    said = " ".join(PAGE.split())
    errors = rows("| task | judge mean | judge + output | completion | gain | abstains |")
    own = [float(cells[2][0]) for cells in errors.values()]
    assert f"the error of completion is {min(own)} to {max(own)} points of 100" in said
    less = [100 * float(cells[3][0]) / float(cells[1][0]) for cells in errors.values()]
    ends = f"{min(less):.0f} to {max(less):.0f} %"
    assert f"completion reduces the error of judge + output by {ends}, at most" in said


@pytest.mark.slow
def test_ranges_over_all_shares_hold_for_each_task(decisions):
    """At most so much less error, at most so many points, one rating per output in these."""
    said, reached = " ".join(PAGE.split()), []
    most, points, low, high = (
        float(re.search(text, said).group(1))
        for text in (
            *(r"at most by (\d+) % at any share", r"never by more than ([\d.]+) points"),
            *(r"puts (\d+) to \d+ %", r"puts \d+ to (\d+) %"),
        )
    )
    for found in decisions.values():
        own = found["points"]
        less = [
            1 - p["mae"]["completion"]["value"] / p["mae"]["judge + output"]["value"] for p in own
        ]
        more = [abs(p["gains"]["judge + output"]["value"]) for p in own]
        (single,) = (
            100 * p["reliability"]["raw mean"]["value"]
            for p in own
            if (p["design"], round(p["share"] * found["judges"], 6)) == ("spread", 1)
        )
        reached.append((round(100 * max(less)), round(100 * max(more), 1), round(single)))
        assert reached[-1][0] <= most
        assert reached[-1][1] <= points
        assert low <= reached[-1][2] <= high
    if WHOLE:
        shares, gains, singles = zip(*reached, strict=True)
        assert (max(shares), max(gains), min(singles), max(singles)) == (most, points, low, high)


@pytest.mark.slow
@pytest.mark.skipif(not WHOLE, reason="EVENHAND_WHOLE is not set: it counts all tasks")
def test_the_claims_count_shares_at_which_completion_is_better(decisions):
    """Of shares with more than one rating per output, and of those with common ratings."""
    counts = {}
    for found in decisions.values():
        for point in found["points"]:
            if point["design"] == "spread" and point["share"] * found["judges"] < 1 + 1e-9:
                continue  # one rating per output
            for name, gain in point["gains"].items():
                own = counts.setdefault((point["design"], name), [0, 0, 0])
                own[0] += 1
                own[1] += gain["lower"] > 0
                own[2] += gain["upper"] < 0
    print(counts)  # noqa: T201
    said = " ".join(PAGE.split())
    for text, other in (
        ("at {} of {} shares (worse at {}), at {} of {} with one rating per output", "one rating"),
        ("at {} of {} shares (worse at {}), and at {} of {} with common ratings", "raw mean"),
        ("At {} of {} (worse at {}) and {} of {}", "judge + output"),
    ):
        (n, better, worse), (n_common, common, _) = (
            counts[design, other] for design in ("spread", "common")
        )
        assert text.format(better, n, worse, common, n_common) in said
