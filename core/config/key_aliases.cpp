// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/key_aliases.h"

#include <algorithm>

namespace remat::core::keys {

namespace {

constexpr std::string_view kLayers[] = {"num_hidden_layers", "n_layer", "num_layers", "n_layers", "num_blocks"};
constexpr std::string_view kWidth[] = {"hidden_size", "n_embd", "n_embed", "d_model", "dim", "hidden"};
constexpr std::string_view kHeads[] = {"num_attention_heads", "n_head", "n_heads", "num_heads", "attn_heads"};
constexpr std::string_view kKvHeads[]
    = {"num_key_value_heads", "n_kv_heads",   "kv_n_heads",      "multi_query_group_num",
       "n_head_kv",           "num_kv_heads", "num_query_groups"};
constexpr std::string_view kHeadSize[] = {"head_dim", "head_size", "kv_channels", "d_kv", "attn_size"};
constexpr std::string_view kFfnWidth[]
    = {"intermediate_size",    "n_inner",   "ffn_dim",     "d_ff",         "ffn_hidden_size",
       "ff_intermediate_size", "inter_dim", "feedforward", "ffn_embed_dim"};
constexpr std::string_view kPositions[] = {"max_position_embeddings",
                                           "n_positions",
                                           "max_seq_len",
                                           "max_sequence_length",
                                           "seq_length",
                                           "block_size",
                                           "seq_size",
                                           "n_ctx"};
constexpr std::string_view kVocabulary[] = {"vocab_size", "n_vocab", "padded_vocab_size"};
constexpr std::string_view kExperts[] = {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"};
constexpr std::string_view kComposites[] = {"text_config", "language_config", "llm_config", "model"};
constexpr std::string_view kCheckpointing[]
    = {"gradient_checkpointing", "use_gradient_checkpointing", "recompute_grad",
       "checkpoint-activations", "checkpoint-num-layers",      "selective_checkpoint_enabled"};

constexpr std::string_view kTokens[]
    = {"bos_token_id",           "eos_token_id",        "pad_token_id",        "sep_token_id", "unk_token_id",
       "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "prefix"};
constexpr std::string_view kBookkeeping[]
    = {"_name_or_path",        "transformers_version", "auto_map",     "id2label",        "label2id",
       "finetuning_task",      "task_specific_params", "problem_type", "tokenizer_class", "model_file",
       "_attn_implementation", "attn_implementation",  "_commit_hash", "language",        "num_labels"};
constexpr std::string_view kOutputs[] = {"use_cache",     "output_attentions",   "output_hidden_states",
                                         "output_scores", "return_dict",         "return_dict_in_generate",
                                         "torchscript",   "use_bfloat16",        "tf_legacy_loss",
                                         "pruned_heads",  "cache_implementation"};
constexpr std::string_view kGeneration[] = {"max_length",
                                            "min_length",
                                            "max_new_tokens",
                                            "do_sample",
                                            "early_stopping",
                                            "num_beams",
                                            "num_beam_groups",
                                            "diversity_penalty",
                                            "temperature",
                                            "top_k",
                                            "top_p",
                                            "typical_p",
                                            "repetition_penalty",
                                            "length_penalty",
                                            "no_repeat_ngram_size",
                                            "encoder_no_repeat_ngram_size",
                                            "bad_words_ids",
                                            "num_return_sequences",
                                            "exponential_decay_length_penalty",
                                            "suppress_tokens",
                                            "begin_suppress_tokens",
                                            "remove_invalid_values"};
constexpr std::string_view kSummary[] = {"summary_activation", "summary_first_dropout", "summary_proj_to_labels",
                                         "summary_type",       "summary_use_proj",      "classifier_dropout"};
constexpr std::string_view kRouterLoss[] = {"router_aux_loss_coef",
                                            "aux_loss_alpha",
                                            "router_z_loss_coef",
                                            "moe_loss_weight",
                                            "ffn_config.moe_loss_weight",
                                            "seq_aux",
                                            "output_router_logits",
                                            "router_jitter_noise",
                                            "moe_jitter_eps",
                                            "ffn_config.moe_jitter_eps"};
constexpr std::string_view kParallel[] = {"pretraining_tp",  "sequence_parallel_enabled", "move_model_to_device",
                                          "tensor_parallel", "base_model_tp_plan",        "base_model_pp_plan"};

struct Group
{
    Aliases keys;
    std::string_view why;
};

constexpr Group kGroups[] = {
    {kTokens, "names a token; the shape of a training step does not depend on it"},
    {kBookkeeping, "says nothing about the shape of the model"},
    {kOutputs, "concerns what a call returns, not a training step"},
    {kGeneration, "a default of text generation, not of training"},
    {kSummary, "belongs to another head than the language-model head that is trained here"},
    {kRouterLoss, "concerns an auxiliary loss or noise of the router, which is not trained here"},
    {kParallel, "concerns the distribution over devices; one device is used here"},
};

bool contains(Aliases list, std::string_view key)
{
    return std::find(list.begin(), list.end(), key) != list.end();
}

} // namespace

Aliases layers()
{
    return kLayers;
}
Aliases width()
{
    return kWidth;
}
Aliases heads()
{
    return kHeads;
}
Aliases kvHeads()
{
    return kKvHeads;
}
Aliases headSize()
{
    return kHeadSize;
}
Aliases ffnWidth()
{
    return kFfnWidth;
}
Aliases positions()
{
    return kPositions;
}
Aliases vocabulary()
{
    return kVocabulary;
}
Aliases experts()
{
    return kExperts;
}
Aliases composites()
{
    return kComposites;
}
Aliases checkpointing()
{
    return kCheckpointing;
}

std::string_view whyIgnored(std::string_view key)
{
    if (key == "torch_dtype" || key == "dtype")
        return "the data type of a measurement is chosen with the workload";
    for (const Group &group : kGroups)
        if (contains(group.keys, key))
            return group.why;
    return {};
}

} // namespace remat::core::keys
