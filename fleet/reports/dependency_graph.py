"""A component among those it needs and those that need it, laid out as a picture. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

WIDTH, HEIGHT = 168, 32
GAP_X, GAP_Y = 56, 12
# More would be a picture that nobody reads.
MOST_IN_COLUMN = 12
LONGEST_LABEL = 20

Edges = Mapping[str, Iterable[str]]


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    x: int
    y: int

    @property
    def label(self) -> str:
        fits = len(self.id) <= LONGEST_LABEL
        return self.id if fits else f"{self.id[: LONGEST_LABEL - 1]}…"

    @property
    def text_x(self) -> int:
        return self.x + WIDTH // 2

    @property
    def text_y(self) -> int:
        return self.y + HEIGHT // 2


@dataclass(frozen=True, slots=True)
class Line:
    """From the one that needs to the one that is needed, which is always further right."""

    needs: Node
    needed: Node

    @property
    def path(self) -> str:
        x1, x2 = self.needs.x + WIDTH, self.needed.x
        y1, y2 = self.needs.text_y, self.needed.text_y
        middle = (x1 + x2) // 2
        return f"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}"


@dataclass(frozen=True, slots=True)
class Graph:
    width: int
    height: int
    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    # Those that found no place.
    left_out: int
    node_width: int = WIDTH
    node_height: int = HEIGHT


def draw(center: str, edges: Iterable[tuple[str, str]]) -> Graph:
    """Each edge is (what needs, what it needs)."""
    needs: dict[str, set[str]] = defaultdict(set)
    needed_by: dict[str, set[str]] = defaultdict(set)
    for one, other in edges:
        needs[one].add(other)
        needed_by[other].add(one)
    levels = distances(center, needs)
    levels |= {name: -level for name, level in distances(center, needed_by).items()}
    columns: dict[int, list[str]] = defaultdict(list)
    for name in sorted(levels):
        columns[levels[name]].append(name)
    nodes = _placed(columns)
    lines = tuple(
        Line(nodes[one], nodes[other])
        for one in sorted(nodes)
        for other in sorted(needs.get(one, ()))
        if other in nodes
    )
    tallest = max(min(len(names), MOST_IN_COLUMN) for names in columns.values())
    return Graph(
        width=len(columns) * (WIDTH + GAP_X) - GAP_X,
        height=tallest * (HEIGHT + GAP_Y) - GAP_Y,
        nodes=tuple(nodes.values()),
        lines=lines,
        left_out=len(levels) - len(nodes),
    )


def distances(center: str, edges: Edges) -> dict[str, int]:
    """The longest way to each, so that every edge leads to a higher level. There are no cycles."""
    levels = {center: 0}
    for name in _in_order(center, edges):
        for other in edges.get(name, ()):
            levels[other] = max(levels.get(other, 0), levels[name] + 1)
    return levels


def _in_order(center: str, edges: Edges) -> list[str]:
    """Each before all that it leads to. Not by recursion: a chain may be long."""
    done: list[str] = []
    seen: set[str] = set()
    pending = [(center, False)]
    while pending:
        name, left = pending.pop()
        if left:
            done.append(name)
        elif name not in seen:
            seen.add(name)
            pending.append((name, True))
            pending += [(other, False) for other in edges.get(name, ()) if other not in seen]
    return done[::-1]


def _placed(columns: Mapping[int, list[str]]) -> dict[str, Node]:
    shown = {level: names[:MOST_IN_COLUMN] for level, names in sorted(columns.items())}
    tallest = max(map(len, shown.values()))
    nodes = {}
    for column, names in enumerate(shown.values()):
        top = (tallest - len(names)) * (HEIGHT + GAP_Y) // 2
        for row, name in enumerate(names):
            nodes[name] = Node(name, column * (WIDTH + GAP_X), top + row * (HEIGHT + GAP_Y))
    return nodes
