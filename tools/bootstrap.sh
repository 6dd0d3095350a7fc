# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
#
# Set-up shared by ./laxity, ./check, tools/lint and tools/setup-set; to be sourced with `root` set to the repository.
#
# Each step is done once and leaves a stamp, written only after success, that says for what it was done. An
# interrupted step has no stamp, so running the same command again goes on where it stopped.
#
#   .setup/                    lock and log of the steps that every command needs; lock-SET, log-SET; downloaded wheels
#   .venv/.stamp-venv          interpreter and place of the virtual environment
#   .venv/.stamp-debian-SET    checksum of deps/debian-12/SET.txt; older than dpkg's own status: looked at again
#   .venv/.stamp-python-SET    checksum of deps/python/SET.lock
#   build/.stamp-build         place of the build directory
#   build/.stamp-host          the build demands the host workloads; build/.stamp-pfm: libpfm4, build/.stamp-bpf: BPF
#   build/sets/SET/.stamp-set  place of the build directory of a set that is a build of its own (workingset, sim)
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
setup_log=$root/.setup/log
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
    if ! "$@" >"$setup_log" 2>&1 </dev/null 9>&-; then
        tail -n 15 "$setup_log" | setup_show
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

# take_lock FILE [ENOUGH...]: hold .setup/FILE as descriptor 9 and write into it who does. Where another process holds it and the command
# ENOUGH succeeds: 1, without waiting and without the lock.
take_lock() {
    local file=$root/.setup/$1 is_said='' code words holder
    shift
    setup_find_owner
    if [[ ! -e $file || ! -e $setup_log ]]; then
        # Both made here by the owner: root would otherwise leave files that the user cannot open.
        # shellcheck disable=SC2016  # expanded by the inner shell
        reply=$("${as_owner[@]}" bash -c 'mkdir -p "$1/.setup" && : >>"$2" && : >>"$3"' laxity "$root" "$file" "$setup_log" 2>&1) ||
            setup_fail "lock" "$root cannot be written to (${reply##*: })" "run as its owner, or set it up as its owner first"
    fi
    if ! { exec 9<>"$file"; } 2>/dev/null; then
        # Again, for the reason alone: before it the shell names a line of this file.
        reply=$( (: <>"$file") 2>&1)
        setup_fail "lock" "cannot open $file (${reply##*: })" "run as the owner of the tree"
    fi
    flock -n 9
    code=$?
    # 1: another process has it.
    while ((code == 1)); do
        if [[ $# -gt 0 ]] && "$@"; then
            exec 9>&-
            return 1
        fi
        flock -w 1 9
        code=$?
        # Most commands hold it for less than a second.
        if [[ $code == 1 && -z $is_said ]]; then
            read -r holder <"$file"
            setup_say "${holder:-another process holds $file}; waiting for its end"
            is_said=yes
        fi
    done
    [[ $code == 0 ]] || setup_fail "lock" "flock failed on $file" "run the command again"
    mapfile -d '' words </proc/$$/cmdline
    # Quoted: another user's terminal shows it.
    printf -v holder '%q ' "${words[1]##*/}" "${words[@]:2:1}"
    printf 'process %d (%s) has held .setup/%s since %(%H:%M:%S)T\n' $$ "${holder% }" "${file##*/}" -1 >"$file"
    trap 'setup_say "interrupted; the same command goes on from here"; exit 130' INT TERM
}

# setup_lock [ENOUGH...]: apt, pip and the build of what every command needs, one at a time per tree. The descriptor is closed again before
# anything long-lived starts. While another set-up runs and the command ENOUGH succeeds there is no waiting, and no lock: 1.
setup_lock() {
    [[ $is_locked == yes ]] && return 0
    take_lock lock "$@" || return 1
    is_locked=yes
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
    "${prefix[@]}" "${apt[@]}" update >"$setup_log" 2>&1 9>&- ||
        setup_say "apt-get update failed; trying with the package lists at hand"
    if ! DEBIAN_FRONTEND=noninteractive "${prefix[@]}" "${apt[@]}" install -y --no-install-recommends "$@" \
        >>"$setup_log" 2>&1 9>&-; then
        tail -n 20 "$setup_log" | setup_show
        setup_fail "Debian packages" "apt-get failed, its last lines are above" \
            "this step needs the network and root; when it can work, run the command again or type as root: $todo"
    fi
}

# setup_debian SET: have the packages of deps/debian-12/SET.txt. The stamp is left to setup_stamp_debian, because at
# the first start .venv does not exist yet.
setup_debian() {
    debian_sum=
    has_packages "$1" && return 0
    if [[ ${#packages[@]} -gt 0 ]]; then
        install_packages "${packages[@]}"
    fi
    checksum "$root/deps/debian-12/$1.txt"
    debian_sum=$reply
}

# has_packages SET: whether its stamp says that the Debian packages are there; if not, those that are missing, in $packages
has_packages() {
    local list="$root/deps/debian-12/$1.txt" stamp="$root/.venv/.stamp-debian-$1"
    packages=()
    [[ ${LAXITY_PACKAGES:-} == trust || ! -e $list ]] && return 0
    checksum "$list"
    # A tree copied from another machine, or a package removed since, shows in the age of dpkg's status file.
    if has_stamp "$stamp" "$reply" && [[ $stamp -nt $dpkg_status ]]; then
        return 0
    fi
    command -v dpkg-query >/dev/null ||
        setup_fail "system packages" "this is not a Debian system (no dpkg-query)" \
            "install what deps/debian-12/$1.txt names and set LAXITY_PACKAGES=trust"
    read_packages "$list"
    missing_packages "${packages[@]}"
    return 1
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

# setup_venv SET: a virtual environment for the packages of SET. One that was left while those of another set were being installed will do:
# the packages of the run set are in every lock in the same version, so pip does not touch them then.
setup_venv() {
    local venv="$root/.venv" place
    place="$root $(readlink -f "$venv/bin/python")"
    if has_stamp "$venv/.stamp-venv" "$place" && ! has_stamp "$venv/.installing" run && ! has_stamp "$venv/.installing" "$1"; then
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

# is_configured BUILD: without both files meson did not finish; a directory that was configured by hand is left as it is
is_configured() {
    [[ -e $1/build.ninja && -e $1/meson-private/coredata.dat ]]
}

# configure_build BUILD OPTION...: by meson
configure_build() {
    local build=$1
    shift
    setup_say "configuring ${build#"$root"/}/"
    "${as_owner[@]}" rm -rf "$build/meson-private" "$build/build.ninja"
    setup_run "build" "see ${build#"$root"/}/meson-logs/meson-log.txt, then run the command again" \
        "${as_owner[@]}" "$root/.venv/bin/meson" setup "$build" "$root" "$@"
}

# compile_build BUILD TARGET...: by ninja; what fails is shown, and is the end
compile_build() {
    local output
    output=$(setup_ninja "$@") && return 0
    printf '%s\n' "$output" | setup_show
    setup_fail "build" "ninja failed, its output is above" "fix the source, or remove ${1#"$root"/}/ and run again"
}

# setup_build: what every command needs, built in build/
setup_build() {
    configure_native
    compile_build "$root/build"
}

# configure_native: build/, afresh where it has moved or holds sets that are builds of their own
configure_native() {
    local build="$root/build"
    if [[ -e $build/.stamp-build ]] && ! has_stamp "$build/.stamp-build" "$root"; then
        setup_say "the tree has moved; configuring build/ afresh"
        forget_build
    elif [[ -e $build/.stamp-workingset || -e $build/.stamp-sim ]]; then
        setup_say "build/ holds optional sets, which have builds of their own now; configuring build/ afresh"
        forget_build
    fi
    ! is_configured "$build" || return 0
    configure_build "$build"
    write_stamp "$build/.stamp-build" "$root"
    setup_say "compiling"
}

# forget_build: remove what is in build/ but for the sets, which look for themselves whether they have moved
forget_build() {
    if [[ -L $root/build ]]; then
        "${as_owner[@]}" rm -f "$root/build"
        return
    fi
    "${as_owner[@]}" find "$root/build" -mindepth 1 -maxdepth 1 ! -name sets -exec rm -rf {} +
}

# setup_set SET: all that one set needs, beyond the run set
setup_set() {
    setup_debian "$1"
    setup_venv "$1"
    setup_stamp_debian "$1"
    setup_python "$1"
}

# setup_library_set SET FEATURE: the libraries of a set, and from now on a build that fails without them. Meson would not
# look for them again by itself: it remembers that they were not there.
setup_library_set() {
    setup_set "$1"
    configure_native
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

# The sets that take minutes to compile: each is a build directory of its own, build/sets/SET, so that no command waits for a set that it
# does not need. Their feature in meson_options.txt has their name, and their target is set-SET.
setup_workingset_set() {
    setup_built_set workingset
}

setup_sim_set() {
    setup_built_set sim
}

# setup_built_set SET: packages under the lock of all, the rest under that of the set
setup_built_set() {
    setup_lock
    setup_set "$1"
    setup_unlock
    build_set "$1"
}

# build_set SET [ENOUGH...]: configured and up to date; nothing is done where another process is about it and the command ENOUGH succeeds
build_set() {
    local name=$1 build="$root/build/sets/$1" setup_log="$root/.setup/log-$1"
    shift
    take_lock "lock-$name" "$@" || return 0
    if [[ -e $build/.stamp-set ]] && ! has_stamp "$build/.stamp-set" "$root"; then
        setup_say "the tree has moved; configuring build/sets/$name/ afresh"
        "${as_owner[@]}" rm -rf "$build"
    fi
    is_configured "$build" || configure_build "$build" "-D$name=enabled" -Dbpf=disabled -Dhost_workloads=disabled
    compile_build "$build" "set-$name"
    has_stamp "$build/.stamp-set" "$root" || write_stamp "$build/.stamp-set" "$root"
    setup_unlock
}

# refresh_set SET: bring a set that is installed up to date with its sources; what is there already keeps nobody waiting. A build that is
# linked to is another tree's.
refresh_set() {
    local build="$root/build/sets/$1"
    [[ -w $root && ! -L $root/build && -e $build/.stamp-set ]] || return 0
    build_set "$1" has_nothing_to_do "$build" "set-$1"
}

# has_nothing_to_do BUILD TARGET...: whether ninja would leave it as it is
has_nothing_to_do() {
    [[ -e $1/build.ninja && $(ninja -n -C "$@" 2>/dev/null) == *'ninja: no work to do.'* ]]
}

# has_python: whether the Python packages of the run set are there, whatever another set-up adds to them
has_python() {
    local venv="$root/.venv" sum
    checksum "$root/deps/python/run.lock"
    sum=$reply
    has_stamp "$venv/.stamp-venv" "$root $(readlink -f "$venv/bin/python")" && has_stamp "$venv/.stamp-python-run" "$sum" &&
        ! has_stamp "$venv/.installing" run
}

# is_set_up: whether what every command needs is there and up to date, whatever another set-up adds to it
is_set_up() {
    has_python && { has_packages run || [[ ${#packages[@]} == 0 ]]; } && has_stamp "$root/build/.stamp-build" "$root" &&
        has_nothing_to_do "$root/build"
}

# is_of_another: whether the tree is another user's and set up; then it is used as it is
is_of_another() {
    [[ ! -w $root && -e $root/.venv/.stamp-python-run && -e $root/build/.stamp-build ]]
}

# setup_for ARGUMENT...: what a command line needs. Help, completion and `setup`, which sets up what it needs by itself, need Python alone;
# "list" and "doctor" do without what another set-up has not built yet.
setup_for() {
    local enough=(is_set_up)
    export LAXITY_ROOT=$root PYTHONPATH=$root/python
    is_of_another && return 0
    if is_help "$@" || is_setup "$@"; then
        has_python || ! setup_lock has_python || setup_set run
        return 0
    fi
    [[ ${1:-} != @(list|doctor) ]] || enough=(has_python)
    setup_lock "${enough[@]}" || return 0
    setup_set run
    setup_build
}

# is_setup ARGUMENT...: whether they are of `laxity setup`; manual pages are made from what the native programs say
is_setup() {
    [[ ${1:-} == setup && " $* " != *' --man-pages'* ]]
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

# setup_run_set: what every command needs, under the lock
setup_run_set() {
    export LAXITY_ROOT=$root PYTHONPATH=$root/python
    is_of_another && return 0
    setup_lock
    setup_set run
    setup_build
}
