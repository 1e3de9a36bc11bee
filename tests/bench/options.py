"""What can be asked of `make bench`, with ARGS."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

SIZES = (1, 100, 1_000, 10_000)
DATABASES = ("sqlite", "postgres")
MODES = ("read-only", "crud")
# Ten times what 10,000 clusters with five types of resources make, every five minutes.
STEADY_RATE = 1_670
SECTIONS = ("floors", "warm", "cold", "loads", "single", "writes")


@dataclass(frozen=True)
class Options:
    sizes: tuple[int, ...] = SIZES
    databases: tuple[str, ...] = DATABASES
    modes: tuple[str, ...] = MODES
    sections: tuple[str, ...] = SECTIONS
    seconds: int = 3
    rounds: int = 3
    warm_up_seconds: int = 120
    # None of the sections, but this alone.
    steady_seconds: int = 0
    steady_rate: int = STEADY_RATE
    write_docs: bool = False

    @property
    def part(self) -> str:
        """Of docs/performance.md, that these results belong to."""
        if self.steady_seconds:
            return "steady"
        return "large" if max(self.sizes) > max(SIZES) else "results"


def read_options(arguments: Sequence[str]) -> Options:
    given = parser().parse_args(arguments)
    options = Options(
        sizes=tuple(sorted(given.sizes)),
        databases=tuple(given.databases),
        modes=tuple(given.modes),
        sections=tuple(given.sections),
        seconds=given.seconds,
        rounds=given.rounds,
        warm_up_seconds=given.warm_up_seconds,
        steady_seconds=given.steady_seconds,
        steady_rate=given.steady_rate,
        write_docs=given.write_docs,
    )
    return quick(options) if given.quick else options


def quick(options: Options) -> Options:
    """Every scenario once; the floors of other workers tell nothing new of them."""
    sections = tuple(name for name in options.sections if name != "floors")
    return replace(options, sizes=(1, 100), sections=sections, seconds=1, rounds=1)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    result.add_argument("--quick", action="store_true", help="Does all of this still work?")
    result.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="CLUSTERS")
    result.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    result.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    result.add_argument("--sections", nargs="+", choices=SECTIONS, default=SECTIONS)
    result.add_argument("--seconds", type=int, default=3, help="Of each load; by default 3.")
    result.add_argument(
        "--rounds", type=int, default=3, help="Of load and floor in turns; by default 3."
    )
    result.add_argument(
        "--warm-up-seconds",
        type=int,
        default=120,
        help="At most, for every worker to see every poll; by default 120.",
    )
    result.add_argument(
        "--steady",
        dest="steady_seconds",
        type=int,
        nargs="?",
        const=300,
        default=0,
        metavar="SECONDS",
        help="Only a constant rate of polls during writes, on the largest fleet; by default 300.",
    )
    result.add_argument(
        "--steady-rate",
        type=int,
        default=STEADY_RATE,
        metavar="POLLS",
        help=f"Polls a second with --steady; by default {STEADY_RATE}.",
    )
    result.add_argument(
        "--write-docs", action="store_true", help="Put the results into docs/performance.md."
    )
    return result
