import pytest

from dsa.backends.memory_errors import raise_memory_error


class ResourceExhaustedError(Exception):
    pass


@pytest.mark.parametrize(
    "error",
    [
        ResourceExhaustedError("node\nmore"),
        RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_an_error_of_too_little_memory_is_pythons_in_one_line(error):
    with pytest.raises(MemoryError, match=r"^fewer rows \(.*\)$") as raised:
        with raise_memory_error("fewer rows"):
            raise error
    assert "\n" not in str(raised.value) and raised.value.__cause__ is error


def test_other_errors_stay():
    with pytest.raises(RuntimeError, match="^another$"):
        with raise_memory_error("fewer rows"):
            raise RuntimeError("another")
