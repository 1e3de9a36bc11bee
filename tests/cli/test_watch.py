import signal
import subprocess

import httpx

from config.environment import BASE_DIR
from tests.cli.conftest import PROGRAM
from tests.processes import environment_with


def test_it_prints_again_when_something_changed(
    variables: dict[str, str], api: httpx.Client, cluster: str
) -> None:
    arguments = ("cluster", "get", cluster, "-o", "yaml", "--watch", "--interval", "0.2")
    with subprocess.Popen(
        [*PROGRAM, *arguments],
        env=environment_with(variables),
        cwd=BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background, Ctrl-C is ignored, and so it would be here.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as watching:
        assert watching.stdout is not None
        for line in watching.stdout:
            if line == "node_count: null\n":
                break
        api.patch(f"/clusters/{cluster}", json={"node_count": 42})
        for line in watching.stdout:
            if line == "node_count: 42\n":
                break
        else:
            raise AssertionError("the change was not printed")
        watching.send_signal(signal.SIGINT)
        try:
            assert watching.wait(20) == 0
        finally:
            watching.kill()
