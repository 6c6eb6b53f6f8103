"""Wraps the sentence encoder of a run as a sentence-transformers 6 module.

    pip install sentence-transformers
    python examples/sentence_transformers_module.py runs/snli/dsa/seed-13

The resulting `SentenceTransformer` supports similarity, search, clustering and
evaluation, but not training. A saved model stores the path of the run folder, not its
weights.
"""

import sys

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import InputModule

import dsa


class DSAModule(InputModule):
    """Input module that computes the sentence vectors of a run.

    Args:
        run: run folder or release name of a model that encodes sentences.
    """

    config_keys = ["run"]
    save_in_root = False

    def __init__(self, run):
        super().__init__()
        self.run = str(run)
        self.model = dsa.load(run)
        self.units = len(self.model.encode("."))

    def preprocess(self, inputs, prompt=None, **kwargs):
        """Encodes the texts. Blank texts are encoded as a full stop."""
        texts = [f"{prompt or ''}{text}" for text in inputs]
        vectors = self.model.encode([text if text.strip() else "." for text in texts])
        return {"sentence_embedding": torch.from_numpy(vectors)}

    def forward(self, features, **kwargs):
        return features  # `preprocess` computed the vectors

    def get_embedding_dimension(self):
        return self.units

    def save(self, output_path, *args, **kwargs):
        self.save_config(output_path)


def main(run):
    model = SentenceTransformer(modules=[DSAModule(run)])
    vectors = model.encode(["A man sleeps.", "A man is asleep.", "A dog runs."])
    print(model.similarity(vectors, vectors))


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["mini"]))
