"""The state of a training in one file: everything that its next step depends on."""

import dataclasses

from keras import ops

from dsa.errors import InputError
from dsa.storage.arrays import read_arrays, write_arrays


@dataclasses.dataclass(frozen=True)
class Record:
    """Where a training is, besides its variables.

    Args:
        evaluations: intervals that have ended.
        step: steps that have been taken.
        stopped: whether training has ended before its last step.
        history: the rows of `history.csv`.
        callbacks: the counters of the callbacks that decide, a dictionary each.
    """

    evaluations: int
    step: int
    stopped: bool
    history: list[dict]
    callbacks: list[dict]


def save_state(path, model, record):
    """Write the variables of a model and its optimizer, and a record, atomically.

    The model's variables include the dropouts' random states; its weights do not.

    Args:
        path: an `.npz` file.
        model: a compiled Keras model.
        record: the `Record`.
    """
    arrays = {key: ops.convert_to_numpy(v) for key, v in _variables(model).items()}
    write_arrays(path, arrays, dataclasses.asdict(record))


def load_state(path, model):
    """Put a saved state into a model and its optimizer.

    Returns: the `Record`.

    Raises: `InputError` if the file is damaged or belongs to another model.
    """
    variables = _variables(model)
    arrays, record = read_arrays(path, "training state")
    shapes = {key: tuple(v.shape) for key, v in variables.items()}
    names = {field.name for field in dataclasses.fields(Record)}
    if not isinstance(record, dict) or not names <= set(record):
        raise InputError(f"{path}: damaged training state: its record is incomplete")
    if shapes != {key: array.shape for key, array in arrays.items()}:
        raise InputError(f"{path}: the training state of another model")
    for key, variable in variables.items():
        variable.assign(arrays[key])
    return Record(**{name: record[name] for name in names})


def _variables(model):
    metrics = {id(variable) for variable in model.metrics_variables}
    kept = [v for v in model.variables if id(v) not in metrics]
    return {
        **{f"model/{number}": v for number, v in enumerate(kept)},
        **{f"optimizer/{n}": v for n, v in enumerate(model.optimizer.variables)},
    }
