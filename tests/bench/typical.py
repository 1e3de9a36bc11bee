"""The answer that the floor gives: with the headers of a real one, and as long as they are."""

import json
from itertools import cycle, islice
from pathlib import Path

from tests.bench.polls import RESOURCES
from tests.processes import Server

# gunicorn writes these itself.
OF_THE_SERVER = {"server", "date", "connection", "transfer-encoding", "content-length"}


def write_typical_answer(server: Server, polls: Path, file: Path) -> None:
    """As long as the answers about one cluster are on average: each is polled as often."""
    path, token = polls.read_text().split("\n", 1)[0].split()
    cluster = path.rpartition("/")[0]
    answers = [server.get(f"{cluster}/{resource}", token) for resource in RESOURCES]
    for answer in answers:
        answer.raise_for_status()
    length = sum(len(answer.content) for answer in answers) // len(answers)
    body = "".join(islice(cycle(answers[0].text), length))
    kept = [item for item in answers[0].headers.items() if item[0].lower() not in OF_THE_SERVER]
    headers = [*kept, ("content-length", str(len(body.encode())))]
    file.write_text(json.dumps({"headers": headers, "body": body}))
