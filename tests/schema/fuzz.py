"""`make schemathesis`: fuzzes a running server from its own schema, as schemathesis.toml says."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from config.environment import BASE_DIR
from tests.databases import on_postgres
from tests.processes import Server, own_place, running

DEMO = BASE_DIR / "fleet" / "demo" / "fleet.json"
CONFIG = BASE_DIR / "tests" / "schema" / "schemathesis.toml"
# As gunicorn writes it down: "GET /clusters HTTP/1.1" 200
ANSWER = re.compile(r'"[A-Z]+ \S+ HTTP/1\.1" ([0-9])[0-9]{2} ')
LEAST_REQUESTS = 2_000
# Only so that nothing hangs for ever: on a busy machine, all takes several times as long.
MOST_SECONDS = 3_600
CLUSTERS = 30
TOKENS = 10
STATEFUL_SEEDS = range(2, 7)


def main() -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name, own_place(Path(name)) as place:
        seed = Path(name) / "fleet.json"
        seed.write_text(json.dumps(larger_fleet()))
        settings = {"SEED_FILE": str(seed), "ACCESS_LOG": "true"}
        if not on_postgres():
            settings["STORE_BACKEND"] = "memory"
        with running({**place, **settings}) as server:
            issue_tokens(server)
            failed = fuzz(server, "--seed", "1")
            # Scenarios end where the same steps have another answer, since the fleet is another.
            for number in STATEFUL_SEEDS:
                failed |= fuzz(server, "--phases", "stateful", "--seed", str(number))
        return report(failed, server.output, time.monotonic() - started)


def issue_tokens(server: Server) -> None:
    """A seed has none."""
    headers = {"Authorization": f"Bearer {server.write_token}"}
    for number in range(TOKENS):
        token = {"id": f"spare-{number:02}", "kind": "operator"}
        issued = httpx.post(f"{server.base_url}/tokens", json=token, headers=headers, timeout=60)
        issued.raise_for_status()


def larger_fleet() -> dict[str, Any]:
    """The demo fleet with clusters to spare: the fuzzing decommissions and purges."""
    fleet: dict[str, Any] = json.loads(DEMO.read_text())
    for number in range(CLUSTERS):
        name = f"spare-{number:02}"
        dns = f"{name}.k8s.example.com"
        fleet["clusters"].append(
            {"id": name, "cluster_name": name, "cluster_dns": dns, "environment": "dev"}
        )
    return fleet


def fuzz(server: Server, *options: str) -> bool:
    """Whether schemathesis found a failure; it says which."""
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "--no-color"]
    command += ["run", f"{server.base_url}/openapi.json", *options]
    command += ["--header", f"Authorization: Bearer {server.write_token}"]
    environment = os.environ | {
        "FUZZ_URL": server.base_url,
        "FUZZ_TOKEN": server.write_token,
        # The order of sets decides what is generated: the same seed, the same requests.
        "PYTHONHASHSEED": "0",
    }
    done = subprocess.run(command, cwd=BASE_DIR, env=environment, timeout=MOST_SECONDS, check=False)
    return done.returncode != 0


def report(failed: bool, log: str, seconds: float) -> int:
    answers = Counter(f"{found[1]}xx" for found in map(ANSWER.search, log.splitlines()) if found)
    spelled = ", ".join(f"{count} {kind}" for kind, count in sorted(answers.items()))
    problems = [
        *(["schemathesis found failures"] if failed else []),
        *(["the server answered 5xx"] if answers["5xx"] else []),
        *(["the log has a traceback"] if "Traceback" in log else []),
        *(["that is too few"] if answers.total() < LEAST_REQUESTS else []),
    ]
    outcome = "failed: " + "; ".join(problems) if problems else "passed"
    print(f"schemathesis: {answers.total()} requests ({spelled}) in {seconds:.0f} s: {outcome}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
