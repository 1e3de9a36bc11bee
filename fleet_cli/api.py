"""The REST API, as far as the commands need it: answers, pages, and errors with exit codes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from fleet_cli import __version__, debug
from fleet_cli.contexts import Connection
from fleet_cli.errors import CliError, NotAllowed, Refused, Unreachable, WrongUsage

# The plan of a large change takes its time; a server that is not there is told at once.
TIMEOUT = httpx.Timeout(600, connect=10)
PAGE = 1_000
AWAY = {502, 503, 504}

Parameters = Sequence[tuple[str, str]]
# How many of how many have been read.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """A write."""

    method: str
    path: str
    body: Any = None
    parameters: Parameters = ()


@dataclass(frozen=True, slots=True)
class Answer:
    data: Any
    headers: httpx.Headers = field(default_factory=httpx.Headers)

    @property
    def revision(self) -> str:
        return self.headers.get("X-Fleet-Revision", "")


def path_of(*parts: str) -> str:
    """An empty id would lead to the list, which takes other methods for other acts."""
    if not all(parts):
        raise WrongUsage("An id is empty.", "Is a variable of the shell not set?")
    return "/" + "/".join(quote(part, safe="") for part in parts)


class Api:
    def __init__(
        self,
        connection: Connection,
        *,
        show_exchange: bool = False,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        self.connection = connection
        try:
            self._http = httpx.Client(
                base_url=connection.api_url,
                timeout=timeout,
                headers={"User-Agent": f"flux-fleet/{__version__}"},
                event_hooks=debug.hooks() if show_exchange else {},
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise WrongUsage(f"{connection.api_url!r} is not an address: {error}.") from None

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, parameters: Parameters = (), *, secret: bool = False) -> Answer:
        """`secret` is for what only the write token may read: tokens."""
        token = self.connection.writing if secret else self.connection.reading
        return self._exchange("GET", path, parameters, token)

    def count(self, path: str, parameters: Parameters = ()) -> int:
        return _total(self.get(path, [*parameters, ("limit", "1")]))

    def pages(
        self,
        path: str,
        parameters: Parameters = (),
        *,
        secret: bool = False,
        progress: Progress = lambda done, total: None,
    ) -> Iterator[Any]:
        """All that the list has, page by page.

        Who comes or goes between two pages moves the rest: then there is an error, and never a
        list with a gap.
        """
        total, done = None, 0
        while total is None or done < total:
            page = [*parameters, ("limit", str(PAGE)), ("offset", str(done))]
            answer = self.get(path, page, secret=secret)
            total, before = _total(answer), total
            if before not in (None, total) or (not answer.data and done < total):
                raise Refused("The list changed while it was read.", "Try again.")
            yield from answer.data
            done += len(answer.data)
            progress(done, total)

    def send(self, request: Request, *, reason: str = "", **parameters: str) -> Answer:
        given = [(name, value) for name, value in parameters.items() if value]
        headers = {"X-Change-Reason": quote(reason, safe=" ")} if reason else {}
        return self._exchange(
            request.method,
            request.path,
            [*request.parameters, *given],
            self.connection.writing,
            body=request.body,
            headers=headers,
        )

    def _exchange(
        self,
        method: str,
        path: str,
        parameters: Parameters,
        token: str,
        *,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        if token:
            headers = {"Authorization": f"Bearer {token}", **(headers or {})}
        url = self.connection.api_url
        try:
            response = self._http.request(
                method, path, params=list(parameters), json=body, headers=headers
            )
        except (httpx.UnsupportedProtocol, httpx.InvalidURL):
            raise WrongUsage(f"{url!r} is not an address; it begins with https://.") from None
        except UnicodeEncodeError:
            raise WrongUsage("The token has characters that no token has.") from None
        except httpx.TimeoutException:
            raise Unreachable(f"{url} does not answer in time.", CHECK_URL) from None
        except httpx.TransportError as error:
            raise Unreachable(f"{url} cannot be reached: {error}.", CHECK_URL) from None
        return _answer(response, url)


CHECK_URL = "Check FLUX_API_URL, or the context: flux-fleet context list"
LOG_IN = "Check FLUX_API_TOKEN and FLUX_API_WRITE_TOKEN, or log in: flux-fleet login URL"


def _answer(response: httpx.Response, url: str) -> Answer:
    if response.is_redirect:
        target = response.headers.get("location", "elsewhere")
        raise Unreachable(f"{url} leads to {target}.", "Use that address.")
    try:
        data = response.json()
    except ValueError:
        raise Unreachable(f"{url} does not answer as Flux Fleet does.", CHECK_URL) from None
    if response.is_success:
        return Answer(data, response.headers)
    raise error_of(response.status_code, data)


def error_of(status: int, data: Any) -> CliError:
    if not isinstance(data, dict) or not isinstance(data.get("message"), str):
        return Unreachable(f"The server answers with status {status}.", CHECK_URL)
    message = data["message"]
    if status == 401:
        return NotAllowed(message, LOG_IN)
    if status == 403:
        return NotAllowed(message, "A token that may do this is needed.")
    if status in AWAY:
        return Unreachable(message, "Try again soon.")
    return Rejected(status, data)


class Rejected(Refused):
    """The server understood, and said no. `details` has each problem by its path."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        self.status, self.code = status, body.get("error", "")
        self.details: dict[str, Any] = body.get("details") or {}
        problems = _problems(self.code, self.details)
        several = self.code == "validation_error" and len(problems) > 1
        message = f"{len(problems)} things are wrong:" if several else body["message"]
        super().__init__(message, problems=problems if several or self.code == "conflict" else [])


def _problems(code: str, details: dict[str, Any]) -> list[str]:
    if code == "validation_error":
        return [f"{path}: {' '.join(map(str, texts))}" for path, texts in details.items()]
    conflicts = details.get("conflicts", [])
    return [f"{item['object']}: {item['reason']}" for item in conflicts]


def _total(answer: Answer) -> int:
    try:
        return int(answer.headers["X-Total-Count"])
    except (KeyError, ValueError):
        raise Unreachable("The server does not tell how long the list is.", CHECK_URL) from None
