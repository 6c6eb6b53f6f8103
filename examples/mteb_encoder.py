"""A run's encoder as an encoder of MTEB 2.

    pip install mteb
    python examples/mteb_encoder.py runs/snli/dsa/seed-13 STSBenchmark SICK-R

MTEB downloads the tasks' data. Tasks of sentences fit these models; for long documents
they were not trained.
"""

import sys
from pathlib import Path

import mteb
import numpy as np
from mteb.models import ModelMeta

import dsa


class DSAEncoder:
    """Sentence vectors of a run, compared by their cosine.

    Args:
        model_name: the run folder, or the name of a release; its model encodes
            sentences.
        revision: what MTEB calls this version of the model.
        device, kwargs: MTEB's, without effect: the backend chooses its device.
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
        """The vectors of the texts of all batches; a text without any word has that of
        a point.

        Args:
            inputs: batches, dictionaries with a list `text`.
            prompt_type, kwargs: MTEB's, without effect: the model knows no prompts.
            batch_size: sentences that are encoded at once.
        """
        texts = [
            text if text.strip() else "." for batch in inputs for text in batch["text"]
        ]
        return self.model.encode(texts, batch_size=batch_size)

    def similarity(self, embeddings1, embeddings2):
        """The cosines of each of the first vectors with each of the others."""
        return self.model.similarity(np.asarray(embeddings1), np.asarray(embeddings2))

    def similarity_pairwise(self, embeddings1, embeddings2):
        """The cosine of each pair of vectors."""
        one, other = (_normalize(vectors) for vectors in (embeddings1, embeddings2))
        return (one * other).sum(axis=-1)


def _normalize(vectors):
    vectors = np.asarray(vectors)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def main(run, *tasks):
    tasks = mteb.get_tasks(tasks=list(tasks or ["STSBenchmark"]))
    print(mteb.evaluate(DSAEncoder(run), tasks))


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["mini"]))
