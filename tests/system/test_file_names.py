import os
import pathlib

from dsa.system.file_names import write_name


def test_a_name_that_is_no_utf_8_can_be_written():
    assert write_name(pathlib.Path("a/é.yaml")) == "a/é.yaml"
    assert write_name(os.fsdecode(b"a\xff.yaml")) == r"a\xff.yaml"
