#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures optimal plans beside the best of the rules at equal memory, and how far predicted times are off.

usage: plan_table.py REMAT OUT.json [--case gpt2|llama|bert]... [--rounds N]

For each case: every rule (every:N, segments:K, first:N, selective) is measured once. Ten peaks of that front become
budgets. For each, the two fastest rules that fit and the plan of `budget:BYTES` are then measured anew, so that no rule
is favoured by having been picked for a lucky median: a step of each, and a probe before them, in every round (`remat_bench_engine
times`, which must lie beside REMAT). Ratios are medians of the rounds' ratios. Prints Markdown; exit code 1 where a plan
exceeds its budget, a prediction of bytes is off, or a gradient differs.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
CASES = {
    "gpt2": {"title": "GPT-2-like", "folder": "resources/configs", "config": "gpt-12x256.json", "layers": 12,
             "batch": 2, "seq": 256, "attention_dropout": 0.1},
    "llama": {"title": "Llama-like with GQA", "folder": "tests/bench/configs", "config": "llama-8x256.json", "layers": 8,
              "batch": 4, "seq": 256, "attention_dropout": 0.0},
    "bert": {"title": "BERT-like", "folder": "tests/bench/configs", "config": "bert-8x256.json", "layers": 8,
             "batch": 4, "seq": 256, "attention_dropout": 0.1},
}
BUDGETS = 10
MIB = 1024 * 1024


def rules(layers):
    return (["none"] + [f"every:{n}" for n in range(1, layers + 1)] + [f"segments:{k}" for k in range(2, layers + 1)]
            + [f"first:{n}" for n in range(1, layers)]
            + [f"selective:{ids}" for ids in ("attention", "mlp", "attention+mlp", "drop_qkv", "drop_up")])


def output_of(command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return json.loads(result.stdout)


def sweep(remat, case, strategies, repeats):
    options = [f"--{key.replace('_', '-')}={case[key]}" for key in ("batch", "seq", "attention_dropout")]
    with tempfile.TemporaryDirectory() as folder:
        return output_of([remat, "sweep", ROOT / case["folder"] / case["config"], *options, "--session",
                          f"{folder}/a.remat", "--strategies", *strategies, "--repeats", repeats, "--json"])["points"]


def paired(remat, case, strategies, rounds):
    with tempfile.TemporaryDirectory() as folder:
        modes = pathlib.Path(folder) / "modes.json"
        modes.write_text(json.dumps([{**case, "mode": "plans", "plans": strategies}]), encoding="utf-8")
        return output_of([remat.with_name("remat_bench_engine"), "times", modes, "plans", rounds, os.cpu_count()])


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
    first = sweep(remat, case, rules(case["layers"]), 5)
    budgets = budgets_of(first)
    chosen = {budget: candidates(first, budget) for budget in budgets}
    names = ["none"] + sorted({name for pair in chosen.values() for name in pair} - {"none"})
    second = paired(remat, case, names + [f"budget:{budget}" for budget in budgets], rounds)
    rows = [{"budget": budget, "plan": f"budget:{budget}",
             "rule": min(chosen[budget], key=lambda name: statistics.median(second[name]["ns"]))} for budget in budgets]
    return rows, second


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive")


def step_text(point):
    low, median, high = (value / 1e6 for value in quartiles(point["ns"]))
    return f"{median:.0f} ({low:.0f}–{high:.0f})"


def print_case(title, rows, points):
    none = points["none"]
    print(f"\n{title}; `none`: {none['peak_bytes'] / MIB:.1f} MiB, {step_text(none)} ms, {len(none['ns'])} rounds\n")
    print("| budget MiB | best rule | its time | plan's peak MiB | plan's time | plan ÷ rule (quartiles) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        rule, plan = points[row["rule"]], points[row["plan"]]
        low, median, high = quartiles([a / b for a, b in zip(plan["ns"], rule["ns"])])
        print(f"| {row['budget'] / MIB:.1f} | `{row['rule']}` | {step_text(rule)} | {plan['peak_bytes'] / MIB:.1f} | "
              f"{step_text(plan)} | {median:.3f} ({low:.3f}–{high:.3f}) |")


def problems_of(rows, points):
    found = [f"budget {row['budget']}: the plan took {points[row['plan']]['peak_bytes']}" for row in rows
             if points[row["plan"]]["peak_bytes"] > row["budget"]]
    for name, point in points.items():
        if point["predicted_peak_bytes"] != point["peak_bytes"]:
            found.append(f"{name}: predicted {point['predicted_peak_bytes']}, recorded {point['peak_bytes']}")
        if point["differing_elements"]:
            found.append(f"{name}: gradients differ")
    return found


def spread_text(errors):
    errors = sorted(errors)
    deciles = statistics.quantiles(errors, n=10)
    within = sum(abs(error) <= 0.05 for error in errors)
    return (f"median {statistics.median(errors):+.1%}, deciles {deciles[0]:+.1%} to {deciles[-1]:+.1%}, "
            f"{within} of {len(errors)} within 5 %")


def print_errors(cases):
    """Predicted over measured step time - 1, each schedule's median over the rounds; and the same of step times over that
    of `none` in their own round."""
    plain, to_none = [], []
    for points in cases:
        off = {name: [a / b for a, b in zip(p["predicted_ns"], p["ns"])] for name, p in points.items()}
        plain += [statistics.median(values) - 1.0 for values in off.values()]
        to_none += [statistics.median(a / b for a, b in zip(values, off["none"])) - 1.0
                    for name, values in off.items() if name != "none"]
    print(f"\nPredicted ÷ measured step time - 1: {spread_text(plain)}; relative to `none`: {spread_text(to_none)}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("remat", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--case", action="append", choices=sorted(CASES))
    parser.add_argument("--rounds", type=int, default=25)
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("quartiles need 2 rounds or more")
    results, problems = {}, []
    for name in arguments.case or sorted(CASES):
        rows, points = rows_of(arguments.remat, CASES[name], arguments.rounds)
        print_case(CASES[name]["title"], rows, points)
        print_errors([points])
        sys.stdout.flush()
        results[name] = {"rows": rows, "points": points}
        arguments.out.write_text(json.dumps(results), encoding="utf-8")
        problems += [f"{name}: {problem}" for problem in problems_of(rows, points)]
    print_errors([case["points"] for case in results.values()])
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
