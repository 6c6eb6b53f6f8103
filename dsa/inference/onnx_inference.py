"""Inference by onnxruntime, which starts without Keras.

`dsa export RUN --in-run` writes the ONNX form into the folder `onnx` of a run.
"""

import functools
import logging
import math
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.batching.shapes import split_by_memory
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.explanation import TokenMap
from dsa.runs.run_folder import RunFolder
from dsa.system.reading import compute_sha256, read_json_object
from dsa.tasks.task import SINGLE

FOLDER, SETTINGS = "onnx", "settings.json"
SHA256 = "sha256"  # key of the settings: SHA-256 of each file
WEIGHTS = "run_weights"  # SHA-256 of the weights of the run
SHARED = "run_arrays"  # `{file: {array: its place in the weights of the run}}`
RUNTIMES = ("auto", "keras", "onnx")
ROWS_PER_BATCH = 32
MAX_SECONDS = 300.0  # for a batch
log = logging.getLogger(__name__)


def choose_onnx(run: RunFolder, runtime: str) -> Path | None:
    """Chooses between the ONNX form of a run and Keras.

    Args:
        run: the run.
        runtime: one of `RUNTIMES`. "auto" chooses the ONNX form if it has the weights
            and the precision of the run.

    Returns: the folder of the ONNX form, or `None` for Keras.

    Raises: `InputError` for another runtime, and for "onnx" if the ONNX form cannot be
        used.
    """
    if runtime not in RUNTIMES:
        raise InputError(
            f"'runtime' must be one of {', '.join(RUNTIMES)}. Received: {runtime!r}"
        )
    if runtime == "keras":
        return None
    reason = _explain_unusable(run)
    if reason is None:
        log.debug("%s: computed by onnxruntime", run.path)
        return run.path / FOLDER
    if runtime == "onnx":
        raise InputError(f"{run.path}: runtime onnx: {reason}")
    log.debug("%s: computed by Keras: %s", run.path, reason)
    return None


def _explain_unusable(run):
    """Returns why the ONNX form of a run cannot be used, or `None` if it can."""
    settings = run.path / FOLDER / SETTINGS
    if not settings.is_file():
        return "`dsa export RUN --in-run` writes the form that it needs"
    if run.experiment().training.precision != "float32":
        return "the run computes with another precision"
    if read_json_object(settings).get(WEIGHTS) != compute_sha256(run.weights):
        return "its ONNX files are outdated: `dsa export RUN --in-run` updates them"
    return None


def can_have_onnx(experiment: Experiment) -> bool:
    """Returns whether `dsa export RUN --in-run` supports the runs of an experiment."""
    return (
        experiment.family.has_word_vectors
        and not experiment.data.view
        and experiment.training.precision == "float32"
    )


class OnnxInference:
    """Logits and sentence vectors of a run, computed with its ONNX form.

    The results equal those of `EncoderInference` and `PairInference` up to rounding.

    Args:
        folder: folder of the ONNX form.
        weights: file of the run's weights, which the ONNX form shares.
        experiment: the experiment of the run.
        load_network: loads the Keras model, for explanations and empty inputs.

    Raises: `InputError` for damaged files and files of another export.
    """

    def __init__(
        self,
        folder: Path,
        weights: Path,
        experiment: Experiment,
        load_network: Callable[[], Any],
    ) -> None:
        self._folder, self._weights = folder, weights
        self._experiment = experiment
        self._load_network = load_network
        self._settings = read_json_object(folder / SETTINGS)
        self._sessions: dict[str, Any] = {}
        self._arrays: dict[int, Any] = {}  # by offset in the weights

    @functools.cached_property
    def network(self) -> Any:
        """The Keras model."""
        return self._load_network()

    @functools.cached_property
    def _keras(self):
        from dsa.inference.corpus_inference import build_inference

        family = self._experiment.family
        return build_inference(family, self.network, quick_start=True)

    def logits(self, rows: ModelRows, batch_size: int | None = None) -> np.ndarray:
        """Returns the logits of `ModelRows`, float32 `(N, outputs)`.

        Args:
            rows: the rows.
            batch_size: maximum number of rows per batch; 32 for `None`.
        """
        if not len(rows):
            return self._keras.logits(rows)
        logits = self._compute("model", rows.pad, rows.lengths, batch_size)
        if logits.shape != (len(rows), self._experiment.task.outputs):
            raise InputError(f"{self._folder}: the ONNX form of another model")
        return logits

    def vectors(
        self, sentences: Sentences, batch_size: int | None = None
    ) -> np.ndarray:
        """Returns the vectors of `Sentences`, float32 `(len(sentences), S)`.

        Args:
            sentences: the sentences.
            batch_size: see `logits`.
        """
        if not len(sentences):
            return self._keras.vectors(sentences)

        def pad(positions, lengths):
            return {SINGLE[0]: sentences.pad(positions, int(lengths[0]))}

        return self._compute("encoder", pad, sentences.lengths[:, None], batch_size)

    def explain(self, rows: ModelRows) -> tuple[np.ndarray, list[TokenMap]]:
        """Computes an explanation with Keras; see `EncoderInference.explain`."""
        return self._keras.explain(rows)

    def explain_sentence(self, sentences: Sentences) -> list[TokenMap]:
        """Computes an explanation with Keras; see
        `EncoderInference.explain_sentence`."""
        return self._keras.explain_sentence(sentences)

    def _compute(self, name, pad, lengths, batch_size):
        """Returns the outputs of an ONNX file for rows with lengths `(N, T)`."""
        session = self._open(name)
        order = np.lexsort(lengths.T)
        size = batch_size or ROWS_PER_BATCH
        outputs = []
        for start in range(0, len(order), size):
            longest = lengths[order[start : start + size]].max(axis=0)
            for rows in split_by_memory(
                order[start : start + size], int(longest.max()) ** 2
            ):
                batch = pad(rows, lengths[rows].max(axis=0))
                outputs.append(self._run(name, session, batch, len(rows)))
        return np.concatenate(outputs)[np.argsort(order)]

    def _run(self, name, session, batch, count):
        """Returns the outputs of a batch, finite numbers `(count, features)`."""
        import onnxruntime

        options = onnxruntime.RunOptions()

        def stop():
            options.terminate = True

        timer = threading.Timer(MAX_SECONDS, stop)  # a loop of any length is valid
        timer.daemon = True
        timer.start()
        try:
            output = np.asarray(session.run(None, batch, options)[0])
            if output.ndim != 2 or len(output) != count:
                raise ValueError(f"outputs of shape {output.shape} for {count} rows")
            if not np.isfinite(output).all():
                raise ValueError("outputs are NaN or infinite")
        except Exception as error:  # onnxruntime's errors have no common class
            raise self._make_error(name, "cannot be computed", error) from error
        finally:
            timer.cancel()
        return output

    def _make_error(self, name, problem, error):
        reason = str(error).strip().split("\n")[0]
        return InputError(f"{self._folder / name}.onnx: {problem}: {reason}")

    def _open(self, name):
        import onnxruntime

        path = self._folder / f"{name}.onnx"
        if name in self._sessions:
            return self._sessions[name]
        try:
            if compute_sha256(path) != self._settings[SHA256][path.name]:
                raise ValueError("settings.json is of another file")
            options = onnxruntime.SessionOptions()
            # more optimization takes longer and makes DSA no faster
            options.graph_optimization_level = (
                onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
            )
            # as jobs limit the threads of other libraries
            options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", 0))
            # spinning threads slow down other processes, and threefold this one if
            # others are busy
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            if shared := self._settings.get(SHARED, {}).get(path.name):
                options.add_external_initializers(
                    [*shared], self._read_arrays(shared.values())
                )
            self._sessions[name] = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
            return self._sessions[name]
        except Exception as error:  # onnxruntime's errors have no common class
            raise self._make_error(name, "not readable", error) from error

    def _read_arrays(self, places):
        """Returns arrays of the run's weights as values of onnxruntime."""
        from onnxruntime import OrtValue

        for place in places:
            if place["offset"] not in self._arrays:  # sessions share arrays
                array = read_array(self._weights, place)
                self._arrays[place["offset"]] = OrtValue.ortvalue_from_numpy(array)
        return [self._arrays[place["offset"]] for place in places]


def read_array(path: Path, place: dict[str, Any]) -> np.ndarray:
    """Reads an array of a file as float32.

    Args:
        path: path of the file.
        place: `offset` in bytes, `dtype` and `shape`, see `locate_arrays`.
    """
    shape, dtype = place["shape"], np.dtype(place["dtype"])
    numbers = np.fromfile(path, dtype, math.prod(shape), offset=place["offset"])
    return numbers.reshape(shape).astype(np.float32)
