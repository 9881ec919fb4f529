"""Davidson (1970), Example 2: six brands of chocolate pudding, unequal numbers of comparisons."""

from __future__ import annotations

from typing import Final

from evenhand.datasets.dataset import Dataset, Number, cells

# Agresti (2002): the American League's Eastern Division in 1987, home team on the left.

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

_BASEBALL_BTM: Final = (
    "R 4.2.2, BradleyTerry2 1.1.2, BTm(cbind(home.wins, away.wins), home, away, ~ team)"
)
_HOME: Final = "R 4.2.2, BradleyTerry2 1.1.2, BTm(..., ~ team + at.home)"
_AGRESTI: Final = "Agresti (2002), Table 10.11"
_BASEBALL_GLM: Final = "statsmodels 0.15.0, GLM(wins, X, Binomial())"
_PLAIN: Final = "bradley-terry"
_APART: Final = "bradley-terry, orders apart"
_ORDER: Final = "bradley-terry with order effect"

_BASEBALL_NUMBERS: Final = (
    Number(_PLAIN, "log-worth", "Boston - Baltimore", 1.10769770537234, 1e-6, _BASEBALL_BTM),
    Number(_PLAIN, "log-worth", "Cleveland - Baltimore", 0.683852769153276, 1e-6, _BASEBALL_BTM),
    Number(_PLAIN, "log-worth", "Detroit - Baltimore", 1.43640843180581, 1e-6, _BASEBALL_BTM),
    Number(_PLAIN, "log-worth", "Milwaukee - Baltimore", 1.58135587665478, 1e-6, _BASEBALL_BTM),
    Number(_PLAIN, "log-worth", "New York - Baltimore", 1.24761784513494, 1e-6, _BASEBALL_BTM),
    Number(_PLAIN, "log-worth", "Toronto - Baltimore", 1.29448512390533, 1e-6, _BASEBALL_BTM),
    Number(_PLAIN, "log-worth se", "Milwaukee - Baltimore", 0.343255664026282, 1e-6, _BASEBALL_BTM),
    Number(_PLAIN, "deviance", "", 15.7365009263, 1e-6, _BASEBALL_GLM),
    Number(_PLAIN, "df", "", 15, 0, _BASEBALL_GLM),
    Number(_APART, "deviance", "", 44.0534612286, 1e-6, _BASEBALL_GLM),
    Number(_APART, "df", "", 36, 0, _BASEBALL_GLM),
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
    Number(_ORDER, "deviance", "", 38.6428521440, 1e-6, _BASEBALL_GLM),
    Number(_ORDER, "df", "", 35, 0, _BASEBALL_GLM),
)

BASEBALL1987: Final = Dataset(
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
    numbers=_BASEBALL_NUMBERS,
    note=(
        "No game is tied. The order effect is the home advantage in log-odds; on the λ scale of "
        "the log-linear model δ is half of it. The fit without it has deviance 15.74 on 15 df over "
        "the 21 pairs of teams and 44.05 on 36 df if home and away games of a pair stay apart; "
        "only the second may be compared with the fit that has the order effect, 38.64 on 35 df."
    ),
)


# Stigler (1994): citations among four journals of statistics; the cited journal is preferred.

# Journals i and j, then how often i was cited by j and how often j was cited by i.
_CITATIONS_COUNTS: Final = (
    ("Biometrika", "Comm Statist", 730, 33),
    ("Biometrika", "JASA", 498, 320),
    ("Biometrika", "JRSS-B", 221, 284),
    ("Comm Statist", "JASA", 68, 813),
    ("Comm Statist", "JRSS-B", 17, 276),
    ("JASA", "JRSS-B", 142, 325),
)

_CITATIONS_BTM: Final = "R 4.2.2, BradleyTerry2 1.1.2, BTm(cbind(win1, win2), journal1, journal2)"
_PRINT: Final = "R, BradleyTerry2, vignette 'Bradley-Terry Models in R', section 2.1"

CITATIONS: Final = Dataset(
    name="citations",
    title="Citations among four journals of statistics, the cited one preferred",
    source=(
        "Stigler, S. M. (1994). Citation patterns in the journals of statistics and probability. "
        "Statistical Science 9, 94-108; the four journals of Agresti, A. (2002), Categorical Data "
        "Analysis, 2nd edition, Wiley, p. 448."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(
        row
        for left, right, cited, citing in _CITATIONS_COUNTS
        for row in cells(left, right, (cited, 0, citing))
    ),
    numbers=(
        Number(
            _PLAIN,
            "log-worth",
            "Comm Statist - Biometrika",
            -2.94907249684391,
            1e-6,
            _CITATIONS_BTM,
        ),
        Number(_PLAIN, "log-worth", "JASA - Biometrika", -0.479569769751992, 1e-6, _CITATIONS_BTM),
        Number(_PLAIN, "log-worth", "JRSS-B - Biometrika", 0.268954055819472, 1e-6, _CITATIONS_BTM),
        Number(
            _PLAIN,
            "log-worth se",
            "Comm Statist - Biometrika",
            0.102545335369857,
            1e-6,
            _CITATIONS_BTM,
        ),
        Number(
            _PLAIN, "log-worth se", "JASA - Biometrika", 0.0605887292396263, 1e-6, _CITATIONS_BTM
        ),
        Number(
            _PLAIN, "log-worth se", "JRSS-B - Biometrika", 0.0708299651057058, 1e-6, _CITATIONS_BTM
        ),
        Number(_PLAIN, "deviance", "", 4.293, 5e-4, _PRINT),
        Number(_PLAIN, "df", "", 3, 0, _PRINT),
    ),
    note=(
        "A journal that cites itself compares nothing; those counts are left out. Citations of "
        "one paper are not independent, so the standard errors are too small. Left and right are "
        "alphabetical order, not an order of presentation."
    ),
)


# Collins, Koehn and Kučerová (2005), Table 2, pooled as Dras (2015) analyses it.

_COLLINS_TEXT: Final = "Dras (2015), section 5, Collins et al. data"

COLLINS2005: Final = Dataset(
    name="collins2005",
    title="Translation with clause reordering against its baseline, two annotators pooled",
    source=(
        "Collins, M., Koehn, P. and Kučerová, I. (2005). Clause restructuring for statistical "
        "machine translation. Proceedings of ACL, 531-540. Table 2, pooled over annotators as in "
        "Dras, M. (2015), Computational Linguistics 41(2), 337-345, Figure 1(c)."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(cells("reordered", "baseline", (83, 77, 39))),
    numbers=(
        Number("davidson", "gamma", "", 0.303, 5e-4, _COLLINS_TEXT),
        Number("davidson", "gamma p", "", 0.0432, 5e-5, _COLLINS_TEXT),
        Number("davidson", "lambda p", "reordered - baseline", 0.0001, 5e-5, _COLLINS_TEXT),
    ),
    note=(
        "Table 2 crosses the answers of two annotators on 100 sentences (rows R 33 2 5, B 2 13 5, "
        "E 9 4 27). Its margins add to 84 reordered, 77 equal, 39 baseline. The figures that Dras "
        "prints come from 83, 77, 39, one preference fewer, and those counts are kept here; 84 "
        "would give γ .297 with p .0474. Pooling treats the two annotators' answers as "
        "independent, which they are not: both judged the same sentences."
    ),
)


# Dras (2015), Figure 1(c): a single pair of systems with ties, artificial data.

_OUTPUT: Final = "Dras (2015), section 5, R output for ModPref"
_PAIR_TEXT: Final = "Dras (2015), section 5: exp(2 x 0.2778)"

MODPREF: Final = Dataset(
    name="dras2015_modpref",
    title="A moderate preference for + over -, with some ties (artificial data)",
    source=(
        "Dras, M. (2015). Evaluating human pairwise preference judgments. Computational "
        "Linguistics 41(2), 337-345. Figure 1(c), ModPref."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(cells("+", "-", (61, 24, 35))),
    numbers=(
        Number("davidson", "lambda", "+ - -", 0.2778, 5e-5, _OUTPUT),
        Number("davidson", "lambda se", "+ - -", 0.1060, 5e-5, _OUTPUT),
        Number("davidson", "lambda z", "+ - -", 2.620, 5e-4, _OUTPUT),
        Number("davidson", "lambda p", "+ - -", 0.0088, 5e-5, _OUTPUT),
        Number("davidson", "gamma", "", -0.6551, 5e-5, _OUTPUT),
        Number("davidson", "gamma se", "", 0.2300, 5e-5, _OUTPUT),
        Number("davidson", "gamma z", "", -2.848, 5e-4, _OUTPUT),
        Number("davidson", "gamma p", "", 0.0044, 5e-5, _OUTPUT),
        Number("davidson", "odds", "+ - -", 1.74, 5e-3, _PAIR_TEXT),
        Number("davidson", "deviance", "", 0, 1e-8, _OUTPUT),
        Number("davidson", "df", "", 0, 0, _OUTPUT),
    ),
    note=(
        "The counts are the only whole numbers below 400 that give the estimates and standard "
        "errors of the paper's R output. The model is saturated: three cells, three parameters. "
        "+ is the paper's new system, - its baseline."
    ),
)


# Dras (2015), Table 1: four systems, four judges, three outcomes for each pair.

_PAIRS: Final = (("A", "B"), ("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D"))

# One line per judge, one triple per pair in the printed order: left preferred, tie, right.
_TABLE1_COUNTS: Final = {
    "J1": ((38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)),
    "J2": ((37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)),
    "J3": ((33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)),
    "J4": ((37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)),
}

_TABLE1_TEXT: Final = "Dras (2015), Table 1, summed over judges; section 2 gives the order A-D-B-C"
_EQ1: Final = "R 4.2.2, glm(y ~ 0 + pair + o1 + o2 + o3 + g1, family = poisson), Dras eq. (1)"
_NO_G1: Final = "R 4.2.2, the glm of eq. (1) without g1, tie cells kept"
_EQ2: Final = "R 4.2.2, gnm 1.1.2 and prefmod 0.8-36, llbtPC.fit(formel = ~SUBJ), Dras eq. (2)"

_TABLE1_NUMBERS: Final = (
    Number("counts", "first preferences", "A", 402, 0, _TABLE1_TEXT),
    Number("counts", "first preferences", "D", 334, 0, _TABLE1_TEXT),
    Number("counts", "first preferences", "B", 127, 0, _TABLE1_TEXT),
    Number("counts", "first preferences", "C", 54, 0, _TABLE1_TEXT),
    Number("davidson", "lambda", "A - D", 0.400671143644859, 1e-6, _EQ1),
    Number("davidson", "lambda", "B - D", -1.09806814223783, 1e-6, _EQ1),
    Number("davidson", "lambda", "C - D", -1.54952425741054, 1e-6, _EQ1),
    Number("davidson", "lambda se", "A - D", 0.0792878552022269, 1e-6, _EQ1),
    Number("davidson", "lambda se", "B - D", 0.095261106916222, 1e-6, _EQ1),
    Number("davidson", "lambda se", "C - D", 0.107426468200565, 1e-6, _EQ1),
    Number("davidson", "gamma", "", -1.83170436481691, 1e-6, _EQ1),
    Number("davidson", "gamma se", "", 0.162291677991797, 1e-6, _EQ1),
    Number("davidson", "worth", "A", 0.65838289143318, 1e-6, _EQ1),
    Number("davidson", "deviance", "", 30.4554360241702, 1e-5, _EQ1),
    Number("davidson", "df", "", 8, 0, _EQ1),
    Number("gamma zero", "deviance", "", 220.946556878442, 1e-5, _NO_G1),
    Number("gamma zero", "df", "", 9, 0, _NO_G1),
    Number("davidson by judge", "deviance", "", 107.500010763465, 1e-5, _EQ2),
    Number("davidson by judge", "df", "", 35, 0, _EQ2),
    Number("davidson by judge", "lambda", "A:J3", -1.8675677994437, 1e-6, _EQ2),
)

DRAS2015_TABLE1: Final = Dataset(
    name="dras2015_table1",
    title="Four translation systems, compared in pairs by four judges (artificial data)",
    source=(
        "Dras, M. (2015). Evaluating human pairwise preference judgments. Computational "
        "Linguistics 41(2), 337-345. Table 1."
    ),
    columns=("judge", "left", "right", "outcome", "weight"),
    rows=tuple(
        row
        for judge, triples in _TABLE1_COUNTS.items()
        for (left, right), counts in zip(_PAIRS, triples, strict=True)
        for row in cells(left, right, counts, judge)
    ),
    numbers=_TABLE1_NUMBERS,
    note=(
        "The paper prints deviance 30.646 on 8 df and, without ties, 221.22 on 9 df. Those are "
        "the values of the table with its AD and BC columns exchanged: the table's order is AB AC "
        "AD BC BD CD, the software the paper used expects (12)(13)(23)(14)(24)(34). The printed "
        "table itself gives 30.4554 and 220.9466. Left and right are the order of the table's "
        "headings, not of presentation."
    ),
)


# Brands i and j, then: i preferred, no preference, j preferred.
_PUDDING_COUNTS: Final = (
    (1, 2, (19, 16, 22)),
    (1, 3, (16, 12, 19)),
    (2, 3, (19, 10, 19)),
    (1, 4, (18, 13, 23)),
    (2, 4, (23, 9, 19)),
    (3, 4, (19, 15, 20)),
    (1, 5, (13, 18, 19)),
    (2, 5, (16, 12, 20)),
    (3, 5, (16, 17, 15)),
    (4, 5, (17, 16, 14)),
    (1, 6, (18, 12, 21)),
    (2, 6, (22, 12, 20)),
    (3, 6, (13, 10, 18)),
    (4, 6, (14, 18, 19)),
    (5, 6, (11, 12, 21)),
)

_R: Final = (
    "R, PlackettLuce, vignette 'Introduction to PlackettLuce', section 2.1.1: "
    "PlackettLuce(R, weights = w, npseudo = 0, maxit = 7), stopped there to agree with Davidson"
)
_SUMMARY: Final = "R, PlackettLuce, the same vignette, section 2.2: summary(mod)"
_PUDDING_GLM: Final = "statsmodels 0.15.0, GLM(y, X, Poisson()), one nuisance parameter per pair"

_PUDDING_NUMBERS: Final = (
    Number("davidson", "worth", "brand 1", 0.1388005, 1e-5, _R),
    Number("davidson", "worth", "brand 2", 0.1729985, 1e-5, _R),
    Number("davidson", "worth", "brand 3", 0.1617420, 1e-5, _R),
    Number("davidson", "worth", "brand 4", 0.1653930, 3e-5, _R),
    Number("davidson", "worth", "brand 5", 0.1586805, 1e-5, _R),
    Number("davidson", "worth", "brand 6", 0.2023855, 1e-5, _R),
    Number("davidson", "nu", "", 0.7468147, 1e-5, _R),
    Number("davidson", "log-worth", "brand 6 - brand 1", 0.3771, 1e-4, _SUMMARY),
    Number("davidson", "log-worth se", "brand 6 - brand 1", 0.1924, 1e-4, _SUMMARY),
    Number("davidson", "gamma", "", -0.2919, 1e-4, _SUMMARY),
    Number("davidson", "gamma se", "", 0.0825, 1e-4, _SUMMARY),
    Number("davidson", "deviance", "", 15.7704057795, 1e-6, _PUDDING_GLM),
    Number("davidson", "df", "", 24, 0, _PUDDING_GLM),
)

PUDDING: Final = Dataset(
    name="pudding",
    title="Six brands of chocolate pudding, compared in pairs with ties",
    source=(
        "Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in "
        "paired comparison experiments. Journal of the American Statistical Association 65, "
        "317-328. Example 2."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(
        row for i, j, counts in _PUDDING_COUNTS for row in cells(f"brand {i}", f"brand {j}", counts)
    ),
    numbers=_PUDDING_NUMBERS,
    note=(
        "The worths come from an iteration stopped after seven steps to agree with Davidson's; the "
        "exact maximum lies within 3e-5 of them. The brands hardly differ: the largest z of a "
        "log-worth against the mean is 1.58. Left and right are the order of the table, not of "
        "presentation."
    ),
)
