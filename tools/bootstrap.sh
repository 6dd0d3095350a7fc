# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
#
# Set-up shared by ./laxity, ./check, tools/lint and tools/setup-set; to be sourced with `root` set to the repository.
#
# Each step is done once and leaves a stamp, written only after success, that says for what it was done. An
# interrupted step has no stamp, so running the same command again goes on where it stopped.
#
#   .setup/                    lock, log of the running step, downloaded wheels
#   .venv/.stamp-venv          interpreter and place of the virtual environment
#   .venv/.stamp-debian-SET    checksum of deps/debian-12/SET.txt; older than dpkg's own status: looked at again
#   .venv/.stamp-python-SET    checksum of deps/python/SET.lock
#   build/.stamp-build         place of the build directory
#   build/.stamp-host          the build demands the host workloads; build/.stamp-pfm: libpfm4, build/.stamp-bpf: BPF,
#                              build/.stamp-workingset: LLVM
#
# Environment read here:
#   LAXITY_PYTHON    interpreter to make .venv from (default: /usr/bin/python3, else the first python3 >= 3.11 on PATH)
#   LAXITY_PACKAGES  "trust": never look for Debian packages and never install any (other distributions)
# Environment set for what is started: LAXITY_ROOT, PYTHONPATH.

: "${root:?set root to the repository before sourcing tools/bootstrap.sh}"

readonly system_python=/usr/bin/python3
readonly dpkg_status=/var/lib/dpkg/status
as_owner=()       # command prefix that makes a set-up step run as the user who owns the tree
is_locked=        # "yes" while this process holds .setup/lock
debian_sum=       # checksum of the list that setup_debian has just satisfied; empty: its stamp is good already
reply='' packages=()  # results of the functions whose comments say so: a subshell per call would cost 1 ms

setup_say() {
    printf 'laxity setup: %s\n' "$*" >&2
}

# setup_fail WHAT WHY DO: end with exit code 3, "the machine or a set-up step lacks something"
setup_fail() {
    setup_say "$1: $2; $3"
    exit 3
}

# setup_show: what a compiler, a package manager or the network said, without what a terminal would obey (C0, DEL, C1)
setup_show() {
    LC_ALL=C sed -e 's/\xc2[\x80-\x9f]/?/g' | LC_ALL=C tr '\000-\010\013-\037\177' '?' >&2
}

# setup_run WHAT HINT COMMAND...: run one quiet step; its output is shown only when it fails
setup_run() {
    local what=$1 hint=$2
    shift 2
    if ! "$@" >"$root/.setup/log" 2>&1 </dev/null 9>&-; then
        tail -n 15 "$root/.setup/log" | setup_show
        setup_fail "$what" "failed, its last lines are above" "$hint"
    fi
}

# Under sudo the tree stays its user's: every step but apt-get runs as that user.
setup_find_owner() {
    local home
    [[ $EUID == 0 && -n ${SUDO_UID:-} && ${SUDO_UID} != 0 ]] || return 0
    [[ $(stat -c %u "$root") == "$SUDO_UID" ]] || return 0
    home=$(getent passwd "$SUDO_UID" | cut -d: -f6)
    as_owner=(setpriv "--reuid=$SUDO_UID" "--regid=${SUDO_GID:-$SUDO_UID}" --init-groups
        env "HOME=${home:-/nonexistent}")
    # Root must not leave __pycache__ folders that the user cannot remove.
    export PYTHONDONTWRITEBYTECODE=1
}

# setup_lock [ENOUGH...]: one set-up at a time per tree. The descriptor is closed again before anything long-lived starts. While
# another one runs and the command ENOUGH succeeds there is no waiting, and no lock: 1.
setup_lock() {
    [[ $is_locked == yes ]] && return 0
    setup_find_owner
    if [[ ! -e $root/.setup/lock || ! -e $root/.setup/log ]]; then
        # Both made here by the owner: root would otherwise leave files that the user cannot open.
        # shellcheck disable=SC2016  # expanded by the inner shell
        reply=$("${as_owner[@]}" bash -c 'mkdir -p "$1/.setup" && : >>"$1/.setup/lock" && : >>"$1/.setup/log"' laxity "$root" 2>&1) ||
            setup_fail "lock" "$root cannot be written to (${reply##*: })" "run as its owner, or set it up as its owner first"
    fi
    if ! { exec 9<>"$root/.setup/lock"; } 2>/dev/null; then
        # Again, for the reason alone: before it the shell names a line of this file.
        reply=$( (: <>"$root/.setup/lock") 2>&1)
        setup_fail "lock" "cannot open $root/.setup/lock (${reply##*: })" "run as the owner of the tree"
    fi
    flock -n 9 || setup_wait "$@" || return 1
    is_locked=yes
    trap 'setup_say "interrupted; the same command goes on from here"; exit 130' INT TERM
}

# setup_wait [ENOUGH...]: for the lock, as setup_lock says
setup_wait() {
    local is_said='' code=1
    # 1: somebody else has it.
    while ((code == 1)); do
        if [[ $# -gt 0 ]] && "$@"; then
            exec 9>&-
            return 1
        fi
        flock -w 1 9
        code=$?
        # A command that only looks whether all is there has it for less.
        [[ $code != 1 || -n $is_said ]] || setup_say "another set-up of this tree is running; waiting for it"
        is_said=yes
    done
    [[ $code == 0 ]] || setup_fail "lock" "flock failed on $root/.setup/lock" "run the command again"
}

setup_unlock() {
    exec 9>&-
    is_locked=
    trap - INT TERM
}

# checksum FILE: its sha256, in $reply
checksum() {
    reply=$(sha256sum <"$1") || setup_fail "checksum" "cannot read $1" "restore the file from git"
    reply=${reply%% *}
}

# has_stamp FILE TEXT
has_stamp() {
    [[ -e $1 && $(<"$1") == "$2" ]]
}

# write_stamp FILE TEXT
write_stamp() {
    # shellcheck disable=SC2016  # expanded by the inner shell
    "${as_owner[@]}" bash -c 'printf "%s\n" "$2" >"$1.new" && mv "$1.new" "$1"' - "$1" "$2" ||
        setup_fail "stamp" "cannot write $1" "look at the owner and the free space of $root"
}

# read_packages FILE: the package names of a list, without comments, in $packages
read_packages() {
    local line
    packages=()
    while read -r line; do
        line=${line%%#*}
        # shellcheck disable=SC2206  # one line may hold several names
        packages+=($line)
    done <"$1"
}

# missing_packages NAME...: those that dpkg does not call installed, in $packages
missing_packages() {
    local installed name
    installed=" $(dpkg-query -W -f '${db:Status-Status}/${Package} ' "$@" 2>/dev/null)"
    packages=()
    for name in "$@"; do
        [[ $installed == *" installed/$name "* ]] || packages+=("$name")
    done
}

install_packages() {
    local apt=(apt-get -o DPkg::Lock::Timeout=300) prefix=() todo
    todo="apt-get update && apt-get install -y --no-install-recommends $*"
    command -v apt-get >/dev/null ||
        setup_fail "system packages" "this system has no apt-get and lacks: $*" \
            "install their equivalents and set LAXITY_PACKAGES=trust"
    if [[ $EUID != 0 ]]; then
        command -v sudo >/dev/null ||
            setup_fail "Debian packages" "missing: $*; neither root nor sudo is at hand" "type as root: $todo"
        # Without a terminal nobody could answer sudo's question for a password.
        prefix=(sudo)
        [[ -t 0 ]] || prefix=(sudo -n)
    fi
    setup_say "installing Debian packages: $* (needs the network)"
    "${prefix[@]}" "${apt[@]}" update >"$root/.setup/log" 2>&1 9>&- ||
        setup_say "apt-get update failed; trying with the package lists at hand"
    if ! DEBIAN_FRONTEND=noninteractive "${prefix[@]}" "${apt[@]}" install -y --no-install-recommends "$@" \
        >>"$root/.setup/log" 2>&1 9>&-; then
        tail -n 20 "$root/.setup/log" | setup_show
        setup_fail "Debian packages" "apt-get failed, its last lines are above" \
            "this step needs the network and root; when it can work, run the command again or type as root: $todo"
    fi
}

# setup_debian SET: have the packages of deps/debian-12/SET.txt. The stamp is left to setup_stamp_debian, because at
# the first start .venv does not exist yet.
setup_debian() {
    local list="$root/deps/debian-12/$1.txt" stamp="$root/.venv/.stamp-debian-$1" sum
    debian_sum=
    [[ ${LAXITY_PACKAGES:-} == trust || ! -e $list ]] && return 0
    checksum "$list"
    sum=$reply
    # A tree copied from another machine, or a package removed since, shows in the age of dpkg's status file.
    if has_stamp "$stamp" "$sum" && [[ $stamp -nt $dpkg_status ]]; then
        return 0
    fi
    command -v dpkg-query >/dev/null ||
        setup_fail "system packages" "this is not a Debian system (no dpkg-query)" \
            "install what deps/debian-12/$1.txt names and set LAXITY_PACKAGES=trust"
    read_packages "$list"
    missing_packages "${packages[@]}"
    if [[ ${#packages[@]} -gt 0 ]]; then
        install_packages "${packages[@]}"
    fi
    debian_sum=$sum
}

setup_stamp_debian() {
    [[ -z $debian_sum ]] || write_stamp "$root/.venv/.stamp-debian-$1" "$debian_sum"
}

# is_usable_python PATH: new enough, and able to make virtual environments
is_usable_python() {
    [[ -x $1 ]] && "$1" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

# find_python: the interpreter for .venv, in $reply. A shim of a version manager would change its mind later.
find_python() {
    local candidate
    if [[ -n ${LAXITY_PYTHON:-} ]]; then
        reply=$LAXITY_PYTHON
        is_usable_python "$reply" && return 0
        setup_fail "python" "LAXITY_PYTHON=$reply is not a Python >= 3.11 with venv" "unset it or name another"
    fi
    while read -r candidate; do
        [[ $candidate == */shims/* ]] && continue
        reply=$candidate
        is_usable_python "$candidate" && return 0
    done < <(printf '%s\n' "$system_python" && type -aP python3)
    setup_fail "python" "no python3 >= 3.11 with venv found" "install python3 and python3-venv, or set LAXITY_PYTHON"
}

setup_venv() {
    local venv="$root/.venv" place
    place="$root $(readlink -f "$venv/bin/python")"
    if has_stamp "$venv/.stamp-venv" "$place" && [[ ! -e $venv/.installing ]]; then
        return 0
    fi
    find_python
    setup_say "making .venv from $reply"
    # Not what a link leads to: that is the environment of another tree.
    [[ ! -L $venv ]] || "${as_owner[@]}" rm -f "$venv"
    setup_run "virtual environment" "remove $venv and run the command again" \
        "${as_owner[@]}" "$reply" -m venv --clear "$venv"
    write_stamp "$venv/.stamp-venv" "$root $(readlink -f "$venv/bin/python")"
}

# setup_python SET: install deps/python/SET.lock. Downloading changes nothing in .venv; installing is local and quick,
# and if it is cut short .venv/.installing makes the next start begin with a clean .venv.
setup_python() {
    local lock="$root/deps/python/$1.lock" stamp="$root/.venv/.stamp-python-$1" wheels="$root/.setup/wheels" sum pip
    [[ -e $lock ]] || return 0
    checksum "$lock"
    sum=$reply
    has_stamp "$stamp" "$sum" && return 0
    pip=("${as_owner[@]}" "$root/.venv/bin/python" -m pip --disable-pip-version-check --no-input)
    setup_say "downloading Python packages of deps/python/$1.lock (needs the network)"
    setup_run "Python packages" "this step needs the network; when it is there, run the command again" \
        "${pip[@]}" download --require-hashes --no-deps --only-binary :all: --retries 2 -d "$wheels" -r "$lock"
    setup_say "installing Python packages of deps/python/$1.lock"
    write_stamp "$root/.venv/.installing" "$1"
    setup_run "Python packages" "run the command again" \
        "${pip[@]}" install --require-hashes --no-deps --no-index --find-links "$wheels" -r "$lock"
    write_stamp "$stamp" "$sum"
    "${as_owner[@]}" rm -rf "$root/.venv/.installing" "$wheels"
}

# setup_ninja BUILD TARGET...: bring it up to date, and say how far it is
setup_ninja() {
    "${as_owner[@]}" env NINJA_STATUS='%f/%t ' ninja -C "$@" 2>&1 </dev/null 9>&- | setup_count
    return "${PIPESTATUS[0]}"
}

# setup_count: of ninja's output what counts, on stderr as it comes; the rest to stdout
setup_count() {
    local line done='' said=$SECONDS
    while IFS= read -r line; do
        if [[ ! $line =~ ^([0-9]+)/([0-9]+)\  ]]; then
            [[ $line == 'ninja: '@(Entering|no work)* ]] || printf '%s\n' "$line"
            continue
        fi
        done="compiling, ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
        if [[ -t 2 ]]; then
            printf '\r\033[Klaxity setup: %s' "$done" >&2
        elif ((SECONDS - said >= 20)); then
            setup_say "$done"
            said=$SECONDS
        fi
    done
    [[ -z $done || ! -t 2 ]] || printf '\r\033[K' >&2
}

# setup_build: a configured build directory, brought up to date
setup_build() {
    local build="$root/build" output asked=()
    if [[ -e $build/.stamp-build ]] && ! has_stamp "$build/.stamp-build" "$root"; then
        setup_say "the tree has moved; configuring build/ afresh"
        # Asked for in its old place; LLVM may not be here.
        [[ ! -e $build/.stamp-workingset ]] || asked=(-Dworkingset=auto)
        [[ ! -e $build/.stamp-sim ]] || asked+=(-Dsim=auto)
        "${as_owner[@]}" rm -rf "$build"
    fi
    # Without both files meson did not finish; a directory that somebody configured by hand is left as it is.
    if [[ ! -e $build/build.ninja || ! -e $build/meson-private/coredata.dat ]]; then
        setup_say "configuring build/"
        "${as_owner[@]}" rm -rf "$build/meson-private" "$build/build.ninja"
        setup_run "build" "see build/meson-logs/meson-log.txt, then run the command again" \
            "${as_owner[@]}" "$root/.venv/bin/meson" setup "$build" "$root" "${asked[@]}"
        write_stamp "$build/.stamp-build" "$root"
        setup_say "compiling"
    fi
    if ! output=$(setup_ninja "$build"); then
        printf '%s\n' "$output" | setup_show
        setup_fail "build" "ninja failed, its output is above" "mend the source, or remove build/ and run again"
    fi
}

# setup_set SET: all that one set needs, beyond the run set
setup_set() {
    setup_debian "$1"
    setup_venv
    setup_stamp_debian "$1"
    setup_python "$1"
}

# setup_library_set SET FEATURE: the libraries of a set, and from now on a build that fails without them. Meson would not
# look for them again by itself: it remembers that they were not there.
setup_library_set() {
    setup_set "$1"
    has_stamp "$root/build/.stamp-$1" "$root" && return 0
    setup_run "set \"$1\"" "see build/meson-logs/meson-log.txt, then run the command again" \
        "${as_owner[@]}" "$root/.venv/bin/meson" configure --clearcache "$root/build" "-D$2=enabled"
    setup_build
    write_stamp "$root/build/.stamp-$1" "$root"
}

setup_host_set() {
    setup_library_set host host_workloads
}

setup_pfm_set() {
    setup_library_set pfm pfm
}

setup_bpf_set() {
    setup_library_set bpf bpf
}

setup_workingset_set() {
    setup_library_set workingset workingset
}

setup_sim_set() {
    setup_library_set sim sim
}

# has_python: whether the Python packages of the run set are there, whatever another set-up adds to them
has_python() {
    local venv="$root/.venv" sum
    checksum "$root/deps/python/run.lock"
    sum=$reply
    has_stamp "$venv/.stamp-venv" "$root $(readlink -f "$venv/bin/python")" && has_stamp "$venv/.stamp-python-run" "$sum" &&
        ! has_stamp "$venv/.installing" run
}

# setup_for ARGUMENT...: what a command line needs. Help and completion need Python alone; "list" and "doctor" do without what
# another set-up has not built yet; a tree of somebody else, already set up, is used as it is.
setup_for() {
    local enough=()
    export LAXITY_ROOT=$root PYTHONPATH=$root/python
    if [[ ! -w $root && -e $root/.venv/.stamp-python-run && -e $root/build/.stamp-build ]]; then
        return 0
    fi
    if is_help "$@"; then
        has_python || ! setup_lock has_python || setup_set run
        return 0
    fi
    [[ ${1:-} != @(list|doctor) ]] || enough=(has_python)
    setup_lock "${enough[@]}" || return 0
    setup_set run
    setup_build
}

# is_help ARGUMENT...: whether they ask for nothing but words
is_help() {
    local word
    [[ $# -gt 0 && -z ${_LAXITY_COMPLETE:-} ]] || return 0
    for word; do
        case $word in
        -h | --help | --version) return 0 ;;
        --exec) return 1 ;; # What stands behind it is a program's.
        esac
    done
    return 1
}

# setup_run_set: what every command needs
setup_run_set() {
    setup_for run
}
