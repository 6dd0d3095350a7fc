# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What each help text has to hold, whatever its words.

Which options there are, and their defaults, stands in tests/golden.
"""

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner
from tests.cli.typed_lines import check_taken

from laxity.cli.main import PROGRAM, LazyGroup, cli

# Of click, for an option that does not say what it takes.
UNNAMED = re.compile(r"\b(INTEGER|FLOAT|TEXT|FILENAME|BOOLEAN)( RANGE)?\b")
# Below that, words that cannot be broken, as lists of choices, are wider.
NARROW = 72
# The most that the help takes of a terminal.
WIDEST = 100


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The name of every command below a group, with those of its groups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*words, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))


COMMANDS = [(), *commands(cli)]
each_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def context_of(words: tuple[str, ...]) -> click.Context:
    """The context in which a command writes its help."""
    context = click.Context(cli, info_name=PROGRAM, **cli.context_settings)
    for word in words:
        assert isinstance(context.command, click.Group)
        command = context.command.get_command(context, word)
        assert command is not None
        settings = command.context_settings
        context = click.Context(command, parent=context, info_name=word, **settings)
    return context


def help_of(words: tuple[str, ...], columns: int = WIDEST) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        return f"{context_of(words).get_help()}\n"


def options_of(words: tuple[str, ...]) -> list[click.Option]:
    context = context_of(words)
    params = context.command.get_params(context)
    return [param for param in params if isinstance(param, click.Option) and not param.hidden]


def listed(text: str) -> list[tuple[str, str]]:
    """The options under the titles of a help, each with what it says of it, without spaces."""
    found: list[tuple[str, str]] = []
    is_titled = False
    for line in text.splitlines():
        begins = re.match(r"  (-\S.*?)(?:  +(.*))?$", line)
        if not line.startswith("    ") and not begins:
            # A title stands at the margin; examples do not.
            is_titled = line.endswith(":") and not line.startswith(" ")
        elif begins and is_titled:
            found.append((begins[1], begins[2] or ""))
        elif found and is_titled:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return [(name, "".join(words.split())) for name, words in found]


@each_command
def test_help_is_printed_for_both_spellings(words: tuple[str, ...]):
    for option in ("-h", "--help"):
        done = CliRunner().invoke(cli, [*words, option], prog_name=PROGRAM)
        assert (done.exit_code, done.stderr) == (0, "")
        # The runner's terminal is 80 columns wide, without the margin of two that real ones have.
        assert done.stdout.split() == help_of(words, 82).split()


@each_command
def test_each_option_is_listed_once_with_all_that_it_says_of_itself(words: tuple[str, ...]):
    context = context_of(words)
    records = [option.get_help_record(context) for option in options_of(words)]
    expected = [(name, "".join(text.split())) for name, text in filter(None, records)]
    assert sorted(listed(help_of(words))) == sorted(expected)


@each_command
def test_each_option_names_what_it_takes_and_says_one_sentence_or_more(words: tuple[str, ...]):
    for option in options_of(words):
        name, text = option.get_help_record(context_of(words)) or ("", "")
        assert not UNNAMED.search(name), name
        said = re.sub(r"\s*\[[^]]*\]", "", text).strip()
        assert re.match(r"[A-Z0-9`\[-]", text), (name, text)
        assert said.endswith("."), (name, text)


@each_command
def test_each_default_and_limit_stands_in_the_help(words: tuple[str, ...]):
    context = context_of(words)
    for option in options_of(words):
        name, text = option.get_help_record(context) or ("", "")
        if option.show_default is True and not option.is_flag:
            default = option.default
            shown = ", ".join(map(str, default)) if isinstance(default, tuple) else str(default)
            assert f"[default: {shown}" in text, name
        if isinstance(option.type, click.IntRange | click.FloatRange):
            limits = (option.type.min, option.type.max)
            assert all(str(one) in text for one in limits if one is not None), name
        if option.required:
            assert "required]" in text, name


@each_command
def test_each_time_and_size_option_has_a_unit_in_its_name_or_words(words: tuple[str, ...]):
    for option in options_of(words):
        if option.metavar in {"TIME", "SIZE"} and option.show_default is True:
            assert re.fullmatch(r"\d+(ns|us|ms|s|m|h|B|KiB|MiB|GiB)|\d+%", str(option.default))


@each_command
@pytest.mark.parametrize("columns", [NARROW, WIDEST, 200])
def test_no_line_is_wider_than_the_terminal(words: tuple[str, ...], columns: int):
    # Examples are lines to be copied, which are not broken.
    text = help_of(words, columns).partition("\n  Examples:\n")[0]
    limit = min(columns, WIDEST)
    assert [line for line in text.splitlines() if len(line) > limit] == []


@each_command
def test_help_begins_with_how_the_command_is_called_and_what_it_does(words: tuple[str, ...]):
    context = context_of(words)
    usage, said, *_ = help_of(words).split("\n\n")
    takes = [
        one.make_metavar(context)
        for one in context.command.params
        if isinstance(one, click.Argument)
    ]
    called = " ".join(usage.split())
    assert called.startswith(" ".join(["Usage:", PROGRAM, *words, "[OPTIONS]"]))
    assert all(one in called for one in takes)
    # One sentence of what it does, by itself.
    assert re.fullmatch(r"[A-Z].*\.", " ".join(said.split()))


@each_command
def test_a_group_lists_each_command_with_a_whole_sentence(words: tuple[str, ...]):
    context = context_of(words)
    group = context.command
    if not isinstance(group, click.Group):
        assert "\nCommands:\n" not in help_of(words)
        return
    listed_commands = "".join(help_of(words, NARROW).partition("\nCommands:\n")[2].split())
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        sentence = LazyGroup.COMMANDS[name][-1] if not words else command.get_short_help_str(1000)
        assert re.fullmatch(r"[A-Z].*[^.]\.", sentence)
        assert f"{name}{''.join(sentence.split())}" in listed_commands


@each_command
def test_each_example_is_taken_by_its_command(words: tuple[str, ...]):
    lines = help_of(words).partition("\n  Examples:\n")[2].splitlines()
    for line in lines:
        if line.startswith(f"    {PROGRAM} "):
            typed = shlex.split(line, comments=True)
            assert tuple(typed[1 : 1 + len(words)]) == words
            check_taken(typed[1:])
