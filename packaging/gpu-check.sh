#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs from a bundle (gpu-bundle.sh) on a machine with a GPU, its driver and the Python package torch 2.11.0: the self
# test on the device, small sweeps, and what only a GPU can show: driver and clocks, the allocator's state where memory ran
# out, ranges for a profiler, exact bytes. Writes report.txt, *.json and gpu.remat into a folder (default: here).
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

# fact TITLE FILE EXPRESSION: a Python expression over the JSON document `d` that must be true; its parts are printed.
fact() {
    local title="$1" file="$2" expression="$3"
    say "== $title"
    python3 -c "import json, sys
d = json.load(open(sys.argv[1]))
value = $expression
print(value)
sys.exit(0 if value and all(value) else 1)" "$file" 2>&1 | tee -a "$REPORT"
    if [ "${PIPESTATUS[0]}" -eq 0 ]; then
        say "-- holds"
    else
        say "-- does not hold"
        code=1
    fi
}
small=("$BUNDLE/configs/$config.json" --device "$DEVICE" --dtype fp32 --batch 2 --repeats 3)
# Exact requested bytes: what the prediction says is what the allocator was asked for, to the byte.
timeout 120 "$remat" sweep "${small[@]}" --strategies none every:1 segments:2 --session "$OUT/gpu.remat" --json >"$OUT/exact.json" 2>>"$REPORT" || code=1
fact "exact requested bytes" "$OUT/exact.json" \
    "[(p['strategy'], p['peak_bytes'] == p['predicted_peak_bytes'] or sys.exit(str(p))) for p in d['points']]"
fact "no paging" "$OUT/exact.json" "[p['paging_suspected'] is None for p in d['points']]"
if [ "$DEVICE" != cpu ]; then
    "$remat" devices --json >"$OUT/devices.json" 2>>"$REPORT" || code=1
    fact "NVML found" "$OUT/devices.json" "[(x['driver'], x['used_bytes'], not x['note']) for x in d['devices'] if x['usable'] and x['id'] != 'cpu' and (x['driver'] or sys.exit(str(x)))]"
    fact "driver, clocks and bytes of a run" "$OUT/exact.json" \
        "[d['points'][0]['environment'][k] for k in ('driver', 'clock_mhz', 'memory_clock_mhz', 'device_used_bytes')] + [d['points'][0]['device_used_peak_bytes']]"
    # A budget that holds the parameters and not the step: exit code and reason are the result.
    static="$(python3 -c "import json, sys; p = json.load(open(sys.argv[1]))['points'][0]; print(p['static_bytes'] + (p['peak_bytes'] - p['static_bytes']) // 3)" "$OUT/exact.json")"
    timeout 60 "$remat" measure "${small[@]}" --strategy none --memory-budget "$static" --json >"$OUT/failure.json" 2>>"$REPORT"
    fact "what the allocator had where memory ran out" "$OUT/failure.json" \
        "[d['status'] == 'does_not_fit', 'largest free block' in d['reason'] or 'none of it free' in d['reason'], d['failure_reserved_bytes'] > 0, d['reason']]"
    # Without a tool ranges do nothing; that they are made and closed is all that can be seen from here.
    run 60 "ranges for a profiler" env REMAT_NVTX=1 "$remat" measure "${small[@]}" --strategy selective:mlp
    if command -v nsys >/dev/null; then
        run 120 "ranges in Nsight Systems" nsys profile --force-overwrite true --trace nvtx,cuda -o "$OUT/ranges" \
            "$remat" measure "${small[@]}" --strategy every:1
        nsys stats --report nvtx_sum "$OUT/ranges.nsys-rep" 2>>"$REPORT" | tee -a "$REPORT" | grep -q "feed-forward . recompute" || code=1
    fi
fi
run 30 "points" "$remat" show "$OUT/gpu.remat"
[ "$code" -eq 0 ] && say "gpu-check: everything passed" || say "gpu-check: something failed, see above"
exit "$code"
