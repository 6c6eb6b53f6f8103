"""Installs the package `dsa`. A backend is an extra: `pip install ".[tensorflow]"`."""

import pathlib
import re
import shutil

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

REPOSITORY = "https://github.com/dsa-nli/dsa"  # docs/development.md, "Release"
here = pathlib.Path(__file__).parent
version = re.search(
    r'^__version__ = "(.+)"$', (here / "dsa" / "version.py").read_text(), re.M
)[1]


class BuildWithConfigs(build_py):
    """Puts `configs/`, the bundled corpus and the example of a new paper into the
    package that is built, where `dsa.system.folders.find_bundled` looks for them. A
    checkout has them already."""

    def run(self):
        super().run()
        if not self.editable_mode:
            for folder in ("configs", "data/mini", "examples/new_paper"):
                target = pathlib.Path(self.build_lib, "dsa", "bundled", folder)
                shutil.rmtree(target, ignore_errors=True)
                ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
                shutil.copytree(here / folder, target, ignore=ignore)


def describe_at_length():
    """The README, whose links to files of the repository are made absolute."""
    text = (here / "README.md").read_text(encoding="utf-8")
    for begin, view in ((r"\]\(", "blob"), ('src="', "raw")):
        address = rf"\g<0>{REPOSITORY}/{view}/v{version}/"
        text = re.sub(rf"{begin}(?!https?:|#)", address, text)
    return text


EXPORT = ["onnx>=1.16,<2", "tf2onnx>=1.17,<2"]

setup(
    name="dsa-nli",
    version=version,
    description="Attention models of natural-language inference, reproduced in Keras 3",
    long_description=describe_at_length(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    author="The dsa maintainers",
    url=REPOSITORY,
    project_urls={
        "Documentation": f"{REPOSITORY}/tree/v{version}/docs",
        "Changelog": f"{REPOSITORY}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{REPOSITORY}/issues",
    },
    keywords=[
        "natural-language inference",
        "sentence encoders",
        "attention",
        "Keras",
        "SNLI",
        "MultiNLI",
    ],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Operating System :: MacOS",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3 :: Only",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Topic :: Text Processing :: Linguistic",
        "Typing :: Typed",
    ],
    python_requires=">=3.11",
    packages=find_packages(include=["dsa", "dsa.*"]),
    package_data={
        "dsa": ["py.typed"],
        "dsa.analysis": ["figures.mplstyle"],
        "dsa.data.download": ["subsets/*.npy"],
        "dsa.hub": ["*.md", "*.zip"],
        "dsa.papers": ["paper_results.csv"],
    },
    cmdclass={"build_py": BuildWithConfigs},
    entry_points={"console_scripts": ["dsa = dsa.commands.main:main"]},
    install_requires=[
        "h5py>=3.11,<4",  # as Keras does, for weight files
        "joblib>=1.3,<2",
        "keras>=3.10,<3.16",  # backends/ uses private parts: 3.15 was tested
        "matplotlib>=3.8,<4",
        "nltk>=3.9,<4",
        "numpy>=1.26,<3",
        "onnxruntime>=1.18,<2",
        "platformdirs>=4,<5",
        "pooch>=1.8,<2",
        "pyarrow>=15",  # a major version every few months, which rarely breaks
        "pydantic>=2.7,<3",
        "pydantic-core>=2.18,<3",
        "pyyaml>=6.0,<7",
        "requests>=2.31,<3",
        "scikit-learn>=1.4,<2",
        "scipy>=1.12,<2",
        "tqdm>=4.66,<5",
        "urllib3>=2.2,<3",
    ],
    extras_require={
        "tensorflow": ["tensorflow>=2.18,<3"],
        "tensorflow-gpu": ["tensorflow[and-cuda]>=2.18,<3"],
        "jax": ["jax>=0.4.30,<1"],
        "torch": ["torch>=2.4,<3"],
        "cluster": ["ray>=2.40,<3"],
        "datasets": ["datasets>=4.0,<6"],
        "explore": ["fastapi>=0.110,<1", "gradio>=6.0,<7", "httptools>=0.6,<1"],
        "hub": ["huggingface_hub>=1.0,<3"],
        "export": EXPORT,
        "pair-features": ["sacrebleu>=2.4,<3"],
        "tensorboard": ["tensorboardX>=2.6,<3"],
        "trackio": ["trackio>=0.43,<1"],
        "wandb": ["wandb>=0.20,<1"],
        "serve": [
            "httptools>=0.6,<1",
            "prometheus_client>=0.20,<1",
            "starlette>=0.37,<2",
            "uvicorn>=0.29,<1",
        ],
        "docs": [
            "latex2mathml>=3.77,<4",
            "mkdocs>=1.6,<2",
            "mkdocs-glightbox>=0.4,<1",
            "mkdocs-material>=9.6,<10",
            "mkdocstrings[python]>=0.30,<2",
            "ruff>=0.8,<1",  # for signatures
        ],
        "test": [
            *EXPORT,
            "build>=1.2,<2",
            "hypothesis>=6.100,<7",
            "import-linter>=2.1,<3",
            "ipykernel>=6,<8",
            "nbclient>=0.10,<1",
            "packaging>=24",
            "psutil>=5.9,<8",  # for benchmarks/
            "pyright[nodejs]>=1.1.400,<2",
            "pytest>=8,<10",
            "pytest-xdist>=3.5,<4",
            "ruff>=0.8,<1",
            "sacrebleu>=2.4,<3",
            "tensorboardX>=2.6,<3",
            "twine>=6.1,<8",
        ],
        "test-page": ["playwright>=1.45,<2", "pytest>=8,<10"],
    },
)
