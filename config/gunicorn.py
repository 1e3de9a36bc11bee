"""How gunicorn serves us: gunicorn -c config/gunicorn.py. Its own settings and hooks, no more."""

import asyncio
import gc
import os
import signal
import sys
from pathlib import Path
from typing import Any

from django.urls import get_resolver

from config.cores import usable_cores
from config.environment import ConfigurationError, process_environment
from config.metrics import prepare_metrics

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

try:
    # Loaded here, before any worker: a wrong variable stops the server once, with one sentence,
    # and does not make every new worker fail. It also makes this process own a store in memory.
    from config import settings

    env = process_environment()
    workers = env.number("WEB_CONCURRENCY", min(usable_cores(), 4), least=1, most=256)
    # Less than the 30 s after which Kubernetes kills.
    graceful_timeout = env.number("GRACEFUL_TIMEOUT", 25, least=1, most=3600)
    access_log = env.flag("ACCESS_LOG", False)
    prepare_metrics()
except ConfigurationError as error:
    sys.stderr.write(f"error: {error}\n")
    sys.exit(2)

# For Python's generations 0, 1 and 2. To search all that is cached for garbage, several times a
# second on a busy worker, made polls wait for as long as 60 ms; what there is comes from ended
# connections, and is young.
GARBAGE_THRESHOLDS = (2_000, 10, 100)
# A thread that computes (a plan, a write) gives way to the loop this often. Python's own 5 ms would
# be added to every turn of the loop meanwhile.
SWITCH_SECONDS = 0.0005

bind = str(settings.LISTEN_ADDR)
wsgi_app = "config.asgi:application"
worker_class = "asgi"
# The other, in C, never lets go of a connection (gunicorn_h1c 0.6.9): 14 KiB for each that ended.
http_parser = "python"
# Otherwise each connection that a client has closed would stay in memory for three seconds.
asgi_disconnect_grace_period = 0
# To load the application takes two seconds, in which a worker that was replaced would be missed.
# The price: new code needs a new master, a HUP only brings new workers.
preload_app = True
# After this long, a worker whose loop stands still is killed, and a client that is silent in the
# middle of a body is given up.
timeout = 60
# Longer than the proxies before us keep a connection that they might use again (nginx: 60 s): who
# closes first should be the one that knows whether a request is on its way.
keepalive = 75
# Heartbeats go to memory, so that a busy disk does not look like a hung worker.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108

limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
# Only these peers are believed when they say that the client came by HTTPS.
forwarded_allow_ips = ",".join(settings.FORWARDED_ALLOW_IPS)

loglevel = settings.LOG_LEVEL
logger_class = "config.server_log.ServerLog"
accesslog = "-" if access_log else None
# The socket's default path is one per user: two servers would fight over it.
control_socket_disable = True


def when_ready(server: Any) -> None:
    """The addresses too are loaded before there are workers, and not with their first request."""
    _ = get_resolver().url_patterns
    # What is there by now stays: to look through it for garbage again would only cost time, and
    # the memory that workers share.
    gc.collect()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    """A new worker has the master's handlers, which would only note TERM down. So it has to wait
    until the worker has its own; else that worker would go on until it is killed."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})


def post_worker_init(worker: Any) -> None:
    # Not at the top: it needs the models, which are there once the application is loaded.
    from fleet.access import token_usage  # noqa: PLC0415

    # When the loop runs: it takes no notice of what comes before.
    loop = asyncio.get_event_loop()
    loop.call_soon(signal.pthread_sigmask, signal.SIG_UNBLOCK, {signal.SIGTERM})
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    sys.setswitchinterval(SWITCH_SECONDS)
    if not settings.READ_ONLY:
        token_usage.start()


def child_exit(server: Any, worker: Any) -> None:
    # Not at the top: prometheus_client looks for its folder when it is imported.
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

    mark_process_dead(worker.pid)
