"""A page run without a browser."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

PAGES = Path(__file__).parents[2] / "pages"


def open_page(name: str, **address: str) -> AppTest:
    """Run a page once at an address."""
    app = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=120)
    for key, value in address.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def components(app: AppTest) -> list[dict]:
    """The data of the browser components in their order, but for those that get bytes."""
    return [json.loads(found.proto.json) for found in app.get("bidi_component") if found.proto.json]


def menu_of_runs(app: AppTest) -> Selectbox:
    """The select box of runs; its key is another one after a run that was not chosen in it."""
    return next(menu for menu in app.selectbox if menu.label == "Scenario")
