"""A campaign whose pairs a policy chooses, on the command line."""

import csv
from pathlib import Path

from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.web.downloads import open_download
from evenhand.web.store.store import Store
from policy_campaigns import Truth, make_chosen, open_campaign


def write(folder: Path, design: str, task: str = 'kind = "pair"') -> str:
    rows = [("item", "A", "B", "C"), *((n, f"a{n}", f"b{n}", f"c{n}") for n in range(12))]
    with (folder / "items.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    path = folder / "chosen.toml"
    told = f'items = "items.csv"\n[design]\n{design}\n[[tasks]]\nname = "better"\n{task}\n'
    path.write_text(told)
    return str(path)


def test_a_check_says_what_is_chosen_later(tmp_path: Path) -> None:
    path = write(tmp_path, 'policy = "order"\njudgments = 30\nrandom_share = 0.25')
    found = CliRunner().invoke(main, ["check", path, "--verbose"])
    assert found.exit_code == 0, found.output
    told = " ".join(found.output.split())
    assert "30 pairs are chosen while judgments come in: order, 25% of it at random" in told
    assert "the campaign can be launched" in told


def test_watch_and_rank_read_what_was_collected(tmp_path: Path) -> None:
    campaign = make_chosen(items=60, judgments=300)
    table = tmp_path / "comparisons.csv"
    with Store.open(str(tmp_path / "campaign.db")) as store:
        open_campaign(store, campaign)
        Truth(1).judge_all(store, [one.name for one in campaign.judges])
        table.write_bytes(b"".join(open_download(store, "comparisons.csv") or ()))
    for verb in (["watch"], ["rank"]):
        found = CliRunner().invoke(main, [*verb, str(table), "--json"])
        assert found.exit_code == 0, found.output
        assert '"A"' in found.output
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["chosen"] for row in rows}
    assert found - {"narrowed"} == {"policy", "random", "start-up", "design"}
