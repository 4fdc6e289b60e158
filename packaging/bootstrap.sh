#!/bin/bash
# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From a fresh Debian 12 to a running window or a passed test suite. Everything it says goes to stderr, so that stdout
# holds only what the started program prints (bench --json).

set -euo pipefail
export LC_ALL=C.UTF-8
export PATH="$PATH:/usr/sbin:/sbin" # plain users have no sbin, and ldconfig lives there

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly SDK="$ROOT/.sdk"
readonly REQUIREMENTS="$ROOT/packaging/sdk_requirements.txt"
readonly PRESET="${REMAT_PRESET:-release}"
readonly LOG_FOLDER="$ROOT/build"
readonly OS_RELEASE="${REMAT_OS_RELEASE:-/etc/os-release}" # the test names another

readonly SDK_DOWNLOAD_MB=544
readonly SDK_UNPACKED_MB=550
readonly BUILD_MB=900
readonly PEER_DOWNLOAD_MB=2500
readonly PEER_MB=6500

# What a build needs, what tests and benchmarks need on top, and what the comparison with Python needs on top of both.
readonly BUILD_PACKAGES=(ca-certificates python3-pip g++ cmake ninja-build ccache qt6-base-dev qt6-svg-dev libqt6svg6
    libqcustomplot-dev libsqlitecpp-dev libsqlite3-dev nlohmann-json3-dev libcli11-dev libzstd-dev
    fonts-dejavu-core fonts-wqy-microhei)
readonly TEST_PACKAGES=(librapidcheck-dev xvfb xauth clang-format sqlite3)
readonly PEER_PACKAGES=(python3-venv)

say() { printf '%s\n' "$*" >&2; }

die() {
    say "bootstrap.sh: $*"
    exit 1
}

usage() {
    say "usage: bash packaging/bootstrap.sh run [FILE…]           build and start the window
       bash packaging/bootstrap.sh test                  build and run every test, without a display
       bash packaging/bootstrap.sh build                 build the programs
       bash packaging/bootstrap.sh sdk                   install dependencies only
       bash packaging/bootstrap.sh bench [NAME] [--json] build and run the benchmarks (peer: against Python)
Environment: REMAT_PRESET (release, ci, dev, dev-asan; now $PRESET)."
    exit 2
}

check_system() {
    local id="unknown" version="" machine
    machine="$(uname -m)"
    if [ -r "$OS_RELEASE" ]; then
        id="$(. "$OS_RELEASE" && printf '%s' "${ID:-unknown}")"
        version="$(. "$OS_RELEASE" && printf '%s' "${VERSION_ID:-}")"
    fi
    local supported="no"
    case "$id:$version" in
    debian:12 | debian:13) supported="yes" ;;
    ubuntu:24.* | ubuntu:25.* | ubuntu:26.*)
        supported="yes"
        say "Ubuntu has the same packages, but this script was never tried there."
        ;;
    esac
    if [ "$supported" = yes ] && [ "$machine" = x86_64 ] && command -v apt-get >/dev/null; then
        return
    fi
    die "this system is not supported.
  found:     ${id} ${version:-without a version}, processor ${machine}$(command -v apt-get >/dev/null || echo ', no apt-get')
  supported: Debian 12, Debian 13, Ubuntu 24.04 or later, each on x86_64 with apt-get
Elsewhere, install a C++20 compiler, CMake 3.25, Ninja, Qt 6.4 with Svg, QCustomPlot for Qt 6, SQLiteCpp, nlohmann-json,
CLI11 and zstd, unpack the wheels of packaging/sdk_requirements.txt with packaging/unpack_wheels.py into .sdk, and use
the CMake presets."
}

check_preset() {
    case "$PRESET" in
    release | ci) BUILD_FOLDER="$ROOT/build/release" ;;
    dev | dev-asan) BUILD_FOLDER="$ROOT/build/$PRESET" ;;
    *) die "REMAT_PRESET is '$PRESET'; allowed are release, ci, dev and dev-asan." ;;
    esac
    readonly BUILD_FOLDER
}

# Free MB where a path lies, or where its nearest existing parent does.
free_mb() {
    local path="$1"
    while [ ! -e "$path" ]; do path="$(dirname "$path")"; done
    df -Pm "$path" | awk 'NR == 2 { print $4 }'
}

need_space() {
    local path="$1" needed="$2" what="$3" free
    free="$(free_mb "$path")"
    [ "$free" -ge "$needed" ] || die "$what needs $needed MB under $path, and $free MB are free; make room and try again."
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -E env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# Asks for the password before any output is redirected, where the question would be lost.
need_root() {
    [ "$(id -u)" -eq 0 ] && return
    command -v sudo >/dev/null || die "packages are missing and this is neither root nor a system with sudo; run as root:
  apt-get install --no-install-recommends $*"
    sudo -v || die "sudo did not grant the right to install packages."
}

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s\n' "$package"
    done
}

run_logged() {
    local log="$LOG_FOLDER/bootstrap-apt.log"
    mkdir -p "$LOG_FOLDER"
    if ! "$@" </dev/null >>"$log" 2>&1; then
        tail -n 30 "$log" >&2
        die "'$*' failed; its whole output is in $log."
    fi
}

install_packages() {
    local missing plan
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -eq 0 ] && return
    need_root "${missing[@]}"
    say "Missing packages: ${missing[*]}"
    local apt=(apt-get -o DPkg::Lock::Timeout=300)
    run_logged as_root "${apt[@]}" update
    # Dry run first: what it would fetch and use is said, and checked against the disk, before anything changes.
    plan="$(as_root "${apt[@]}" install --assume-no --no-install-recommends "${missing[@]}" </dev/null 2>&1 || true)"
    local archives disk
    archives="$(size_in_mb "$plan" 'Need to get')"
    disk="$(size_in_mb "$plan" 'After this operation')"
    say "Installing with apt-get: $archives MB to download, $disk MB on disk."
    need_space /var/cache/apt "$archives" "The download of Debian packages"
    need_space /usr "$((archives + disk + 100))" "Installing Debian packages"
    run_logged as_root "${apt[@]}" install --yes --no-install-recommends "${missing[@]}"
}

# "Need to get 196 MB/210 MB of archives", "After this operation, 1,014 MB of …" to whole MB.
size_in_mb() {
    printf '%s\n' "$1" | awk -v start="$2" 'index($0, start) == 1 {
        for (i = 1; i <= NF; ++i)
            if ($i ~ /^[0-9][0-9.,]*$/) {
                number = $i; unit = $(i + 1); gsub(",", "", number); sub("/.*", "", unit)
                factor = unit == "B" ? 0 : unit == "kB" ? 0.001 : unit == "GB" ? 1000 : 1
                printf "%d\n", number * factor + 0.999; found = 1; exit
            }
    } END { if (!found) print 0 }'
}

sdk_stamp() { cat "$REQUIREMENTS" "$ROOT/packaging/unpack_wheels.py" | sha256sum | cut -d' ' -f1; }

install_sdk() {
    local stamp
    stamp="$(sdk_stamp)"
    [ -r "$SDK/stamp" ] && [ "$(cat "$SDK/stamp")" = "$stamp" ] && return
    say "Fetching LibTorch 2.11.0: $SDK_DOWNLOAD_MB MB to download, $SDK_UNPACKED_MB MB on disk in .sdk."
    need_space "$SDK" "$((SDK_DOWNLOAD_MB * 2 + SDK_UNPACKED_MB))" "LibTorch"
    mkdir -p "$SDK"
    local work
    work="$(mktemp -d "$SDK/fetch.XXXXXX")"
    # Expanded now: the local name is gone when the trap runs. TMPDIR, as /tmp may be a small memory disk.
    trap "rm -rf '$work'" EXIT
    download_wheels "$work"
    python3 "$ROOT/packaging/unpack_wheels.py" "$work/wheels" "$work/unpacked"
    rm -rf "$SDK/torch" "$SDK/nvidia" "$SDK"/*.dist-info
    mv "$work/unpacked"/* "$SDK/"
    printf '%s\n' "$stamp" >"$SDK/stamp"
    rm -rf "$work"
    trap - EXIT
}

# pip takes only tags that are named exactly, whatever Python it runs under.
download_wheels() {
    local work="$1" tag tags=()
    for tag in manylinux_2_28 manylinux_2_27 manylinux_2_25 manylinux_2_18 manylinux_2_17 manylinux2014 manylinux_2_12 \
        manylinux2010; do
        tags+=(--platform "${tag}_x86_64")
    done
    mkdir -p "$work/tmp" "$work/wheels"
    TMPDIR="$work/tmp" python3 -m pip download --quiet --no-cache-dir --no-deps --only-binary=:all: \
        --disable-pip-version-check --implementation cp --python-version 311 "${tags[@]}" \
        --require-hashes -r "$REQUIREMENTS" -d "$work/wheels" >&2 ||
        die "the wheels of packaging/sdk_requirements.txt could not be fetched; check the network and try again."
}

# A compiler that includes LibTorch takes up to 1.4 GiB, so memory bounds the number of jobs as well as cores.
job_count() {
    local cores memory
    cores="$(nproc)"
    memory="$(awk '/^MemAvailable/ { print int($2 / 1024 / 2048) }' /proc/meminfo)"
    [ "$memory" -ge 1 ] || memory=1
    echo "$((cores < memory ? cores : memory))"
}

TARGETS=() # all of them

build() {
    need_space "$BUILD_FOLDER" "$([ -d "$BUILD_FOLDER" ] && echo 100 || echo "$BUILD_MB")" "The build"
    [ -w "$ROOT" ] && { [ ! -e "$BUILD_FOLDER" ] || [ -w "$BUILD_FOLDER" ]; } ||
        die "$BUILD_FOLDER cannot be written; it may belong to root from an earlier call: remove it or change its owner."
    (cd "$ROOT" && cmake --preset "$PRESET" "$@" && cmake --build --preset "$PRESET" --parallel "$(job_count)" "${TARGETS[@]}") >&2
}

# Called through sudo, the results belong to the one who called.
hand_back() {
    [ "$(id -u)" -eq 0 ] && [ -n "${SUDO_UID:-}" ] || return 0
    local path
    for path in "$SDK" "$ROOT/build"; do
        [ ! -e "$path" ] || chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$path"
    done
}

prepare() {
    check_system
    check_preset
    install_packages "$@"
    install_sdk
}

command_sdk() {
    [ $# -eq 0 ] || usage
    prepare "${BUILD_PACKAGES[@]}"
    hand_back
    say "Dependencies are installed."
}

command_build() {
    [ $# -eq 0 ] || usage
    prepare "${BUILD_PACKAGES[@]}"
    build -DREMAT_BUILD_TESTS=OFF -DREMAT_BUILD_BENCHMARKS=OFF
    hand_back
    say "Built $BUILD_FOLDER/bin/rematscope and $BUILD_FOLDER/bin/remat."
}

command_run() {
    prepare "${BUILD_PACKAGES[@]}"
    build -DREMAT_BUILD_TESTS=OFF -DREMAT_BUILD_BENCHMARKS=OFF
    hand_back
    if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; then
        die "built, but there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. Start it from a desktop session
(or with ssh -X):  $BUILD_FOLDER/bin/rematscope
Without a display, use the command line:  $BUILD_FOLDER/bin/remat --help"
    fi
    exec "$BUILD_FOLDER/bin/rematscope" "$@"
}

command_test() {
    [ $# -eq 0 ] || usage
    prepare "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
    build -DREMAT_BUILD_TESTS=ON -DREMAT_BUILD_BENCHMARKS=OFF
    # Every public header compiles alone.
    (cd "$ROOT" && cmake --build --preset "$PRESET" --parallel "$(job_count)" --target all_verify_interface_header_sets) >&2
    hand_back
    cd "$ROOT"
    exec ctest --preset "$PRESET"
}

# The comparison alone needs a whole Python torch, libraries for GPUs included: without them it cannot be imported.
install_peer() {
    local python="$SDK/python/bin/python3" requirements="$ROOT/packaging/peer_requirements.txt" stamp
    export REMAT_PEER_PYTHON="$python"
    stamp="$(sha256sum <"$requirements")"
    [ -r "$SDK/python/stamp" ] && [ "$(cat "$SDK/python/stamp")" = "$stamp" ] && return
    python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
        die "bench peer needs Python 3.11, which is that of Debian 12; this is $(python3 --version)."
    need_space "$SDK" "$PEER_MB" "Python's torch"
    say "Installing Python's torch 2.11.0 into .sdk/python: $PEER_DOWNLOAD_MB MB to download, $PEER_MB MB while it unpacks."
    rm -rf "$SDK/python"
    python3 -m venv "$SDK/python"
    mkdir "$SDK/python/tmp"
    TMPDIR="$SDK/python/tmp" "$python" -m pip install --quiet --no-cache-dir --no-deps --only-binary=:all: \
        --disable-pip-version-check --require-hashes -r "$requirements" >&2 || die "Python's torch could not be installed."
    rm -rf "$SDK/python/tmp"
    printf '%s\n' "$stamp" >"$SDK/python/stamp"
}

command_bench() {
    local name="" json=() argument
    for argument in "$@"; do
        case "$argument" in
        --json) json=(--json) ;;
        -*) usage ;;
        *) [ -z "$name" ] && name="$argument" || usage ;;
        esac
    done
    local packages=("${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}")
    [ "$name" != peer ] || packages+=("${PEER_PACKAGES[@]}")
    prepare "${packages[@]}"
    [ "$name" != peer ] || install_peer
    TARGETS=(--target remat rematscope remat_engine remat_bench remat_bench_engine remat_peer_allocator)
    build -DREMAT_BUILD_TESTS=ON -DREMAT_BUILD_BENCHMARKS=ON
    hand_back
    export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
    exec "$BUILD_FOLDER/bin/remat_bench" ${name:+"$name"} "${json[@]}"
}

[ $# -ge 1 ] || usage
readonly COMMAND="$1"
shift
case "$COMMAND" in
run | test | build | sdk | bench) "command_$COMMAND" "$@" ;;
*) usage ;;
esac
