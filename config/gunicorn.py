"""How gunicorn serves us: gunicorn -c config/gunicorn.py config.wsgi:application."""

import os
import sys
from pathlib import Path

from gunicorn import util

from config import wire_errors
from config.environment import ConfigurationError, process_environment

try:
    # Loaded here, before any worker: a wrong variable stops the server once, with one sentence,
    # and does not make every new worker fail. It also makes this process own a store in memory.
    from config import settings

    env = process_environment()
    workers = env.number("WEB_CONCURRENCY", min(os.cpu_count() or 1, 4), least=1, most=256)
    threads = env.number("THREADS", 4, least=1, most=256)
    access_log = env.flag("ACCESS_LOG", False)
except ConfigurationError as error:
    sys.stderr.write(f"error: {error}\n")
    sys.exit(2)

bind = str(settings.LISTEN_ADDR)
worker_class = "gthread"
preload_app = False
timeout = 60
graceful_timeout = 30
# Heartbeats go to memory, so that a busy disk does not look like a hung worker.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108

limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
# Only these peers are believed when they say that the client came by HTTPS.
forwarded_allow_ips = ",".join(settings.FORWARDED_ALLOW_IPS)

loglevel = settings.LOG_LEVEL
accesslog = "-" if access_log else None
# gunicorn's own is an HTML page, and it has no setting for that.
util.write_error = wire_errors.write_error
# The socket's default path is one per user: two servers would fight over it.
control_socket_disable = True
