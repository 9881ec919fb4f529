"""What is said of completed ratings and of processes over judges: its texts."""

from __future__ import annotations

from typing import Final

from evenhand.render.document import Templates

say: Final = Templates(
    {
        # The matrix of judges and outputs
        "controls-excluded": "Controls and repeats are excluded: {left:,} of {of:#rating}.",
        "cells-again": "{cells:#cell was/cells were} rated more than once by the same judge: its"
        " mean counts as often.",
        "judges-idle": "{judges:#judge has/judges have} no rating: as severe as the mean of the"
        " others, intervals without bounds.",
        "method-better": "{method} predicts held-out ratings better ({less} less): prefer it here.",
        # Completion
        "matrix": "{ratings:#rating}, {judges:#judge}, {outputs:#output}: {seen:%} of the cells"
        " seen, {missing:,} missing. Model: judge + output.",
        "matrix-shared": "{ratings:#rating}, {judges:#judge}, {outputs:#output}: {seen:%} of"
        " the cells seen, {missing:,} missing. Model: judge + output + shared tastes of rank {rank}"
        " (nuclear norm, τ {tau:.3g}).",
        "errors": "points that a prediction is off, on {cells:#held-out cell} that nothing was"
        " learned or chosen on; {level:.12g} % intervals of what each is off more",
        "nothing-missing": "Every judge rated every output: nothing is missing.",
        "alone": "Predictions are made from judge and output alone.",
        "shared": "Judges share tastes: a part of rank {rank} is used with judge + output.",
        "too-few-held-out": "{cells:#cell was/cells were} held out to choose by, fewer than"
        " {least}.",
        "no-remainder": "Judge + output explain the ratings without a remainder: there is no taste"
        " to learn.",
        "tastes-better": "On {cells:,} further held-out cells, which serve this choice alone,"
        " shared tastes are off by {mae:.3g} points, judge + output by {intercepts:.3g}: more than"
        " {errors} standard errors better.",
        "tastes-not-better": "On {cells:,} further held-out cells, which serve this choice alone,"
        " shared tastes are off by {mae:.3g} points, judge + output by {intercepts:.3g}: not more"
        " than {errors} standard errors better.",
        "tastes-forced": "On {cells:,} further held-out cells, which serve this choice alone,"
        " shared tastes are off by {mae:.3g} points, judge + output by {intercepts:.3g}: not more"
        " than {errors} standard errors better; used all the same, as asked.",
        "widths": "{level:.12g} % intervals are ± {widths} points.",
        "widths-of-some": "{level:.12g} % intervals are ± {widths} points for {some:,} of"
        " {of:#judge}; for the others they have no bounds.",
        "groups-apart": "Judges form {groups:,} groups without an output in common, not even"
        " through others: that one group scores lower rests on its outputs being no better than"
        " the others', as if they were randomised.",
        "beyond-scale": "{predictions:#prediction is/predictions are} beyond the scores that were"
        " given, {low:g} to {high:g}: left so, not clipped.",
        "not-learned": "{left:,} of {of:#held-out rating} of an output or a judge of which nothing"
        " else was seen: errors, and intervals of other missing ratings, are computed without"
        " them.",
        "none-learned": "{left:,} of {of:#held-out rating} of an output or a judge of which nothing"
        " else was seen: errors, and intervals of other missing ratings, are computed without them,"
        " so that there are none. Let some outputs have further ratings.",
        "uneven-judges": "Uneven loads: the judge gave {given:.3g} other ratings where a rating is"
        " given, and {missing:.3g} where it is missing: intervals and errors are of given ratings,"
        " and missing ones may be predicted less well; --judge-group judge finds intervals for each"
        " judge alone.",
        "uneven-outputs": "Uneven loads: the output has {given:.3g} other ratings where a rating is"
        " given, and {missing:.3g} where it is missing: intervals and errors are of given ratings,"
        " and missing ones may be predicted less well.",
        "judges-without-bounds": "{judges:#judge has/judges have} intervals without bounds: their"
        " group has too few held-out ratings, and {level:.12g} % needs {least} or more.",
        "ratings-without-bounds": "{ratings:#missing rating has/missing ratings have} an interval"
        " without bounds: too few ratings were held out of outputs that something was learned of.",
        "rare-without-bounds": "{ratings:#missing rating has/missing ratings have} an interval"
        " without bounds: as high or as low, it is so rarely given that its weight outdoes held-out"
        " ratings.",
        "strange-without-bounds": "{ratings:#missing rating has/missing ratings have} an interval"
        " without bounds: nothing was learned of its judge or output, and too few held-out ratings"
        " are so too.",
        # Decisions from fewer ratings
        "one-rating": "One rating per output orders {share} of {pairs:#pair} of systems as all"
        " {judges} do ({ends}).",
        "one-rating-two-systems": "One rating per output orders the two systems as all {judges} do"
        " in {share} of the draws ({ends}).",
        "decisions-common": "One rating per output and some outputs rated by all: decisions from"
        " completion are better {than}.",
        "decisions-spread": "Several judges per output: decisions from completion are better"
        " {than}.",
        "part-complete": "Decisions are of the part in which nothing is missing: {judges:,} of"
        " {of_judges:#judge} and {outputs:,} of {of_outputs:#output} are excluded.",
        "systems-even": "{even:,} of {of:#pair} of systems not distinguished by all ratings either:"
        " {named}. Their order is chance, whether ratings are missing or not.",
        "two-systems-even": "The two systems are not distinguished by all ratings either: {named}."
        " Their order is chance, whether ratings are missing or not.",
        "ends-at-estimates": "Some intervals end at their estimates: few pairs and draws give few"
        " shares, and too few resamples of the items gave another one on that side.",
        # Processes over judges
        "process": "{ratings:#rating}, {judges:#judge}. Model: a Gaussian process over judges;"
        " features: {features}.",
        "pairs-of-judges": "Of the {pairs:#pair} of judges, taken one at a time: {counts}.",
        "pair-of-judges": "The only pair of judges: {counts}.",
        "predicted": "Predictions of held-out ratings are {compared}.",
        "leniency": "points of the scale. offset: what a judge gives more than the mean of"
        " these judges, for the same outputs; own taste: what no other judge shares; noise: of one"
        " rating; both: own taste and noise together",
        "correlations": "correlation of what judges like, whatever their mean score; –: cannot be"
        " determined",
        "nearest": "correlation of what judges like: mean with the others, most and least alike; –:"
        " cannot be determined; all pairs with --json and --csv",
        "process-errors": "points of the scale that a prediction is off, on held-out ratings;"
        " {level:g} % intervals of what each is off more",
        "features": "near 1 the feature changes little; numbers differ by one standard deviation",
        "never-predicted": "{lost:#rating was/ratings were} never predicted: nothing was seen of"
        " their judges.",
        "features-constant": "Excluded, since they are the same everywhere: {features}.",
        "features-heavy": "One value is so far from all others that these look alike: see whether"
        " it is right, or take logarithms: {features}.",
        "pairs-apart": "{apart:,} of {of:#pair} of judges rated nothing near each other: how alike"
        " they are follows from others and the prior alone.",
        "not-separable": "What is a judge's own and what is noise cannot be distinguished without"
        " outputs that the judge rated twice or that are near each other; only their sum is"
        " estimated: {judges}.",
        "approximate": "{ratings:#rating}: they depend on each other only through {inducing:,} of"
        " them, drawn at random and evenly over judges.",
        "no-judges": "No judge column: all ratings are taken as one judge's.",
        "one-judge": "There is one judge: nobody to be alike.",
        "judges-few-ratings": "{judges:#judge has/judges have} fewer than {least} ratings: what is"
        " said of them is mostly the prior.",
        "priors-decide": "{parameters:#parameter} and {ratings:#rating}: priors decide what the"
        " ratings of {judges:#judge} do not.",
        "few-ratings": "Fewer than {least} ratings were seen of {judges}: intervals rest on what is"
        " usual of judges, and hold less than they claim where these are unusual.",
        "value-unseen": "'{name}' was never {values} where ratings were seen: taken as unlike all"
        " that was{hint}",
    }
)
