# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure`: the platform's costs, one file per command."""

import click

from laxity.cli.measure_all import measure_all
from laxity.cli.measure_crpd import crpd
from laxity.cli.measure_memory_latency import memory_latency
from laxity.cli.measure_migration import migration
from laxity.cli.measure_migration_jobs import migration_jobs
from laxity.cli.measure_switch import switch


@click.group()
def measure() -> None:
    """Measure what the platform takes from jobs, and write it as costs.json into a run."""


measure.add_command(crpd)
measure.add_command(memory_latency)
measure.add_command(switch)
measure.add_command(migration)
measure.add_command(migration_jobs)
measure.add_command(measure_all)
