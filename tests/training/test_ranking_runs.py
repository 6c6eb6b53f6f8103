"""Ranking from a YAML file to ranked answers, on a small corpus."""

import json

import pytest
import yaml

import dsa
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.training.training_corpora import find_training_files
from dsa.training.training_data import build_training_data
from tests.support.questions import HEADER, make_row, write_wikiqa
from tests.support.runs import NO_DROPOUT, write_experiment

QUESTIONS = {
    "train": {f"Q{n}": ("010", "000", "1", "0110")[n % 4] for n in range(12)},
    "dev": {"Q1": "0100", "Q2": "000", "Q3": "001"},
    "test": {"Q1": "01", "Q2": "000", "Q3": "011", "Q4": "1"},
}
FILES = {split: f"{split}.tsv" for split in QUESTIONS}


def write_corpus(folder, **settings):
    for split, questions in QUESTIONS.items():
        write_wikiqa(folder / FILES[split], questions)
    data = {"corpus": "wikiqa", **FILES, **settings.pop("data", {})}
    model = {"name": "cbow", "classifier": NO_DROPOUT["classifier"]}
    training = {"batch_size": 4, "epochs": 3, "learning_rate": 0.03, "shapes": 2}
    settings = {"model": model, "training": training, **settings}
    config = write_experiment(folder, data=data)
    content = {**yaml.safe_load(config.read_text()), **settings}
    config.write_text(yaml.safe_dump(content))
    return config


def train(folder, run, **settings):
    dsa.train(write_corpus(folder, **settings), run, data_root=folder)
    return RunFolder(run)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a corpus of questions, and two runs on it."""
    folder = tmp_path_factory.mktemp("ranking")
    train(folder, folder / "run")
    train(
        folder,
        folder / "other",
        data={"options": {"train_questions": "answered"}},
    )
    return folder


def test_a_run_is_selected_and_measured_by_questions(folder):
    run = RunFolder(folder / "run")
    assert "val_map" in run.read("history.csv").splitlines()[0]
    (dev,) = run.metrics()
    assert (dev["split"], dev["count"], dev["questions"]) == ("dev", 10, 2)
    entry = dsa.evaluate(folder / "run", "test", data_root=folder)
    assert (entry["rows"], entry["questions"]) == (9, 3)
    assert entry["both_labels"]["questions"] == 2
    assert entry["map"] == 1  # the word "yes" tells


def test_only_answered_questions_can_be_learned_from(folder):
    all_pairs, answered = (
        RunFolder(folder / name).environment()["pairs"] for name in ("run", "other")
    )
    assert all_pairs == {"train": 33, "dev": 10}
    assert answered == {"train": 24, "dev": 10}  # nine are of unanswered questions
    words = RunFolder(folder / "other").read("vocabulary.txt").split()
    assert "q0" in words and "q1" not in words


@pytest.mark.parametrize(
    ("questions", "count"), [("all", 33 + 10), ("answered", 24 + 7)]
)
def test_questions_of_dev_are_selected_as_those_of_train(tmp_path, questions, count):
    data = {"options": {"train_questions": questions}, "train_on_dev": True}
    experiment = load_experiment(write_corpus(tmp_path, data=data))
    files = find_training_files(experiment, tmp_path)
    assert len(build_training_data(experiment, files).train_corpus) == count


def test_a_file_of_questions_is_ranked(folder, scripts, capsys):
    line = {"question": "what is new ?", "answers": ["no x", "yes x", "no y", "no x"]}
    file = folder / "questions.jsonl"
    file.write_text(f"{json.dumps(line)}\n" * 2)
    arguments = [str(folder / "run"), "--file", str(file)]
    assert scripts.predict.main([*arguments, "--data-root", str(folder)]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["id"], second["id"]) == ("1", "2")
    assert first["question"] == "what is new ?"
    assert [answer["rank"] for answer in first["answers"]] == [1, 2, 3, 4]
    assert first["answers"][0]["id"] == "1-2"
    assert set(first["answers"][0]) == {"rank", "id", "answer", "score", "probability"}
    # "x" and "y" are unknown words: the three wrong answers have equal scores
    assert [answer["id"] for answer in first["answers"]][1:] == ["1-1", "1-3", "1-4"]
    scores = [answer["score"] for answer in first["answers"]]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == 2


def test_the_test_file_itself_can_be_ranked(folder, scripts, capsys):
    arguments = [str(folder / "run"), "--file", str(folder / "test.tsv")]
    assert scripts.predict.main(arguments) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["id"] for line in lines] == ["Q1", "Q2", "Q3", "Q4"]
    assert [len(line["answers"]) for line in lines] == [2, 3, 3, 1]


def test_a_pair_has_a_score_and_a_probability(folder, scripts, capsys):
    pairs = [("what is Q1 ?", f"{word} word1") for word in ("yes", "no")]
    yes, no = dsa.load(folder / "run").predict(pairs)
    assert yes.score > no.score and yes.probability > no.probability
    assert scripts.predict.main([str(folder / "run"), *pairs[0]]) == 0
    score, wrong, right = capsys.readouterr().out.splitlines()
    assert float(score) == pytest.approx(yes.score, abs=1e-5)
    assert wrong.split()[0] == "wrong" and right.split()[0] == "right"


def test_two_models_are_compared_by_question(folder, scripts, capsys):
    runs = [str(folder / "run"), "--with", str(folder / "other")]
    before = len(RunFolder(folder / "other").metrics())
    arguments = [*runs, "--split", "test", "--data-root", str(folder)]
    assert scripts.compare.main(arguments) == 0
    heading, of_map, of_mrr = capsys.readouterr().out.splitlines()[-3:]
    assert heading.startswith("test: test.tsv, ") and " minus " in heading
    assert heading.endswith("seed by seed: 3")
    assert of_map.startswith("  map  ") and "; 95 % interval over questions: " in of_map
    assert of_mrr.endswith("(3 questions): not tested: only one seed")
    assert len(RunFolder(folder / "other").metrics()) == before + 1


def test_runs_of_other_rows_or_tasks_are_not_compared(
    folder, finished, scripts, capsys, tmp_path
):
    arguments = [str(folder / "run"), "--with", str(finished / "run")]
    assert scripts.compare.main([*arguments, "--data-root", str(folder)]) == 2
    message = capsys.readouterr().err
    assert "expected a run of task 'ranking'. Received: task 'nli'" in message
    write_wikiqa(tmp_path / "train.tsv", QUESTIONS["train"])
    run = train(tmp_path, tmp_path / "run", data={"dev": "test.tsv", "test": None})
    for split in FILES.values():
        (tmp_path / split).rename(folder / f"other_{split}")
    config = run.read("config.yaml").replace("test.tsv", "other_test.tsv")
    run.write("config.yaml", config)
    run.write_record()
    arguments = [str(folder / "run"), "--with", str(run.path)]
    assert scripts.compare.main([*arguments, "--data-root", str(folder)]) == 2
    assert (
        "the split 'dev' has other rows than in the first run"
        in capsys.readouterr().err
    )


def test_a_comparison_that_fails_records_nothing(finished, run_copy, scripts, capsys):
    (run_copy / "vocabulary.txt").write_text("a\na\n")
    (run_copy / "sha256.json").unlink()
    before = RunFolder(finished / "run").metrics()
    runs = str(finished / "run"), str(run_copy)
    assert scripts.compare.main([*runs, "--data-root", str(finished)]) == 2
    assert "must be distinct" in capsys.readouterr().err
    assert RunFolder(finished / "run").metrics() == before


def test_pairs_are_compared_as_pairs(finished, run_copy, scripts, capsys):
    runs = [str(run_copy), str(run_copy)]
    assert scripts.compare.main([*runs, "--data-root", str(finished)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("  accuracy ") and "significant" not in last
    assert last.endswith("(11 pairs): not tested: only one seed")


@pytest.mark.parametrize("count", [1, 3])
def test_without_with_there_are_two_runs(scripts, capsys, count):
    assert scripts.compare.main(["run"] * count) == 2
    assert (
        "expected two runs, or the runs of one model --with" in capsys.readouterr().err
    )


def test_accuracy_by_length_is_refused(folder, scripts, capsys):
    arguments = [str(folder / "run"), "--data-root", str(folder)]
    assert scripts.lengths.main(arguments) == 2
    message = capsys.readouterr().err
    assert "This model predicts the ranks of the answers to a question" in message


def test_the_list_of_runs_counts_questions(folder):
    from dsa.sweeps.overview import list_runs

    assert "(n = 2)" in list_runs(folder / "run")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["features", "dsa", pytest.param("esim", marks=pytest.mark.exhaustive)]
)
def test_every_kind_of_model_ranks(tmp_path, name):
    settings = {"dsa": {"units": 12, "heads": 3}, "esim": {"units": 7}}
    model = {"name": name, **settings.get(name, {})}
    run = train(tmp_path, tmp_path / "run", model=model)
    assert "val_map" in run.read("history.csv").splitlines()[0]
    entry = dsa.evaluate(run.path, "test", data_root=tmp_path)
    assert entry["questions"] == 3


@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_corpus_without_an_answer_stops_before_training(
    tmp_path, scripts, capsys, split
):
    config = write_corpus(tmp_path)
    rows = "".join(make_row("Q1", number, "0") for number in range(3))
    (tmp_path / FILES[split]).write_text(HEADER + rows)
    arguments = [str(config), "--data-root", str(tmp_path)]
    assert scripts.train.main([*arguments, "--run", str(tmp_path / "run")]) == 2
    message = capsys.readouterr().err
    assert f"{FILES[split]}: no question has a right answer" in message
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"data.corpus": "snli", "data.options.train_questions": "answered"},
            "'data.corpus: snli' has no options. Corpora with options: sst, wikiqa",
        ),
        ({"data.options.train_questions": "none"}, "data.options.train_questions"),
        (
            {"data.train_questions": "answered"},
            "unknown key 'data.train_questions'. It was renamed to "
            "'data.options.train_questions'",
        ),
        (
            {"data.options.train_question": "all"},
            "unknown key 'data.options.train_question'. Did you mean "
            "'train_questions'?",
        ),
        (
            {"data.dev": None, "data.dev_share": 0.2},
            "'data.corpus: wikiqa', because both divide",
        ),
        (
            {"data.dev": None, "data.test": None, "data.folds": {}}
            | {"data.select_on_test": True},
            "'data.folds' and 'data.dev_share' are not supported for",
        ),
    ],
)
def test_settings_that_do_not_fit_are_refused(tmp_path, overrides, message):
    with pytest.raises(InputError, match=message):
        load_experiment(write_corpus(tmp_path), overrides)
