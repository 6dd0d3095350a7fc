# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Platform files: what is understood, where values are from, and what is refused."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from laxity.core.schema import PlatformKey, platform_keys, platform_lists, platform_tables
from laxity.core.units import exact_size
from laxity.errors import ConfigError
from laxity.platform.platform_file import (
    PlatformModel,
    parse_platform,
    read_platform,
    shipped_platforms,
    with_partition,
)
from laxity.platform.simulated import SimulatedPlatform, describe_model, settings_of

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (ROOT / "sim/platforms/sabrelite.toml").read_text()
PLAIN = """\
schema = 1
title = "plain"
architecture = "armhf"
emulated_cpu = "cortex-a9"
line = "32B"
[core]
count = 4
clock = "1200MHz"
switch_cycles = 2400
[l1d]
size = "32KiB"
ways = 4
[[level]]
name = "L2"
size = "128KiB"
ways = 8
hit_cycles = 10
[[level]]
name = "L3"
size = "1MiB"
ways = 16
shared_by = "all"
hit_cycles = 20
partition = ["0-3", "4-15", "4-15", "4-7,12"]
[memory]
clock = "4000/3 MHz"
row = "8KiB"
request_cycles = 5
response_cycles = 6
hit_cycles = 7
empty_cycles = 14
conflict_cycles = 21
line_cycles = 4
"""

LAST = "line_cycles = 4\n"


def parsed(text: str) -> PlatformModel:
    return parse_platform(text.encode(), "x")


def settings(text: str) -> dict[str, str]:
    return dict(line.split(" ", 1) for line in settings_of(parsed(text)).splitlines())


def refusal(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parsed(text)
    return str(caught.value)


def test_shipped_platform_says_what_it_is_and_where_values_are_from():
    model = read_platform("sim:sabrelite")
    assert (model.name, model.clock_hz) == ("sabrelite", Fraction(1_200_000_000))
    assert model.cores == 4
    assert (model.number("L2.size"), model.number("L2.ways"), model.line_bytes) == (1 << 20, 16, 32)
    assert model.values["core.clock"].source.startswith("Blin et al.")
    assert model.values["core.instruction_cycles"].origin == "assumed"
    # The file says nothing of it.
    assert model.values["memory.channels"].origin == "source"
    assert parsed(PLAIN).values["memory.channels"].origin == "default"


def test_every_shipped_platform_can_be_read_and_told_to_the_simulator():
    assert {"sabrelite", "mpc750", "mpc750-no-cache", "zcu102", "i7-2600"} <= set(
        shipped_platforms()
    )
    for name in shipped_platforms():
        model = read_platform(f"sim:{name}")
        assert model.title
        assert settings_of(model)


def test_last_level_is_partitioned_another_way():
    """The shipped platforms differ by the partition alone."""
    whole, parted = (
        read_platform(f"sim:{name}") for name in ("sabrelite", "sabrelite-partitioned")
    )
    ways = ["0-3", "4-15", "4-15", "4-15"]
    numbers = [
        {place: value.number for place, value in model.values.items()}
        for model in (whole, with_partition(parted, []), parted, with_partition(whole, ways))
    ]
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3]
    with pytest.raises(ConfigError, match="core 0 has way 16"):
        with_partition(whole, ["0-16"] * 4)


def test_line_of_the_mpc750_comes_after_what_the_paper_measured():
    told = dict(line.split(" ", 1) for line in settings_of(read_platform("mpc750")).splitlines())
    parts = ("request", "hit", "line", "response")
    ticks = sum(int(told[f"memory.{part}_cycles"]) for part in parts)
    numerator, denominator = map(int, told["ticks_per_s"].split())
    # Sebek, figure 10: 195.5 us for 1024 lines, 190.92 ns each; ticks of 1.3636 ns: 140 of them.
    assert ticks == 140
    assert abs(ticks * denominator / numerator - 195.5e-6 / 1024) < 0.1e-9


def test_file_of_the_user_is_read_by_its_path(tmp_path: Path):
    (tmp_path / "mine.toml").write_text(SHIPPED)
    assert read_platform(f"sim:{tmp_path}/mine.toml").name == "mine"


def test_settings_count_ticks_of_the_smallest_that_divides_all_clocks():
    told = settings(PLAIN)
    # 1200 = 3600 / 3 and 4000 / 3: lcm(3600, 4000) = 36000, so 12000 MHz.
    assert told["ticks_per_s"] == "12000000000 1"
    # A cycle of the core is 10 ticks, one of the memory 9.
    assert told["core.switch_cycles"] == "24000"
    assert told["memory.request_cycles"] == "50"
    assert (told["cycle_ticks"], told["architecture"]) == ("10", "armhf")
    assert told["core.scheduling"] == "none"
    assert told["memory.hit_cycles"] == "63"


def test_ticks_of_clocks_without_whole_hertz_are_a_fraction():
    told = settings(PLAIN.replace('"1200MHz"', '"1Hz"').replace('"4000/3 MHz"', '"4/3 Hz"'))
    # 1 and 4/3 divide 4.
    assert told["ticks_per_s"] == "4 1"
    told = settings(PLAIN.replace('"1200MHz"', '"7/2 Hz"').replace('"4000/3 MHz"', '"21/4 Hz"'))
    # 14/4 and 21/4: 42/4 = 21/2 is 3 of the one and 2 of the other.
    assert (told["ticks_per_s"], told["core.switch_cycles"]) == ("21 2", "7200")
    slow = PLAIN.replace("1200MHz", "66.7MHz").replace("4000/3", "100")
    assert parsed(slow).clock_hz == Fraction(66_700_000)


def test_cycle_has_ticks_for_all_instructions_that_are_issued_in_it():
    # 1 tick a cycle; 8 instructions are 8 ticks apart at most.
    alike = PLAIN.replace("4000/3 MHz", "1200MHz")
    assert (settings(alike)["cycle_ticks"], settings(alike)["memory.hit_cycles"]) == ("1", "7")
    issued = alike.replace("count = 4", 'count = 4\nscheduling = "cortex-a9"')
    assert (settings(issued)["cycle_ticks"], settings(issued)["memory.hit_cycles"]) == ("8", "56")
    # 10 ticks are enough.
    enough = PLAIN.replace("count = 4", 'count = 4\nscheduling = "cortex-a9"')
    assert settings(enough)["cycle_ticks"] == "10"


def test_settings_say_lines_codes_masks_and_who_shares():
    told = settings(PLAIN)
    assert told["levels"] == "2"
    # 8 KiB of 32 B
    assert told["memory.row"] == "256"
    assert (told["level.0.shared_by"], told["level.1.shared_by"]) == ("1", "4")
    # Ways 0-3; 4-15; 4-7 and 12: 0xf, 0xfff0, 0x10f0
    assert told["level.1.partition"] == "15 65520 65520 4336"
    assert "level.0.partition" not in told
    assert "l1i.size" not in told
    assert settings(PLAIN.replace("ways = 16", 'ways = 16\nreplacement = "plru"'))[
        "level.1.replacement"
    ] == ("1")


def test_tlb_is_told_by_the_bytes_of_its_pages():
    told = settings(
        PLAIN.replace("[memory]", "[dtlb]\nentries = 64\nways = 2\nideal = true\n[memory]")
    )
    assert told["dtlb.entries"] == "262144"  # 64 * 4096
    assert told["dtlb.ways"] == "2"
    assert not any(name.startswith("itlb.") for name in told)


@pytest.mark.parametrize("walk", ["walk_loads = 1", "walk_cycles = 1"])
def test_tlb_whose_misses_cost_loads_or_cycles_need_not_be_ideal(walk: str):
    text = PLAIN.replace("[memory]", "[dtlb]\nentries = 64\n[memory]")
    told = settings(text.replace("switch_cycles = 2400", f"switch_cycles = 2400\n{walk}"))
    assert told["dtlb.entries"] == "262144"


def test_cache_of_any_number_of_ways_has_as_many_sets_as_a_power_of_two():
    # 48 KiB / 3 / 32 B = 512 sets; 96 KiB / 12 / 32 B = 256.
    told = settings(
        PLAIN.replace('"32KiB"\nways = 4', '"48KiB"\nways = 3').replace(
            '"128KiB"\nways = 8', '"96KiB"\nways = 12'
        )
    )
    assert (told["l1d.size"], told["l1d.ways"]) == ("49152", "3")
    assert (told["level.0.size"], told["level.0.ways"]) == ("98304", "12")


def test_level_that_is_off_is_not_told_to_the_simulator():
    told = settings(PLAIN.replace('"128KiB"', '"0B"'))
    assert (told["levels"], told["level.0.ways"]) == ("1", "16")


def test_level_that_is_off_is_not_asked_what_it_takes():
    level = '[[level]]\nname = "L4"\nshared_by = "all"\nsize = "0B"\n'
    off = parsed(PLAIN + level)
    assert settings_of(off) == settings_of(parsed(PLAIN))
    assert "L4.hit_cycles" not in [one.place for one in off.shown()]
    assert "L4.hit_cycles: missing" in refusal(PLAIN + level.replace("0B", "1MiB"))


def test_machine_has_all_cores_and_each_cache_once_with_those_who_share_it():
    machine = describe_model(parsed(PLAIN)).stable
    assert [(one.cpu, one.max_frequency_hz) for one in machine.cpus] == [
        (core, 1_200_000_000) for core in range(4)
    ]
    caches = [(one.level, one.kind, one.cpus) for one in machine.caches]
    assert caches == [
        (1, "Data", (0,)),
        (2, "Unified", (0,)),
        (3, "Unified", (0, 1, 2, 3)),
        *((level, kind, (core,)) for core in (1, 2, 3) for level, kind in DATA_AND_PRIVATE),
    ]
    assert SimulatedPlatform(parsed(PLAIN)).cpus().allowed == {0, 1, 2, 3}


DATA_AND_PRIVATE = ((1, "Data"), (2, "Unified"))


def test_changed_platform_is_another_machine():
    slower = parsed(SHIPPED.replace("instruction_cycles = 1", "instruction_cycles = 2"))
    assert describe_model(slower).hash != describe_model(parsed(SHIPPED)).hash
    # Where a value is from changes no time.
    retold = parsed(SHIPPED.replace("Blin et al.", "Somebody"))
    assert describe_model(retold).hash == describe_model(parsed(SHIPPED)).hash


def test_value_says_by_what_it_was_fitted():
    fitted = PLAIN.replace("line_cycles = 4", 'line_cycles = { value = 4, fitted = "fit.py, 2 %" }')
    value = parsed(fitted).values["memory.line_cycles"]
    assert (value.origin, value.origin_text) == ("fitted", "fitted: fit.py, 2 %")


def test_emulator_and_its_processor_are_those_of_the_architecture_unless_others_are_named():
    plain = parsed(PLAIN.replace("armhf", "powerpc").replace('emulated_cpu = "cortex-a9"\n', ""))
    assert (plain.emulator, plain.emulated_cpu) == ("qemu-ppc", "750")
    named = parsed(PLAIN.replace("line =", 'emulator = "/opt/bin/qemu-arm"\nline =', 1))
    assert (named.emulator, named.emulated_cpu) == ("/opt/bin/qemu-arm", "cortex-a9")


def test_every_key_has_a_help_and_a_place_in_the_tables():
    for table in platform_tables():
        keys = platform_keys(table)
        assert keys
        assert all(key.help.endswith(".") for key in keys)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("schema = 1", "schema = 2", "line 1: schema: is not 1"),
        ("schema = 1", "schema = true", "schema: is not 1"),
        ("schema = 1", "schema = [", "no TOML"),
        ('title = "plain"', 'titel = "plain"', 'line 2: titel: unknown; did you mean "title"?'),
        ('title = "plain"', "", "title: missing; add it (What it is.)"),
        ('title = "plain"', "title = 3", "line 2: title: 3 is no text"),
        ('"armhf"', '"arm"', 'architecture: "arm" is none of armhf powerpc'),
        ("[core]", "[cores]", "core: missing; add the table [core]"),
        (
            "[l1d]",
            "[gpu]",
            "line 10: gpu: unknown; use one of title architecture emulator emulated_cpu line "
            "place, or a table: core l1i l1d itlb dtlb level domain coherence counters timer "
            "probe memory region",
        ),
        ("[l1d]", "[l1x]", "line 10: l1x: unknown; did you mean"),
        ("clock = ", "clok = ", 'line 8: core.clok: unknown; did you mean "clock"?'),
        ("switch_cycles = 2400\n", "", "line 6: core.switch_cycles: missing; add it"),
        ("count = 4", "count = 0", "line 7: core.count: 0 is not within 1 to 64"),
        ("count = 4", "count = 65", "core.count: 65 is not within 1 to 64"),
        ("count = 4", "count = true", "core.count: true is no whole number"),
        ("count = 4", 'count = "4"', 'core.count: "4" is no whole number'),
        ("count = 4", "count = 2", "line 24: L3.partition: 4 lists of ways for 2 cores"),
        ('"1200MHz"', '"fast"', 'line 8: core.clock: "fast": no frequency'),
        ('"1200MHz"', '"0MHz"', 'core.clock: "0MHz": no frequency'),
        ('"1200MHz"', '"1/0 MHz"', 'core.clock: "1/0 MHz": no frequency'),
        ('"1200MHz"', '"101GHz"', 'core.clock: "101GHz": no frequency'),
        # lcm(1200000100, 4e9) = 1200000100 * 4e7 = 4.8e16; gcd(1, 3) = 1.
        ('"1200MHz"', '"1200.0001MHz"', "line 26: memory.clock: a tick that divides 1200.0001MHz"),
        ("count = 4", 'count = 4\nscheduling = "a b"', 'core.scheduling: "a b" is no word'),
        (
            "switch_cycles = 2400",
            'switch_cycles = 0\nkernel_data = "32B"',
            "line 9: core.switch_cy",
        ),
        (
            "[memory]",
            "[timer]\ninterval = 1200000\n[memory]",
            "line 25: timer.cycles: 0, and there is an interval",
        ),
        (
            "[memory]",
            "[dtlb]\nentries = 4\nways = 8\n[memory]",
            "line 27: dtlb.ways: 8 of 4 entries",
        ),
        (
            "[memory]",
            "[dtlb]\nentries = 4\n[memory]",
            "line 26: dtlb.entries: a miss of the TLB costs no loads and no cycles",
        ),
        # 12 * 32 B = 384 B; 64 sets are 24 KiB, 128 are 48 KiB.
        (
            "ways = 4",
            "ways = 12",
            "line 11: l1d.size: 32KiB in 12 ways of 32B lines make 85.33 sets, not a power of two; "
            "write 24KiB or 48KiB",
        ),
        (
            "ways = 4",
            'ways = 12\nreplacement = "plru"',
            "line 12: l1d.ways: 12 is not a power of two, and plru needs one; write 8 or 16",
        ),
        ('"32KiB"', '"33KiB"', "l1d.size: 33KiB in 4 ways of 32B lines make 264 sets"),
        (
            "[memory]",
            "[dtlb]\nentries = 48\nways = 4\nideal = true\n[memory]",
            "line 26: dtlb.entries: 48 in 4 ways make 12 sets, not a power of two; write 32 or 64",
        ),
        ('"32KiB"', "32", "l1d.size: 32 has no unit; write 32KiB"),
        ('"32KiB"', "32768", "l1d.size: 32768 has no unit; write 32KiB"),
        ('"32KiB"', '"64B"', "l1d.ways: 4 of 32B do not fit into 64B"),
        ('"32KiB"', '{ value = "32KiB" }', "line 11: l1d.size: is no table of a value"),
        ('"32KiB"', '{ value = "32KiB", source = "" }', "l1d.size: source: "),
        ('line = "32B"', 'line = "2B"', "line 5: line: 2B is not within 4B to 4KiB"),
        ('line = "32B"', 'line = "16KiB"', "line: 16KiB is not within 4B to 4KiB"),
        ("hit_cycles = 10", "hit_cycles = 0", "line 17: L2.hit_cycles: 0 is not within 1"),
        ("hit_cycles = 10", 'prefetch = "far"\nhit_cycles = 10', "L2.prefetch: "),
        ("hit_cycles = 10", 'prefetch = "stride"\nhit_cycles = 10', "the last level is L3"),
        ("hit_cycles = 10", 'inclusion = "none"\nhit_cycles = 10', "L2.inclusion: "),
        ('row = "8KiB"', 'row = "8KiB"\ncolours = 12', "line 28: memory.colours: 12 is no power"),
        ('row = "8KiB"', 'row = "8KiB"\ncolours = 16', "memory.colours: 16 with placement identi"),
        (
            'row = "8KiB"',
            'row = "8KiB"\nplacement = "coloured"',
            "memory.colours: 1 with placement coloured",
        ),
        (
            'count = 4\nclock = "1200MHz"\nswitch_cycles = 2400\n[l1d]',
            'count = 4\nclock = "1200MHz"\nswitch_cycles = 2400\nmerges_stores = true\n[l1d]\n'
            "writes_through = true",
            "line 12: l1d.writes_through: stores that go through",
        ),
        ("hit_cycles = 10", 'prefetch = "next-line"\nhit_cycles = 10', "the last level is L3"),
        ('shared_by = "all"', "shared_by = 3", "L3.shared_by: 3 does not divide 4 cores"),
        ('shared_by = "all"', "shared_by = 0", "L3.shared_by: 0 is no number of cores"),
        ("hit_cycles = 10", "hit_cycles = 10\nshared_by = 8", "L2.shared_by: 8 does not divide"),
        ('"L3"', '"L2"', "L2: no name of its own for a level"),
        ('"L3"', '"core"', "core: no name of its own for a level"),
        ('name = "L3"\n', "", "level: the one of number 2 has no name"),
        ('"4-7,12"', '"4-16"', "L3.partition: core 3 has way 16, and the ways are 0 to 15"),
        ('"4-7,12"', '""', 'line 24: L3.partition: "" is no list of ways'),
        ('"4-7,12"', '"7-4"', 'L3.partition: "7-4" is no list of ways'),
        ("empty_cycles = 14", "empty_cycles = 6", "empty_cycles: 6 is less than memory.hit_cycles"),
        ('row = "8KiB"', 'row = "16B"', "line 27: memory.row: 16B is no whole number of lines"),
        (
            'row = "8KiB"',
            'row = "8KiB"\nrefresh_interval = 9\nrefresh_cycles = 9',
            "memory.refresh_interval: 9 is not longer than",
        ),
        # 500 million cycles of 9 ticks
        (
            'row = "8KiB"',
            'row = "8KiB"\nrefresh_interval = 500000000',
            "line 28: memory.refresh_interval: 500000000 cycles are 4500000000 ticks",
        ),
        ("[[level]]", "[[l1i]]", "l1i: is no table"),
        (
            "[memory]",
            '[domain]\nhops = ["0 1"]\n[memory]',
            "line 26: domain.hops: ['0 1'] is no row",
        ),
        ("[memory]", '[domain]\nhops = ["1"]\n[memory]', "domain.hops: 1 hops from domain 0 to 0"),
        (
            "[memory]",
            '[domain]\ncores = 2\nhops = ["0 0", "1 0"]\n[memory]',
            "line 27: domain.hops: 0 hops from domain 0 to 1; write 0 to itself, 1 or more to oth",
        ),
        (
            "[memory]",
            '[domain]\ncores = 1\nhops = ["0 1", "1 0"]\n[memory]',
            "line 27: domain.hops: 2 rows for 4 domains; write one of each domain",
        ),
        # 10 ticks a cycle, 99 hops of a million cycles each: 990 million ticks; of 5 ticks for
        # 1 they are 4950 million, more than 32 bits hold.
        (
            '"1200MHz"\nswitch_cycles = 2400\n',
            '"240MHz"\nswitch_cycles = 2400\n[domain]\ncores = 2\nlink_cycles = 1000000\n'
            'hops = ["0 99", "99 0"]\n',
            "line 12: domain.link_cycles: 99 hops of 1000000 cycles are 4950000000 ticks",
        ),
        (
            "[memory]",
            "[domain]\ncores = 2\nlink_cycles = 1000001\n[memory]",
            "line 27: domain.link_cycles: 1000001 is not within 1 to 1000000",
        ),
        (LAST, f"{LAST}[[region]]\nof = 'core'\n", "region: the one of number 1 has no name"),
        (LAST, f"{LAST}[[region]]\nname = 'L2'\n", "L2: no name of its own for a region"),
        (LAST, f"{LAST}[[region]]\nname = 'ram'\nof = 'chip'\n", 'ram.of: "chip" is none of plat'),
        (
            LAST,
            f"{LAST}[[region]]\nname = 'ram'\ndomain = 1\n",
            "line 36: ram.domain: 1, and the domains are 0 to 0",
        ),
        (
            LAST,
            f"{LAST}[[region]]\nname = 'ram'\nway_to = 'rom'\n",
            'line 36: ram.way_to: "rom" is no region before this one; write one of memory',
        ),
        (
            LAST,
            f"{LAST}[[region]]\nname = 'ram'\nway_to = 'memory'\nread_queue = 2\n",
            "line 37: ram.read_queue: is that of memory, which this is a way to; leave it out",
        ),
        (
            LAST,
            f"{LAST}[[region]]\nname = 'a'\nway_to = 'memory'\n"
            "[[region]]\nname = 'b'\nway_to = 'a'\n",
            'b.way_to: "a" is itself another way; name the region that it leads to',
        ),
        ('line = "32B"', 'line = "32B"\nplace = "data=ram"', 'line 6: place: "ram" is no region'),
        ('line = "32B"', 'line = "32B"\nplace = "ram"', 'place: place "ram" is no CLASS=REGION'),
        ("schema = 1\n", 'schema = 1\nbase = "./x.toml"\n', "base: no platform that can be found"),
        ("schema = 1\n", 'schema = 1\nbase = "sabre"\n', 'line 2: base: platform "sim:sabre" is'),
    ],
)
def test_platform_that_cannot_be_is_refused(old: str, new: str, words: str):
    assert old in PLAIN
    assert words in refusal(PLAIN.replace(old, new))


REGIONS = """\
[domain]
cores = 3
link_cycles = 7
link_line_cycles = 2
[[region]]
name = "scratchpad"
of = "core"
size = "8KiB"
access_cycles = 3
[[region]]
name = "far"
domain = 1
cached = true
[[region]]
name = "far-uncached"
way_to = "far"
"""


def test_settings_of_regions_and_links_are_numbered_from_0():
    told = settings(PLAIN + REGIONS)
    assert (told["regions"], told["domain.cores"]) == ("3", "3")
    # A cycle of the core is 10 ticks; cores 0 to 2 are one domain, core 3 is the other.
    assert (told["domain.hops.0"], told["domain.hops.1"]) == ("0 70", "70 0")
    assert told["domain.link_line_cycles"] == "20"
    assert (told["region.0.of"], told["region.0.size"]) == ("2", "8192")
    assert (told["region.0.access_cycles"], told["region.0.cached"]) == ("30", "0")
    assert (told["region.1.domain"], told["region.1.cached"]) == ("1", "1")
    # 0: its own memory; 1: the main memory; from 2 on regions.
    assert [told[f"region.{at}.way_to"] for at in range(3)] == ["0", "0", "3"]
    assert settings(PLAIN)["regions"] == "0"
    assert "domain.hops.0" not in settings(PLAIN)


def test_more_domains_than_the_model_has_are_refused():
    many = PLAIN.replace("count = 4", "count = 64")
    many = "".join(line for line in many.splitlines(True) if "partition" not in line)
    assert settings(f"{many}[domain]\ncores = 4\n")["domain.hops.15"].endswith(" 0")
    # 64 / 3, and a last one of one core.
    told = refusal(f"{many}[domain]\ncores = 3\n")
    assert "domain.cores: makes 22 domains; the model has at most 16" in told


def test_hops_are_links_one_after_the_other():
    hops = 'cores = 2\nhops = ["0 2", "3 0"]\nlink_cycles = 7'
    told = settings(PLAIN + REGIONS.replace("cores = 3\nlink_cycles = 7", hops))
    assert (told["domain.hops.0"], told["domain.hops.1"]) == ("0 140", "210 0")


def test_domains_with_memory_each_are_the_nodes_of_the_machine():
    each = "[memory]\nper_domain = true"
    machine = describe_model(parsed((PLAIN + REGIONS).replace("[memory]", each))).stable
    assert [(one.node, one.cpus, one.distances) for one in machine.nodes] == [
        (0, (0, 1, 2), (10, 20)),
        (1, (3,), (20, 10)),
    ]
    assert [one.node for one in machine.cpus] == [0, 0, 0, 1]
    # Where there is one memory there is nothing to choose.
    alone = describe_model(parsed(PLAIN + REGIONS)).stable
    assert (alone.nodes, alone.cpus[3].node) == ((), None)


def test_base_lends_regions_by_their_names(tmp_path: Path):
    (tmp_path / "plain.toml").write_text(PLAIN + REGIONS)
    (tmp_path / "mine.toml").write_text(
        'schema = 1\nbase = "./plain.toml"\n[[region]]\nname = "scratchpad"\naccess_cycles = 4\n'
        '[[region]]\nname = "other"\n'
    )
    model = read_platform(f"sim:{tmp_path}/mine.toml")
    assert model.regions == ("scratchpad", "far", "far-uncached", "other")
    assert model.number("scratchpad.access_cycles") == 4
    assert model.number("scratchpad.size") == 8192
    assert settings_of(parse_platform(model.text, "kept")) == settings_of(model)


def test_levels_frames_and_stores_are_handed_over():
    text = PLAIN.replace("ways = 4", "ways = 4\nwrites_through = true")
    text = text.replace("hit_cycles = 10", 'hit_cycles = 10\ninclusion = "exclusive"')
    text = text.replace(
        "hit_cycles = 20", 'hit_cycles = 20\ninclusion = "inclusive"\nprefetch = "stride"'
    )
    text += 'placement = "coloured"\nplacement_seed = 7\ncolours = 16\n'
    told = settings(text)
    assert told["l1d.writes_through"] == "1"
    # enum laxity_sim_inclusion: neither, inclusive, exclusive
    assert (told["level.0.inclusion"], told["level.1.inclusion"]) == ("2", "1")
    # enum laxity_sim_prefetch: none, next line, stride
    assert (told["level.0.prefetch"], told["level.1.prefetch"]) == ("0", "2")
    # enum laxity_sim_placement: identity, sequential, random, coloured
    assert told["memory.placement"] == "3"
    assert (told["memory.placement_seed"], told["memory.colours"]) == ("7", "16")


def test_lines_of_merged_stores_are_at_most_64_bytes():
    merging = PLAIN.replace("count = 4", "count = 4\nmerges_stores = true")
    assert settings(merging.replace('"32B"', '"64B"'))["core.merges_stores"] == "1"
    said = refusal(merging.replace('"32B"', '"128B"'))
    assert "line 8: core.merges_stores: the line is longer than 64B" in said


def test_private_level_behind_a_shared_one_is_refused():
    text = PLAIN.replace("hit_cycles = 10", "hit_cycles = 10\nshared_by = 2")
    text = text.replace('shared_by = "all"', "shared_by = 1")
    assert "L3.shared_by: 1 cores, but L2 before it is shared by 2" in refusal(text)


def test_fifth_level_is_refused():
    level = '[[level]]\nname = "{}"\nsize = "1MiB"\nways = 16\nshared_by = 4\nhit_cycles = 1\n'
    four = PLAIN + level.format("L4") + level.format("L5")
    assert len(parsed(four).levels) == 4
    assert "level: 5 of them; the model has at most 4" in refusal(four + level.format("L6"))


def test_base_lends_what_a_file_does_not_say(tmp_path: Path):
    (tmp_path / "plain.toml").write_text(PLAIN)
    (tmp_path / "mine.toml").write_text(
        'schema = 1\nbase = "./plain.toml"\n[core]\nswitch_cycles = { value = 1, source = "x" }\n'
        '[[level]]\nname = "L3"\nhit_cycles = 30\n'
    )
    model = read_platform(f"sim:{tmp_path}/mine.toml")
    assert model.number("core.switch_cycles") == 1
    assert (model.levels, model.number("L3.hit_cycles")) == (("L2", "L3"), 30)
    assert (model.title, model.number("L3.ways")) == ("plain", 16)
    # What a run keeps needs no base.
    kept = parse_platform(model.text, "kept")
    assert settings_of(kept) == settings_of(model)
    assert kept.values["core.switch_cycles"].source == "x"


def test_base_with_a_base_is_refused(tmp_path: Path):
    for one, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{one}.toml").write_text(f'schema = 1\nbase = "./{other}.toml"\n')
    with pytest.raises(ConfigError, match=r"b\.toml: has a base itself"):
        read_platform(f"sim:{tmp_path}/a.toml")


def test_unknown_platform_names_those_that_there_are():
    with pytest.raises(ConfigError, match='"sim:sabrelight" is unknown; did you mean'):
        read_platform("sim:sabrelight")


def test_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"no\.toml: cannot be read"):
        read_platform(f"sim:{tmp_path}/no.toml")


def row_of(table: str, key: PlatformKey) -> str:
    """Write the row of a key as docs/simulation-platforms.md has it."""
    name = f"{table}: {key.name}" if table in platform_lists() else f"{table}.{key.name}"
    name = name.removeprefix(".")
    kind = " ".join(key.words) or (f"cycles of the {key.clock}" if key.clock else key.type)
    default = "required" if key.default is None else bound(key, key.default)
    default += " in the table" * (key.default is None and platform_tables()[table].optional)
    within = "" if key.high is None else f"{bound(key, key.low)} to {bound(key, key.high)}"
    return f"| `{name}` | {kind} | {within} | {default} | {key.help} |"


def bound(key: PlatformKey, number: Any) -> str:  # noqa: ANN401 - or another default
    if key.type == "size":
        return exact_size(number)
    return str(number).lower() if key.type == "flag" else str(number)


@pytest.mark.parametrize("table", platform_tables())
def test_page_of_platform_files_has_a_row_of_every_key(table: str):
    page = (ROOT / "docs/simulation-platforms.md").read_text().splitlines()
    for key in platform_keys(table):
        assert row_of(table, key) in page
