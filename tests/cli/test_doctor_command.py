# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity doctor` as a user sees it."""

import json
import re

import pytest
from click.testing import CliRunner, Result
from tests.platform import made_up_facts as made_up

from laxity.cli.doctor import render
from laxity.cli.main import cli
from laxity.errors import ConfigError
from laxity.platform.doctor import diagnose
from laxity.platform.doctor_checks import CHECKS
from laxity.platform.facts import Facts
from laxity.platform.machine import describe_machine

ESCAPE = "\x1b"


def call(*arguments: str, **environment: str) -> Result:
    words = ["doctor", *arguments]
    return CliRunner().invoke(
        cli, words, standalone_mode=False, catch_exceptions=False, env=environment
    )


def lines_of(facts: Facts, *, show_all: bool = False, width: int | None = None) -> list[str]:
    made = render(diagnose(facts), describe_machine(facts), show_all=show_all, width=width)
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in made]


def test_this_machine_is_examined_and_the_exit_code_is_0():
    result = call()
    assert result.exit_code == 0
    assert "Verdict" in result.output
    assert "What can be measured here" in result.output


def test_json_holds_every_check_with_every_field():
    document = json.loads(call("--format", "json").output)
    assert document["schema"] == 1
    assert document["badge"] in {"ready", "usable with care", "unfit"}
    assert [check["id"] for check in document["checks"]] == [entry.id for entry in CHECKS]
    fields = {"id", "title", "state", "value", "why", "fix", "undo", "source", "severity"}
    assert all(set(check) == fields for check in document["checks"])


def test_cpus_that_no_machine_has_are_refused():
    with pytest.raises(ConfigError, match="--cpus: 8191: no CPU 8191 on this machine"):
        call("--cpus", "8191")


def test_cpus_that_are_no_list_are_refused():
    with pytest.raises(ConfigError, match='--cpus: "one" is not a list of CPUs'):
        call("--cpus", "one")


def test_text_that_is_piped_has_no_colours_and_is_not_cut():
    output = call("--all").output
    assert ESCAPE not in output
    assert all(entry.why in output for entry in CHECKS)


def test_problem_comes_with_why_fix_and_undo():
    lines = lines_of(made_up.bare_vm())
    start = lines.index("warn    interval of memory statistics: 1 s [stat-interval]")
    assert [line.split()[0] for line in lines[start + 1 : start + 5]] == [
        "why",
        "fix",
        "undo",
        "from",
    ]
    assert lines[start + 2] == "        fix  sysctl -w vm.stat_interval=10"


def test_what_is_bad_comes_first():
    heads = [line.split()[0] for line in lines_of(made_up.bare_vm()) if line.endswith("]")]
    # Three are bad: see test_bare_virtual_machine_is_usable_with_care.
    assert heads[:3] == ["bad"] * 3
    assert "bad" not in heads[3:]


def test_what_is_in_order_is_shown_on_request_only():
    named = "[clocksource]"
    assert not any(named in line for line in lines_of(made_up.bare_vm()))
    assert any(named in line for line in lines_of(made_up.bare_vm(), show_all=True))


def test_number_of_checks_not_shown_is_told():
    board = diagnose(made_up.realtime_board())
    fine = sum(check.state == "ok" for check in board.checks)
    absent = sum(check.state == "absent" for check in board.checks)
    told = (
        f"{fine} checks found nothing, {absent} look at what this machine lacks; --all shows them."
    )
    assert told in lines_of(made_up.realtime_board())


def test_lines_are_wrapped_at_the_width_of_the_terminal():
    lines = lines_of(made_up.bare_vm(), width=80)
    too_long = [line for line in lines if len(line) > 80]
    # Only a word without blanks, such as a path, may stand out.
    assert all(len(line.split()) <= 2 for line in too_long)


def test_wrapped_text_loses_no_word():
    whole = " ".join(" ".join(lines_of(made_up.x86_server(), show_all=True)).split())
    wrapped = lines_of(made_up.x86_server(), show_all=True, width=60)
    assert " ".join(" ".join(wrapped).split()) == whole


def test_machine_that_tells_nothing_can_be_shown():
    assert "Machine  unknown processor, 0 CPUs, unknown kernel" in lines_of(Facts({}))
