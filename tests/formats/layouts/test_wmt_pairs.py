"""WMT's rankings as pairs, as its scripts write them from the same answers as the wide table."""

from itertools import combinations

from evenhand.data.comparisons import Comparisons
from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from read_tables import cells_of, refusal

HEADER = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,"
    "rankingID\n"
)
NAMES = ("uedin", "jhu", "onlineB", "cu-bojar", "limsi")
RANKS = [(1, 2, 3, 4, 5), (2, 2, 1, 5, 4), (3, 1, 1, 2, 5), (5, 4, 3, 1, 1)]


def pairs() -> str:
    """Every two systems of a ranking, in the order of the screen."""
    rows = [
        f"cze,eng,{at},{at},judge{at % 2},{NAMES[i]},{ranks[i]},{NAMES[j]},{ranks[j]},{at}\n"
        for at, ranks in enumerate(RANKS, start=1)
        for i, j in combinations(range(5), 2)
    ]
    return HEADER + "".join(rows)


def wide() -> str:
    names = ",".join(f"system{i}Id,system{i}rank" for i in range(1, 6))
    rows = [
        f"cze,eng,{at},judge{at % 2},"
        + ",".join(f"{name},{rank}" for name, rank in zip(NAMES, ranks, strict=True))
        for at, ranks in enumerate(RANKS, start=1)
    ]
    return "\n".join([f"srclang,trglang,srcIndex,judgeId,{names}", *rows, ""])


def test_pairs_say_what_the_rankings_say_of_which_they_are(save) -> None:
    data = read(save("wmt15.ces-eng.csv", pairs()))
    assert isinstance(data, Comparisons)
    other = read(save("wide.csv", wide())).comparisons()
    assert cells_of(data.tally()) == cells_of(other.tally())
    by = ("judge", "ranking")
    assert data.tally(by).digest == other.tally(by).digest
    assert data.tasks() == ["cs-en"]


def test_a_blank_rank_gives_no_outcome(save) -> None:
    text = (
        pairs().replace("uedin,1,jhu,2", "uedin,-1,jhu,2").replace("uedin,2,jhu,2", "uedin,,jhu,2")
    )
    data = read(save("t.csv", text))
    assert [(one.code, one.rows) for one in data.excluded] == [("no-outcome", 2)]


def test_a_rank_that_is_none_is_refused_with_its_row(save) -> None:
    path = save("t.csv", pairs().replace("uedin,1,jhu,2", "uedin,0,jhu,2"))
    said = refusal(path, InvalidJudgments)
    assert f"rank 0 in column 'system1rank' of {path} (line 2): ranks are whole numbers" in said
