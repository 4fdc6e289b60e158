# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference of the benchmark: torch.utils.checkpoint on the same operators, model, plans and allocator.

usage: peer_checkpoint.py ALLOCATOR CONFIG BATCH STEPS THREADS
Prints one JSON object: plan -> peak bytes above the start of a step, nanoseconds of every timed step.
"""

import ctypes
import json
import math
import sys
import time

import torch
from torch.utils.checkpoint import checkpoint

PLANS = ["none", "every:1", "every:2", "segments:2", "segments:3", "segments:4", "sequential:4"]


class Block(torch.nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.p = heads, dropout
        self.norm1 = torch.nn.LayerNorm(width)
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.norm2 = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def drop(self, x):
        return torch.native_dropout(x, self.p, True)[0]

    def forward(self, x):
        b, s, w = x.shape
        q, k, v = (t.view(b, s, self.heads, w // self.heads).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(w, -1))
        a = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.drop(self.out(a.transpose(1, 2).reshape(b, s, w)))
        h = torch.nn.functional.gelu(self.up(self.norm2(x)), approximate="tanh")
        return x + self.drop(self.down(h))


class Model(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["n_embd"]
        self.p = config["embd_pdrop"]
        self.tokens = torch.nn.Embedding(config["vocab_size"], width)
        self.positions = torch.nn.Embedding(config["n_positions"], width)
        self.blocks = torch.nn.ModuleList(Block(width, config["n_head"], config["resid_pdrop"]) for _ in range(config["n_layer"]))
        self.norm = torch.nn.LayerNorm(width)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, targets, places, groups):
        x = self.tokens(tokens) + self.positions(places)
        x = torch.native_dropout(x, self.p, True)[0]
        for first, last, rerun in groups:
            def run(y, first=first, last=last):
                for block in self.blocks[first:last]:
                    y = block(y)
                return y
            x = checkpoint(run, x, use_reentrant=False) if rerun else run(x)
        logits = torch.nn.functional.linear(self.norm(x), self.tokens.weight)
        return torch.nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


def groups_of(plan, layers):
    name, _, number = plan.partition(":")
    n = int(number or 0)
    if name == "every":
        return [(i, i + 1, i % n == 0) for i in range(layers)]
    if name == "segments":
        return [(i, min(i + n, layers), True) for i in range(0, layers, n)]
    if name == "sequential":
        size = layers // n
        return [(i * size, (i + 1) * size, True) for i in range(n - 1)] + [((n - 1) * size, layers, False)]
    return [(i, i + 1, False) for i in range(layers)]


def main():
    library, path, batch, steps, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
    torch.set_num_threads(threads)
    account = ctypes.CDLL(library)
    account.remat_peer_held.restype = account.remat_peer_peak.restype = ctypes.c_int64
    account.remat_peer_install()
    torch.manual_seed(0)
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    seq = min(config["n_positions"], 256)
    model = Model(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    tokens = torch.randint(config["vocab_size"], (batch, seq + 1))
    tokens, targets = tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    places = torch.arange(seq)
    result = {plan: {"peak": 0, "ns": []} for plan in PLANS}
    for step in range(steps + 2):
        for plan in PLANS:
            groups = groups_of(plan, config["n_layer"])
            start = account.remat_peer_held()
            account.remat_peer_reset_peak()
            begin = time.perf_counter_ns()
            loss = model(tokens, targets, places, groups)
            loss.backward()
            optimizer.step()
            del loss
            optimizer.zero_grad(set_to_none=True)
            end = time.perf_counter_ns()
            if step >= 2:
                result[plan]["peak"] = account.remat_peer_peak() - start
                result[plan]["ns"].append(end - begin)
    assert all(math.isfinite(t) for plan in result.values() for t in plan["ns"])
    print(json.dumps(result))


if __name__ == "__main__":
    main()
