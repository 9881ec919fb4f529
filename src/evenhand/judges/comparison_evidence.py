"""What tells careless from honest judges of comparisons: slopes, controls, repeats, habits, times.

Each gives log-likelihoods of every judge under honest, careless and reversed, for `cards`; habits
are tested apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL
from evenhand.data.tally import Codes
from evenhand.data.votes import LEFT, TIE, Votes
from evenhand.judges.rating_evidence import MIN_SCORES, Habit, normal_spread, place_in_session
from evenhand.judges.units import label_groups
from evenhand.numerics import Array, Flags
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import t_tail
from evenhand.numerics.newton import Expansion, invert_positive, maximise

# A control is a comparison whose outcome is known, such as a good output against a damaged one. The
# judge's answers (as expected, neither, the contrary) are Dirichlet-multinomial around the shares
# of all other judges (honest), the same with as expected and contrary exchanged (reversed), or (1 −
# t)/2, t, (1 − t)/2 (careless), t being the share of ties among all judgments. A repeat shows a
# judge an output pair again. Saying the same again is beta-binomial around the share of the other
# judges for the honest and the reversed, and around Σ p² for the careless: p are the judge's own
# shares of left, tie and right, so that who always presses one key is not called consistent for it.
#
# Judges of a class differ, hence the Dirichlet and beta laws, worth ten answers; where comparisons
# come in rankings, log-likelihoods are divided by what scores of rankings vary beyond those of
# independent comparisons.

# Answers that the spread of judges within a class is worth: sd .095 at a rate of .9
CONCENTRATION: Final = 10.0
PSEUDO_ANSWERS: Final = 2.0  # Chance answers that are added to those of the other judges


@dataclass(frozen=True, eq=False)
class Checks:
    """What was seen, and log-likelihoods of it under honest, careless and reversed (nats)."""

    seen: Array  # (J, k) answers: as expected, neither, contrary; or the same again and not
    usual: Array  # (k,) shares of all judges together
    chance: Array  # (J, k) shares of who answers whatever the outputs are
    logs: Array  # (J, 3) log-likelihoods under the classes; zeros where nothing was seen

    @property
    def asked(self) -> Array:
        """(J,) how many of them a judge had."""
        return np.asarray(self.seen.sum(axis=1))


def weigh_controls(votes: Votes, tied: float, inflation: float = 1.0) -> Checks | None:
    """Weigh answers to controls whose expected outcome is that one side wins; None without any."""
    if votes.kind is None or votes.expected is None:
        return None
    rows = np.flatnonzero((votes.kind == CONTROL) & (votes.expected >= 0))
    rows = rows[votes.expected[rows] != TIE]
    if not len(rows):
        return None
    away = np.abs(votes.outcome[rows].astype(int) - votes.expected[rows])  # 0, 1, 2
    size, tied = len(votes.judges), max(tied, 0.5 / len(votes.outcome))
    seen = np.bincount(votes.judge[rows] * 3 + away, minlength=3 * size).reshape(size, 3)
    chance = np.tile([(1 - tied) / 2, tied, (1 - tied) / 2], (size, 1))
    return _weigh(seen.astype(float), chance, [2, 1, 0], inflation)


def weigh_repeats(votes: Votes, inflation: float = 1.0) -> Checks | None:
    """Weigh answers to output pairs that a judge had before; None where nobody is known to have."""
    if votes.items == ("",):
        return None
    votes = votes if votes.kind is None else votes.take(votes.kind != CONTROL)
    size = len(votes.judges)
    cell = number_groups(number_groups(votes.pair), votes.judge)  # judge and output pair
    times = np.bincount(cell)
    again = np.flatnonzero(times > 1)
    if not len(again):
        return None
    favour = np.bincount(cell * 3 + votes.preferred + 1, minlength=3 * len(times)).reshape(-1, 3)
    turned = np.bincount(cell, votes.left > votes.right)
    judge = label_groups(cell, votes.judge)
    n, judge = times[again], judge[again]
    same = _share_alike(favour[again])
    one_way = _share_alike(np.stack([turned, times - turned], axis=1)[again])
    trials, hits = (np.bincount(judge, v, size) for v in (n - 1, (n - 1) * same))
    straight = np.bincount(judge, (n - 1) * one_way, size) / np.maximum(trials, 1)
    # chance of the same preference twice by the judge's own shares of the keys
    keys = np.bincount(votes.judge * 3 + votes.outcome, minlength=3 * size).reshape(size, 3) + 0.5
    left, tie, right = (keys / keys.sum(axis=1, keepdims=True)).T
    alike, exchanged = left**2 + right**2, 2 * left * right
    by_chance = tie**2 + straight * alike + (1 - straight) * exchanged
    seen = np.stack([hits, trials - hits], axis=1)
    return _weigh(seen, np.stack([by_chance, 1 - by_chance], axis=1), [0, 1], inflation)


def _share_alike(counts: NDArray[np.integer]) -> Array:
    n = counts.sum(axis=1)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / (n * (n - 1)))


def _weigh(seen: Array, chance: Array, mirror: list[int], inflation: float) -> Checks:
    """Return log-likelihoods of what was seen, divided by the inflation."""
    from scipy.special import gammaln

    total = seen.sum(axis=0)
    others = total - seen + PSEUDO_ANSWERS * chance
    honest = others / others.sum(axis=1, keepdims=True)
    logs = np.zeros((len(seen), 3))
    whole = gammaln(seen.sum(axis=1) + CONCENTRATION) - gammaln(CONCENTRATION)
    for at, law in enumerate((honest, chance, honest[:, mirror])):
        # Dirichlet-multinomial, up to what depends on the counts alone
        alpha = CONCENTRATION * law
        logs[:, at] = (gammaln(seen + alpha) - gammaln(alpha)).sum(axis=1) - whole
    return Checks(seen, total / total.sum(), chance, logs / inflation)


# What everybody but one judge says of two systems: leave-judge-out worths, without J refits.
#
# Worths are those of Bradley and Terry on decisive votes, task by task, with a ridge:
#
# λ̂ = argmax Σ log σ(±(λ_left − λ_right)) − ρ/2 Σ λ²
#
# so that they stay finite for systems that never win or were compared by one judge alone: without
# that judge such a gap is 0, and the judge's votes on it say nothing of the judge. Leaving judge l
# out is one Newton step from λ̂ with the judge's votes taken from score and information,
#
# λ̂(−l) = λ̂ − (H − X_lᵀ W_l X_l)⁻¹ X_lᵀ r_l,   X_l λ̂(−l) = X_l λ̂ − (I − G W_l)⁻¹ G r_l,
#
# G = X_l H⁻¹ X_lᵀ: the second form where the judge has few different pairs; otherwise the first, by
# conjugate gradients preconditioned with H⁻¹, which is near the inverse that is sought.

Integers = NDArray[np.integer]

GAP_RIDGE: Final = 0.25  # ρ, the information of one comparison between equals
MAX_SYSTEMS: Final = 3000  # Systems of a task beyond which nothing is left out, no gap used
MAX_PAIRS_SOLVED: Final = 32  # Pairs of a judge up to which equations are solved pair by pair
MAX_STACK: Final = 200_000  # Numbers in the equations of judges that are solved at a time
MAX_GRADIENT_STEPS: Final = 200
# Residual beside the first, in the norm of H⁻¹, at which conjugate gradients stop
RESIDUAL: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Cells:
    size: int  # number of systems in the task
    judge: Integers  # (C,) code of the judge, in ascending order
    low: Integers  # (C,) the system that comes first by code, within the task
    high: Integers  # (C,) the other
    n: Array  # (C,) votes
    wins: Array  # (C,) votes for `low`


def leave_out_gaps(decisive: Votes) -> tuple[Array, int]:
    """Return (n,) how much better left is than right by everybody else's votes (logits)."""
    # The second value counts the systems of tasks that are too large for it; their gaps are 0.
    gaps, passed_over = np.zeros(decisive.size), 0
    order = np.argsort(decisive.task, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(decisive.task[order])) + 1):
        votes = decisive.take(rows)
        systems, codes = np.unique([votes.left, votes.right], return_inverse=True)
        left, right = codes.reshape(2, -1).astype(np.int64)
        low, high, k = np.minimum(left, right), np.maximum(left, right), len(systems)
        if k > MAX_SYSTEMS:
            passed_over += k
            continue
        key = (votes.judge.astype(np.int64) * k + low) * k + high
        keys, cell = np.unique(key, return_inverse=True)
        cell = cell.reshape(-1)
        for_low = (left == low) == (votes.outcome == LEFT)
        n = np.bincount(cell, minlength=len(keys)).astype(float)
        wins = np.bincount(cell, for_low, len(keys)).astype(float)
        cells = Cells(k, keys // (k * k), keys // k % k, keys % k, n, wins)
        gaps[rows] = np.where(left == low, 1.0, -1.0) * _gaps_of_cells(cells)[cell]
    return gaps, passed_over


def fit_worths(cells: Cells) -> tuple[Array, Array]:
    """Return (K,) ridge worths and their (K, K) information, the ridge included."""
    k = cells.size
    pairs, inverse = np.unique(cells.low * k + cells.high, return_inverse=True)
    low, high = pairs // k, pairs % k
    n, wins = (np.bincount(inverse.reshape(-1), v, len(pairs)) for v in (cells.n, cells.wins))

    def expand(worths: Array) -> Expansion:
        eta = worths[low] - worths[high]
        chance = 1 / (1 + np.exp(-eta))
        value = wins @ eta - n @ np.logaddexp(0, eta) - GAP_RIDGE / 2 * worths @ worths
        left, weight = wins - n * chance, n * chance * (1 - chance)
        score = np.bincount(low, left, k) - np.bincount(high, left, k) - GAP_RIDGE * worths
        return Expansion(
            float(value), score, _laplacian(k, low, high, weight) + GAP_RIDGE * np.eye(k)
        )

    maximum = maximise(expand, np.zeros(k))
    return maximum.at, maximum.expansion.information


def _laplacian(k: int, low: Integers, high: Integers, weight: Array) -> Array:
    """Return XᵀWX for rows e_low − e_high."""
    across = np.bincount(low * k + high, weight, k * k).reshape(k, k)
    across = across + across.T
    return np.asarray(np.diag(across.sum(axis=1)) - across)


def _gaps_of_cells(cells: Cells) -> Array:
    """Return (C,) λ_low − λ_high without the judge of each cell."""
    worths, information = fit_worths(cells)
    inverse = invert_positive(information)
    eta = worths[cells.low] - worths[cells.high]
    chance = 1 / (1 + np.exp(-eta))
    left, weight = cells.wins - cells.n * chance, cells.n * chance * (1 - chance)
    step = np.empty(len(eta))
    # (J, c) the rows of some judges with c cells each, whose steps are one computation
    opens = np.flatnonzero(np.diff(cells.judge, prepend=-1))
    sizes = np.diff(opens, append=len(cells.judge))
    stacks: list[NDArray[np.intp]] = []
    for size in np.unique(sizes).tolist():
        alike, most = opens[sizes == size], max(1, MAX_STACK // size**2)
        starts = range(0, len(alike), most)
        stacks += [alike[at : at + most, None] + np.arange(size) for at in starts]
    for cell in stacks:
        pairs = cells.low[cell], cells.high[cell]
        if cell.shape[1] <= MAX_PAIRS_SOLVED:
            # (J, c) (I − G W)⁻¹ G r of each judge
            low, high = (codes[:, None, :] for codes in pairs)
            with_low, with_high = (codes[:, :, None] for codes in pairs)
            of_low = inverse[low, with_low] - inverse[high, with_low]
            columns = of_low - (inverse[low, with_high] - inverse[high, with_high])
            spread = columns.transpose(0, 2, 1)
            without = np.eye(low.shape[2]) - spread * weight[cell][:, None, :]
            step[cell] = np.asarray(
                np.linalg.solve(without, spread @ left[cell][:, :, None])[:, :, 0]
            )
            continue
        for row in cell:
            pairs = cells.low[row], cells.high[row]
            step[row] = _step_by_systems((information, inverse), pairs, weight[row], left[row])
    return eta - step


def _step_by_systems(
    both: tuple[Array, Array], pairs: tuple[Integers, Integers], weight: Array, left: Array
) -> Array:
    """Return (c,) X (H − XᵀWX)⁻¹ Xᵀ r."""
    (information, inverse), (low, high) = both, pairs
    k = len(information)

    def pull(values: Array) -> Array:
        return np.asarray(np.bincount(low, values, k) - np.bincount(high, values, k))

    residual = pull(left)
    solution = np.zeros(k)
    z = inverse @ residual
    direction, norm = z, float(residual @ z)
    done = RESIDUAL**2 * norm
    for _ in range(MAX_GRADIENT_STEPS):
        if norm <= done:
            return np.asarray(solution[low] - solution[high])
        image = information @ direction - pull(weight * (direction[low] - direction[high]))
        length = norm / float(direction @ image)
        solution += length * direction
        residual = residual - length * image
        z = inverse @ residual
        fresh = float(residual @ z)
        direction, norm = z + (fresh / norm) * direction, fresh
    exact = np.linalg.solve(information - _laplacian(k, low, high, weight), pull(left))
    return np.asarray(exact[low] - exact[high])


# P(judge l prefers left | decisive) = σ(b_l x),   x = w1 gap(−l) + w2 votes(−l)
#
# gap(−l) is how much better the left system is by everybody else's votes; votes(−l) is how many
# more of the other judges preferred left on the same output pair. w is the logistic regression of
# all decisive votes on both, so that b is 1 for all judges together. b̂ has a ridge of .02 and is
# finite even where every vote agrees with x. That w is fitted with judge l's votes among the others
# moves b̂_l by about 1 / J.

SLOPE_RIDGE: Final = 0.02
MAX_ITERATIONS: Final = 100
# Longest step of a slope, so that Newton's method cannot jump over the maximum for ever
MAX_STEP: Final = 1.0


@dataclass(frozen=True, eq=False)
class OtherVotes:
    lead: Array  # (n,) votes for what stands left here, less those for the other; a tie is none
    votes: Array  # (n,) how many votes, ties included
    judges: Array  # (n,) of how many judges

    @property
    def agreed(self) -> Flags:
        """(n,) whether two other judges or more all preferred the same output."""
        return np.asarray((self.judges >= 2) & (np.abs(self.lead) == self.votes))


def sum_other_votes(votes: Votes) -> OtherVotes:
    """Sum the votes of other judges; one's own on the pair never count, however many there are."""
    # Where the data name no items nobody is known to have seen the same outputs: all is 0.
    if votes.items == ("",):
        return OtherVotes(*np.zeros((3, votes.size)))
    _, pair = np.unique(votes.pair, return_inverse=True)
    pair = pair.reshape(-1)
    keys, cell = np.unique(pair * len(votes.judges) + votes.judge, return_inverse=True)
    cell = cell.reshape(-1)
    favour = votes.preferred.astype(float)
    lead = np.bincount(pair, favour)[pair] - np.bincount(cell, favour)[cell]
    others = (np.bincount(pair)[pair] - np.bincount(cell)[cell]).astype(float)
    judges = np.bincount(keys // len(votes.judges))[pair].astype(float) - 1
    return OtherVotes(np.where(votes.left < votes.right, lead, -lead), others, judges)


@dataclass(frozen=True, eq=False)
class Slopes:
    weights: Array  # (2,) w of the gap and of the others' votes
    rows: NDArray[np.intp]  # (n,) the decisive votes that were used, as row numbers
    judge: NDArray[np.int32]  # (n,) code of the judge of each
    x: Array  # (n,) what the others say of it (logits)
    won: Array  # (n,) 1 where left was preferred, else 0
    # what other judges said of the same output pair, of all votes and not those rows
    others: OtherVotes
    gap: Array  # (n,) gap(−l), before it is weighed
    slope: Array  # (J,) b̂; 0 for judges without decisive votes
    error: Array  # (J,) standard error by Fisher's information
    information: Array  # (J,) Σ x²/4: what the judge's votes would tell of a slope of 0
    inflation: float  # φ, how much more scores of whole answers vary than independent votes would
    passed_over: int  # systems of tasks that are too large for leave-judge-out gaps


def find_slopes(votes: Votes) -> Slopes:
    others = sum_other_votes(votes)
    rows = np.flatnonzero(votes.outcome != TIE)
    won = (votes.outcome[rows] < TIE).astype(float)
    judge = votes.judge[rows]
    gap, passed_over = leave_out_gaps(votes.take(rows))
    columns = np.stack([gap, others.lead[rows]], axis=1)

    def expand(beta: Array) -> Expansion:
        eta = columns @ beta
        chance = 1 / (1 + np.exp(-eta))
        value = won @ eta - np.logaddexp(0, eta).sum() - SLOPE_RIDGE / 2 * beta @ beta
        score = columns.T @ (won - chance) - SLOPE_RIDGE * beta
        held = (columns.T * (chance * (1 - chance))) @ columns
        return Expansion(float(value), score, held + SLOPE_RIDGE * np.eye(len(beta)))

    weights = maximise(expand, np.zeros(columns.shape[1])).at
    x, size = columns @ weights, len(votes.judges)
    slope = np.zeros(size)  # of all judges in one iteration
    for _ in range(MAX_ITERATIONS):
        chance = 1 / (1 + np.exp(-slope[judge] * x))
        score = np.bincount(judge, x * (won - chance), size) - SLOPE_RIDGE * slope
        held = np.bincount(judge, x**2 * chance * (1 - chance), size) + SLOPE_RIDGE
        step = np.clip(score / held, -MAX_STEP, MAX_STEP)
        if np.abs(step).max(initial=0.0) < 1e-8:
            break
        slope = slope + step
    inflation = 1.0  # φ: the variance of scores of whole answers beside that of independent votes
    if votes.answer is not None:
        chance = 1 / (1 + np.exp(-slope[judge] * x))
        by_answer = np.bincount(votes.answer[rows], x * (won - chance))
        independent = (x**2 * chance * (1 - chance)).sum()
        inflation = max(1.0, float((by_answer**2).sum() / independent))
    error, information = np.sqrt(inflation / held), np.bincount(judge, x**2 / 4, size) / inflation
    seen = (weights, rows, judge, x, won, others, gap, slope, error, information)
    return Slopes(*seen, inflation, passed_over)


# How a judge presses the keys: log-odds of one judge, one Newton step from what the slope b̂_l
# says, with variance 1 / information:
#
# position-biased   δ of P(left | decisive) = σ(b x + δ), on either side of the median judge's
# drifting          d of P(left | decisive) = σ(b x + d x place), place −½ … ½ in the session,
# below the median judge's: the slope falls
# coarse            log-odds of a tie, above the median judge's
#
# Honest judges differ in these too, by as much as the campaign shows (`normal_spread`). Where
# comparisons come in rankings, variances are those of scores of whole rankings.


def find_vote_habits(votes: Votes, slopes: Slopes) -> tuple[Habit, ...]:
    habits: list[Habit] = []
    if votes.positions_known:
        first = np.bincount(slopes.judge, slopes.won) / np.maximum(np.bincount(slopes.judge), 1)

        def say_position(judge: int, own: float, usual: float) -> str:
            between, median = (100 / (1 + np.exp(-one)) for one in (own, usual))
            return (
                f"the output shown first was preferred in {100 * first[judge]:.0f} % of decisive"
                f" votes; between equals about {between:.0f} %, the median judge {median:.0f} %"
            )

        seen = _one_step(votes, slopes, np.ones(len(slopes.rows)))
        habits += _compare("position-biased", "position", seen, 0, say_position)
    if votes.moment is not None:

        def say_session(_: int, own: float, usual: float) -> str:
            return (
                f"within a session the slope {'falls' if own < 0 else 'rises'} by {abs(own):.2f}"
                f" from the first to the last answer; the median judge's changes by {usual:+z.2f}"
            )

        moment = votes.moment[slopes.rows]
        known = np.isfinite(moment)
        place = np.zeros(len(moment))
        place[known] = place_in_session(slopes.judge[known], moment[known], enough=MIN_SCORES)
        seen = _one_step(votes, slopes, slopes.x * place)
        habits += _compare("drifting", "session", seen, -1, say_session)
    tied = votes.outcome == TIE
    n = np.bincount(votes.judge, minlength=len(votes.judges))
    ties, share = np.bincount(votes.judge, tied, len(n)), float(tied.mean())
    if share:

        def say_ties(judge: int, _: float, usual: float) -> str:
            own, median = 100 * ties[judge] / n[judge], 100 / (1 + np.exp(-usual))
            return f"ties in {own:.0f} % of judgments, the median judge {median:.0f} %"

        judges = np.flatnonzero(n >= MIN_SCORES)
        many, few = n[judges], ties[judges]
        variance = 1 / (many * share + 0.5) + 1 / (many * (1 - share) + 0.5)
        variance *= _inflate(votes.answer, tied - share)
        seen = np.log((few + 0.5) / (many - few + 0.5)), variance, judges
        habits += _compare("coarse", "ties", seen, 1, say_ties)
    return tuple(habits)


def _compare(
    name: str,
    line: str,
    seen: tuple[Array, Array, NDArray[np.intp]],
    side: int,
    write: Callable[[int, float, float], str],
) -> list[Habit]:
    """Compare values of judges with the median judge's: from above (1), below (-1), or both (0)."""
    value, variance, judges = seen
    if not len(judges):
        return []
    spread = normal_spread(value, variance)
    # Of τ² + v only τ² is estimated from the judges: its degrees of freedom are raised by ((τ² + v)
    # / τ²)² (Satterthwaite 1946, Biometrics Bulletin 2:110-114), and Student's t is nearly normal
    # where judges differ by little more than chance.
    wide = spread.spread**2 + variance
    degrees = spread.df * (wide / np.maximum(spread.spread**2, 1e-9 * wide)) ** 2
    distances = (value - spread.centre) / np.sqrt(wide)
    p = np.array([t_tail(*pair) for pair in zip(distances, degrees, strict=True)])
    if side:
        p = np.where(side * (value - spread.centre) > 0, p / 2, 1 - p / 2)
    own = zip(judges.tolist(), value.tolist(), strict=True)
    says = [write(judge, one, spread.centre) for judge, one in own]
    return [Habit(name, judges, value, line, says, p)]


def _one_step(votes: Votes, slopes: Slopes, along: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return values and variances of a further effect, and of which judges."""
    judge, x, size = slopes.judge, slopes.x, len(votes.judges)
    chance = 1 / (1 + np.exp(-slopes.slope[judge] * x))
    left, weight = slopes.won - chance, chance * (1 - chance)
    held, across, of_x = (
        np.bincount(judge, weight * column, size) for column in (along**2, along * x, x**2)
    )
    information = held - across**2 / np.maximum(of_x, 1e-12)
    n = np.bincount(judge[along != 0], minlength=size)
    judges = np.flatnonzero((n >= MIN_SCORES) & (information > 1e-9))
    score = np.bincount(judge, along * left, size)
    answer = None if votes.answer is None else votes.answer[slopes.rows]
    inflation = _inflate(answer, along * left)
    information = information[judges]
    return score[judges] / information, inflation / information, judges


def _inflate(answer: Codes | None, scores: Array) -> float:
    """Return how much scores of whole answers vary beside those of their comparisons."""
    if answer is None:
        return 1.0
    return max(1.0, float((np.bincount(answer, scores) ** 2).sum() / (scores**2).sum()))


# How long judges take: t_l is the median of log(1 + seconds) of judge l. Given the probabilities of
# the classes without time, honest and reversed N(μ, s²), careless N(μ_c, s²), μ and s being those
# of the honest, μ_c that of the careless together with three judges at μ, so that where nobody
# looks careless time says nothing. The log-likelihood ratio is cut at 2 nats: nobody is flagged for
# speed.

PSEUDO_JUDGES: Final = 3.0  # Careless judges, as quick as honest ones, that are added to those seen
MAX_LOG_RATIO: Final = 2.0  # nats


@dataclass(frozen=True, eq=False)
class Times:
    judges: NDArray[np.integer]  # (k,) codes of the judges of whom it is known
    seconds: Array  # (k,) their median time
    usual: float  # that of the median judge
    logs: Array  # (J, 3) log-likelihoods under honest, careless and reversed, up to a constant


def weigh_seconds(votes: Votes, posterior: Array) -> Times | None:
    """Weigh how long judges take; None where nobody's time is known, or all take the same."""
    if votes.seconds is None:
        return None
    known = np.flatnonzero(np.isfinite(votes.seconds) & (votes.seconds >= 0))
    order = known[np.lexsort((votes.seconds[known], votes.judge[known]))]
    judges, starts = np.unique(votes.judge[order], return_index=True)
    parts = np.split(votes.seconds[order], starts[1:]) if len(judges) else []
    seconds = np.array([np.median(part) for part in parts])
    t, weight = np.log1p(seconds), posterior[judges]
    honest = float(weight[:, 0].sum())
    if len(judges) < 2 or np.ptp(t) == 0 or honest <= 0:
        return None
    centre = float(weight[:, 0] @ t / honest)
    square = float(weight[:, 0] @ (t - centre) ** 2 / honest)
    careless = weight[:, 1]
    quick = float((careless @ t + PSEUDO_JUDGES * centre) / (careless.sum() + PSEUDO_JUDGES))
    logs = np.zeros((len(posterior), 3))
    ratio = ((t - centre) ** 2 - (t - quick) ** 2) / (2 * square)
    logs[judges, 1] = np.clip(ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO)
    return Times(judges, seconds, float(np.median(seconds)), logs)
