#!/bin/sh
# Ingest the transcripts of this machine and show them; without any, the samples, into a throw-away home.
set -eu
OWN=""
"$BIN/journal" ingest
if ! "$BIN/journal" sessions --all --limit 1 --json | grep -q session_id; then
    echo "No transcripts were found on this machine: the sample sessions are shown instead (kept in .run/)."
    JOURNAL_HOME="$PWD/.run/journal"
    export JOURNAL_HOME
    OWN="env -u JOURNAL_HOME "  # hooks belong to the journal of this machine, not to that of the samples
    "$BIN/journal" ingest --root claude=samples/claude --root codex=samples/codex --root gemini=samples/gemini --root copilot=samples/copilot
fi
echo
"$BIN/journal" sessions --all --limit 20
echo
"$BIN/journal" usage --by day
echo
echo "The index for search by meaning:"
"$BIN/journal" index update --seconds 60 || echo "Search goes by words only."
echo
echo "Try next:"
echo "  export PATH=\"$PWD/$BIN:\$PATH\"${JOURNAL_HOME:+ JOURNAL_HOME=\"$JOURNAL_HOME\"}"
echo "  journal show latest                  # a session, turn by turn"
echo "  journal search calc.py --all         # prompts, answers, tool inputs"
echo "  journal search --all 'why does the sum come out wrong'   # the same by meaning"
echo "  journal doctor                       # is everything read in time, sound and private?"
echo "  ${OWN}journal install --host claude        # new sessions know what the last ones knew (also codex, gemini, copilot)"
