"""Gemini CLI, seen with 0.61.0: docs/reference/hooks.md."""

from ingest.facts import Continuing, Event, Facts

FACTS = Facts(
    host="gemini",
    title="Gemini CLI",
    program="gemini",
    home=".gemini",
    home_variable="GEMINI_CLI_HOME",
    variable_holds_parent=True,
    user_file="settings.json",
    project_file=".gemini/settings.json",
    config_form="nested",
    events={
        "session-start": Event("SessionStart", 15_000),
        "prompt": Event("BeforeAgent", 10_000),
        "pre-compact": Event("PreCompress", 10_000),
        "stop": Event("AfterAgent", 10_000),
        "session-end": Event("SessionEnd", 10_000),
    },
    idle_roles=("pre-compact",),  # PreCompress fires before every request, compression or not
    # what BeforeTool tells does not reach the model; a command that fails fires AfterTool
    tool_events={"after-tool": Event("AfterTool", 5_000, "run_shell_command|replace|write_file")},
    sources={"startup": "startup", "resume": "resume", "clear": "clear"},
    timeout_key="timeout",
    timeout_unit="ms",
    dialect="nested",
    block_word="deny",
    context_roles=("session-start", "prompt", "after-tool"),
    host_cap=None,
    inject_cap=9_000,
    shows_stderr=True,
    resume_drops_start=True,
    # any exit code but 0 and 1 refuses the user's prompt, so a removed interpreter (127) would silence the client
    fallback=" || true",
    commands_folder="commands",
    commands_form="toml",
    off_switches=(("settings.json", ("hooksConfig", "enabled"), False),),
    trust="Gemini CLI runs hooks, your own as well, only in a trusted folder: start `gemini` there and trust it, or set GEMINI_CLI_TRUST_WORKSPACE=true"
          " where it runs without a terminal.",
    trust_form="folders",
    trust_project="Gemini CLI runs a project's hooks only in a trusted folder: start `gemini` there and trust it.",
    continuing=Continuing(
        ("gemini", "--prompt-interactive", "{prompt}"), ("gemini", "--resume", "{id}"), (), ()
    ),  # GEMINI_SESSION_ID is there for hooks, not for tools
)
