# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Make a Debian package of a wheel of laxity: `WHEEL DIR MAINTAINER HOMEPAGE`.

It carries its own virtual environment, so that what it needs of Python packages is of exactly the
versions of deps/python/run.lock; nothing is installed or compiled on the machine of its user, and
it has no scripts that dpkg would run. Started by tools/release.
"""

from __future__ import annotations

import gzip
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Debian's own, which is there where the package is used.
PYTHON = Path("/usr/bin/python3")
PLACE = Path("usr/lib/laxity")
MAIN = f"""#!/{PLACE}/bin/python3 -I
from laxity.__main__ import start

start()
"""
# In a virtual environment of no use without the programs that pip would put there.
ENVIRONMENT = "home = /usr/bin\ninclude-system-site-packages = false\n"
DESCRIPTION = """measure what preemption, migration and memory contention take
 Runs programs as periodic real-time tasks, alone and under interference, measures
 what switches, cold caches and migrations cost on this machine, and tells with
 these figures whether a task set keeps its deadlines.
"""


def run(*words: str | Path, folder: Path = ROOT) -> str:
    """Run a program; what it says on stderr is the user's to see."""
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{Path(words[0]).name}: exit code {done.returncode}")
    return done.stdout


def install_python(stage: Path, wheel: Path) -> Path:
    """Make the virtual environment and remove what is of no use when it is installed.

    Returns:
        The directory of its packages.
    """
    home, wheels = stage / PLACE, stage.parent / "wheels"
    lock = ROOT / "deps" / "python" / "run.lock"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(PYTHON, "-m", "venv", "--without-pip", home)
    exactly = ("--require-hashes", "--no-deps", "-r", lock)
    run(*pip, "download", "--only-binary", ":all:", "-d", wheels, *exactly)
    here = (*pip, "--python", home / "bin" / "python3")
    install = (*here, "install", "--no-index", "--no-compile")
    run(*install, "--find-links", wheels, *exactly)
    run(*install, "--no-deps", wheel)
    run(*here, "uninstall", "--yes", "meson")
    (packages,) = home.glob("lib/python3*/site-packages")
    for path in (*home.glob("bin/*"), *home.glob("share"), *packages.glob("*/direct_url.json")):
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.name.startswith("python"):
            path.unlink()
    (home / "pyvenv.cfg").write_text(ENVIRONMENT, encoding="ascii")
    # Root, too, writes none then.
    hashed = ("--invalidation-mode", "unchecked-hash")
    # -I: a PYTHONPYCACHEPREFIX of the environment would put the bytecode elsewhere.
    run(PYTHON, "-I", "-m", "compileall", "-q", *hashed, "-s", stage, "-p", "/", packages)
    return packages


def strip(packages: Path) -> None:
    """Remove symbols that nobody needs from our programs."""
    for path in packages.glob("laxity/_tools/**/*"):
        if path.is_file() and path.read_bytes().startswith(b"\x7fELF"):
            run("strip", "--strip-unneeded", path)


def write_rest(stage: Path, packages: Path) -> None:
    """Write what lies outside the environment: command, headers, manual pages, completion."""
    tools = packages.relative_to(stage) / "laxity" / "_tools"
    share, include = stage / "usr" / "share", stage / "usr" / "include"
    completions, documents = share / "bash-completion" / "completions", share / "doc" / "laxity"
    for folder in (stage / "usr" / "bin", include, completions, documents):
        folder.mkdir(parents=True)
    command = stage / "usr" / "bin" / "laxity"
    command.write_text(MAIN, encoding="ascii")
    command.chmod(0o755)
    (include / "laxity").symlink_to(Path("/") / tools / "include" / "laxity")
    laxity = (stage / PLACE / "bin" / "python3", "-I", "-m", "laxity", "setup")
    (completions / "laxity").write_text(run(*laxity, "--completion", "bash"), encoding="utf-8")
    run(*laxity, "--man-pages", share / "man")
    shutil.copytree(ROOT / "examples", documents / "examples")
    shutil.copy(ROOT / "CHANGELOG.md", documents / "changelog")
    for path in (documents / "changelog", *share.glob("man/man*/*")):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()
    (documents / "copyright").write_text("".join(copyright_lines(packages)), encoding="utf-8")


def copyright_lines(packages: Path) -> Iterator[str]:
    """Write under which licences the package and each part of it may be handed on."""
    yield (ROOT / "LICENSE").read_text(encoding="utf-8")
    yield f"\n/{PLACE} also holds these Python packages as their authors made them, each with the\n"
    yield "text of its licence in its own directory NAME-VERSION.dist-info:\n\n"
    for one in sorted(distributions(path=[str(packages)]), key=lambda one: one.name.lower()):
        if one.name != "laxity":
            yield f"{one.name} {one.version}: {licence_of(one)}\n"


def licence_of(one: Distribution) -> str:
    """Name the licence of a package as its metadata do."""
    # An expression of SPDX, or words, or (older) the whole text; else a class.
    for field in ("License-Expression", "License"):
        told = one.metadata[field] or ""
        if told and "\n" not in told.strip():
            return told.strip()
    classes = one.metadata.get_all("Classifier") or []
    named = [text.rpartition(" :: ")[2] for text in classes if text.startswith("License ::")]
    return ", ".join(named) or "see its text"


def needed_packages(stage: Path, packages: Path) -> str:
    """Ask which Debian packages have the libraries that anything here is linked with."""
    (stage.parent / "debian").mkdir()
    (stage.parent / "debian" / "control").write_text(
        "Source: laxity\n\nPackage: laxity\nArchitecture: any\n"
    )
    programs = [
        path
        for path in packages.rglob("*")
        if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"
    ]
    own = [f"-l{folder}" for folder in packages.glob("*.libs")]
    said = run(
        *("dpkg-shlibdeps", "-O", "--warnings=0", "--ignore-missing-info", *own),
        *programs,
        folder=stage.parent,
    )
    _, minor, _ = platform.python_version_tuple()
    version = f"python3 (>= 3.{minor}), python3 (<< 3.{int(minor) + 1})"
    return f"{said.strip().partition('=')[2]}, {version}"


def write_control(stage: Path, needed: str, maintainer: str, homepage: str) -> str:
    """Write what dpkg asks of a package.

    Returns:
        The name of the package's file.
    """
    version = run(stage / PLACE / "bin" / "python3", "-I", "-m", "laxity", "--version").split()[1]
    architecture = run("dpkg", "--print-architecture").strip()
    size = sum(path.lstat().st_size for path in stage.rglob("*")) // 1024
    folder = stage / "DEBIAN"
    folder.mkdir()
    fields = {
        "Package": "laxity",
        "Version": version,
        "Architecture": architecture,
        "Maintainer": maintainer,
        "Section": "devel",
        "Priority": "optional",
        "Installed-Size": str(size),
        "Depends": needed,
        "Recommends": "valgrind",
        "Suggests": "gcc, libc6-dev, openssh-client",
        "Homepage": homepage,
        "Description": DESCRIPTION.rstrip(),
    }
    text = "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
    (folder / "control").write_text(text, encoding="utf-8")
    return f"laxity_{version}_{architecture}.deb"


def main() -> None:
    """Make the package."""
    wheel, output, maintainer, homepage = Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:5]
    os.umask(0o022)
    stage = wheel.parent / "root"
    packages = install_python(stage, wheel)
    strip(packages)
    write_rest(stage, packages)
    needed = needed_packages(stage, packages)
    name = write_control(stage, needed, maintainer, homepage)
    # Six times as fast as the default, and 14 % more.
    run("dpkg-deb", "--root-owner-group", "-z2", "--build", stage, output / name)


if __name__ == "__main__":
    main()
