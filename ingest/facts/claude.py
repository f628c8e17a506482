"""Claude Code, seen with 2.1.332: docs/reference/hooks.md."""

from ingest.facts import Continuing, Event, Facts

FACTS = Facts(
    host="claude",
    title="Claude Code",
    program="claude",
    home=".claude",
    home_variable="CLAUDE_CONFIG_DIR",
    variable_holds_parent=False,
    user_file="settings.json",
    # settings.json of a project is committed; our command names this machine's interpreter, so it goes into the personal file beside it
    project_file=".claude/settings.local.json",
    config_form="nested",
    events={
        "session-start": Event("SessionStart", 15),
        "prompt": Event("UserPromptSubmit", 10),
        "pre-compact": Event("PreCompact", 10),
        "stop": Event("Stop", 10),
        "session-end": Event("SessionEnd", 10),
    },
    tool_events={
        "before-tool": Event("PreToolUse", 5, "Edit|Write|MultiEdit|NotebookEdit"),
        "after-tool": Event("PostToolUseFailure", 5, "Bash"),
    },
    sources={"startup": "startup", "resume": "resume", "fork": "fork", "clear": "clear", "compact": "compact"},
    timeout_key="timeout",
    timeout_unit="s",
    dialect="nested",
    block_word="block",
    context_roles=("session-start", "prompt", "before-tool", "after-tool"),
    host_cap=10_000,
    inject_cap=9_000,
    shows_stderr=False,
    fallback="",
    commands_folder="commands",
    commands_form="markdown",
    plugin_list=("settings.json", "enabledPlugins"),
    off_switches=(("settings.json", ("disableAllHooks",), True),),
    trust="Claude Code runs hooks of your own settings without asking; the interactive client asks once whether you trust a folder.",
    trust_project="Claude Code runs a project's hooks once you have trusted its folder in the interactive client; `claude -p` does not ask.",
    continuing=Continuing(
        ("claude", "{prompt}"), ("claude", "--resume", "{id}"), ("claude", "--resume", "{id}", "--fork-session"), ("CLAUDE_CODE_SESSION_ID",),
    ),
)
