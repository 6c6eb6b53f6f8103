"""Tables of this project that are in no paper."""

from dsa.data.prepared.views import VIEWS
from dsa.papers.presets import SMALL_VECTORS
from dsa.papers.table import MAP, MRR, PEARSON, SPEARMAN, Measure, Row, Table
from dsa.papers.tables.shared_rows import (
    DSA_OPTIMIZER,
    DSA_TRAINING,
    FEATURES,
    NO_PROJECTION,
    UNLEXICALISED,
)

DEV = (Measure("dev", ("dev",)),)

WITH_PHRASES = {
    **SMALL_VECTORS,
    "training.steps": 10_000,
    "training.evaluate_every": 500,
}

HEADLINES = ()  # of papers only
SMALL_RECURRENT = {  # with DSA's 300 units: the published sizes ask for a GPU
    **NO_PROJECTION,
    **DSA_TRAINING,
    "embedding.outside": "unknown",  # the vectors are not trained
}


def make_view_rows(model, config):
    """A row of a model that is trained on rows as they are, and one for each view."""
    views = (
        Row(f"{model}, {view.replace('_', ' ')}", config, {"data.view": view})
        for view in VIEWS
    )
    return Row(model, config), *views


TABLES = {
    "stsb": Table(
        title="STS-B, in none of these papers",
        corpus="stsb",
        rows=(
            Row("DiSAN", "configs/stsb/disan.yaml"),
            Row("DSA", "configs/stsb/dsa.yaml"),
        ),
        measures=tuple(
            Measure(metric.key, ("test",), compared=False, metric=metric)
            for metric in (PEARSON, SPEARMAN)
        ),
    ),
    "sst-phrases": Table(
        title="SST-5, learned from its labelled phrases too, as in DiSAN's paper",
        corpus="sst",
        rows=(
            Row("DiSAN", "configs/sst/disan.yaml"),
            Row("DSA", "configs/sst/dsa.yaml"),
        ),
        measures=(Measure("test", ("test",)), Measure("dev", ("dev",))),
        presets={"small": WITH_PHRASES},
    ),
    "wikiqa-single-pairs": Table(
        title="BCNN on WikiQA, batches of one pair as in the paper, in every preset",
        corpus="wikiqa",
        rows=(
            Row(
                "BCNN one-conv, batches of one pair",
                "configs/wikiqa/bcnn.yaml",
                {"training.batch_size": 1},
            ),
        ),
        measures=(
            Measure("dev map", ("dev",), metric=MAP),
            Measure("map", ("test",), metric=MAP),
            Measure("mrr", ("test",), metric=MRR),
        ),
    ),
    "snli-models": Table(
        title="Models on SNLI, each with its published training unless said",
        corpus="snli",
        rows=(
            Row("DSA", "configs/snli/dsa.yaml"),
            Row("DSA without distance mask", "configs/snli/dsa_no_distance.yaml"),
            Row("Transformer", "configs/snli/transformer.yaml"),
            Row(
                "Transformer, trained as DSA",
                "configs/snli/transformer.yaml",
                {"training.learning_rate": 0.001},
            ),
            # other rates of both, so that the choice of one rate decides nothing
            Row(
                "Transformer, learning rate 0.0001",
                "configs/snli/transformer.yaml",
                {"training.learning_rate": 0.0001},
            ),
            Row(
                "DSA, learning rate 0.0003",
                "configs/snli/dsa.yaml",
                {"training.learning_rate": 0.0003},
            ),
            Row(
                "Transformer, relative positions",
                "configs/snli/transformer.yaml",
                {"model.positions": "relative"},
            ),
            Row("DiSAN", "configs/snli/disan.yaml"),
            Row("DiSAN without directions", "configs/snli/disan_no_directions.yaml"),
            Row("DiSAN, DSA's optimizer", "configs/snli/disan.yaml", DSA_OPTIMIZER),
            Row("Bi-LSTM, source2token", "configs/snli/bilstm.yaml"),
            Row("multi-head, source2token", "configs/snli/multi_head.yaml"),
            Row("word vectors, source2token", "configs/snli/source2token.yaml"),
            Row("word vectors, additive", "configs/snli/additive_attention.yaml"),
            Row("ESIM", "configs/snli/esim.yaml", NO_PROJECTION),
            Row(
                "ESIM, trained as DSA",
                "configs/snli/esim.yaml",
                {**NO_PROJECTION, **DSA_TRAINING},
            ),
            Row(
                "ESIM, as in the released code",
                "configs/snli/esim_released.yaml",
                NO_PROJECTION,
            ),
            Row(
                "decomposable attention, trained as DSA",
                "configs/snli/decomposable.yaml",
                {**NO_PROJECTION, **DSA_TRAINING, "model.initial_deviation": None},
            ),
            Row("aESIM", "configs/snli/aesim.yaml", NO_PROJECTION),
            Row(
                "aESIM, rescaled",
                "configs/snli/aesim.yaml",
                {**NO_PROJECTION, "model.rescale": True},
            ),
            Row("Bi-LSTM, max pooling, trained as DSA", "configs/snli/bilstm_max.yaml"),
            Row(
                "Bi-LSTM, mean pooling, trained as DSA", "configs/snli/bilstm_mean.yaml"
            ),
            Row("CBOW, trained as DSA", "configs/snli/cbow.yaml"),
            Row(
                "SWEM, max pooling, trained as DSA",
                "configs/snli/swem.yaml",
                {**NO_PROJECTION, **DSA_TRAINING},
            ),
            Row(
                "shortcut-stacked encoder, 300 units, trained as DSA",
                "configs/snli/shortcut_stacked.yaml",
                {**SMALL_RECURRENT, "model.units": [300, 300, 300]},
            ),
            Row(
                "HBMP, 300 units, trained as DSA",
                "configs/snli/hbmp.yaml",
                {**SMALL_RECURRENT, "model.units": 300},
            ),
            # Adam at 0.001 moves all 72,000 inputs of its classifier at once, and it
            # does not learn: the published AdaGrad
            Row(
                "self-attentive encoder",
                "configs/snli/self_attentive.yaml",
                NO_PROJECTION,
            ),
            Row(
                "gated attention, 300 units, trained as DSA",
                "configs/snli/gated_attention.yaml",
                {**SMALL_RECURRENT, "model.units": 300},
            ),
            FEATURES,
            UNLEXICALISED,
        ),
        measures=DEV,
    ),
    "snli-views": Table(
        title="DSA on SNLI, trained in views of the rows",
        corpus="snli",
        rows=(
            *make_view_rows("DSA", "configs/snli/dsa.yaml"),
            *make_view_rows(
                "DSA without distance mask", "configs/snli/dsa_no_distance.yaml"
            ),
        ),
        measures=DEV,
    ),
    "dsa-ablations": Table(
        title="Ablations of DSA on SNLI",
        corpus="snli",
        rows=(
            Row("alpha 0 (without distance mask)", "configs/snli/dsa_no_distance.yaml"),
            Row("alpha 0.5", "configs/snli/ablations/alpha_0.5.yaml"),
            Row("alpha 1", "configs/snli/ablations/alpha_1.0.yaml"),
            Row("DSA: alpha 1.5, projected gate, both", "configs/snli/dsa.yaml"),
            Row("alpha 2", "configs/snli/ablations/alpha_2.0.yaml"),
            Row("alpha 3", "configs/snli/ablations/alpha_3.0.yaml"),
            Row("gate over raw inputs", "configs/snli/ablations/gate_raw.yaml"),
            Row(
                "source2token pooling alone",
                "configs/snli/ablations/pooling_source2token.yaml",
            ),
            Row("max pooling alone", "configs/snli/ablations/pooling_max.yaml"),
        ),
        measures=DEV,
    ),
}
