// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "config/config_reader.h"
#include "model/parameter_inventory.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

std::string path(const QString &file)
{
    return std::string(REMAT_TEST_DATA "/configs/") + file.toStdString();
}

ModelConfig readOrFail(const QString &file)
{
    auto model = readModelConfig(path(file));
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

std::string minimal(const std::string &family, const std::string &more)
{
    return R"({"num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,"intermediate_size":96,"vocab_size":300,)"
           R"("max_position_embeddings":128,"model_type":")"
        + family + "\"" + (more.empty() ? "" : "," + more) + "}";
}

ModelConfig parseOrFail(const std::string &text)
{
    auto model = parseModelConfig(text, "test");
    if (!model)
        qFatal("%s", model.error().message.c_str());
    return std::move(model).value();
}

} // namespace

class tst_config_families : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void counts_areExact_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("family");
        QTest::addColumn<qint64>("total");
        const auto row = [](const char *file, const char *family, qint64 total) {
            QTest::newRow(file) << QString(file) + ".json" << family << total;
        };
        row("gpt2_small", "gpt2", 124'439'808);
        row("gpt2_hparams", "gpt2", 124'439'808);
        row("gpt2_medium_vocab32k", "gpt2", 336'128'000);
        row("nanogpt_small", "nanogpt", 30'013'440);
        row("llama_7b", "llama", 6'738'415'616);
        row("llama_70b", "llama", 68'976'648'192);
        row("llama_8b", "llama", 8'030'261'248);
        row("llama_1b_tied", "llama", 1'235'814'400);
        row("llama_params_30m", "llama", 32'420'096);
        row("mistral_7b", "mistral", 7'248'023'552);
        row("qwen2_0.5b", "qwen2", 494'032'768);
        row("qwen2_7b", "qwen2", 7'615'616'512);
        row("qwen2_72b", "qwen2", 72'706'203'648);
        row("qwen3_4b", "qwen3", 4'022'468'096);
        row("qwen3_8b", "qwen3", 8'190'735'360);
        row("gemma_7b", "gemma", 8'537'680'896);
        row("phi3_mini", "phi3", 3'821'079'552);
        row("pythia_70m", "gpt_neox", 70'426'624);
        row("bloom_560m", "bloom", 559'214'592);
        row("falcon_7b", "falcon", 6'921'720'704);
        row("gpt_neo_125m", "gpt_neo", 125'198'592);
        row("gpt_bigcode_1b", "gpt_bigcode", 1'124'886'528);
        row("starcoder2_3b", "starcoder2", 3'030'371'328);
        row("stablelm_3b", "stablelm", 2'795'443'200);
        row("phi_2", "phi", 2'779'683'840);
        row("olmo_7b", "olmo", 6'888'095'744);
        row("olmo2_7b", "olmo2", 7'298'617'344);
        row("command_r", "cohere", 34'980'831'232);
        row("internlm2_7b", "internlm2", 7'737'708'544);
        row("exaone_7.8b", "exaone", 7'818'448'896);
        row("exaone4_32b", "exaone4", 32'003'216'384);
        row("gemma2_9b", "gemma2", 9'241'705'984);
        row("gemma3_1b", "gemma3", 999'885'952);
        row("gemma3_4b", "gemma3", 3'880'263'168);
        row("opt_6.7b", "opt", 6'658'473'984);
        row("qwen_7b", "qwen", 7'721'324'544);
        row("chatglm3_6b", "chatglm", 6'243'584'000);
        row("bert_base_classifier", "bert", 109'482'240 + 2 * 769);
        row("vit_base", "vit", 85'805'577);
        row("llava_7b", "llama", 6'738'939'904);
        row("devstral_24b", "mistral", 23'572'403'200);
    }
    void counts_areExact()
    {
        QFETCH(QString, file);
        QFETCH(QString, family);
        QFETCH(qint64, total);
        const ModelConfig model = readOrFail(file);
        QCOMPARE(QString::fromStdString(model.family), family);
        const ParameterCount count = countParameters(model);
        QCOMPARE(qint64(count.total), total);
        QCOMPARE(count.embedding + count.nonEmbedding, count.total);
        QCOMPARE(count.active, count.total);
    }

    void experts_areCountedWholeAndByToken_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<qint64>("total");
        QTest::addColumn<qint64>("active");
        const auto row = [](const char *file, qint64 total, qint64 active) {
            QTest::newRow(file) << QString(file) + ".json" << total << active;
        };
        row("mixtral_8x7b", 46'702'792'704, 12'879'925'248);
        row("qwen3_moe_30b", 30'532'122'624, 3'353'032'704);
        row("dbrx_132b", 131'596'523'520, 36'469'708'800);
        row("qwen15_moe", 14'315'784'192, 2'689'173'504);
        row("deepseek_moe", 16'375'728'128, 2'828'650'496);
        row("deepseek_vl2_tiny", 2'934'734'080, 739'605'760);
    }
    void experts_areCountedWholeAndByToken()
    {
        QFETCH(QString, file);
        QFETCH(qint64, total);
        QFETCH(qint64, active);
        const ParameterCount count = countParameters(readOrFail(file));
        QCOMPARE(qint64(count.total), total);
        QCOMPARE(qint64(count.active), active);
    }

    void gpt2_isReadAsPublished()
    {
        const ModelConfig m = readOrFail("gpt2_small.json");
        QCOMPARE(m.name, std::string("gpt2_small"));
        QCOMPARE(m.layers, 12);
        QCOMPARE(m.headSize, 64);
        QCOMPARE(m.ffnWidth, 3072);
        QCOMPARE(m.positions, 1024);
        QCOMPARE(m.activation, Activation::geluTanh);
        QCOMPARE(m.norm, NormKind::layerNorm);
        QCOMPARE(m.position, PositionKind::learned);
        QVERIFY(m.qkvBias && m.attentionOutBias && m.ffnBias && m.normBias && m.tiedHead && !m.headBias && !m.gatedFfn);
        QCOMPARE(m.embeddingDropout, 0.1);
        QCOMPARE(m.attentionDropout, 0.1);
        QVERIFY(noteOn(m.defaulted, "tie_word_embeddings") != nullptr);
        QVERIFY(noteOn(m.defaulted, "bias") != nullptr);
        QCOMPARE(noteOn(m.derived, "n_inner")->value, std::string("3072"));
        QVERIFY(noteOn(m.ignored, "summary_type") != nullptr);
        QVERIFY(m.warnings.empty());
    }

    void bundledExamples_areSmallAndWhole_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *file : {"nanogpt-mini", "gpt-12x256", "llama-mini"})
            QTest::newRow(file) << QString(file) + ".json";
    }
    void bundledExamples_areSmallAndWhole()
    {
        QFETCH(QString, file);
        const auto model = readModelConfig(REMAT_TEST_DATA "/../../resources/configs/" + file.toStdString());
        QVERIFY(model);
        QCOMPARE(model->support, Support::full);
        QVERIFY(model->warnings.empty());
        QVERIFY(countParameters(*model).total < 10'000'000);
    }

    void hparams_saysWhatItInferred()
    {
        const ModelConfig m = readOrFail("gpt2_hparams.json");
        QVERIFY(noteOn(m.derived, "family") != nullptr);
        QVERIFY(noteOn(m.derived, "n_vocab") != nullptr);
        QCOMPARE(m.residualDropout, 0.1);
        QVERIFY(noteOn(m.defaulted, "resid_pdrop") != nullptr);
    }

    void nanogpt_setsAllDropoutsAndBiases()
    {
        const ModelConfig m = readOrFail("nanogpt_small.json");
        QCOMPARE(m.activation, Activation::gelu);
        QCOMPARE(m.embeddingDropout, 0.1);
        QCOMPARE(m.residualDropout, 0.1);
        QCOMPARE(m.attentionDropout, 0.1);
        QVERIFY(m.tiedHead && m.normBias && m.qkvBias && m.ffnBias && m.attentionOutBias);
        QCOMPARE(m.positions, 128);
        const ModelConfig bare
            = parseOrFail(R"({"block_size":8,"n_layer":2,"n_head":2,"n_embd":8,"vocab_size":50,"bias":false})");
        QVERIFY(!bare.normBias && !bare.qkvBias && !bare.ffnBias && !bare.attentionOutBias);
        QCOMPARE(bare.residualDropout, 0.0);
    }

    void llama_defaultsHeadsAndReportsTheRest()
    {
        const ModelConfig m = readOrFail("llama_7b.json");
        QCOMPARE(m.width, 4096); // written as a float
        QCOMPARE(m.kvHeads, 32);
        QCOMPARE(m.headSize, 128);
        QVERIFY(m.gatedFfn && !m.tiedHead && !m.qkvBias && !m.normBias);
        QCOMPARE(m.activation, Activation::silu);
        QCOMPARE(m.norm, NormKind::rmsNorm);
        QCOMPARE(m.support, Support::denseShape);
        QVERIFY(m.supportReason.find("gptq") != std::string::npos);
        QVERIFY(noteOn(m.defaulted, "rope_theta") != nullptr);
        QVERIFY(noteOn(m.ignored, "fused_kernels")->why.find("unknown") != std::string::npos);
        QVERIFY(noteOn(m.ignored, "selective_checkpoint_enabled") != nullptr);
    }

    void llama_readsBiasesAndRope()
    {
        const ModelConfig m = parseOrFail(minimal("llama",
                                                  R"("attention_bias":true,"mlp_bias":true,"rope_theta":5e5,)"
                                                  R"("partial_rotary_factor":0.5,"attention_dropout":0.25)"));
        QVERIFY(m.qkvBias && m.attentionOutBias && m.ffnBias);
        QCOMPARE(m.ropeTheta, 5e5);
        QCOMPARE(m.rotaryFraction, 0.5);
        QCOMPARE(m.attentionDropout, 0.25);
        QVERIFY(noteOn(readOrFail("llama_8b.json").derived, "rope_scaling") != nullptr);
        QCOMPARE(parseOrFail(minimal("llama", R"("rope_parameters":{"rope_theta":777.0})")).ropeTheta, 777.0);
    }

    void llamaParams_derivesTheFeedForwardWidth()
    {
        const ModelConfig m = readOrFail("llama_params_30m.json");
        QCOMPARE(m.ffnWidth, 768);
        QVERIFY(noteOn(m.derived, "feed-forward width") != nullptr);
        QVERIFY(noteOn(m.defaulted, "max_seq_len") != nullptr);
        const auto scaled
            = parseModelConfig(R"({"dim":4096,"n_layers":2,"n_heads":32,"n_kv_heads":8,"vocab_size":128256,)"
                               R"("norm_eps":1e-5,"multiple_of":1024,"ffn_dim_multiplier":1.3})",
                               "params");
        QVERIFY(scaled);
        QCOMPARE(scaled->ffnWidth, 14336);
    }

    void mistral_windowHasThreeCases()
    {
        QCOMPARE(readOrFail("mistral_7b.json").slidingWindow, 0);
        QCOMPARE(parseOrFail(minimal("mistral", R"("sliding_window":16)")).slidingWindow, 16);
        QCOMPARE(parseOrFail(minimal("mistral", R"("sliding_window":0)")).slidingWindow, 0);
        QCOMPARE(parseOrFail(minimal("mistral", R"("sliding_window":128)")).slidingWindow, 0);
        const ModelConfig absent
            = parseOrFail(R"({"model_type":"mistral","num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,)"
                          R"("intermediate_size":96,"vocab_size":300,"max_position_embeddings":8192})");
        QCOMPARE(absent.slidingWindow, 4096);
        QVERIFY(noteOn(absent.defaulted, "sliding_window") != nullptr);
        QVERIFY(noteOn(readOrFail("mistral_7b.json").ignored, "max_length") != nullptr);
    }

    void qwen2_windowCountsOnlyWhenUsed()
    {
        const ModelConfig m = readOrFail("qwen2_0.5b.json");
        QVERIFY(m.qkvBias && !m.attentionOutBias && !m.ffnBias && m.tiedHead);
        QCOMPARE(m.slidingWindow, 0);
        QVERIFY(noteOn(m.ignored, "sliding_window")->why.find("use_sliding_window") != std::string::npos);
        const std::string used = R"("use_sliding_window":true,"sliding_window":32,"max_window_layers":)";
        QCOMPARE(parseOrFail(minimal("qwen2", used + "0")).slidingWindow, 32);
        QCOMPARE(parseOrFail(minimal("qwen2", used + "2")).slidingWindow, 0);
        const ModelConfig mixed = parseOrFail(minimal("qwen2", used + "1"));
        QCOMPARE(mixed.slidingWindow, 32);
        QVERIFY(!mixed.formOf(0).windowed && mixed.formOf(1).windowed);
        QVERIFY(noteOn(mixed.derived, "sliding_window")->why.find("1 of 2 layers") != std::string::npos);
    }

    void qwen3_headSizeIsNeverDerived()
    {
        const ModelConfig m = readOrFail("qwen3_4b.json");
        QVERIFY(m.qkNorm == QkNorm::headRms && !m.qkvBias && m.tiedHead);
        QVERIFY(m.heads * m.headSize != m.width);
        const ModelConfig absent = parseOrFail(minimal("qwen3", ""));
        QCOMPARE(absent.headSize, 128);
        QVERIFY(noteOn(absent.defaulted, "head_dim") != nullptr);
        QVERIFY(parseOrFail(minimal("qwen3", R"("attention_bias":true)")).attentionOutBias);
    }

    void gemma_hasItsQuirks()
    {
        const ModelConfig m = readOrFail("gemma_7b.json");
        QCOMPARE(m.headSize, 256);
        QCOMPARE(m.activation, Activation::geluTanh);
        QVERIFY(m.normUnitOffset && m.tiedHead && m.gatedFfn);
        QCOMPARE(m.embeddingScale * m.embeddingScale, 3072.0);
        QVERIFY(noteOn(m.warnings, "hidden_act") != nullptr);
        QVERIFY(noteOn(m.defaulted, "tie_word_embeddings") != nullptr);
        QCOMPARE(parseOrFail(minimal("gemma", R"("hidden_activation":"gelu")")).activation, Activation::gelu);
    }

    void phi3_hasNoBias()
    {
        const ModelConfig m = readOrFail("phi3_mini.json");
        QVERIFY(!m.qkvBias && !m.attentionOutBias && !m.ffnBias && m.gatedFfn);
        QCOMPARE(m.headSize, 96);
        QCOMPARE(m.slidingWindow, 0);
        const ModelConfig asked
            = parseOrFail(minimal("phi3", R"("attention_bias":true,"resid_pdrop":0.2,"sliding_window":8)"));
        QVERIFY(!asked.qkvBias);
        QVERIFY(noteOn(asked.warnings, "attention_bias") != nullptr);
        QCOMPARE(asked.residualDropout, 0.2);
        QCOMPARE(asked.slidingWindow, 8);
    }

    void spellings_haveAFixedOrder()
    {
        const ModelConfig m = parseOrFail(
            R"({"model_type":"gpt2","n_layer":2,"n_embd":64,"hidden_size":32,"n_head":4,"vocab_size":99,"n_ctx":7,)"
            R"("n_positions":8,"attn_pdrop":null})");
        QCOMPARE(m.width, 32);
        QVERIFY(noteOn(m.warnings, "n_embd") != nullptr);
        QVERIFY(noteOn(m.derived, "hidden_size") != nullptr);
        QCOMPARE(m.positions, 8);
        QVERIFY(noteOn(m.warnings, "n_ctx") != nullptr);
        QVERIFY(noteOn(m.defaulted, "attn_pdrop")->why.starts_with("null"));
    }

    void family_canBeAskedFor()
    {
        const std::string text = minimal("newfamily", "");
        QVERIFY(!parseModelConfig(text, "x"));
        const auto asked = parseModelConfig(text, "x", "llama");
        QVERIFY(asked);
        QCOMPARE(asked->family, std::string("llama"));
        QVERIFY(noteOn(asked->warnings, "model_type") != nullptr);
        const auto unknown = parseModelConfig(text, "x", "newfamily");
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code, ErrorCode::usage);
    }

    void architectures_standInForTheType()
    {
        std::string text = minimal("", R"("architectures":["MistralForCausalLM"])");
        text.replace(text.find(R"("model_type":"",)"), 16, "");
        QCOMPARE(parseOrFail(text).family, std::string("mistral"));
        const ModelConfig headless
            = parseOrFail(minimal("llama", R"("architectures":["LlamaForSequenceClassification"])"));
        QVERIFY(noteOn(headless.warnings, "architectures") != nullptr);
    }

    void checkpointing_isShown()
    {
        const ModelConfig on = parseOrFail(minimal("llama", R"("gradient_checkpointing":true)"));
        QVERIFY(noteOn(on.warnings, "gradient_checkpointing")->why.find("every:1") != std::string::npos);
        const ModelConfig off = parseOrFail(minimal("llama", R"("gradient_checkpointing":false)"));
        QVERIFY(noteOn(off.ignored, "gradient_checkpointing") != nullptr);
    }
};

REMAT_TEST(tst_config_families);
#include "tst_config_families.moc"
