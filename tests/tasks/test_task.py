"""What every task must have."""

import pytest

from dsa.tasks.task import Task


class Unfinished(Task):
    """It lacks all that a task does."""

    name = "unfinished"


def test_a_task_without_its_methods_cannot_be_made():
    """Else it would fail at the first row, or after the first epoch."""
    with pytest.raises(TypeError, match="abstract methods .*answer.*metrics"):
        Unfinished()
