import json
from tests.api.conftest import Api
def deep(n, leaf=1):
    for _ in range(n): leaf = {"a": leaf}
    return leaf
C = "/clusters/c-1"
P = "/platform_components/podinfo"
ROWS = [
 # raw
 ("PATCH", C, b""), ("PATCH", C, b"{"), ("PATCH", C, b"{'a': 1}"), ("PATCH", C, b'{"a": 1,}'), ("PATCH", C, b'\xff\xfe\xfa'), ("PATCH", C, b'{"vm_image": "\xc3\x28"}'),
 ("PATCH", C, b'{"node_count": 1, "node_count": 2}'), ("PATCH", C, b'{"values": {"podinfo": {"a": {"b": 1, "b": 2}}}}'),
 ("PATCH", C, b'{"node_count": NaN}'), ("PATCH", C, b'{"node_count": Infinity}'), ("PATCH", C, b'{"node_count": 1e999}'), ("PATCH", C, b'{"values": {"podinfo": {"a": 1e999}}}'),
 ("PATCH", C, b'{"node_count": ' + b"1"*5000 + b"}"),
 ("PATCH", C, b'{"vm_image": "a\\u0000b"}'), ("PATCH", C, b'{"a\\u0000b": 1}'), ("PATCH", C, b'{"vm_image": "\\ud800"}'), ("PATCH", C, b'{"values": {"podinfo": {"\\udfff": 1}}}'),
 ("PATCH", C, deep(70)), ("PATCH", C, b"["*100000), ("PATCH", C, {"values": {"podinfo": deep(40)}}), ("PATCH", C, {"values": {"podinfo": {"x": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}}),
 ("PATCH", C, None), ("PATCH", C, []), ("PATCH", C, "x"), ("PATCH", C, 1), ("PATCH", C, b"null"), ("POST", "/clusters", b"[]"),
 ("PATCH", C, {"vm_image": "x"*(1024*1024)}), ("POST", "/batch", b'[' + b' '*(10*1024*1024) + b']'),
 ("POST", "/batch", b'[{"method":"PUT","path":"/clusters/c-1","body":1e999}]'),
 # types
 ("PATCH", C, {"cluster_name": 1}), ("PATCH", C, {"environment": ["dev"]}), ("PATCH", C, {"node_count": "3"}), ("PATCH", C, {"node_count": 3.5}), ("PATCH", C, {"node_count": True}), ("PATCH", C, {"node_count": -1}), ("PATCH", C, {"node_count": 2**31}), ("PATCH", C, {"node_count": 10**30}),
 ("PATCH", C, {"labels": ["a"]}), ("PATCH", C, {"labels": {"a": 1}}), ("PATCH", C, {"labels": {"a b": "c"}}), ("PATCH", C, {"labels": {"a": "c d"}}), ("PATCH", C, {"labels": {"a": "x"*64}}), ("PATCH", C, {"labels": {"a": {}}}), ("PATCH", C, {"labels": {"": "x"}}),
 ("PATCH", C, {"vm_image": "x"*256}), ("PATCH", C, {"cluster_name": "x"*64}), ("PATCH", C, {"cluster_name": "Upper"}), ("PATCH", C, {"cluster_name": ""}), ("PATCH", C, {"cluster_name": None}), ("PATCH", C, {"cluster_dns": "a..b"}), ("PATCH", C, {"cluster_dns": "a b"}), ("PATCH", C, {"cluster_dns": ".".join(["x"*60]*5)}), ("PATCH", C, {"cluster_dns": "c-2.example.com"}), ("PATCH", C, {"cluster_dns": "C-2.EXAMPLE.COM"}), ("PATCH", C, {"cluster_dns": None}),
 ("PATCH", C, {"environment": "prd"}), ("PATCH", C, {"environment": None}), ("PATCH", C, {"environment": ""}),
 ("PATCH", C, {"status": 1}), ("PATCH", C, {"node_cout": 1}), ("PATCH", C, {"": 1}), ("PATCH", C, {"state": 1}), ("PATCH", C, {"state": "asleep"}), ("PATCH", C, {"frozen_answers": {}}), ("PATCH", C, {"id": "c-2"}), ("PATCH", C, {"id": 5}),
 ("PATCH", C, {"platform_components": {"podinfo": {}}}), ("PATCH", C, {"platform_components": "podinfo"}), ("PATCH", C, {"platform_components": [1]}), ("PATCH", C, {"platform_components": [{}]}), ("PATCH", C, {"platform_components": [{"id": None}]}), ("PATCH", C, {"platform_components": [{"id": ["x"]}]}),
 ("PATCH", C, {"platform_components": ["podinfo", {"id": "podinfo"}]}), ("PATCH", C, {"platform_components": ["traefik", "agent", {"id": "podinof"}]}), ("PATCH", C, {"platform_components": [{"id": "podinfo", "enabled": "yes"}]}), ("PATCH", C, {"platform_components": [{"id": "podinfo", "oci_tag": 1}]}), ("PATCH", C, {"platform_components": ["traefik", {"id": "podinfo", "oci_tag": "x"*129}]}), ("PATCH", C, {"platform_components": [{"id": "podinfo", "version": "1"}]}),
 ("PATCH", C, {"namespaces": ["aps"]}), ("PATCH", C, {"namespaces": [None]}), ("PATCH", C, {"rolebindings": [{"id": "x"}]}),
 ("PATCH", C, {"patches": []}), ("PATCH", C, {"patches": {"podinfo": "x"}}), ("PATCH", C, {"patches": {"podinof": {}}}), ("PATCH", C, {"patches": {"podinfo": {"": "x"}}}), ("PATCH", C, {"patches": {"podinfo": {"a..b": "x"}}}), ("PATCH", C, {"patches": {"podinfo": {"a[0]": "x"}}}), ("PATCH", C, {"patches": {"podinfo": {"a\\": "x"}}}), ("PATCH", C, {"patches": {"podinfo": {"k"*513: "x"}}}), ("PATCH", C, {"patches": {"podinfo": {"ui.color.red": "x"}}}), ("PATCH", C, {"patches": {"podinfo": {"n": 2**63}}}), ("PATCH", C, {"patches": {"podinfo": {"a": {"b": 1}, "a.b": "2"}}}),
 ("PATCH", C, {"values": {"podinfo": [1]}}), ("PATCH", C, {"values": {"podinfo": {"n": 2**64}}}), ("PATCH", C, {"values": {"podinfo": {"": 1}}}), ("PATCH", C, {"values": {"podinfo": {"x"*513: 1}}}), ("PATCH", C, {"values": {"nope": {}}}),
 ("PATCH", C, {"unset": {"podinfo": "a"}}), ("PATCH", C, {"unset": {"podinfo": [1]}}), ("PATCH", C, {"unset": {"podinfo": [""]}}), ("PATCH", C, {"unset": ["podinfo"]}), ("PATCH", C, {"unset": {"podinfo": ["x"]}, "patches": {"podinfo": {"x": "1"}}}),
 ("PATCH", C, {"patches": {"podinfo": {"big": "x"*950000}}}),
 ("POST", "/clusters", {}), ("POST", "/clusters", {"id": "new"}), ("POST", "/clusters", {"id": ""}), ("POST", "/clusters", {"id": None}), ("POST", "/clusters", {"id": 5}), ("POST", "/clusters", {"id": "-a", "cluster_name": "a", "cluster_dns": "a.b", "environment": "dev"}),  ("POST", "/clusters", {"id": "new", "cluster_name": "Bad", "cluster_dns": "c-1.example.com", "environment": "nope", "node_count": "x", "namespaces": ["x"]}),
 ("POST", "/clusters", {"id": "c-1", "cluster_name": "x", "cluster_dns": "x.y", "environment": "dev"}),
 # components
 ("POST", "/platform_components", {"id": "new"}), ("PATCH", P, {"kind": "docker"}), ("PATCH", P, {"kind": 1}), ("PATCH", P, {"oci_url": "ftp://x"}), ("PATCH", P, {"oci_url": "x"*2050}), ("PATCH", P, {"oci_url": ""}), ("PATCH", P, {"component_path": None}), ("PATCH", P, {"component_version": ""}), ("PATCH", P, {"component_version": "x"*129}), ("PATCH", P, {"cluster_env_enabled": "true"}), ("PATCH", P, {"cluster_env_enabled": 1}),
 ("PATCH", P, {"depends_on": "traefik"}), ("PATCH", P, {"depends_on": ["podinfo"]}), ("PATCH", P, {"depends_on": ["traefik", "traefik"]}), ("PATCH", P, {"depends_on": ["traefk"]}), ("PATCH", P, {"depends_on": [1]}), ("PATCH", "/platform_components/traefik", {"depends_on": ["podinfo"]}),
 ("PATCH", P, {"values_schema": []}), ("PATCH", P, {"values_schema": {"type": "nope"}}), ("PATCH", P, {"values_schema": {"$schema": 1}}), ("PATCH", P, {"values_schema": {"type": "object", "required": ["x"]}}), ("PATCH", P, {"patches": {"a.b": 1, "a": 2}}), ("PATCH", P, {"patches": "x"}), ("PATCH", P, {"values": 1}), ("PATCH", P, {"unset": {}}),
 # others
 ("POST", "/environments", {"id": "x", "rank": -1}), ("POST", "/environments", {"id": "x", "rank": "1"}), ("POST", "/environments", {"id": "x", "rank": 2**31}), ("POST", "/environments", {"id": "x", "name": "y"}),
 ("PATCH", "/namespaces/apps", {"labels": {"a": None, "b c": "d"}}), ("PATCH", "/namespaces/apps", {"annotations": {"a": 1}}), ("PATCH", "/namespaces/apps", {"annotations": {"a": "x"*262145}}), ("PATCH", "/namespaces/apps", {"annotations": {"a b": "x"}}), ("PATCH", "/namespaces/apps", {"labels": []}), ("POST", "/namespaces", {"id": "kube_system"}), ("POST", "/namespaces", {"id": "x"*64}),
 ("POST", "/rolebindings", {"id": "x"}), ("POST", "/rolebindings", {"id": "x", "role": "a/b"}), ("POST", "/rolebindings", {"id": "x", "role": 1}), ("PATCH", "/rolebindings/admins", {"subjects": {}}), ("PATCH", "/rolebindings/admins", {"subjects": [1]}), ("PATCH", "/rolebindings/admins", {"subjects": [{"kind": "Robot", "name": "x"}]}), ("PATCH", "/rolebindings/admins", {"subjects": [{"kind": "User"}]}), ("PATCH", "/rolebindings/admins", {"subjects": [{"kind": "User", "name": "x", "extra": 1}]}), ("PATCH", "/rolebindings/admins", {"subjects": [{"kind": "ServiceAccount", "name": "x"}]}), ("PATCH", "/rolebindings/admins", {"subjects": [{"kind": "User", "name": "x", "apiGroup": "y"}]}), ("PATCH", "/rolebindings/admins", {"role": "x"*256}),
 ("PATCH", "/profiles/gold", {"weight": 1000001}), ("PATCH", "/profiles/gold", {"weight": "1"}), ("PATCH", "/profiles/gold", {"weight": 10**12}), ("PATCH", "/profiles/gold", {"environments": ["prd"]}), ("PATCH", "/profiles/gold", {"environments": "prod"}), ("PATCH", "/profiles/gold", {"clusters": ["c-9"]}), ("PATCH", "/profiles/gold", {"clusters": {}}), ("PATCH", "/profiles/gold", {"labels": {"a": None, "b": 2}}), ("PATCH", "/profiles/gold", {"state": "active"}), ("PATCH", "/profiles/gold", {"unset": {"podinfo": ["replicaCount"]}, "values": {"podinfo": {"replicaCount": 1}}}),
 # acts
 ("POST", C + "/restore", {}), ("POST", C + "/restore", {"revision": "1"}), ("POST", C + "/restore", {"revision": True}), ("POST", C + "/restore", {"revision": -1}), ("POST", C + "/restore", {"revision": 2**63}), ("POST", C + "/restore", {"revison": 1}), ("POST", C + "/restore", None),
 # methods, places
 ("PUT", "/clusters", {}), ("DELETE", "/clusters", None), ("POST", C, {}), ("PATCH", "/namespaces", {}), ("GET", "/batch", None), ("GET", C + "/freeze", None), ("POST", "/revisions", {}), ("DELETE", "/revisions/1", None), ("TRACE", C, None), ("BREW", C, None),
 ("GET", "/nowhere", None), ("GET", "/clusters/c-1/nowhere", None), ("GET", "/clusters/a%00b", None), ("GET", "/clusters/a%00b/effective", None), ("PATCH", "/clusters/%FF", {}), ("GET", "/clusters/" + "x"*3000, None), ("GET", "/clusters/..", None), ("GET", "/clusters//c-1", None),
]
def test_probe(api):
    for m, p, b in ROWS:
        r = api(m, p, b)
        try: d = r.json(); out = (d["error"], d["message"][:150], json.dumps(d["details"], ensure_ascii=False)[:700])
        except Exception as e: out = r.content[:200]
        print("@@", m, p[:60], str(b)[:90], "->", r.status_code, *out)
    for ct in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "", "nonsense", "application/json; charset=latin-1"):
        r = api("PATCH", C, b'{"node_count": 3}', Content_Type=ct)
        print("@@", ct, r.status_code, r.content[:300])
    assert 0
