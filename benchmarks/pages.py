"""The pages of the documentation that show what was measured, filled in from the kept rows."""

from collections.abc import Sequence

from benchmarks import claims, slopes, table
from benchmarks.row import ROOT, Row

BENCHMARKS, GROWTH = (ROOT / "docs" / name for name in ("benchmarks.md", "growth.md"))


def fill(rows: Sequence[Row], blas_threads: int) -> None:
    """Write claims, tables and slopes between their marks."""
    shown = [row for row in rows if row.suite != slopes.SUITE]
    tables = [table.case(some) for some in table.by_case(shown)]
    setting = table.setting(rows, blas_threads)
    table.write_docs(BENCHMARKS, "claims", claims.as_table(rows))
    table.write_docs(BENCHMARKS, "benchmarks", "\n".join([f"{setting}\n", *tables]).rstrip())
    table.write_docs(GROWTH, "growth", "\n".join(slopes.lines(rows)).rstrip())
