"""Saves and loads the training state: all variables that the next step requires."""

import dataclasses
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays


@dataclasses.dataclass(frozen=True)
class TrainingRecord:
    """Progress of training, saved together with the variables.

    Args:
        evaluations: number of completed intervals.
        step: number of completed steps.
        stopped: whether training has ended before the last step.
        history: rows of `history.csv`.
        callbacks: counters of the schedule callbacks, a dictionary for each callback.
    """

    evaluations: int
    step: int
    stopped: bool
    history: list[dict[str, Any]]
    callbacks: list[dict[str, Any]]


def save_state(path: Path, model: Any, record: TrainingRecord) -> None:
    """Saves the variables of a model and its optimizer, and a record, atomically.

    Unlike the weight file, the state contains the seeds of the dropout layers.

    Args:
        path: path of the state file.
        model: the compiled model.
        record: the `TrainingRecord`.
    """
    from keras import ops

    arrays = {
        name: ops.convert_to_numpy(variable)
        for name, variable in _name_variables(model).items()
    }
    write_arrays(path, arrays, dataclasses.asdict(record))


def load_state(path: Path, model: Any) -> None:
    """Loads the variables of a saved state into a compiled model and its optimizer.

    Args:
        path: path of the state file.
        model: the compiled model, with a built optimizer.

    Raises: `InputError` if the file is damaged or belongs to a different model.
    """
    variables = _name_variables(model)
    arrays, _ = read_state(path)
    shapes = {name: tuple(variable.shape) for name, variable in variables.items()}
    saved_shapes = {name: array.shape for name, array in arrays.items()}
    if shapes != saved_shapes:
        raise InputError(f"{path}: the training state belongs to a different model")
    for name, variable in variables.items():
        variable.assign(arrays[name])


def read_state(path: Path) -> tuple[dict[str, Any], TrainingRecord]:
    """Reads a saved state.

    Returns: the arrays of the variables, `{name: array}`, and the `TrainingRecord`.

    Raises: `InputError` if the file is damaged.
    """
    arrays, content = read_arrays(path, "training state")
    names = [field.name for field in dataclasses.fields(TrainingRecord)]
    if not isinstance(content, dict) or not set(names) <= set(content):
        raise InputError(f"{path}: damaged training state: the record is incomplete")
    record = TrainingRecord(**{name: content[name] for name in names})
    invalid_fields = _list_invalid_fields(record)
    if invalid_fields:
        raise InputError(
            f"{path}: damaged training state: invalid {' and '.join(invalid_fields)}"
        )
    return arrays, record


def _list_invalid_fields(record):
    """Returns the names of the fields of a `TrainingRecord` with an invalid value."""
    is_valid = {
        "evaluations": _is_positive_integer(record.evaluations),
        "step": _is_positive_integer(record.step),
        "stopped": isinstance(record.stopped, bool),
        "history": _is_list_of_rows(record.history) and _has_valid_history(record),
        "callbacks": _is_list_of_rows(record.callbacks),
    }
    return [name for name, valid in is_valid.items() if not valid]


def _has_valid_history(record):
    """Returns whether all rows have the same columns and the last row has the recorded
    step."""
    rows = record.history
    evaluations = [row.get("evaluation") for row in rows]
    return (
        _is_positive_integer(record.evaluations)
        and evaluations == list(range(1, record.evaluations + 1))
        and rows[-1].get("step") == record.step
        and all(list(row) == list(rows[0]) for row in rows)
        and all(type(row.get("seconds")) is float for row in rows)
    )


def _is_positive_integer(value):
    return type(value) is int and value > 0


def _is_list_of_rows(value):
    """Returns whether a value is a list of dictionaries of numbers or `None`."""
    if not isinstance(value, list):
        return False
    for row in value:
        if not isinstance(row, dict):
            return False
        if any(type(cell) not in (int, float, type(None)) for cell in row.values()):
            return False
    return True


def _name_variables(model):
    """Returns the variables of a model, without metrics, and of its optimizer.

    Returns: `{name: variable}`, with names such as "model/0" and "optimizer/0".
    """
    metric_ids = {id(variable) for variable in model.metrics_variables}
    model_variables = [
        variable for variable in model.variables if id(variable) not in metric_ids
    ]
    variables = {}
    for index, variable in enumerate(model_variables):
        variables[f"model/{index}"] = variable
    for index, variable in enumerate(model.optimizer.variables):
        variables[f"optimizer/{index}"] = variable
    return variables
