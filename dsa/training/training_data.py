"""The data of a training: corpora, vocabulary and vectors, batches, and their facts."""

import logging

from dsa.backends.compilation import compiles_each_shape
from dsa.data.batching.training_batches import Batches
from dsa.data.corpora.catalogue import corpus_named
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.rows import only_rows, oversample, sample
from dsa.data.prepared.splits import split_rows
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.embeddings import build_embedding
from dsa.errors import InputError
from dsa.seeds import derived_seed
from dsa.tasks.classification import Classification

log = logging.getLogger(__name__)


def read_corpora(experiment, root, task, splits=None):
    """Train and dev, prepared, and what is mixed into train.

    Args:
        experiment: a `Experiment`.
        root: the data root.
        task: its task.
        splits: rows by split of the file that is dealt to several; `None` to draw them.

    Returns: `{split: PreparedCorpus}`, and the rows by split.

    Raises: `InputError` for a file without labels, or with one label or score alone.
    """
    tokenize = Tokenizer(**experiment.tokenizer.model_dump())
    data, splits = experiment.data, splits or {}

    def read(name, path, phrases=False):
        found = find_file(root, path)
        corpus = prepare(found, corpus_named(name), tokenize, phrases=phrases)
        if not len(corpus.labelled):
            raise InputError(f"{path}: no row has a label")
        return corpus

    whole = read(data.corpus, data.train, data.phrases)
    _refuse_one_label(data.train, task, whole)
    dealt = whole
    if data.dealt not in (None, data.train):
        dealt = read(data.corpus, data.dealt)
    if max((part.max(initial=0) for part in splits.values()), default=0) >= len(dealt):
        raise InputError(f"{data.dealt}: fewer rows than the run was started with")
    if data.shared and not splits:
        splits = split_rows(data, dealt.labels)
    corpora = {
        "train": only_rows(whole, splits["train"]) if "train" in splits else whole,
        "dev": only_rows(dealt, splits["dev"])
        if "dev" in splits
        else read(data.corpus, data.file("dev")),
    }
    if not isinstance(task, Classification):  # its correlation selects
        _refuse_one_label(data.file("dev"), task, corpora["dev"])
    if data.mix:
        mixed = read(data.mix.corpus, data.mix.path)
        seed = derived_seed(experiment.seed, "mix")
        corpora["mix"] = sample(mixed, data.mix.share, seed)
        log.info("%d pairs of %s mixed into train", len(corpora["mix"]), data.mix.path)
    return corpora, splits


def _refuse_one_label(name, task, corpus):
    labels = corpus.labels[corpus.labelled]
    if (labels != labels[0]).any():
        return
    if isinstance(task, Classification):
        what = f"label {task.labels[labels[0]]}"
    else:
        what = f"score {labels[0]:g}"
    raise InputError(
        f"{name}: every row has the {what}: there is nothing to learn or to select by"
    )


def embedding_of(experiment, root, trained_on, dev):
    """Vocabulary and vectors of a new run, see `build_embedding`."""
    config = experiment.embedding
    return build_embedding(
        config,
        trained_on.words,
        dev.words,
        find_file(root, config.path) if config.path else None,
        experiment.tokenizer.lowercase,
        derived_seed(experiment.seed, "vectors"),
    )


def data_facts(vocabulary, corpora, vectors_sha256=None):
    labelled = {split: len(corpus.labelled) for split, corpus in corpora.items()}
    return {
        "vocabulary_size": len(vocabulary),
        "sha256": {
            **{split: corpus.fingerprint for split, corpus in corpora.items()},
            **({"vectors": vectors_sha256} if vectors_sha256 else {}),
        },
        "pairs": labelled,
        "unlabelled": {
            split: len(corpus) - labelled[split] for split, corpus in corpora.items()
        },
        "unknown": {
            split: vocabulary.coverage(corpus) for split, corpus in corpora.items()
        },
    }


def refuse_other_data(run, earlier, corpora):
    changed = [
        split
        for split, corpus in corpora.items()
        if earlier["sha256"].get(split) != corpus.fingerprint
    ]
    if changed:
        raise InputError(
            f"{run.path} cannot be resumed: {' and '.join(changed)} data are not what "
            "it was started with"
        )


def batches_of(experiment, vocabulary, corpus):
    rows = corpus.labelled
    longest = corpus.sentences.lengths[corpus.texts[rows]].max(axis=1)
    short = longest <= experiment.training.max_tokens
    if not short.all():
        log.info(
            "%d of %d rows left out of training: a sentence has more than "
            "'training.max_tokens', %d, tokens",
            (~short).sum(),
            len(short),
            experiment.training.max_tokens,
        )
    if not short.any():
        raise InputError("no training row is within 'training.max_tokens'")
    rows = rows[short]
    if experiment.data.oversample > 1:
        neutral = corpus_named(experiment.data.corpus).neutral_number
        rows = oversample(corpus, rows, experiment.data.oversample, neutral)
    return Batches(
        vocabulary.sentences(corpus),
        corpus.texts[rows],
        corpus_named(experiment.data.corpus).task.inputs,
        corpus.labels[rows],
        experiment.training.batch_size,
        derived_seed(experiment.seed, "batches"),
        experiment.training.by_length,
        experiment.training.shapes if compiles_each_shape() else None,
        experiment.training.steps_at_once,
    )
