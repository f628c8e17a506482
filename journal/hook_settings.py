"""The settings of the hooks, table `[hooks]` of `config.toml`; read at every hook, so that nothing heavy is imported."""

import os

CARD_KINDS = ("open", "todo", "failure", "decision", "wish", "figure", "prompt", "answer", "file", "said")
"""What a restore tells of a session, by kind; the most that is kept of each stands in docs/explanation/continuity.md."""
STOP_MODES = ("threshold", "every-turn", "never")
COMPLETE_MODES = ("off", "tmux")


class HookSettings:
    """What a user can set of the hooks; the defaults hold where nothing is set."""

    __slots__ = (
        "adaptive", "card", "context_limit", "interval_min", "listed_days", "on_complete", "recall", "recall_tokens", "restore", "restore_tokens",
        "stale_after_h", "stop_mode", "thresholds", "withhold_after_h",
    )  # fmt: skip

    def __init__(
        self,
        *,
        thresholds: tuple[float, ...] = (0.75,),
        adaptive: bool = False,
        context_limit: int | None = None,
        interval_min: float = 5,
        stop_mode: str = "threshold",
        on_complete: str = "off",
        recall: bool = True,
        recall_tokens: int = 400,
        restore: bool = True,
        restore_tokens: int = 1600,
        stale_after_h: float = 24,
        withhold_after_h: float = 72,
        card: dict[str, int] | None = None,
        listed_days: int = 30,
    ) -> None:
        self.thresholds = thresholds
        """Shares of the context window at which user and agent are told, rising, each between 0 and 1."""
        self.adaptive = adaptive
        """Whether thresholds sink with every compaction of the session: to 70, 60, 50 and at last 40 % of the window."""
        self.context_limit = context_limit
        """Tokens of the context window; goes before what hosts and tables say."""
        self.interval_min = interval_min
        """Minutes of active time between two snapshots."""
        self.stop_mode = stop_mode
        """When a stop asks the agent for a handoff: `threshold`, `every-turn` or `never`."""
        self.on_complete = on_complete
        """What a stop does once `.journal/session-complete` says that the session is complete: `off`, or `tmux`, a new window with the next session."""
        self.recall = recall
        """Whether a prompt brings back learnings that fit it, and a session start those of the project."""
        self.recall_tokens = recall_tokens
        """Tokens that one recall takes at most, by the heuristic of four bytes each."""
        self.restore = restore
        """Whether a session start brings back what earlier sessions left."""
        self.restore_tokens = restore_tokens
        """Tokens that a restore takes at most, by the heuristic of four bytes each."""
        self.stale_after_h = stale_after_h
        """Hours after which a handoff is called old."""
        self.withhold_after_h = withhold_after_h
        """Hours after which a handoff is named and not shown."""
        self.card = card or {}
        """How many parts of a kind a restore tells of a session at most: `card = { decision = 2, file = 0 }`; 0 leaves a kind out."""
        self.listed_days = listed_days
        """Days after which a snapshot leaves the list of `journal snapshots`; `--all` shows it still."""


def load(config: str) -> tuple[HookSettings, str]:
    """Return the settings of the file *config*, and what was wrong with it: a hook goes on with the defaults."""
    if not os.path.isfile(config):
        return HookSettings(), ""
    import tomllib  # noqa: PLC0415  most homes have no such file

    try:
        with open(config, "rb") as file:
            given = tomllib.loads(file.read().decode().removeprefix("\ufeff")).get("hooks", {})
        return from_table(given), ""
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError) as error:
        return HookSettings(), f"{config}: {error}"


def given_in(config: str) -> set[str]:
    """Return the names of the settings that the file *config* gives; none where it cannot be read, which `load` tells."""
    import tomllib  # noqa: PLC0415  as above

    try:
        with open(config, "rb") as file:
            table = tomllib.loads(file.read().decode().removeprefix("\ufeff")).get("hooks", {})
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return set()
    return set(table) if isinstance(table, dict) else set()


def from_table(given: object) -> HookSettings:
    """Return the settings that the table `[hooks]` gives.

    Raises: ValueError: a name or a value cannot be used, with both.
    """
    if not isinstance(given, dict):
        raise ValueError("hooks must be a table")  # noqa: TRY004  one error for all that a file can have wrong
    known = {}
    for name, value in given.items():
        check = _CHECKS.get(name)
        if check is None:
            raise ValueError(f"hooks.{name}: no such setting; known are {', '.join(_CHECKS)}")
        known[name] = check(f"hooks.{name}", value)
    return HookSettings(**known)  # type: ignore[arg-type]  # each value was checked by its own function


def _shares(name: str, value: object) -> tuple[float, ...]:
    shares = value if isinstance(value, list) else [value]
    # A share above 1 is a percentage, as the tool Bookmark has it.
    found = sorted({share / 100 if share > 1 else float(share) for share in shares if isinstance(share, int | float) and not isinstance(share, bool)})
    if not shares or len(found) != len(shares) or not all(0 < share < 1 for share in found):
        raise ValueError(f"{name} = {value}: give shares of the window between 0 and 1, such as [0.75, 0.9]")
    return tuple(found)


def _tokens(name: str, value: object) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} = {value}: give a number of tokens")
    return value


def _hours(name: str, value: object) -> float:
    if type(value) not in (int, float) or not isinstance(value, int | float) or value < 0:
        raise ValueError(f"{name} = {value}: give a number from 0 on")
    return float(value)


def _mode(name: str, value: object) -> str:
    if value not in STOP_MODES:
        raise ValueError(f"{name} = {value}: give one of {', '.join(STOP_MODES)}")
    return str(value)


def _days(name: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} = {value}: give a number of days from 0 on")
    return value


def _card(name: str, value: object) -> dict[str, int]:
    if not isinstance(value, dict) or not all(kind in CARD_KINDS and type(most) is int and most >= 0 for kind, most in value.items()):
        raise ValueError(f"{name} = {value}: give numbers from 0 on for {', '.join(CARD_KINDS)}")
    return value


def _complete(name: str, value: object) -> str:
    if value not in COMPLETE_MODES:
        raise ValueError(f"{name} = {value}: give one of {', '.join(COMPLETE_MODES)}")
    return str(value)


def _switch(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} = {value}: give true or false")  # noqa: TRY004  as above
    return value


_CHECKS = {
    "thresholds": _shares, "adaptive": _switch, "context_limit": _tokens, "interval_min": _hours, "stop_mode": _mode,
    "on_complete": _complete,
    "recall": _switch, "recall_tokens": _tokens, "restore": _switch, "restore_tokens": _tokens, "stale_after_h": _hours, "withhold_after_h": _hours,
    "card": _card, "listed_days": _days,
}  # fmt: skip
