"""gunicorn's worker with an event loop."""

from gunicorn.workers.gasgi import ASGIWorker


class LoopWorker(ASGIWorker):
    pass
