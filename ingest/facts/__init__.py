"""What the program knows about each host's hooks, as data: one module per host, each with one `FACTS`.

The hook path reads these at every prompt of a user, so nothing is imported here: no typing, no collections, and the
two records are written out by hand.
"""

HOSTS = ("claude", "codex", "gemini", "copilot")
ROLES = ("session-start", "prompt", "pre-compact", "stop", "session-end")
"""What a hook is for, in the journal's words; `Facts.events` maps each to the host's event."""
TOOL_ROLES = ("before-tool", "after-tool")
"""The hooks around tools, which only who asks for them has: `Facts.tool_events`."""


class Event:
    """One event of a host that a hook of ours answers to."""

    __slots__ = ("matcher", "name", "timeout")

    def __init__(self, name: str, timeout: int, matcher: str = "") -> None:
        self.name = name
        self.timeout = timeout
        """After this long the host ends the hook, in the host's own unit (`Facts.timeout_unit`)."""
        self.matcher = matcher
        """The tools that it is called for, as a regular expression over their names; empty where it has nothing to do with tools."""


class Continuing:
    """How one host goes on with a session, and where a tool of a session finds which one it is in."""

    __slots__ = ("fork", "resume", "start", "variables")

    def __init__(self, start: tuple[str, ...], resume: tuple[str, ...], fork: tuple[str, ...], variables: tuple[str, ...]) -> None:
        self.start = start
        """The command that starts a new session in a terminal with a first prompt, which `{prompt}` stands for."""
        self.resume = resume
        """The command that continues a session; `{id}` stands for the session."""
        self.fork = fork
        """The one that continues a copy of it; empty where the host has none."""
        self.variables = variables
        """Environment variables that hold the session's id."""


class Facts:
    """What one host wants of a hook and of the files that configure it. Never changed after it is made."""

    __slots__ = (
        "block_word", "commands_folder", "commands_form", "config_form", "context_roles", "continuing", "dialect", "events", "fallback", "home",
        "home_variable", "host", "host_cap", "idle_roles", "inject_cap", "off_switches", "plugin_list", "program", "project_file",
        "resume_drops_start", "second_config", "shows_stderr", "sources", "timeout_key", "timeout_unit", "title", "tokens_per_turn", "tool_events",
        "trust", "trust_form", "trust_project", "user_file", "variable_holds_parent",
    )  # fmt: skip

    def __init__(  # noqa: PLR0915  a line for each fact
        self, *, host: str, title: str, program: str, home: str, home_variable: str, variable_holds_parent: bool, user_file: str, project_file: str,
        config_form: str, events: dict[str, Event], tool_events: dict[str, Event], sources: dict[str, str], timeout_key: str, timeout_unit: str,
        dialect: str, block_word: str,
        context_roles: tuple[str, ...], host_cap: int | None, inject_cap: int, shows_stderr: bool, fallback: str, commands_folder: str,
        commands_form: str, off_switches: tuple[tuple[str, tuple[str, ...], bool], ...], trust: str, trust_project: str,
        continuing: Continuing, idle_roles: tuple[str, ...] = (), trust_form: str = "", resume_drops_start: bool = False,
        tokens_per_turn: int | None = None, plugin_list: tuple[str, str] | None = None,
        second_config: tuple[str, str, str] | None = None,
    ) -> None:  # fmt: skip
        self.host = host
        self.title = title
        self.program = program
        """The client's command, by which `setup` finds it."""
        self.home = home
        """The host's folder below the user's home."""
        self.home_variable = home_variable
        """The environment variable that moves it."""
        self.variable_holds_parent = variable_holds_parent
        """Whether the variable names the folder that holds the home, and not the home itself."""
        self.user_file = user_file
        """The file that configures hooks for all projects, below the home."""
        self.project_file = project_file
        """The file that configures them for one project, below its root."""
        self.config_form = config_form
        """`nested`: groups with a list of handlers each; `flat`: handlers alone."""
        self.events = events
        self.tool_events = tool_events
        """The events around tools whose additional context reaches the model, by role; for `install --tools`."""
        self.sources = sources
        """The host's words for why a session starts, to ours: startup, resume, fork, clear, compact."""
        self.idle_roles = idle_roles
        """Roles whose event the host fires over and over, whether or not there is anything to do; only what a user asked for counts."""
        self.timeout_key = timeout_key
        self.timeout_unit = timeout_unit
        """`s` or `ms`."""
        self.dialect = dialect
        """`nested`: context is told in `hookSpecificOutput` with the event's name; `flat`: at the top level."""
        self.block_word = block_word
        """The `decision` by which a stop hook sends the agent on."""
        self.context_roles = context_roles
        """The roles whose additional context reaches the model."""
        self.host_cap = host_cap
        """Characters beyond which the host shortens what is injected; None where none was measured."""
        self.inject_cap = inject_cap
        """Characters that we inject at most, below the host's cap."""
        self.shows_stderr = shows_stderr
        """Whether the host shows a hook's stderr although it succeeded."""
        self.fallback = fallback
        """What follows the command in its shell line, so that a program that is gone does no harm."""
        self.commands_folder = commands_folder
        """Where the slash commands or skills of a user lie, below the home."""
        self.commands_form = commands_form
        """`markdown`, `toml` or `skill`."""
        self.off_switches = off_switches
        """(file below the home, keys that lead to a setting, the value with which the host runs no hooks)."""
        self.trust = trust
        """What the host asks for before it runs a user's hooks."""
        self.plugin_list = plugin_list
        """File below the home and key where the host keeps which plugins are on; ours are named `journal@MARKETPLACE`."""
        self.second_config = second_config
        """File below the home and key where hooks may stand a second time, and what stands below the key that is no hook."""
        self.tokens_per_turn = tokens_per_turn
        """What a turn is taken to use where a version of the host tells no figures; labelled as an estimate."""
        self.trust_form = trust_form
        """How the host writes its trust down: `each hook`, `folders`, or nothing that a user's own hooks depend on."""
        self.trust_project = trust_project
        """What it asks for before it runs a project's hooks."""
        self.continuing = continuing
        self.resume_drops_start = resume_drops_start
        """Whether a resume leaves a prompt out of the conversation that begins with what a session start told."""

    def event_of(self, role: str) -> Event:
        """Return the host's event for a role."""
        return self.events.get(role) or self.tool_events[role]

    def home_of(self, environ: dict[str, str]) -> str:
        """Return the host's home for this environment (`HOME` and the host's own variable)."""
        moved = environ.get(self.home_variable)
        if moved:
            return f"{moved}/{self.home}" if self.variable_holds_parent else moved
        from journal.home import user_home  # noqa: PLC0415  only a command asks, no hook

        return f"{user_home(environ)}/{self.home}"
