// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QDir>
#include <QFile>

#include <rapidcheck.h>

#include "base/json.h"
#include "config/config_reader.h"
#include "config/model_limits.h"
#include "model/parameter_inventory.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

std::vector<std::string> allConfigs()
{
    std::vector<std::string> texts;
    const QDir folder(REMAT_TEST_DATA "/configs");
    for (const QString &name : folder.entryList({"*.json"})) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            texts.push_back(file.readAll().toStdString());
    }
    return texts;
}

/// Whatever came in, the answer is a model whose numbers are within bounds, or one sentence that is valid UTF-8.
void checkAnswer(const std::string &text)
{
    const auto model = parseModelConfig(text, "x.json");
    if (!model) {
        RC_ASSERT(model.error().message.size() < 1000U);
        RC_ASSERT(!Json(model.error().message).dump().empty());
        return;
    }
    RC_ASSERT(shapeProblem(*model).empty());
    RC_ASSERT(countParameters(*model).total > 0);
}

rc::Gen<std::string> anyValue()
{
    return rc::gen::element<std::string>("null", "0", "-1", "1", "2", "3", "64", "1e18", "1e308", "0.5", "-0.0", "true",
                                         "false", "\"\"", "\"gelu\"", "\"64\"", "[]", "[1,\"a\"]", "{}", "{\"type\":1}",
                                         "9223372036854775807", "18446744073709551615", "4294967296", "128");
}

} // namespace

class tst_config_fuzz : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void anyBytes_areAnswered()
    {
        QVERIFY(rc::check([](const std::string &bytes) { checkAnswer(bytes); }));
    }

    void changedBytes_areAnswered()
    {
        const auto configs = allConfigs();
        QVERIFY(configs.size() > 10);
        QVERIFY(rc::check([&] {
            std::string text = *rc::gen::elementOf(configs);
            const auto changes = *rc::gen::container<std::vector<std::pair<unsigned, char>>>(
                rc::gen::pair(rc::gen::arbitrary<unsigned>(), rc::gen::arbitrary<char>()));
            for (const auto &[at, byte] : changes)
                text[at % text.size()] = byte;
            text.resize(text.size() - *rc::gen::inRange<std::size_t>(0, 3));
            checkAnswer(text);
        }));
    }

    void changedValues_areAnswered()
    {
        const auto configs = allConfigs();
        QVERIFY(rc::check([&] {
            auto json = parseJson(*rc::gen::elementOf(configs), "x");
            RC_ASSERT(json.has_value());
            const int changes = *rc::gen::inRange(1, 4);
            for (int i = 0; i < changes; ++i) {
                auto entry = json->begin();
                std::advance(entry, *rc::gen::inRange<int>(0, static_cast<int>(json->size())));
                entry.value() = Json::parse(*anyValue());
            }
            checkAnswer(json->dump());
        }));
    }
};

REMAT_TEST(tst_config_fuzz);
#include "tst_config_fuzz.moc"
