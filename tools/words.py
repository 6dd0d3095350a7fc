# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Count words that a reader has to read twice; their counts may only fall.

The counts stand in tools/words.toml, for each kind of text and each pattern. A count above them is
a finding that names the added lines; --fix writes lower counts, and new patterns, into the file.

Started by tools/lint in the root of the repository. Exit codes: 0 clean, 1 findings.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

COUNTS = Path("tools/words.toml")
# Outputs and copies, checked at their source; texts of other authors; names of the patterns.
IGNORED = (
    "tests/golden/",
    "fuzz/corpus/",
    "LICENSES/",
    "CODE_OF_CONDUCT.md",
    "deps/",
    str(COUNTS),
)
LANGUAGES = {
    ".py": "python",
    ".c": "c",
    ".h": "c",
    ".cpp": "c++",
    ".hpp": "c++",
    ".sh": "shell",
    ".md": "docs",
    ".1": "docs",
    ".toml": "tables",
    ".build": "tables",
    ".html": "pages",
    ".js": "pages",
    ".j2": "pages",
}
# Users read no string of tests and of tools for developers.
USER_FOLDERS = ("python/", "native/", "sim/", "workingset/", "workloads/", "rtbench/", "include/")
# Stands for code between two pieces of text: no pattern matches across it.
CODE = "\0"
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expression to replace, and what to write in its place.

    `kinds` ends the names of the texts that it is counted in, `folder` stands in the names of their
    files.
    """

    expression: str
    instead: str
    kinds: tuple[str, ...] = ("comments", "strings", "docs", "shell", "tables", "pages")
    folder: str = ""


USER_VISIBLE = ("strings", "docs", "shell", "tables", "pages")
PATTERNS = {
    "told": Pattern(r"told", "reported, shown, recorded; distinguishable from zero"),
    "leaves out zero": Pattern(r"leaves? out zero", "the interval excludes zero"),
    "not met": Pattern(r"not met", "missed: finished late, skipped, aborted"),
    "are worth": Pattern(r"(?:are|is) worth", "effective sample size"),
    "alike over": Pattern(r"alike over", "samples are autocorrelated"),
    "comes by": Pattern(r"comes? by|is gone through|are gone through", "reaches, is executed"),
    "goes on on": Pattern(r"go(?:es|ing) on on", "resumes on"),
    "behind": Pattern(r"behind", "after"),
    "beside": Pattern(r"beside", "with"),
    "in turn": Pattern(r"in turn", "alternately"),
    "mend": Pattern(r"mend(?:s|ed|ing)?|cure[sd]?", "fix"),
    "words of": Pattern(
        r"words of (?:a|the|its|each|every|another) (?:program|process|command)|program's words",
        "arguments",
    ),
    "more is asked": Pattern(r"more is asked", "CPU N is overloaded: X %"),
    "so often": Pattern(r"so (?:often|many|long)", "the number itself"),
    "none helps": Pattern(r"none helps", "no WCET reduction is enough"),
    "turns": Pattern(r"(?:most_)?turns", "iterations, max_trip_count", folder="working"),
    "handed over": Pattern(r"handed over", "escapes", folder="working"),
    "outside": Pattern(r"outside", "external code", folder="working"),
    "one": Pattern(
        r"one (?:that|which|who|whose)"
        r"|(?:the|that|this|another|each|every|which|no) one(?! of)",
        "the noun",
    ),
    "somebody": Pattern(r"(?:some|any|no|every)body|whoever", "the noun: task, entry, caller"),
    "for one in": Pattern(r"for one in", "the noun", kinds=("code",)),
    "Asked": Pattern(
        r"(?:class|struct|enum) (?:asked|choice|found|sought)",
        "Options, CostSelection, SelectedCost, CostQuery",
        kinds=("code",),
    ),
    "What, Of": Pattern(r"(?:What|Of)(?= )", "the subject, then the verb", kinds=USER_VISIBLE),
}
SENTENCE_STARTS = "What, Of"
# A sentence begins after code, after a mark or an empty line, or with the text.
SENTENCE_END = re.compile(r"(?:\A|[\0.!?:;>|]|\n[ \t]*\n)[\s*#\"]*\Z")
# Longer than what stands between two sentences.
REACH = 100


def compiled(expression: str) -> re.Pattern[str]:
    """Return an expression as a regular one; a blank of it is any white space."""
    # Without \b in front, which would keep the search from looking for a first letter.
    return re.compile("(?:" + expression.replace(" ", r"\s+") + r")\b")


EXPRESSIONS = {name: compiled(pattern.expression) for name, pattern in PATTERNS.items()}


def ends_of(name: str, text: str, lowered: str) -> Iterator[int]:
    """Find where matches of a pattern end in a text, which is also given in small letters."""
    if name == SENTENCE_STARTS:
        lowered = text
    for found in EXPRESSIONS[name].finditer(lowered):
        start = found.start()
        before = lowered[max(0, start - REACH) : start]
        if before[-1:].isalnum() or before.endswith("_"):
            continue
        if name != SENTENCE_STARTS or SENTENCE_END.search(before):
            yield found.end()


@dataclass(frozen=True, slots=True)
class Match:
    """One place of a pattern: the `kind` of text it stands in, its file and line, from 1."""

    kind: str
    pattern: str
    file: str
    line: int


def plain(text: str) -> str:
    """Blank what marks comments and strings, and what is computed within a string."""
    text = re.sub(r"\{[^{}\n]*\}", lambda found: "x" * len(found[0]), text)
    return re.sub(r"^[rbfRBF]*[\"']+|^[#/*]+|[\"']+$|(?<=\n)[ \t]*[#*/]+", blanks, text)


def blanks(found: re.Match[str]) -> str:
    """Return as many blanks as were found."""
    return " " * len(found[0])


def masked(source: str, spans: list[tuple[int, int]]) -> str:
    """Return a text of equal length: what marks them is blank in some spans, all else is code."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += [hidden(source[done:start]), plain(source[start:end])]
        done = end
    return "".join([*pieces, hidden(source[done:])])


def hidden(source: str) -> str:
    """Return white space as it is, and CODE for all other characters."""
    return re.sub(r"\S+", lambda found: CODE * len(found[0]), source)


C_TOKENS = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>R"\(.*?\)"|"(?:\\.|[^"\\\n])*")|\'(?:\\.|[^\'\\\n])*\'',
    re.DOTALL,
)
PYTHON_TOKENS = re.compile(
    r"(?P<comment>#[^\n]*)|^[ \t]*(?P<docstring>[rR]?\"\"\".*?\"\"\")"
    r"|(?P<string>[rbfRBF]*(?:\"\"\".*?\"\"\"|'''.*?'''"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'))",
    re.DOTALL | re.MULTILINE,
)
SHELL_COMMENT = re.compile(r"(?<!\S)#[^\n]*")


def c_texts(source: str) -> dict[str, str]:
    """Split a source in C or C++ into its comments and its strings."""
    spans: dict[str, list[tuple[int, int]]] = {"comments": [], "strings": []}
    for token in C_TOKENS.finditer(source):
        if token["comment"]:
            spans["comments"].append(token.span())
        elif token["string"] and " " in token["string"]:
            spans["strings"].append(token.span())
    return {kind: masked(source, places) for kind, places in spans.items()}


def python_texts(source: str) -> dict[str, str]:
    """Split a source in Python into its comments, docstrings among them, and its strings."""
    spans: dict[str, list[tuple[int, int]]] = {"comments": [], "strings": []}
    for token in PYTHON_TOKENS.finditer(source):
        is_docstring = token["docstring"] is not None
        if is_docstring or token["comment"]:
            spans["comments"].append(token.span("docstring" if is_docstring else "comment"))
        elif " " in token["string"]:
            spans["strings"].append(token.span("string"))
    return {kind: masked(source, places) for kind, places in spans.items()}


def texts_of(file: str, source: str) -> Iterator[tuple[str, str]]:
    """Name each kind of text of a file, and give it with all else blanked.

    Args:
        file: Name in the tree.
        source: Its text.

    Returns:
        Pairs of kind, such as "python comments", and text.
    """
    language = LANGUAGES.get(Path(file).suffix, "")
    if interpreter := re.match(r"#!.*?\b(python|sh$|bash)", source, re.MULTILINE):
        language = "python" if interpreter[1] == "python" else "shell"
    if language in {"docs", "tables", "pages", "shell"}:
        text = source
        if language in {"tables", "shell"}:
            text = SHELL_COMMENT.sub(lambda found: " " + found[0][1:], source)
        yield language, text
    elif language:
        parts = python_texts(source) if language == "python" else c_texts(source)
        yield f"{language} comments", parts["comments"]
        yield f"{language} code", source
        if file.startswith(USER_FOLDERS):
            yield f"{language} strings", parts["strings"]


def matches_of(file: str, source: str) -> Iterator[Match]:
    """Find every pattern in one file."""
    for kind, text in texts_of(file, source):
        lowered = text.lower()
        for name, pattern in PATTERNS.items():
            if kind.endswith(pattern.kinds) and pattern.folder in file:
                for end in ends_of(name, text, lowered):
                    yield Match(kind, name, file, text.count("\n", 0, end) + 1)


def git(*arguments: str) -> str:
    """Return what a command of git prints; nothing if it fails."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def find_matches() -> list[Match]:
    """Find every pattern in the files that git tracks or would offer to add."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "-z")
    found: list[Match] = []
    for file in sorted(filter(None, listed.split("\0"))):
        if file.startswith(IGNORED) or not Path(file).is_file() or Path(file).is_symlink():
            continue
        try:
            source = Path(file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += matches_of(file, source)
    return found


Counts = dict[str, dict[str, int]]


def read_counts(text: str) -> Counts:
    """Read a file of counts: a table for each kind of text, a number for each pattern."""
    return tomllib.loads(text)


def lowest_counts() -> Counts:
    """Return the lowest count that any version of the file of counts gives each pattern."""
    versions = [COUNTS.read_text(encoding="utf-8") if COUNTS.exists() else ""]
    versions += [
        git("show", f"{commit}:{COUNTS}")
        for commit in git("log", "--format=%H", "--", str(COUNTS)).split()
    ]
    lowest: Counts = defaultdict(dict)
    for version in versions:
        for kind, counts in read_counts(version).items():
            for name, count in counts.items():
                lowest[kind][name] = min(count, lowest[kind].get(name, count))
    return lowest


def added_lines() -> dict[str, set[int]]:
    """Return the lines of each file that are newer than the committed counts."""
    base = git("log", "-1", "--format=%H", "--", str(COUNTS)).strip()
    added: dict[str, set[int]] = defaultdict(set)
    if not base:
        return added
    file = ""
    for line in git("diff", "-U0", "--no-ext-diff", base).splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ b/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            start, length = int(hunk[1]), int(hunk[2] or 1)
            added[file] |= set(range(start, start + length))
    for file in filter(None, git("ls-files", "--others", "--exclude-standard", "-z").split("\0")):
        added[file] = set(range(1, 1 + Path(file).read_bytes().count(b"\n")))
    return added


def counted(matches: list[Match]) -> Counts:
    """Count the matches of each pattern in each kind of text."""
    counts: Counts = defaultdict(dict)
    for (kind, name), count in sorted(Counter((m.kind, m.pattern) for m in matches).items()):
        counts[kind][name] = count
    return counts


def findings(
    matches: list[Match], lowest: Mapping[str, Mapping[str, int]], added: Mapping[str, set[int]]
) -> Iterator[str]:
    """Name every rise, and its added lines.

    Args:
        matches: All that was found.
        lowest: Counts that may not be exceeded. A pattern that no kind of text has a count for is
            new, and has no limit yet.
        added: Lines newer than the counts; all places are named where none of these match.

    Returns:
        Lines to print.
    """
    known = {name for counts in lowest.values() for name in counts}
    for kind, counts in counted(matches).items():
        for name, count in counts.items():
            limit = lowest.get(kind, {}).get(name, 0)
            if count <= limit or name not in known:
                continue
            yield f'{kind}: "{name}" rose from {limit} to {count}; write: {PATTERNS[name].instead}'
            places = [m for m in matches if (m.kind, m.pattern) == (kind, name)]
            new = [m for m in places if m.line in added.get(m.file, ())]
            for match in (new or places)[:SHOWN]:
                yield f"  {match.file}:{match.line}"


def write_counts(now: Counts, lowest: Mapping[str, Mapping[str, int]]) -> None:
    """Write the counts of now where they are lower than the lowest, or of a new pattern."""
    known = {name for counts in lowest.values() for name in counts}
    lines = [
        "# SPDX-FileCopyrightText: 2026 The laxity authors",
        "# SPDX-License-Identifier: MIT",
        "",
        "# Counts of the patterns of tools/words.py by kind of text; tools/lint --fix lowers them.",
    ]
    for kind in sorted({*now, *lowest}):
        rows = []
        for name in PATTERNS:
            count, limit = now.get(kind, {}).get(name, 0), lowest.get(kind, {}).get(name, 0)
            count = min(count, limit) if name in known else count
            rows += [f'"{name}" = {count}'] if count else []
        if rows:
            lines += ["", f'["{kind}"]', *rows]
    COUNTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Compare the counts with the committed ones.

    Args:
        arguments: "--fix" or nothing.

    Returns:
        Exit code.
    """
    matches, lowest = find_matches(), lowest_counts()
    if "--fix" in arguments:
        write_counts(counted(matches), lowest)
    found = list(findings(matches, lowest, added_lines()))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
