"""The hooks' own idea of where things lie is platformdirs'."""

import platformdirs
import pytest

from dreamhook import paths


@pytest.mark.parametrize("kind", ["state", "data", "config"])
def test_without_a_home_of_its_own_each_folder_is_platformdirs(kind, monkeypatch):
    monkeypatch.delenv("DREAMHOOK_HOME", raising=False)
    ours = getattr(paths, f"{kind}_dir")()
    assert ours == getattr(platformdirs, f"user_{kind}_dir")("dreamhook")


def test_dreamhook_home_holds_everything(monkeypatch):
    monkeypatch.setenv("DREAMHOOK_HOME", "/x y/ü")
    assert {paths.state_dir(), paths.data_dir(), paths.config_dir()} == {"/x y/ü"}
