# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Simulates task sets with SimSo; runs in an environment of its own, without laxity.

Reads a JSON list of sets from stdin: {scheduler, cpus, duration, tasks: [{wcet, period, deadline,
priority}]}, times in whole milliseconds. Writes for each set the longest response of each task; a
job that has not finished by the end counts with what it has taken so far.
"""

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from simso.configuration import Configuration
from simso.core import Model


def simulate(one: dict[str, Any]) -> list[int]:
    config = Configuration()
    per_ms = config.cycles_per_ms
    config.duration = one["duration"] * per_ms
    for number, task in enumerate(one["tasks"], 1):
        config.add_task(
            name=f"T{number}",
            identifier=number,
            period=task["period"],
            activation_date=0,
            wcet=task["wcet"],
            deadline=task["deadline"],
            abort_on_miss=False,
            data={"priority": task["priority"]},
        )
    for number in range(1, one["cpus"] + 1):
        config.add_processor(name=f"CPU{number}", identifier=number)
    config.scheduler_info.clas = f"simso.schedulers.{one['scheduler']}"
    config.check_all()
    model = Model(config)
    model.run_model()
    longest = []
    for result in model.results.tasks.values():
        took = [
            job.response_time if job.response_time is not None else config.duration - released
            for job in result.jobs
            if (released := job.activation_date) < config.duration
        ]
        # Exact: all times are whole milliseconds.
        longest.append(round(max(took)) // per_ms)
    return longest


def main() -> None:
    sets = json.load(sys.stdin)
    # Some of its schedulers print what they do.
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        found = [simulate(one) for one in sets]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
