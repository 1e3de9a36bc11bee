"""etcd, and API servers on it: as much of Kubernetes as Flux Operator needs, without nodes."""

import secrets
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import yaml

from tests.e2e.daemons import daemon
from tests.processes import free_port

Programs = Mapping[str, Path]
# Namespaces that are deleted go away, and so does what has an owner that is gone.
CONTROLLERS = "namespace-controller,garbage-collector-controller"


def answers(url: str, **options: ssl.SSLContext | dict[str, str]) -> bool:
    try:
        return httpx.get(url, timeout=5, **options).status_code == 200  # type: ignore[arg-type]
    except (httpx.TransportError, OSError):
        return False


@contextmanager
def etcd(programs: Programs, folder: Path) -> Iterator[str]:
    client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    command: list[str | Path] = [
        *(programs["etcd"], "--data-dir", folder / "etcd"),
        *("--listen-client-urls", client, "--advertise-client-urls", client),
        *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
        *("--initial-cluster", f"default={peer}"),
    ]
    with daemon("etcd", command, logs=folder, is_ready=lambda: answers(f"{client}/health")):
        yield client


@contextmanager
def api_server(programs: Programs, etcd_url: str, name: str, folder: Path) -> Iterator[Path]:
    """Yields a kubeconfig that may do everything."""
    port, token = free_port(), secrets.token_hex(16)
    url = f"https://127.0.0.1:{port}"
    pki, key, tokens = folder / "pki", folder / "sa.key", folder / "tokens.csv"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    tokens.write_text(f'{token},admin,admin,"system:masters"\n')
    command: list[str | Path] = [
        programs["kube-apiserver"],
        *(f"--etcd-servers={etcd_url}", f"--etcd-prefix=/{name}"),
        *(f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"),
        "--service-account-issuer=https://kubernetes.default.svc",
        *(f"--cert-dir={pki}", f"--secure-port={port}", f"--token-auth-file={tokens}"),
        *("--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"),
        *("--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=RBAC"),
        "--disable-admission-plugins=ServiceAccount",
    ]
    bearer = {"Authorization": f"Bearer {token}"}

    def is_ready() -> bool:
        trusted = pki / "apiserver.crt"
        return trusted.exists() and answers(
            f"{url}/readyz", headers=bearer, verify=ssl.create_default_context(cafile=trusted)
        )

    with daemon("kube-apiserver", command, logs=folder, is_ready=is_ready):
        yield kubeconfig(folder / "kubeconfig", url, token, pki / "apiserver.crt")


def kubeconfig(file: Path, url: str, token: str, trusted: Path) -> Path:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": "c", "cluster": {"server": url, "certificate-authority": str(trusted)}}
        ],
        "users": [{"name": "u", "user": {"token": token}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file.write_text(yaml.safe_dump(content))
    return file


@contextmanager
def controller_manager(programs: Programs, config: Path, folder: Path) -> Iterator[None]:
    port = free_port()
    command: list[str | Path] = [
        *(programs["kube-controller-manager"], f"--kubeconfig={config}"),
        *(f"--controllers={CONTROLLERS}", "--leader-elect=false"),
        # For hundreds of namespaces that go at once.
        *("--concurrent-namespace-syncs=20", "--kube-api-qps=500", "--kube-api-burst=500"),
        *("--bind-address=127.0.0.1", f"--secure-port={port}", f"--cert-dir={folder / 'manager'}"),
    ]

    def is_ready() -> bool:
        trusted = folder / "manager" / "kube-controller-manager.crt"
        return trusted.exists() and answers(
            f"https://127.0.0.1:{port}/healthz", verify=ssl.create_default_context(cafile=trusted)
        )

    with daemon("kube-controller-manager", command, logs=folder, is_ready=is_ready):
        yield


@contextmanager
def flux_operator(programs: Programs, config: Path, folder: Path) -> Iterator[None]:
    metrics, health = free_port(), free_port()
    command: list[str | Path] = [
        *(programs["flux-operator"], "--enable-leader-election=false", "--web-server-port=0"),
        *(f"--metrics-addr=127.0.0.1:{metrics}", f"--health-addr=127.0.0.1:{health}"),
        *(f"--storage-path={folder / 'storage'}", "--requeue-dependency=1s"),
    ]
    environment = {
        "KUBECONFIG": str(config),
        "RUNTIME_NAMESPACE": "flux-system",
        # It refuses to start without.
        "GODEBUG": "fips140=on",
    }
    is_ready = f"http://127.0.0.1:{health}/readyz"
    with daemon(
        "flux-operator",
        command,
        logs=folder,
        is_ready=lambda: answers(is_ready),
        environment=environment,
    ):
        yield
