"""What `ingest/adapter.py` asks of every host, asked of each by itself: a new line in the catalog is tested here at once."""

import ast
import copy
import importlib
import inspect
import shutil
import sys
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from damaged import mutated, odd_text, odd_value
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import FIXTURES, records, roots, shapes

from ingest import catalog, journal_host
from ingest.adapter import Adapter
from journal.domain import DomainEvent, JsonObject, Occurrence, RecordUnrecognised, SourceFacts

HOSTS = sorted(catalog.MODULES)
EVENTS = typing.get_args(DomainEvent)
LARGEST = 2**63
IMPURE_MODULES = frozenset(("time", "random", "secrets", "uuid", "subprocess", "socket", "tempfile", "sqlite3", "urllib", "http", "getpass", "platform"))
IMPURE_CALLS = frozenset(("now", "utcnow", "today", "getcwd", "urandom"))
PATHS = {"claude": "/h/.claude/projects/p/s.jsonl", "codex": "/h/.codex/sessions/rollout-s.jsonl", "gemini": "/h/.gemini/tmp/p/chats/session-s.jsonl",
         "copilot": "/h/.copilot/session-state/s/events.jsonl", "journal": "/j/inbox/s.jsonl"}  # fmt: skip
"""The path of an ordinary transcript of each host."""

every_host = pytest.mark.parametrize("host", HOSTS)


def _facts(host: str) -> SourceFacts:
    return SourceFacts(host, PATHS[host], "s")


# -- what it may answer

def _fits(value: Any, wanted: Any) -> bool:
    """Return whether a value is of an annotated type."""
    if isinstance(wanted, types.UnionType):
        return any(_fits(value, one) for one in typing.get_args(wanted))
    if typing.get_origin(wanted) is tuple:
        inner = typing.get_args(wanted)
        if not isinstance(value, tuple):
            return False
        return all(_fits(item, inner[0]) for item in value) if inner[-1] is ... else len(value) == len(inner) and all(map(_fits, value, inner))
    if wanted is types.NoneType or wanted is None:
        return value is None
    if wanted is int:
        return type(value) is int and -LARGEST <= value < LARGEST
    return type(value) is wanted


HINTS: dict[type, dict[str, Any]] = {kind: typing.get_type_hints(kind) for kind in EVENTS}


def check(answer: Any) -> None:
    """Hold an answer of a decoder against the types that the domain declares."""
    assert type(answer) is list
    for occurrence in answer:
        assert type(occurrence) is Occurrence
        for name, wanted in typing.get_type_hints(Occurrence).items():
            if name != "events":
                assert _fits(getattr(occurrence, name), wanted), (name, getattr(occurrence, name))
        assert type(occurrence.events) is tuple
        for event in occurrence.events:
            assert type(event) in EVENTS
            for name, wanted in HINTS[type(event)].items():
                assert _fits(getattr(event, name), wanted), (type(event).__name__, name, getattr(event, name))


# -- the contract

@every_host
def test_an_adapter_is_of_its_host(host: str) -> None:
    """The catalog's name is the adapter's own, and its decoder has a version."""
    adapter = catalog.adapter(host)
    assert (type(adapter), adapter.host, adapter.decoder_version >= 1) == (Adapter, host, True)


@every_host
def test_decoding_a_record_twice_says_the_same_and_leaves_it_alone(host: str) -> None:
    """A decoder keeps nothing between records and writes nothing into them."""
    decode = catalog.adapter(host).decode
    assert records(host)
    for facts, record in records(host):
        before = copy.deepcopy(record)
        first = decode(facts, record)
        check(first)
        assert record == before
        assert decode(facts, record) == first


@every_host
def test_the_order_of_records_makes_no_difference(host: str) -> None:
    """Each record says the same after all others as before them."""
    decode = catalog.adapter(host).decode
    forth = [decode(facts, record) for facts, record in shapes(host)]
    back = [decode(facts, record) for facts, record in reversed(shapes(host))]
    assert forth == back[::-1]


@every_host
def test_a_decoder_reads_no_file_and_starts_nothing(host: str) -> None:
    """No file, folder, process or socket is touched while all records are decoded."""
    decode = catalog.adapter(host).decode
    touched: list[str] = []
    for facts, record in shapes(host):
        decode(facts, record)
    with Watched(touched):
        for facts, record in shapes(host):
            decode(facts, record)
    assert touched == []


class Watched:
    """Note what the interpreter does to the world outside; an audit hook stays for good, so that it is silent outside."""

    current: list[str] | None = None
    installed = False

    def __init__(self, touched: list[str]) -> None:
        self.touched = touched

    def __enter__(self) -> None:
        if not Watched.installed:
            sys.addaudithook(Watched.hear)
            Watched.installed = True
        Watched.current = self.touched

    def __exit__(self, *error: object) -> None:
        Watched.current = None

    @staticmethod
    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        """Note one event."""
        if Watched.current is not None and event.startswith(("open", "os.", "socket.", "subprocess.", "shutil.", "sqlite3.", "glob.", "tempfile.")):
            Watched.current.append(event)


@every_host
def test_a_decoder_knows_no_clock_and_no_chance(host: str) -> None:
    """The modules that decode import nothing that differs from one run to the next, and ask for no present moment."""
    for module in _modules_of(host):
        tree = ast.parse(inspect.getsource(module))
        imported = {name.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        imported |= {(node.module or "").partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        called = {node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
        assert (imported & IMPURE_MODULES, called & IMPURE_CALLS) == (set(), set()), module.__name__


def _modules_of(host: str) -> list[types.ModuleType]:
    """Return the module of a host and those of `ingest` that it uses."""
    waiting, found = [catalog.MODULES[host]], {}
    while waiting:
        name = waiting.pop()
        module = found.setdefault(name, importlib.import_module(name))
        for value in vars(module).values():
            source = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "") or ""
            if source.startswith("ingest.") and source not in found:
                waiting.append(source)
    return list(found.values())


@every_host
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_damaged_record_raises_nothing(host: str, data: st.DataObject) -> None:
    """Keys removed, values of other types, huge numbers and lone surrogates give occurrences of the declared types, twice the same."""
    facts, record = data.draw(mutated(host))
    adapter = catalog.adapter(host)
    first = adapter.decode(facts, record)
    check(first)
    assert adapter.decode(facts, record) == first
    _check_hint(adapter, record)


@every_host
@settings(max_examples=100, deadline=None)
@given(record=st.dictionaries(odd_text, odd_value, max_size=5), kind=st.one_of(odd_value, st.none()))
def test_any_object_raises_nothing(host: str, record: JsonObject, kind: Any) -> None:
    """Whatever object stands on a line, the decoder and the hint answer."""
    adapter = catalog.adapter(host)
    for given_record in (record, {**record, "type": kind}):
        check(adapter.decode(_facts(host), given_record))
        _check_hint(adapter, given_record)


def _check_hint(adapter: Adapter, record: JsonObject) -> None:
    kind, at = adapter.hint(record)
    assert type(kind) is str
    assert at is None or type(at) is str


@every_host
@pytest.mark.parametrize("record", [
    {"type": "no-such-kind"}, {"type": "no-such-kind", "payload": {}, "data": {}, "message": {}}, {"type": 5}, {"type": ["user"]},
])  # fmt: skip
def test_an_unknown_kind_is_told(host: str, record: JsonObject) -> None:
    """A record of a kind that nobody knows is one RecordUnrecognised and nothing else."""
    answer = catalog.adapter(host).decode(_facts(host), record)
    assert [type(event) for occurrence in answer for event in occurrence.events] == [RecordUnrecognised]


@every_host
@pytest.mark.parametrize("first", [None, 5, "x", [], {}, {"payload": 5}, {"payload": {"id": 5}}, {"id": None, "sessionId": []}])
def test_a_native_id_is_text_whatever_the_first_line_is(host: str, first: Any) -> None:
    """A file whose first line tells no id has one all the same."""
    assert type(catalog.adapter(host).native_id(PATHS[host], first)) is str


@every_host
def test_default_roots_depend_on_the_environment_given_only(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process's own environment is not asked, and an empty one gives no error."""
    roots_of: Callable[[dict[str, str]], list[str]] = catalog.adapter(host).default_roots
    before = roots_of({"HOME": "/home/dev"})
    for name in ("HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME"):
        monkeypatch.setenv(name, "/elsewhere")
    assert roots_of({"HOME": "/home/dev"}) == before
    assert all(root.startswith("/home/dev/") for root in before)
    assert type(roots_of({})) is list


def _tree(host: str, folder: Path) -> Path:
    """Build a home with everything that the recordings of a host hold, and things that are none of ours beside it."""
    root = folder / "root"
    root.mkdir()
    if host == "journal":
        for name in ("b.jsonl", "a.jsonl", "notes.txt"):
            (root / name).write_text("{}\n")
        return root
    for recording in roots(host):
        shutil.copytree(recording, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("states"))
    return root


@every_host
def test_discovery_yields_files_that_exist_once_and_in_a_fixed_order(host: str, tmp_path: Path) -> None:
    """The order does not depend on how the folder lists its entries, and no file comes twice."""
    discover = catalog.adapter(host).discover
    root = _tree(host, tmp_path)
    found = list(discover(str(root)))
    paths = [candidate.path for candidate in found]
    assert found == list(discover(str(root)))
    assert paths
    assert len(set(paths)) == len(paths)
    assert [path for path in paths if not Path(path).is_file()] == []
    again = tmp_path / "again"
    again.mkdir()
    for path in sorted((item for item in root.rglob("*") if item.is_file()), reverse=True):
        copied = again / path.relative_to(root)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(path.read_bytes())
    assert [str(Path(candidate.path).relative_to(again)) for candidate in discover(str(again))] == [str(Path(path).relative_to(root)) for path in paths]


@every_host
def test_a_file_is_classified_as_discovery_classifies_it(host: str, tmp_path: Path) -> None:
    """`watch` sees one path at a time and takes it for the same; what discovery leaves out it leaves out."""
    adapter = catalog.adapter(host)
    root = _tree(host, tmp_path)
    found = {candidate.path: candidate for candidate in adapter.discover(str(root))}
    assert {path: adapter.classify(str(root), path) for path in found} == found
    left_out = [str(path) for path in root.rglob("*") if path.is_file() and str(path) not in found]
    assert [path for path in left_out if adapter.classify(str(root), path) is not None] == []


@every_host
def test_discovery_ends_in_a_loop_and_refuses_a_root_that_is_none(host: str, tmp_path: Path) -> None:
    """A link to a folder above gives no file twice; only the root itself may raise, and what it raises is an OSError."""
    discover = catalog.adapter(host).discover
    root = _tree(host, tmp_path)
    before = [candidate.path for candidate in discover(str(root))]
    for folder in [root, *(path for path in root.rglob("*") if path.is_dir() and not path.is_symlink())]:
        (folder / "loop").symlink_to(root, target_is_directory=True)
    assert [candidate.path for candidate in discover(str(root))] == before
    with pytest.raises(OSError, match="nowhere"):
        list(discover(str(tmp_path / "nowhere")))


def test_every_kind_of_inbox_line_is_tried() -> None:
    """What hooks and commands write to the inbox is among the records that all tests here decode."""
    assert {record["type"] for _, record in records("journal")} == set(journal_host.READERS)


def test_every_host_of_the_fixtures_is_in_the_catalog() -> None:
    """No recording belongs to a host that nobody reads; `hooks` holds the payloads that clients handed to hooks."""
    assert {path.name for path in FIXTURES.iterdir() if path.is_dir()} - {"hooks"} <= set(HOSTS)
    assert set(PATHS) == set(HOSTS)
