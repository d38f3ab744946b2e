"""Record one payload in the spool. Run by wrappers/<client>.sh; always exits 0 with an empty stderr."""

import os
import sys

try:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from dreamhook.hook.log_event import main

    main(sys.argv[1:])
finally:
    os._exit(
        0
    )  # whatever happened, the agent goes on; and the interpreter's own tidying up is skipped
