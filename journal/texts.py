"""What hooks say to users and agents, in the words of the product."""

HEADINGS = ("Current task", "Status", "Remaining", "Decisions", "Risks", "Open questions", "Sources of truth", "Next steps")
HANDOFF_TOKENS = 800


def figure(tokens: int) -> str:
    """Return a number of tokens as people say it: 950, 12k, 1.2M."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 1_000_000:
        return f"{round(tokens / 1000)}k"
    return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"


def fullness(used: int, window: int, source: str, *, is_estimated: bool, compacts_at: int | None = None) -> str:
    """Return one clause on how full the context is, and how sure that is."""
    percent = min(100, round(100 * used / window))
    origin = {"setting": "your setting", "host": "as the host reports it", "catalog": "from the model catalog", "table": "from a built-in table"}[source]
    point = f"; the host last compacted this model's at {figure(compacts_at)}" if compacts_at else ""
    return f"the context is {percent} % full{' (estimated)' if is_estimated else ''}: {figure(used)} of {figure(window)} tokens, window {origin}{point}"


def handoff_request(path: str, identity: str = "") -> str:
    """Return what the agent is asked to do about its handoff file, which begins with the block *identity*."""
    begins = f" It begins with this block, and keeps further keys that stand there:\n{identity}\n" if identity else ""
    return (
        f"Write or update the handoff file {path} now: Markdown of at most {HANDOFF_TOKENS} tokens under the headings"
        f" {', '.join('`## ' + heading + '`' for heading in HEADINGS)}. Name files and lines instead of copying them; give exact numbers,"
        " failing commands and what fixed them, the user's wishes and the reasons of decisions. The journal brings it back in the next session."
        f"{begins}"
    )


def alert_for_agent(clause: str, path: str | None, identity: str = "") -> str:
    """Return what the agent is told at a crossing."""
    request = handoff_request(path, identity) if path else "Sum up for the user what a new session needs to know."
    return f"[journal] {clause[0].upper()}{clause[1:]}. {request} Then go on, and advise the user to start a new session soon."


def alert_for_user(clause: str, path: str | None) -> str:
    """Return what the user is told at a crossing."""
    wrote = f" The agent is asked to keep {path}." if path else ""
    return f"journal: {clause}.{wrote} A new session starts with what the journal knows of this one."


def unknown_window(model: str | None) -> str:
    """Return what the user is told, once, where no window is known."""
    return (
        f"journal: the context window of {model or 'this model'} is not known, so that nothing is said when it fills."
        " Set it in config.toml: [hooks] context_limit = TOKENS"
    )
