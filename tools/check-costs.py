# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Compare what the stages of a check took with the committed ledger, or add rows to it.

Each folder holds a file `cost` that ./check has written: stage, checksum of the tree, outcome,
`first` or `later` run of this clone, seconds of processor time, seconds.

Exit codes: 0 done, 2 usage, 3 the ledger has no table.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

# Processor time of one stage on one commit varies less than this with the load of the machine.
ALLOWED_RATIO = 1.2
HEADER = "| stage | run | commit | date | processor time (s) | time (s) | result | machine |"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the ledger; `run` is "first" where the clone had no earlier result to build on."""

    stage: str
    run: str
    commit: str
    date: str
    cpu_s: str
    wall_s: str
    result: str
    machine: str

    def line(self) -> str:
        """Return the row as a line of Markdown."""
        return f"| {' | '.join(astuple(self))} |"


def read_rows(text: str) -> list[Row]:
    """Read the table of the ledger.

    Args:
        text: The whole page.

    Returns:
        Its rows, oldest first.

    Raises:
        SystemExit: there is no such table; code 3.
    """
    if HEADER not in text:
        print(f"check-costs: read the ledger: it has no table {HEADER}", file=sys.stderr)
        raise SystemExit(3)
    lines = text.partition(HEADER)[2].splitlines()[2:]
    return [Row(*(cell.strip() for cell in line.strip("|").split("|"))) for line in lines if line]


def machine() -> str:
    """Return number and model of this machine's processors."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    return f"{os.cpu_count()} × {models[0] if models else os.uname().machine}"


def git(*arguments: str) -> str:
    """Return what a command of git prints, without the line's end; nothing if it fails."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def read_costs(folders: Iterable[Path], commit: str) -> Iterator[Row]:
    """Read what stages took; those that were cut short have left nothing."""
    for folder in folders:
        cost = folder / "cost"
        if not cost.exists():
            continue
        stage, _, outcome, run, cpu_s, wall_s = cost.read_text(encoding="utf-8").split()
        date = datetime.datetime.fromtimestamp(cost.stat().st_mtime, datetime.UTC).date()
        yield Row(stage, run, commit, date.isoformat(), cpu_s, wall_s, outcome, machine())


def comparison(ran: Row, ledger: Sequence[Row]) -> str:
    """Compare a stage with the newest row of the ledger for the same stage and kind of run.

    Args:
        ran: The stage as it has just run.
        ledger: Rows, oldest first.

    Returns:
        A line to print; it begins with a warning where the processor time is above the allowed
        ratio.
    """
    shown = f"{ran.stage:<12} {ran.cpu_s:>8} s of processor time, {ran.wall_s:>7} s"
    rows = [row for row in ledger if (row.stage, row.run, row.result) == (ran.stage, ran.run, "ok")]
    if not rows:
        return f"{shown}; the ledger has no {ran.run} run"
    last = rows[-1]
    elsewhere = "" if last.machine == ran.machine else f" on {last.machine}"
    shown += f"; {last.cpu_s} s at {last.commit}{elsewhere}"
    if float(ran.cpu_s) <= ALLOWED_RATIO * float(last.cpu_s):
        return shown
    if not float(last.cpu_s):
        return f"WARNING: {shown}"
    above = 100 * (float(ran.cpu_s) / float(last.cpu_s) - 1)
    return f"WARNING: {shown}: {above:.0f} % above the ledger"


def record(path: Path, rows: Sequence[Row]) -> None:
    """Add rows to the ledger, each in place of one of the same stage, run and commit."""
    text = path.read_text(encoding="utf-8")
    keys = {(row.stage, row.run, row.commit) for row in rows}
    kept = [row for row in read_rows(text) if (row.stage, row.run, row.commit) not in keys]
    above, rule = text.partition(HEADER)[0], "|".join(["---"] * len(astuple(rows[0])))
    lines = [HEADER, f"|{rule}|", *(row.line() for row in [*kept, *rows])]
    path.write_text(above + "\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Compare or record.

    Args:
        arguments: command line without the program's name.

    Returns:
        Exit code.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--record", action="store_true", help="add rows to the ledger")
    parser.add_argument("ledger", type=Path, help="page that holds the ledger")
    parser.add_argument("folders", type=Path, nargs="+", help="folders of stages")
    options = parser.parse_args(arguments)

    ran = list(read_costs(options.folders, git("rev-parse", "--short=8", "HEAD")))
    if not options.record:
        ledger = read_rows(options.ledger.read_text(encoding="utf-8"))
        print(*(comparison(row, ledger) for row in ran), sep="\n")
    elif not ran or not ran[0].commit:
        print("check-costs: no row was recorded: there is no commit, or no stage has ended")
    elif git("status", "--porcelain", "--", ".", f":!{options.ledger}"):
        print("check-costs: no row was recorded: the tree has changes that are not committed")
    else:
        record(options.ledger, ran)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
