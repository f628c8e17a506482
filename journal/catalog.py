"""The catalog of models: what a million tokens costs and how large the context window is; unknown stays unknown.

Three layers, the later one wins for a model: the table of this version (journal/prices.py), the catalog that
`journal catalog refresh` fetched, and the user's `[prices."model"]` in config.toml.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from journal.errors import SettingInvalid
from journal.prices import CHECKED, LONG_ROWS, ROWS
from journal.windows import LONG, catalog_path

KINDS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
"""The kinds of tokens that have prices of their own; reasoning is priced as the output that it is a part of."""
MILLION = 1_000_000
DEAREST = 10_000.0
"""US dollars for a million tokens; above stands an error, not a price."""
LARGEST_WINDOW = 1_000_000_000
FILE_SCHEMA = 1
VENDORS = ("anthropic", "openai", "google", "deepseek", "moonshotai", "zai", "xai", "mistral", "minimax", "alibaba")
"""Providers of models.dev that make their models; resellers list the same ids at prices of their own."""
HOUR_FACTOR = {"anthropic": 2.0}
"""Price of a cache write for an hour as a multiple of input: https://platform.claude.com/docs/en/build-with-claude/prompt-caching."""
DATED = re.compile(r"(?:-|@)(?:20\d{6}|20\d\d-\d\d-\d\d)$")
PREFIXES = ("anthropic/", "openai/", "google/", "models/")


class Rates(NamedTuple):
    """US dollars for a million tokens of each kind; None is unknown."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    """Written to the cache for the usual minutes."""
    cache_write_1h: float | None = None


class Model(NamedTuple):
    """What is known of one model."""

    model_id: str
    rates: Rates
    context_window: int | None
    """Tokens."""
    source: str
    """`built-in DATE`, `refreshed DATE` or `config.toml`."""
    long_from: int | None = None
    """A response whose prompt is longer than so many tokens pays `long_rates` for all of it."""
    long_rates: Rates | None = None


Catalog = Mapping[str, Model]


def built_in() -> dict[str, Model]:
    """Return the table of this version."""
    models = {}
    for model_id, *prices, window in ROWS:
        long_from, *long = LONG_ROWS.get(model_id, (None,))
        models[model_id] = Model(model_id, Rates(*prices), window, f"built-in {CHECKED}", long_from, Rates(*long) if long else None)
    return models


def cache_path(environ: Mapping[str, str]) -> str:
    """Return where the fetched catalog lies: below XDG_CACHE_HOME, else ~/.cache."""
    return catalog_path(environ)


def load(prices: Mapping[str, Any], path: str) -> tuple[dict[str, Model], str | None]:
    """Return the catalog in force, with the user's *prices* and the fetched file at *path*, and what was wrong with that file.

    Raises: SettingInvalid: the user's prices cannot be used.
    """
    models, wrong = built_in(), None
    if os.path.lexists(path):
        try:
            models.update(fetched(path))
        except (OSError, ValueError) as error:
            wrong = f"{path}: {error}"
    for model_id, given in prices.items():
        models[model_id] = _overridden(model_id, given, find(models, model_id))
    return models, wrong


def find(models: Catalog, model_id: str | None) -> Model | None:
    """Return what is known of a model under the id that a host wrote; None where nothing is, and never a guess.

    First the id as it stands; then without a vendor's prefix, Claude Code's `[1m]` and a date at its end; then, for Claude,
    with dashes for the dots of Copilot (`claude-sonnet-4.6`).
    """
    if model_id is None:
        return None
    if model_id in models:
        return models[model_id]
    bare = model_id.lower().removesuffix(LONG)
    for prefix in PREFIXES:
        bare = bare.removeprefix(prefix)
    dateless = DATED.sub("", bare)
    for name in (bare, dateless, dateless.replace(".", "-") if dateless.startswith("claude-") else dateless):
        if name in models:
            found = models[name]
            return found._replace(context_window=MILLION) if model_id.endswith(LONG) else found
    return None


def cost(rates: Rates, tokens: Mapping[str, int]) -> tuple[float, tuple[str, ...]]:
    """Return the US dollars of what has a price, and the kinds of tokens that were used and have none."""
    dollars, missing = 0.0, []
    for kind, price in zip(KINDS, rates, strict=True):
        count = tokens.get(kind, 0)
        if count and price is None:
            missing.append(kind)
        elif count and price is not None:
            dollars += count * price / MILLION
    return dollars, tuple(missing)


def from_models_dev(answer: object, fetched_at: str) -> dict[str, Model]:
    """Return the vendors' models of a models.dev `api.json`; a model whose prices do not read is left out.

    Raises: ValueError: the answer is no such catalog, or names no model of Anthropic, OpenAI and Google with a price.
    """
    if not isinstance(answer, dict):
        raise ValueError("not an object of providers")  # noqa: TRY004  a wrong answer is one error to the caller, whatever is wrong
    models: dict[str, Model] = {}
    for vendor in reversed(VENDORS):
        provider = answer.get(vendor)
        listed = provider.get("models") if isinstance(provider, dict) else None
        for model_id, entry in listed.items() if isinstance(listed, dict) else ():
            model = _model(vendor, model_id, entry, fetched_at)
            if model is not None:
                models[model_id] = model
        if vendor in VENDORS[:3] and not any(isinstance(listed, dict) and model_id in listed for model_id in models):
            raise ValueError(f"no model of {vendor} with a price in it")
    return models


def dump(models: Catalog, fetched_at: str, url: str) -> str:
    """Write fetched models as the file that `fetched` reads."""
    rows = {model.model_id: [*model.rates, model.context_window, model.long_from, *(model.long_rates or ())] for model in models.values()}
    return json.dumps({"schema": FILE_SCHEMA, "fetched_at": fetched_at, "url": url, "models": rows})


def fetched(path: str) -> dict[str, Model]:
    """Return the models of the fetched file.

    Raises: OSError: it cannot be read; ValueError: it is damaged.
    """
    with open(path, "rb") as file:
        content = json.loads(file.read())
    if not isinstance(content, dict) or content.get("schema") != FILE_SCHEMA or not isinstance(content.get("models"), dict):
        raise ValueError("not a catalog of this version")
    source = f"refreshed {str(content.get('fetched_at'))[:10]}"
    models = {}
    for model_id, row in content["models"].items():
        if not isinstance(row, list) or len(row) not in {7, 12}:
            raise ValueError(f"{model_id}: not a row of this version")
        rates, long = Rates(*map(_price, row[:5])), Rates(*map(_price, row[7:])) if len(row) > 7 else None
        models[model_id] = Model(model_id, rates, _tokens(row[5]), source, _tokens(row[6]), long)
    return models


def _model(vendor: str, model_id: str, entry: object, fetched_at: str) -> Model | None:
    """Return one entry of models.dev, or None where it has no prices or some that mean something we do not know."""
    given = entry.get("cost") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(given, dict):
        return None
    limit = entry.get("limit")
    try:
        rates = _rates(vendor, given)
        window = _tokens(limit.get("context")) if isinstance(limit, dict) else None
        long_from, long = _long(vendor, given)
    except ValueError:
        return None
    if rates.input is None or rates.output is None:
        return None
    return Model(model_id, rates, window, f"refreshed {fetched_at[:10]}", long_from, long)


def _rates(vendor: str, given: Mapping[str, Any]) -> Rates:
    fresh, output, read, written = (_price(given.get(kind)) for kind in KINDS[:4])
    factor = HOUR_FACTOR.get(vendor)
    return Rates(fresh, output, read, written, fresh * factor if factor and fresh is not None and written is not None else None)


def _long(vendor: str, given: Mapping[str, Any]) -> tuple[int | None, Rates | None]:
    """Return the prices of long prompts: one tier by context, or the older `context_over_200k`.

    Raises: ValueError: the tiers are of another kind.
    """
    tiers = given.get("tiers")
    if isinstance(tiers, list) and tiers:
        tier = tiers[0].get("tier") if len(tiers) == 1 and isinstance(tiers[0], dict) else None
        if not isinstance(tier, dict) or tier.get("type") != "context":
            raise ValueError("tiers of an unknown kind")
        return _tokens(tier.get("size")), _rates(vendor, tiers[0])
    older = given.get("context_over_200k")
    return (200_000, _rates(vendor, older)) if isinstance(older, dict) else (None, None)


def _price(value: object) -> float | None:
    """Return a price.

    Raises: ValueError: it is none.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= DEAREST:
        raise ValueError(f"{value!r} is no price")
    return float(value)


def _tokens(value: object) -> int | None:
    """Return a number of tokens; models.dev writes 0 where it knows none.

    Raises: ValueError: it is none.
    """
    if value is None or value == 0:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST_WINDOW:
        raise ValueError(f"{value!r} is no number of tokens")
    return value


def _overridden(model_id: str, given: object, known: Model | None) -> Model:
    """Return a model with the user's figures over what is known; own prices hold for prompts of any length.

    Raises: SettingInvalid.
    """
    where = f'config.toml, [prices."{model_id}"]'
    names = (*KINDS, "context_window")
    if not isinstance(given, dict) or not set(given) <= set(names):
        raise SettingInvalid(f"{where}: takes {', '.join(names)}", hint=f'write: [prices."{model_id}"] input = 3.0 output = 15.0, a line each')
    try:
        prices = {kind: _price(given[kind]) for kind in KINDS if kind in given}
        window = _tokens(given.get("context_window"))
    except ValueError as error:
        raise SettingInvalid(f"{where}: {error}", hint="prices are US dollars for a million tokens, windows are tokens") from error
    known = known or Model(model_id, Rates(), None, "")
    kept = (known.long_from, known.long_rates) if not prices else (None, None)
    return Model(model_id, known.rates._replace(**prices), window or known.context_window, "config.toml", *kept)
