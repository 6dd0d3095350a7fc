# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Platform files: what is understood, where values are from, and what is refused."""

from pathlib import Path

import pytest

from laxity.errors import ConfigError
from laxity.platform.platform_file import (
    PlatformModel,
    parse_platform,
    read_platform,
    shipped_platforms,
)
from laxity.platform.simulated import describe_model, settings_of

SHIPPED = (Path(__file__).resolve().parents[2] / "sim/platforms/sabrelite.toml").read_text()


def parsed(text: str) -> PlatformModel:
    return parse_platform(text.encode(), "x")


def test_shipped_platform_says_what_it_is_and_where_values_are_from():
    model = read_platform("sim:sabrelite")
    assert (model.name, model.clock_hz, model.instruction_cycles) == ("sabrelite", 1_200_000_000, 1)
    assert (model.l2.size_bytes, model.l2.ways, model.l2.line_bytes) == (1 << 20, 16, 32)
    # 110 ns at 1.2 GHz
    assert model.l2.miss_cycles == 132
    assert model.sources["core.clock"].startswith("Blin et al.")
    assert "core.instruction_cycles" not in model.sources


def test_every_shipped_platform_can_be_read():
    assert "sabrelite" in shipped_platforms()
    for name in shipped_platforms():
        assert read_platform(f"sim:{name}").title


def test_file_of_the_user_is_read_by_its_path(tmp_path: Path):
    (tmp_path / "mine.toml").write_text(SHIPPED)
    assert read_platform(f"sim:{tmp_path}/mine.toml").name == "mine"


def test_settings_say_sizes_ways_lines_and_ticks():
    assert settings_of(read_platform("sim:sabrelite")).splitlines() == [
        "clock_hz 1200000000",
        "instruction_ticks 1",
        "switch_ticks 2400",
        "l1i 32768 4 32 19",
        "l1d 32768 4 32 19",
        "l2 1048576 16 32 132",
    ]


def test_changed_platform_is_another_machine():
    slower = parsed(SHIPPED.replace("instruction_cycles = 1", "instruction_cycles = 2"))
    assert describe_model(slower).hash != describe_model(parsed(SHIPPED)).hash
    # Where a value is from changes no time.
    retold = parsed(SHIPPED.replace("Blin et al.", "Somebody"))
    assert describe_model(retold).hash == describe_model(parsed(SHIPPED)).hash


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("schema = 1", "schema = 2", "schema"),
        ('title = "', 'unknown = 1\ntitle = "', 'unknown field "unknown"'),
        ("ways = { value = 16", "ways = { value = 12", "l2.ways 12: is no power of two"),
        ('size = { value = "1MiB"', 'size = { value = "1000KiB"', "l2.size 1024000"),
        ('line = "32B"', 'line = "2B"', "line 2: is no power of two within 4"),
        ('"1200MHz"', '"fast"', 'core.clock "fast": no frequency'),
        ('"1200MHz"', '"0MHz"', 'core.clock "0MHz"'),
        ('"1200MHz"', '"200GHz"', 'core.clock "200GHz"'),
        ("instruction_cycles = 1", "instruction_cycles = 0", "core.instruction_cycles 0"),
        ("miss_cycles = { value = 132", "miss_cycles = { value = -1", "l2.miss_cycles -1"),
        ('size = { value = "1MiB"', 'size = { value = "256B"', "16 ways of 32B do not fit"),
        ("[l2]", "[l3]", "l3"),
        (
            '"32B"\nmiss_cycles = { value = 132',
            '"16B"\nmiss_cycles = { value = 132',
            "l2.line: shorter",
        ),
        (
            'source = "Blin et al., their board" }',
            'origin = "x" }',
            "l1i.size is a table, not a text",
        ),
        ("schema = 1", "schema = [", "no TOML"),
    ],
)
def test_platform_that_cannot_be_is_refused(old: str, new: str, words: str):
    assert old in SHIPPED
    with pytest.raises(ConfigError) as caught:
        parsed(SHIPPED.replace(old, new))
    assert words in str(caught.value)


def test_unknown_platform_names_those_that_there_are():
    with pytest.raises(ConfigError, match='"sim:sabrelight" is unknown; did you mean'):
        read_platform("sim:sabrelight")


def test_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"no\.toml: cannot be read"):
        read_platform(f"sim:{tmp_path}/no.toml")
