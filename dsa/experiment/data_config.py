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
from dsa.data.corpora.corpus import OWN_CORPUS, Corpus, CorpusOptions
from dsa.data.prepared.views import EVALUATION_VIEWS, PLAIN_VIEW, VIEWS
from dsa.errors import InputError
from dsa.experiment.data_checks import (
    check_files_differ,
    check_own_files,
    check_splits,
    check_task,
)
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

if TYPE_CHECKING:
    from dsa.data.prepared.splits import SplitPlan

SPLITS = ("train", "dev", "test")


def _check_corpus(name):
    if name == OWN_CORPUS:
        return name
    try:
        return check_corpus_name(name)
    except InputError as error:
        raise InputError(f"{error}, or '{OWN_CORPUS}' for your own files") from error


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
    train_rows: Annotated[int, Field(ge=1)] | None = setting(
        None,
        "Number of labelled rows of `train` to train on, drawn with the seed of the "
        "run; `null` for all. With the same seed, a larger number adds rows to those "
        "of a smaller one.",
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
        "approximate, and dev is 1/n of the rows, n = 1 / `dev_share`, rounded.",
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
                f"'data.corpus: {info.data['corpus']}' has no options. Corpora "
                f"with options: {', '.join(known)}"
            )
        return None

    @model_validator(mode="after")
    def _check_combinations(self):
        check_own_files(self)
        check_splits(self)
        check_files_differ(self)
        check_task(self)
        return self

    @field_validator("others")
    @classmethod
    def _check_other_names(cls, others):
        reserved = sorted({*SPLITS, "file"} & set(others))
        if reserved:
            raise ValueError(
                f"'data.others' cannot contain the reserved name '{reserved[0]}'. "
                "Choose another name"
            )
        # names of evaluations in `metrics.json`
        reserved_endings = tuple(
            f" ({view})" for view in (*EVALUATION_VIEWS, PLAIN_VIEW)
        )
        for name in others:
            if name.startswith("robustness: ") or name.endswith(reserved_endings):
                raise ValueError(
                    f"'data.others' cannot contain '{name}', the name of another "
                    "evaluation. Choose another name"
                )
        return others

    @property
    def training_options(self) -> CorpusOptions:
        """Options of the corpus, or the default options if it has none."""
        return self.options or CorpusOptions()

    @property
    def training_corpus(self) -> Corpus:
        """`Corpus` with the options of the training file."""
        return self.training_options.adapt_corpus(self.resolved_corpus)

    @property
    def resolved_corpus(self) -> Corpus:
        """`Corpus` of the files, from the catalogue or, for own files, from this
        section."""
        if self.corpus == OWN_CORPUS and self.columns:
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
        """Returns the file that contains the rows of a split.

        Args:
            split: `train`, `dev`, `test`, or a name in `others`.

        Returns: the path below the data root; `None` if the split has no file.
        """
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
        """Files to read for training: `train`, `dev` and, if configured, `mix`."""
        mix = self.mix.path if self.mix else None
        files = {"train": self.train, "dev": self.file("dev"), "mix": mix}
        return {split: file for split, file in files.items() if file}

    @property
    def divided_file(self) -> str | None:
        """File whose rows are divided into several splits, or `None`."""
        if self.folds or self.split_column:
            return self.train
        return self.file(self.dev_from) if self.dev_share else None

    @property
    def splits_of_divided_file(self) -> tuple[str, ...]:
        """Names of the splits that consist of rows of `divided_file`."""
        file = self.divided_file
        if file is None:
            return ()
        return tuple(split for split in SPLITS if self.file(split) == file)

    @property
    def split_plan(self) -> "SplitPlan":
        """`SplitPlan` of `divided_file`."""
        from dsa.data.prepared.splits import SplitPlan

        return SplitPlan(
            file=self.divided_file or self.train,
            seed=self.split_seed,
            describe_label=self.resolved_corpus.task.describe,
            dev_share=self.dev_share,
            dev_from=self.dev_from,
            folds=self.folds and self.folds.count,
            fold=self.folds.fold if self.folds else 0,
            select_on_test=self.select_on_test,
            by_text=self.split_by_text,
        )
