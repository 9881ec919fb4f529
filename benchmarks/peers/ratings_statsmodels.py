"""statsmodels: judges and items as dummy variables, or as crossed random effects."""

import pandas as pd
from statsmodels.formula.api import mixedlm, ols

from benchmarks.peers import Values, centred


def dummies(path: str) -> Values:
    """Ordinary least squares with a constant for every judge and item."""
    fit = ols("score ~ 0 + C(system) + C(judge) + C(item)", pd.read_parquet(path)).fit()
    return systems(fit.params, fit.bse)


def crossed(path: str) -> Values:
    """Systems fixed; judges, items and both by systems random, in one group of all rows."""
    rows = pd.read_parquet(path)
    rows["all"] = 1
    parts = {
        "judge": "0 + C(judge)",
        "item": "0 + C(item)",
        "judge x system": "0 + C(judge):C(system)",
        "item x system": "0 + C(item):C(system)",
    }
    model = mixedlm("score ~ 0 + C(system)", rows, groups="all", re_formula="0", vc_formula=parts)
    fit = model.fit(method=["lbfgs"])  # its default, BFGS, does not converge on these
    if not fit.converged:
        raise ValueError("not converged")
    return systems(fit.fe_params, fit.bse)


def systems(params: pd.Series, errors: pd.Series) -> Values:
    """The effects of systems, which have to have errors."""
    own = params[[name for name in params.index if name.startswith("C(system)")]]
    if errors[own.index].isna().any():
        raise ValueError("no standard errors")
    return centred([name[len("C(system)[") : -1] for name in own.index], own.tolist())
