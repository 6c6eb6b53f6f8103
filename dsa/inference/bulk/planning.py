"""From an input file to a plan: its rows are read, checked and cut into shards."""

import logging
import os
from pathlib import Path

from dsa.backends.choice import choose_backend
from dsa.data.corpora.texts import MAX_TOKENS, check_length
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.inference.bulk.input_rows import (
    SENTENCES,
    find_columns,
    parse_columns,
    read_examples,
)
from dsa.inference.bulk.manifest import read_manifest
from dsa.inference.bulk.new_words import WordSearch
from dsa.inference.bulk.plan import (
    PLAN,
    ROWS,
    VECTORS,
    Plan,
    check_same_settings,
    fingerprint_run,
)
from dsa.inference.bulk.results import SHARDS
from dsa.inference.bulk.rows_file import write_rows
from dsa.inference.bulk.standard_input import STANDARD_INPUT, keep_standard_input
from dsa.inference.vector_file import find_vector_file
from dsa.system.reading import fingerprint
from dsa.system.terminal import show_progress
from dsa.version import __version__

MOST_TOKENS = 3  # of a character, and two at the boundaries of a text
PARSED = "binary_parse"  # the tokenizer that reads parses
log = logging.getLogger(__name__)


class Planning:
    """The way from a `BulkWork` to its `Plan`.

    Args:
        work: the `BulkWork`.
        folder: where the plan and the rows go.
        run: the `RunFolder`.
    """

    def __init__(self, work, folder, run):
        self._work, self._folder, self._run = work, Path(folder), run
        self._experiment = run.experiment()
        is_encoding = work.what == VECTORS
        task = self._experiment.task
        self._form = SENTENCES if is_encoding else task.file_form
        # whether the rows of a group are compared with each other
        self._has_groups = task.ranks and not is_encoding
        self._reads_parses = self._experiment.tokenizer.name == PARSED
        self._reads_parses = self._reads_parses and not is_encoding

    def make_plan(self):
        """The `Plan`, a new one or that of an earlier call; `None` if its result is
        complete.

        Raises: `InputError` for a row that cannot be read, and for a folder with other
            work.
        """
        work = self._work
        columns = parse_columns(work.columns, self._form)
        path, self._source = Path(work.file), work.file
        if work.file == "-":
            path = keep_standard_input(self._folder, columns is not None)
            self._source = STANDARD_INPUT
        try:
            words = find_vector_file(self._experiment, work.vectors, work.root)
            settings = self._make_settings(path, columns, words)
            done = read_manifest(work.out)
            plan = Plan.read(self._folder / PLAN)
            for earlier in (done and done["settings"], plan and plan.settings):
                if earlier:
                    check_same_settings(work.out, earlier, settings)
            return None if done else plan or self._write_rows(path, settings, words)
        except InputError as error:
            if self._source != STANDARD_INPUT:
                raise
            raise InputError(str(error).replace(str(path), self._source)) from error

    def _make_settings(self, path, columns, words):
        """What decides the result."""
        work, own = self._work, self._experiment.data
        own = None if work.what == VECTORS else own
        return {
            "what": work.what,
            "run": fingerprint_run(self._run),
            "input": fingerprint(path),
            "columns": find_columns(path, self._form, columns, own),
            "word_vectors": words and fingerprint(words),
            "shard_rows": work.shard_rows,
            "dtype": work.dtype if work.what == VECTORS else None,
            "backend": choose_backend(),
            "version": __version__,
        }

    def _write_rows(self, path, settings, words):
        """Write all rows, and then the plan."""
        log.info("reading %s", self._source)
        (self._folder / SHARDS).mkdir(exist_ok=True)
        before = os.stat(path)
        examples = read_examples(path, self._form, settings["columns"])
        examples = self._keep_needed(self._check_lengths(examples, path))
        search = words and WordSearch(self._run, self._experiment, words)
        if search:
            examples = search.watch(examples)
        examples = show_progress(examples, f"reading {self._source}")
        rows = self._folder / ROWS
        shards = write_rows(rows, examples, self._work.shard_rows)
        if search:
            search.find().write(self._folder)
        after = os.stat(path)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise InputError(f"{path}: has changed while it was read")
        plan = Plan(settings, self._source, shards, self._reads_parses)
        plan.write(self._folder / PLAN)
        log.info("%s: %d rows, %d shards", self._source, plan.rows, len(shards))
        return plan

    def _keep_needed(self, examples):
        """The examples without what no job needs."""
        for example in examples:
            if example.parses is None:
                self._reads_parses = False  # then those of the other rows neither
            parses = example.parses if self._reads_parses else None
            group = example.group if self._has_groups else None
            yield example._replace(parses=parses, group=group)

    def _check_lengths(self, examples, path):
        """The same examples. Raises an error for a text with too many tokens, before
        anything has been computed."""
        tokenize = Tokenizer(**self._experiment.tokenizer.model_dump())
        for example in examples:
            for text in example.texts:
                if MOST_TOKENS * len(text) + 2 > MAX_TOKENS:
                    tokens = len(tokenize(text))
                    check_length(tokens, f"{path}, line {example.line}: a text")
            yield example
