"""Abstract methods of a task."""

import pytest

from dsa.tasks.task import Task


class Unfinished(Task):
    """A task without methods."""

    name = "unfinished"


def test_a_task_without_the_abstract_methods_cannot_be_constructed():
    """Otherwise it would fail at the first row, or after the first epoch."""
    with pytest.raises(TypeError, match="abstract methods .*answer.*metrics"):
        Unfinished()
