# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of counters: whether they count what was generated, and what a miss takes."""

from collections.abc import Iterator, Sequence
from functools import partial

from laxity.core.units import format_size_bytes
from laxity.costs.cache_misses.document import OWN_LINES, percent_text, uses_of
from laxity.costs.cache_misses.figure import counted_figure
from laxity.costs.cache_misses.found import (
    Found,
    FoundCache,
    FoundCase,
    MissTime,
    read_found,
)
from laxity.jobs.view import View
from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    Table,
    as_sentence,
    count_noun,
    join_words,
    number_cell,
    show_count,
    show_duration,
    show_ratio,
    text_cell,
)

_METHOD = (
    "Each case makes passes over code or data in order of address; the figures are of one pass: a "
    "job with twice as many passes less one with as many, so that neither what a job does around "
    "them nor the first pass is in it. “Generated”: lines per use, by the shape of the code. "
    "“Exact LRU”: how many of them miss by size and ways, line by line; a quarter and a half of a "
    "cache lose nothing, twice as much (of a cache whose replacement is random or not known, eight "
    "times as much) loses all. The difference is of the lines of a pass. The "
    f"loop around the passes has up to {OWN_LINES} lines of its own, which are in what is counted; "
    "beyond them 1 % of the lines is tolerated."
)
_MISS_TIME = (
    "What a miss takes is the slope of time over misses: passes over twice the cache and more, "
    "less what their uses would take as hits, which passes over a quarter and a half of the cache "
    "tell. Misses that overlap share their time."
)


def sentences(found: Found) -> tuple[str, ...]:
    """Say whether the counters are to be believed, why not, and what a miss takes."""
    reliable = [one for one in found.caches if one.is_reliable]
    lines = [_agreement(found, reliable)] if reliable else []
    lines += [_doubt(one, found) for one in found.caches if not one.is_reliable]
    return (*lines, *_not_judged(found), *(_miss(one, found) for one in reliable if one.miss))


def build(found: Found) -> Section:
    """Build the section of all counters."""
    rows = tuple(_row(one, case) for one in found.caches for case in one.cases)
    caption = (
        f"Misses of a pass as generated and as counted, medians of n pairs of jobs ({found.kind})"
    )
    head = (
        "counter",
        "a pass over",
        "generated",
        "exact LRU",
        "counted",
        "misses, exact LRU",
        "misses, counted",
        "difference",
        "n",
        "result",
    )
    blocks: list[Block] = [Paragraph(_METHOD, is_explanation=True), *_figures(found)]
    blocks += [Table(caption, head, rows), Paragraph(_MISS_TIME, is_explanation=True)]
    blocks += list(_miss_table(found))
    return Section(
        "cache-misses", "Counted and generated misses", tuple(blocks), tuple(_quantities(found))
    )


def _agreement(found: Found, reliable: Sequence[FoundCache]) -> str:
    agreeing = [case for one in reliable for case in one.having("agrees")]
    most = max(abs(case.difference or 0.0) for case in agreeing)
    used = join_words(sorted({case.case.used for case in agreeing}))
    events = [one.cache.event for one in reliable]
    counters = f"counters {join_words(events)} agree"
    if len(events) == 1:
        counters = f"counter {events[0]} agrees"
    n = len(agreeing)
    return (
        f"The {counters} with the generated {used} within {show_ratio(most)} of the lines in "
        f"{n} of {count_noun(n, 'case')} ({found.kind})."
    )


def _doubt(one: FoundCache, found: Found) -> str:
    event = one.cache.event
    if none := one.having("no verdict"):
        return f"{event}: no verdict: {none[0].reason} ({found.kind})."
    if not one.having("fewer", "more"):
        return f"{event}: no case is judged ({found.kind})."
    wrong = one.having("fewer", "more")
    worst = max(wrong, key=lambda case: abs(case.difference or 0.0))
    n = len(wrong) + len(one.having("agrees"))
    counted = f"{show_count(round(worst.counted or 0))} misses"
    why = "it counts more than this code misses"
    if worst.result == "fewer":
        why = "a prefetcher was faster than the code, or the counter has another meaning"
        if one.cache.prefetch is not None:
            why = f"the {one.cache.name} has a {one.cache.prefetch} prefetcher"
    return (
        f"The counter {event} does not count what was generated, in {len(wrong)} of "
        f"{count_noun(n, 'case')}: {counted} of a pass over {_pass_over(worst)}, where "
        f"{show_count(worst.generated)} were generated; {why} ({found.kind})."
    )


def _not_judged(found: Found) -> Iterator[str]:
    """Say of what the exact count need not hold, and why, each reason once."""
    reasons: dict[str, list[str]] = {}
    for one in found.caches:
        for case in one.having("not judged"):
            reasons.setdefault(case.reason, []).append(f"{one.cache.event}, {_pass_over(case)}")
    for reason, cases in reasons.items():
        yield as_sentence(f"not judged: {'; '.join(cases)}: {reason}")


def _miss(one: FoundCache, found: Found) -> str:
    assert one.miss is not None  # noqa: S101 - for mypy
    interval = ""
    if one.miss.low_ns is not None:
        interval = f", 95 %: {_interval(one.miss)}, n = {count_noun(one.miss.n, 'pair')} of jobs"
    return (
        f"A miss of the {one.cache.name} adds {show_duration(one.miss.ns)} to a pass "
        f"({found.kind}{interval})."
    )


def _pass_over(case: FoundCase) -> str:
    return f"{format_size_bytes(case.case.size_bytes)} of {case.case.used}"


def _row(one: FoundCache, case: FoundCase) -> tuple[Cell, ...]:
    uses = uses_of(case.case, one.cache)
    counted = case.counted
    return (
        text_cell(one.cache.event),
        text_cell(_pass_over(case)),
        number_cell(f"{percent_text(case.case.miss_ratio)} %"),
        number_cell(show_ratio(case.generated / uses)),
        number_cell(NOT_MEASURED if counted is None else show_ratio(round(counted) / uses)),
        number_cell(show_count(case.generated)),
        number_cell(NOT_MEASURED if counted is None else show_count(round(counted))),
        number_cell("" if case.difference is None else _signed(case.difference)),
        number_cell(show_count(case.n)),
        text_cell(case.result),
    )


def _signed(ratio: float) -> str:
    return f"{100 * ratio:+.2f} %".replace("-", "\N{MINUS SIGN}")


def _figures(found: Found) -> Iterator[Block]:
    if any(case.counted is not None for one in found.caches for case in one.cases):
        alt = "Counted misses per use against those under exact LRU, a mark for each case"
        caption = f"{alt} ({found.kind}); dotted: they are the same; hollow: not judged."
        draw = partial(counted_figure, found, "counted", alt)
        yield Figures((FigureBlock("counted", draw, caption),))


def _miss_table(found: Found) -> Iterator[Block]:
    timed = [(one.cache.name, one.miss) for one in found.caches if one.miss is not None]
    if not timed:
        return
    has_interval = any(miss.low_ns is not None for _, miss in timed)
    rows = tuple(
        (
            text_cell(f"a miss of the {name}"),
            number_cell(show_duration(miss.ns)),
            *((number_cell(_interval(miss)),) if has_interval else ()),
            number_cell(show_count(miss.n)),
        )
        for name, miss in timed
    )
    caption = f"What a miss takes beyond a hit, median of n pairs of jobs ({found.kind})"
    yield Table(caption, ("", "time", *(("95 % interval",) if has_interval else ()), "n"), rows)


def _interval(miss: MissTime) -> str:
    return f"{show_duration(miss.low_ns)} to {show_duration(miss.high_ns)}"


def _quantities(found: Found) -> Iterator[Quantity]:
    for one in found.caches:
        for case in one.cases:
            yield Quantity(
                name=f"{one.cache.event}_per_pass",
                value=case.counted,
                unit="misses",
                n=case.n,
                kind=found.kind,
                run=one.cache.run,
                task=case.case.long,
                note=f"{case.generated} under exact LRU: {case.reason or case.result}",
            )
        if one.miss is not None:
            yield Quantity(
                name=f"{one.cache.run}_miss",
                value=one.miss.ns,
                unit="ns",
                n=one.miss.n,
                kind=found.kind,
                run=one.cache.run,
            )


# Within the page of `measure all`.
VIEW = View(
    read=lambda run: (read_found(run.path), ()),
    document=lambda run: {"cache_misses": run.findings},
    asked="whether counters of cache misses count what generated code misses",
    sentences=lambda run: sentences(run.findings),
    sections=(lambda run: build(run.findings),),
)
