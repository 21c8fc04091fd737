"""The home screen without a browser: what Python sends."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("script", ["app.py", "pages/home.py"])
def test_the_picture_is_shown_in_the_app_and_where_the_page_runs_alone(script):
    app = AppTest.from_file(str(ROOT / script), default_timeout=60).run()
    assert not app.exception
    shown = json.loads(app.get("bidi_component")[0].proto.json)
    assert shown["token"]["rows"][0]["name"] == "·Paris"
    assert shown["context"]["answer"] == "It's 12°C and rainy in Berlin."
