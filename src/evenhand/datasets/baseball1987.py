"""Agresti (2002): the American League's Eastern Division in 1987, home team on the left."""

from __future__ import annotations

from typing import Final

from evenhand.datasets.dataset import Dataset, Number, cells

_TEAMS: Final = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")

# Home team by row; (home wins, away wins) against each of the others in the order above.
_GAMES: Final = {
    "Milwaukee": ((4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)),
    "Detroit": ((3, 3), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)),
    "Toronto": ((2, 5), (4, 3), (2, 4), (4, 3), (4, 2), (6, 0)),
    "New York": ((3, 3), (5, 1), (2, 5), (4, 3), (4, 2), (6, 1)),
    "Boston": ((5, 1), (2, 5), (3, 3), (4, 2), (5, 2), (6, 0)),
    "Cleveland": ((2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (2, 4)),
    "Baltimore": ((2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4)),
}

_BTM: Final = "R 4.2.2, BradleyTerry2 1.1.2, BTm(cbind(home.wins, away.wins), home, away, ~ team)"
_HOME: Final = "R 4.2.2, BradleyTerry2 1.1.2, BTm(..., ~ team + at.home)"
_AGRESTI: Final = "Agresti (2002), Table 10.11"
_GLM: Final = "statsmodels 0.15.0, GLM(wins, X, Binomial())"
_PLAIN: Final = "bradley-terry"
_APART: Final = "bradley-terry, orders apart"
_ORDER: Final = "bradley-terry with order effect"

_NUMBERS: Final = (
    Number(_PLAIN, "log-worth", "Boston - Baltimore", 1.10769770537234, 1e-6, _BTM),
    Number(_PLAIN, "log-worth", "Cleveland - Baltimore", 0.683852769153276, 1e-6, _BTM),
    Number(_PLAIN, "log-worth", "Detroit - Baltimore", 1.43640843180581, 1e-6, _BTM),
    Number(_PLAIN, "log-worth", "Milwaukee - Baltimore", 1.58135587665478, 1e-6, _BTM),
    Number(_PLAIN, "log-worth", "New York - Baltimore", 1.24761784513494, 1e-6, _BTM),
    Number(_PLAIN, "log-worth", "Toronto - Baltimore", 1.29448512390533, 1e-6, _BTM),
    Number(_PLAIN, "log-worth se", "Milwaukee - Baltimore", 0.343255664026282, 1e-6, _BTM),
    Number(_PLAIN, "deviance", "", 15.7365009263, 1e-6, _GLM),
    Number(_PLAIN, "df", "", 15, 0, _GLM),
    Number(_APART, "deviance", "", 44.0534612286, 1e-6, _GLM),
    Number(_APART, "df", "", 36, 0, _GLM),
    Number(_ORDER, "order effect", "", 0.302260655527553, 1e-6, _HOME),
    Number(_ORDER, "order effect se", "", 0.130943642532349, 1e-6, _HOME),
    Number(_ORDER, "log-worth", "Milwaukee - Baltimore", 1.61955499357836, 1e-6, _HOME),
    Number(_ORDER, "log-worth se", "Milwaukee - Baltimore", 0.347365306113204, 1e-6, _HOME),
    Number(_ORDER, "worth", "Milwaukee", 0.220, 5e-4, _AGRESTI),
    Number(_ORDER, "worth", "Detroit", 0.190, 5e-4, _AGRESTI),
    Number(_ORDER, "worth", "Toronto", 0.164, 5e-4, _AGRESTI),
    Number(_ORDER, "worth", "New York", 0.157, 5e-4, _AGRESTI),
    Number(_ORDER, "worth", "Boston", 0.137, 5e-4, _AGRESTI),
    Number(_ORDER, "worth", "Cleveland", 0.088, 5e-4, _AGRESTI),
    Number(_ORDER, "worth", "Baltimore", 0.044, 5e-4, _AGRESTI),
    Number(_ORDER, "deviance", "", 38.6428521440, 1e-6, _GLM),
    Number(_ORDER, "df", "", 35, 0, _GLM),
)

TABLE: Final = Dataset(
    name="baseball1987",
    title="Seven baseball teams, 273 games of the 1987 season, home team on the left",
    source=(
        "Agresti, A. (2002). Categorical Data Analysis, 2nd edition. Wiley, New York. Section "
        "10.6, pp. 437-438."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(
        row
        for home, games in _GAMES.items()
        for away, (won, lost) in zip((t for t in _TEAMS if t != home), games, strict=True)
        for row in cells(home, away, (won, 0, lost))
    ),
    numbers=_NUMBERS,
    note=(
        "No game is tied. The order effect is the home advantage in log-odds; on the λ scale of "
        "the log-linear model δ is half of it. The fit without it has deviance 15.74 on 15 df over "
        "the 21 pairs of teams and 44.05 on 36 df if home and away games of a pair stay apart; "
        "only the second may be compared with the fit that has the order effect, 38.64 on 35 df."
    ),
)
