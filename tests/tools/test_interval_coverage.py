import numpy as np
import pytest

from tools.interval_coverage import (
    SHARES,
    main,
    simulate_differences,
    simulate_studies,
)


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_the_mean_difference_has_variance_1_and_the_given_share_of_seeds(share):
    random, seeds = np.random.default_rng(1), 3
    studies = [simulate_differences(random, seeds, 50, share) for _ in range(4000)]
    means = np.array([study.mean() for study in studies])
    assert means.mean() == pytest.approx(0, abs=0.05)
    assert means.var() == pytest.approx(1, abs=0.1)
    between = np.var([study.mean(axis=1) for study in studies], axis=1, ddof=1).mean()
    noise = (1 - share) / (1 + 1 / seeds)  # of each seed's mean
    assert between == pytest.approx(share * seeds + noise, rel=0.1)


def test_the_bootstrap_is_too_narrow_if_seeds_dominate_and_the_rule_is_not():
    bootstrap, t, widest, significant = simulate_studies(60, 3, 0.95, rows=20)
    assert bootstrap < 0.9 < t
    assert widest >= max(bootstrap, t) and significant <= 0.12
    assert significant == pytest.approx(1 - widest)


def test_the_file_has_a_line_for_each_number_of_seeds_and_share(tmp_path):
    path = tmp_path / "coverage.csv"
    assert main(["--seeds", "3", "--studies", "2", "--out", str(path)]) == 0
    header, *lines = path.read_text().splitlines()
    assert header == "seeds,share,studies,bootstrap,t,widest,false_positives"
    assert [line.split(",")[:3] for line in lines] == [
        ["3", str(share), "2"] for share in SHARES
    ]
