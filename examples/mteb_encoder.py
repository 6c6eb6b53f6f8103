"""Evaluates the sentence encoder of a run with MTEB 2.

    pip install mteb
    python examples/mteb_encoder.py runs/snli/dsa/seed-13 STSBenchmark SICK-R

MTEB downloads the task data. Choose sentence-level tasks: these models were not trained
on long documents.
"""

import sys
from pathlib import Path

import mteb
import numpy as np
from mteb.models import ModelMeta

import dsa


class DSAEncoder:
    """MTEB encoder that returns the sentence vectors of a run.

    Args:
        model_name: run folder or release name of a model that encodes sentences.
        revision: model revision in MTEB's results; defaults to the version of `dsa`.
        device, kwargs: accepted for MTEB and ignored; the backend selects the device.
    """

    def __init__(self, model_name, revision=None, *, device=None, **kwargs):
        self.model = dsa.load(model_name)
        name = "-".join(Path(model_name).parts[-3:])  # such as snli-dsa-seed-13
        units = len(self.model.encode("."))
        self.mteb_model_meta = ModelMeta.create_empty(
            overwrites={
                "name": f"dsa/{name}",
                "revision": revision or dsa.__version__,
                "embed_dim": units,
            }
        )

    def encode(self, inputs, *, prompt_type=None, batch_size=None, **kwargs):
        """Returns one vector per text. Blank texts are encoded as a full stop.

        Args:
            inputs: batches, each a dictionary with a list of strings under `text`.
            prompt_type, kwargs: accepted for MTEB and ignored; the model uses no
                prompts.
            batch_size: number of sentences per batch.
        """
        texts = [
            text if text.strip() else "." for batch in inputs for text in batch["text"]
        ]
        return self.model.encode(texts, batch_size=batch_size)

    def similarity(self, embeddings1, embeddings2):
        """Returns the matrix of cosine similarities between two sets of vectors."""
        return self.model.similarity(np.asarray(embeddings1), np.asarray(embeddings2))

    def similarity_pairwise(self, embeddings1, embeddings2):
        """Returns the cosine similarity of each pair of vectors."""
        return (_normalize(embeddings1) * _normalize(embeddings2)).sum(axis=-1)


def _normalize(vectors):
    vectors = np.asarray(vectors)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def main(run, *tasks):
    tasks = mteb.get_tasks(tasks=list(tasks or ["STSBenchmark"]))
    print(mteb.evaluate(DSAEncoder(run), tasks))


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["mini"]))
