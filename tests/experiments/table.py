"""``make experiments``: every experiment with known truth and its counts, kept as one table.

The tests print their counts or note them as properties; pytest writes both into its JUnit file,
and from there they go into ``counts.csv`` beside this file. Of a test that tells nothing, each
assertion is kept with its values: this module is a plugin of pytest for that. The site shows the
counts as a page.
"""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT = HERE / "counts.csv"
TAMPERING = ROOT / "tests" / "web" / "store" / "test_mutations.py"  # E12
COLUMNS = ("experiment", "file", "arm", "counts")
ASSERTED = "asserted"  # the name of a property
MOST = 4
"""Assertions of a test that are kept."""
UNTESTED = {
    19: "E19: no experiment has this number.",
    25: "E25 has no test: it is of one scale from comparisons, ratings and error spans, and"
    " Evenhand ranks each of them by itself.",
}
"""Numbers without a test, and why."""
LONGEST = 200
"""Letters of an assertion's values; longer ones are not kept."""


def list_files() -> list[Path]:
    """Return the files of experiments, E1 first, those without a number last."""
    return sorted([*HERE.glob("test_*.py"), TAMPERING], key=lambda file: (_number(file), file.name))


def _number(file: Path) -> int:
    numbered = re.match(r"test_e(\d+)_", file.name)
    return 12 if file == TAMPERING else int(numbered[1]) if numbered else 99


def read_counts(junit: Path) -> Iterator[dict[str, str]]:
    """Read the counts that each passed test told; a test without any has passed."""
    for case in ElementTree.parse(junit).iter("testcase"):
        if case.find("skipped") is not None:
            continue
        name, module = case.attrib["name"], case.attrib["classname"]
        file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        properties = [(one.get("name"), one.get("value") or "") for one in case.iter("property")]
        told = [f"{name} {value}" for name, value in properties if name != ASSERTED]
        printed = case.findtext("system-out") or ""
        lines = [line.strip() for line in printed.splitlines() if not line.startswith("---")]
        asserted = [value for name, value in properties if name == ASSERTED]
        counts = [*filter(None, lines), *told] or [*dict.fromkeys(asserted)][:MOST]
        number = _number(file)
        yield {
            "experiment": f"E{number}" if number < 99 else "",
            "file": file.relative_to(ROOT).as_posix(),
            "arm": name.removeprefix("test_").replace("_", " "),
            "counts": _shorten("; ".join(counts)) or "passed",
        }


def pytest_assertion_pass(item, orig, expl):
    """Keep an assertion with its values, if one of them is a number."""
    values = " ".join(expl.partition("\n")[0].split())
    if re.search(r"\d", values) and len(values) <= LONGEST:
        asserted = " ".join(orig.split())
        item.user_properties.append((ASSERTED, f"{asserted}: {_shorten(values)}"))


def _shorten(text: str) -> str:
    """Write numbers as Python does, and fractions with four digits."""
    plain = re.sub(r"np\.(?:float|u?int|bool)\w*\(([^()]*)\)", r"\1", text)
    return re.sub(r"\d+\.\d{5,}(?:e[-+]\d+)?", lambda found: f"{float(found[0]):.4g}", plain)


def keep_counts(files: Sequence[Path]) -> None:
    """Run the experiments of these files and keep their counts. Raises where one fails."""
    with TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile"]
        settings = ["-m", "slow or not slow", "-o", "junit_logging=system-out"]
        settings += ["-p", "experiments.table", "-o", "enable_assertion_pass_hook=true"]
        # bytecode that was made without the hook would not call it
        place = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}
        words = [*command, *settings, f"--junitxml={junit}", *files]
        subprocess.run(words, cwd=ROOT, env=place, check=True)
        rows = [*read_counts(junit)]
    named = {file.relative_to(ROOT).as_posix() for file in list_files()}
    counted = {row["file"] for row in rows}
    rows += [row for row in read_kept() if row["file"] in named - counted]
    rows.sort(key=lambda row: (_number(ROOT / row["file"]), row["file"], row["arm"]))
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        kept = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        kept.writeheader()
        kept.writerows(rows)


def read_kept() -> list[dict[str, str]]:
    if not KEPT.exists():
        return []
    with KEPT.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def write_table() -> str:
    """Write the kept counts as a page, in Markdown."""
    lines = ["# Counts of all experiments", "", "Written by `make experiments`."]
    lines += UNTESTED.values()
    rows = read_kept()
    for file in list_files():
        ours = [row for row in rows if ROOT / row["file"] == file]
        asks = file.read_text("utf-8").partition('"""')[2].partition("\n")[0].rstrip('".')
        lines += ["", f"## {asks}", "", "| test | counts |", "|---|---|"]
        for row in ours:
            cells = (row["arm"], row["counts"])
            # as it stands: the brackets of code are no links, its stars no emphasis
            plain = [re.sub(r"[\\`*_\[\]|]", r"\\\g<0>", cell) for cell in cells]
            lines.append(f"| {' | '.join(plain)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    keep_counts([Path(name).resolve() for name in sys.argv[1:]] or list_files())
