"""Chain of thought: what it computes, how far it carries on a serial task, whether it is faithful."""
