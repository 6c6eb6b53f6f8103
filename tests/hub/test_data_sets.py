import pytest

from dsa.data.corpora.hub_rows import fetch_rows
from dsa.errors import InputError
from tests.support.hub_runs import TOKEN

COMMIT = "0123456789" * 4


def test_an_error_of_the_hub_is_one_line_without_the_token(hub):
    pytest.importorskip("datasets")
    hub.failure = 403  # with the token in its text
    with pytest.raises(
        InputError, match="^hf://maria/pairs/train: .*<token>"
    ) as caught:
        fetch_rows("hf://maria/pairs/train")
    assert TOKEN not in str(caught.value) and "\n" not in str(caught.value)


def test_rows_are_not_requested_from_a_hub_that_does_not_answer(hub, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: pytest.fail("asked"))
    hub.failure = 503
    with pytest.raises(InputError, match=f"^hf://maria/other@{COMMIT}/train: "):
        fetch_rows(f"hf://maria/other@{COMMIT}/train")
