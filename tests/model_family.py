"""Every model that the laws must hold for, and one campaign that all of them can be fitted to."""

from dataclasses import replace
from functools import cache

import numpy as np

from evenhand.data.tally import Factor, Tally
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import TIES
from tallies import simulate

FEATURES = {"size": {"s0000": 1.0, "s0001": 0.5, "s0002": -0.25, "s0003": 3.0}}
VARIANTS = {
    "plain": {},
    "with an order effect": {"order_effect": True},
    "by judge": {"judge_covariates": ("judge",), "references": {"judge": "student"}},
    "of system covariates": {"system_covariates": FEATURES},
    "under a prior": {"prior": 2.0},
    "of system covariates under a prior": {"system_covariates": FEATURES, "prior": 1.0},
    "with everything": {"order_effect": True, "judge_covariates": ("judge",), "prior": 0.5},
}
FAMILY = {
    f"{ties} {variant}": BradleyTerry(ties=ties, **settings)
    for ties in TIES
    for variant, settings in VARIANTS.items()
}
TIES_BY_JUDGE = {"tie_covariates": ("judge",)}
FAMILY |= {
    "ties by judge": BradleyTerry(**TIES_BY_JUDGE),
    "ties and worths by judge": BradleyTerry(**TIES_BY_JUDGE, judge_covariates=("judge",)),
    "ties by judge with an order effect": BradleyTerry(**TIES_BY_JUDGE, order_effect=True),
    "ties by judge under a prior": BradleyTerry(**TIES_BY_JUDGE, prior=1.0),
}
UNPENALISED = {name: model for name, model in FAMILY.items() if not model.prior}


@cache
def campaign() -> Tally:
    """Four systems, two groups of judges who differ, both orders, ties."""
    groups = {
        "expert": simulate((0.5, 0.2, -0.3, 0.0), 700, seed=5, order=0.2),
        "student": simulate((0.2, 0.4, -0.1, 0.0), 500, seed=6, gamma=0.3, order=0.1),
    }
    parts = list(groups.values())
    codes = np.repeat([0, 1], [len(part.left) for part in parts]).astype(np.int32)
    loads = np.array([part.n_comparisons for part in parts])
    columns = ("left", "right", "wins", "ties", "losses")
    joined = {name: np.concatenate([getattr(p, name) for p in parts]) for name in columns}
    return replace(
        parts[0],
        **joined,
        factors={"judge": Factor(tuple(groups), codes, loads, 2)},
        n_judgments=float(loads.sum()),
    )
