"""GitHub Copilot CLI, seen with 1.0.102: docs/reference/hooks.md."""

from ingest.facts import Continuing, Event, Facts

FACTS = Facts(
    host="copilot",
    title="GitHub Copilot CLI",
    program="copilot",
    home=".copilot",
    home_variable="COPILOT_HOME",
    variable_holds_parent=False,
    user_file="hooks/journal.json",
    project_file=".github/hooks/journal.json",
    config_form="flat",
    events={
        # the case of the name picks the payload: these give camelCase keys and times in milliseconds
        "session-start": Event("sessionStart", 15),
        "prompt": Event("userPromptSubmitted", 10),
        "pre-compact": Event("preCompact", 10),
        "stop": Event("agentStop", 10),
        "session-end": Event("sessionEnd", 10),
    },
    # a command that fails fires postToolUse; what follows the command keeps a program that is gone from denying every tool
    tool_events={"before-tool": Event("preToolUse", 5, "edit|create|str_replace_editor|apply_patch"), "after-tool": Event("postToolUse", 5, "bash")},
    sources={"new": "startup", "startup": "startup", "resume": "resume"},
    timeout_key="timeoutSec",
    timeout_unit="s",
    dialect="flat",
    block_word="block",
    context_roles=("session-start", "prompt", "before-tool", "after-tool"),
    host_cap=None,
    inject_cap=9_000,
    shows_stderr=False,
    tokens_per_turn=4_000,  # as the tool Bookmark has it; 1.0.102 tells the figures
    fallback="",
    commands_folder="skills",
    commands_form="skill",
    off_switches=(("settings.json", ("disableAllHooks",), True), ("config.json", ("disableAllHooks",), True)),
    trust="Copilot CLI runs hooks of your own folder without asking.",
    trust_project="Copilot CLI runs a repository's hooks only in a trusted folder; `copilot -p` skips them without a word unless --trust-folder or"
                  " COPILOT_ALLOW_ALL=true is set.",
    continuing=Continuing(("copilot", "--interactive", "{prompt}"), ("copilot", "--resume", "{id}"), (), ()),  # a copy is made inside the client, by /fork
)
