# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The executor of a running Dask scheduler, whose workers may be on other machines.

Dask gives the units of a worker that dies to another one by itself.
"""

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager

from laxity.core.wording import plain_words
from laxity.errors import PlatformError, ToolError

# A scheduler in another building answers in milliseconds.
_PATIENCE_S = 8


@contextmanager
def remote_executor(address: str) -> Iterator[Executor]:
    """Reach a scheduler; what is under way there when the block ends is cancelled.

    Args:
        address: Of the scheduler, `tcp://HOST:PORT` or `HOST:PORT`.

    Raises:
        PlatformError: It cannot be reached, has no workers, or has gone.
        ToolError: Dask is not installed, or laxity is not installed where the workers are.
    """
    try:
        from distributed import Client, KilledWorker  # noqa: PLC0415 - only where it is asked for
    except ImportError as error:
        msg = f"--scheduler: needs distributed ({error}); run laxity setup --with dask"
        raise ToolError(msg) from error
    # It tells at length what is told here in a line.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        msg = (
            f"--scheduler {address}: cannot be reached ({plain_words(error)}); start one by dask "
            "scheduler, or correct the address"
        )
        raise PlatformError(msg) from error
    try:
        if not client.nthreads():
            msg = f"--scheduler {address}: has no workers; start some by dask worker {address}"
            raise PlatformError(msg)
        # Results with one name would be taken for each other.
        executor = client.get_executor(pure=False)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)
    except (KilledWorker, CancelledError) as error:
        what = "its workers were killed" if isinstance(error, KilledWorker) else "has gone"
        msg = f"--scheduler {address}: {what}; start the same command again"
        raise PlatformError(msg) from error
    except ImportError as error:
        msg = f"--scheduler {address}: a worker cannot do it ({error}); install laxity there"
        raise ToolError(msg) from error
    finally:
        client.close()
