"""The one error that reaches a person."""


class InputError(ValueError):
    """Bad input, told as one sentence that a student understands, with the way out.

    Pages show `str(error)` as it is. Anything else that is raised is a fault of Loopscope.
    """
