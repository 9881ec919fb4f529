"""`evenhand compare --nested`, as people and machines read it."""

from __future__ import annotations

import re


def test_table_1_prints_the_deviances_of_the_paper_corrected(evenhand, table1):
    # tests/golden/02: 30.4554 on 8 and 220.9466 on 9; 107.5000 on 35 by judge
    text = evenhand("compare", "--nested", table1).out
    assert re.search(r"^ worths \+ ties +4 +30\.4554 +8 ", text, re.MULTILINE)
    assert re.search(r"^ worths, γ = 0 +3 +220\.9466 +9 ", text, re.MULTILINE)
    assert re.search(r"^ \+ worths by judge +13 +107\.5000 +35 ", text, re.MULTILINE)
    assert re.search(r"^ worths differ by judge +173\.41 +9 +< 0\.001", text, re.MULTILINE)
    assert "take judgments as independent" in " ".join(text.split())
