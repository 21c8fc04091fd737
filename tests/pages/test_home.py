"""The home screen without a browser: what Python sends."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.app import components

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("script", ["app.py", "pages/home.py"])
def test_the_picture_is_shown_in_the_app_and_where_the_page_runs_alone(script):
    app = AppTest.from_file(str(ROOT / script), default_timeout=120).run()
    assert not app.exception
    shown = next(view for view in components(app) if "token" in view)
    assert shown["token"]["rows"][0]["name"] == "·Paris"
    assert shown["context"]["answer"] == "It's 12°C and rainy in Berlin."
