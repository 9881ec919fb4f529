"""The papers that a report's methods rest on, ready to be cited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Reference:
    """A paper."""

    key: str  # of the bibliography
    short: str  # as the text cites it, such as "Davidson, 1970"
    kind: str  # article, book or inproceedings
    fields: Mapping[str, str]  # of BibTeX, in the order in which they are written

    def write_bibtex(self) -> str:
        """Write its entry."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def _article(key: str, short: str, author: str, title: str, where: str) -> Reference:
    """Return an article; `where` is "journal | year | volume | pages"."""
    journal, year, volume, pages = (part.strip() for part in where.split("|"))
    fields = {"author": author, "title": f"{{{title}}}", "journal": journal, "year": year}
    return Reference(key, short, "article", {**fields, "volume": volume, "pages": pages})


def _book(key: str, short: str, author: str, title: str, where: str) -> Reference:
    """Return a book; `where` is "publisher | year", and "| edition" where there are several."""
    publisher, year, *edition = (part.strip() for part in where.split("|"))
    fields = {"author": author, "title": f"{{{title}}}", "publisher": publisher, "year": year}
    return Reference(key, short, "book", {**fields, **({"edition": edition[0]} if edition else {})})


_ALL: Final = (
    _article(
        "bradley-terry-1952",
        "Bradley & Terry, 1952",
        "Bradley, Ralph Allan and Terry, Milton E.",
        "Rank analysis of incomplete block designs: {I.} The method of paired comparisons",
        "Biometrika | 1952 | 39 | 324--345",
    ),
    _article(
        "davidson-1970",
        "Davidson, 1970",
        "Davidson, Roger R.",
        "On extending the {Bradley-Terry} model to accommodate ties in paired comparison"
        " experiments",
        "Journal of the American Statistical Association | 1970 | 65 | 317--328",
    ),
    _article(
        "rao-kupper-1967",
        "Rao & Kupper, 1967",
        "Rao, P. V. and Kupper, L. L.",
        "Ties in paired-comparison experiments: A generalization of the {Bradley-Terry} model",
        "Journal of the American Statistical Association | 1967 | 62 | 194--204",
    ),
    _article(
        "dras-2015",
        "Dras, 2015",
        "Dras, Mark",
        "Evaluating human pairwise preference judgments",
        "Computational Linguistics | 2015 | 41 | 337--345",
    ),
    _article(
        "mogstad-2024",
        "Mogstad et al., 2024",
        "Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel",
        "Inference for ranks with applications to mobility across neighbourhoods and academic"
        " achievement across countries",
        "Review of Economic Studies | 2024 | 91 | 476--518",
    ),
    _article(
        "romano-wolf-2005",
        "Romano & Wolf, 2005",
        "Romano, Joseph P. and Wolf, Michael",
        "Exact and approximate stepdown methods for multiple hypothesis testing",
        "Journal of the American Statistical Association | 2005 | 100 | 94--108",
    ),
    _article(
        "mackinnon-2023",
        "MacKinnon et al., 2023",
        "MacKinnon, James G. and Nielsen, Morten {\\O}rregaard and Webb, Matthew D.",
        "Fast and reliable jackknife and bootstrap methods for cluster-robust inference",
        "Journal of Applied Econometrics | 2023 | 38 | 671--694",
    ),
    _article(
        "webb-2023",
        "Webb, 2023",
        "Webb, Matthew D.",
        "Reworking wild bootstrap-based inference for clustered errors",
        "Canadian Journal of Economics | 2023 | 56 | 839--858",
    ),
    _article(
        "cameron-2011",
        "Cameron et al., 2011",
        "Cameron, A. Colin and Gelbach, Jonah B. and Miller, Douglas L.",
        "Robust inference with multiway clustering",
        "Journal of Business \\& Economic Statistics | 2011 | 29 | 238--249",
    ),
    _article(
        "liang-zeger-1986",
        "Liang & Zeger, 1986",
        "Liang, Kung-Yee and Zeger, Scott L.",
        "Longitudinal data analysis using generalized linear models",
        "Biometrika | 1986 | 73 | 13--22",
    ),
    _article(
        "efron-2008",
        "Efron, 2008",
        "Efron, Bradley",
        "Microarrays, empirical {Bayes} and the two-groups model",
        "Statistical Science | 2008 | 23 | 1--22",
    ),
    _article(
        "landis-koch-1977",
        "Landis & Koch, 1977",
        "Landis, J. Richard and Koch, Gary G.",
        "The measurement of observer agreement for categorical data",
        "Biometrics | 1977 | 33 | 159--174",
    ),
    _article(
        "jiang-2011",
        "Jiang et al., 2011",
        "Jiang, Xiaoye and Lim, Lek-Heng and Yao, Yuan and Ye, Yinyu",
        "Statistical ranking and combinatorial {Hodge} theory",
        "Mathematical Programming | 2011 | 127 | 203--244",
    ),
    _article(
        "fleiss-1971",
        "Fleiss, 1971",
        "Fleiss, Joseph L.",
        "Measuring nominal scale agreement among many raters",
        "Psychological Bulletin | 1971 | 76 | 378--382",
    ),
    _article(
        "gwet-2008",
        "Gwet, 2008",
        "Gwet, Kilem Li",
        "Computing inter-rater reliability and its variance in the presence of high agreement",
        "British Journal of Mathematical and Statistical Psychology | 2008 | 61 | 29--48",
    ),
    _book(
        "krippendorff-2013",
        "Krippendorff, 2013",
        "Krippendorff, Klaus",
        "Content analysis: An introduction to its methodology",
        "Sage | 2013 | 3rd",
    ),
    _book(
        "westfall-young-1993",
        "Westfall & Young, 1993",
        "Westfall, Peter H. and Young, S. Stanley",
        "Resampling-based multiple testing: Examples and methods for p-value adjustment",
        "Wiley | 1993",
    ),
    Reference(
        "hamon-2007",
        "Hamon et al., 2007",
        "inproceedings",
        {
            "author": "Hamon, Olivier and Mostefa, Djamel and Arranz, Victoria",
            "title": "{Diagnosing human judgments in MT evaluation: an example based on the"
            " Spanish language}",
            "booktitle": "Proceedings of Machine Translation Summit XI",
            "year": "2007",
        },
    ),
)
REFERENCES: Final = {one.key: one for one in _ALL}  # Key → paper


def cite(*keys: str) -> str:
    """Cite papers within a sentence.

    >>> cite("bradley-terry-1952", "davidson-1970")
    '(Bradley & Terry, 1952; Davidson, 1970)'
    """
    return f"({'; '.join(REFERENCES[key].short for key in keys)})"


def write_bibliography(keys: Iterable[str]) -> str:
    """Write the BibTeX entries of papers, each once, in the order of their first mention."""
    return "\n\n".join(REFERENCES[key].write_bibtex() for key in dict.fromkeys(keys))
