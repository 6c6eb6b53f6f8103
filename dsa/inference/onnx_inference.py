"""Inference with onnxruntime, without importing Keras.

`dsa export RUN --in-run` writes the ONNX files to the folder `onnx` of a run.
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
from dsa.errors import InferenceError, InputError
from dsa.explanation import TokenMap
from dsa.models.family import Family
from dsa.runs.run_folder import RunFolder
from dsa.system.reading import compute_sha256, read_json_object
from dsa.tasks.task import SENTENCE

ONNX_FOLDER = "onnx"  # in a run folder
SETTINGS = "settings.json"
# keys of the settings
SHA256 = "sha256"  # SHA-256 of each file
WEIGHTS = "run_weights"  # SHA-256 of the weights of the run
SHARED = "run_arrays"  # `{file: {array: location in the weights of the run}}`
RUNTIMES = ("auto", "keras", "onnx")
ROWS_PER_BATCH = 32
MAX_SECONDS = 300.0  # time limit per batch
log = logging.getLogger(__name__)


def choose_onnx(run: RunFolder, runtime: str) -> Path | None:
    """Chooses between onnxruntime and Keras.

    Args:
        run: the run.
        runtime: one of `RUNTIMES`. "auto" selects onnxruntime if the ONNX files have
            the weights and the precision of the run.

    Returns: the folder of the ONNX files, or `None` for Keras.

    Raises: `InputError` if the runtime is unknown, if settings.json is damaged, or if
        the runtime is "onnx" and the ONNX files cannot be used.
    """
    if runtime not in RUNTIMES:
        raise InputError(
            f"'runtime' must be one of {', '.join(RUNTIMES)}. Received: {runtime!r}"
        )
    if runtime == "keras":
        return None
    reason = _check_usable(run)
    if reason is None:
        log.debug("%s: inference with onnxruntime", run.path)
        return run.path / ONNX_FOLDER
    if runtime == "onnx":
        raise InputError(
            f"{run.path}: the runtime 'onnx' cannot be used, because {reason}"
        )
    log.debug("%s: inference with Keras: %s", run.path, reason)
    return None


def _check_usable(run):
    """Returns the reason why the ONNX files cannot be used; `None` if they can."""
    settings = run.path / ONNX_FOLDER / SETTINGS
    if not settings.is_file():
        return "the ONNX files are missing. To create them: dsa export RUN --in-run"
    if run.experiment().training.precision != "float32":
        return "the precision of the run is not float32"
    if not run.weights.is_file():
        return "the weights are missing"
    if read_json_object(settings).get(WEIGHTS) != compute_sha256(run.weights):
        return "the ONNX files are outdated. To update them: dsa export RUN --in-run"
    return None


def can_have_onnx(run: RunFolder) -> bool:
    """Returns whether `dsa export RUN --in-run` supports a run."""
    experiment = run.experiment()
    return (
        experiment.family.has_word_vectors
        and not experiment.data.view
        and experiment.training.precision == "float32"
    )


class OnnxInference:
    """Computes logits and sentence vectors of a run with onnxruntime.

    The results equal those of Keras up to rounding.

    Args:
        folder: folder of the ONNX files.
        weights: weight file of the run, which contains large arrays of the ONNX models.
        family: model family of the run.
        num_outputs: number of logits of a row.
        load_network: function that loads the Keras model, which computes explanations
            and the results of empty inputs.

    Raises: `InputError` if settings.json is damaged. The methods raise `InputError` if
        an ONNX file is damaged or differs from its checksum in settings.json.
    """

    def __init__(
        self,
        folder: Path,
        weights: Path,
        family: Family,
        num_outputs: int,
        load_network: Callable[[], Any],
    ) -> None:
        self._folder = folder
        self._weights = weights
        self._family = family
        self._num_outputs = num_outputs
        self._load_network = load_network
        self._settings = read_json_object(folder / SETTINGS)
        self._sessions: dict[str, Any] = {}
        self._arrays: dict[int, Any] = {}  # by offset in the weight file

    @functools.cached_property
    def network(self) -> Any:
        """The Keras model."""
        return self._load_network()

    @functools.cached_property
    def _keras(self):
        """The `EncoderInference` or `PairInference` of the Keras model."""
        from dsa.inference.corpus_inference import build_inference

        return build_inference(self._family, self.network, quick_start=True)

    def logits(self, rows: ModelRows, batch_size: int | None = None) -> np.ndarray:
        """Returns the logits of `ModelRows`, float32 `(N, outputs)`.

        Args:
            rows: the rows.
            batch_size: maximum number of rows per batch; `None` for 32.
        """
        if not len(rows):
            return self._keras.logits(rows)
        logits = self._compute("model", rows.pad, rows.lengths, batch_size)
        if logits.shape != (len(rows), self._num_outputs):
            raise InputError(
                f"{self._folder}: the ONNX files do not match the model of this run"
            )
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
            return {SENTENCE: sentences.pad(positions, int(lengths[0]))}

        return self._compute("encoder", pad, sentences.lengths[:, None], batch_size)

    def explain(self, rows: ModelRows) -> tuple[np.ndarray, list[TokenMap]]:
        """Returns the logits and the `TokenMap`s of a row, computed with Keras."""
        return self._keras.explain(rows)

    def explain_sentence(self, sentences: Sentences) -> list[TokenMap]:
        """Returns the `TokenMap`s of a single sentence, computed with Keras."""
        return self._keras.explain_sentence(sentences)

    def _compute(self, name, pad, lengths, batch_size):
        """Returns the outputs `(N, features)` of an ONNX model.

        Args:
            name: "model" or "encoder".
            pad: function that maps row indices and padded lengths `(T,)` to a batch.
            lengths: int array `(N, T)`, number of tokens of each of the T sentences of
                a row.
            batch_size: see `logits`.
        """
        session = self._open_session(name)
        order = np.lexsort(lengths.T)
        size = batch_size or ROWS_PER_BATCH
        outputs = []
        for start in range(0, len(order), size):
            batch_rows = order[start : start + size]
            longest = int(lengths[batch_rows].max())
            for rows in split_by_memory(batch_rows, longest**2):
                batch = pad(rows, lengths[rows].max(axis=0))
                outputs.append(self._run(name, session, batch, len(rows)))
        return np.concatenate(outputs)[np.argsort(order)]

    def _run(self, name, session, batch, count):
        """Returns the outputs of a batch, `(count, features)`.

        Raises: `InputError` if the inference fails or takes longer than `MAX_SECONDS`,
            or if an output is NaN or infinite.
        """
        import onnxruntime

        options = onnxruntime.RunOptions()

        def stop():
            options.terminate = True

        # a damaged or foreign ONNX file can contain an endless loop
        timer = threading.Timer(MAX_SECONDS, stop)
        timer.daemon = True
        timer.start()
        try:
            output = np.asarray(session.run(None, batch, options)[0])
            if output.ndim != 2 or len(output) != count:
                raise ValueError(
                    f"outputs must have shape ({count}, features). Received: "
                    f"{output.shape}"
                )
            if not np.isfinite(output).all():
                raise ValueError("outputs are NaN or infinite")
        except Exception as error:  # onnxruntime's errors have no common class
            raise self._make_error(name, "inference failed", error) from error
        finally:
            timer.cancel()
        return output

    def _make_error(self, name, problem, error):
        """Returns an `InferenceError` with the first line of another error."""
        reason = str(error).strip().split("\n")[0]
        return InferenceError(f"{self._folder / name}.onnx: {problem}: {reason}")

    def _open_session(self, name):
        """Returns the inference session of an ONNX file, opened on first use."""
        import onnxruntime

        path = self._folder / f"{name}.onnx"
        if name in self._sessions:
            return self._sessions[name]
        try:
            if compute_sha256(path) != self._settings[SHA256][path.name]:
                raise ValueError("the SHA-256 differs from settings.json")
            options = onnxruntime.SessionOptions()
            # higher levels take longer and do not make DSA faster
            options.graph_optimization_level = (
                onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
            )
            options.intra_op_num_threads = _count_threads()
            # spinning threads slow down other processes; on a busy machine, they also
            # slow down this process threefold
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            shared = self._settings.get(SHARED, {}).get(path.name)
            if shared:
                arrays = self._read_arrays(shared.values())
                options.add_external_initializers(list(shared), arrays)
            self._sessions[name] = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
            return self._sessions[name]
        except Exception as error:  # onnxruntime's errors have no common class
            raise self._make_error(name, "not readable", error) from error

    def _read_arrays(self, locations):
        """Returns arrays of the weight file as `OrtValue`s of onnxruntime.

        Args:
            locations: locations of the arrays, see `read_array`.
        """
        from onnxruntime import OrtValue

        arrays = []
        for location in locations:
            offset = location["offset"]
            if offset not in self._arrays:  # sessions share arrays
                array = read_array(self._weights, location)
                self._arrays[offset] = OrtValue.ortvalue_from_numpy(array)
            arrays.append(self._arrays[offset])
        return arrays


def read_array(path: Path, location: dict[str, Any]) -> np.ndarray:
    """Reads an array from a file and converts it to float32.

    Args:
        path: path of the file.
        location: dictionary with the `offset` in bytes, the `dtype` and the `shape`,
            see `locate_arrays`.
    """
    shape = location["shape"]
    dtype = np.dtype(location["dtype"])
    values = np.fromfile(path, dtype, math.prod(shape), offset=location["offset"])
    return values.reshape(shape).astype(np.float32)


def _count_threads():
    """Returns the number of threads in `OMP_NUM_THREADS`, by which jobs limit the
    threads of other libraries; 0 (all cores) if it is unset or malformed.

    A list such as "4,2" contains the numbers of nested levels.
    """
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdecimal() else 0
