"""What a cluster should have after an answer: a second opinion on our ResourceSets."""

from typing import Any

from tests.e2e.observed import Objects

Input = dict[str, Any]


def state_for(inputs: dict[str, list[Input]]) -> Objects:
    found: Objects = {}
    for namespace in inputs["namespaces"]:
        found[f"Namespace/{namespace['id']}"] = (namespace["labels"], namespace["annotations"])
    for binding in inputs["rolebindings"]:
        subjects = [subject_as_stored(subject) for subject in binding["subjects"]]
        found[f"ClusterRoleBinding/flux-fleet:{binding['id']}"] = (binding["role"], subjects)
    kinds = {each["id"]: each["kind"] for each in inputs["platform-components"] if each["enabled"]}
    for component in inputs["platform-components"]:
        if component["enabled"]:
            found |= objects_of(component, kinds)
    return found


def subject_as_stored(subject: Input) -> Input:
    """Kubernetes keeps no empty fields."""
    return {name: value for name, value in subject.items() if value}


def objects_of(component: Input, kinds: dict[str, str]) -> Objects:
    name, url = component["id"], component["source"]["oci_url"]
    # Flux can wait for objects of one kind alone, and not for what is not there.
    waits = [
        {"name": needed}
        for needed in component["depends_on"]
        if kinds.get(needed) == component["kind"]
    ]
    if component["kind"] == "kustomize":
        return {
            f"OCIRepository/{name}": (url, {"tag": component["source"]["oci_tag"]}),
            f"Kustomization/{name}": (f"./{component['resolved_path']}", waits),
        }
    version = component["component_version"]
    if url.startswith("oci://"):
        chart = f"{url}/{component['resolved_path']}"
        return {
            f"OCIRepository/{name}": (chart, {"tag": version}),
            f"HelmRelease/{name}": ("", component["values"], waits),
        }
    return {
        f"HelmRepository/{name}": (url, {}),
        f"HelmRelease/{name}": (version, component["values"], waits),
    }
