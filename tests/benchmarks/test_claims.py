"""What README.md says of cost was measured: every figure stands in a kept table."""

import re

import pytest
from benchmarks.row import RESULTS, ROOT, kept_tables, read_rows

from benchmarks import claims

README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
FAST = re.search(r"- \*\*Fast\.\*\*(.*?)- \*\*", README)
SIZES = {"100", "999"}
"""Figures that say on what was measured."""


@pytest.fixture(scope="module")
def rows():
    return [row for one in kept_tables(RESULTS) for row in read_rows(one)]


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda one: one.contender)
def test_a_claim_of_the_readme_is_what_was_measured(claim, rows) -> None:
    assert claim.says(rows) in README


def test_no_figure_of_the_sentences_on_speed_is_without_a_measurement(rows) -> None:
    assert FAST is not None
    left = FAST.group(1)
    for claim in claims.CLAIMS:
        left = left.replace(claim.says(rows), "")
    assert set(re.findall(r"\d[\d.,]*", left)) <= SIZES


def test_the_table_of_claims_in_the_documentation_is_that_of_the_kept_rows(rows) -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert claims.as_table(rows) in page


def test_the_latest_version_counts_and_not_the_last_by_letters(tmp_path) -> None:
    for name in ("0.10.0", "0.9.0", "web-0.11.0", "0.9.1-rows"):
        (tmp_path / f"{name}.csv").touch()
    assert [one.stem for one in kept_tables(tmp_path)] == ["0.9.0", "0.10.0"]
