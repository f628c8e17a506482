"""Walking a host's folders: in a fixed order, through links, each real folder once, at the price of one scan a folder."""

import os
from collections.abc import Iterator


def folders(top: str, *, beside: str = "", without: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    """Yield every folder at and below *top* with the sorted names of its files.

    *beside* is a folder that is not walked into through a link: the root that *top* lies in. Folders named in *without*,
    and what cannot be read, are left out.
    """
    seen = {os.path.realpath(beside)} if beside else set[str]()
    seen.discard(os.path.realpath(top))
    yield from _walk(top, os.path.realpath(top), seen, without)


def _walk(folder: str, real: str, seen: set[str], without: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    if real in seen:
        return
    seen.add(real)
    files, below = [], []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                # Only a link's real path costs a look-up; that of a folder of ours follows from its parent's.
                if entry.is_symlink() and entry.is_dir():
                    below.append((entry.name, os.path.realpath(entry.path)))
                elif entry.is_dir():
                    below.append((entry.name, f"{real}/{entry.name}"))
                else:
                    files.append(entry.name)
    except OSError:
        return
    files.sort()
    yield folder, files
    for name, its_real in sorted(below):
        if name not in without:
            yield from _walk(f"{folder}/{name}", its_real, seen, without)
