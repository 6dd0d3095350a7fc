# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity list`: bundled workloads, events that can be counted here, simulated platforms."""

import sys

import click

from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import print_json
from laxity.core.spec import SIMULATED
from laxity.core.text_table import format_table
from laxity.errors import ConfigError
from laxity.platform import tools
from laxity.platform.platform_file import PlatformModel, read_platform, shipped_platforms
from laxity.platform.simulated_events import events_of


@click.command("list")
@click.argument(
    "what",
    type=click.Choice(["workloads", "events", "platforms"]),
    default="workloads",
    required=False,
)
@click.argument("name", required=False)
@click.option("--detail", is_flag=True, help="Of platforms: every value, and where it is from.")
@format_option("table", "json")
@debug_option
def list_workloads(what: str, name: str | None, detail: bool, output_format: str) -> None:
    """List what there is: bundled workloads, events that can be counted, simulated platforms.

    A workload has a name, words, memory that a job touches, a summary; an event has a name, what
    counts it on this machine, or why nothing does; a platform is named as sim:NAME. With events or
    --detail a platform, or a file of one, may be named: sim:sabrelite, ./mine.toml.
    """
    if detail and what != "platforms":
        msg = f"--detail goes with platforms, not with {what}; leave it out"
        raise ConfigError(msg)
    if name is not None and what != "events" and not detail:
        msg = "a name goes with events or platforms --detail; leave it out"
        raise ConfigError(msg)
    if what == "events" and name is not None:
        _list_simulated_events(name, output_format)
        return
    if what == "events":
        _list_events(output_format)
        return
    if what == "platforms" and detail:
        _detail_platforms(shipped_platforms() if name is None else [name], output_format)
        return
    if what == "platforms":
        _list_platforms(output_format)
        return
    workloads = tools.list_workloads()
    if output_format == "json":
        print_json(workloads)
        return
    rows = [(one.name, one.kind, one.args, one.memory, one.summary) for one in workloads]
    sys.stdout.write(format_table(("workload", "class", "words", "memory", "summary"), rows))


def _list_events(output_format: str) -> None:
    found = tools.list_events()
    if output_format == "json":
        print_json(found)
        return
    rows = [(one.name, one.platform_event or "-", one.reason or "") for one in found.events]
    sys.stdout.write(format_table(("event", "counted here by", "why not"), rows))
    if found.library is not None:
        sys.stdout.write(f"and every event of this processor that {found.library} has a name for\n")


def _list_simulated_events(name: str, output_format: str) -> None:
    rows = list(events_of(read_platform(name.removeprefix(SIMULATED))))
    if output_format == "json":
        print_json([dict(zip(("name", "meaning", "reason"), row, strict=True)) for row in rows])
        return
    sys.stdout.write(format_table(("event", "what the model counts", "why not"), rows))


def _list_platforms(output_format: str) -> None:
    titles = {f"{SIMULATED}{name}": read_platform(name).title for name in shipped_platforms()}
    if output_format == "json":
        print_json([{"name": name, "title": title} for name, title in titles.items()])
        return
    sys.stdout.write(format_table(("platform", "what it is"), list(titles.items())))


def _detail_platforms(names: list[str], output_format: str) -> None:
    models = [read_platform(name.removeprefix(SIMULATED)) for name in names]
    if output_format == "json":
        print_json([_described(model) for model in models])
        return
    for model in models:
        rows = [(one.place, one.text, one.unit, one.origin_text) for one in model.shown()]
        sys.stdout.write(f"{SIMULATED}{model.name}: {model.title}\n")
        sys.stdout.write(format_table(("", "value", "unit", "where it is from"), rows))


def _described(model: PlatformModel) -> dict[str, object]:
    values = [
        {
            "name": one.place,
            "value": one.text,
            "unit": one.unit,
            "origin": one.origin,
            "source": one.source,
            "help": one.key.help,
        }
        for one in model.shown()
    ]
    return {"name": f"{SIMULATED}{model.name}", "title": model.title, "values": values}
