"""Builds what draws charts inside reports: `make charts`, which needs npm and its registry.

It writes page/vega.js, from page/vega_entry.js, and page/LICENCES.txt, all of the room `report`.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).parent.parent / "src" / "evenhand" / "report" / "page"
WANTED = ("vega@6", "vega-lite@6", "vega-interpreter@2", "esbuild@0.28")
BUILD = ("--bundle", "--minify", "--format=iife", "--legal-comments=none", "--metafile=meta.json")
INLINED = ("delaunator", "robust-predicates")  # d3-delaunay carries them in its own file
NAMED = ("vega", "vega-lite", "vega-interpreter")


def build(folder: Path) -> None:
    """Fetch the libraries into a folder where they are not there yet, and bundle them."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules").is_dir():
        subprocess.run(["npm", "install", "--prefix", str(folder), *WANTED], check=True)
    (folder / "entry.js").write_bytes((PAGE / "vega_entry.js").read_bytes())
    bundler = folder.absolute() / "node_modules" / ".bin" / "esbuild"
    command = [str(bundler), "entry.js", *BUILD, "--outfile=bundle.js"]
    subprocess.run(command, cwd=folder, check=True)
    packages = list(_list_packages(folder))
    (PAGE / "vega.js").write_text(
        _head(folder) + (folder / "bundle.js").read_text("utf-8"), "utf-8"
    )
    (PAGE / "LICENCES.txt").write_text("\n".join(map(_licence, packages)), "utf-8")


def _head(folder: Path) -> str:
    told = ", ".join(f"{name} {_describe(folder / 'node_modules' / name)[1]}" for name in NAMED)
    return (
        f"/* {told}, and the modules of d3 and topojson they need, bundled by esbuild.\n"
        "   Licences: page/LICENCES.txt */\n"
    )


def _list_packages(folder: Path) -> Iterator[Path]:
    """Yield the folder of each package that is in the bundle."""
    inputs = json.loads((folder / "meta.json").read_text("utf-8"))["inputs"]
    inside = {one.rpartition("node_modules/")[2] for one in inputs if "node_modules/" in one}
    names = {"/".join(one.split("/")[: 2 if one.startswith("@") else 1]) for one in inside}
    yield from (folder / "node_modules" / name for name in sorted({*names, *INLINED}))


def _describe(package: Path) -> tuple[str, str, str]:
    told = json.loads((package / "package.json").read_text("utf-8"))
    return told["name"], told["version"], told["license"]


def _licence(package: Path) -> str:
    """Return the licence of a package, as it comes with it."""
    name, version, kind = _describe(package)
    text = next(iter(sorted(package.glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*")))).read_text("utf-8")
    return f"{'=' * 80}\n{name} {version} ({kind})\n\n{text.strip()}\n"


if __name__ == "__main__":
    build(Path(sys.argv[1]))
