"""The rows of patches in a form: saved exactly, refused where they are wrong, kept as typed."""

import pytest

from fleet.history.change import Actor, change, head_number
from fleet.models import Cluster, ClusterPatch, Component, ComponentPatch, Profile, ProfilePatch
from tests.admin.forms import (
    add_patch,
    add_row,
    errors,
    go_on,
    is_preview,
    open_form,
    page_queries,
    save,
    typed,
    url,
)
from tests.factories import assign, make_cluster, make_component, make_profile, patch, unset

pytestmark = pytest.mark.usefixtures("small_fleet")
PAGE = url(Cluster, "change", "c1")


def patches(cluster: str = "c1") -> dict[str, str]:
    rows = ClusterPatch.objects.filter(cluster_id=cluster)
    return {row.key: "unset" if row.unset else row.value for row in rows}


def row_of(response, index: int):
    return response.context["inline_admin_formsets"][1].formset.forms[index]


def schema(**properties: object) -> None:
    with change():
        document = {"type": "object", "properties": properties}
        Component.objects.filter(pk="podinfo").update(values_schema=document)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", "blue", '"blue"'),
        ("text", "", '""'),
        ("text", "two\nlines", r'"two\nlines"'),
        ("number", "9007199254740991", "9007199254740991"),
        ("number", "1.0", "1.0"),
        ("boolean", "false", "false"),
        ("list", '["a", {"b": 1}]', '["a",{"b":1}]'),
        ("object", "{}", "{}"),
        ("null", "", "null"),
        ("unset", "", "unset"),
    ],
)
def test_a_row_is_saved_and_shown_again_as_it_is(admin_client, kind, text, value):
    data = open_form(Cluster, "c1")
    add_patch(data, "a", kind, text)
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert patches() == {"a": value, "ui.color": '"red"'}

    before = head_number()
    assert save(admin_client, Cluster, "c1", open_form(Cluster, "c1")).status_code == 302
    assert head_number() == before


@pytest.mark.parametrize(
    ("row", "field", "error"),
    [
        ({"key": "ui.color", **typed("text", "a")}, "key", "has two patches"),
        ({"key": "ui", **typed("number", "1")}, "key", ""),
        ({"key": "ui.color.dark", **typed("number", "1")}, "key", "leads through ui.color"),
        ({"key": "a", **typed("number", "red")}, "value", "must be a number"),
        ({"key": "a", **typed("", "red")}, "value", "needs its kind"),
        ({"key": "a", **typed("list", "[1")}, "value", "must be a list"),
        ({"key": "a", **typed("object", '{"": 1}')}, "value", "empty part"),
        ({"key": "a", **typed("object", '{"b": 1, "b": 2}')}, "value", "there twice"),
        ({"key": "a" * 500, **typed("object", '{"0123456789abc": 1}')}, "value", "longer than 512"),
        ({"key": "a..b", **typed("number", "1")}, "key", "empty part"),
        ({"key": "", **typed("number", "1")}, "key", "required"),
        ({"key": "a", "component": "nothing", **typed("null")}, "component", "not one of the"),
        ({"key": "a", "component": "", **typed("null")}, "component", "required"),
    ],
)
def test_a_wrong_row_is_refused_there_and_kept_as_typed(admin_client, row, field, error):
    before = head_number()
    sent = {"component": "podinfo", **row}
    data = open_form(Cluster, "c1") | {"name": "renamed"}
    add_row(data, "patches", **sent)

    response = save(admin_client, Cluster, "c1", data)

    again = row_of(response, 1)
    wrong = again if error else row_of(response, 0)
    assert (error or "leads through ui,") in str(wrong.errors[field])
    assert errors(response)
    assert again["value"].value() == [sent[f"value_{part}"] for part in ("kind", "text", "truth")]
    assert again["key"].value() == sent["key"]
    assert head_number() == before
    assert Cluster.objects.get().name == "c1"


def test_a_row_that_was_added_and_left_empty_is_nothing(admin_client):
    data = open_form(Cluster, "c1")
    add_row(data, "patches", component="", key="", **typed(""))
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert patches() == {"ui.color": '"red"'}


def test_an_object_becomes_a_patch_for_each_of_its_keys(admin_client):
    before = head_number()
    data = open_form(Cluster, "c1")
    document = '{"max": 3, "hpa": {"on": true, "rest": {}}, "prometheus.io/port": "9"}'
    add_patch(data, "scale", "object", document)
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert patches() == {
        "scale.hpa.on": "true",
        "scale.hpa.rest": "{}",
        "scale.max": "3",
        r"scale.prometheus\.io/port": '"9"',
        "ui.color": '"red"',
    }
    assert head_number() == before + 1


def test_a_value_can_become_an_object_and_takes_apart(admin_client):
    data = open_form(Cluster, "c1") | {
        "patches-0-key": "ui",
        "patches-0-value_kind": "object",
        "patches-0-value_text": '{"color": "blue", "message": "hi"}',
    }
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert patches() == {"ui.color": '"blue"', "ui.message": '"hi"'}


def test_what_an_object_gives_may_not_be_there_already(admin_client):
    data = open_form(Cluster, "c1")
    add_patch(data, "ui", "object", '{"message": "hi", "color": "blue"}')
    response = save(admin_client, Cluster, "c1", data)
    assert "has two patches" in str(row_of(response, 1).errors["key"])
    assert patches() == {"ui.color": '"red"'}


def test_a_value_can_become_a_mark_to_remove_and_back(admin_client):
    for kind, text, stored in (("unset", "", "unset"), ("text", "blue", '"blue"')):
        data = open_form(Cluster, "c1") | {
            f"patches-0-{name}": given for name, given in typed(kind, text).items()
        }
        assert save(admin_client, Cluster, "c1", data).status_code == 302
        assert patches() == {"ui.color": stored}


@pytest.mark.parametrize(
    ("key", "error"),
    [
        ("k00", "has two patches"),
        ("k00.more", "leads through k00"),
        ("deep", "in the way of deep.x"),
    ],
)
def test_rows_on_another_page_count_too(admin_client, key, error):
    with change():
        for number in range(30):
            patch(Cluster.objects.get(), Component.objects.get(id="podinfo"), f"k{number:02}", 1)
        patch(Cluster.objects.get(), Component.objects.get(id="podinfo"), "deep.x", 1)
    page = admin_client.get(PAGE, {"patches-page": "2"})
    formset = page.context["inline_admin_formsets"][1].formset
    here = {form.instance.key for form in formset.forms}
    assert "k00" not in here
    data = open_form(Cluster, "c1")
    data = {name: text for name, text in data.items() if not name.startswith("patches-")}
    data |= {"patches-TOTAL_FORMS": "0", "patches-INITIAL_FORMS": "0", "patches-page": "2"}
    add_patch(data, key, "number", "2")
    before = head_number()
    response = save(admin_client, Cluster, "c1", data)
    assert error in str(row_of(response, 0).errors["key"])
    assert head_number() == before


def test_the_catalog_takes_no_mark_to_remove(admin_client):
    data = open_form(Component, "podinfo")
    add_row(data, "patches", key="old", **typed("unset"))
    response = save(admin_client, Component, "podinfo", data)
    assert "nothing below the catalog" in errors(response)
    assert list(ComponentPatch.objects.values_list("key", flat=True)) == ["replicaCount"]


def test_defaults_of_the_catalog_may_be_an_object(admin_client):
    data = open_form(Component, "podinfo")
    add_row(data, "patches", key="ui", **typed("object", '{"a": 1, "b": 2}'))
    assert save(admin_client, Component, "podinfo", data).status_code == 302
    keys = ComponentPatch.objects.filter(component_id="podinfo").values_list("key", flat=True)
    assert set(keys) == {"replicaCount", "ui.a", "ui.b"}


def test_a_profile_has_the_same_rows(admin_client):
    data = open_form(Profile, "p1")
    add_patch(data, "ui.color", "unset")
    add_patch(data, "replicaCount", "number", "7")
    assert save(admin_client, Profile, "p1", data).status_code == 302
    rows = ProfilePatch.objects.values_list("key", "value", "unset")
    assert set(rows) == {("ui.color", "", True), ("replicaCount", "7", False)}


def test_each_row_tells_what_it_inherits(admin_client):
    with change():
        podinfo, cluster = Component.objects.get(id="podinfo"), Cluster.objects.get()
        patch(make_profile(id="gold", labels={"tier": "gold"}), podinfo, "ui.color", "gold")
        patch(cluster, podinfo, "replicaCount", 3)
        patch(cluster, podinfo, "mine", 1)
        patch(cluster, podinfo, "replicaCounts", 1)
        unset(cluster, podinfo, "replicaCount.max")
    page = admin_client.get(PAGE)
    shown = {
        form.instance.key: form.fields["value"].widget.inherited()
        for form in page.context["inline_admin_formsets"][1].formset.forms
    }
    assert shown == {
        "mine": "not set below",
        "replicaCount": "inherited: 1 from the catalog",
        "replicaCount.max": "replaces replicaCount, inherited: 1 from the catalog",
        "replicaCounts": "not set below",
        "ui.color": 'inherited: "gold" from profile gold',
    }
    assert "inherited: &quot;gold&quot; from profile gold" in page.text


def test_a_row_that_is_shown_again_tells_it_too(admin_client):
    data = open_form(Cluster, "c1")
    add_patch(data, "replicaCount", "number", "x")
    response = save(admin_client, Cluster, "c1", data)
    assert "inherited: 1 from the catalog" in response.text


def test_an_assignment_tells_what_its_blank_fields_stand_for(admin_client):
    with change():
        podinfo = Component.objects.get(id="podinfo")
        gold = make_profile(id="gold", labels={"tier": "gold"})
        assign(gold, podinfo, component_version="7.0.0", enabled=False)
    page = admin_client.get(PAGE)
    assert 'placeholder="7.0.0 from profile gold"' in page.text
    assert 'placeholder="charts/podinfo from the catalog"' in page.text
    assert "Inherit (no)" in page.text


def test_what_meets_no_schema_is_told_at_its_row(admin_client):
    schema(replicaCount={"type": "integer", "maximum": 20})
    before = head_number()
    data = open_form(Cluster, "c1")
    add_patch(data, "replicaCount", "number", "50")
    response = save(admin_client, Cluster, "c1", data)
    assert "greater than the maximum of 20" in str(row_of(response, 1).errors["value"])
    assert not row_of(response, 0).errors
    assert "do not meet its schema on c1" in errors(response)
    assert head_number() == before


def test_what_was_typed_survives_the_preview_and_the_way_back(admin_client):
    with change():
        for name in ("c2", "c3"):
            assign(make_cluster(id=name), Component.objects.get(id="podinfo"))
    data = open_form(Component, "podinfo")
    text = 'two\r\n"lines" & <more>'
    add_row(data, "patches", key="ui.text", **typed("text", text))
    preview = admin_client.post(url(Component, "change", "podinfo"), data)
    assert is_preview(preview)
    back = go_on(admin_client, preview, _edit="")
    formset = back.context["inline_admin_formsets"][1].formset
    assert formset.forms[1]["value"].value() == ["text", text, "true"]
    assert go_on(admin_client, preview).status_code == 302
    stored = ComponentPatch.objects.get(component_id="podinfo", key="ui.text")
    assert stored.value == r'"two\n\"lines\" & <more>"'


def test_what_was_typed_survives_when_somebody_else_was_quicker(admin_client):
    seen = admin_client.get(PAGE).context["seen"]
    data = open_form(Cluster, "c1") | {"_seen": seen}
    add_patch(data, "ratio", "number", "1.0")
    with change(actor=Actor("bob")):
        Cluster.objects.filter(pk="c1").update(node_count=99)
    page = admin_client.post(PAGE, data)
    shown = {row.field: row.mine for row in page.context["differences"]}
    assert '"ratio": 1.0' in shown["values"]
    again = dict(page.context["form_data"]) | {"_seen": page.context["seen"]}
    assert admin_client.post(PAGE, again).status_code == 302
    assert patches()["ratio"] == "1.0"


def test_a_viewer_sees_exact_values(viewer_client):
    with change():
        unset(Cluster.objects.get(), Component.objects.get(id="podinfo"), "old")
    page = viewer_client.get(PAGE)
    assert "&quot;red&quot;" in page.text
    assert "removes what is inherited" in page.text
    assert "value_kind" not in page.text.replace("__prefix__-value_kind", "")


def test_queries_do_not_grow_with_the_patches(admin_client):
    page_queries(admin_client, PAGE)  # the first also fills the caches of Django
    few = page_queries(admin_client, PAGE)
    with change():
        for number in range(50):
            patch(Cluster.objects.get(), make_component(), f"key{number}", number)
    assert page_queries(admin_client, PAGE) == few
