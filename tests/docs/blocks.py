import re

from config.environment import BASE_DIR


def blocks_of(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in docs/, in order."""
    text = (BASE_DIR / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
