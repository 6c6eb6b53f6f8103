"""Errors of the hub contain no token, not even in part."""

import traceback

import pytest

from dsa.errors import InputError
from dsa.hub.repository import Repository, convert_hub_errors
from dsa.system.extras import MAX_QUOTED
from tests.support.hub_runs import TOKEN

AT_THE_CUT = "x" * (MAX_QUOTED - len(TOKEN) // 2)


@pytest.mark.parametrize(
    "error", [ValueError(f"{AT_THE_CUT}{TOKEN}"), InputError(f"a file named {TOKEN}")]
)
def test_a_token_is_replaced_before_a_text_is_shortened(hub, error):
    repository = Repository("maria/dsa")
    with pytest.raises(InputError) as caught, convert_hub_errors(repository):
        raise error
    shown = "".join(traceback.format_exception(caught.value))
    assert TOKEN[:8] not in str(caught.value) + shown
    assert "<token>"[:4] in str(caught.value)


def test_other_input_errors_are_unchanged(hub):
    error = InputError("no such file")
    repository = Repository("maria/dsa")
    with pytest.raises(InputError) as caught, convert_hub_errors(repository):
        raise error
    assert caught.value is error
