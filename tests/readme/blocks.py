"""The console blocks of README.md and of docs/: their commands, as a reader would type them."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def code_blocks(language, page=README):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def console_blocks(page=README):
    """Each block as a list of commands; a line that does not begin with a prompt goes on with the one before."""
    return [commands(block) for block in code_blocks("console", page)]


def commands(block):
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(line[2:])
        else:
            found[-1] += "\n" + line
    return found
