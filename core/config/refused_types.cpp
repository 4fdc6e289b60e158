// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/refused_types.h"

#include <algorithm>
#include <span>

namespace remat::core {

namespace {

constexpr std::string_view kEncoderDecoder[] = {"t5",
                                                "mt5",
                                                "umt5",
                                                "longt5",
                                                "bart",
                                                "mbart",
                                                "pegasus",
                                                "pegasus_x",
                                                "bigbird_pegasus",
                                                "marian",
                                                "led",
                                                "m2m_100",
                                                "nllb-moe",
                                                "blenderbot",
                                                "blenderbot-small",
                                                "prophetnet",
                                                "fsmt",
                                                "whisper",
                                                "plbart",
                                                "mvp",
                                                "switch_transformers",
                                                "encoder-decoder",
                                                "t5gemma",
                                                "speech_to_text"};
constexpr std::string_view kLatent[]
    = {"deepseek_v3", "deepseek_v32", "minicpm3", "kimi_k2", "longcat_flash", "glm_moe_dsa", "glm4_moe_lite"};
constexpr std::string_view kLlama4[] = {"llama4", "llama4_text"};
constexpr std::string_view kCross[] = {"mllama", "mllama_text_model", "idefics", "flamingo", "otter"};
constexpr std::string_view kLinear[] = {"qwen3_next",
                                        "qwen3_5",
                                        "qwen3_5_text",
                                        "qwen3_5_moe",
                                        "qwen3_5_moe_text",
                                        "minimax",
                                        "minimax_text_01",
                                        "kimi_linear",
                                        "bailing_moe_linear",
                                        "olmo_hybrid",
                                        "lfm2",
                                        "lfm2_moe",
                                        "retnet",
                                        "gla"};
constexpr std::string_view kStateSpace[]
    = {"mamba",           "mamba2", "falcon_mamba", "falcon_h1", "jamba", "bamba",      "zamba",
       "zamba2",          "rwkv",   "rwkv5",        "rwkv6",     "rwkv7", "nemotron_h", "granitemoehybrid",
       "recurrent_gemma", "hymba",  "xlstm"};
constexpr std::string_view kPhi3Small[] = {"phi3small"};

struct Reason
{
    std::span<const std::string_view> types;
    std::string_view why;
};

constexpr Reason kReasons[] = {
    {kEncoderDecoder, "it has an encoder and a decoder with cross-attention between them, which is not run here"},
    {kLatent, "it keeps keys and values as one latent vector (multi-head latent attention), which is not run here"},
    {kLlama4,
     "it is Llama 4, with attention in chunks, layers without positions and experts that a sigmoid chooses, "
     "which is not run here"},
    {kCross, "some of its layers attend to an image (cross-attention), which is not run here"},
    {kLinear,
     "most of its layers have linear attention or convolutions in the place of softmax attention, which is "
     "not run here"},
    {kStateSpace,
     "it has layers with a recurrent state (state-space, RWKV and the like) in the place of attention, "
     "which is not run here"},
    {kPhi3Small, "it is Phi-3-small, with block-sparse attention and a clipped gate (gegelu), which is not run here"},
};

} // namespace

std::string_view whyRefused(std::string_view modelType)
{
    for (const Reason &reason : kReasons)
        if (std::find(reason.types.begin(), reason.types.end(), modelType) != reason.types.end())
            return reason.why;
    return {};
}

} // namespace remat::core
