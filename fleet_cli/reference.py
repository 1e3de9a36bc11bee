"""Writes docs/cli.md from the program itself: python -m fleet_cli.reference > docs/cli.md"""

import sys
from collections.abc import Iterator
from typing import Any

import typer

from fleet_cli.app import app
from fleet_cli.command import ON_WRITES, SHARED
from fleet_cli.main import PROGRAM

INTRODUCTION = """\
# flux-fleet

The command line of Flux Fleet. It talks to the [REST API](api.md), and to nothing else.

```bash
pip install .              # with the server
pip install ./fleet_cli    # the command line alone: no Django
```

## Which server

`FLUX_API_URL`, `FLUX_API_TOKEN` (to read) and `FLUX_API_WRITE_TOKEN` (to change; the same unless
given), as variables or as options before the command:

```bash
export FLUX_API_URL=http://127.0.0.1:8080 FLUX_API_TOKEN=… FLUX_API_WRITE_TOKEN=…
flux-fleet status
```

Or by name: `flux-fleet login URL --name prod` asks for the tokens and keeps them in a file that
only you can read (`FLUX_FLEET_CONFIG`; else in your configuration folder). `--context prod` on any
command uses it once, `flux-fleet context use prod` from now on. A context that is named on the
command line wins over the variables, and those win over the current context. The two are never
mixed: the token of one server would go to another.

## Changes

Every change is planned first. Where it changes more than one cluster, or takes anything away, the
plan is shown and you are asked. Without a terminal there is nobody to ask, and it is refused:

| option | what |
|---|---|
| `--dry-run` | show the plan, change nothing |
| `--confirm DIGEST` | go ahead if the plan is still the one with this digest |
| `--yes` | go ahead, whatever the plan |
| `--reason TEXT` | why; it stands in the log |

`component`, `namespace` and `rolebinding` act on many clusters at once: `--cluster` (several
times), `--environment` and `--label` together, or `--all`; and on the layer of a `--profile`. It is
all or none, and one revision.

## Output

`-o table` (fits the terminal), `wide`, `json`, `yaml`, or `name` (one id a line, for pipes).
Tables, documents and ids are on standard output; questions, progress and errors on standard error.
`--watch` prints again whenever something changes. `--debug` shows the HTTP exchange, without
secrets.

Completion, with ids from the server, for bash, zsh and fish: `flux-fleet --install-completion`.

## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | refused: by the server, by you, or by a file that is wrong |
| 2 | wrong usage |
| 3 | the server cannot be reached, or does not answer |
| 4 | not allowed: no token, a wrong one, or one that may not do this |
| 5 | `diff` found differences |

## A fleet in files

`flux-fleet export DIR` writes one YAML file for each object, `diff DIR` shows what differs, and
`apply DIR` makes the server match: [GitOps](gitops.md).
"""


def text() -> str:
    return "\n".join(
        [INTRODUCTION, "## Commands", "", *lines(typer.main.get_command(app), PROGRAM)]
    )


def lines(command: Any, path: str) -> Iterator[str]:
    """A group's commands, each with its arguments, its own options and its examples."""
    for name, child in command.commands.items():
        where = f"{path} {name}"
        if hasattr(child, "commands"):
            yield from (f"### {where}", "", child.help, "")
            yield from lines(child, where)
        else:
            yield from command_lines(child, where)


def command_lines(command: Any, path: str) -> Iterator[str]:
    arguments = "".join(f" {spelled(each)}" for each in command.params if is_argument(each))
    yield from (f"#### `{path}{arguments}`", "", command.help.replace("\\", "\\\\"), "")
    options = [
        each
        for each in command.params
        if not is_argument(each) and each.rich_help_panel != SHARED and each.help
    ]
    own = [each for each in options if each.rich_help_panel != ON_WRITES]
    listed = [f"- `{', '.join([*each.opts, *each.secondary_opts])}`: {each.help}" for each in own]
    if len(own) < len(options):
        listed.append("- and the options of [changes](#changes)")
    yield from [*listed, ""] if listed else []
    yield from ("```bash", *command.callback.examples, "```", "")


def is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def spelled(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    several = "..." if argument.nargs == -1 else ""
    return f"{name}{several}" if argument.required else f"[{name}{several}]"


if __name__ == "__main__":
    sys.stdout.write(text().rstrip("\n") + "\n")
