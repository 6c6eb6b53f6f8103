"""The state of a training in one file: everything that its next step depends on."""

from keras import ops

from dsa.errors import InputError
from dsa.storage.arrays import read_arrays, write_arrays

RECORD = {"evaluations", "step", "stopped", "history", "callbacks"}


def save_state(path, model, record):
    """Write the variables of a model and its optimizer, and a record, atomically.

    The model's variables include the dropouts' random states, which weights alone do
    not.

    Args:
        path: an `.npz` file.
        model: a compiled Keras model.
        record: a JSON-able dictionary with the keys `RECORD`.
    """
    arrays = {key: ops.convert_to_numpy(v) for key, v in _variables(model).items()}
    write_arrays(path, arrays, record)


def load_state(path, model):
    """Put a saved state into a model and its optimizer.

    Returns: the record.

    Raises: `InputError` if the file is damaged or belongs to another model.
    """
    variables = _variables(model)
    arrays, record = read_arrays(path, "training state")
    shapes = {key: tuple(v.shape) for key, v in variables.items()}
    if not isinstance(record, dict) or not RECORD <= set(record):
        raise InputError(f"{path}: damaged training state: its record is incomplete")
    if shapes != {key: array.shape for key, array in arrays.items()}:
        raise InputError(f"{path}: the training state of another model")
    for key, variable in variables.items():
        variable.assign(arrays[key])
    return record


def _variables(model):
    metrics = {id(variable) for variable in model.metrics_variables}
    kept = [v for v in model.variables if id(v) not in metrics]
    return {
        **{f"model/{number}": v for number, v in enumerate(kept)},
        **{f"optimizer/{n}": v for n, v in enumerate(model.optimizer.variables)},
    }
