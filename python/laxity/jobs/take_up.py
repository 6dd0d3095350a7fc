# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Go on with a run that was interrupted or killed, where the same command is typed again."""

from collections.abc import Callable
from pathlib import Path

from laxity.errors import ConfigError
from laxity.store import run_directory
from laxity.store.manifest import Manifest
from laxity.store.run_directory import MANIFEST, REPORT, NewRun

# Raises ConfigError where a directory holds something else than what was asked for.
Check = Callable[[Path], None]
_DERIVED = "derived.json"


def stored(final: Path, check_same: Check) -> Manifest | None:
    """Read what the directory holds of this very run; None: there is none.

    Raises:
        ConfigError: It holds something else.
    """
    if not final.exists():
        return None
    check_same(final)
    return run_directory.read_manifest(final)


def reopen(final: Path) -> None:
    """Take up a run that was finished before it was whole.

    Raises:
        ConfigError: A left-over lies beside it.
    """
    tmp = run_directory.tmp_path_of(final)
    if tmp.exists():
        msg = f"run directory {tmp}: exists beside {final}; remove one of them"
        raise ConfigError(msg)
    for name in (REPORT, _DERIVED):
        (final / name).unlink(missing_ok=True)
    final.rename(tmp)


def claim(final: Path, check_same: Check) -> NewRun:
    """Create the directory of the run, or take over what is left of it.

    Raises:
        ConfigError: Another process writes it, or it holds something else.
    """
    tmp = run_directory.tmp_path_of(final)
    if not tmp.is_dir():
        return run_directory.create_run(final)
    lock_fd = run_directory.lock_directory(tmp)
    if lock_fd is None:
        msg = f"run directory {final}: another laxity is writing it now; wait for its end"
        raise ConfigError(msg)
    run = NewRun(tmp, final, lock_fd)
    if not (tmp / MANIFEST).is_file():
        # Its writer died before it had said what it would do.
        return run
    try:
        check_same(tmp)
    except ConfigError:
        run.release()
        raise
    return run
