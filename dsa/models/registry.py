"""The models of the papers: one file each, a config class and a builder.

Importing this package imports no Keras; building a model does.
"""

from dsa.data.corpora.catalogue import corpus_named
from dsa.models.baselines import config as baselines
from dsa.models.classifiers.config import build_classifier
from dsa.models.disan import config as disan
from dsa.models.dsa import config as dsa
from dsa.models.esim import config as esim
from dsa.models.features import config as features

ENCODERS = {  # by `model.name`
    "dsa": (dsa.DSAConfig, dsa.build_encoder),
    "disan": (disan.DiSANConfig, disan.build_encoder),
    "source2token": (disan.Source2TokenConfig, disan.build_encoder),
    "additive_attention": (disan.AdditiveAttentionConfig, disan.build_encoder),
    "multi_head": (disan.MultiHeadConfig, disan.build_encoder),
    "bilstm": (disan.BiLSTMConfig, disan.build_encoder),
    "cbow": (baselines.CBOWConfig, baselines.build_encoder),
    "bilstm_mean": (baselines.BiLSTMMeanConfig, baselines.build_encoder),
    "bilstm_max": (baselines.BiLSTMMaxConfig, baselines.build_encoder),
}
JOINT = {"esim": esim.ESIMConfig, "aesim": esim.AESIMConfig}  # read pairs together
FEATURES = {"features": features.FeaturesConfig}  # read pairs, and are no network
CONFIGS = (
    *(config for config, _ in ENCODERS.values()),
    *JOINT.values(),
    *FEATURES.values(),
)


def build_model(experiment, vocabulary_size, frozen_rows=0):
    """The model of an experiment, with its weights, before training.

    Args:
        experiment: a `Experiment` of a network.
        vocabulary_size: rows of the embedding table, padding and unknown included.
        frozen_rows: of the table's end, see `WordEmbedding`.

    Returns: a Keras model, batch dictionary to logits; the embedding table is zero.
    """
    from dsa.layers.word_embedding import WordEmbedding

    config, dtype = experiment.model, experiment.training.precision
    embedding = WordEmbedding(
        vocabulary_size,
        experiment.embedding.units,
        train_vectors=experiment.embedding.trainable,
        projection=experiment.embedding.projection,
        frozen_rows=frozen_rows,
        dtype=dtype,
        name="embedding",
    )
    task = corpus_named(experiment.data.corpus).task
    if config.name in JOINT:
        return esim.build_joint(config, embedding, task.outputs, experiment.seed, dtype)
    _, build_encoder = ENCODERS[config.name]
    return build_classifier(
        config.classifier,
        task,
        embedding,
        build_encoder(config, experiment.seed, dtype),
        config.layer_norm,
        experiment.seed,
        dtype,
    )
