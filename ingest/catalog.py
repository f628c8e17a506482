"""All hosts. Adding one is one module and one line here."""

from importlib import import_module

from ingest.adapter import Adapter

HOSTS = ("claude", "codex", "gemini", "copilot")
MODULES = {"claude": "ingest.claude", "codex": "ingest.codex", "gemini": "ingest.gemini", "copilot": "ingest.copilot",
           "journal": "ingest.journal_host"}  # fmt: skip


def adapter(host: str) -> Adapter:
    """Return the adapter of *host*.

    Raises: KeyError: there is no such host.
    """
    found: Adapter = import_module(MODULES[host]).ADAPTER
    return found


def adapters() -> dict[str, Adapter]:
    """Return all adapters by host."""
    return {host: adapter(host) for host in MODULES}
