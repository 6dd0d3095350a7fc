# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Link a guest and our harness into one executable, its whole writable state between known bounds.

The guest's objects become one (`ld -r`), whose writable sections have names of ours; a writable
section that nobody knows is refused. Then its functions get the names of their steps, what it calls
of `WRAPPED` gets the names of ours, and everything else that it defines becomes local, so that it
clashes neither with us nor with the C library. native/guests/guest_linked.c is the other side.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

# -r keeps every section by itself; without the 0 each would begin where the one before ends.
_MERGE = Template("""SECTIONS
{
  .data.rel.ro 0 : { *(.data.rel.ro .data.rel.ro.*) }
  laxity_guest_data 0 :$apart { *(.data .data.* .sdata .sdata.* .ldata .ldata.*
    .gnu.linkonce.d.* .gnu.linkonce.s.*) }
  laxity_guest_bss 0 :$apart { *(.bss .bss.* .sbss .sbss.* .lbss .lbss.* .dynbss .dynsbss
    .gnu.linkonce.b.* .gnu.linkonce.sb.* COMMON .scommon LARGE_COMMON) }
}
""")
# Each variable (-fdata-sections) on a page of its own; data are seldom aligned to more.
_APART = " SUBALIGN(4096)"
STEP = "laxity_guest_step_"
_WRAP = "laxity_guest_wrap_"
# Kept (ours, and thread-local variables), or written by nobody once the program runs.
_KNOWN = re.compile(
    r"laxity_guest_(data|bss)|\.t(data|bss)(\..*)?|\.(preinit|init|fini)_array(\..*)?|\.[cd]tors(\..*)?"
    r"|\.data\.rel\.ro(\..*)?|\.eh_frame|\.jcr|\.tm_clone_table|\.got2?(\..*)?"
)
# "  [ 3] NAME TYPE ADDRESS OFFSET SIZE ENTRY FLAGS", as readelf -SW has it.
_SECTION = re.compile(
    r"^ *\[ *\d+\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Za-z]+) ", re.M
)
_NAMES_TOLD = 4


@dataclass(frozen=True, slots=True)
class Tools:
    """What a static link calls; each takes its words and gives what is wrong, or what was asked."""

    run: Callable[[Sequence[str]], str]
    ask: Callable[[Sequence[str]], str]
    undefined: Callable[[Path], Collection[str]]
    cc: tuple[str, ...]
    readelf: str
    objcopy: str


@dataclass(frozen=True, slots=True)
class StaticLink:
    """What becomes one executable.

    Attributes:
        objects: Of the guest.
        entries: Its functions by the step that each is: init, job, check, teardown.
        wrapped: Names that the harness answers in place of the C library.
        first, last: Archives of ours between which the guest stands.
        harness: The one that holds main.
        words: What the link needs beside them.
        libraries: What the guest itself needs.
        is_apart: Its variables lie far from one another, so that what is written beyond one of them
            hits none.
    """

    objects: Sequence[Path]
    entries: Mapping[str, str]
    wrapped: Sequence[str]
    first: Path
    last: Path
    harness: Path
    words: Sequence[str]
    libraries: Sequence[str] = ()
    is_apart: bool = False


def unknown_sections(listing: str) -> list[str]:
    """Name the writable sections whose content is state and whose bounds nobody could know.

    Args:
        listing: What `readelf -SW` prints of the guest's one object.
    """
    return [
        name
        for name, size, flags in _SECTION.findall(listing)
        if "W" in flags and "A" in flags and int(size, 16) and not _KNOWN.fullmatch(name)
    ]


def link_static(tools: Tools, link: StaticLink, to: Path) -> str:
    """Link.

    Returns:
        What is wrong, in words; "" if nothing is.
    """
    script, merged, guest = (to.with_suffix(end) for end in (".ld", ".merged.o", ".guest.o"))
    merging = _MERGE.substitute(apart=_APART if link.is_apart else "")
    script.write_text(merging, encoding="utf-8")
    combine = [*tools.cc, "-r", "-nostdlib", "-Wl,-d", "-T", str(script)]
    wrong = tools.run([*combine, *map(str, link.objects), "-o", str(merged)])
    wrong = wrong or _refuse_unknown(tools, merged)
    wrong = wrong or tools.run(
        [tools.objcopy, *_renamed(tools, link, merged), str(merged), str(guest)]
    )
    if wrong:
        return wrong
    words = ["-Wl,--whole-archive", str(link.first), "-Wl,--no-whole-archive", str(guest)]
    words += ["-Wl,--whole-archive", str(link.last), "-Wl,--no-whole-archive"]
    words += [str(link.harness), *link.libraries, "-lm", "-lpthread"]
    return tools.run([*tools.cc, "-no-pie", *link.words, *words, "-o", str(to)])


def _refuse_unknown(tools: Tools, merged: Path) -> str:
    unknown = unknown_sections(tools.ask([tools.readelf, "-S", "-W", str(merged)]))
    if not unknown:
        return ""
    told = ", ".join(unknown[:_NAMES_TOLD])
    return (
        f"error: writable section {told}: nobody knows whether it is state that a job must find "
        "afresh; put its variables into .data or .bss (for example by a macro of --cc), or use "
        "--link dynamic, where the loader tells all that is writable"
    )


def _renamed(tools: Tools, link: StaticLink, merged: Path) -> list[str]:
    undefined = tools.undefined(merged)
    words = [f"--redefine-sym={name}={_WRAP}{name}" for name in link.wrapped if name in undefined]
    words += [f"--redefine-sym={name}={STEP}{step}" for step, name in link.entries.items()]
    return words + [f"--keep-global-symbol={STEP}{step}" for step in link.entries]
