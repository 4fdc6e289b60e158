#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs from a bundle (gpu-bundle.sh) on a machine with a GPU, its driver and the Python package torch 2.11.0: the self
# test on the device and a small sweep. Writes report.txt, selftest.json and gpu.remat into a folder (default: here).
# usage: gpu-check.sh [FOLDER] [DEVICE]
set -uo pipefail

readonly BUNDLE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly OUT="${1:-$PWD}"
readonly DEVICE="${2:-cuda:0}"
readonly REPORT="$OUT/report.txt"
mkdir -p "$OUT"
: >"$REPORT"

say() { printf '%s\n' "$*" | tee -a "$REPORT"; }

# REMAT_TORCH names a folder torch/ (an unpacked wheel) where there is no Python package.
torch="${REMAT_TORCH:-}"
if [ -z "$torch" ]; then
    torch="$(python3 -c 'import importlib.util, os; s = importlib.util.find_spec("torch"); print(os.path.dirname(s.origin) if s else "")')"
fi
if [ ! -e "$torch/lib/libtorch_cpu.so" ]; then
    say "gpu-check: no torch was found; install the Python package torch 2.11.0 or set REMAT_TORCH to its folder."
    exit 2
fi
[ -r "$torch/version.py" ] && version="$(sed -n "s/^__version__ = '\([^']*\)'.*/\1/p" "$torch/version.py")" || version="unknown"
export LD_LIBRARY_PATH="$BUNDLE/lib:$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

say "Rematscope GPU check, $(date -u +%Y-%m-%dT%H:%M:%SZ), torch $version in $torch"
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader | tee -a "$REPORT"

code=0
run() {
    local seconds="$1" title="$2" begin=$SECONDS status
    shift 2
    say "== $title"
    timeout "$seconds" "$@" 2>&1 | tee -a "$REPORT"
    status=${PIPESTATUS[0]}
    say "-- exit $status after $((SECONDS - begin)) s"
    [ "$status" -eq 0 ] || code=1
}

remat="$BUNDLE/bin/remat"
# A processor needs minutes for what a GPU does in seconds.
case "$DEVICE" in cpu) config=nanogpt-mini ;; *) config=gpt-12x256 ;; esac
run 60 "devices" "$remat" devices
run 240 "selftest" "$remat" selftest --device "$DEVICE"
timeout 120 "$remat" selftest --device "$DEVICE" --json >"$OUT/selftest.json" 2>>"$REPORT" || code=1
rm -f "$OUT/gpu.remat"
run 120 "sweep" "$remat" sweep "$BUNDLE/configs/$config.json" --device "$DEVICE" --dtype fp32 --batch 8 --repeats 5 \
    --strategies none every:1 segments:2 recursive --session "$OUT/gpu.remat"
# Types, kernels, families and options, a few seconds each. What a device cannot do ends with a sentence, not with silence.
more() {
    local title="$1"
    shift
    run 60 "$title" "$remat" sweep "$@" --device "$DEVICE" --repeats 3 --session "$OUT/gpu.remat"
}
case "$DEVICE" in
cpu) types=(bf16 mixed-bf16) kernels=(math flash) ;;
*) types=(bf16 fp16 mixed-bf16 mixed-fp16) kernels=(math flash efficient) ;;
esac
for dtype in "${types[@]}"; do
    more "type $dtype" "$BUNDLE/configs/$config.json" --batch 2 --dtype "$dtype" --strategies none every:1
done
for kernel in "${kernels[@]}"; do
    more "kernel $kernel" "$BUNDLE/configs/$config.json" --batch 2 --dtype bf16 --attention "$kernel" --attention-dropout 0 \
        --strategies none every:1 selective:attention
done
more "llama" "$BUNDLE/configs/llama-mini.json" --batch 2 --dtype bf16 --strategies none every:1 segments:2
more "options" "$BUNDLE/configs/$config.json" --batch 2 --dtype fp32 --strategies none selective:attention+mlp \
    selective:drop_qkv_norm+drop_up_norm segments:2+selective:mlp
more "adapters" "$BUNDLE/configs/$config.json" --batch 2 --dtype bf16 --train lora:8 --strategies none every:1
more "chunked loss" "$BUNDLE/configs/$config.json" --batch 2 --dtype bf16 --loss chunked:4 --strategies none every:1
run 30 "points" "$remat" show "$OUT/gpu.remat"
[ "$code" -eq 0 ] && say "gpu-check: everything passed" || say "gpu-check: something failed, see above"
exit "$code"
