"""The bench of item-response models: its file, and that contenders estimate the same abilities."""

from benchmarks.peers import irt_draws, irt_evenhand, irt_plain
from benchmarks.suites import item_response


def test_the_plain_sampler_and_evenhand_estimate_the_same_abilities(tmp_path, monkeypatch):
    monkeypatch.setattr(item_response, "RANKINGS", 20)
    path = str(item_response.parquet(tmp_path))
    plain, ours = (
        irt_draws.look_at(module.run(path, 2, 200, 50))() for module in (irt_plain, irt_evenhand)
    )
    assert max(abs(plain.values[name] - value) for name, value in ours.values.items()) < 0.5
    assert plain.also.keys() == ours.also.keys() == {"effective", "r_hat"}
