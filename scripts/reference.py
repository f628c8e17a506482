"""Writes the pages of docs/reference that follow from the code; a test fails while they differ.

Run: python scripts/reference.py
"""

import argparse
import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from cli.examples import EXAMPLES, Example
from cli.functions import FUNCTIONS, Function
from cli.main import EXIT_CODES, parser
from journal import domain, errors, hook_settings, settings
from journal.columns import LOG, Table
from projections.columns import INTERNAL, VIEWS

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
__all__ = ["FUNCTIONS", "Example", "Function", "pages"]
NOTE = "<!-- written by scripts/reference.py; change the code, then run it -->\n"


def pages() -> dict[str, str]:
    """Return each generated page by its file name."""
    made = {"commands.md": commands, "schema.md": schema, "events.md": events, "settings.md": settings_page, "errors-and-exit-codes.md": errors_page}
    return {name: "\n".join([NOTE, *write()]).rstrip() + "\n" for name, write in made.items()}


def commands() -> Iterator[str]:
    """Yield the page of the commands, from the parser."""
    yield "# Commands\n"
    yield "Every command takes `--help` and `--json`. Data goes to standard output, everything else to standard error."
    yield f"{EXIT_CODES[0].upper()}{EXIT_CODES[1:]}.\n"
    yield from _commands(parser([]), "journal")


def _commands(top: argparse.ArgumentParser, name: str) -> Iterator[str]:
    """Yield the sections of the commands below *top*, and of those below them."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, command in action.choices.items():
                yield from _command(command, f"{name} {word}")
                yield from _commands(command, f"{name} {word}")


def _command(command: argparse.ArgumentParser, name: str) -> Iterator[str]:
    """Yield the section of one command."""
    own = [action for action in command._actions if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)]
    yield f"## {name}\n"
    yield f"{_sentence(command.description or '')}\n"
    yield f"    {' '.join([name, *(_usage(action) for action in own)])}\n"
    yield from table(("argument", "meaning"), [(f"`{_spelled(action)}`", _meaning(action)) for action in own])
    if command.epilog:
        yield command.epilog.replace("example: ", "Example: `", 1) + "`\n" if command.epilog.startswith("example: ") else f"{command.epilog}\n"


def _usage(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"[{_value(action)}]" if action.nargs in ("?", "*") else f"{_value(action)}{' …' if action.nargs == '+' else ''}"
    return _spelled(action) if action.required else f"[{_spelled(action)}]"


def _spelled(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" [{_value(action)}]" if action.nargs == "?" and action.option_strings else f" {_value(action)}"
    return f"{', '.join(action.option_strings)}{value}" if action.option_strings else _value(action)


def _value(action: argparse.Action) -> str:
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    return "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()


def _meaning(action: argparse.Action) -> str:
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    return text or (f"default {action.default}" if action.default not in (None, False) else "")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def schema() -> Iterator[str]:
    """Yield the page of the databases, from the columns' documentation and the example queries."""
    yield "# Schema\n"
    yield (
        "Two SQLite files lie in `JOURNAL_HOME`: `journal.db` is the log, `views.db` is derived from it and can be deleted at any time."
        " `journal sql` opens both, read-only. The tables below are public: columns may be added, not renamed."
    )
    yield "Times are UTC as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, so that text order is time order. NULL means that the records do not say.\n"
    yield "## Functions\n\nOnly in `journal sql`, beside [SQLite's own](https://www.sqlite.org/lang_corefunc.html).\n"
    for function in FUNCTIONS:
        yield f"`{function.call}`: {function.meaning}\n\n```sql\n{function.example}\n```\n"
    yield "# Views (`views.db`)\n"
    for view in VIEWS.values():
        if view.name not in INTERNAL:
            yield from _table(view)
    yield "# Log (`journal.db`)\n"
    for kept in LOG.values():
        yield from _table(kept)
    yield "# Internal tables of `views.db`\n\nThey feed the views above and may change at any time.\n"
    for name in INTERNAL:
        yield from _table(VIEWS[name])


def _table(described: Table) -> Iterator[str]:
    yield f"## {described.name}\n\n{described.meaning}\n"
    yield from table(("column", "type", "unit", "meaning"), [(f"`{c.name}`", c.type, c.unit, c.meaning) for c in described.columns])
    for example in EXAMPLES:
        if example.table == described.name:
            yield f"{_sentence(example.meaning)[:-1]} (`journal sql --example {example.name}`):\n\n```sql\n{example.sql}\n```\n"


def events() -> Iterator[str]:
    """Yield the page of the domain events, from journal/domain.py and journal/own_events.py."""
    yield "# Domain events\n"
    yield f"{inspect.cleandoc(domain.__doc__ or '')}\n"
    for kind in domain.DomainEvent.__args__:
        yield from _classes(sys.modules[kind.__module__], [kind.__name__])
    yield "# Where an event stands\n"
    yield from _classes(domain, ["Occurrence", "SourceFacts"])


def _classes(module: object, names: Sequence[str]) -> Iterator[str]:
    """Yield a section for each class of *module*: its docstring, and its fields with theirs."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]  # a module
    found = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name in names:
        yield f"## {name}\n\n{ast.get_docstring(found[name])}\n"
        yield from table(("field", "type", "default", "meaning"), list(_fields(found[name])))


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str, str]]:
    for place, field in enumerate(node.body):
        if not isinstance(field, ast.AnnAssign):
            continue
        following = node.body[place + 1] if place + 1 < len(node.body) else None
        told = following.value.value if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant) else ""
        default = f"`{ast.unparse(field.value)}`" if field.value is not None else ""
        yield f"`{ast.unparse(field.target)}`", f"`{ast.unparse(field.annotation)}`", default, " ".join(str(told).split())


def _arguments(module: object, name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield what the constructor of a class takes, each with the docstring of the attribute that keeps it."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]  # a module
    made = next(part for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name for part in node.body if isinstance(part, ast.FunctionDef))
    told = {ast.unparse(kept.targets[0]).removeprefix("self."): doc.value.value for kept, doc in pairwise(made.body)
            if isinstance(kept, ast.Assign) and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant)}  # fmt: skip
    for argument, default in zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True):
        kind, value = (ast.unparse(part) if part else "" for part in (argument.annotation, default))
        yield f"`{argument.arg}`", f"`{kind}`", f"`{value}`", str(told.get(argument.arg, ""))


def settings_page() -> Iterator[str]:
    """Yield the page of the settings, from journal/settings.py."""
    yield "# Settings\n"
    yield "`journal config` shows the settings in force. They come from the environment and from `config.toml` in the journal's folder:\n"
    yield "```toml\n[roots]\nclaude = \"~/second/.claude\"          # a further folder to read\ncodex = [\"~/a/.codex\", \"~/b/.codex\"]\n```\n"
    yield from _classes(settings, ["Settings"])
    yield "## Hooks\n\nThe table `[hooks]` of `config.toml`.\n"
    yield from table(("key", "type", "default", "meaning"), list(_arguments(hook_settings, "HookSettings")))


def errors_page() -> Iterator[str]:
    """Yield the page of errors and exit codes, from journal/errors.py and cli/main.py."""
    yield "# Errors and exit codes\n"
    yield f"{_sentence(EXIT_CODES)}\n"
    yield "An error is one line on standard error and a hint with the next thing to do. With `--json` it is an object there:"
    yield '`{"error": "…", "hint": "…", "next_command": "journal …" or null, "retryable": true or false}`, with `candidates` where a prefix is ambiguous.\n'
    rows = [(f"`{kind.__name__}`", str(kind.exit_code), "yes" if kind.retryable else "", inspect.cleandoc(kind.__doc__ or ""))
            for kind in _below(errors.JournalError)]  # fmt: skip
    yield from table(("error", "exit code", "worth another try", "meaning"), rows)


def _below(kind: type[errors.JournalError]) -> Iterator[type[errors.JournalError]]:
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield below
            yield from _below(below)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a Markdown table, or nothing where there are no rows."""
    rows = list(rows)
    if not rows:
        return
    for row in (heads, ["---"] * len(heads), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
    yield ""


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
