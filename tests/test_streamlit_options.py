"""The settings in .streamlit/config.toml that Loopscope's speed rests on are known and in force."""

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

IN_FORCE = {
    "runner.postScriptGC": False,
    "server.scriptHealthCheckEnabled": True,
    "server.fileWatcherType": "none",
    "server.maxUploadSize": 10,
    "client.showErrorDetails": "type",
    "client.toolbarMode": "minimal",
    "browser.gatherUsageStats": False,
}


@pytest.fixture(scope="module")
def streamlit_config(tmp_path_factory):
    """What Streamlit reads when it is started in the project's folder, without settings of the user's."""
    script = (
        "import json, sys\n"
        "from streamlit import config\n"
        "known = config.get_config_options(force_reparse=True)\n"
        "options = {name: known[name] for name in sys.argv[1:] if name in known}\n"
        "print(json.dumps({name: [option.value, option.where_defined, option.visibility]\n"
        "                  for name, option in options.items()}))\n"
    )
    home = str(tmp_path_factory.mktemp("home"))
    own = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    result = subprocess.run(
        [sys.executable, "-c", script, *IN_FORCE],
        cwd=ROOT,
        env={**own, "HOME": home, "USERPROFILE": home},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return {"options": json.loads(result.stdout), "warnings": result.stderr}


@pytest.mark.parametrize("name", IN_FORCE)
def test_the_option_is_known_and_set_by_the_project(streamlit_config, name):
    value, where_defined, _ = streamlit_config["options"][name]

    assert value == IN_FORCE[name]
    assert Path(where_defined) == ROOT / ".streamlit" / "config.toml"


@pytest.mark.parametrize("name", ["runner.postScriptGC", "server.scriptHealthCheckEnabled"])
def test_the_option_is_still_hidden_so_that_the_exact_pin_is_needed(streamlit_config, name):
    assert streamlit_config["options"][name][2] == "hidden"


def test_streamlit_knows_every_option_of_the_file(streamlit_config):
    assert streamlit_config["warnings"] == ""


def test_the_streamlit_that_is_tested_is_the_one_that_is_pinned():
    pinned = [
        line for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines() if "streamlit" in line
    ]

    assert pinned == [f"streamlit=={importlib.metadata.version('streamlit')}"]
