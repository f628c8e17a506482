"""The catalog of models: exact ids, three layers, and answers of models.dev that are not what they should be."""

import json
from pathlib import Path
from typing import Any

import pytest

from journal.catalog import Model, Rates, built_in, cache_path, cost, dump, fetched, find, from_models_dev, load
from journal.errors import SettingInvalid
from journal.prices import LONG_ROWS, ROWS
from journal.windows import window_of

AT = "2026-12-03T00:00:00Z"


@pytest.mark.parametrize(("written", "model"), [
    ("claude-opus-4-20250514", "claude-opus-4"),
    ("claude-opus-4-8", "claude-opus-4-8"),
    ("claude-opus-4-5@20251101", "claude-opus-4-5"),
    ("claude-sonnet-4-6[1m]", "claude-sonnet-4-6"),
    ("anthropic/claude-opus-5-5", "claude-opus-5-5"),
    ("claude-sonnet-4.6", "claude-sonnet-4-6"),
    ("gpt-5.4-2026-03-05", "gpt-5.4"),
    ("models/gemini-2.5-pro", "gemini-2.5-pro"),
    ("kimi-k2", None), ("claude-opus-4-9", None), ("gpt-5.5-turbo", None), ("us.anthropic.claude-opus-5-5", None), ("", None), (None, None),
])  # fmt: skip
def test_c17_ids_are_exact_or_unknown(written: str | None, model: str | None) -> None:
    """A date, a vendor's prefix, `[1m]` and Copilot's dots are taken off; an id that is merely alike is unknown."""
    found = find(built_in(), written)
    assert (found.model_id if found else None) == model


def test_old_and_new_opus_have_their_own_prices() -> None:
    """Opus 4 costs 15 and 75 with 200k tokens of window, Opus 4.8 costs 5 and 25 with a million."""
    old, new = find(built_in(), "claude-opus-4-20250514"), find(built_in(), "claude-opus-4-8")
    assert old is not None
    assert new is not None
    assert (old.rates[:2], old.context_window) == ((15, 75), 200_000)
    assert (new.rates[:2], new.context_window) == ((5, 25), 1_000_000)


def test_the_table_holds_together() -> None:
    """No id stands twice, long prompts belong to a model and cost no less, an hour in the cache costs more than minutes."""
    ids = [row[0] for row in ROWS]
    assert len(ids) == len(set(ids))
    assert set(LONG_ROWS) <= set(ids)
    for model in built_in().values():
        pairs = [*zip(model.rates, model.long_rates or model.rates, strict=True), (model.rates.cache_write, model.rates.cache_write_1h)]
        assert all(low is None or high is None or low <= high for low, high in pairs), model.model_id


def test_windows_agree_with_the_table_that_hooks_read() -> None:
    """Where both tables know a model they say the same, also for `[1m]`."""
    known = {model.model_id: window_of(model.model_id) for model in built_in().values()}
    assert {name: window for name, window in known.items() if window not in (None, built_in()[name].context_window)} == {}
    assert len([window for window in known.values() if window]) > 20
    long = find(built_in(), "claude-sonnet-4-5[1m]")
    assert long is not None
    assert (long.context_window, window_of("claude-sonnet-4-5[1m]"), long.rates.input) == (1_000_000, 1_000_000, 3)


def test_what_has_no_price_is_named() -> None:
    """Only what was used and has no price is missing; what was not used needs none."""
    rates = Rates(1, 2, None, None, None)
    assert cost(rates, {"input": 1_000_000, "output": 500_000}) == (2.0, ())
    assert cost(rates, {"input": 1_000_000, "cache_read": 5, "cache_write_1h": 0}) == (1.0, ("cache_read",))


def entry(**costs: Any) -> dict[str, Any]:
    """Return a model as models.dev lists it."""
    return {"cost": {"input": 1, "output": 2, **costs}, "limit": {"context": 1000, "output": 10}}


def answered(**models: Any) -> dict[str, Any]:
    """Return an answer with a plain model of each of the three vendors, and *models* of Anthropic."""
    return {"anthropic": {"models": {"a": entry(cache_write=1.25), **models}}, "openai": {"models": {"o": entry()}},
            "google": {"models": {"g": entry()}}, "reseller": {"models": {"a": entry(input=0)}}}  # fmt: skip


def test_models_dev_is_read() -> None:
    """Prices, windows and tiers are taken; an hour in Anthropic's cache costs twice the input; resellers are not asked."""
    tier = {"input": 3, "output": 4, "tier": {"type": "context", "size": 272_000}}
    models = from_models_dev(answered(t=entry(tiers=[tier], context_over_200k={"input": 9}), l=entry(context_over_200k={"input": 5, "output": 6})), AT)
    assert models["a"] == Model("a", Rates(1, 2, None, 1.25, 2), 1000, "refreshed 2026-12-03")
    assert models["o"].rates == Rates(1, 2)
    assert (models["t"].long_from, models["t"].long_rates) == (272_000, Rates(3, 4))
    assert (models["l"].long_from, models["l"].long_rates) == (200_000, Rates(5, 6))


@pytest.mark.parametrize("bad", [
    {"limit": {"context": 5}}, {"cost": "free"}, entry(input=-1), entry(output="2"), entry(input=True), entry(input=1e9), entry(input=float("nan")),
    entry(tiers=[{"input": 1, "tier": {"type": "hours", "size": 5}}]), entry(tiers=[{}, {}]), {"cost": {"input": 1}}, None, [],
    entry() | {"limit": {"context": -4}},
])  # fmt: skip
def test_a_model_that_does_not_read_is_left_out(bad: Any) -> None:
    """The others stay; a price is never guessed."""
    assert sorted(from_models_dev(answered(b=bad), AT)) == ["a", "g", "o"]


@pytest.mark.parametrize("answer", [None, [], {}, "x", {"anthropic": {"models": {"a": entry()}}}, answered() | {"google": {"models": {}}}])
def test_an_answer_without_the_three_vendors_is_none(answer: Any) -> None:
    """Such an answer would make costs unknown that were known."""
    with pytest.raises(ValueError, match=r"no model of|not an object"):
        from_models_dev(answer, AT)


def test_layers(tmp_path: Path) -> None:
    """The fetched catalog goes over the built-in one, the user's figures over both; own prices hold for long prompts too."""
    path = tmp_path / "models.json"
    path.write_text(dump({"gpt-5.5": Model("gpt-5.5", Rates(6, 31), 9, "", 100, Rates(7, 32)), "new": Model("new", Rates(1, 2), None, "")}, AT, "url"))
    models, wrong = load({"gpt-5.5": {"input": 8}, "own": {"context_window": 5}}, str(path))
    assert wrong is None
    assert models["gpt-5.5"] == Model("gpt-5.5", Rates(8, 31), 9, "config.toml")
    assert models["new"] == Model("new", Rates(1, 2), None, "refreshed 2026-12-03")
    assert models["own"] == Model("own", Rates(), 5, "config.toml")
    assert models["gpt-5.4"].source.startswith("built-in")


def test_a_file_reads_back(tmp_path: Path) -> None:
    """What is dumped is what is fetched."""
    path = tmp_path / "models.json"
    models = from_models_dev(answered(l=entry(context_over_200k={"input": 5, "output": 6})), AT)
    path.write_text(dump(models, AT, "url"))
    assert fetched(str(path)) == models


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": 2, "models": {}}', '{"schema": 1, "models": {"a": [1]}}',
                                     json.dumps({"schema": 1, "models": {"a": [-1, 1, None, None, None, None, None]}})])  # fmt: skip
def test_a_damaged_file_is_said_and_not_used(tmp_path: Path, content: str) -> None:
    """The built-in table stays in force."""
    path = tmp_path / "models.json"
    path.write_text(content)
    models, wrong = load({}, str(path))
    assert models == built_in()
    assert wrong is not None


@pytest.mark.parametrize("given", [5, {"inputs": 1}, {"input": "1"}, {"input": -1}, {"context_window": 1.5}])
def test_the_users_mistakes_are_named(given: Any) -> None:
    """The error names the table of the setting."""
    with pytest.raises(SettingInvalid, match=r'\[prices\."m"\]'):
        load({"m": given}, "/nowhere/models.json")


def test_where_the_file_lies() -> None:
    """Below XDG_CACHE_HOME where that is set."""
    assert cache_path({"HOME": "/h"}) == "/h/.cache/journal/models.json"
    assert cache_path({"HOME": "/h", "XDG_CACHE_HOME": "/c"}) == "/c/journal/models.json"
