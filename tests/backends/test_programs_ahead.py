"""Tests of the parallel compilation of all padded shapes."""

import threading

import keras
import numpy as np
import pytest

from dsa.backends.compilation import ProgramsAhead, compiling_ahead
from tests.support.runs import write_experiment

pytestmark = [
    pytest.mark.keras,
    pytest.mark.skipif(keras.backend.backend() != "jax", reason="JAX's programs"),
]


class Step:
    """A jitted step that counts its calls, and its traces by shape."""

    def __init__(self):
        import jax

        self.traced, self.called = [], 0
        self.jitted = jax.jit(self._step, donate_argnums=0)

    def _step(self, state, batch):
        self.traced.append(batch[0]["ids"].shape)
        return batch[0]["ids"].sum(), state + batch[1].sum()

    def lower(self, state, batch):
        return self.jitted.lower(state, batch)

    def __call__(self, state, batch):
        self.called += 1
        return self.jitted(state, batch)


def make_batch(length, rows=2):
    ids = np.arange(rows * length, dtype=np.int32).reshape(rows, length)
    return {"ids": ids}, np.ones(rows, np.float32)


def test_the_first_call_traces_its_own_shape_then_all_other_shapes():
    step = Step()
    run_step = ProgramsAhead(map(make_batch, [3, 5, 3, 7])).wrap(step)
    state = keras.ops.zeros(())
    for length in (5, 3, 7, 5):
        logs, state = run_step(state, make_batch(length))
        assert int(logs) == sum(range(2 * length))
        assert step.traced == [(2, 5), (2, 3), (2, 7)]
    assert float(state) == 8 and step.called == 0


def test_an_unknown_shape_is_compiled_when_it_is_used():
    step = Step()
    run_step = ProgramsAhead([make_batch(3)]).wrap(step)
    _, state = run_step(keras.ops.zeros(()), make_batch(4))
    assert step.traced == [(2, 4), (2, 3)] and step.called == 0
    logs, state = run_step(state, make_batch(3, rows=1))
    assert (int(logs), float(state), step.called) == (3, 3, 1)


def test_stop_cancels_pending_compilations(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    step, begun, go = Step(), [], threading.Event()

    class Slow:
        def __init__(self, lowered):
            self.lowered = lowered

        def compile(self):
            begun.append(self)
            if len(begun) > 1:
                go.wait(60)
            return self.lowered.compile()

    lower = step.lower
    monkeypatch.setattr(step, "lower", lambda *arguments: Slow(lower(*arguments)))
    programs = ProgramsAhead(map(make_batch, range(3, 9)))
    programs.wrap(step)(keras.ops.zeros(()), make_batch(3))
    programs.stop()
    go.set()
    assert len(begun) <= 2


def test_an_error_of_the_compiler_is_raised_by_the_step(monkeypatch):
    class Failing:
        def compile(self):
            raise MemoryError("too large")

    step = Step()
    monkeypatch.setattr(step, "lower", lambda *arguments: Failing())
    with pytest.raises(MemoryError, match="too large"):
        ProgramsAhead([make_batch(3)]).wrap(step)(None, make_batch(3))


def make_model():
    from dsa.backends.compilation import CompiledAheadModel

    class Small(CompiledAheadModel):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

    keras.utils.set_random_seed(3)
    model = Small()
    model.compile(keras.optimizers.Adam(0.1), "mse", jit_compile=True)
    return model


def test_fit_computes_the_same_weights(monkeypatch):
    random = np.random.default_rng(0)
    batches = [
        (random.normal(size=(rows, 4)).astype("float32"), np.ones(rows, "float32"))
        for rows in (3, 5, 3, 5, 5)
    ]
    weights = []
    for prepared in (False, True):
        model = make_model()
        model(batches[0][0])
        with compiling_ahead(model, batches if prepared else []):
            if prepared:
                compile_only(monkeypatch, model.programs)
            model.fit(
                (each for each in batches), steps_per_epoch=5, epochs=1, verbose=0
            )
        weights.append(np.concatenate([w.ravel() for w in model.get_weights()]))
    np.testing.assert_array_equal(*weights)


def compile_only(monkeypatch, programs):
    """Makes each step fail that is not compiled ahead."""
    wrap = programs.wrap

    def wrap_lowered(*arguments):
        return wrap(*arguments[:-1], OnlyLowered(arguments[-1]))

    monkeypatch.setattr(programs, "wrap", wrap_lowered)


def test_a_training_compiles_all_programs_ahead(tmp_path, monkeypatch, scripts):
    compile_only(monkeypatch, ProgramsAhead)
    training = {"steps": 5, "shapes": 2, "epochs": 1}
    config = write_experiment(tmp_path, training=training)
    arguments = [
        str(config),
        "--data-root",
        str(tmp_path),
        "--run",
        str(tmp_path / "r"),
    ]
    assert scripts.train.main(arguments) == 0
    assert "programs, one for each padded shape" in (tmp_path / "r/log.txt").read_text()


class OnlyLowered:
    """A jitted step that fails if it is called instead of lowered."""

    def __init__(self, step):
        self.lower = step.lower

    def __call__(self, state, batch):
        raise AssertionError("not compiled ahead")
