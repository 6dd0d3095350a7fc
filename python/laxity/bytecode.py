# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether compiled modules may be stored: CPython keeps the half of one that it could write.

Python 3.11 does not look how much was written (gh-126606), and no later start succeeds.
"""

import os
import resource

# Far more than all our modules compiled.
_ROOM_BYTES = 32 << 20


def has_room() -> bool:
    """Tell whether files of ours can be written whole."""
    room = os.statvfs(os.path.dirname(__file__))  # noqa: PTH120 - pathlib takes longer to load
    is_limited = resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY
    return not is_limited and room.f_bavail * room.f_frsize >= _ROOM_BYTES
