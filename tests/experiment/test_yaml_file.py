import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.experiment.yaml_file import (
    format_assignments,
    load_experiment,
    make_run_path,
    parse_experiment,
    parse_overrides,
)

SNLI = "configs/snli/dsa.yaml"
LAUGHS = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30)
)


def load(*assignments, path=SNLI):
    return load_experiment(path, parse_overrides(assignments))


def test_the_config_of_dsa_has_the_settings_of_the_paper():
    experiment = load()
    model, training = experiment.model, experiment.training
    assert (model.units, model.heads, model.alpha, model.dropout) == (300, 5, 1.5, 0.1)
    assert (model.gate, model.pooling, model.layer_norm) == ("projected", "both", True)
    assert model.classifier.units == 300 and model.classifier.input_dropout == 0
    assert (training.batch_size, training.learning_rate) == (64, 1e-3)
    assert training.optimizer.name == "adam"
    embedding = experiment.embedding
    assert (embedding.units, embedding.trainable, embedding.projection) == (
        300,
        False,
        None,
    )


@pytest.mark.parametrize("path", ["configs/snli/dsa_no_distance.yaml", SNLI])
def test_a_resolved_config_can_be_loaded(path, tmp_path):
    experiment = load_experiment(path)
    (tmp_path / "again.yaml").write_text(experiment.to_yaml())
    assert load_experiment(tmp_path / "again.yaml") == experiment


def test_numbers_without_a_point_are_numbers():
    assert yaml.safe_load("1e-3") == "1e-3"  # PyYAML follows YAML 1.1
    assert load("training.learning_rate=1e-3").training.learning_rate == 1e-3


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        (
            "training.batch_sise=128",
            "unknown key 'training.batch_sise'. Did you mean 'batch_size'?",
        ),
        ("training.max_steps=5", "'training.max_steps'. Did you mean 'steps'?"),
        ("modle.units=3", "unknown key 'modle'. Did you mean 'model'?"),
        ("data.xyz=3", "unknown key 'data.xyz'. Known: corpus, train, dev, test"),
        ("model.classifier.unit=1", "'model.classifier.unit'. Did you mean 'units'?"),
        ("training.optimizer.beta_3=.1", "'training.optimizer.beta_3'. Did you mean"),
        (
            "model.heads=7",
            "'model.units' must be divisible by 'model.heads'. "
            "Received: model.units=300, model.heads=7",
        ),
        ("model.alpha=-1", "'model.alpha': input should be greater than or equal to 0"),
        (
            "model.dropout=1",
            "'model.dropout': input should be less than 1. Received: 1",
        ),
        ("model.name=bert", "'model.name': unknown name 'bert'. Known: dsa, disan, "),
        ("model.name=dsaa", "unknown name 'dsaa'. Did you mean 'dsa'.$"),
        ("model={name: disan, heads: 3}", "unknown key 'model.heads'"),
        ("model={name: disan, scale: 31}", "should be less than or equal to 30"),
        (
            "training.batch_size=6.5",
            "'training.batch_size': input should be a valid int",
        ),
        ("training.batch_size='64'", "should be a valid integer. Received: '64'"),
        ("training.epochs=true", "'training.epochs': .* Received: True"),
        ("training.epochs=0", "'training.epochs': input should be greater than 0"),
        ("training.learning_rate=.nan", "should be a finite number"),
        ("training.optimizer.name=adan", "'training.optimizer.name': .* mean 'adam'"),
        ("model.layer_norm=1", "'model.layer_norm': input should be a valid boolean"),
        ("data.train=data/x", "Remove the leading 'data/'. Received: 'data/x'"),
        (
            "data.train=/x",
            "relative to the data root .*An absolute path requires",
        ),
        (
            "embedding.path=null",
            "'embedding.trainable' must be true without 'embedding.path'",
        ),
        (
            "data.corpus=snil",
            "'data.corpus': unknown corpus 'snil'. Did you mean 'snli'",
        ),
        ("data.mix={corpus: x, path: y}", "'data.mix.corpus': unknown corpus 'x'"),
        ("seed.x=1", "cannot set 'seed.x': 'seed' is not a section"),
        ("model=null", "'model': input should be a valid dictionary"),
    ],
)
def test_the_error_for_an_invalid_setting_names_file_and_key(assignment, message):
    with pytest.raises(InputError, match=f"{SNLI}: .*{message}"):
        load(assignment)


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["data.corpus=sst", "data.both_orders=true"], "a corpus of sentence pairs"),
        (
            ["data.corpus=wikiqa", "data.train_rows=9"],
            "'data.train_rows' is not supported for 'data.corpus: wikiqa', because",
        ),
        (
            ["model={name: pair_features}", "features.names=[antonyms]"],
            "antonyms' requires a model with word vectors. Received: 'model.name: pair",
        ),
        (
            ["model={name: pair_features}", "training.refit_with_dev=true"],
            "'training.refit_with_dev' requires a network: dev chooses the",
        ),
        (
            ["data.dev=null", "data.select_on_test=true", "data.train_on_dev=true"],
            "'data.train_on_dev' cannot be combined .*: the model would be trained on",
        ),
        (
            ["training.refit_with_dev=true", "training.schedule.name=halve_on_plateau"],
            "'training.refit_with_dev' cannot be combined .*: halve_on_plateau', which",
        ),
        (
            ["data.train_on_dev=true", "training.early_stopping=1"],
            "'data.train_on_dev' cannot be .* with 'training.early_stopping', which",
        ),
        (
            ["training.refit_with_dev=true", "training.steps=9"],
            "chosen by dev, and cannot be combined with 'training.steps'",
        ),
        (
            ["training.refit_with_dev=true", "data.train_on_dev=true"],
            "'training.refit_with_dev' cannot be combined with 'data.train_on_dev'",
        ),
        (
            ["embedding={units: 9, trainable: true}", "training.frozen=[embedding]"],
            "frozen: embedding' requires 'embedding.path' or 'training.start_from'",
        ),
        (["features.standardize=true"], "'features.standardize' requires 'features.n"),
        (
            ["training.optimizer={name: sgd, nesterov: true}"],
            "nesterov' requires a 'training.optimizer.momentum' above 0",
        ),
    ],
)
def test_settings_of_training_rows_have_requirements(assignments, message):
    with pytest.raises(InputError, match=message):
        load(*assignments)


def test_overriding_a_section_and_its_key_is_an_error_in_any_order():
    """The key could be lost, or be written to the dictionary of the caller."""
    optimizer = {"name": "adam"}
    pair = [("training.optimizer", optimizer), ("training.optimizer.beta_2", 0.9)]
    for overrides in (pair, pair[::-1]):
        with pytest.raises(InputError, match="conflicting settings"):
            load_experiment(SNLI, dict(overrides))
    assert optimizer == {"name": "adam"}


def test_a_raw_gate_requires_vectors_of_the_size_of_the_model():
    assert load("model.gate=raw").model.gate == "raw"
    with pytest.raises(InputError, match="model.units=300, vectors of 50 features"):
        load("model.gate=raw", "embedding.units=50")
    load("model.gate=raw", "embedding.units=50", "embedding.projection=300")


def test_several_errors_are_reported_together():
    with pytest.raises(InputError) as error:
        load("training.epochs=0", "model.dropout=2")
    assert len(str(error.value).split("\n")) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", "line 2: key 'a' is given twice"),
        ("yes: 1\ntrue: 2\n", "line 2: key 'true' is given twice"),
        ("1: a\n0x1: b\n", "line 2: key '0x1' is given twice"),
        ("? !!map x\n: 1\n", "line 1: expected a mapping node, but found scalar"),
        ("a: &x [*x]\n", "line 1: an alias contains itself"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n  b: 3\n", "line 5: key 'b' is given"),
        ("a: " + "x" * 10**6, "longer than 1,000,000 characters"),
        (LAUGHS, "line 6: more than 100,000 keys and values, with aliases"),
        ("a: !!python/object/apply:os.system [ls]\n", "line 1: could not determine"),
        ("a: [1\n", "line 2: .*expected"),
        ("- 1\n", "expected a mapping of sections"),
        ("", "expected a mapping"),
        ("[" * 5000, "(not readable as YAML|nesting)"),
        ("seed: 1\n", "'data' is missing"),
    ],
)
def test_the_error_for_invalid_yaml_names_its_line(tmp_path, text, message):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(InputError, match=f"a.yaml.*{message}"):
        load(path=tmp_path / "a.yaml")


def test_a_number_and_a_text_are_different_keys():
    assert parse_yaml("1: a\n'1': b\n", "a.yaml") == {1: "a", "1": "b"}


def test_yaml_is_parsed_without_libyaml():
    program = """
import yaml
vars(yaml).pop("CSafeLoader", None)
from dsa.experiment.strict_yaml import parse_yaml
print(parse_yaml("a: &x {b: 1}\\nc: {<<: *x, b: 2}\\n", "a.yaml"))
parse_yaml("a: 1\\na: 2\\n", "a.yaml")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert done.stdout == "{'a': {'b': 1}, 'c': {'b': 2}}\n", done.stderr
    assert done.stderr.endswith("a.yaml, line 2: key 'a' is given twice\n")


def test_multi_dimensional_attention_ignores_the_number_of_heads():
    overrides = parse_overrides(["model.units=256", "model.heads=5"])
    with pytest.raises(InputError, match="must be divisible by 'model.heads'"):
        load_experiment(SNLI, overrides)
    overrides["model.attention"] = "multi_dimensional"
    assert load_experiment(SNLI, overrides).model.units == 256


def test_each_alias_becomes_a_separate_copy():
    settings = parse_yaml("a: &x {b: {c: 1}}\nd: *x\ne: {<<: *x, f: 2}\n", "a.yaml")
    assert settings == {
        "a": {"b": {"c": 1}},
        "d": {"b": {"c": 1}},
        "e": {"b": {"c": 1}, "f": 2},
    }
    settings["a"]["b"]["c"] = 2
    assert settings["d"]["b"]["c"] == settings["e"]["b"]["c"] == 1


def test_sections_can_share_a_size_through_an_anchor(tmp_path):
    text = "base: BASE\nembedding: {units: &units 30}\nmodel: {units: *units}\n"
    path = tmp_path / "a.yaml"
    path.write_text(text.replace("BASE", os.path.abspath(SNLI)))
    experiment = load(path=path)
    assert (experiment.embedding.units, experiment.model.units) == (30, 30)


def test_a_missing_file_is_an_error():
    with pytest.raises(InputError, match="no.yaml: not readable: No such file"):
        load(path="no.yaml")


@pytest.mark.parametrize("assignment", ["batch_size", "=3", "a..b=3"])
def test_an_override_requires_a_key_and_a_value(assignment):
    with pytest.raises(InputError, match="expected a setting 'key.key=value'"):
        parse_overrides([assignment])


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["seed=1", "seed=2"], "the setting 'seed' is given twice"),
        (["seed=1", "model.units=2", "seed=1"], "the setting 'seed' is given twice"),
        (
            ["model.units=2", "model={name: dsa}"],
            "conflicting settings 'model' and 'model.units'",
        ),
        (
            ["model={name: dsa}", "model.units=2"],
            "conflicting settings 'model' and 'model.units'",
        ),
        (["a.b.c=1", "a={}"], "conflicting settings 'a' and 'a.b.c': set the section"),
    ],
)
def test_conflicting_overrides_are_errors(assignments, message):
    with pytest.raises(InputError, match=message):
        parse_overrides(assignments)


def test_keys_with_a_common_prefix_do_not_conflict():
    assert parse_overrides(["data.train=a", "data.train_questions=all"]) == {
        "data.train": "a",
        "data.train_questions": "all",
    }


@pytest.mark.parametrize("text", ["013", "-013", "1:30", "1:30.5", "1_0", "00", "1_0."])
def test_an_ambiguous_number_of_yaml_1_1_is_an_error(text):
    with pytest.raises(
        InputError, match=f"here, line 1: '{text}' is an ambiguous number"
    ):
        parse_yaml(f"{{a: {text}}}", "here")
    assert parse_yaml(f"'{text}'", "here") == text


def test_plain_numbers_are_read():
    text = "[0, -7, 50_000, 1.0e-3, .5, 2., -.inf, 0x1F, 0b11, !!float 3]"
    values = [0, -7, 50_000, 1e-3, 0.5, 2.0, float("-inf"), 31, 3, 3.0]
    assert parse_yaml(text, "here") == values


@pytest.mark.parametrize("text", ["'1_0'", "'\u0661'", "1_0e3"])
def test_a_number_in_the_notation_of_python_is_an_error(text):
    with pytest.raises(InputError, match="'training.learning_rate': .*valid number"):
        load(f"training.learning_rate={text}")


def test_the_error_for_another_model_name_explains_how_to_replace_the_section():
    with pytest.raises(InputError) as error:
        load("model.name=esim")
    (line,) = str(error.value).splitlines()
    assert line == (
        f"{SNLI}: 'model.name=esim': the section 'model' has keys of 'dsa' that 'esim' "
        "does not support. Override the whole section, for example --set "
        "'model={name: esim}'"
    )
    assert load("model={name: esim}").model.name == "esim"
    with pytest.raises(InputError, match="unknown key 'model.alhpa'. Did you mean"):
        load("model.name=dsa", "model.alhpa=1")


def test_the_run_path_depends_on_config_overrides_and_seed():
    assert str(make_run_path(SNLI, {}, 13)) == "runs/snli/dsa/seed-13"
    assert str(make_run_path(SNLI, {"seed": 7}, 7)) == "runs/snli/dsa/seed-7"
    tracked = {"training.track": ["wandb"], "training.require_gpu": True}
    assert str(make_run_path(SNLI, tracked, 13)) == "runs/snli/dsa/seed-13"
    one, two = (
        make_run_path(SNLI, {"training.epochs": epochs, "seed": 7}, 7)
        for epochs in (1, 2)
    )
    assert one != two
    assert one.parts[:3] == ("runs", "snli", "dsa") and one.parts[4] == "seed-7"


def test_configs_outside_the_working_directory_have_different_run_paths():
    outside = ["/elsewhere/x.yaml", "/another/x.yaml", "../x.yaml"]
    paths = [make_run_path(config, {}, 1) for config in (*outside, "x.yaml")]
    assert str(paths[-1]) == "runs/x/seed-1"
    assert len(set(paths)) == 4
    for path in paths[:-1]:
        assert re.fullmatch("runs/x-[0-9a-f]{8}/seed-1", str(path))
    absolute = Path("../x.yaml").resolve()
    assert make_run_path(absolute, {}, 1) == make_run_path("../x.yaml", {}, 1)


def test_numbers_from_python_and_from_assignments_have_the_same_run_path():
    overrides = {
        "training.learning_rate": 1e-5,
        "model": {"name": "dsa", "dropout": 1e-1, "alpha": 1e16},
    }
    assignments = format_assignments(overrides)
    assert assignments[0] == "training.learning_rate=1.0e-05"
    assert parse_overrides(assignments) == overrides
    typed = [
        "training.learning_rate=1e-5",
        "model={name: dsa, dropout: .1, alpha: 1e16}",
    ]
    path = make_run_path(SNLI, overrides, 13)
    assert make_run_path(SNLI, parse_overrides(assignments), 13) == path
    assert make_run_path(SNLI, parse_overrides(typed), 13) == path


def test_the_hash_of_settings_that_yaml_reads_as_numbers_is_fixed():
    overrides = {"training.learning_rate": 0.001, "data.where": {"year": "2012"}}
    assert str(make_run_path(SNLI, overrides, 1)) == "runs/snli/dsa/43b2546e/seed-1"


@pytest.mark.parametrize("value", [float("inf"), [1e-7, None, "a, b", True], "1.0", ""])
def test_assignments_of_any_value_are_parsed_as_the_same_value(value):
    (assignment,) = format_assignments({"a": value})
    assert parse_overrides([assignment]) == {"a": value}


def test_reading_configs_does_not_import_keras():
    code = (
        "import sys, dsa, dsa.experiment.yaml_file, dsa.runs.run_folder;"
        f"dsa.experiment.yaml_file.load_experiment({SNLI!r});"
        "sys.exit(any(m in sys.modules for m in ('keras', 'tensorflow', 'sklearn')))"
    )
    environment = {**os.environ, "PYTHONPATH": "."}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


@pytest.mark.parametrize(
    ("key", "value", "most"),
    [
        ("training.batch_size", 10**30, 10**6),
        ("model.units", 10**5, 2**16),
        ("model.units", 10**30, 2**16),
        ("model.classifier.units", 10**8, 2**16),
        ("embedding.units", 10**7, 2**16),
        ("embedding.projection", 10**7, 2**16),
        ("training.epochs", 10**30, 10**9),
        ("training.steps", 10**10, 10**9),
        ("training.evaluate_from", 10**10, 10**9),
    ],
)
def test_sizes_have_upper_limits(key, value, most):
    message = f"'{key}': input should be less than or equal to {most}. Received: 10"
    with pytest.raises(InputError, match=message):
        load_experiment("configs/snli/dsa.yaml", {key: value})


def test_settings_from_python_have_the_types_of_yaml():
    settings = {
        "seed": np.int64(3),
        "data": {
            "corpus": "own",
            "columns": {"premise": np.str_("a"), "hypothesis": "b"},
            "labels": np.array([0, 1]),
            "train": Path("my", "train.csv"),
            "dev": Path("my/dev.csv"),
        },
        "embedding": {"trainable": np.bool_(True)},
        "model": {"name": "esim"},
        "training": {"learning_rate": np.float64(0.5)},
    }
    overrides = {"training.batch_size": np.int32(7), "data.labels": ("no", "yes")}
    experiment = parse_experiment(settings, overrides)
    assert experiment.seed == 3 and experiment.training.batch_size == 7
    assert experiment.data.train == "my/train.csv"
    assert experiment.data.labels == ["no", "yes"]
    assert experiment.training.learning_rate == 0.5
    assert isinstance(settings["data"]["labels"], np.ndarray)  # not modified
    assert parse_experiment(settings).data.labels == ["0", "1"]
