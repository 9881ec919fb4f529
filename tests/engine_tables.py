"""Tables for every engine, in which more than left and right is distinguished."""

from engines_matrix import ratings, votes


def without(columns, *names):
    return {name: own for name, own in columns.items() if name not in names}


PLAIN = without(votes(), "weight")
WINNERS = {
    **without(PLAIN, "winner"),
    "winner": [
        {"model_a": a, "model_b": b}.get(won, "tie")
        for a, b, won in zip(PLAIN["model_a"], PLAIN["model_b"], PLAIN["winner"], strict=True)
    ],
}
MERGED = {
    **PLAIN,
    "model_a": ["x+y" if at % 7 == 0 else one for at, one in enumerate(PLAIN["model_a"])],
}
CONTROLS = {**PLAIN, "kind": ["control" if at % 9 == 0 else "target" for at in range(300)]}
SCORED = {
    **{name: own * 2 for name, own in ratings().items()},  # answered again, later
    "shown_at": [at // 120 * 1000 + at % 7 for at in range(240)],
    "kind": [
        "repeat" if at % 11 == 5 else "control" if at % 13 == 5 else None for at in range(240)
    ],
}
SCORED["score"] = [one if one is None else one * 10 + 5 for one in SCORED["score"]]
SCORED["score"][120:] = SCORED["score"][125:] + [15] * 5
TASKS = {**ratings(), "task": [("de-en", "fr-en")[at // 7 % 2] for at in range(120)]}
WORDS = ("Seg", "seg", "seg-", "seg_")
"""Names of items that stand in another order where a database sorts as a language does."""
NAMED = {
    **SCORED,
    "item": [f"{WORDS[one % 4]}{one // 4}" for one in SCORED["item"]],
    "score": [None if one is None else (one / 10) ** 0.5 for one in SCORED["score"]],
}
VOTED = {
    **without(PLAIN, "task"),
    "shown_at": [at * 7919 % 300 for at in range(300)],
    "kind": [
        "repeat" if at % 11 == 5 else "control" if at % 13 == 5 else None for at in range(300)
    ],
}
