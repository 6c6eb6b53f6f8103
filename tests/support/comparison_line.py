"""A line of results/comparisons.csv."""

LINE = {
    "first": "b",
    "other": "a",
    "split": "test",
    "minus": "",
    "rows": "all",
    "metric": "accuracy",
    "first_mean": "0.900000",
    "other_mean": "0.912500",
    "difference": "0.012500",
    "low": "0.000500",
    "high": "0.024000",
    "significant": "yes",
    "seeds": "16, 17",
    "units": "3000",
}
