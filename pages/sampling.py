"""The sampling screen."""

from pages.common.page import configure, heading

configure()
heading("sampling")
