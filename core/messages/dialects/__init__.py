"""One file for each provider's JSON: `write` makes it of typed messages, `read` makes them of it."""
