"""What comparisons of models say: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

# On held-out judgments: by cross-validation
HELD_OUT: Final = {
    "best": "{model} predicts held-out judgments best: perplexity {value:.3f} ({lower:.3f} to"
    " {upper:.3f}).",
    "lowest-perplexity": "{model} has the lowest perplexity on held-out judgments: {value:.3f}"
    " ({lower:.3f} to {upper:.3f}).",
    "alone": "{model} has perplexity {value:.3f} ({lower:.3f} to {upper:.3f}) on held-out"
    " judgments; no other model was compared.",
    "nothing": "No model predicted every judgment.",
    "clear-best": "Every other model is significantly worse at {level:%}.",
    "undecided": "Undecided at {level:%}: {models}.",
    "worse": "{model} is not among the best: worse than {other} by {value:.4f} bits"
    " ({lower:.4f} to {upper:.4f}).",
    "worse-too": "Also worse: {models}.",
    "model-refused": "{model} is not compared: {why}.",
    "training": "Each model was trained {times} times, on {many} of {of:,} comparisons.",
    "empty-blocks": "{empty} of {blocks} blocks hold no comparison and are no fold.",
    "shared-training": "Trainings share judgments: intervals are for other held-out judgments, not"
    " for other training judgments.",
    "one-division": "Judgments were divided into folds once; another division may change which"
    " models are among the best (--repeats, in Python repeats=).",
    "blocks-judgment": "Judges and items are on both sides, which makes every model look better.",
    "no-such-column": "No {name} column: nothing is said of other {name}s.",
    "few-judges": "{judges:.1f} effective judges: intervals are wide; {enough} or more would narrow"
    " them.",
}
# Learning curves
CURVES: Final = {
    "lowest": "With {size:,} training comparisons {model} predicts best: perplexity {value:.3f}"
    " ({lower:.3f} to {upper:.3f}).",
    "no-model": "No model has a perplexity with {size:,} training comparisons: some trainings were"
    " refused.",
    "fewer": "Fewer train {tasks}.",
    "near": "Undecided, each compared alone: {models}.",
    "worse-curve": "{model} is worse by {value:.3f} ({lower:.3f} to {upper:.3f}).",
    "worse-curves": "{model} is worse by {value:.3f} ({lower:.3f} to {upper:.3f});"
    " {more:#more is/more are} worse still.",
    "one-size": "{model}: one training size, {size:,}, shows no gain.",
    "still-falling": "{model}: no smaller size comes within {margin:g} of the perplexity with"
    " {size:,} comparisons. The curve is still falling.",
    "enough": "{model}: {size:,} comparisons come within {margin:g} of the perplexity with"
    " {largest:,}.",
    "enough-surely": "{model}: {size:,} comparisons come within {margin:g} of the perplexity with"
    " {largest:,}; surely from {sure:,} on.",
    "gain-unknown": "Nothing is said of more comparisons.",
    "no-half": "No size is half of {size:,}: what a doubling gains was not measured, and nothing is"
    " said of more comparisons.",
    "gained": "The last doubling, to {size:,}, gained {gain:z.3f} ({lower:z.3f} to {upper:z.3f}).",
    "no-gain": "That is no gain: what more comparisons would bring is not known.",
    "perhaps-no-gain": "That may be no gain: what more comparisons would bring is not known.",
    "left": "All further comparisons could gain about {fast:.3f} to {slow:.3f} ({lower:.3f} to"
    " {upper:.3f} over the interval of that gain), if gains keep falling as errors do; the curve"
    " itself ends at {size:,}.",
    "some-tasks": "That rests on {filled:,} of {tasks:,} tasks: fewer than {size:,} comparisons"
    " train {smaller}.",
    "task-excluded": "Task {task} is excluded: {why}.",
    "small-sets": "Training sets smaller than {size:,} are used whole: {sets}.",
    "on-held-out-items": "{shared:,} training comparisons are on held-out items, by other judges:"
    " models of outputs may have seen these (--overlap drop, in Python overlap='drop', excludes"
    " them).",
    "one-subset": "One random subset of each size: intervals do not account for how much subsets"
    " differ (--trials, in Python trials=, draws several).",
    "trainings-refused": "{model}: {trainings:#training} refused, up to {size:,} comparisons; it"
    " has no perplexity at these sizes: {why}.",
}
# Nested models, each against an earlier one
NESTED: Final = {
    "independent": "Deviance, AIC, BIC and LR take judgments as independent.",
    "independent-except": "Deviance, AIC, BIC and LR take judgments as independent; where there is"
    " a clustered test, it decides.",
    "finer-tables": "Deviances {models} are of finer tables of counts and cannot be compared with"
    " the others: compare by LR or AIC.",
    "marginal": "Random judges are fitted to a marginal likelihood, which has no deviance.",
    "no-fit": "{model}: no fit: {why}.",
    "aic": "Smallest AIC: {models}.",
    "aic-equal": "Smallest AIC: {models} (equal to two decimals).",
    "aic-bic": "Smallest AIC: {models}; smallest BIC: {bic}.",
    "aic-equal-bic": "Smallest AIC: {models} (equal to two decimals); smallest BIC: {bic}.",
}
# Effects of judge groups
_FARTHEST: Final = (
    ", the largest p {p:p}; farthest from the mean of all is {farthest} ({distance:+.3f});"
    " --reference-level {covariate}=... compares with another."
)
_ODD: Final = "{who}, the reference, differs on {of}: {alike} of {others} others like it "
_AGAINST: Final = (
    "{who}, the reference, differs on {of}, against {against}: {alike} of {others} others like it "
)
_TIES: Final = "{who}, the reference, differs on ties: {alike} of {others} others tie "
GROUPS: Final = {
    "effect": "{of} differ by {covariate} (p {p:p}).",
    "no-effect": "Not significant at .05 that {of} differ by {covariate} (p {p:p}).",
    "no-tests": "No test: a covariate has one value only, or covariates say the same.",
    "no-ratio": "no likelihood ratio: a prior or importance weights leave none to test by",
    "no-clustered-test": "no test accounts for correlated judgments",
    "larger-p": "believe the larger p",
    "others-alike": "No other difference is significant at .05: the largest |z| is {z:.1f}"
    " ({label}).",
    "all-alike": "No difference is significant at .05: the largest |z| is {z:.1f} ({label}).",
    "odd-more": f"{_ODD}more{_FARTHEST}",
    "odd-less": f"{_ODD}less{_FARTHEST}",
    "odd-against-more": f"{_AGAINST}more{_FARTHEST}",
    "odd-against-less": f"{_AGAINST}less{_FARTHEST}",
    "odd-ties-more": f"{_TIES}more often{_FARTHEST}",
    "odd-ties-less": f"{_TIES}less often{_FARTHEST}",
    "by-holm": "p by Holm for {differences:#difference} from the reference group; judgments taken"
    " as independent.",
}
# What is new in held-out judgments
BLOCKS: Final = {
    "judge": "no judge is on both sides",
    "item": "no item is on both sides",
    "both": "neither a judge nor an item is on both sides",
    "ranking": "no ranking is on both sides",
    "judgment": "judges and items may be on both sides",
}
say: Final = Templates(HELD_OUT | CURVES | NESTED | GROUPS)
