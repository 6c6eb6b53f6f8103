"""Invented rows in the published formats of NLI corpora."""

import gzip
import json

from dsa.data.corpora.catalogue import CORPORA

# README of BIU-NLP/Breaking_NLI, "Fields"
BREAKING = {
    "sentence1": "The man is holding a saxophone .",
    "category": "instruments",
    "gold_label": "contradiction",
    "annotator_labels": ["contradiction", "contradiction", "neutral"],
    "pairID": 8,
    "sentence2": "The man is holding an electric guitar .",
}
# src/dataset_tools/format_convert.py of facebookresearch/anli reads these fields
ANLI = {
    "uid": "c5fbe5a5",
    "context": "The Parma trolleybus system serves the city of Parma.",
    "hypothesis": "Parma has trolleybuses.",
    "label": "e",
    "model_label": "n",
    "emturk": True,
    "genre": "wikipedia",
    "reason": "It says so.",
    "tag": "",
}
# README of tommccoy1/hans, "Data", in the order of the file
HANS_HEADER = (
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    "sentence2_parse\tsentence1\tsentence2\tpairID\theuristic\tsubcase\ttemplate"
)
HANS = (
    "non-entailment\t( ( The doctor ) ( saw it ) )\t( It ( saw ( the doctor ) ) )\t"
    "(ROOT (S (X The doctor saw it)))\t(ROOT (S (X It saw the doctor)))\t"
    "The doctor saw it .\tIt saw the doctor .\tex0\tlexical_overlap\t"
    "ln_subject/object_swap\ttemp1"
)
# the header of xnli.test.tsv; parses are empty
XNLI_HEADER = (
    "language\tgold_label\tsentence1_binary_parse\tsentence2_binary_parse\t"
    "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\t"
    "label1\tlabel2\tlabel3\tlabel4\tlabel5\tsentence1_tokenized\t"
    "sentence2_tokenized\tmatch"
)
XNLI = (
    "{}\tneutral\t\t\t\t\tWell, I wasn't even thinking.\tI have spoken.\t1\t{}\t"
    "facetoface\tneutral\tneutral\tneutral\tneutral\tentailment\tWell , I\tI\tTrue"
)
# tsv_format of SciTailV1.1: premise, hypothesis, label, no header, no quoting
SCITAIL = 'Based on "food chains", plants make food.\tPlants make food.\tentails'
# NLI/revised_premise/test.tsv of acmi-lab's repository: texts with quotes are quoted
CAD = (
    "sentence1\tsentence2\tgold_label\n"
    "A kid slides down a slide.\tThe child slides into the pool.\tneutral\n"
    '"Officers with ""Politie"" on their jackets."\tThey wear clothes\tcontradiction\n'
)
# stress tests: the format of MultiNLI, with the parses of the original sentences
STRESS = {
    "gold_label": "neutral",
    "pairID": "31193n",
    "sentence1": "yeah",
    "sentence1_binary_parse": "yeah",
    "sentence2": "Yes and false is not true.",
    "sentence2_binary_parse": "Yes",
}


def write(folder, name, *lines):
    """Writes lines to a file, dictionaries as JSON; returns its path."""
    text = "".join(
        f"{json.dumps(line) if isinstance(line, dict) else line}\n" for line in lines
    )
    path = folder / name
    path.write_bytes(
        gzip.compress(text.encode()) if name[-2:] == "gz" else text.encode()
    )
    return path


def read(corpus, path):
    return list(CORPORA[corpus].read_examples(path))
