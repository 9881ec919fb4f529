"""Four judges of three systems, small enough to be worked out by hand.

    judge   a  b  c   mean   mean distance from the others
    w x y   1  2  3   2      8/9
    z       5  5  4   14/3   8/3

The centre of the means is 8/3, their sd 4/3: z alone is outside 4/3 to 4. The distances have centre
4/3 and sd 8/9: z alone is above 20/9. By all, a b c score 2, 2.75, 3.25; without z 1, 2, 3.
"""

SCORES = {"w": (1, 2, 3), "x": (1, 2, 3), "y": (1, 2, 3), "z": (5, 5, 4)}
LINES = [
    (judge, "1", system, float(score))
    for judge, scores in SCORES.items()
    for system, score in zip("abc", scores, strict=True)
]
