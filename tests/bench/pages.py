"""The parts of docs/performance.md that a run writes."""

from config.environment import BASE_DIR

PAGE = BASE_DIR / "docs" / "performance.md"


def marks(part: str) -> tuple[str, str]:
    return f"<!-- {part}: written by make bench -->", f"<!-- {part}: end -->"


def replaced(page: str, part: str, text: str) -> str:
    begin, end = marks(part)
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise ValueError(f"The page has no place for {part}.")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def write_part(part: str, text: str) -> None:
    PAGE.write_text(replaced(PAGE.read_text(), part, text))
