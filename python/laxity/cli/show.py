# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity show`: what a run was and how it ended."""

import shlex
import sys
from pathlib import Path

import click

from laxity.cli.damage import tell_damage
from laxity.cli.options import debug_option, format_option, run_argument
from laxity.cli.tables import print_json
from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT
from laxity.jobs.finish import open_recovered
from laxity.store.manifest import TaskResult, knob_rows, result_rows
from laxity.store.run_directory import Run


@click.command()
@run_argument
@click.option(
    "--verify", is_flag=True, help="Compare every file with its hash; exit with 4 if not."
)
@format_option("table", "json")
@debug_option
def show(path: str, verify: bool, output_format: str) -> int:
    """Show what RUN, a directory that laxity wrote, was and how it ended.

    A run that was killed is finished first. json prints its manifest. The damage of a run is told
    and the exit code is then 4.
    """
    run = open_recovered(Path(path))
    if verify:
        return _verify(run, output_format)
    if output_format == "json":
        print_json(run.manifest)
        return tell_damage(run)
    if run.manifest.kind == "compare":
        from laxity.compare.page import read_answer  # noqa: PLC0415 - loads numpy
        from laxity.compare.section import blocks_of  # noqa: PLC0415 - with the above
        from laxity.page.terminal import text_of  # noqa: PLC0415 - likewise

        sys.stdout.write(text_of(blocks_of(read_answer(run))))
        return tell_damage(run)
    if run.manifest.kind == "workingset":
        from laxity.cli.workingset_summary import answer_text as working_sets  # noqa: PLC0415
        from laxity.workingset.data import read_answer as read_sizes  # noqa: PLC0415

        sys.stdout.write(format_table(("", ""), _facts(run)).lstrip("\n"))
        sys.stdout.write("\n" + working_sets(read_sizes(run)))
        return tell_damage(run)
    from laxity.cli.summary import summary_text  # noqa: PLC0415 - loads numpy

    sys.stdout.write(format_table(("", ""), _facts(run)).lstrip("\n"))
    sys.stdout.write("\n" + summary_text(run))
    return tell_damage(run)


def _verify(run: Run, output_format: str) -> int:
    from laxity.jobs.integrity import find_contradictions  # noqa: PLC0415 - loads numpy

    problems = run.verify() + find_contradictions(run)
    if output_format == "json":
        print_json({"run": str(run.path), "problems": problems})
    elif problems:
        sys.stdout.writelines(f"{problem}\n" for problem in problems)
    else:
        sys.stdout.write(
            f"{len(run.manifest.files)} files are as they were written; "
            "manifest.json itself carries no hash\n"
        )
    return EXIT_NO_VERDICT if problems else EXIT_DONE


def _facts(run: Run) -> list[tuple[str, str]]:
    manifest = run.manifest
    facts = [
        ("run", str(run.path)),
        ("command", shlex.join(manifest.command_line)),
        ("tool", f"{manifest.tool.name} {manifest.tool.version} {manifest.tool.commit or ''}"),
        ("started", manifest.started_at),
        ("finished", manifest.finished_at or "unknown"),
        ("exit code", "unknown" if manifest.exit_code is None else str(manifest.exit_code)),
        ("machine", manifest.machine_hash or "unknown"),
        ("seed", "none" if manifest.seed is None else str(manifest.seed)),
    ]
    facts += result_rows(manifest)
    facts += knob_rows(manifest.knobs)
    facts += [(f"rows of {name}", str(rows)) for name, rows in manifest.tables.items()]
    for task in manifest.tasks:
        deadline = "none" if task.deadline_ns is None else format_duration_ns(task.deadline_ns)
        words = shlex.join([task.workload, *task.args])
        facts.append(
            (
                f"task {task.name}",
                f"{words}: {_period(task)}, deadline {deadline}, "
                f"{_policy(task)} on CPUs {task.cpus}, end: {task.end_cause}",
            )
        )
    for one in manifest.corunners:
        words = shlex.join([one.workload, *one.args])
        facts.append((f"co-runner {one.index}", f"{words} on CPU {one.cpus}: {one.passes} passes"))
    return facts


def _period(task: TaskResult) -> str:
    return "no period" if task.period_ns is None else f"period {format_duration_ns(task.period_ns)}"


def _policy(task: TaskResult) -> str:
    """Name the policy with what belongs to it: `fifo 90`, `deadline 2 ms per period`, `other`."""
    if task.runtime_ns is not None:
        return f"{task.policy} {format_duration_ns(task.runtime_ns)} per period"
    return task.policy if task.priority is None else f"{task.policy} {task.priority}"
