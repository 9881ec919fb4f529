"""The signature of a diagnosis."""

from evenhand import diagnose_judges
from rating_tables import lines_of, ratings

FOUR = ("judge", "item", "system", "score")
SMALL = lines_of("x 1 a 1; y 1 a 3; x 1 b 2; y 1 b 2; z 1 b 5; z 2 a 4")


def test_every_setting_that_changes_a_number_changes_the_signature():
    data = ratings([*SMALL, ("x", "1", "a", 5.0)])
    settings = [
        {},
        {"easy": ["1"]},
        {"easy": ["2"]},
        {"references": ["a"]},
        {"references": ["b"]},
        {"merge": "1+2"},
        {"merge": "2+3"},
        {"k": 1.0000001},
    ]
    signed = [diagnose_judges(data, **one).signature for one in settings]
    turned = ratings([("x", "1", "a", 5.0), *SMALL])
    assert len({*signed, diagnose_judges(turned).signature}) == len(settings) + 1


def test_what_controls_should_get_changes_the_signature():
    def sign(kind, expected):
        lines = [(*one, "target", None) for one in SMALL] + [("x", "9", "a", 5.0, kind, expected)]
        data = ratings(lines, (*FOUR, "kind", "expected"))
        return diagnose_judges(data, scale="1-5").signature

    assert len({sign("good", None), sign("bad", None), sign("control", 3), sign("control", 4)}) == 4
