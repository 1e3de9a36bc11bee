"""The one settings file, driven by the environment. docs/configuration.md lists the variables."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.templatetags.static import static

from config import read_plane
from config.databases import database_config
from config.environment import BASE_DIR, ConfigurationError, process_environment
from config.logs import logging_config
from config.memory import memory_path
from config.policies import STRICT

env = process_environment()

API_MODE = env.choice("API_MODE", ("crud", "read-only"), "crud")
READ_ONLY = API_MODE == "read-only"
LISTEN_ADDR = env.address("LISTEN_ADDR", "127.0.0.1:8080")
SEED_FILE = env.existing_file("SEED_FILE")
DEMO_FILE = BASE_DIR / "fleet" / "demo" / "fleet.json"

# Several tokens, separated by commas, are valid at once while one is being rotated.
AUTH_TOKENS = env.words("AUTH_TOKEN")
CRUD_AUTH_TOKENS = env.words("CRUD_AUTH_TOKEN")

# Where clusters reach the Flux endpoints: the read plane, where there is one.
PUBLIC_API_URL = env.web_address("PUBLIC_API_URL")

# A change that takes things away from more clusters than this needs a confirmation.
GUARD_CLUSTERS = env.number("GUARD_CLUSTERS", 5, least=0, most=1_000_000)

# How often one token, and one address, may ask to enrol, in each worker.
ENROLMENTS_PER_MINUTE = env.number("ENROLMENTS_PER_MINUTE", 30, least=1, most=1_000_000)

# Of each worker: how many requests Django serves at once.
THREADS = env.number("THREADS", 4, least=1, most=256)
# Seconds that a client may take to read a part of its answer.
CLIENT_TIMEOUT = env.number("CLIENT_TIMEOUT", 20, least=1, most=3600)
# How many clusters' answers each worker keeps in memory, some 5 KiB each.
KEPT_CLUSTERS = env.number("KEPT_CLUSTERS", 20_000, least=1, most=1_000_000)

# The largest body of a request to the API, and of one to /batch.
MAX_BODY = 1024 * 1024
MAX_BATCH_BODY = 10 * MAX_BODY
# A whole fleet: 10,000 clusters with some settings of their own are about 10 MiB.
MAX_APPLY_BODY = 64 * MAX_BODY

DEBUG = env.flag("DEBUG", False)
SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY:
    raise ConfigurationError(
        "SECRET_KEY is not set; it must be a long random text, "
        "for example the output of: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'."
    )
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", f"localhost,127.0.0.1,[::1],{LISTEN_ADDR.host}")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "fleet.web.errors.csrf_failure"

# Off only where the service is reached by plain HTTP on this machine (`make run`).
HTTPS_ONLY = env.flag("HTTPS_ONLY", True)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS_ONLY
SECURE_SSL_REDIRECT = HTTPS_ONLY
# Probes and in-cluster polls come by plain HTTP; a redirect would only break them.
SECURE_REDIRECT_EXEMPT = [r"^health$", r"^ready$", r"^metrics$", r"^api/v2/flux/"]
# Whose X-Forwarded-Proto and X-Forwarded-For to believe; gunicorn reads it too.
FORWARDED_ALLOW_IPS = env.words("FORWARDED_ALLOW_IPS", "127.0.0.1,::1")
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS_ONLY else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS_ONLY
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {"DIRECTIVES": STRICT}
SESSION_COOKIE_AGE = int(timedelta(hours=12).total_seconds())

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "fleet.admin_site.apps.FleetAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django.forms",
    "rest_framework",
    "rest_framework_api_key",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "simple_history",
    "axes",
    "fleet",
    "flux_api",
]

MIDDLEWARE = [
    # Serves some requests in a thread of their own, with all of the rest.
    "fleet.web.long_work.LongWorkMiddleware",
    # First, so that it sees every request and every answer.
    "fleet.web.request_log.RequestLogMiddleware",
    "flux_api.middleware.ProbeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "fleet.web.csp.BrowserPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "fleet.web.session_user.SessionUserMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "fleet.web.time_zone.TimeZoneMiddleware",
]

if READ_ONLY:
    INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in read_plane.WITHOUT_APPS]
    MIDDLEWARE = [name for name in MIDDLEWARE if name not in read_plane.WITHOUT_MIDDLEWARE]
    # Right after the log of requests.
    MIDDLEWARE.insert(1, "flux_api.middleware.ReadOnlyMiddleware")

ROOT_URLCONF = "config.urls"
APPEND_SLASH = False
MESSAGE_STORAGE = "fleet.web.held_messages.HeldMessages"
LOGIN_REDIRECT_URL = "admin:index"

# Widgets, too, have templates of ours.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

MEMORY_STORE = env.text("STORE_BACKEND").lower() == "memory"
DATABASES = {
    "default": database_config(
        env, read_only=READ_ONLY, memory_path=memory_path() if MEMORY_STORE else Path()
    )
}
# How long a poll waits for the database, in either mode; then it gets an error.
POLL_SECONDS = min(DATABASES["default"].get("ANSWER_SECONDS", 6), 6)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# The first is for new passwords; the second is Django's own, for those made elsewhere.
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
# By name and address together: nobody can lock others out from afar.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "fleet.web.client_address.client_address"
AXES_LOCKOUT_CALLABLE = "fleet.admin.locked.locked"
AXES_ENABLE_ADMIN = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
# Of each worker. Apart, so that many addresses that ask to enrol push nothing else out.
CACHES = {
    "default": {"BACKEND": _MEMORY},
    "throttle": {"BACKEND": _MEMORY, "LOCATION": "throttle", "OPTIONS": {"MAX_ENTRIES": 10_000}},
}

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "fleet.access.authentication.TokenAuthentication",
        "fleet.access.authentication.BrowserSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["fleet.access.authentication.ReadsEverything"],
    "DEFAULT_RENDERER_CLASSES": [
        "rest_framework.renderers.JSONRenderer",
        "fleet.api.browsing.FleetBrowsableRenderer",
    ],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "fleet.web.errors.exception_handler",
    # `?format=` would be a parameter that no view knows.
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
if READ_ONLY:
    REST_FRAMEWORK |= read_plane.REST_FRAMEWORK
SPECTACULAR_SETTINGS = {
    "TITLE": "Flux Fleet",
    "VERSION": "1",
    "DESCRIPTION": "What every cluster of a fleet runs. Every write can be a dry run "
    "(`dry_run=true`), which answers its plan. Errors are always "
    '`{"error": "<code>", "message": "<sentence>", "details": {…}}`.',
    "OAS_VERSION": "3.1.0",
    "SORT_OPERATIONS": False,
    "PREPROCESSING_HOOKS": ["fleet.api.openapi.schema.name_paths"],
    "POSTPROCESSING_HOOKS": [
        "flux_api.openapi.add_probes",
        "fleet.api.openapi.components.add_components",
    ],
    # Nothing of the page comes from elsewhere, and nothing is sent there.
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "filter": True, "validatorUrl": None},
}

# Rows of history are found by revision and by object, never by date.
SIMPLE_HISTORY_DATE_INDEX = False

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Serves straight from the apps, so that neither `make run` nor a test has to collect first.
WHITENOISE_USE_FINDERS = True

UNFOLD = {
    "SITE_TITLE": "Flux Fleet",
    "SITE_HEADER": "Flux Fleet",
    "SITE_SUBHEADER": "What every cluster runs",
    # There is no other site that “View site” could lead to.
    "SITE_URL": None,
    "SHOW_HISTORY": False,
    "SITE_SYMBOL": "hub",
    "SITE_FAVICONS": [{"rel": "icon", "href": lambda request: static("icons/favicon.svg")}],
    "SCRIPTS": [lambda request: static("zone.js"), lambda request: static("accessible.js")],
    "STYLES": [lambda request: static("fleet.css"), lambda request: static("home.css")],
    "DASHBOARD_CALLBACK": "fleet.admin_site.home.at_a_glance",
    "SIDEBAR": {
        "show_search": True,
        "command_search": True,
        "show_all_applications": False,
        "navigation": "fleet.admin_site.navigation.sidebar",
    },
}

LOG_LEVEL = env.choice("LOG_LEVEL", ("debug", "info", "warning", "error"), "info")
LOG_FORMAT = env.choice("LOG_FORMAT", ("json", "text"), "text" if sys.stderr.isatty() else "json")
LOGGING = logging_config(LOG_LEVEL, LOG_FORMAT)
