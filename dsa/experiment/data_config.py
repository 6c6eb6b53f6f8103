"""Section `data`: corpus files and splits."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    SerializeAsAny,
    ValidationInfo,
    field_validator,
    model_validator,
)

from dsa.config_section import Number, Section, setting
from dsa.data.corpora.catalogue import CORPORA, get_corpus
from dsa.data.corpora.corpus import OWN, Corpus, CorpusOptions
from dsa.data.prepared.views import EVALUATION_VIEWS, PLAIN, VIEWS, View
from dsa.errors import InputError
from dsa.experiment.data_parts import (
    MAX_LABELS,
    CellText,
    Column,
    ColumnsConfig,
    DataPath,
    FoldsConfig,
    Label,
    MixConfig,
    ScoresConfig,
    check_corpus_name,
)
from dsa.tasks.task import PAIR

if TYPE_CHECKING:
    from dsa.data.prepared.splits import SplitPlan

SPLITS = ("train", "dev", "test")
# keys that describe your own files (`corpus: own`)
OWN_KEYS = ("columns", "labels", "scores", "where", "split_column", "unlabelled")


def _check_corpus(name):
    if name == OWN:
        return name
    try:
        return check_corpus_name(name)
    except InputError as error:
        raise InputError(f"{error}; '{OWN}' for your own files") from error


def find_options(corpus: str) -> type[CorpusOptions] | None:
    """Returns the class of `data.options` of a corpus, or `None` without options."""
    return CORPORA[corpus].options_section if corpus in CORPORA else None


def rename_option(key: str) -> str | None:
    """Returns the new name of a key of `data` that was moved to `data.options`, or
    `None` for another key."""
    for corpus in CORPORA:
        section = find_options(corpus)
        if section is not None and key in section.model_fields:
            return f"data.options.{key}"
    return None


class DataConfig(Section):
    """`data`: the corpus files, relative to the data root.

    If `X` is missing, `X.gz` is read. `hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT` is a
    data set on the Hugging Face hub, `hf:///FOLDER/SPLIT` a data set on disk. `dev`
    selects the checkpoint. `test` and `others` are only read by evaluations.
    """

    corpus: Annotated[str, AfterValidator(_check_corpus)] = setting(
        "snli",
        "Corpus, which determines format, task and labels; `own` for your own files.",
    )
    train: DataPath = Field(description="Training file.")
    dev: DataPath | None = setting(None, "File for the selection of the checkpoint.")
    test: DataPath | None = setting(None, "File that is only read by evaluations.")
    others: dict[str, DataPath] = setting(
        {}, "Further labelled files for evaluation, by name."
    )
    mix: MixConfig | None = setting(
        None, "Pairs of another corpus that are added to the training rows."
    )
    dev_share: Annotated[Number, Field(gt=0, lt=1)] | None = setting(
        None,
        "Share of the rows of `dev_from` that becomes dev if dev has no file. The rows "
        "are drawn with `split_seed`, with the same share of each label.",
    )
    dev_from: Literal["train", "test"] = setting(
        "train", "Split from which the rows of `dev_share` are removed."
    )
    folds: FoldsConfig | None = setting(None, "Cross-validation over `train`.")
    split_seed: Annotated[int, Field(ge=0, lt=2**32)] = setting(
        13, "Seed of `dev_share` and `folds`. The splits do not depend on other seeds."
    )
    split_by_text: bool = setting(
        False,
        "Whether `dev_share` and `folds` assign rows with the same premise, or the "
        "same single sentence, to one split. The sizes of the splits are then "
        "approximate.",
    )
    select_on_test: bool = setting(
        False,
        "Whether the test split is used as dev, as in two published practices (the "
        "best epoch of each fold; the test set of TREC). The results are too "
        "optimistic.",
    )
    train_on_dev: bool = setting(
        False,
        "Whether to train on dev as well. Only the last epoch is evaluated, and dev "
        "metrics are measured on training rows.",
    )
    both_orders: bool = setting(
        False, "Whether to train on each pair in both orders of its sentences."
    )
    view: Literal[VIEWS] | None = setting(  # pyright: ignore
        None,
        "Part of each row that is visible to the model, in training and evaluation: "
        "`hypothesis_only` or `premise_only` (the other sentence is one unknown word), "
        "`shuffled_words` (the words of each sentence in a random order that depends "
        "only on these words), `bag_of_words` (sorted words); `null` for complete "
        "rows.",
    )
    columns: ColumnsConfig | None = setting(
        None, "Columns of your own files (CSV, TSV, JSON lines, Parquet)."
    )
    labels: (
        Annotated[list[Label], Field(min_length=2, max_length=MAX_LABELS)] | None
    ) = setting(None, "Labels of your own files.")
    scores: ScoresConfig | None = setting(
        None, "Scale of your own files with scores of pairs instead of labels."
    )
    unlabelled: list[CellText] | None = setting(
        None,
        "Values of the label column that mark unlabelled rows, unless `labels` "
        "contains them; `null` for an empty field, -1, `-` and `hidden`.",
    )
    where: dict[Column, CellText] | None = setting(
        None,
        "Columns and values that select rows of your own files, such as "
        "`{language: en}`; other rows are skipped.",
    )
    split_column: Column | None = setting(
        None,
        "Column of `train` with the split of each row (`train`, `dev` or `validation`, "
        "`test`), instead of files for dev and test.",
    )
    options: SerializeAsAny[CorpusOptions] | None = setting(
        None, "Settings specific to the corpus; `null` if it has none."
    )

    @field_validator("options", mode="before")
    @classmethod
    def _check_options(cls, options, info: ValidationInfo):
        if "corpus" not in info.data:  # the corpus is invalid, a separate error
            return None
        section = find_options(info.data["corpus"])
        if section is not None:
            return section.model_validate({} if options is None else options)
        if options is not None:
            known = [name for name in CORPORA if find_options(name)]
            raise ValueError(
                f"'corpus: {info.data['corpus']}' has no options. Corpora "
                f"with options: {', '.join(known)}"
            )
        return None

    @model_validator(mode="after")
    def _check_own_files(self):
        own_keys = [key for key in OWN_KEYS if getattr(self, key) is not None]
        if self.corpus != OWN and own_keys:
            raise ValueError(f"'{own_keys[0]}' requires 'corpus: {OWN}'")
        is_described = self.columns and (self.labels or self.scores)
        if self.corpus == OWN and not is_described:
            raise ValueError(
                f"'corpus: {OWN}' requires 'columns', and 'labels' or 'scores'"
            )
        if self.labels and self.scores:
            raise ValueError("'labels' and 'scores' cannot be combined")
        if self.scores and self.columns and self.columns.sentence:
            raise ValueError("'scores' require sentence pairs")
        if self.labels and len(set(self.labels)) < len(self.labels):
            raise ValueError("a label is given twice in 'labels'")
        return self

    @model_validator(mode="after")
    def _possible(self):
        for key in ("folds", "split_column"):
            if getattr(self, key) and (self.dev or self.test):
                raise ValueError(
                    f"with '{key}', 'dev' and 'test' are rows of 'train' and cannot "
                    "be files"
                )
        if self.folds and self.split_column:
            raise ValueError("'folds' and 'split_column' cannot be combined")
        selections = {
            "'dev' (a file)": self.dev,
            "'dev_share'": self.dev_share,
            "'split_column'": self.split_column,
            "'select_on_test'": self.select_on_test or None,
        }
        given = [name for name, value in selections.items() if value is not None]
        if len(given) != 1:
            raise ValueError(
                "expected one setting for the selection of the checkpoint: 'dev' (a "
                "file), 'dev_share', 'select_on_test' or, for your own files, "
                f"'split_column'. Received: {' and '.join(given) or 'none'}"
            )
        if self.dev_from == "test" and not (self.dev_share and self.test):
            raise ValueError("'dev_from: test' requires 'dev_share' and 'test'")
        if self.select_on_test and not (self.folds or self.test):
            raise ValueError("'select_on_test' requires 'test' or 'folds'")
        if self.folds or self.dev_share:
            self.training_options.check_can_split()
        if self.mix and (self.folds or self.dev_share):
            raise ValueError("'mix' cannot be combined with 'folds' or 'dev_share'")
        if self.both_orders and self.mix and self.mix.draws_each_epoch:
            raise ValueError("'both_orders' requires 'mix.redraw: once'")
        return self

    @model_validator(mode="after")
    def _check_files_differ(self):
        if self.dev == self.train:
            raise ValueError("'dev' and 'train' must be different files")
        if self.test and self.test in (self.train, self.dev):
            raise ValueError(
                "'test' must differ from 'train' and 'dev'. To choose the checkpoint "
                "on the test rows, set 'select_on_test: true' and omit 'dev'"
            )
        return self

    @model_validator(mode="after")
    def _check_task(self):
        task, view = self.described.task, View(self.view)
        if self.both_orders and task.inputs != PAIR:
            raise ValueError("'both_orders' requires a corpus of sentence pairs")
        view.check_inputs(task.inputs)
        if self.both_orders and view.hides:
            raise ValueError(
                f"'view: {self.view}', which hides one sentence of each pair, cannot "
                "be combined with 'both_orders'"
            )
        if task.ranks and (self.folds or self.dev_share):
            raise ValueError(
                f"'folds' and 'dev_share' are not supported for 'corpus: "
                f"{self.corpus}': they divide single rows, and the answers to a "
                "question would be in several splits"
            )
        return self

    @field_validator("others")
    @classmethod
    def _check_other_names(cls, others):
        reserved = sorted({*SPLITS, "file"} & set(others))
        if reserved:
            raise ValueError(f"'{reserved[0]}' is the name of another split")
        # names of evaluations in `metrics.json`
        reserved_endings = tuple(f" ({view})" for view in (*EVALUATION_VIEWS, PLAIN))
        for name in others:
            if name.startswith("robustness: ") or name.endswith(reserved_endings):
                raise ValueError(f"'{name}' is the name of another evaluation")
        return others

    @property
    def training_options(self) -> CorpusOptions:
        """Options of the corpus; default options for a corpus without options."""
        return self.options or CorpusOptions()

    @property
    def training_corpus(self) -> Corpus:
        """`Corpus` with the options of the training file."""
        return self.training_options.adapt_corpus(self.described)

    @property
    def described(self) -> Corpus:
        """`Corpus` of the files, from the catalogue or from the config."""
        if self.corpus == OWN and self.columns:
            from dsa.data.corpora.own import UNLABELLED, build_own_corpus

            return build_own_corpus(
                self.columns.names,
                self.labels or (),
                self.scores and (self.scores.lowest, self.scores.highest),
                self.where,
                UNLABELLED if self.unlabelled is None else self.unlabelled,
            )
        return get_corpus(self.corpus)

    def file(self, split: str) -> str | None:
        """Returns the file of a split, or `None` for a split without a file."""
        if split in ("dev", "test") and self.split_column:
            return self.train
        if split == "test" and self.folds:
            return self.train
        if split == "dev" and self.select_on_test:
            return self.file("test")
        if split == "dev" and self.dev_share:
            return self.file(self.dev_from)
        if split in SPLITS:
            return getattr(self, split)
        return self.others.get(split)

    @property
    def training_files(self) -> dict[str, str]:
        """Files of a training by split: train, dev and mix."""
        mix = self.mix.path if self.mix else None
        files = {"train": self.train, "dev": self.file("dev"), "mix": mix}
        return {split: file for split, file in files.items() if file}

    @property
    def dealt(self) -> str | None:
        """File whose rows are divided into several splits, or `None`."""
        if self.folds or self.split_column:
            return self.train
        return self.file(self.dev_from) if self.dev_share else None

    @property
    def split_plan(self) -> "SplitPlan":
        """`SplitPlan` of the file `dealt`."""
        from dsa.data.prepared.splits import SplitPlan

        return SplitPlan(
            file=self.dealt or self.train,
            seed=self.split_seed,
            dev_share=self.dev_share,
            dev_from=self.dev_from,
            folds=self.folds and self.folds.count,
            fold=self.folds.fold if self.folds else 0,
            select_on_test=self.select_on_test,
            by_text=self.split_by_text,
        )

    @property
    def shared(self) -> tuple[str, ...]:
        """Splits that consist of rows of the file `dealt`."""
        file = self.dealt
        if file is None:
            return ()
        return tuple(split for split in SPLITS if self.file(split) == file)
