"""The policy of the context threshold: how full, of what, and whether to speak now. Pure, and light for the hook path.

History is what hooks of one session wrote down, oldest first: `journal.context` lines (what was measured) and
`journal.hook_answered` lines (what was said). Each is a fact of the log; the policy folds them anew every time.
"""

from collections.abc import Iterable

from journal.windows import LONG, window_of

REARMING_SOURCES = ("startup", "clear", "fork", "compact")
"""Why a session starts, where the context is another one than before."""
EVERY_TURN = 0.0
"""The threshold under which a stop that asks at every turn is written down."""
ADAPTED = (1.0, 0.7, 0.6, 0.5, 0.4)
"""What no threshold is above after 0, 1, 2, 3, 4 and more compactions: a session that was compacted often should end earlier."""
WARNED = 0.9
"""No threshold is above this share of the point at which the host compacts by itself: a large answer may be all that is left."""
PLAUSIBLE = 0.2
"""A host that compacted an emptier context by itself, by share of the window, had another window then."""
Line = dict[str, object]


class Window:
    """How many tokens fit, and who says so."""

    __slots__ = ("source", "tokens")

    def __init__(self, tokens: int | None, source: str) -> None:
        self.tokens = tokens
        self.source = source
        """`setting`, `host`, `catalog`, `table` or `unknown`."""


class State:
    """What the history of a session leaves open."""

    __slots__ = ("armed", "asked", "has_asked_for_window")

    def __init__(self, armed: set[float], asked: set[float], has_asked_for_window: bool) -> None:
        self.armed = armed
        """Thresholds whose crossing is yet to be told."""
        self.asked = asked
        """Thresholds at which a stop has asked for a handoff."""
        self.has_asked_for_window = has_asked_for_window


def window(limit: int | None, reported: int | None, model: str | None, used: int | None, *, catalog: int | None = None) -> Window:
    """Return the window in force: the user's setting, else the host's word, else a catalog, else the table, else unknown.

    A request larger than an assumed window proves the assumption wrong.
    """
    if limit:
        return Window(limit, "setting")
    if reported or (model and model.endswith(LONG)):
        return Window(reported or window_of(model), "host")
    for tokens, source in ((catalog, "catalog"), (window_of(model), "table")):
        if tokens and (used is None or used <= tokens):
            return Window(tokens, source)
    return Window(None, "unknown")


def prompt_estimate(prompt: str | None) -> int:
    """Return the tokens that a prompt not yet sent will take: a quarter of its UTF-8 bytes, rounded up."""
    return (len(prompt.encode("utf-8", "replace")) + 3) // 4 if prompt else 0


def fold(history: Iterable[Line], thresholds: tuple[float, ...]) -> State:
    """Return what is armed and asked after *history*."""
    armed, asked, window_tokens, asked_window = set(thresholds), set[float](), None, False
    for line in history:
        if line.get("type") == "journal.hook_answered":
            threshold = line.get("threshold")
            if line.get("kind") == "alert" and isinstance(threshold, int | float):
                armed -= {share for share in thresholds if share <= threshold}
            elif line.get("kind") == "ask" and isinstance(threshold, int | float):
                asked.add(float(threshold))
            elif line.get("kind") == "window":
                asked_window = True
            continue
        if line.get("role") == "prompt":
            asked.discard(EVERY_TURN)
        used, tokens = line.get("used"), line.get("window")
        if line.get("compacted") or line.get("source") in REARMING_SOURCES or (window_tokens and tokens and tokens != window_tokens):
            armed, asked = set(thresholds), asked & {EVERY_TURN}
        if isinstance(tokens, int):
            window_tokens = tokens
        if isinstance(used, int) and isinstance(tokens, int):
            below = {share for share in thresholds if used < share * tokens}
            armed |= below
            asked -= below
    return State(armed, asked, asked_window)


def adapted(thresholds: tuple[float, ...], history: Iterable[Line]) -> tuple[float, ...]:
    """Return the thresholds that are in force after the compactions of *history*."""
    most = ADAPTED[min(compactions(history), len(ADAPTED) - 1)]
    return tuple(sorted({min(share, most) for share in thresholds}))


def before_compaction(thresholds: tuple[float, ...], point: int | None, window_tokens: int | None) -> tuple[float, ...]:
    """Return the thresholds, none of them so high that the host compacts at its *point* before they are reached."""
    if not point or not window_tokens or not PLAUSIBLE * window_tokens <= point <= window_tokens:
        return thresholds
    most = WARNED * point / window_tokens
    return thresholds if thresholds[-1] <= most else tuple(sorted({min(share, round(most, 4)) for share in thresholds}))


def prompts(history: Iterable[Line]) -> int:
    """Return how many prompts the context holds: those since the session began or was compacted."""
    count = 0
    for line in history:
        if line.get("type") == "journal.context":
            count = 0 if line.get("compacted") or line.get("source") in REARMING_SOURCES else count + (line.get("role") == "prompt")
    return count


def full_name(model: str | None, history: list[Line]) -> str | None:
    """Return the model by the name with the long window, where a hook of this session was given that: transcripts leave the ending out."""
    told = next((str(line["model"]) for line in reversed(history) if line.get("role") == "session-start" and line.get("model")), "")
    return told if model and told == model + LONG else model


def compactions(history: Iterable[Line]) -> int:
    """Return how often the context was compacted: hooks that measure the same compaction stand one behind the other."""
    count, was = 0, False
    for line in history:
        if line.get("type") != "journal.context":
            continue
        is_compacted = bool(line.get("compacted")) or line.get("source") == "compact"
        count += is_compacted and not was
        was = is_compacted
    return count


def crossed(used: int | None, tokens: int | None, thresholds: tuple[float, ...]) -> float | None:
    """Return the highest threshold that *used* tokens reach."""
    if used is None or not tokens:
        return None
    return max((share for share in thresholds if used >= share * tokens), default=None)


def first_claim(history: list[Line], kind: str, threshold: float, nonce: str, thresholds: tuple[float, ...]) -> bool:
    """Tell whether the claim *nonce* is the first of its kind in its cycle: of hooks at the same time one may speak."""
    for index, line in enumerate(history):
        if line.get("type") != "journal.hook_answered" or line.get("kind") != kind or line.get("threshold") != threshold:
            continue
        before = fold(history[:index], thresholds)
        is_open = threshold in before.armed if kind == "alert" else threshold not in before.asked
        if is_open and line.get("nonce") == nonce:
            return True
    return False
