"""Tables of this project that are in no paper."""

from dsa.data.prepared.views import VIEWS
from dsa.papers.paper_table import MAP, MRR, PEARSON, SPEARMAN, Measure, Row, Table
from dsa.papers.presets import SMALL_VECTORS
from dsa.papers.table_rows import (
    DSA_OPTIMIZER,
    DSA_TRAINING,
    NO_PROJECTION,
    NO_VECTORS,
    UNLEXICALISED,
    make_rows,
)

DEV = (Measure("dev", ("dev",)),)
BOTH = ("DiSAN", "disan"), ("DSA", "dsa")
WITH_PHRASES = {
    **SMALL_VECTORS,
    "training.steps": 10_000,
    "training.evaluate_every": 500,
}
AS_DSA = {**NO_PROJECTION, **DSA_TRAINING}
SMALL_RECURRENT = {  # with DSA's 300 units: the published sizes ask for a GPU
    **AS_DSA,
    "embedding.outside": "unknown",  # the vectors are not trained
    "model.units": 300,
}
STACKED = {**SMALL_RECURRENT, "model.units": [300, 300, 300]}


def _rate(learning_rate):
    return {"training.learning_rate": learning_rate}


def make_view_rows(model: str, config: str) -> tuple[Row, ...]:
    """Returns a row of a model that is trained on rows as they are, and one for each
    view."""
    return make_rows(
        "snli",
        (model, config),
        *((f"{model}, {v.replace('_', ' ')}", config, {"data.view": v}) for v in VIEWS),
    )


TABLES = {
    "stsb": Table(
        title="STS-B, in none of these papers",
        corpus="stsb",
        rows=make_rows("stsb", *BOTH),
        measures=tuple(
            Measure(metric.key, ("test",), compared=False, metric=metric)
            for metric in (PEARSON, SPEARMAN)
        ),
    ),
    "sst-phrases": Table(
        title="SST-5, learned from its labelled phrases too, as in DiSAN's paper",
        corpus="sst",
        rows=make_rows("sst", *BOTH),
        measures=(Measure("test", ("test",)), *DEV),
        presets={"small": WITH_PHRASES},
    ),
    "wikiqa-single-pairs": Table(
        title="BCNN on WikiQA, batches of one pair as in the paper, in every preset",
        corpus="wikiqa",
        rows=make_rows(
            "wikiqa",
            ("BCNN one-conv, batches of one pair", "bcnn", {"training.batch_size": 1}),
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
        rows=make_rows(
            "snli",
            ("DSA", "dsa"),
            ("DSA without distance mask", "dsa_no_distance"),
            ("Transformer", "transformer"),
            ("Transformer, trained as DSA", "transformer", _rate(0.001)),
            # other rates of both, so that the choice of one rate decides nothing
            ("Transformer, learning rate 0.0001", "transformer", _rate(0.0001)),
            ("DSA, learning rate 0.0003", "dsa", _rate(0.0003)),
            (
                "Transformer, relative positions",
                "transformer",
                {"model.positions": "relative"},
            ),
            ("DiSAN", "disan"),
            ("DiSAN without directions", "disan_no_directions"),
            ("DiSAN, DSA's optimizer", "disan", DSA_OPTIMIZER),
            ("Bi-LSTM, source2token", "bilstm"),
            ("multi-head, source2token", "multi_head"),
            ("word vectors, source2token", "source2token"),
            ("word vectors, additive", "additive_attention"),
            ("ESIM", "esim", NO_PROJECTION),
            ("ESIM, trained as DSA", "esim", AS_DSA),
            ("ESIM, as in the released code", "esim_released", NO_PROJECTION),
            (
                "decomposable attention, trained as DSA",
                "decomposable",
                {**AS_DSA, "model.initial_deviation": None},
            ),
            ("aESIM", "aesim", NO_PROJECTION),
            ("aESIM, rescaled", "aesim", {**NO_PROJECTION, "model.rescale": True}),
            ("Bi-LSTM, max pooling, trained as DSA", "bilstm_max"),
            ("Bi-LSTM, mean pooling, trained as DSA", "bilstm_mean"),
            ("CBOW, trained as DSA", "cbow"),
            ("SWEM, max pooling, trained as DSA", "swem", AS_DSA),
            (
                "shortcut-stacked encoder, 300 units, trained as DSA",
                "shortcut_stacked",
                STACKED,
            ),
            ("HBMP, 300 units, trained as DSA", "hbmp", SMALL_RECURRENT),
            # Adam at 0.001 moves all 72,000 inputs of its classifier at once, and
            # it does not learn: the published AdaGrad
            ("self-attentive encoder", "self_attentive", NO_PROJECTION),
            (
                "gated attention, 300 units, trained as DSA",
                "gated_attention",
                SMALL_RECURRENT,
            ),
            ("features", "features", NO_VECTORS),
            ("unlexicalised features", "features", UNLEXICALISED),
        ),
        measures=DEV,
    ),
    "snli-views": Table(
        title="DSA on SNLI, trained in views of the rows",
        corpus="snli",
        rows=(
            *make_view_rows("DSA", "dsa"),
            *make_view_rows("DSA without distance mask", "dsa_no_distance"),
        ),
        measures=DEV,
    ),
    "dsa-ablations": Table(
        title="Ablations of DSA on SNLI",
        corpus="snli",
        rows=make_rows(
            "snli",
            ("alpha 0 (without distance mask)", "dsa_no_distance"),
            ("alpha 0.5", "ablations/alpha_0.5"),
            ("alpha 1", "ablations/alpha_1.0"),
            ("DSA: alpha 1.5, projected gate, both", "dsa"),
            ("alpha 2", "ablations/alpha_2.0"),
            ("alpha 3", "ablations/alpha_3.0"),
            ("gate over raw inputs", "ablations/gate_raw"),
            ("source2token pooling alone", "ablations/pooling_source2token"),
            ("max pooling alone", "ablations/pooling_max"),
        ),
        measures=DEV,
    ),
}
