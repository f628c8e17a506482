"""`python -m journal`: hands over to the command line."""

import sys

from cli.main import main

sys.exit(main())
