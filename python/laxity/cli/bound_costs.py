# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity bound` and `laxity experiment` are given: costs, and which figures count."""

import re
from decimal import Decimal

import click

from laxity.bounds.platform_costs import USE_MAX, USE_PWCET, Choice
from laxity.cli.exceedance import parse_exceedance
from laxity.core.percent import parse_percent
from laxity.errors import ConfigError, located, suggestion

NO_COSTS = "none"
_QUANTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,4})?)", re.ASCII)
_USES = "use max, a quantile such as p99.9, or pwcet:1e-9"

costs_option = click.option(
    "--costs",
    metavar="FILE|RUN|none",
    required=True,
    help="What the platform costs: a costs.json, or the run that holds one; none: zero overheads.",
)
margin_option = click.option(
    "--margin",
    metavar="PERCENT",
    default="0%",
    show_default=True,
    help="What is added to each figure.",
)


def read_choice(option: str, use: str, margin: str) -> Choice:
    """Read which figure of each cost counts.

    Args:
        option: That gave it, for messages.
        use: max, pN, or pwcet:P.
        margin: What is added, in percent.

    Raises:
        ConfigError: Neither.
    """
    with located("--margin"):
        margin_ppm = parse_percent(margin)
    if use == USE_MAX:
        return Choice(None, margin_ppm)
    if use.startswith(USE_PWCET):
        probability, example = use.removeprefix(USE_PWCET), f"{USE_PWCET}1e-9"
        exceedance = parse_exceedance(probability, f'{option} "{use}"', example)
        return Choice(None, margin_ppm, exceedance)
    match = _QUANTILE.fullmatch(use)
    if match is None or not Decimal(match[1]):
        advice = suggestion(use, ("max", "p99", "p99.9", "pwcet:1e-9"), _USES)
        msg = f'{option} "{use}": unknown; {advice}'
        raise ConfigError(msg)
    return Choice(Decimal(match[1]) / 100, margin_ppm)


def check_figures(costs: str, choice: Choice) -> None:
    """Refuse to choose among figures where there are none.

    Raises:
        ConfigError: There are none.
    """
    if costs == NO_COSTS and choice != Choice():
        msg = "--use, --margin: --costs none has no figures; leave them out"
        raise ConfigError(msg)
