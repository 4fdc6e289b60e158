// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "config/config_reader.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

/// A small gpt2 config in which `key` has the value `json` (an empty value removes the key).
std::string gpt2With(const std::string &key, const std::string &json)
{
    std::string text = R"({"model_type":"gpt2")";
    const std::pair<const char *, const char *> entries[]
        = {{"n_layer", "2"}, {"n_embd", "64"}, {"n_head", "4"}, {"vocab_size", "300"}, {"n_positions", "32"}};
    for (const auto &[name, value] : entries)
        if (key != name)
            text += ",\"" + std::string(name) + "\":" + value;
    return text + (json.empty() ? "" : ",\"" + key + "\":" + json) + "}";
}

QString refusal(const std::string &text)
{
    const auto model = parseModelConfig(text, "x.json");
    if (model)
        return "(accepted)";
    return model.error().code == ErrorCode::refused ? QString::fromStdString(model.error().message) : "(other code)";
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), qint64(bytes.size()));
}

} // namespace

class tst_config_refusals : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void wrongValues_nameKeyValueAndRange_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("allowed");
        const auto row = [](const char *key, const char *json, const char *allowed) {
            QTest::addRow("%s %s", key, json) << key << json << allowed;
        };
        row("n_layer", "0", "from 1 to 4096");
        row("n_layer", "-2", "from 1 to 4096");
        row("n_layer", "4097", "from 1 to 4096");
        row("n_layer", "2.5", "whole numbers");
        row("n_layer", "\"2\"", "whole numbers");
        row("n_layer", "true", "whole numbers");
        row("n_layer", "[2]", "whole numbers");
        row("n_embd", "1e300", "from 1 to 262144");
        row("n_embd", "18446744073709551615", "from 1 to 262144");
        row("n_head", "{}", "from 1 to 4096");
        row("n_inner", "0", "from 1 to 2097152");
        row("vocab_size", "1", "from 2 to 16777216");
        row("n_positions", "9999999999", "from 1 to 134217728");
        row("resid_pdrop", "1.0", "to below 1.0");
        row("resid_pdrop", "-0.1", "from 0.0");
        row("attn_pdrop", "\"0.1\"", "numbers from 0.0");
        row("layer_norm_epsilon", "2", "to 1.0");
        row("tie_word_embeddings", "1", "true and false");
        row("activation_function", "\"quick_gelu\"", "gelu_new");
        row("activation_function", "7", "gelu_new");
        row("num_experts", "8", "dense");
        row("is_encoder_decoder", "true", "decoder");
        row("kv_lora_rank", "512", "grouped-query");
        row("final_logit_softcapping", "30.0", "null");
        row("layer_types", "\"full_attention\"", "list");
        row("reorder_and_upcast_attn", "\"yes\"", "true and false");
    }
    void wrongValues_nameKeyValueAndRange()
    {
        QFETCH(QString, key);
        QFETCH(QString, json);
        QFETCH(QString, allowed);
        const QString message = refusal(gpt2With(key.toStdString(), json.toStdString()));
        QVERIFY2(message.startsWith("x.json: " + key + " is "), qPrintable(message));
        QVERIFY2(message.contains(allowed) && message.endsWith('.'), qPrintable(message));
    }

    void missingKeys_areNamed()
    {
        for (const char *key : {"n_layer", "n_embd", "n_head", "vocab_size"}) {
            const QString absent = refusal(gpt2With(key, ""));
            QVERIFY2(absent.contains("the key " + QString(key)) && absent.contains("is absent"), qPrintable(absent));
            QVERIFY(refusal(gpt2With(key, "null")).contains("is null"));
        }
    }

    void headsMustFit()
    {
        QVERIFY(refusal(gpt2With("n_embd", "65")).contains("width 65, heads 4"));
        QVERIFY(refusal(gpt2With("num_key_value_heads", "3"))
                    .contains("num_key_value_heads = 3 does not divide n_head = 4"));
        QVERIFY(refusal(R"({"model_type":"llama","num_hidden_layers":2,"hidden_size":64,"num_attention_heads":8,)"
                        R"("intermediate_size":8,"vocab_size":9,"head_dim":7})")
                    .contains("even number"));
    }

    void otherModels_areRefusedByName_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        const auto type = [](const char *name, const char *part) {
            QTest::newRow(name) << QString(R"({"model_type":"%1","hidden_size":768})").arg(name) << part;
        };
        type("t5", "model_type is 't5'; it has an encoder and a decoder");
        type("bart", "cross-attention");
        type("deepseek_v3", "multi-head latent attention");
        type("minicpm3", "multi-head latent attention");
        type("llama4", "Llama 4");
        type("mllama", "attend to an image");
        type("qwen3_next", "linear attention");
        type("mamba", "recurrent state");
        type("jamba", "recurrent state");
        type("phi3small", "block-sparse");
        type("nobodyknows", "unknown; supported are gpt2,");
        QTest::newRow("unknown experts") << R"({"model_type":"nobodyknows","num_local_experts":8})"
                                         << "num_local_experts = 8";
        QTest::newRow("outer Llama 4") << R"({"model_type":"llama4","text_config":{"model_type":"llama4_text"}})"
                                       << "Llama 4";
        QTest::newRow("outer hybrid") << R"({"model_type":"qwen3_5_moe","text_config":{"hidden_size":8}})"
                                      << "linear attention";
        QTest::newRow("part of unknown kind") << R"({"model_type":"seer","text_config":{"model_type":"seer_text"}})"
                                              << "'seer_text'";
        QTest::newRow("type is a number") << R"({"model_type":5})"
                                          << "model_type is 5";
        QTest::newRow("class") << R"({"architectures":["SeerForMaskedLM"],"hidden_size":8})"
                               << "'SeerForMaskedLM'";
        QTest::newRow("no model") << R"({"prompts":{},"similarity_fn_name":"cosine"})"
                                  << "lacks a width (hidden_size";
        QTest::newRow("nameless") << R"({"hidden_size":8,"num_hidden_layers":2,"num_attention_heads":2})"
                                  << "--family";
        QTest::newRow("linear layers") << R"({"model_type":"qwen3","num_hidden_layers":1,"hidden_size":8,)"
                                          R"("num_attention_heads":2,"intermediate_size":8,"vocab_size":9,)"
                                          R"("layer_types":["linear_attention"]})"
                                       << "linear_attention";
        QTest::newRow("capped llama") << R"({"model_type":"llama","attn_logit_softcapping":50.0})"
                                      << "capped attention logits are not part of this family";
        QTest::newRow("parallel llama") << R"({"model_type":"llama","use_parallel_residual":true})"
                                        << "in parallel are not part of this family";
        QTest::newRow("opt with projections") << R"({"model_type":"opt","num_hidden_layers":1,"hidden_size":8,)"
                                                 R"("num_attention_heads":2,"ffn_dim":8,"vocab_size":9,)"
                                                 R"("word_embed_proj_dim":4})"
                                              << "word_embed_proj_dim is 4";
        QTest::newRow("rotary kind") << R"({"model_type":"llama","num_hidden_layers":1,"hidden_size":8,)"
                                        R"("num_attention_heads":2,"intermediate_size":8,"vocab_size":9,)"
                                        R"("rope_scaling":{"rope_type":"spiral"}})"
                                     << "the rope_type in rope_scaling is \"spiral\"";
        QTest::newRow("list") << "[1]"
                              << "top level is array";
        QTest::newRow("twice") << R"({"n_layer":1,"n_layer":1})"
                               << "twice";
    }
    void otherModels_areRefusedByName()
    {
        QFETCH(QString, text);
        QFETCH(QString, part);
        const QString message = refusal(text.toStdString());
        QVERIFY2(message.contains(part) && message.startsWith("x.json"), qPrintable(message));
    }

    void noJson_isRecognised_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("part");
        QTest::newRow("LFS") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n")
                             << "Git LFS";
        QTest::newRow("link") << QByteArray("../../blobs/0123abc\n") << "symbolic link";
        QTest::newRow("web page") << QByteArray("<!DOCTYPE html><html></html>") << "web page";
        QTest::newRow("zeros") << QByteArray(4096, '\0') << "zero bytes";
        QTest::newRow("UTF-16") << QByteArray("\xFF\xFE{\0", 4) << "UTF-16";
        QTest::newRow("zip") << QByteArray("PK\x03\x04....") << "zip archive";
        QTest::newRow("empty") << QByteArray() << "is empty";
        QTest::newRow("broken") << QByteArray("{\"n_layer\": 2,}") << "line 1, column 15";
        QTest::newRow("deep") << QByteArray(100'000, '[') << "64 levels";
    }
    void noJson_isRecognised()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, part);
        const QString message = refusal(text.toStdString());
        QVERIFY2(message.contains(part) && message.startsWith("x.json"), qPrintable(message));
    }

    void files_areLookedAtBeforeReading()
    {
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        const auto message = [&](const QString &name) {
            const auto model = readModelConfig(folder.filePath(name).toStdString());
            return model ? QString("(accepted)") : QString::fromStdString(model.error().message);
        };
        QFile zeros(folder.filePath("zeros.json"));
        QVERIFY(zeros.open(QIODevice::WriteOnly) && zeros.resize(qint64(2) << 30)); // sparse
        zeros.close();
        QVERIFY2(message("zeros.json").contains("2.00 GiB"), qPrintable(message("zeros.json")));
        QVERIFY(message("absent.json").contains("no such file"));
        QVERIFY(QDir(folder.path()).mkdir("empty"));
        QVERIFY(message("empty").contains("holds no config.json"));
        write(folder.filePath("model.yml"), "# comment\n\"num-layers\": 6,\n");
        QVERIFY(message("model.yml").contains("GPT-NeoX trainer"));
        write(folder.filePath("other.yml"), "a: b\n");
        QVERIFY(message("other.yml").contains("YAML"));
        const auto device = readModelConfig("/dev/zero");
        QVERIFY(!device && device.error().message.find("no regular file") != std::string::npos);
    }

    void folder_isReadThroughItsConfig()
    {
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir("tiny-model"));
        write(folder.filePath("tiny-model/config.json"), QByteArray::fromStdString("\xEF\xBB\xBF" + gpt2With("", "")));
        for (const char *path : {"tiny-model", "tiny-model/config.json", "tiny-model/"}) {
            const auto model = readModelConfig(folder.filePath(path).toStdString());
            QVERIFY2(model, path);
            QCOMPARE(model->name, std::string("tiny-model"));
        }
    }
};

REMAT_TEST(tst_config_refusals);
#include "tst_config_refusals.moc"
