import numpy as np
import pytest
from scipy import stats

from dsa.errors import InputError
from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.tasks.seed_comparison import compare_over_seeds
from tools import word_frequencies
from tools.word_frequencies import (
    ARRAYS,
    QUANTITIES,
    check_tables,
    correlate_premise,
    main,
    make_table,
    read_arrays,
)

PREMISES = 6


def write_runs(folder, models=("dsa", "dsa_no_distance"), seeds=(1, 2, 3)):
    random, arrays = np.random.default_rng(0), {}
    for model in models:
        for seed in seeds:
            values = random.uniform(-1, 1, (PREMISES, len(QUANTITIES)))
            values = values.astype(np.float32)
            arrays[f"{model}/seed-{seed}"] = values
    folder.mkdir(exist_ok=True)
    np.savez(folder / ARRAYS, **read_arrays(folder), **arrays)
    return {
        model: np.stack([arrays[f"{model}/seed-{seed}"] for seed in seeds])
        for model in models
    }


def test_a_correlation_is_spearmans_over_the_tokens_of_both_directions():
    maps = [
        TokenMap("gate", MapKind.TOKEN, np.array([0.1, 0.5, 0.3, 0.9]), "forward"),
        TokenMap("gate", MapKind.TOKEN, np.array([0.3, 0.1, 0.3, 0.5]), "backward"),
        *(TokenMap(name, MapKind.TOKEN, np.ones(4)) for name in QUANTITIES[1:]),
    ]
    explanation = Explanation.build(maps, {"sentence": ["a", "dog", "runs", "zzz"]})
    first, *others = correlate_premise(explanation, {"a": 90, "dog": 7, "runs": 8})
    expected = stats.spearmanr([90, 7, 8, 0], [0.2, 0.3, 0.3, 0.7]).statistic
    assert first == pytest.approx(expected)
    assert np.isnan(others).all()  # the same number for all tokens


def test_the_table_has_means_and_what_the_mask_changes(tmp_path):
    arrays = write_runs(tmp_path)
    lines = {(line["quantity"], line["of"]): line for line in make_table(tmp_path)}
    assert len(lines) == 3 * len(QUANTITIES)
    by_premise = (arrays["dsa"] - arrays["dsa_no_distance"])[..., 0]
    difference = by_premise.mean(axis=1)
    line = lines["gate", "dsa minus dsa_no_distance"]
    assert float(line["mean"]) == pytest.approx(difference.mean(), abs=1e-4)
    interval = stats.ttest_1samp(difference, 0).confidence_interval(0.95)
    low, high = compare_over_seeds(0 * by_premise, by_premise).bootstrap
    assert float(line["low"]) == pytest.approx(min(low, interval.low), abs=1e-4)
    assert float(line["high"]) == pytest.approx(max(high, interval.high), abs=1e-4)
    assert line["premises"] == str(PREMISES)
    of_dsa = arrays["dsa"][..., 1].mean()
    assert float(lines["deactivated", "dsa"]["mean"]) == pytest.approx(of_dsa, abs=1e-4)


def test_a_changed_array_is_found(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(word_frequencies, "RESULTS", tmp_path)
    arrays = write_runs(tmp_path / "seeds")
    assert main([str(tmp_path / "seeds")]) == 0
    assert main(["--check"]) == 0
    changed = {"dsa/seed-1": arrays["dsa"][0] + 0.01}
    arrays = read_arrays(tmp_path / "seeds") | changed
    np.savez(tmp_path / "seeds" / ARRAYS, **arrays)
    assert len(check_tables(tmp_path)) == 2 * len(QUANTITIES)
    capsys.readouterr()
    assert main(["--check"]) == 2
    error = capsys.readouterr().err
    assert "word_frequencies.csv, line 2: differs from the arrays" in error


def test_models_with_other_seeds_are_an_error(tmp_path):
    write_runs(tmp_path, ["dsa"], [1, 2])
    write_runs(tmp_path, ["dsa_no_distance"], [1])
    with pytest.raises(InputError, match=r"the same seeds"):
        make_table(tmp_path)


def test_the_committed_tables_are_what_their_arrays_give():
    assert check_tables(word_frequencies.RESULTS) == []
