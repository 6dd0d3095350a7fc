# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a run of kind `contention`."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from statistics import median

from laxity.contention import figure
from laxity.contention.document import (
    CELL_COLUMNS,
    EVALUATION_COLUMNS,
    LOAD_COLUMNS,
    N_REPLAYS,
    N_SHARED,
    PROFILE_COLUMNS,
    Evaluation,
    Share,
    by_theta,
    evaluation_sentences,
    profile_sentences,
    share_columns,
)
from laxity.contention.figure import PolicyLine, Strip
from laxity.contention.table import RATE_ONE, ContentionTable
from laxity.contention.trial import Trial, read_trial
from laxity.core.percent import percent, show_percent
from laxity.core.units import format_duration_ns
from laxity.jobs.card import Badge, Card, Tile, run_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.sections import files, reproduce
from laxity.page.blocks import (
    Block,
    FigureBlock,
    Figures,
    Folded,
    Paragraph,
    Quantity,
    Section,
    count_noun,
    join_words,
)
from laxity.page.columns import Column, figures_of, provenance, table_block
from laxity.store.run_directory import Run

_MAP_TEXT = (
    "Colour is the part of the wall time that is lost at a traffic, margin included. A phase "
    "begins where the colours change along the job. White loses less than "
    f"{figure.LOSS_CLASSES[0]} %."
)
_CHARGES_TEXT = (
    "Charged is what policy sound adds up for a job whose load is never stopped. A point above the "
    "line was charged more than it lost: the table knows the traffic of a reading, not the load."
)
_POLICIES_TEXT = (
    "Policy sound keeps the promise of docs/regulation.md. Policy paper is the rule of Blin et "
    "al., budget that of MemGuard; suspend runs no load during a job. The optimum knows each loss "
    "in advance."
)
_THETA_TEXT = (
    "A smaller theta protects the job more; loads then run for less of it. Policy sound needs at "
    "least the theta that lasts for one permission."
)


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page.

    Raises:
        RecordError: trial.json is missing or damaged.
    """
    trial = read_trial(run)
    page = page_of_one(run)
    table, prefix = trial.table, page.runs[0].prefix
    program = " ".join([table.workload, *table.args])
    status = run_badge(page)
    if trial.evaluations and run.manifest.status == "complete":
        status = _verdict_badge(trial)
    card = Card(
        title=run.manifest.name,
        status=status,
        asked=(program, _n_loads(trial)),
        sentences=tuple(_sentences(trial)),
        message=run.manifest.message,
        machine=table.platform,
        tiles=tuple(_tiles(trial)),
    )
    sections = [
        _policies(trial, prefix, run.manifest.name),
        _thetas(trial.shares, prefix),
        _profile(trial, prefix, run.manifest.name),
        *(_loads(evaluation, prefix) for evaluation in trial.evaluations),
        files.build(page),
        reproduce.build(page),
    ]
    return Page(page, card, whole(sections))


def _n_loads(trial: Trial) -> str:
    """Count the loads of the profile, and those that were tried."""
    n_tried = len(trial.evaluations[0].cells) if trial.evaluations else 0
    profiled = f"profiled with {count_noun(len(trial.table.loads), 'load')}"
    return f"{profiled}, tried with {n_tried} others" if n_tried else profiled


def _sentences(trial: Trial) -> Iterator[str]:
    if not trial.evaluations:
        yield from profile_sentences(trial.table)
        return
    first, *others = trial.evaluations
    verdict, _, share, *_ = evaluation_sentences(first)
    yield from (verdict, share)
    judged = {
        "broke": [tried for tried in others if tried.n_beyond],
        "kept": [tried for tried in others if not tried.n_beyond],
    }
    for verb, policies in judged.items():
        if policies:
            noun = "Policy" if len(policies) == 1 else "Policies"
            names = join_words([tried.policy for tried in policies])
            yield f"{noun} {names} {verb} the same limit with the same loads."


def _verdict_badge(trial: Trial) -> Badge:
    """Judge by the first policy: others are shown to compare."""
    first = trial.evaluations[0]
    if any(cell.remark for cell in first.cells):
        return Badge("no verdict", "attention")
    return Badge("limit broken", "bad") if first.n_beyond else Badge("limit kept", "good")


def _tiles(trial: Trial) -> Iterator[Tile]:
    table = trial.table
    yield Tile("job alone, caches cold", format_duration_ns(table.solo_ns), "n = 1", "simulated")
    if not trial.evaluations:
        worst = max(load.overhead_ppm for load in table.loads)
        yield Tile("largest overhead", percent(worst), f"n = {len(table.loads)}", "simulated")
        return
    first = trial.evaluations[0]
    n = f"n = {len(first.cells)}"
    unregulated = max(cell.load.overhead_ppm for cell in first.cells)
    yield Tile("largest overhead, unregulated", percent(unregulated), n, "simulated")
    largest = max(cell.regulated_ppm for cell in first.cells)
    limit = f"limit {show_percent(first.theta_ppm)}"
    yield Tile(f"largest overhead, {first.policy}", percent(largest), n, "simulated", limit)
    shared = int(median(cell.parallelism_ppm for cell in first.cells))
    optimum = int(median(cell.optimum_ppm for cell in first.cells))
    remark = f"optimum {percent(optimum)}"
    yield Tile("loads may run, median", percent(shared), n, "simulated", remark)


def _policies(trial: Trial, prefix: str, run: str) -> Section | None:
    """Show what each policy loses and allows, all loads in one figure each."""
    if not trial.evaluations:
        return None
    evaluations, limit = trial.evaluations, trial.evaluations[0].theta_ppm
    n = count_noun(len(evaluations[0].cells), "load")
    lost = [
        Strip(tried.policy, [cell.regulated_ppm for cell in tried.cells]) for tried in evaluations
    ]
    shared = [
        *(
            Strip(tried.policy, [cell.parallelism_ppm for cell in tried.cells])
            for tried in evaluations
        ),
        Strip("optimum", [cell.optimum_ppm for cell in evaluations[0].cells]),
    ]
    caption = (
        f"Limit {percent(limit)}, over {n} (simulated, one cold job with each; replayed: modelled, "
        f"{N_REPLAYS} jobs with each)"
    )
    return Section(
        f"{prefix}-policies",
        "Policies side by side",
        (
            Figures(
                (
                    _strips(lost, limit, "overhead of the job (%)", f"{prefix}-lost", n),
                    _strips(shared, None, "loads may run (% of the job)", f"{prefix}-shared", n),
                )
            ),
            table_block(caption, EVALUATION_COLUMNS, evaluations),
            Paragraph(_POLICIES_TEXT, is_explanation=True),
        ),
        tuple(
            quantity
            for tried in evaluations
            for quantity in _quantities(EVALUATION_COLUMNS[1:], tried, run, tried.policy)
        ),
    )


def _strips(
    rows: Sequence[Strip], limit_ppm: int | None, label: str, identity: str, n: str
) -> FigureBlock:
    medians = ", ".join(f"{row.policy} {percent(int(median(row.values_ppm)))}" for row in rows)
    what = f"{label[0].upper()}{label[1:].removesuffix(')').replace(' (', ', ')}"
    alt = f"{what}, n = {n}; medians: {medians}."
    tail = "; dashed: the limit" if limit_ppm is not None else "; optimum: modelled"
    return FigureBlock(
        identity,
        partial(figure.strips, rows, limit_ppm, label, identity, alt),
        f"{what} (simulated, n = {n}); a mark is a load, a bar the median{tail}.",
    )


def _thetas(shares: Sequence[Share], prefix: str) -> Section | None:
    """Show what other limits would allow and lose."""
    if not shares:
        return None
    lines = {
        policy: sorted(of_policy, key=lambda share: share.theta_ppm)
        for policy, of_policy in groupby(shares, key=lambda share: share.policy)
    }
    n = f"{N_SHARED} replayed starts with each of {count_noun(len(shares[0].lost_ppm), 'load')}"
    shared = [_line(policy, of_policy, "shared") for policy, of_policy in lines.items()]
    lost = [
        _line(policy, of_policy, "lost")
        for policy, of_policy in lines.items()
        if policy != "optimum"
    ]
    drawn = [
        _by_theta(shared, "loads may run, median", f"{prefix}-theta-shared", n, has_limit=False),
        _by_theta(lost, "largest overhead", f"{prefix}-theta-lost", n, has_limit=True),
    ]
    caption = f"Part of the job in which loads may run, median of all loads (modelled, {n})"
    return Section(
        f"{prefix}-thetas",
        "Parallelism against \N{GREEK SMALL LETTER THETA}",
        (
            Figures(tuple(drawn)),
            Folded(
                "The figures",
                (table_block(caption, share_columns(shares), by_theta(shares)),),
                is_figures=True,
            ),
            Paragraph(_THETA_TEXT, is_explanation=True),
        ),
    )


def _line(policy: str, of_policy: Sequence[Share], what: str) -> PolicyLine:
    values = [
        int(median(share.parallelism_ppm)) if what == "shared" else max(share.lost_ppm)
        for share in of_policy
    ]
    return PolicyLine(policy, [share.theta_ppm for share in of_policy], values)


def _by_theta(
    lines: Sequence[PolicyLine], label: str, identity: str, n: str, *, has_limit: bool
) -> FigureBlock:
    ends = ", ".join(
        f"{line.policy} {percent(line.values_ppm[0])} to {percent(line.values_ppm[-1])}"
        for line in lines
    )
    alt = f"{label[0].upper()}{label[1:]}, by theta: {ends}."
    return FigureBlock(
        identity,
        partial(figure.lines_by_theta, lines, label, identity, alt, has_limit=has_limit),
        f"{label[0].upper()}{label[1:]} (modelled, n = {n}).",
    )


def _profile(trial: Trial, prefix: str, run: str) -> Section:
    """Show what each phase loses, what that charges, and the loads that the table is made of."""
    table = trial.table
    loads = table_block(
        f"Loads of the table ({provenance(LOAD_COLUMNS)})", LOAD_COLUMNS, table.loads
    )
    points = _charged_points(trial.evaluations)
    drawn = [_loss_map(table, f"{prefix}-loss-map")]
    blocks: list[Block] = [*map(Paragraph, profile_sentences(table))]
    if points:
        said = _charged_sentence(points)
        drawn.append(_charges(points, said, f"{prefix}-charges"))
        blocks.append(Paragraph(said))
    blocks += [
        Figures(tuple(drawn)),
        Paragraph(_MAP_TEXT, is_explanation=True),
        *([Paragraph(_CHARGES_TEXT, is_explanation=True)] if points else []),
        Folded(
            f"The {count_noun(len(table.loads), 'load')} of the table", (loads,), is_figures=True
        ),
    ]
    return Section(
        f"{prefix}-profile",
        "Loss by phase and traffic, estimated against measured"
        if points
        else "Loss by phase and traffic",
        tuple(blocks),
        _quantities(PROFILE_COLUMNS, table, run, None),
    )


def _loss_map(table: ContentionTable, identity: str) -> FigureBlock:
    worst = percent(table.worst_rate * 1_000_000 // RATE_ONE)
    n = f"n = {count_noun(len(table.loads), 'load')}"
    alt = (
        f"Loss of {count_noun(len(table.phases), 'phase')} by traffic: at most {worst} of the wall "
        "time."
    )
    return FigureBlock(
        identity,
        partial(figure.loss_map, table, identity, alt),
        f"Loss by phase and traffic (simulated, {n}, one cold job with each).",
    )


def _charged_points(evaluations: Sequence[Evaluation]) -> list[tuple[int, int, int]]:
    """Gather CPUs with loads, measured and charged overhead of loads the table is not made of."""
    return [
        (len(cell.load.cpus), cell.load.overhead_ppm, cell.charged_ppm)
        for cell in (evaluations[0].cells if evaluations else [])
        if cell.charged_ppm is not None
    ]


def _charged_sentence(points: Sequence[tuple[int, int, int]]) -> str:
    ratios = sorted(charged / max(measured, 1) for _, measured, charged in points)
    below = sum(charged < measured for _, measured, charged in points)
    return (
        f"The table charges {ratios[0]:.2f} to {ratios[-1]:.2f} times what the job loses, median "
        f"{median(ratios):.2f}; {below} of {len(points)} charges are below the loss."
    )


def _charges(points: Sequence[tuple[int, int, int]], said: str, identity: str) -> FigureBlock:
    n = count_noun(len(points), "load")
    return FigureBlock(
        identity,
        partial(figure.charges, points, identity, said),
        f"Overhead charged (modelled) against overhead measured (simulated), n = {n} that the "
        "table is not made of.",
    )


def _loads(evaluation: Evaluation, prefix: str) -> Section:
    """Show each load, folded: it is of one policy."""
    columns = f"{provenance(CELL_COLUMNS)}"
    caption = f"Policy {evaluation.policy}, limit {percent(evaluation.theta_ppm)} ({columns})"
    table = table_block(caption, CELL_COLUMNS, evaluation.cells)
    n = count_noun(len(evaluation.cells), "load")
    return Section(
        f"{prefix}-{evaluation.policy}",
        f"Each load, policy {evaluation.policy}",
        (
            *map(Paragraph, evaluation_sentences(evaluation)),
            Folded(f"The {n}", (table,), is_figures=True),
        ),
    )


def _quantities(
    columns: Sequence[Column], row: object, run: str, task: str | None
) -> tuple[Quantity, ...]:
    """Give the figures of a row to derived.json."""
    return tuple(
        Quantity(run=run, task=task, **found | {"n": found["n"] or 0})
        for found in figures_of(columns, row)
    )
