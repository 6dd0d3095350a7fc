# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Man pages and shell completion, made from option tables."""

import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.typed_lines import check_taken

from laxity.cli.completion import SHELLS, completion_script
from laxity.cli.examples import EXAMPLES
from laxity.cli.main import cli
from laxity.cli.man import (
    NativeGroup,
    NativeHelp,
    NativeOption,
    native_page,
    read_native_help,
    write_man_pages,
)
from laxity.cli.run import run as run_command
from laxity.cli.run_command import TITLES
from laxity.core.spec_keys import spec_keys
from laxity.core.spec_reader import read_spec_toml
from laxity.errors import ConfigError, ToolError

NATIVE = NativeHelp(
    tool="laxity-run",
    summary="run periodic tasks on this machine",
    groups=[
        NativeGroup(
            "Run options",
            [
                NativeOption("--duration", "How long to release jobs.", None, "TIME", "10s"),
                NativeOption("--quiet", "Print nothing.", "-q"),
            ],
        )
    ],
)


@click.group()
def root() -> None:
    """Measure things. And more."""


@root.command()
@click.argument("path", metavar="SPEC|NAME")
@click.option("-p", "--period", metavar="TIME", default="10ms", show_default=True, help="Period.")
@click.option("--idle", type=click.Choice(["deep", "poll"]), help="A \\ and - and β.")
@click.option("--secret", hidden=True, help="Nobody sees this.")
def run(path: str, period: str, idle: str, secret: str) -> None:
    """Run an experiment.

    .A line that starts with a dot is text.

    \b
    kept as it is
      two lines
    """
    del path, period, idle, secret


@root.command(hidden=True)
def internal() -> None:
    """Not for users."""


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, str]:
    written = write_man_pages(tmp_path, root, [NATIVE])
    return {str(path.relative_to(tmp_path)): path.read_text(encoding="ascii") for path in written}


def lint(text: str) -> str:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def rendered(text: str) -> str:
    done = subprocess.run(
        ["mandoc", "-T", "utf8", "-O", "width=200"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    # Bold is written as letter, backspace, letter.
    return "".join(
        letter
        for index, letter in enumerate(done.stdout)
        if letter != "\b" and done.stdout[index + 1 : index + 2] != "\b"
    )


needs_mandoc = pytest.mark.skipif(shutil.which("mandoc") is None, reason="lacks mandoc")


def test_every_command_and_native_program_gets_a_page(pages: dict[str, str]):
    assert list(pages) == [
        "man1/laxity-run.1",
        "man1/laxity.1",
        "man5/laxity-spec.5",
        "man8/laxity-run.8",
    ]


@needs_mandoc
def test_page_of_specs_has_every_key_and_an_example_that_is_one(pages: dict[str, str]):
    text = rendered(pages["man5/laxity-spec.5"])
    for one in spec_keys():
        assert f"{one.name} = {one.kind}" in text
    assert "[default: 50]" in text
    example = text[text.index("schema = 1\n") : text.index("KEYS")]
    spec = read_spec_toml(textwrap.dedent(example).encode(), {}, 1)
    assert (spec.tasks[0].workload, spec.interfere[0].cpus) == ("mem", (1,))


@pytest.mark.parametrize(
    "typed", [typed for lines in EXAMPLES.values() for typed, _ in lines if "DIR" not in typed]
)
def test_examples_are_command_lines_that_their_commands_take(typed: str):
    _, *words = shlex.split(typed)
    check_taken(words)


def test_each_option_of_a_run_stands_under_one_title_and_those_of_others_first():
    titled = [name for names in TITLES.values() for name in names]
    assert len(titled) == len(set(titled))
    context = click.Context(run_command, info_name="run", **cli.context_settings)
    shown = [
        one.name
        for one in run_command.get_params(context)
        if isinstance(one, click.Option) and not one.hidden
    ]
    assert sorted(filter(None, shown)) == sorted(titled)
    help_of_suite = CliRunner().invoke(cli, ["suite", "run", "--help"]).output
    assert help_of_suite.index("--vetting") < help_of_suite.index("Jobs:\n  -p, --period")


def test_help_and_manual_page_have_the_examples(tmp_path: Path):
    done = CliRunner().invoke(cli, ["compare", "--help"])
    typed, does = EXAMPLES["compare"][0]
    assert f"  Examples:\n    {typed}\n        {does}\n" in done.output
    assert done.output.rstrip().endswith("the figures do not tell.")
    (page,) = [one for one in write_man_pages(tmp_path, cli, []) if one.stem == "laxity-compare"]
    assert ".SH EXAMPLES" in page.read_text()


@needs_mandoc
def test_pages_satisfy_mandoc(pages: dict[str, str]):
    assert {name: lint(text) for name, text in pages.items()} == dict.fromkeys(pages, "")


@needs_mandoc
def test_page_shows_what_click_knows(pages: dict[str, str]):
    text = rendered(pages["man1/laxity-run.1"])
    assert "laxity-run - Run an experiment" in text
    assert "laxity run [OPTIONS] SPEC|NAME" in text
    assert "-p, --period TIME" in text
    assert "[default: 10ms]" in text
    assert "--idle [deep|poll]" in text
    assert "A \\ and - and β." in text
    assert ".A line that starts with a dot is text." in text
    assert "Nobody sees this" not in text
    # Once in the synopsis, never among the options.
    assert text.count("SPEC|NAME") == 1
    assert "EXIT STATUS" in text
    assert "NO_COLOR" in text


@needs_mandoc
def test_paragraph_marked_as_fixed_keeps_its_lines(pages: dict[str, str]):
    lines = [line.strip() for line in rendered(pages["man1/laxity-run.1"]).splitlines()]
    assert lines.index("two lines") == lines.index("kept as it is") + 1


def test_hidden_command_has_no_page(pages: dict[str, str]):
    assert not any("internal" in name for name in pages)
    assert "internal" not in pages["man1/laxity.1"]


@needs_mandoc
def test_native_page_shows_every_option():
    text = rendered(native_page(NATIVE).text)
    assert "Run options" in text
    assert "--duration TIME" in text
    assert "How long to release jobs." in text
    assert "[default: 10s]" in text
    assert "-q, --quiet" in text


def test_date_of_a_page_can_be_fixed(monkeypatch: pytest.MonkeyPatch):
    # 86400 s per day: day 1 after 1970-01-01.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert '.TH "LAXITY\\-RUN" 8 1970-01-02 ' in native_page(NATIVE).text


def test_directory_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file/man1.*cannot be written"):
        write_man_pages(tmp_path / "file", root, [NATIVE])


def test_program_that_prints_no_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # Prints the version as ours does, then no JSON.
    script = tmp_path / "laxity-run"
    script.write_text('#!/bin/sh\n[ "$1" = --version ] && echo laxity-run 0.1.0 || echo no\n')
    script.chmod(0o755)
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path))
    with pytest.raises(ToolError, match="gives no option table"):
        read_native_help("laxity-run")


@needs_mandoc
@given(st.text(max_size=50))
def test_any_text_in_an_option_makes_a_valid_page(text: str):
    group = NativeGroup("Options", [NativeOption("--x", text, None, text, text)])
    assert lint(native_page(NativeHelp("laxity-run", text, [group])).text) == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_script_asks_laxity(shell: str):
    script = completion_script(shell)
    assert "_LAXITY_COMPLETE" in script
    assert "laxity" in script


def test_completion_script_is_valid_bash():
    subprocess.run(["bash", "-n"], input=completion_script("bash"), text=True, check=True)


def test_shell_without_completion_is_refused():
    with pytest.raises(ConfigError, match='shell "tcsh": no completion'):
        completion_script("tcsh")
