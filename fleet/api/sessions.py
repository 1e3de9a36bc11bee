"""Where the browsable API lets people log in and out: as everywhere, in the admin."""

from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.generic import RedirectView

# By this name the templates of the browsable API look for them.
app_name = "rest_framework"
urlpatterns = [
    path(
        "login", RedirectView.as_view(pattern_name="admin:login", query_string=True), name="login"
    ),
    path("logout", LogoutView.as_view(next_page="admin:login"), name="logout"),
]
