"""The context screen."""

from pages.common.page import configure, heading

configure()
heading("context")
