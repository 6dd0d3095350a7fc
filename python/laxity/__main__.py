# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`python -m laxity`: the same as the `laxity` command."""

import os
import sys

from laxity import __version__


def start() -> None:
    """Run the command line and exit; installed as `laxity`."""
    # Asked by scripts and by every check of the installation: answered before anything is loaded.
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        sys.stdout.write(f"laxity {__version__}\n")
    else:
        try:
            # Kept short: what it is compiled to is stored before anybody can look for room.
            stored, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
            from laxity.bytecode import has_room  # noqa: PLC0415 - see above

            sys.dont_write_bytecode = not (stored and has_room())
            from laxity.cli.main import main  # noqa: PLC0415 - see above
        except KeyboardInterrupt:
            # Not through sys.exit: CPython would end by SIGINT (see laxity.cli.main).
            os._exit(130)
        main()


if __name__ == "__main__":
    start()
