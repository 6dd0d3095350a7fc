# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The probability of a pWCET, as options write it."""

import re
from decimal import Decimal

from laxity.errors import ConfigError

_PROBABILITY = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,20})?(?:[eE]-?[0-9]{1,3})?", re.ASCII)
# The limit of bound_pwcet: what is not rare needs no extrapolation.
_MOST = Decimal("0.01")


def parse_exceedance(text: str, option: str, example: str = "1e-9") -> Decimal:
    """Read a probability.

    Args:
        text: For example 1e-9.
        option: Its name with what the user wrote, for the message.
        example: How to write it right.

    Raises:
        ConfigError: No probability above 0 and below 0.01.
    """
    probability = Decimal(text) if _PROBABILITY.fullmatch(text) else None
    if probability is None or not 0 < probability < _MOST:
        msg = f"{option}: no probability above 0 and below {_MOST}; write for example {example}"
        raise ConfigError(msg)
    return probability
