"""The numbers of docs/papers/hopkins_may2013.md are those that its sections' commands print.

Figure 6 and the shares of agreement without EVENHAND_WHOLE: the curves of three years take long.
"""

import json
import re
import shlex

import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main
from experiments.campaign import WHOLE
from markdown_pages import ROOT, blocks, missing

PAGE = (ROOT / "docs" / "papers" / "hopkins_may2013.md").read_text(encoding="utf-8")
FILES = ("wmt10", "wmt11", "wmt12")
MODELS = {
    "IRT-Gaussian": "irt-gaussian",
    "Bradley-Terry, Davidson's ties": "bradley-terry",
    **{name.replace("-", " "): name for name in ("adjusted-uniform", "independent-pairs")},
    **{name.replace("-", " "): name for name in ("geometric-students", "arithmetic-students")},
}
RUNS = {}

pytestmark = pytest.mark.slow
whole = pytest.mark.skipif(not WHOLE, reason="EVENHAND_WHOLE is not set: it takes minutes")


def section(heading):
    return PAGE.partition(f"\n## {heading}")[2].partition("\n## ")[0]


def rows(heading, start):
    lines = section(heading).partition(f"\n{start}")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.fixture
def run(data_set, tmp_path):
    """Run the commands of a section, each once, and return what they print as JSON.

    Those with `named` in their line.
    """

    def run_all(heading, named="--model"):
        found = []
        code = "\n".join(block.code for block in blocks(section(heading)))
        for line in re.findall(r"^evenhand (?!demo).*", code, re.MULTILINE):
            if named not in line and "--model" in line:
                continue
            if line not in RUNS:
                words = shlex.split(line)[1:]
                for name in FILES:
                    if f"{name}.parquet" not in words:
                        continue
                    file = str(data_set(f"{name}_rankings") / "rankings.parquet")
                    words = [file if word == f"{name}.parquet" else word for word in words]
                words = [str(tmp_path) if word.startswith("figure") else word for word in words]
                done = CliRunner().invoke(main, [*words, "--json"], prog_name="evenhand")
                assert done.exit_code == 0, done.output
                RUNS[line] = json.loads(done.stdout)
            found.append(RUNS[line])
        return found

    return run_all


def write(value, digits=3):
    text = f"{value:.{digits}f}".replace("-", "−")
    return re.sub(r"^(−?)0\.", r"\1.", text)


def write_above(point, name="above"):
    if not point[name]:
        return ""
    value, lower, upper = (write(point[key]) for key in (name, f"{name}_lower", f"{name}_upper"))
    return f"{value} ({lower} to {upper})"


def points(found):
    return {(one["model"], one["size"]): one for one in found["points"]}


CURVES = "One command for each figure"


@whole
def test_the_table_of_figures_2_to_4_and_the_claims_are_those_of_the_commands(run):
    *years, combinations = map(points, run(CURVES, "--model paper"))
    told = rows("Figures 2 to 4", "| model | WMT10")
    assert len(told) == 6
    for title, *cells in told:
        model, shown = MODELS.get(title, title.lower()), []
        for year in years:
            ends = (write(year[model, size]["perplexity"]) for size in (400, 3200))
            shown += [", ".join(ends), write_above(year[model, 3200])]
        assert cells == shown
    claims = section("Figures 2 to 4").partition("\n### ")[0].partition("\n- ")[2]
    decimals = " ".join(re.findall(r"\d?\.\d{3}", claims))
    assert len(decimals.split()) > 15
    assert missing(decimals, json.dumps([[*one.values()] for one in (*years, combinations)])) == []
    wmt10, wmt11, _ = years
    near = [wmt10["independent-pairs", 400]["perplexity"]]
    near += [wmt10["adjusted-uniform", 3200]["above_upper"]]
    near += [wmt11["arithmetic-students", 3200]["perplexity"]]
    near += [wmt11["adjusted-uniform", 3200]["above_lower"]]
    assert "{}, {}, {} and {}".format(*(write(one, 5) for one in near)) in section(CURVES)


@whole
def test_figure_5_has_the_distances_of_the_command(run):
    curves, *_ = run("Figure 5")
    found = points(curves)
    for title, *cells in rows("Figure 5", "| above IRT-Gaussian"):
        name, _, group = title.partition(", ")
        model = MODELS[name] + ("" if group == "experts" else f", {group}")
        assert cells == [write_above(found[model, size]) for size in (400, 1600, 3200)]
    assert f"{sum(one['shared'] for one in curves['test_sets']):,} are on held-out" in PAGE
    claims = section("Figure 5").partition("Remarkably")[2]
    assert missing(" ".join(re.findall(r"\d?\.\d{3}", claims)), json.dumps(curves)) == []


def test_shares_of_agreement_are_pooled_over_all_tasks(data_set):
    lines = [line for line in section("Figure 5").splitlines() if "evenhand agreement" in line]
    shown = " ".join(section("Figure 5").split())
    for line in lines:
        (words,) = (shlex.split(line)[1:],)
        words[1] = str(data_set("wmt10_rankings") / "rankings.parquet")
        done = CliRunner().invoke(main, [*words, "--json"], prog_name="evenhand")
        coefficients = json.loads(done.stdout)["parts"][-1]["coefficients"]
        (between,) = (one for one in coefficients if one["name"] == "kappa-strict")
        (counts,) = (one["values"] for one in between["findings"] if one["code"] == "pair-counts")
        agree, of, share = counts["agree"], counts["comparable"], counts["observed"]
        assert f"agree in {agree:,} of {of:,} pairs of answers ({100 * share:.1f} %)" in shown or (
            f"experts in {agree:,} of {of:,} ({100 * share:.1f} %)" in shown
        )
    assert len(lines) == 2


def test_figure_6_has_the_abilities_and_borders_of_its_commands(run, data_set):
    (curves,) = run("Figure 6")
    shown = " ".join(section("Figure 6").split())
    named = {one["system"].replace("_ref", "reference"): one for one in curves["systems"]}
    for name in ("reference", "online-B", "cu-bojar", "cu-marecek", "cu-zeman"):
        one = named[name]
        value, spread, lower, upper = (
            write(one[key], 2) for key in ("ability", "spread", "lower", "upper")
        )
        assert f"{name} {value} ({spread}; {lower} to {upper})" in shown
    near = [named[name] for name in ("online-B", "cu-bojar", "cu-marecek")]
    apart = near[0]["ability"] - near[2]["ability"]
    assert apart < max(one["spread"] for one in near)
    where = re.search(r'where="(.*?)"\)', section("Figure 6")).group(1)
    data = evenhand.read(data_set("wmt11_rankings") / "rankings.parquet", where=where)
    borders = evenhand.check_borders(data, after=(1, 7, 10)).borders
    expected = [
        [str(one.after), f"{one.z:.2f}", f"{one.adjusted:.3f}", one.verdict] for one in borders
    ]
    assert rows("Figure 6", "| border after") == expected


@whole
def test_newer_models_are_as_far_from_the_best_as_shown(run):
    *found, last = run("Newer models")
    worse = [one["model"] for one in last["models"] if not one["among_best"]]
    assert worse == ["asymmetric-students", "adjusted-uniform"]
    assert len(last["models"]) == 11
    assert "uniform" in last["best_set"]
    for title, *cells in rows("Newer models", "| model |"):
        name = MODELS.get(title, title.lower().replace(" ", "-"))
        for cell, compared in zip(cells, found, strict=True):
            (one,) = (each for each in compared["models"] if each["model"] == name)
            assert cell.startswith("**") == one["among_best"]
            plain = cell.replace("**", "")
            best = name == compared["best_set"][0]
            assert plain == (write(one["perplexity"]) if best else write_above(one, "difference"))


TUNING = "Figures 2 to 4"


def test_the_test_sets_of_table_3_are_those_of_the_commands(run):
    said = " ".join(section(CURVES).split())
    runs = run(CURVES, "uniform")
    assert len(runs) == 2
    for found in runs:
        (one,) = found["test_sets"]
        assert f"{one['test']:,} (k = {one['most']}) " in said
        assert f"with {one['train']:,} to train" in said


SETTINGS = [(row[0], cell) for row in rows(TUNING, "| model, setting") for cell in [row[1]]]


@pytest.mark.parametrize(("setting", "shown"), SETTINGS, ids=lambda one: one.split("`")[1:2])
def test_tuning_prints_the_perplexities_of_the_table(setting, shown, data_set):
    """Without EVENHAND_WHOLE the first value of a row."""
    model, option = setting.split("`")[1].split()
    lines = [one for one in section(TUNING).splitlines() if "--sizes 1600" in one]
    words = shlex.split(lines[0])[1:-4]
    words[1] = str(data_set("wmt10_rankings") / "rankings.parquet")
    cells = shown.split(", ")
    for cell in cells if WHOLE else cells[:1]:
        value, perplexity = cell.split(": ")
        asked = [*words, "--model", model, option, value, "--json"]
        done = CliRunner().invoke(main, asked, prog_name="evenhand")
        assert done.exit_code == 0, done.output
        (one,) = json.loads(done.stdout)["points"]
        assert perplexity == write(one["perplexity"])
        if cell == "0.4: 2.477":
            ends = f"is {write(one['lower'])} to {write(one['upper'])} (IRT-Gaussian)"
            assert ends in " ".join(section(TUNING).split())
