"""File with the state of a training: the variables required by the next step."""

import dataclasses
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays


@dataclasses.dataclass(frozen=True)
class Record:
    """Progress of a training, saved with the variables.

    Args:
        evaluations: number of completed intervals.
        step: number of completed steps.
        stopped: whether training has ended before its last step.
        history: rows of `history.csv`.
        callbacks: dictionary of the counters of each schedule callback.
    """

    evaluations: int
    step: int
    stopped: bool
    history: list[dict[str, Any]]
    callbacks: list[dict[str, Any]]


def save_state(path: Path, model: Any, record: Record) -> None:
    """Saves the variables of a model and its optimizer and a record, atomically.

    Unlike the file of weights, the state contains the seeds of dropout.
    """
    from keras import ops

    arrays = {key: ops.convert_to_numpy(v) for key, v in _variables(model).items()}
    write_arrays(path, arrays, dataclasses.asdict(record))


def load_state(path: Path, model: Any) -> None:
    """Loads a saved state into a model and its optimizer.

    Raises: `InputError` if the file is damaged or belongs to another model.
    """
    variables = _variables(model)
    arrays, _ = read_state(path)
    shapes = {key: tuple(v.shape) for key, v in variables.items()}
    saved_shapes = {key: array.shape for key, array in arrays.items()}
    if shapes != saved_shapes:
        raise InputError(f"{path}: the training state of a different model")
    for key, variable in variables.items():
        variable.assign(arrays[key])


def read_state(path: Path) -> tuple[dict[str, Any], Record]:
    """Reads a saved state.

    Returns: the arrays of the variables by name, and the `Record`.

    Raises: `InputError` if the file is damaged.
    """
    arrays, content = read_arrays(path, "training state")
    names = [field.name for field in dataclasses.fields(Record)]
    if not isinstance(content, dict) or not set(names) <= set(content):
        raise InputError(f"{path}: damaged training state: the record is incomplete")
    record = Record(**{name: content[name] for name in names})
    invalid = _list_invalid_fields(record)
    if invalid:
        raise InputError(
            f"{path}: damaged training state: invalid {' and '.join(invalid)}"
        )
    return arrays, record


def _list_invalid_fields(record):
    """Returns the names of the fields of a `Record` that have invalid values."""
    is_valid = {
        "evaluations": _is_count(record.evaluations),
        "step": _is_count(record.step),
        "stopped": isinstance(record.stopped, bool),
        "history": _are_numbers_by_name(record.history) and _is_history(record),
        "callbacks": _are_numbers_by_name(record.callbacks),
    }
    return [name for name, valid in is_valid.items() if not valid]


def _is_history(record):
    """Returns whether the history has equal columns and ends at the recorded step."""
    rows = record.history
    numbers = [row.get("evaluation") for row in rows]
    return (
        numbers == list(range(1, len(numbers) + 1))
        and len(numbers) == record.evaluations > 0
        and rows[-1].get("step") == record.step
        and all(list(row) == list(rows[0]) for row in rows)
        and all(type(row.get("seconds")) is float for row in rows)
    )


def _is_count(value):
    return type(value) is int and value > 0


def _are_numbers_by_name(rows):
    """Returns whether a value is a list of dictionaries of numbers and `None`."""
    return isinstance(rows, list) and all(
        isinstance(row, dict)
        and all(value is None or type(value) in (int, float) for value in row.values())
        for row in rows
    )


def _variables(model):
    """Returns the variables of a model, without metrics, and of its optimizer."""
    metrics = {id(variable) for variable in model.metrics_variables}
    saved = [v for v in model.variables if id(v) not in metrics]
    variables = {f"model/{number}": v for number, v in enumerate(saved)}
    for number, variable in enumerate(model.optimizer.variables):
        variables[f"optimizer/{number}"] = variable
    return variables
