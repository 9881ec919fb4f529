"""``python -m experiments.sort_arms 8 20 50``: sorting by votes beside random pairs and `order`.

Log-worths θ ~ N(0, s²) of m systems, Davidson's ties with ν = ½, ten judges, each with tastes
N(0, .3²) of their own for every system; m/2 pairs are asked at the same time. Each policy as it is
by default, with three in ten pairs at random, and without. τ is Kendall's τ of the
fitted worths with θ, after 5m, 10m and 20m judgments; in brackets what it is more than that of
random pairs in the same campaigns, and the standard error of that.

"alone": one question at a time and nothing at random, to the end of the sort: what it cost, and τ_b
of its order beside τ of the worths fitted to the same votes.

When is a question decided? Tried before, with 20 systems and none at random, after the end
neighbours alone, 50 campaigns (9 votes: 60 with s = 1 and 40 with s = 3); τ after 5m, 10m and 20m:

    decided by a lead of  or votes  s = 1             s = 3
    1                     1         .563 .681 .776    .808 .869 .914
    1 (taken)             3         .564 .679 .756    .820 .885 .915
    2                     5         .492 .649 .752    .692 .865 .917
    3                     9         .492 .594 .741    .652 .772 .911
    order                           .585 .697 .792    .823 .885 .927
"""

from dataclasses import dataclass
from itertools import pairwise

import click
import numpy as np

from evenhand.design.next_pairs import measure_agreement
from evenhand.design.policy import Policy, State, make_tally, number_pairs, read_state
from evenhand.numerics.newton import one_blas_thread
from experiments.campaign import generator

JUDGES, TASTE, TIE = 10, 0.3, 0.5
SYSTEMS = {8: 80, 20: 40, 50: 10}
"""Number of systems → campaigns."""
SDS = (1.0, 4.0)
LOOKS = (5, 10, 20)
POLICIES = {
    "random": Policy("random"),
    "order": Policy("order"),
    "order, none at random": Policy("order", random_share=0),
    "sort": Policy("sort"),
    "sort, none at random": Policy("sort", random_share=0),
}


@dataclass
class Votes:
    """A campaign: what is true, and the judgments so far with their judges."""

    worth: np.ndarray
    rng: np.random.Generator
    judges: int = JUDGES
    taste: float = TASTE
    tie: float = TIE

    def __post_init__(self) -> None:
        k = len(self.worth)
        self.tastes = self.rng.normal(0, self.taste, (self.judges, k))
        self.state = read_state(None, systems=[f"s{code:02d}" for code in range(k)])
        self.answers = np.zeros((len(self.state.low), 3))
        self.rows: list[tuple[int, int, int, int]] = []

    @property
    def n(self) -> int:
        return len(self.rows)

    def ask(self, policy: Policy, n: int, own: np.random.Generator) -> None:
        """Have n pairs judged that the policy chooses, by judges in turn."""
        for one in policy.choose(self.state, n, own):
            left, right = int(one.left[1:]), int(one.right[1:])
            judge = self.n % self.judges
            worth = self.worth + self.tastes[judge]
            won, lost = np.exp((worth[left] - worth[right]) / 2 * np.array([1, -1]))
            drawn = self.rng.random() * (won + self.tie + lost)
            outcome = 0 if drawn < won else 1 if drawn < won + self.tie else 2
            self.rows.append((left, right, outcome, judge))
            pair = number_pairs([left], [right], len(self.worth))[0]
            self.answers[pair, outcome if left < right else 2 - outcome] += 1
        near = self.state.belief.mean
        self.state = State(
            make_tally(self.state.systems, self.answers),
            self.state.waiting,
            self.state.allowed,
            near,
        )

    def agree(self, estimate: np.ndarray | None = None) -> float:
        """Kendall's τ_b with the truth, of the fitted worths by default."""
        estimate = self.state.belief.mean if estimate is None else estimate
        return measure_agreement(estimate, self.worth, None)


def draw(systems: int, sd: float, replicate: int) -> Votes:
    rng = generator(27, systems * 10 + round(sd), replicate)
    return Votes(rng.normal(0, sd, systems), rng)


def follow(policy: Policy, systems: int, sd: float, replicate: int) -> list[float]:
    """τ at each look."""
    votes, own = draw(systems, sd, replicate), generator(27, systems, replicate, 1)
    found = []
    for done, look in pairwise((0, *LOOKS)):
        for _ in range(2 * (look - done)):
            votes.ask(policy, systems // 2, own)
        found.append(votes.agree())
    return found


def sort_alone(systems: int, sd: float, replicate: int) -> tuple[float, float, float]:
    """Judgments to the end of the sort, τ_b of its order, and τ of the worths."""
    votes, own = draw(systems, sd, replicate), generator(27, systems, replicate, 1)
    while votes.state.sort.open:
        votes.ask(POLICIES["sort, none at random"], 1, own)
    place = np.empty(systems)
    for at, group in enumerate(votes.state.sort.groups):
        place[list(group)] = -at
    return votes.n, votes.agree(place), votes.agree()


def tabulate(systems: int, sd: float, campaigns: int) -> list[str]:
    """One row for each policy, and one for the sort alone."""
    rows, base = [], np.zeros((campaigns, len(LOOKS)))
    with one_blas_thread():
        for name, policy in POLICIES.items():
            taus = np.array([follow(policy, systems, sd, r) for r in range(campaigns)])
            base = taus if name == "random" else base
            more, means = taus - base, taus.mean(axis=0)
            errors = more.std(axis=0, ddof=1) / np.sqrt(campaigns)
            cells = [
                f"{mean:.3f}" + f" ({diff:+.3f} ± {error:.3f})" * bool(error)
                for mean, diff, error in zip(means, more.mean(axis=0), errors, strict=True)
            ]
            rows.append(f"| {systems} | {sd:g} | {name} | {' | '.join(cells)} |")
        alone = np.mean([sort_alone(systems, sd, r) for r in range(campaigns)], axis=0)
    cost, own, fitted = alone
    text = f"alone, to its end: {cost:.0f} judgments, τ {own:.3f}, of worths {fitted:.3f}"
    return [*rows, f"| {systems} | {sd:g} | {text} |"]


@click.command(help=__doc__)
@click.argument("systems", nargs=-1, type=int)
def main(systems: tuple[int, ...]) -> None:
    for k in systems or SYSTEMS:
        for sd in SDS:
            for row in tabulate(k, sd, SYSTEMS[k]):
                click.echo(row)


if __name__ == "__main__":
    main()
