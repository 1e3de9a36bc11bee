"""What API_MODE=read-only leaves out: all that is there for people and their browsers.

It keeps the users (`auth`), which other tables refer to, but reads none of them.
"""

from typing import Any

WITHOUT_APPS = {
    "unfold.apps.BasicAppConfig",
    "fleet.admin_site.apps.FleetAdminConfig",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django.forms",
    "django_filters",
    "drf_spectacular_sidecar",
    "axes",
}
WITHOUT_MIDDLEWARE = {
    "fleet.web.long_work.LongWorkMiddleware",
    "fleet.web.csp.BrowserPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "fleet.web.session_user.SessionUserMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "fleet.web.time_zone.TimeZoneMiddleware",
}
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["fleet.access.authentication.TokenAuthentication"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
}
