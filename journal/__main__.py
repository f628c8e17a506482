"""`python -m journal`: picks the hook path or the command line before anything else is imported."""

import sys

if sys.argv[1:2] == ["hook"]:
    from cli.hooks.edge import main as hook

    sys.exit(hook(sys.argv[2:]))

from cli.main import main

sys.exit(main())
