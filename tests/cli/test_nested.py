"""`evenhand compare --nested`, as people and machines read it."""

from __future__ import annotations

import re
from pathlib import Path


def test_table_1_prints_the_deviances_of_the_paper_corrected(evenhand, table1):
    # tests/golden/02: 30.4554 on 8 and 220.9466 on 9; 107.5000 on 35 by judge
    text = evenhand("compare", "--nested", table1).out
    assert re.search(r"^ worths \+ ties +4 +30\.4554 +8 ", text, re.MULTILINE)
    assert re.search(r"^ worths, γ = 0 +3 +220\.9466 +9 ", text, re.MULTILINE)
    assert re.search(r"^ \+ worths by judge +13 +107\.5000 +35 ", text, re.MULTILINE)
    assert re.search(r"^ worths differ by judge +173\.41 +9 +< 0\.001", text, re.MULTILINE)
    assert "take judgments as independent" in " ".join(text.split())


def test_a_named_covariate_takes_the_place_of_the_judges(evenhand, folder):
    path = Path(folder, "votes.csv")
    lines = ["left,right,outcome,judge,group"]
    for judge in range(6):
        group = "crowd" if judge % 2 else "expert"
        won, lost = (8, 4) if judge % 2 else (4, 8)
        for outcome, times in (("left", won), ("right", lost), ("tie", 3)):
            lines += [f"x,y,{outcome},j{judge},{group}"] * times
    path.write_text("\n".join(lines))
    text = " ".join(
        evenhand("compare", "--nested", "votes.csv", "--judge-covariate", "group").out.split()
    )
    assert "+ worths by group" in text
    assert "+ worths by judge" not in text
    assert "worths differ by group 8.16 1 " in text  # 2 Σ O ln(O/E): 24 and 12 of 36


def test_tables_of_judges_can_be_joined(evenhand, folder):
    sides = ("x,y", "y,x")
    outcomes = ("left", "right", "tie")
    rows = [f"{side},{won},j{i}" for side in sides for won in outcomes for i in range(4)] * 3
    Path(folder, "votes.csv").write_text("\n".join(["left,right,outcome,judge", *rows]))
    native = [f"j{i},{'yes' if i % 2 else 'no'}" for i in range(4)]
    Path(folder, "judges.csv").write_text("\n".join(["judge,native", *native]))
    words = ("--judges", "judges.csv", "--judge-covariate", "native", "--json")
    found = evenhand("compare", "--nested", "votes.csv", *words).json
    assert "+ worths by native" in [row["name"] for row in found["models"]]
    for verb in ("test", "bias"):
        grouped = evenhand(verb, "votes.csv", "--judges", "judges.csv", "--group-by", "native").out
        assert "no ──" in grouped
        assert "yes ──" in grouped
