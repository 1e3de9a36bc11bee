"""`flux-fleet`, the command line. It talks HTTP only, and imports nothing of the server."""

__version__ = "0.1.0"
