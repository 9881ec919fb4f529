"""The pages of the documentation that show what was measured, filled in from the kept rows."""

from collections.abc import Sequence

from benchmarks import claims, slopes, table
from benchmarks.row import RESULTS, ROOT, Row, kept_tables, read_rows
from benchmarks.targets import BIG

BENCHMARKS, GROWTH = (ROOT / "docs" / name for name in ("benchmarks.md", "growth.md"))
SHOWN = (("fit", BIG),)  # what the page shows; the site has a page with all cases


def fill(rows: Sequence[Row], blas_threads: int) -> None:
    """Write claims, tables and slopes between their marks."""
    shown = [row for row in rows if (row.suite, row.case) in SHOWN]
    tables = [table.case(some) for some in table.by_case(shown)]
    setting = table.setting(rows, blas_threads)
    table.write_docs(BENCHMARKS, "claims", claims.as_table(rows))
    table.write_docs(BENCHMARKS, "benchmarks", "\n".join([f"{setting}\n", *tables]).rstrip())
    table.write_docs(GROWTH, "growth", "\n".join(slopes.lines(rows)).rstrip())


def write_tables() -> str:
    """All tables of the newest kept version, as a page."""
    rows = [row for row in read_rows(kept_tables(RESULTS)[-1]) if row.suite != slopes.SUITE]
    tables = "\n".join(table.case(some) for some in table.by_case(rows))
    return f"# Tables of the benchmarks\n\n{tables.rstrip()}\n"
