import pytest

from dsa.data.prepared import tokenizer
from dsa.errors import InputError
from dsa.system.worker_processes import count_processes


def test_the_variable_sets_the_number_of_processes(monkeypatch):
    monkeypatch.delenv("DSA_PROCESSES", raising=False)
    assert count_processes() == -1
    monkeypatch.setenv("DSA_PROCESSES", "3")
    assert count_processes() == 3


@pytest.mark.parametrize(
    "value", ["0", "-1", "two", "1.5", "\u0663", "1_0", "9" * 6000]
)
def test_an_invalid_value_is_an_error(monkeypatch, value):
    monkeypatch.setenv("DSA_PROCESSES", value)
    with pytest.raises(InputError, match="whole number from 1 to 1000. Received"):
        count_processes()


def test_the_tokenizer_uses_this_number_of_processes(monkeypatch):
    import joblib

    numbers = []
    parallel = joblib.Parallel

    def record(**options):
        numbers.append(options["n_jobs"])
        return parallel(**{**options, "n_jobs": 1})

    monkeypatch.setattr(joblib, "Parallel", record)
    monkeypatch.setattr(tokenizer, "SENTENCES_PER_CHUNK", 2)
    monkeypatch.setenv("DSA_PROCESSES", "3")
    words, sentences = tokenizer.tokenize_all(
        tokenizer.Tokenizer("whitespace"), ["a b", "b c", "c d", "d"]
    )
    assert numbers == [3]
    assert words == ["a", "b", "c", "d"] and len(sentences) == 4
