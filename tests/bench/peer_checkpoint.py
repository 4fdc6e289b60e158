# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference of the benchmark: torch.utils.checkpoint on the same operators, model, plans and allocator.

usage: peer_checkpoint.py ALLOCATOR MODES MODE STEPS THREADS
MODES is peer_modes.json. Prints one JSON object: plan -> peak bytes above the start of a step, nanoseconds of every step.
"""

import ctypes
import functools
import json
import math
import pathlib
import sys
import time

import torch
from torch.nn import functional
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

CONFIG_FOLDERS = [pathlib.Path(__file__).parent / "configs", pathlib.Path(__file__).parents[2] / "resources" / "configs"]


class Settings:
    """A mode beside its model; names as on the command line."""

    def __init__(self, mode, config):
        self.dtype = mode.get("dtype", "fp32")
        self.compute = torch.float32 if self.dtype == "fp32" else torch.bfloat16
        self.weights = torch.bfloat16 if self.dtype == "bf16" else torch.float32
        self.math = mode.get("attention") == "math"
        self.flash = mode.get("attention") == "flash"
        self.rank = int(mode["train"].split(":")[1]) if "train" in mode else 0
        self.chunks = int(mode["loss"].split(":")[1]) if "loss" in mode else 0
        self.micro_batches = mode.get("micro_batches", 1)
        self.family = config["model_type"]
        self.dropout = config.get("resid_pdrop", config.get("hidden_dropout_prob", 0.0))


def drop(x, p):
    return torch.native_dropout(x, p, True)[0] if p > 0 else x


class Linear(torch.nn.Module):
    """A projection with fp32 or bf16 weights, cast where it is used, and an adapter where one is asked for."""

    def __init__(self, inputs, outputs, bias, settings, adapts=True):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(outputs, inputs))
        self.bias = torch.nn.Parameter(torch.zeros(outputs)) if bias else None
        self.lora_a = self.lora_b = None
        if settings.rank and adapts:
            self.lora_a = torch.nn.Parameter(torch.empty(settings.rank, inputs))
            self.lora_b = torch.nn.Parameter(torch.zeros(outputs, settings.rank))

    def forward(self, x):
        bias = None if self.bias is None else self.bias.to(x.dtype)
        y = functional.linear(x, self.weight.to(x.dtype), bias)
        if self.lora_a is not None:
            y = y + functional.linear(functional.linear(x, self.lora_a.to(x.dtype)), self.lora_b.to(x.dtype))
        return y


class Norm(torch.nn.Module):
    def __init__(self, width, rms, epsilon):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))
        self.bias = None if rms else torch.nn.Parameter(torch.zeros(width))
        self.epsilon = epsilon

    def forward(self, x):
        weight = self.weight.to(x.dtype)
        if self.bias is None:
            return functional.rms_norm(x, weight.shape, weight, self.epsilon)
        return functional.layer_norm(x, weight.shape, weight, self.bias.to(x.dtype), self.epsilon)


class Block(torch.nn.Module):
    def __init__(self, config, settings, tables):
        super().__init__()
        width = config.get("n_embd", config.get("hidden_size"))
        llama = settings.family == "llama"
        self.settings, self.tables = settings, tables
        self.heads = config.get("n_head", config.get("num_attention_heads"))
        self.kv_heads = config.get("num_key_value_heads", self.heads)
        self.size = width // self.heads
        self.inner = config.get("intermediate_size", 4 * width)
        epsilon = config.get("rms_norm_eps", config.get("layer_norm_eps", 1e-12 if settings.family == "bert" else 1e-5))
        self.norm1, self.norm2 = Norm(width, llama, epsilon), Norm(width, llama, epsilon)
        self.qkv = Linear(width, (self.heads + 2 * self.kv_heads) * self.size, not llama, settings)
        self.out = Linear(self.heads * self.size, width, not llama, settings)
        self.up = Linear(width, self.inner * (2 if llama else 1), not llama, settings)
        self.down = Linear(self.inner, width, not llama, settings)

    def turn(self, x):
        cosines, sines = self.tables
        first, second = x.chunk(2, -1)
        return x * cosines + torch.cat((-second, first), -1) * sines

    def attention(self, n):
        b, s, _ = n.shape
        sizes = [self.heads * self.size, self.kv_heads * self.size, self.kv_heads * self.size]
        q, k, v = (t.view(b, s, -1, self.size).transpose(1, 2) for t in self.qkv(n).split(sizes, -1))
        if self.tables is not None:
            q, k = self.turn(q), self.turn(k)
        if self.settings.math:
            scores = torch.matmul(q, k.transpose(-2, -1)) * (1.0 / math.sqrt(self.size))
            scores = scores.masked_fill(self.mask(s), -math.inf)
            a = torch.matmul(torch.softmax(scores, -1), v)
        else:
            causal = self.settings.family != "bert"
            a = functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=self.kv_heads != self.heads)
        return self.out(a.transpose(1, 2).reshape(b, s, -1))

    @staticmethod
    @functools.cache
    def mask(seq):
        return torch.ones(seq, seq, dtype=torch.bool).triu(1)

    def feed(self, n):
        h = self.up(n)
        if self.settings.family == "llama":
            gate, up = h.chunk(2, -1)
            return self.down(functional.silu(gate) * up)
        return self.down(functional.gelu(h, approximate="none" if self.settings.family == "bert" else "tanh"))

    def forward(self, x):
        p = self.settings.dropout
        if self.settings.family == "bert":
            x = self.norm1(x + drop(self.attention(x), p))
            return self.norm2(x + drop(self.feed(x), p))
        x = x + drop(self.attention(self.norm1(x)), p)
        return x + drop(self.feed(self.norm2(x)), p)


class Model(torch.nn.Module):
    def __init__(self, config, settings, seq):
        super().__init__()
        width, family = config.get("n_embd", config.get("hidden_size")), settings.family
        self.settings = settings
        self.tokens = torch.nn.Parameter(torch.empty(config["vocab_size"], width))
        self.positions = self.types = self.head = self.transform = None
        if family != "llama":
            self.positions = torch.nn.Parameter(torch.empty(config.get("n_positions", config.get("max_position_embeddings")), width))
        if family == "bert":
            self.types = torch.nn.Parameter(torch.empty(2, width))
            self.first_norm, self.norm = Norm(width, False, 1e-12), Norm(width, False, 1e-12)
            self.transform = Linear(width, width, True, settings)
            self.head_bias = torch.nn.Parameter(torch.zeros(config["vocab_size"]))
        else:
            self.norm = Norm(width, family == "llama", config.get("rms_norm_eps", 1e-5))
        if not config.get("tie_word_embeddings", family != "llama"):
            self.head = torch.nn.Parameter(torch.empty(config["vocab_size"], width))
        heads = config.get("n_head", config.get("num_attention_heads"))
        tables = self.rotary(seq, width // heads, config["rope_theta"], settings) if family == "llama" else None
        layers = config.get("n_layer", config.get("num_hidden_layers"))
        self.blocks = torch.nn.ModuleList(Block(config, settings, tables) for _ in range(layers))
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1 and "lora_b" not in name:
                torch.nn.init.normal_(parameter, std=0.02)
            if settings.rank:
                parameter.requires_grad_("lora" in name)
        self.to(settings.weights)

    @staticmethod
    def rotary(seq, size, theta, settings):
        angles = torch.outer(torch.arange(seq).double(), 1.0 / theta ** (torch.arange(0, size, 2).double() / size))
        angles = torch.cat((angles, angles), -1)
        return angles.cos().to(settings.compute), angles.sin().to(settings.compute)

    def logits(self, x):
        weight = self.tokens if self.head is None else self.head
        bias = self.head_bias.to(x.dtype) if self.transform is not None else None
        return functional.linear(x, weight.to(x.dtype), bias).float()

    def loss(self, x, targets):
        x, targets = x.view(-1, x.size(-1)), targets.view(-1)
        if not self.settings.chunks:
            return functional.cross_entropy(self.logits(x), targets)

        def part(rows, wanted):
            return functional.cross_entropy(self.logits(rows), wanted, reduction="sum")

        parts = zip(x.chunk(self.settings.chunks), targets.chunk(self.settings.chunks))
        total = sum(checkpoint(part, rows, wanted, use_reentrant=False) for rows, wanted in parts)
        return total / (targets != -100).sum()

    def forward(self, tokens, targets, places, plan):
        x = functional.embedding(tokens, self.tokens)
        if self.positions is not None:
            x = x + functional.embedding(places, self.positions)
        if self.types is not None:
            x = x + self.types[0]
        x = x.to(self.settings.compute)
        if self.types is not None:
            x = self.first_norm(x)
        x = drop(x, self.settings.dropout)
        for blocks, rerun, contexts in groups_of(plan, self.blocks):
            def run(y, blocks=blocks):
                for block in blocks:
                    y = block(y)
                return y
            x = checkpoint(run, x, use_reentrant=False, **contexts) if rerun else run(x)
        if self.transform is not None:
            x = functional.gelu(self.transform(x))
        return self.loss(self.norm(x), targets)


# What selective recomputation of the attention core leaves out: scores, softmax and the product with the values.
RECOMPUTED = {torch.ops.aten.bmm.default, torch.ops.aten._softmax.default, torch.ops.aten.masked_fill.Scalar,
              torch.ops.aten.mul.Tensor}


def selective_policy(_context, operator, *_arguments, **_options):
    return CheckpointPolicy.PREFER_RECOMPUTE if operator in RECOMPUTED else CheckpointPolicy.MUST_SAVE


def groups_of(plan, blocks):
    """(blocks, rerun, options of checkpoint) for each group."""
    name, _, number = plan.partition(":")
    layers = len(blocks)
    if name == "selective":
        contexts = {"context_fn": functools.partial(create_selective_checkpoint_contexts, selective_policy)}
        return [([block], True, contexts) for block in blocks]
    n = int(number or 0)
    if name == "every":
        return [([block], i % n == 0, {}) for i, block in enumerate(blocks)]
    if name == "segments":
        return [(blocks[i:i + n], True, {}) for i in range(0, layers, n)]
    if name == "sequential":
        size = layers // n
        return [(blocks[i * size:(i + 1) * size], True, {}) for i in range(n - 1)] + [(blocks[(n - 1) * size:], False, {})]
    return [([block], False, {}) for block in blocks]


def config_of(name):
    for folder in CONFIG_FOLDERS:
        if (folder / name).exists():
            return json.loads((folder / name).read_text(encoding="utf-8"))
    sys.exit(f"no config {name}")


def batches(config, mode, family):
    """One batch of tokens and targets a micro-batch."""
    made = []
    for _ in range(mode.get("micro_batches", 1)):
        tokens = torch.randint(config["vocab_size"], (mode["batch"], mode["seq"] + 1))
        inputs, targets = tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
        if family == "bert":
            targets = torch.where(torch.rand(inputs.shape) < 0.15, inputs, -100)
        made.append((inputs, targets))
    return made


def main():
    library, modes, wanted, steps, threads = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    torch.set_num_threads(threads)
    account = ctypes.CDLL(library)
    account.remat_peer_held.restype = account.remat_peer_peak.restype = ctypes.c_int64
    account.remat_peer_install()
    torch.manual_seed(0)
    mode = next(m for m in json.loads(pathlib.Path(modes).read_text(encoding="utf-8")) if m["mode"] == wanted)
    config = config_of(mode["config"])
    settings = Settings(mode, config)
    model = Model(config, settings, mode["seq"])
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=3e-4, fused=True)
    data = batches(config, mode, settings.family)
    places = torch.arange(mode["seq"])
    result = {plan: {"peak": 0, "ns": []} for plan in mode["plans"]}
    for step in range(steps + 2):
        for plan in mode["plans"]:
            start = account.remat_peer_held()
            account.remat_peer_reset_peak()
            begin = time.perf_counter_ns()
            for tokens, targets in data:
                loss = model(tokens, targets, places, plan) / settings.micro_batches
                loss.backward()
                del loss
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            end = time.perf_counter_ns()
            if step >= 2:
                result[plan]["peak"] = account.remat_peer_peak() - start
                result[plan]["ns"].append(end - begin)
    assert all(math.isfinite(t) for plan in result.values() for t in plan["ns"])
    print(json.dumps(result))


if __name__ == "__main__":
    main()
