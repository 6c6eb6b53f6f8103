import pytest

from dsa.commands.options import add_set, make_parser


@pytest.fixture
def parser():
    parser = make_parser("A command.")
    parser.add_argument("config")
    parser.add_argument("--resume", action="store_true")
    add_set(parser)
    return parser


@pytest.mark.parametrize(
    "line",
    [
        "CONFIG --set a=1 b=2 --resume --set c=3",
        "--set a=1 b=2 CONFIG --set c=3 --resume",
        "--set a=1 --resume --set b=2 c=3 CONFIG",
        "--resume --set=a=1 --set b=2 c=3 CONFIG",
    ],
)
def test_settings_stand_before_or_after_the_config(parser, line):
    options = parser.parse_args(line.split())
    assert (options.config, options.resume) == ("CONFIG", True)
    assert options.set == ["a=1", "b=2", "c=3"]


def test_a_setting_without_its_sign_is_taken_as_one(parser):
    assert parser.parse_args(["CONFIG", "--set", "alpha"]).set == ["alpha"]
    with pytest.raises(SystemExit):
        parser.parse_args(["CONFIG", "--set"])
