"""The real settings in a known environment, whatever the shell of the developer has set.

pytest-django loads the settings before any conftest.py, so the environment is made here.
"""

import os

from tests.databases import database_url, suite_folder

for name in ("API_MODE", "STORE_BACKEND", "SEED_FILE", "LISTEN_ADDR", "DEBUG", "ALLOWED_HOSTS"):
    os.environ.pop(name, None)
os.environ.update(
    SECRET_KEY="a key for tests alone",
    AUTH_TOKEN="test-read-token",
    CRUD_AUTH_TOKEN="test-write-token",
    HTTPS_ONLY="false",
    LOG_LEVEL="warning",
    FLUX_FLEET_HOME=str(suite_folder() / "home"),
    DATABASE_URL=database_url(),
)

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES  # noqa: E402

if DATABASES["default"]["ENGINE"] == "config.sqlite":
    # A file, since Django would else choose `:memory:`, where threads share one connection.
    DATABASES["default"]["TEST"] = {"NAME": str(suite_folder() / "test.sqlite3")}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Each test has a client of its own, and for each it would look through all static files.
WHITENOISE_AUTOREFRESH = True
