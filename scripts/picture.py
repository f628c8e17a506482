"""Run journal on the sample sessions in a throw-away home and draw what it prints as docs/journal.svg.

Usage: python scripts/picture.py (needs rich, which comes with the extra `test`).
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parent.parent
HOSTS = ("claude", "codex", "gemini", "copilot")
SHOWN = ("sessions --all --limit 6", "search calc.py --all --limit 2", "usage --by model", "restore --session 03d02093")
COLUMNS = 112
FORMAT = re.sub(r"@font-face \{\{.*?\}\}\s*|<!--.*?-->\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace("Fira Code", "ui-monospace, Menlo, Consolas")
"""rich's own, without its fonts from the network: a picture loads nothing."""


def main() -> None:
    """Run and draw."""
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "HOME": home, "JOURNAL_HOME": f"{home}/journal", "COLUMNS": str(COLUMNS), "PYTHONPATH": str(ROOT), "TZ": "UTC"}
        roots = [word for host in HOSTS for word in ("--root", f"{host}={ROOT / 'samples' / host}")]
        drawn = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), highlight=False)  # noqa: SIM115  rich closes it
        printed(environ, home, "ingest", *roots)
        for words in SHOWN:
            drawn.print(Text.assemble(("$ ", "bold green"), (f"journal {words}", "bold")))
            drawn.print(Text(printed(environ, home, *words.split())))
    drawn.save_svg(str(ROOT / "docs" / "journal.svg"), title="journal", theme=MONOKAI, code_format=FORMAT)


def printed(environ: dict[str, str], folder: str, *words: str) -> str:
    """Return what a command prints."""
    done = subprocess.run([sys.executable, "-m", "journal", *words], env=environ, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603  words of this file
    return done.stdout


if __name__ == "__main__":
    main()
