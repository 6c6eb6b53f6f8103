"""The data of a training: corpora, vocabulary and vectors, batches, and their facts."""

import logging

import numpy as np

from dsa.data.batches import PairBatches
from dsa.data.embeddings import build_embedding
from dsa.data.files import find_file
from dsa.data.mixing import sample
from dsa.data.prepared import prepare
from dsa.data.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.optimization import compiles_each_shape
from dsa.seeds import derived_seed

log = logging.getLogger(__name__)


def read_corpora(experiment, root, task):
    """Train and dev, prepared, and what is mixed into train."""
    tokenize = Tokenizer(**experiment.tokenizer.model_dump())
    data = experiment.data
    wanted = {"train": (data.corpus, data.train), "dev": (data.corpus, data.dev)}
    if data.mix:
        wanted["mix"] = (data.mix.corpus, data.mix.path)
    corpora = {}
    for split, (reader, path) in wanted.items():
        corpus = prepare(find_file(root, path), reader, tokenize, task.labels)
        if not len(corpus.labelled):
            raise InputError(f"{path}: no row has a label")
        corpora[split] = corpus
    if data.mix:
        seed = derived_seed(experiment.seed, "mix")
        corpora["mix"] = sample(corpora["mix"], data.mix.share, seed)
        log.info("%d pairs of %s mixed into train", len(corpora["mix"]), data.mix.path)
    return corpora


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


def data_facts(vocabulary, corpora, vectors_sha256):
    labelled = {split: len(corpus.labelled) for split, corpus in corpora.items()}
    return {
        "vocabulary_size": len(vocabulary),
        "sha256": {
            **{split: corpus.fingerprint for split, corpus in corpora.items()},
            "vectors": vectors_sha256,
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
    rows, lengths = corpus.labelled, corpus.sentences.lengths
    longest = np.maximum(lengths[corpus.premise], lengths[corpus.hypothesis])[rows]
    short = longest <= experiment.training.max_tokens
    if not short.all():
        log.info(
            "%d of %d pairs left out of training: a sentence has more than "
            "'training.max_tokens', %d, tokens",
            (~short).sum(),
            len(short),
            experiment.training.max_tokens,
        )
    if not short.any():
        raise InputError("no training pair is within 'training.max_tokens'")
    rows = rows[short]
    return PairBatches(
        vocabulary.sentences(corpus),
        corpus.premise[rows],
        corpus.hypothesis[rows],
        corpus.labels[rows],
        experiment.training.batch_size,
        derived_seed(experiment.seed, "batches"),
        experiment.training.by_length,
        experiment.training.shapes if compiles_each_shape() else None,
    )
