# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Make what is handed out; tools/release starts this and says of what and what for."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build-release"
# What links with libraries of the system: in a wheel they would have to come along.
FEATURES = ("host_workloads", "pfm", "bpf")
# One step of the standard interface between pip and a build system.
CALL_BACKEND = """
import sys, mesonpy
step, folder, *arguments = sys.argv[1:]
getattr(mesonpy, step)(folder, {"setup-args": arguments} if arguments else None)
"""


class StepError(Exception):
    """What could not be done, why, and what to do."""


def run_step(what: str, *words: str | Path, folder: Path = ROOT) -> str:
    """Run a program of the release.

    Returns:
        What it printed.

    Raises:
        StepError: It failed; what it printed is kept.
    """
    done = subprocess.run(
        words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        log = WORK / "log"
        log.write_text(done.stdout + done.stderr, encoding="utf-8")
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        msg = f"{what}: exit code {done.returncode} ({' '.join(last)}); see {log}"
        raise StepError(msg)
    return done.stdout


def check_tag(version: str) -> bool:
    """Refuse a commit whose tag is another version's, and say if files differ from it.

    Returns:
        Whether none differs.

    Raises:
        StepError: It is.
    """
    tags = run_step("tag", "git", "tag", "--points-at", "HEAD", "v*").split()
    if tags and f"v{version}" not in tags:
        msg = f"tag: {tags[0]} is on a commit of version {version}; correct one of both"
        raise StepError(msg)
    if run_step("tree", "git", "status", "--porcelain", "--untracked-files=no"):
        print("release: files differ from the last commit, which alone is packed", file=sys.stderr)
        return False
    return True


def make_source(version: str, output: Path) -> Path:
    """Make the source distribution of the last commit."""
    run_step("source distribution", sys.executable, "-c", CALL_BACKEND, "build_sdist", output)
    return output / f"laxity-{version}.tar.gz"


def make_wheel(source: Path, output: Path, state: str) -> Path:
    """Build a wheel from a source distribution, its features all `enabled` or all `disabled`."""
    folder = WORK / state
    shutil.unpack_archive(source, folder)
    (tree,) = folder.iterdir()
    output.mkdir()
    words = [f"-D{feature}={state}" for feature in FEATURES]
    run_step(
        f"wheel with features {state}",
        sys.executable,
        *("-c", CALL_BACKEND, "build_wheel", str(output), *words),
        folder=tree,
    )
    (wheel,) = output.glob("*.whl")
    return wheel


def audit(wheel: Path, output: Path) -> None:
    """Keep a wheel under the name that says where it runs, if auditwheel finds one."""
    try:
        run_step("auditwheel", "auditwheel", "repair", "--wheel-dir", output, wheel)
    except StepError as error:
        print(f"release: no wheel: {error}", file=sys.stderr)


def make_bundles(output: Path) -> None:
    """Make what boards need, of each instruction set whose compiler is there."""
    for arch in ("native", *sorted(path.stem for path in (ROOT / "cross").glob("*.txt"))):
        try:
            said = run_step(f"bundle for {arch}", ROOT / "tools" / "board-bundle", arch)
        except StepError as error:
            print(f"release: no {error}", file=sys.stderr)
        else:
            shutil.copy(said.rsplit(" ", 2)[0], output)


def main() -> int:
    """Make all."""
    parser = argparse.ArgumentParser(prog="tools/release")
    parser.add_argument("directory", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--maintainer", default="the place you got it from")
    parser.add_argument("--homepage", default="")
    asked = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    output = asked.directory.resolve()
    shutil.rmtree(WORK, ignore_errors=True)
    for folder in (WORK, output):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        if check_tag(project["version"]):
            make_bundles(output)
        else:
            print("release: no bundles: they would be made of these files", file=sys.stderr)
        source = make_source(project["version"], output)
        audit(make_wheel(source, WORK / "wheel", "disabled"), output)
        wheel = make_wheel(source, WORK / "deb", "enabled")
        run_step(
            "Debian package",
            *(sys.executable, "-P", ROOT / "tools" / "package_deb.py", wheel, output),
            *(asked.maintainer, asked.homepage),
        )
    except StepError as error:
        print(f"release: {error}", file=sys.stderr)
        return 3
    for path in sorted(output.glob("laxity[-_]*")):
        print(f"{path} {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
