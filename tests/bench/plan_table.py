#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures optimal plans beside the best of the rules at equal memory, and how far predicted times are off.

usage: plan_table.py REMAT OUT.json [--case gpt2|llama|bert]... [--rounds N]

For each case: every rule (every:N, segments:K, first:N, selective) is measured once. Ten peaks of that front become
budgets. For each, the two fastest rules that fit and the plan of `budget:BYTES` are then measured anew, interleaved in
one sweep, so that no rule is favoured by having been picked for a lucky median. Prints Markdown; exit code 1 where a
plan exceeds its budget, a prediction of bytes is off, or a gradient differs.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
CASES = {
    "gpt2": ("GPT-2-like", ROOT / "resources/configs/gpt-12x256.json", 12,
             ["--batch", "2", "--seq", "256", "--attention-dropout", "0.1"]),
    "llama": ("Llama-like with GQA", ROOT / "tests/bench/configs/llama-8x256.json", 8, ["--batch", "4", "--seq", "256"]),
    "bert": ("BERT-like", ROOT / "tests/bench/configs/bert-8x256.json", 8,
             ["--batch", "4", "--seq", "256", "--attention-dropout", "0.1"]),
}
BUDGETS = 10
MIB = 1024 * 1024


def rules(layers):
    return (["none"] + [f"every:{n}" for n in range(1, layers + 1)] + [f"segments:{k}" for k in range(2, layers + 1)]
            + [f"first:{n}" for n in range(1, layers)]
            + [f"selective:{ids}" for ids in ("attention", "mlp", "attention+mlp", "drop_qkv", "drop_up")])


def sweep(remat, case, strategies, repeats):
    _, config, _, options = case
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([remat, "sweep", str(config), *options, "--session", f"{folder}/a.remat", "--strategies",
                                 *strategies, "--repeats", str(repeats), "--json"], capture_output=True, text=True,
                                check=False)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return json.loads(result.stdout)["points"]


def time_of(point):
    return point["step_ns"]["median"]


def front_of(points):
    """From the largest peak down to the smallest; each is faster than all that need no more."""
    best, front = None, []
    for point in sorted(points, key=lambda p: (p["peak_bytes"], time_of(p))):
        if best is None or time_of(point) < best:
            best = time_of(point)
            front.append(point)
    return front


def budgets_of(points):
    """Peaks of the front, spread evenly in memory below `none`; where it has too few, evenly spaced bytes beside them."""
    peaks = [point["peak_bytes"] for point in front_of(points)]
    least, most = peaks[0], next(p for p in points if p["strategy"] == "none")["peak_bytes"]
    step = (most - least) // BUDGETS
    chosen = []
    for target in range(least, most, step)[:BUDGETS]:
        near = min(peaks, key=lambda peak: abs(peak - target))
        alone = all(abs(near - other) > step // 4 for other in chosen)
        chosen.append(near if alone and near < most else target)
    return sorted(chosen)


def candidates(points, budget):
    return [p["strategy"] for p in sorted((p for p in points if p["peak_bytes"] <= budget), key=time_of)[:2]]


def rows_of(remat, case, rounds):
    first = sweep(remat, case, rules(case[2]), 5)
    budgets = budgets_of(first)
    chosen = {budget: candidates(first, budget) for budget in budgets}
    names = ["none"] + sorted({name for pair in chosen.values() for name in pair} - {"none"})
    second = sweep(remat, case, names + [f"budget:{budget}" for budget in budgets], rounds)
    by_name = {point["strategy"]: point for point in second}
    rows = [{"budget": budget, "plan": by_name[f"budget:{budget}"],
             "rule": min((by_name[name] for name in chosen[budget]), key=time_of)} for budget in budgets]
    return rows, [first, second], by_name["none"]


def step_text(point):
    step = point["step_ns"]
    return f"{step['median'] / 1e6:.0f} ({step['q1'] / 1e6:.0f}–{step['q3'] / 1e6:.0f})"


def print_case(title, rows, everything):
    print(f"\n{title}; `none`: {everything['peak_bytes'] / MIB:.1f} MiB, {step_text(everything)} ms\n")
    print("| budget MiB | best rule | ms (quartiles) | plan's peak MiB | ms (quartiles) | plan ÷ rule |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        ratio = time_of(row["plan"]) / time_of(row["rule"])
        print(f"| {row['budget'] / MIB:.1f} | `{row['rule']['strategy']}` | {step_text(row['rule'])} | "
              f"{row['plan']['peak_bytes'] / MIB:.1f} | {step_text(row['plan'])} | {ratio:.3f} |")


def problems_of(rows, points):
    found = [f"budget {row['budget']}: the plan took {row['plan']['peak_bytes']}" for row in rows
             if row["plan"]["peak_bytes"] > row["budget"]]
    for point in points:
        if point["predicted_peak_bytes"] != point["peak_bytes"]:
            found.append(f"{point['strategy']}: predicted {point['predicted_peak_bytes']}, recorded {point['peak_bytes']}")
        if not point["equality"]["checked"] or point["equality"]["differing_elements"]:
            found.append(f"{point['strategy']}: gradients differ")
    return found


def spread_text(errors):
    errors = sorted(errors)
    deciles = statistics.quantiles(errors, n=10)
    within = sum(abs(error) <= 0.05 for error in errors)
    return (f"median {statistics.median(errors):+.1%}, deciles {deciles[0]:+.1%} to {deciles[-1]:+.1%}, "
            f"{within} of {len(errors)} within 5 %")


def print_errors(sweeps):
    """Predicted over measured step time - 1; and the same of step times over that of `none` in their own sweep, which takes
    out what slows the machine down as a whole between a probe and its runs."""
    plain, to_none = [], []
    for points in sweeps:
        off = {p["strategy"]: p["predicted_step_ns"] / time_of(p) for p in points}
        plain += [value - 1.0 for value in off.values()]
        to_none += [value / off["none"] - 1.0 for name, value in off.items() if name != "none"]
    print(f"\nPredicted ÷ measured step time - 1: {spread_text(plain)}; relative to `none`: {spread_text(to_none)}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("remat")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--case", action="append", choices=sorted(CASES))
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    results, problems, everything = {}, [], []
    for name in arguments.case or sorted(CASES):
        rows, sweeps, none = rows_of(arguments.remat, CASES[name], arguments.rounds)
        print_case(CASES[name][0], rows, none)
        print_errors(sweeps)
        sys.stdout.flush()
        results[name] = {"rows": rows, "sweeps": sweeps}
        problems += [f"{name}: {problem}" for problem in problems_of(rows, sweeps[0] + sweeps[1])]
        everything += sweeps
    print_errors(everything)
    arguments.out.write_text(json.dumps(results), encoding="utf-8")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
