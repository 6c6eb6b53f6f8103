"""What the backends raise where memory ends, as Python's own error."""

import contextlib

SIGNS = (  # in the text or the type's name of an error
    "RESOURCE_EXHAUSTED",  # JAX
    "ResourceExhaustedError",  # TensorFlow
    "OOM when allocating",
    "OutOfMemoryError",  # PyTorch on a GPU
    "can't allocate memory",  # PyTorch
)
SHOWN_LETTERS = 120


@contextlib.contextmanager
def raise_memory_error(advice):
    """Inside the context a backend's error of too little memory is a `MemoryError`.

    Args:
        advice: what needs less, for the error's text.
    """
    try:
        yield
    except Exception as error:
        if not any(sign in f"{type(error).__name__} {error}" for sign in SIGNS):
            raise
        reason = str(error).strip().split("\n")[0][:SHOWN_LETTERS]
        raise MemoryError(f"{advice} ({reason})") from error
