import platform

import pytest

from dsa.system import environment

INTEL = """\
processor\t: 0
vendor_id\t: SomeVendor
cpu family\t: 25
model\t\t: 17
model name\t: Some Processor 9
flags\t\t: fpu avx avx2 fma avx512f avx512_bf16

processor\t: 1
flags\t\t: fpu
"""
ARM = "processor\t: 0\nFeatures\t: fp asimd sve\n"


@pytest.mark.parametrize(
    ("text", "name", "extensions"),
    [
        (INTEL, "Some Processor 9", ["avx2", "fma", "avx512f", "avx512_bf16"]),
        (ARM, "arm", ["asimd", "sve"]),
        ("", "arm", []),
        (None, "arm", []),  # without the file, as on macOS
    ],
)
def test_the_processor_is_described_with_its_vector_extensions(
    tmp_path, monkeypatch, text, name, extensions
):
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(environment, "PROCESSOR_FILE", tmp_path / "cpuinfo")
    monkeypatch.setattr(platform, "processor", lambda: "arm")
    machine = environment.describe_machine()
    assert machine["processor"] == name
    assert machine["vector_extensions"] == extensions
    known = ("SomeVendor", "25", "17") if text == INTEL else (None, None, None)
    names = ("processor_vendor", "processor_family", "processor_model")
    assert tuple(machine[name] for name in names) == known


def test_the_memory_of_a_container_is_limited(tmp_path, monkeypatch):
    whole = environment.measure_memory()
    assert whole > 10**8
    limit, no_limit = tmp_path / "limit", tmp_path / "no_limit"
    limit.write_text("1000\n")
    no_limit.write_text("max\n")
    files = (no_limit, limit, tmp_path / "nothing")
    monkeypatch.setattr(environment, "MEMORY_LIMIT_FILES", files)
    assert environment.measure_memory() == 1000
    monkeypatch.setattr(environment, "MEMORY_LIMIT_FILES", (no_limit,))
    assert environment.measure_memory() >= whole
