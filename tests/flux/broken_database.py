class BreaksAfter:
    """Lets some statements through, then behaves as a database that went away."""

    def __init__(self, statements: int, error: Exception) -> None:
        self.left, self.error = statements, error

    def __call__(self, execute, sql, params, many, context):
        if self.left == 0:
            raise self.error
        self.left -= 1
        return execute(sql, params, many, context)
