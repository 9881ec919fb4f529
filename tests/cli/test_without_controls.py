"""Verbs that speak of systems leave controls out, and say how many."""

import re

import pytest

VERBS = (*("rank", "test", "watch", "robustness", "variance"),)


def _write(folder, *, controls: bool) -> str:
    """Write votes of 6 judges on A, B and C, perhaps with 3 controls of each on other outputs."""
    rows = ["judge,item,left,right,outcome,kind,expected"]
    for j in range(6):
        for i in range(6):
            for left, right in (("A", "B"), ("C", "B") if i % 2 else ("B", "C"), ("A", "C")):
                outcome = "left" if (i + j) % 3 else "right"
                rows.append(f"j{j},{i},{left},{right},{outcome},target,")
        known = [f"j{j},c{i},good,bad,left,control,left" for i in range(3)]
        rows += known if controls else []
    path = folder / "votes.csv"  # the same name, which is printed
    path.write_text("\n".join(rows) + "\n")
    return str(path)


@pytest.mark.parametrize("verb", VERBS)
def test_the_same_file_says_the_same_with_controls_and_without(verb, evenhand, folder) -> None:
    with_controls, without = (
        " ".join(evenhand(*verb.split(), _write(folder, controls=held)).out.split())
        for held in (True, False)
    )
    told = "18 controls excluded, 2 of 5 systems (bad, good) "
    assert with_controls.count(told) == 1
    assert with_controls.count("18 controls excluded") == 1
    reason = "controls, whose right answer was known: they tell of judges"
    signed = f" | excluded 18 of 126 judgments, 2 of 5 systems, {reason}"
    assert (signed in with_controls) == ("sign evenhand" in with_controls)
    plain = re.sub(f"(read |note )?{re.escape(told)}", "", with_controls).replace(signed, "")
    assert plain == without


RATED = ("rank", "rank --method all", "fit", "compare", "bias", "test", "robustness", "variance")


@pytest.mark.parametrize("verb", [*RATED, "agreement", "impute"])
def test_controls_are_counted_among_the_ratings_of_the_criterion(verb, evenhand, folder) -> None:
    rows = ["judge,item,system,criterion,score,kind"]
    for j in range(5):
        for i in range(8):
            for s, name in enumerate("xyz"):
                for criterion, known in (("fluency", 3), ("adequacy", 1)):
                    score = 1 + (7 * i + 3 * j + s * (i + 1) + j * s) % 5
                    kind = "control" if i < known else "target"
                    rows.append(f"j{j},i{i},{name},{criterion},{score},{kind}")
    (folder / "scores.csv").write_text("\n".join(rows) + "\n")
    said = evenhand(*verb.split(), "scores.csv", "--criterion", "fluency", "--json").json
    counts = {one["code"]: (one["rows"], one["of_rows"]) for one in said["excluded"]}
    # 5 judges x 8 items x 3 systems under each of 2 criteria; 3 of the items are controls
    assert counts == {"criterion": (120, 240), "controls": (45, 120)}
