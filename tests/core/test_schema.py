# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is declared once reaches all who read it."""

import pytest

from laxity.core.schema import Option, options_by_key, options_of
from laxity.core.spec import RunTable, Spec, TaskSpec, TaskTable
from laxity.core.units import parse_size_bytes


@pytest.mark.parametrize("key", sorted(options_by_key()))
def test_an_option_that_is_a_key_is_one_of_a_table_and_of_what_it_resolves_to(key: str):
    of_run = key in RunTable.__struct_fields__
    assert of_run or key in TaskTable.__struct_fields__
    assert options_by_key()[key].field in (Spec if of_run else TaskSpec).__struct_fields__


@pytest.mark.parametrize("option", [*options_of("run"), *options_of("task")])
def test_what_is_shown_for_a_size_is_its_default(option: Option):
    if option.type == "size" and option.shown is not None:
        assert parse_size_bytes(option.shown) == option.default
    if option.type == "choice" and isinstance(option.default, str):
        assert option.default in option.words
