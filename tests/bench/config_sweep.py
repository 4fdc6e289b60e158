#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every model config of the given files and folders as a small sibling and checks what must hold.

usage: config_sweep.py REMAT PATH... [--dtype fp32 --dtype bf16] [--json]

For each config that `remat inspect` does not refuse: `remat sweep` over none, every:1, segments:2 and
selective:attention on the CPU, in each type. Every run must end done (or say that the machine is too small), have 0
differing gradient elements, and a recorded peak equal to the predicted one. Exit code 1 where one does not.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

STRATEGIES = ["none", "every:1", "segments:2", "selective:attention"]
WIDTH = 128  # of the sibling, where the config is wider
LAYERS = 4
TOKENS = 32


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def sibling_options(shape):
    """Fewer layers and heads; at least one period of layers that differ, so that every kind of block runs."""
    options = ["--layers", str(min(LAYERS, shape["layers"])), "--batch", "2", "--threads", "1"]
    if shape["width"] > WIDTH:
        options += ["--hidden-scale", f"{WIDTH / shape['width']:.6f}"]
    if shape["vocabulary"] > 0:  # an image has the length that it has
        options += ["--seq", str(min(TOKENS, shape["positions"]))]
    return options


def problems_of(points, code):
    found = [] if points else [f"no points (exit code {code})"]
    for point in points:
        name = point["strategy"]
        if point["status"] != "done":
            found.append(f"{name}: {point['status']}: {point['reason']}")
            continue
        if not point["equality"]["checked"] or point["equality"]["differing_elements"] != 0:
            found.append(f"{name}: {point['equality']['differing_elements']} gradient elements differ")
        if point["predicted_peak_bytes"] != point["peak_bytes"]:
            found.append(f"{name}: predicted {point['predicted_peak_bytes']}, recorded {point['peak_bytes']}")
    return found


def sweep(remat, config, shape, dtype, folder):
    session = pathlib.Path(folder) / f"{config.name}.{dtype}.remat"
    command = [remat, "sweep", str(config), "--strategies", *STRATEGIES, "--dtype", dtype, "--repeats", "1"]
    result = run([*command, "--session", str(session), "--json", *sibling_options(shape)])
    try:
        points = json.loads(result.stdout)["points"]
    except (json.JSONDecodeError, KeyError):
        return [result.stderr.strip() or f"exit code {result.returncode}"]
    finally:
        session.unlink(missing_ok=True)
    return problems_of(points, result.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("remat")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--dtype", action="append", choices=["fp32", "bf16", "mixed-bf16"])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    configs = []
    for path in arguments.paths:
        configs += sorted(p for p in path.iterdir() if p.suffix in (".json", ".yml")) if path.is_dir() else [path]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for config in configs:
            inspected = run([arguments.remat, "inspect", str(config), "--json"])
            if inspected.returncode != 0:
                rows.append({"config": config.name, "refused": inspected.stderr.strip(), "problems": []})
            else:
                shape = json.loads(inspected.stdout)
                problems = [f"{dtype}: {problem}" for dtype in arguments.dtype or ["fp32", "bf16"]
                            for problem in sweep(arguments.remat, config, shape, dtype, folder)]
                rows.append({"config": config.name, "family": shape["family"], "refused": None, "problems": problems})
            if not arguments.json:
                row = rows[-1]
                outcome = "refused: " + row["refused"] if row["refused"] else "; ".join(row["problems"]) or "exact"
                print(f"{row['config']:44} {row.get('family', ''):14} {outcome}", flush=True)
    if arguments.json:
        print(json.dumps({"rows": rows}))
    ran = [row for row in rows if not row["refused"]]
    failed = [row for row in ran if row["problems"]]
    print(f"{len(ran)} configs ran, {len(failed)} with problems, {len(rows) - len(ran)} refused", file=sys.stderr)
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
