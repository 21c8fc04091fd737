"""The home screen."""

from pages.common.page import configure, heading

configure()
heading("home")
