// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>

#include "config/config_reader.h"
#include "model/parameter_inventory.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

// All models here: width 64, 4 heads of 16, 2 layers, 300 tokens, 128 positions, feed-forward width 96.
constexpr qint64 kTable = 300 * 64;
constexpr qint64 kQkv = 12 * 16 * 64;       // as many key/value heads as query heads
constexpr qint64 kGroupedQkv = 8 * 16 * 64; // two key/value heads
constexpr qint64 kOut = 64 * 64;
constexpr qint64 kGated = 3 * 96 * 64;
constexpr qint64 kPlain = 2 * 96 * 64;
constexpr qint64 kNorm = 64;
constexpr qint64 kNormBias = 2 * 64;

std::string config(const std::string &type, const std::string &more)
{
    return R"({"num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,"intermediate_size":96,"vocab_size":300,)"
           R"("max_position_embeddings":128,"model_type":")"
        + type + "\"" + (more.empty() ? "" : "," + more) + "}";
}

ModelConfig parseOrFail(const std::string &text)
{
    auto model = parseModelConfig(text, "test");
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

const std::string kGrouped = R"("num_key_value_heads":2)";

} // namespace

class tst_config_blocks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void counts_followTheBlocks_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("more");
        QTest::addColumn<qint64>("total");
        const auto row = [](const char *type, const std::string &more, qint64 total, const char *variant = "") {
            QTest::addRow("%s%s", type, variant) << type << QString::fromStdString(more) << total;
        };
        row("gemma2", kGrouped + R"(,"head_dim":16)", kTable + 2 * (kGroupedQkv + kOut + kGated + 4 * kNorm) + kNorm);
        row("gemma3_text", kGrouped + R"(,"head_dim":16)",
            kTable + 2 * (kGroupedQkv + kOut + kGated + 4 * kNorm + 2 * 16) + kNorm);
        row("olmo", "", 2 * kTable + 2 * (kQkv + kOut + kGated));
        row("olmo2", kGrouped, 2 * kTable + 2 * (kGroupedQkv + kOut + kGated + 2 * kNorm + 64 + 32) + kNorm);
        row("olmo3", kGrouped, 2 * kTable + 2 * (kGroupedQkv + kOut + kGated + 2 * kNorm + 64 + 32) + kNorm);
        row("exaone4", kGrouped, 2 * kTable + 2 * (kGroupedQkv + kOut + kGated + 2 * kNorm + 2 * 16) + kNorm);
        row("exaone", kGrouped, kTable + 2 * (kGroupedQkv + kOut + kGated + 2 * kNorm) + kNorm);
        row("internlm2", R"("bias":false)", 2 * kTable + 2 * (kQkv + kOut + kGated + 2 * kNorm) + kNorm);
        row("internlm2", "", 2 * kTable + 2 * (kQkv + 192 + kOut + 64 + kGated + 2 * kNorm) + kNorm, " biases");
        row("cohere", "", kTable + 2 * (kQkv + kOut + kGated + kNorm) + kNorm);
        row("cohere", R"("use_qk_norm":true)", kTable + 2 * (kQkv + kOut + kGated + kNorm + 2 * 16) + kNorm, " normed");
        row("cohere2", "", kTable + 2 * (kQkv + kOut + kGated + kNorm) + kNorm);
        row("stablelm", R"("use_qkv_bias":true)",
            2 * kTable + 2 * (kQkv + 192 + kOut + kGated + 2 * kNormBias) + kNormBias);
        row("stablelm", R"("use_parallel_residual":true)",
            2 * kTable + 2 * (kQkv + kOut + kGated + kNormBias) + kNormBias, " parallel");
        row("starcoder2", "", kTable + 2 * (kQkv + 192 + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias) + kNormBias);
        row("phi", "", 2 * kTable + 300 + 2 * (kQkv + 192 + kOut + 64 + kPlain + 96 + 64 + kNormBias) + kNormBias);
        row("gpt_neox", "", 2 * kTable + 2 * (kQkv + 192 + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias) + kNormBias);
        row("gpt_neo", "", kTable + 128 * 64 + 2 * (kQkv + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias) + kNormBias);
        row("opt", R"("ffn_dim":96)",
            kTable + 130 * 64 + 2 * (kQkv + 192 + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias) + kNormBias);
        row("opt", R"("ffn_dim":96,"do_layer_norm_before":false)",
            kTable + 130 * 64 + 2 * (kQkv + 192 + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias), " post");
        row("bloom", "",
            kTable + kNormBias + 2 * (kQkv + 192 + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias) + kNormBias);
        row("falcon", "", kTable + 2 * (6 * 16 * 64 + kOut + kPlain + kNormBias) + kNormBias);
        row("falcon", R"("new_decoder_architecture":true,"num_kv_heads":2)",
            kTable + 2 * (kGroupedQkv + kOut + kPlain + 2 * kNormBias) + kNormBias, " new");
        row("falcon", R"("parallel_attn":false,"multi_query":false,"alibi":true,"bias":true)",
            kTable + 2 * (kQkv + 192 + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias) + kNormBias, " first");
        row("qwen", R"("kv_channels":16)", 2 * kTable + 2 * (kQkv + 192 + kOut + 3 * 48 * 64 + 2 * kNorm) + kNorm);
        row("chatglm", R"("kv_channels":16,"multi_query_attention":true,"multi_query_group_num":2,"add_qkv_bias":true)",
            2 * kTable + 2 * (kGroupedQkv + 128 + kOut + kGated + 2 * kNorm) + kNorm);
        row("gpt_bigcode", "",
            kTable + 128 * 64 + 2 * (6 * 16 * 64 + 96 + kOut + 64 + kPlain + 96 + 64 + 2 * kNormBias) + kNormBias);
        row("mixtral", kGrouped + R"(,"num_local_experts":4)",
            2 * kTable + 2 * (kGroupedQkv + kOut + 2 * kNorm + 4 * 64 + 4 * kGated) + kNorm);
        row("qwen3_moe", kGrouped + R"(,"num_experts":8,"moe_intermediate_size":32,"mlp_only_layers":[0])",
            2 * kTable + 2 * (kGroupedQkv + kOut + 2 * kNorm + 2 * 16) + kGated + 8 * 64 + 8 * 3 * 32 * 64 + kNorm);
        row("qwen2_moe",
            R"("num_experts":8,"moe_intermediate_size":32,"shared_expert_intermediate_size":48,)"
            R"("num_experts_per_tok":2)",
            2 * kTable + 2 * (kQkv + 192 + kOut + 2 * kNorm + 8 * 64 + 8 * 3 * 32 * 64 + 3 * 48 * 64 + 64) + kNorm);
        row("deepseek", "", 2 * kTable + 2 * (kQkv + kOut + kGated + 2 * kNorm) + kNorm, " dense");
        row("deepseek",
            R"("n_routed_experts":8,"moe_intermediate_size":32,"n_shared_experts":2,)"
            R"("num_experts_per_tok":6,"first_k_dense_replace":1)",
            2 * kTable + 2 * (kQkv + kOut + 2 * kNorm) + kGated + 8 * 64 + 8 * 3 * 32 * 64 + 3 * 64 * 64 + kNorm);
    }
    void counts_followTheBlocks()
    {
        QFETCH(QString, type);
        QFETCH(QString, more);
        QFETCH(qint64, total);
        const ModelConfig model = parseOrFail(config(type.toStdString(), more.toStdString()));
        QCOMPARE(model.support, Support::full);
        QCOMPARE(qint64(countParameters(model).total), total);
    }

    void dbrx_readsItsInnerObjects()
    {
        const ModelConfig m = parseOrFail(
            R"({"model_type":"dbrx","n_layers":2,"d_model":64,"n_heads":4,"vocab_size":300,"max_seq_len":128,)"
            R"("attn_config":{"clip_qkv":8,"kv_n_heads":2,"model_type":"","rope_theta":500000},)"
            R"("ffn_config":{"ffn_hidden_size":96,"model_type":"","moe_num_experts":4,"moe_top_k":2,)"
            R"("moe_loss_weight":0.05,"ffn_act_fn":{"name":"silu"}}})");
        QCOMPARE(m.family, std::string("dbrx"));
        QCOMPARE(m.kvHeads, 2);
        QCOMPARE(m.qkvClip, 8.0);
        QCOMPARE(m.ropeTheta, 500000.0);
        QCOMPARE(m.experts.perToken, 2);
        QVERIFY(m.experts.normaliseTopK && !m.normBias && m.norm == NormKind::layerNorm);
        QVERIFY(noteOn(m.ignored, "ffn_config.moe_loss_weight")->why.find("not trained here") != std::string::npos);
        const ParameterCount count = countParameters(m);
        QCOMPARE(qint64(count.total), 2 * kTable + 2 * (kGroupedQkv + kOut + 2 * kNorm + 4 * 64 + 4 * kGated) + kNorm);
        QCOMPARE(qint64(count.total - count.active), 2 * 2 * kGated);
    }

    void gemma2_hasCapsSandwichAndAlternatingWindows()
    {
        const ModelConfig m
            = parseOrFail(config("gemma2", R"("head_dim":16,"sliding_window":32,"query_pre_attn_scalar":144)"));
        QCOMPARE(m.normPlacement, NormPlacement::sandwich);
        QCOMPARE(m.attentionSoftcap, 50.0);
        QCOMPARE(m.finalSoftcap, 30.0);
        QCOMPARE(m.attentionScale, 1.0 / 12.0);
        QCOMPARE(m.slidingWindow, 32);
        QVERIFY(m.formOf(0).windowed && !m.formOf(1).windowed);
        QVERIFY(m.normUnitOffset && m.tiedHead && m.embeddingScale == 8.0);
        const ModelConfig bare = parseOrFail(
            config("gemma2", R"("head_dim":16,"attn_logit_softcapping":null,"final_logit_softcapping":null)"));
        QCOMPARE(bare.attentionSoftcap, 0.0);
        QCOMPARE(bare.finalSoftcap, 0.0);
        QVERIFY(bare.layerForms.empty() && bare.slidingWindow == 0);
    }

    void gemma3_hasTwoRotaryBases()
    {
        const std::string scaling = R"(,"rope_scaling":{"rope_type":"linear","factor":8.0})";
        const ModelConfig m = parseOrFail(
            config("gemma3_text", R"("head_dim":16,"sliding_window":32,"sliding_window_pattern":2)" + scaling));
        QCOMPARE(m.qkNorm, QkNorm::headRms);
        QCOMPARE(m.attentionSoftcap, 0.0);
        QCOMPARE(m.ropeTheta, 1e6);
        QCOMPARE(m.ropeThetaWindowed, 10000.0);
        QCOMPARE(m.ropeScaling.kind, RopeKind::linear);
        QVERIFY(m.formOf(0).windowed && !m.formOf(1).windowed);
        // A window that spans everything still has the base of windowed layers.
        const ModelConfig wide = parseOrFail(config("gemma3_text", R"("head_dim":16,"sliding_window_pattern":2)"));
        QCOMPARE(wide.slidingWindow, wide.positions);
        QVERIFY(wide.formOf(0).windowed && !wide.formOf(1).windowed);
        const ModelConfig perKind = parseOrFail(
            config("gemma3_text",
                   R"("head_dim":16,"rope_parameters":{"full_attention":{"rope_type":"default","rope_theta":3e6},)"
                   R"("sliding_attention":{"rope_type":"default","rope_theta":2e4}})"));
        QCOMPARE(perKind.ropeTheta, 3e6);
        QCOMPARE(perKind.ropeThetaWindowed, 2e4);
    }

    void branchNorms_standOnWhatIsAdded()
    {
        for (const char *type : {"olmo2", "olmo3", "exaone4"})
            QCOMPARE(parseOrFail(config(type, "")).normPlacement, NormPlacement::branch);
        QCOMPARE(parseOrFail(config("olmo2", "")).qkNorm, QkNorm::wholeRms);
        const ModelConfig olmo = parseOrFail(config("olmo", R"("clip_qkv":8.0)"));
        QVERIFY(!olmo.normWeight && olmo.norm == NormKind::layerNorm);
        QCOMPARE(olmo.qkvClip, 8.0);
    }

    void exaone4_turnsWindowedLayersOnly()
    {
        const ModelConfig m = parseOrFail(config("exaone4", R"("sliding_window":32,"sliding_window_pattern":"LG")"));
        QVERIFY(m.formOf(0).windowed && m.formOf(0).rotary);
        QVERIFY(!m.formOf(1).windowed && !m.formOf(1).rotary);
        const ModelConfig named = parseOrFail(config("exaone4",
                                                     R"("sliding_window":32,"sliding_window_pattern":"LLLG",)"
                                                     R"("layer_types":["full_attention","sliding_attention"])"));
        QVERIFY(!named.formOf(0).windowed && named.formOf(1).windowed);
        const ModelConfig none = parseOrFail(config("exaone4", R"("sliding_window":null)"));
        QVERIFY(none.layerForms.empty() && none.formOf(1).rotary);
    }

    void parallelBlocks_haveOneStage_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("more");
        QTest::addColumn<bool>("parallel");
        QTest::addColumn<bool>("twoNorms");
        QTest::newRow("phi") << "phi"
                             << "" << true << false;
        QTest::newRow("cohere") << "cohere"
                                << "" << true << false;
        QTest::newRow("gpt_neox") << "gpt_neox"
                                  << "" << true << true;
        QTest::newRow("gpt_neox sequential") << "gpt_neox"
                                             << R"("use_parallel_residual":false)" << false << false;
        QTest::newRow("stablelm") << "stablelm"
                                  << "" << false << false;
        QTest::newRow("falcon") << "falcon"
                                << "" << true << false;
        QTest::newRow("falcon new") << "falcon"
                                    << R"("new_decoder_architecture":true)" << true << true;
        QTest::newRow("falcon new, one norm")
            << "falcon"
            << R"("new_decoder_architecture":true,"num_ln_in_parallel_attn":1)" << true << false;
    }
    void parallelBlocks_haveOneStage()
    {
        QFETCH(QString, type);
        QFETCH(QString, more);
        QFETCH(bool, parallel);
        QFETCH(bool, twoNorms);
        const ModelConfig m = parseOrFail(config(type.toStdString(), more.toStdString()));
        QCOMPARE(m.parallelResidual, parallel);
        QCOMPARE(m.parallelTwoNorms, twoNorms);
        QCOMPARE(chainShape(m).stagesPerLayer, parallel ? 1 : 2);
    }

    void rotaryShares_areThoseOfTheFamilies()
    {
        QCOMPARE(parseOrFail(config("phi", "")).rotaryFraction, 0.5);
        QCOMPARE(parseOrFail(config("stablelm", "")).rotaryFraction, 0.25);
        QCOMPARE(parseOrFail(config("gpt_neox", R"("rotary_pct":0.5,"rotary_emb_base":5000)")).ropeTheta, 5000.0);
        QCOMPARE(parseOrFail(config("gpt_neox", "")).rotaryFraction, 0.25);
        const ModelConfig glm = parseOrFail(config("chatglm", R"("kv_channels":16,"rope_ratio":50)"));
        QCOMPARE(glm.rotaryFraction, 0.5);
        QCOMPARE(glm.ropeTheta, 500000.0);
        QCOMPARE(glm.kvHeads, glm.heads);
        QVERIFY(noteOn(glm.defaulted, "rotary pairs") != nullptr);
        QVERIFY(noteOn(parseOrFail(config("cohere", "")).defaulted, "rotary pairs") != nullptr);
    }

    void otherPositions_areRead()
    {
        const ModelConfig bloom = parseOrFail(config("bloom", ""));
        QVERIFY(bloom.position == PositionKind::alibi && bloom.embeddingNorm && bloom.tiedHead);
        QCOMPARE(bloom.activation, Activation::geluTanh);
        QCOMPARE(parseOrFail(config("falcon", R"("alibi":true)")).position, PositionKind::alibi);
        const ModelConfig opt = parseOrFail(config("opt", R"("ffn_dim":96)"));
        QCOMPARE(opt.positionOffset, 2);
        QCOMPARE(opt.positions, 128);
        QCOMPARE(opt.activation, Activation::relu);
        const ModelConfig post = parseOrFail(config("opt", R"("ffn_dim":96,"do_layer_norm_before":false)"));
        QVERIFY(post.normPlacement == NormPlacement::post && !post.finalNorm);
        QCOMPARE(parseOrFail(config("cohere", R"("logit_scale":0.25)")).logitScale, 0.25);
    }

    void gptNeo_alternatesAndDoesNotScale()
    {
        const ModelConfig m
            = parseOrFail(config("gpt_neo", R"("window_size":16,"attention_types":[[["global","local"],1]])"));
        QCOMPARE(m.attentionScale, 1.0);
        QCOMPARE(m.slidingWindow, 16);
        QVERIFY(!m.formOf(0).windowed && m.formOf(1).windowed);
        QVERIFY(!m.qkvBias && m.attentionOutBias && m.ffnBias);
        const auto wrong = parseModelConfig(config("gpt_neo", R"("attention_types":[[["global"],5]])"), "x");
        QVERIFY(!wrong && wrong.error().message.find("5 layers of 2") != std::string::npos);
    }

    void experts_areRoutedAsTheFamilySays()
    {
        const ModelConfig mixtral = parseOrFail(config("mixtral", ""));
        QCOMPARE(mixtral.experts.count, 8);
        QCOMPARE(mixtral.experts.perToken, 2);
        QCOMPARE(mixtral.experts.width, 96);
        QVERIFY(mixtral.experts.normaliseTopK && mixtral.layerForms.empty() && mixtral.formOf(0).experts);
        const ModelConfig qwen = parseOrFail(
            config("qwen3_moe", R"("norm_topk_prob":true,"decoder_sparse_step":2,"router_aux_loss_coef":0.001)"));
        QVERIFY(!qwen.formOf(0).experts && qwen.formOf(1).experts && qwen.experts.normaliseTopK);
        QVERIFY(noteOn(qwen.ignored, "router_aux_loss_coef")->why.find("not trained here") != std::string::npos);
        const ModelConfig shared = parseOrFail(config("qwen2_moe", ""));
        QVERIFY(shared.experts.sharedGate && !shared.experts.normaliseTopK);
        QCOMPARE(shared.experts.sharedWidth, 5632);
    }

    void rotaryScaling_isRead()
    {
        const ModelConfig llama = parseOrFail(
            config("llama",
                   R"("rope_scaling":{"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,)"
                   R"("original_max_position_embeddings":64})"));
        QCOMPARE(llama.ropeScaling.kind, RopeKind::llama3);
        QCOMPARE(llama.ropeScaling.originalPositions, 64.0);
        const ModelConfig yarn = parseOrFail(
            config("qwen2", R"("rope_scaling":{"type":"yarn","factor":4,"mscale":1,"mscale_all_dim":1})"));
        QCOMPARE(yarn.ropeScaling.kind, RopeKind::yarn);
        QCOMPARE(yarn.ropeScaling.attention, 1.0); // the two scales cancel
        QCOMPARE(yarn.ropeScaling.originalPositions, 128.0);
        const ModelConfig plainYarn = parseOrFail(config("qwen2", R"("rope_scaling":{"type":"yarn","factor":4})"));
        QVERIFY(std::fabs(plainYarn.ropeScaling.attention - 1.138629436111989) < 1e-12); // 0.1 ln 4 + 1
        const std::string eight = "[1,1,1,1,1,1,1,2]";
        const ModelConfig longer = parseOrFail(
            config("phi3",
                   R"("original_max_position_embeddings":32,"rope_scaling":{"type":"longrope","short_factor":)" + eight
                       + R"(,"long_factor":)" + eight + "}"));
        QCOMPARE(longer.ropeScaling.kind, RopeKind::longrope);
        QCOMPARE(longer.ropeScaling.factors.back(), 2.0);
        QVERIFY(std::fabs(longer.ropeScaling.attention - std::sqrt(1.0 + 2.0 / 5.0)) < 1e-12); // ln 4 / ln 32 = 2/5
        const ModelConfig dynamic = parseOrFail(config("llama", R"("rope_scaling":{"type":"dynamic","factor":2})"));
        QCOMPARE(dynamic.ropeScaling.kind, RopeKind::plain);
    }

    void qwen_countsBothBranches()
    {
        const ModelConfig m = parseOrFail(config("qwen", R"("kv_channels":16)"));
        QCOMPARE(m.ffnWidth, 48);
        QVERIFY(m.qkvBias && !m.attentionOutBias && !m.ffnBias && !m.tiedHead);
        QVERIFY(!parseModelConfig(R"({"model_type":"qwen","num_hidden_layers":1,"hidden_size":8,"intermediate_size":9,)"
                                  R"("num_attention_heads":1,"kv_channels":8,"vocab_size":9})",
                                  "x"));
    }
};

REMAT_TEST(tst_config_blocks);
#include "tst_config_blocks.moc"
