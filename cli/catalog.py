"""The command `catalog`: what is known of models, and fetching newer prices from models.dev."""

import argparse
import contextlib
import json
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NoReturn

from cli.amounts import counted
from cli.render import print_json, print_table, say
from journal import catalog as models_catalog
from journal.errors import SettingInvalid, SourceError
from journal.settings import Settings

URL = "https://models.dev/api.json"
DEADLINE_S = 15.0
LARGEST_BYTES = 10 * 1024 * 1024
LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def catalog(settings: Settings, asked: argparse.Namespace) -> int:
    """List the catalog in force, or fetch a newer one and keep the old where that fails."""
    path = models_catalog.cache_path(os.environ)
    if asked.action == "refresh":
        return _refresh(asked, path)
    models, wrong = models_catalog.load(settings.prices, path)
    if wrong:
        say(f"warning: {wrong}; built-in prices are used; run: journal catalog refresh")
    listed = [models[model_id] for model_id in sorted(models)]
    if asked.json:
        print_json({"path": path, "models": [
            {"model": model.model_id, **model.rates._asdict(), "context_window": model.context_window, "source": model.source,
             "long_from": model.long_from, "long_rates": model.long_rates._asdict() if model.long_rates else None}
            for model in listed]})  # fmt: skip
        return 0
    print_table(("model", "input", "output", "cache read", "cache write", "cache write 1h", "window", "long from", "source"),
                [(m.model_id, *(_price(rate) for rate in m.rates), m.context_window, m.long_from, m.source) for m in listed])  # fmt: skip
    say("US dollars for a million tokens; `?` is unknown; beyond `long from` tokens of prompt a response costs more (see --json)")
    return 0


def _price(rate: float | None) -> str:
    return "?" if rate is None else f"{rate:g}"


def _refresh(asked: argparse.Namespace, path: str) -> int:
    """Fetch, prove and keep the catalog; a bad answer changes nothing.

    Raises: SettingInvalid: the address cannot be used; SourceError: no good answer came.
    """
    url = asked.url or URL
    fetched_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        models = models_catalog.from_models_dev(json.loads(fetch(url)), fetched_at)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{url}: the answer is no catalog of models: {error}", hint="what was known before stays in force; try again later") from error
    keep(path, models_catalog.dump(models, fetched_at, url))
    if asked.json:
        print_json({"url": url, "models": len(models), "fetched_at": fetched_at, "path": path})
    else:
        say(f"{counted(len(models), 'model')} from {url}, kept in {path}")
    return 0


def fetch(url: str, *, largest: int = LARGEST_BYTES, deadline_s: float | None = None) -> bytes:
    """Return what *url* answers within *deadline_s* seconds (15) and *largest* bytes; plain http only on this machine itself.

    Raises: SettingInvalid: the address cannot be used; SourceError: no answer, one too slow or one too large.
    """
    import http.client
    from urllib.error import URLError
    from urllib.parse import urlsplit
    from urllib.request import Request, urlopen

    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise SettingInvalid(f"--url {url}: not an address that begins with https://", hint=f"journal catalog refresh --url {URL}")
    hint = "what was known before stays in force; check the network and try again"
    try:
        with _deadline(deadline_s or DEADLINE_S), urlopen(Request(url, headers={"Accept": "application/json"})) as answer:  # noqa: S310  the scheme was checked
            if urlsplit(answer.url).scheme != parts.scheme:
                raise SourceError(f"{url}: leads to {answer.url}, which is not encrypted", hint=hint)
            content: bytes = answer.read(largest + 1)
    except (URLError, OSError, http.client.HTTPException) as error:
        raise SourceError(f"{url}: {getattr(error, 'reason', None) or error}", hint=hint) from error
    if len(content) > largest:
        raise SourceError(f"{url}: more than {largest >> 20} MiB", hint=hint)
    return content


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Break off what is done within after *seconds*: the timeout of a socket begins anew with every byte that drips in.

    Raises: TimeoutError.
    """

    def stop(*_: object) -> NoReturn:
        raise TimeoutError(f"not done within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def keep(path: str, text: str) -> None:
    """Put *text* in place of the file at *path* at once, private to its user."""
    keep_bytes(path, text.encode())


def keep_bytes(path: str, data: bytes) -> None:
    """Put *data* in place of the file at *path* at once, private to its user."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    fresh = f"{path}.{os.getpid()}"
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
