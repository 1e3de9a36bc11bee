"""Tokens: issued, rotated and revoked. The secret is on the page that answers, and nowhere else."""

from datetime import timedelta
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from rest_framework_api_key.models import APIKey
from unfold.decorators import action, display
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSplitDateTimeWidget,
)

from fleet.admin.base import TrackedAdmin, TrackedForm, as_text
from fleet.admin.filters import ExpiryFilter
from fleet.admin.pages import admin_page, redirect_missing
from fleet.admin.planned_write import PlannedWrite
from fleet.admin.refusals import refuse
from fleet.models import Environment, Profile, Token
from fleet.services.tokens import (
    GRACE,
    MAX_GRACE,
    EnrolmentDefaults,
    Issued,
    token_get,
    token_issue,
    token_rotate,
)
from fleet.templatetags.fleet_times import moment
from fleet.web.time_zone import in_zone

# Of the package that ours are built on: we have no such keys.
admin.site.unregister(APIKey)

GIVES = "Of an enrolment token alone: what it gives to clusters that register themselves."
GIFTS = ("labels", "profiles", "needs_approval", "max_uses")
KIND_COLORS = {
    Token.Kind.OPERATOR: "warning",
    Token.Kind.ENROLMENT: "warning",
    Token.Kind.READER: "info",
    Token.Kind.CLUSTER: "success",
}


def hours(span: timedelta) -> int:
    return int(span.total_seconds() // 3600)


class TokenForm(TrackedForm):
    environments = forms.ModelMultipleChoiceField(
        Environment.objects.all(),
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="The only ones that an operator token may change; none ticked means all. For an "
        "enrolment token, the one that new clusters are in.",
    )

    profiles = forms.ModelMultipleChoiceField(
        Profile.objects.filter(lists_clusters=True),
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="New clusters are put on the lists of these. A profile without a list selects by "
        "environments and labels: give the labels.",
    )

    class Meta:
        help_texts = {
            "expires_at": in_zone("Date and time in {zone}. Left empty, it never does."),
            "labels": 'Of new clusters, such as {"tier": "edge"}.',
        }

    def clean_profiles(self) -> list[str]:
        return [chosen.pk for chosen in self.cleaned_data["profiles"]]

    def clean_environments(self) -> list[str] | None:
        return [chosen.pk for chosen in self.cleaned_data["environments"]] or None


class RotateForm(forms.Form):
    grace_hours = forms.IntegerField(
        initial=hours(GRACE),
        min_value=0,
        max_value=hours(MAX_GRACE),
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="How long the old secret remains valid; 0 if it may have leaked.",
    )
    expires_at = forms.SplitDateTimeField(
        required=False,
        widget=UnfoldAdminSplitDateTimeWidget,
        help_text=in_zone("When the token expires ({zone}). Left empty, that stays as it is."),
    )


@admin.register(Token)
class TokenAdmin(TrackedAdmin):
    form = TokenForm
    list_display = ["id", "kind_label", "cluster_id", "limit", "expires", "rotated"]
    list_filter = ["kind", ExpiryFilter]
    search_fields = ["id", "cluster__id"]
    autocomplete_fields = ["cluster"]
    fieldsets = [
        (None, {"fields": ["id", "kind", "cluster", "environments", "expires_at"]}),
        (
            "Enrolment",
            {"fields": [*GIFTS], "description": GIVES},
        ),
    ]
    actions_detail = ["rotate"]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        if obj is None:
            return list(self.fieldsets)
        shown = ["id", "kind", "cluster", "limit", "expires", "rotated", "secrets"]
        if obj.kind != Token.Kind.ENROLMENT:
            return [(None, {"fields": shown})]
        enrolment_defaults = ["label_text", "profile_text", "needs_approval", "used"]
        return [(None, {"fields": shown}), ("Enrolment", {"fields": enrolment_defaults})]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What a token permits stays as it was issued; another one is issued in a moment."""
        return obj is None and super().has_change_permission(request, obj)

    def has_rotate_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return bool(request.user.has_perm("fleet.change_token"))

    @display(description="kind", ordering="kind", label=KIND_COLORS)  # type: ignore[untyped-decorator]
    def kind_label(self, token: Token) -> tuple[str, str]:
        return token.kind, token.kind

    @admin.display(description="environments")
    def limit(self, token: Token) -> str:
        if token.kind not in {Token.Kind.OPERATOR, Token.Kind.ENROLMENT}:
            return "-"
        return "all" if token.environments is None else ", ".join(token.environments)

    @admin.display(description="expires at", ordering="expires_at", empty_value="never")
    def expires(self, token: Token) -> str | None:
        return moment(token.expires_at) if token.expires_at else None

    @admin.display(description="rotated at", ordering="rotated_at")
    def rotated(self, token: Token) -> str | None:
        return moment(token.rotated_at) if token.rotated_at else None

    def export_columns(self, request: HttpRequest) -> list[Any]:
        """A file is read anywhere: its times are UTC."""
        return ["id", "kind", "cluster_id", "limit", "expires_at", "rotated_at"]

    @admin.display(description="labels")
    def label_text(self, token: Token) -> str:
        return as_text(token.labels) or "-"

    @admin.display(description="profiles")
    def profile_text(self, token: Token) -> str:
        return ", ".join(token.profiles) or "-"

    @admin.display(description="uses")
    def used(self, token: Token) -> str:
        return f"{token.uses} of {token.max_uses or 'any number'}"

    @admin.display(description="secrets")
    def secrets(self, token: Token) -> str:
        """Not an inline: the key of such a row has the hash in it, and would be in the page."""
        return format_html_join(
            mark_safe("<br>"),
            "{}… since {}{}, {}",
            (
                (
                    key.prefix,
                    moment(key.created),
                    format_html(" until {}", moment(key.expiry_date)) if key.expiry_date else "",
                    format_html("last used {}", moment(key.last_used))
                    if key.last_used
                    else "no use noted",
                )
                for key in token.keys.all()
            ),
        )

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        # A secret is shown in between.
        context |= {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().render_change_form(request, context, *args, **options)

    def save_model(self, request: HttpRequest, obj: Token, form: Any, change: bool) -> None:
        """Left to `response_add`, whose page shows the secret: nothing keeps it in between."""

    def response_add(
        self, request: HttpRequest, obj: Token, *args: Any, **options: Any
    ) -> HttpResponse:
        issued = token_issue(
            id=obj.pk,
            kind=obj.kind,
            cluster=obj.cluster_id,
            environments=obj.environments,
            expires_at=obj.expires_at,
            enrolment_defaults=EnrolmentDefaults(**{name: getattr(obj, name) for name in GIFTS}),
        )
        return self.secret_page(request, issued)

    @action(  # type: ignore[untyped-decorator]
        description="Rotate", url_path="rotate", icon="autorenew", permissions=["rotate"]
    )
    def rotate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        form = RotateForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.rotate_page(request, object_id, form)
        page = reverse("admin:fleet_token_change", args=[object_id])

        def act() -> HttpResponse:
            issued = token_rotate(
                id=unquote(object_id),
                grace=timedelta(hours=form.cleaned_data["grace_hours"]),
                expires_at=form.cleaned_data["expires_at"],
            )
            return self.secret_page(request, issued)

        reason = self.reason("Rotate", request, object_id)
        refused = partial(refuse, request, url=page)
        return PlannedWrite(self, request, reason, act, refused).respond()

    def rotate_page(self, request: HttpRequest, object_id: str, form: forms.Form) -> HttpResponse:
        token = self.get_object(request, unquote(object_id))
        if token is None:
            return redirect_missing(self, request, object_id)
        title = f"Rotate {token}"
        return admin_page(self, request, "token/rotate", title, token=token, form=form)

    def secret_page(self, request: HttpRequest, issued: Issued) -> HttpResponse:
        """Not by a redirect: its message would keep the secret in a cookie or in the database."""
        token = token_get(issued.token.pk)
        context = {"token": token, "secret": issued.secret}
        title = f"The secret of {token}"
        response = admin_page(self, request, "token/secret", title, **context)
        response.headers["Cache-Control"] = "no-store"
        return response
