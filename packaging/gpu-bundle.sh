#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes a folder to copy to a GPU server: remat, engine, CUDA plug-in and the few libraries they need besides LibTorch,
# which comes from the server's own Python package torch 2.11.0. No Qt. usage: gpu-bundle.sh FOLDER [BUILD_FOLDER]
set -euo pipefail

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly OUT="${1:?usage: gpu-bundle.sh FOLDER [BUILD_FOLDER]}"
readonly BUILD="${2:-$ROOT/build/release}"
readonly LIMIT_MB=60

fail() {
    printf 'gpu-bundle: %s\n' "$1" >&2
    exit 1
}

for file in bin/remat lib/libremat_engine.so lib/libremat_cuda.so; do
    [ -e "$BUILD/$file" ] || fail "$BUILD/$file is missing; run 'bash packaging/bootstrap.sh build' first."
done

rm -rf "$OUT"
mkdir -p "$OUT/bin" "$OUT/lib" "$OUT/configs"
cp "$BUILD/bin/remat" "$OUT/bin/"
cp "$BUILD/lib/libremat_engine.so" "$BUILD/lib/libremat_cuda.so" "$OUT/lib/"
cp "$ROOT"/resources/configs/*.json "$OUT/configs/"
cp "$ROOT/packaging/gpu-check.sh" "$OUT/"
cp -r "$ROOT/packaging/licenses" "$OUT/licenses"

# Libraries of this system that are neither LibTorch's nor part of every Linux.
list_needed() {
    ldd "$OUT/bin/remat" "$OUT/lib/libremat_engine.so" "$OUT/lib/libremat_cuda.so" 2>/dev/null |
        awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -Ev '/(libc|libm|libdl|libpthread|librt|libutil|ld-linux[^/]*)\.so' | grep -Ev '/(torch|nvidia)/'
}
while read -r library; do
    cp -L "$library" "$OUT/lib/"
done < <(list_needed)
strip --strip-unneeded "$OUT/bin/remat" "$OUT"/lib/*.so* 2>/dev/null || true

if ls "$OUT"/lib | grep -qi '^libqt'; then
    fail "a Qt library got into the bundle; remat must not need Qt."
fi
size="$(du -sm "$OUT" | cut -f1)"
[ "$size" -le "$LIMIT_MB" ] || fail "the bundle has $size MB, the limit is $LIMIT_MB MB."
printf 'gpu-bundle: %s, %s MB. On the server: bash gpu-check.sh\n' "$OUT" "$size"
