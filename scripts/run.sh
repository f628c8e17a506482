#!/bin/sh
# Ingest the transcripts of this machine and show them; without any, the samples, into a throw-away home.
set -eu
found=
for folder in "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects" "${CODEX_HOME:-$HOME/.codex}/sessions" \
    "${GEMINI_CLI_HOME:-$HOME}/.gemini/tmp" "${COPILOT_HOME:-$HOME/.copilot}/session-state"; do
    [ -d "$folder" ] && found=1
done
if [ -n "$found" ]; then
    "$BIN/journal" ingest
else
    echo "No transcripts were found on this machine: the sample sessions are shown instead (kept in .run/)."
    JOURNAL_HOME="$PWD/.run/journal"
    export JOURNAL_HOME
    "$BIN/journal" ingest --root claude=samples/claude --root codex=samples/codex --root gemini=samples/gemini --root copilot=samples/copilot
fi
echo
"$BIN/journal" sessions --all --limit 20
echo
"$BIN/journal" usage --by day
echo
if [ -n "${JOURNAL_HOME:-}" ]; then prefix="JOURNAL_HOME=$JOURNAL_HOME "; else prefix=; fi
echo "Try next:"
echo "  $prefix$BIN/journal search WORD --all"
echo "  $prefix$BIN/journal status"
echo "  $prefix$BIN/journal replay --verify"
