"""The react screen."""

from pages.common.page import configure, heading

configure()
heading("react")
