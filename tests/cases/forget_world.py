"""What the tests of forgetting share: a search for a text in every byte, and in every value behind its compression."""

import contextlib
import gc
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import zstandard

MAGIC = b"\x28\xb5\x2f\xfd"


def values(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield table and bytes of every text and blob of a database, decompressed where it is zstd, segments also joined."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    if isinstance(value, str):
                        yield table, value.encode(errors="replace")
                    elif isinstance(value, bytes):
                        yield table, value
                        if value.startswith(MAGIC):
                            yield table, zstandard.ZstdDecompressor().decompress(value)
        for table in tables:
            if table.endswith("_fts"):
                connection.execute(f"CREATE VIRTUAL TABLE temp.{table}_words USING fts5vocab('main', '{table}', 'row')")
                for (term,) in connection.execute(f"SELECT term FROM temp.{table}_words"):
                    yield table, term.encode()


def forms(text: str) -> set[bytes]:
    """Return the text plain, escaped by JSON once and twice, and as full text folds its case."""
    once = {json.dumps(text, ensure_ascii=flag)[1:-1] for flag in (True, False)}
    twice = {json.dumps(form, ensure_ascii=flag)[1:-1] for form in once for flag in (True, False)}
    return {form.encode() for form in {text, text.casefold()} | once | twice}


def places(home: Path, text: str) -> list[str]:
    """Return where below *home* the text stands: files by their bytes, tables by their values."""
    # A connection that waits for the collector would lose its locks when its file is read and closed here.
    gc.collect()
    wanted = forms(text)
    found = set[str]()
    for path in sorted(home.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        # Escapes by number can hide any character.
        plain = re.sub(rb"\\+u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)).encode(errors="replace"), data)
        found |= {path.name for form in wanted if form in data or form in plain}
        if data.startswith(b"SQLite format 3"):
            found |= {f"{path.name}:{table}" for table, value in values(path) for form in wanted if form in value}
    return sorted(found)
