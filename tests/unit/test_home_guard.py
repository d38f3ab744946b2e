"""The tests' own safety net: no test touches the person's home."""

import os
from pathlib import Path

import pytest

from dreamhook import paths


def test_every_place_of_the_product_is_private_to_the_test(home, tmp_path):
    places = [paths.state_dir(), paths.data_dir(), paths.config_dir(), os.path.expanduser("~")]
    assert all(place.startswith(str(home.parent)) for place in places)
    assert len(str(home)) < 40


@pytest.mark.parametrize(
    "name", [".config/dreamhook/config.toml", ".claude/settings.json", ".codex/config.toml"]
)
def test_touching_the_real_home_fails_even_when_the_program_swallows_errors(name, pytestconfig):
    guard = pytestconfig.pluginmanager.get_plugin(str(Path(__file__).parents[1] / "conftest.py"))
    with pytest.raises(AssertionError, match="real home"):
        Path(guard.REAL_HOME, name).read_text()
    assert len(guard.TOUCHED) == 1
    guard.TOUCHED.clear()


def test_names_from_the_developers_shell_do_not_reach_the_tests():
    shell = [
        name
        for name in os.environ
        if name.startswith(("ANTHROPIC_", "NEO4J_")) and "TEST" not in name
    ]
    assert shell == []
