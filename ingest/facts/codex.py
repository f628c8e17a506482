"""Codex CLI, seen with 0.171.0: docs/reference/hooks.md."""

from ingest.facts import Continuing, Event, Facts

FACTS = Facts(
    host="codex",
    title="Codex CLI",
    program="codex",
    home=".codex",
    home_variable="CODEX_HOME",
    variable_holds_parent=False,
    user_file="hooks.json",
    project_file=".codex/hooks.json",
    config_form="nested",
    events={
        "session-start": Event("SessionStart", 15),
        "prompt": Event("UserPromptSubmit", 10),
        "pre-compact": Event("PreCompact", 10),
        "stop": Event("Stop", 10),
        "session-end": Event("SessionEnd", 3),  # Codex clamps it to 3 and warns at every start about more
    },
    # a command that fails fires PostToolUse as well, without its exit code
    tool_events={"before-tool": Event("PreToolUse", 5, "apply_patch"), "after-tool": Event("PostToolUse", 5, "Bash")},
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
    commands_folder="skills",
    commands_form="skill",
    plugin_list=("config.toml", "plugins"),
    second_config=("config.toml", "hooks", "state"),  # runs both, and warns at every start
    off_switches=(("config.toml", ("features", "hooks"), False),),
    trust="Codex runs a hook only after you have trusted it: start `codex`, choose `Trust all` where it says that hooks need review, or enter /hooks and"
          " press t. Until then `codex exec` skips it without a word. A changed command or timeout has to be trusted again.",
    trust_form="each hook",
    trust_project="Codex reads a project's hooks only in a trusted project, and each hook has to be trusted: start `codex` there and enter /hooks.",
    continuing=Continuing(("codex", "{prompt}"), ("codex", "resume", "{id}"), ("codex", "fork", "{id}"), ("CODEX_THREAD_ID",)),
)
