# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity workingset --why` prints: an object, an instruction, and the path between them."""

from collections.abc import Sequence

from laxity.page.blocks import Block, Paragraph, Table, count_noun, text_cell
from laxity.page.terminal import text_of
from laxity.workingset.why_document import Bytes, CodePlace, Step, WhyAnswer, WhyPath

_BY = {"return": "returns", "exception": "is left by an exception", "exit": "ends the program"}


def why_text(answer: WhyAnswer) -> str:
    """Write an answer as sentences and a table of steps."""
    one = answer.object
    size = "size not known" if one.size_bytes is None else f"{one.size_bytes} B"
    verdict = Paragraph(f"{one.name} ({one.class_}, {size}): {_verdict(answer)}")
    return text_of([verdict, *([] if answer.path is None else _path(answer, answer.path))])


def _verdict(answer: WhyAnswer) -> str:
    where = f"{_base(answer.file)}:{answer.line}"
    count = answer.instructions_of_line
    everywhere = where if count == 1 else f"{where}, at any of its {count} instructions"
    match answer.verdict:
        case "live":
            return f"live before {_instruction(answer.instruction)}, {_ranges(answer.live_bytes)}"
        case "always_live":
            reason = "it is shared with threads or signal handlers"
            if answer.object.is_device_read:
                reason = "a device may know where it is, and read it at any time"
            elif answer.object.is_volatile:
                reason = "it is volatile"
            return f"always live, at {where} as anywhere: {reason}"
        case "unreached":
            return f"not live at {where}: no path from the root leads there"
        case "not_resident":
            return (
                f"not live at {where}: not there. It is in the frame of {answer.object.function}, "
                f"which never waits for {answer.instruction.function}"
            )
        case "never_written":
            return f"not live at {everywhere}: nothing can have been written to it before"
        case "dead":
            return f"not live at {everywhere}: {_dead_words(answer)}"


def _dead_words(answer: WhyAnswer) -> str:
    if not answer.is_ever_read:
        return "no instruction of the program reads it"
    if answer.path is None:
        return "it is not read again"
    return "on every path from there it is overwritten before it is read, or not read again"


def _path(answer: WhyAnswer, path: WhyPath) -> list[Block]:
    blocks: list[Block] = []
    if path.calls or answer.verdict == "live":
        inner = [answer.instruction.function] if path.calls else []
        calls = [_call_words(path, number) for number in range(len(path.calls))]
        others = "; other callers may not need it" if path.needs_context else ""
        chain = " > ".join([path.root, *calls, *inner])
        blocks.append(Paragraph(f"in the context {chain}{others}"))
    what = "the whole object is" if path.bytes is None else f"{_ranges([path.bytes])} are"
    end = "still to be read" if answer.verdict == "live" else "overwritten (the nearest place)"
    caption = f"{what} {end}, {count_noun(path.length, 'instruction')} on"
    steps = tuple((text_cell(_place(one.at)), text_cell(_step_words(one))) for one in path.steps)
    return [*blocks, Table(caption, ("where", "what happens"), steps)]


def _call_words(path: WhyPath, number: int) -> str:
    """Name the place of a call, and its function unless that is the root."""
    call = path.calls[number]
    where = "?" if call.line is None else f"{_base(call.file)}:{call.line}"
    return f"(call at {where})" if number == 0 else f"{call.function} (call at {where})"


def _step_words(step: Step) -> str:
    by = _BY[step.by] if step.by is not None else ""
    inside = "" if step.at is None else f" in {step.at.function}"
    words = {
        "block": f"goes on{inside}",
        "passes": f"calls {step.function}, which leaves it alone and {by}",
        "enters": f"enters {step.function}",
        "leaves": f"{step.function} {by}; back{inside}",
        "next": f"the root {by}; then {step.function} is entered",
        "reads": f"is read{inside} ({_opcode(step)})",
        "jumps": "jumps to wherever setjmp was called: all may be read there",
        "outside": f"the root {by}; what is outside of the program may read it",
        "overwrites": f"is overwritten, or ends{inside} ({_opcode(step)})",
        "loop_overwrites": f"the loop that begins behind it{inside} overwrites it",
    }
    return words[step.what]


def _opcode(step: Step) -> str:
    return "" if step.at is None else step.at.opcode


def _instruction(at: CodePlace) -> str:
    return f"{_place(at)} ({at.opcode} in {at.function}, block {at.block}, instruction {at.index})"


def _place(at: CodePlace | None) -> str:
    if at is None:
        return "-"
    if at.line is None:
        return f"{at.function}, block {at.block}, instruction {at.index}"
    column = "" if at.column is None else f":{at.column}"
    return f"{_base(at.file)}:{at.line}{column}"


def _base(file: str | None) -> str:
    return "?" if file is None else file.rpartition("/")[2]


def _ranges(ranges: Sequence[Bytes]) -> str:
    """Name bytes by their first and last."""
    if not ranges or any(one.end_byte == one.first_byte for one in ranges):
        return "all of it"
    return "bytes " + ", ".join(f"{one.first_byte}-{one.end_byte - 1}" for one in ranges)
