// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "config/config_reader.h"
#include "model/parameter_inventory.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

constexpr qint64 kBlock // width 64, 4 heads, feed-forward width 96, biases and two LayerNorms
    = 12 * 16 * 64 + 192 + 64 * 64 + 64 + 2 * 96 * 64 + 96 + 64 + 4 * 64;

std::string named(const std::string &name)
{
    return ",\"architectures\":[\"" + name + "\"]";
}

std::string encoder(const std::string &more)
{
    return R"({"num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,"intermediate_size":96,"vocab_size":300,)"
           R"("max_position_embeddings":128,)"
        + more + "}";
}

ModelConfig parseOrFail(const std::string &text, const ReadOptions &options = {})
{
    auto model = parseModelConfig(text, "test", options);
    if (!model)
        qFatal("%s", model.error().message.c_str());
    return std::move(model).value();
}

const ConfigNote *noteOn(const std::vector<ConfigNote> &notes, const std::string &key)
{
    for (const ConfigNote &note : notes)
        if (note.key == key)
            return &note;
    return nullptr;
}

} // namespace

/// Encoders and their heads, text parts of larger models, files of other formats.
class tst_config_parts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void bert_hasTheHeadThatIsNamed()
    {
        const std::string type = R"("model_type":"bert","type_vocab_size":2)";
        const ModelConfig masked = parseOrFail(encoder(type + named("BertForMaskedLM")));
        QCOMPARE(masked.head, HeadKind::masked);
        QVERIFY(masked.normPlacement == NormPlacement::post && masked.embeddingNorm && !masked.finalNorm);
        QVERIFY(masked.tiedHead && masked.headBias && !masked.isCausal());
        QCOMPARE(masked.normEpsilon, 1e-12);
        const qint64 embedding = 300 * 64 + 128 * 64 + 2 * 64 + 2 * 64;
        QCOMPARE(qint64(countParameters(masked).total), embedding + 2 * kBlock + 64 * 64 + 64 + 2 * 64 + 300);
        const ModelConfig sequence = parseOrFail(
            encoder(type + named("BertForSequenceClassification") + R"(,"id2label":{"0":"a","1":"b","2":"c"})"));
        QCOMPARE(sequence.head, HeadKind::sequence);
        QCOMPARE(sequence.classes, 3);
        QCOMPARE(sequence.poolerActivation, Activation::tanh);
        QCOMPARE(qint64(countParameters(sequence).total), embedding + 2 * kBlock + 64 * 64 + 64 + 3 * 64 + 3);
        const ModelConfig headless = parseOrFail(encoder(type + named("BertModel")));
        QCOMPARE(headless.head, HeadKind::masked);
        QVERIFY(noteOn(headless.warnings, "architectures") != nullptr);
        QVERIFY(!parseModelConfig(encoder(R"("model_type":"bert","is_decoder":true)"), "x"));
        QVERIFY(!parseModelConfig(encoder(R"("model_type":"bert","position_embedding_type":"relative_key")"), "x"));
    }

    void roberta_isKnownByItsOffset()
    {
        const ModelConfig m = parseOrFail(encoder(R"("model_type":"roberta","type_vocab_size":1)"));
        QCOMPARE(m.positions, 126);
        QCOMPARE(m.positionOffset, 2);
        QCOMPARE(qint64(countParameters(m).total),
                 300 * 64 + 128 * 64 + 64 + 2 * 64 + 2 * kBlock + 64 * 64 + 64 + 2 * 64 + 300);
        const ModelConfig old = parseOrFail(
            R"({"num_hidden_layers":1,"hidden_size":64,"num_attention_heads":4,"intermediate_size":96,)"
            R"("vocab_size":300,"max_position_embeddings":514,"type_vocab_size":1,"layer_norm_eps":1e-05})");
        QCOMPARE(old.family, std::string("roberta"));
        QCOMPARE(old.positions, 512);
        QVERIFY(noteOn(old.derived, "family") != nullptr);
    }

    void distilbert_hasNamesOfItsOwn()
    {
        const std::string sizes = R"({"model_type":"distilbert","n_layers":2,"dim":64,"n_heads":4,"hidden_dim":96,)"
                                  R"("vocab_size":300,"max_position_embeddings":128,"activation":"gelu")";
        const ModelConfig m = parseOrFail(sizes + named("DistilBertForMaskedLM") + "}");
        QCOMPARE(m.ffnWidth, 96);
        QCOMPARE(m.tokenTypes, 0);
        QCOMPARE(qint64(countParameters(m).total),
                 300 * 64 + 128 * 64 + 2 * 64 + 2 * kBlock + 64 * 64 + 64 + 2 * 64 + 300);
        const ModelConfig sequence = parseOrFail(sizes + R"(,"sinusoidal_pos_embds":true)"
                                                 + named("DistilBertForSequenceClassification") + "}");
        QCOMPARE(sequence.poolerActivation, Activation::relu);
        QCOMPARE(sequence.position, PositionKind::sinusoidal);
        QCOMPARE(sequence.classes, 2);
    }

    void vit_hasPatchesAndClasses()
    {
        const ModelConfig m
            = parseOrFail(R"({"model_type":"vit","num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,)"
                          R"("intermediate_size":96,"image_size":32,"patch_size":8,"num_channels":3,)"
                          R"("id2label":{"0":"a b","1":"c"}})");
        QCOMPARE(m.head, HeadKind::image);
        QCOMPARE(m.positions, 17);
        QCOMPARE(m.vocabulary, 0);
        QCOMPARE(m.classes, 2);
        QVERIFY(m.normPlacement == NormPlacement::pre && m.finalNorm && !m.isCausal());
        QCOMPARE(qint64(countParameters(m).total), 3 * 64 * 64 + 64 + 64 + 17 * 64 + 2 * kBlock + 2 * 64 + 2 * 64 + 2);
        QVERIFY(!parseModelConfig(R"({"model_type":"vit","num_hidden_layers":2,"hidden_size":64,"image_size":4,)"
                                  R"("num_attention_heads":4,"intermediate_size":96})",
                                  "x")); // less than one patch
    }

    void textPart_isReadAndSaidToBe()
    {
        const ModelConfig m
            = parseOrFail(R"({"model_type":"llava","tie_word_embeddings":false,"vision_config":{"hidden_size":8},)"
                          R"("text_config":{"model_type":"llama","vocab_size":32064,"max_position_embeddings":4096}})");
        QCOMPARE(m.support, Support::textPart);
        QVERIFY(m.supportReason.find("text part of this llava model") != std::string::npos);
        QCOMPARE(m.layers, 32);
        QCOMPARE(m.ffnWidth, 11008);
        QVERIFY(noteOn(m.defaulted, "hidden_size")->why.find("configuration_llama.py") != std::string::npos);
        QVERIFY(noteOn(m.derived, "tie_word_embeddings") != nullptr);
        QVERIFY(noteOn(m.ignored, "vision_config") != nullptr);
        QCOMPARE(qint64(countParameters(m).total), 6'738'939'904);
    }

    void textPart_takesWhatTheOuterLevelSays()
    {
        const ModelConfig m = parseOrFail(
            R"({"model_type":"mistral3","tie_word_embeddings":true,"quantization_config":{"quant_method":"fp8"},)"
            R"("text_config":{"model_type":"ministral3","num_hidden_layers":2,"hidden_size":64,"head_dim":32,)"
            R"("num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":96,"vocab_size":300,)"
            R"("sliding_window":null}})");
        QVERIFY(m.tiedHead);
        QCOMPARE(m.support, Support::textPart);
        QVERIFY(m.supportReason.find("fp8") != std::string::npos);
        const ModelConfig gemma = parseOrFail(
            R"({"model_type":"gemma3","text_config":{"num_hidden_layers":6,"hidden_size":64,"intermediate_size":96,)"
            R"("sliding_window":1024}})");
        QCOMPARE(gemma.family, std::string("gemma3"));
        QCOMPARE(gemma.kvHeads, 4); // the class's, as the part leaves it out
        QCOMPARE(gemma.vocabulary, 262208);
        QVERIFY(gemma.formOf(4).windowed && !gemma.formOf(5).windowed);
    }

    void flatConfigs_withOtherPartsSayIt()
    {
        const ModelConfig m = parseOrFail(encoder(R"("model_type":"qwen2_5_vl","vision_config":{"depth":2},)"
                                                  R"("rope_scaling":{"type":"mrope","mrope_section":[2,3,3]})"));
        QCOMPARE(m.family, std::string("qwen2"));
        QCOMPARE(m.support, Support::textPart);
        QCOMPARE(m.ropeScaling.kind, RopeKind::plain);
    }

    void deepseekWithoutLatentAttention_runs()
    {
        const std::string part = R"({"model_type":"deepseek_vl_v2","language_config":{"model_type":"deepseek_v2",)"
                                 R"("num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,"vocab_size":300,)"
                                 R"("intermediate_size":96,"moe_intermediate_size":32,"n_routed_experts":8,)"
                                 R"("n_shared_experts":2,"first_k_dense_replace":1,"num_experts_per_tok":6,)";
        const ModelConfig m = parseOrFail(part + R"("use_mla":false,"kv_lora_rank":null,"v_head_dim":0}})");
        QCOMPARE(m.experts.sharedWidth, 64);
        QVERIFY(!m.formOf(0).experts && m.formOf(1).experts);
        for (const char *latent : {R"("kv_lora_rank":512}})", R"("use_mla":true}})"}) {
            const auto refused = parseModelConfig(part + latent, "x");
            QVERIFY(!refused && refused.error().message.find("latent") != std::string::npos);
        }
    }

    void vocabulary_isAskedForByItsOption()
    {
        const std::string calculon = R"({"name":"gpt","seq_size":128,"hidden":64,"feedforward":256,"attn_heads":4,)"
                                     R"("attn_size":16,"num_blocks":2})";
        const auto missing = parseModelConfig(calculon, "x.json");
        QVERIFY(!missing && missing.error().message.find("--vocab N") != std::string::npos);
        const ModelConfig m = parseOrFail(calculon, {"", 300});
        QCOMPARE(m.vocabulary, 300);
        QCOMPARE(m.ffnWidth, 256);
        QVERIFY(m.qkvBias && m.tiedHead && m.position == PositionKind::learned);
        QVERIFY(noteOn(m.derived, "padded_vocab_size")->why.find("--vocab") != std::string::npos);
        const ModelConfig larger = parseOrFail(encoder(R"("model_type":"llama")"), {"", 512});
        QCOMPARE(larger.vocabulary, 512);
        QVERIFY(noteOn(larger.warnings, "vocab_size") != nullptr);
    }

    void otherFormats_areKnownByTheirKeys()
    {
        const ModelConfig analysis
            = parseOrFail(R"({"name":"x","num_layers":2,"n_head":4,"hidden_dim":64,"vocab_size":300,"max_seq_len":128,)"
                          R"("ffn_embed_dim":96,"num_key_value_heads":2,"model_type":null})");
        QCOMPARE(analysis.width, 64);
        QCOMPARE(analysis.kvHeads, 2);
        const ModelConfig megatron = parseOrFail(
            R"({"num_layers":2,"hidden_size":64,"ffn_hidden_size":96,"num_attention_heads":4,"seq_length":128,)"
            R"("padded_vocab_size":300,"swiglu":true,"normalization":"RMSNorm","position_embedding_type":"rope",)"
            R"("untie_embeddings_and_output_weights":true,"add_bias_linear":false,"rotary_percent":0.5})");
        QVERIFY(megatron.gatedFfn && !megatron.tiedHead && !megatron.ffnBias);
        QVERIFY(megatron.norm == NormKind::rmsNorm && megatron.position == PositionKind::rotary);
        QCOMPARE(megatron.rotaryFraction, 0.5);
        QCOMPARE(qint64(countParameters(megatron).total),
                 2 * 300 * 64 + 2 * (12 * 16 * 64 + 64 * 64 + 3 * 96 * 64 + 2 * 64) + 64);
    }
};

REMAT_TEST(tst_config_parts);
#include "tst_config_parts.moc"
