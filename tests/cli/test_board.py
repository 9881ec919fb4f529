from __future__ import annotations

from pathlib import Path


def test_control_characters_in_names_never_reach_the_terminal(evenhand, folder):
    rows = ['"a\nb",c\x1b[31m,left', 'c\x1b[31m,"a\nb",left'] * 3
    Path("odd.csv").write_text("\n".join(["left,right,outcome", *rows]), encoding="utf-8")
    for words in ("rank", "fit", "inspect", "rank --latex", "fit --latex"):
        verb, *options = words.split()
        out = evenhand(verb, "odd.csv", *options).out
        assert "\x1b" not in out
        assert "x1b[31m" in out or verb == "inspect"  # which names two systems only
    assert r"a\nb" in evenhand("rank", "odd.csv").out
