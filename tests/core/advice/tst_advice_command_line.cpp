// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include <QProcess>

#include "core/advice/advice_models.h"
#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// The words as a real shell hands them to a program.
std::vector<std::string> throughAShell(const std::vector<std::string> &words)
{
    std::string script = "printf '%s\\0'";
    for (const std::string &word : words)
        script += " " + shellWord(word);
    QProcess shell;
    shell.start("sh", {"-s"});
    shell.write(script.data(), qint64(script.size()));
    shell.closeWriteChannel();
    std::vector<std::string> read;
    if (!shell.waitForFinished(30'000) || shell.exitCode() != 0)
        return read;
    const QByteArray out = shell.readAllStandardOutput();
    for (const QByteArray &word : out.split('\0'))
        read.push_back(word.toStdString());
    if (!read.empty())
        read.pop_back(); // behind the last zero
    return read;
}

double any(std::mt19937_64 &random, std::initializer_list<double> values)
{
    return values.begin()[random() % values.size()];
}

/// Each option by chance, those of the defaults most often.
Workload anyWorkload(std::mt19937_64 &random, const ModelConfig &model)
{
    const auto chance = [&](int percent) { return int(random() % 100) < percent; };
    Workload w;
    w.batch = 1 + std::int64_t(random() % 9);
    w.seq = model.head == HeadKind::image || chance(30) ? 0 : 1 + std::int64_t(random() % 60);
    w.microBatches = chance(70) ? 1 : 1 + int(random() % 5);
    w.dtype = chance(40) ? Dtype::fp32 : Dtype(random() % 5);
    w.attention = chance(40) ? AttentionKernel::sdpa : AttentionKernel(random() % 4);
    w.dropout = chance(40) ? -1.0 : any(random, {0.0, 0.1, 0.25, 1.0 / 3.0, 1e-7});
    w.attentionDropout = chance(40) ? -1.0 : any(random, {0.0, 0.1, 2.0 / 7.0});
    w.optimizer = OptimizerKind(random() % 4);
    w.momentum = w.optimizer == OptimizerKind::sgd && chance(50) ? any(random, {0.9, 0.99, 1.0 / 3.0}) : 0.0;
    w.gradients = chance(70) ? GradientRule::freed : GradientRule::kept;
    w.updateInBackward = chance(15);
    w.lossChunks = chance(60) ? 0 : 1 + int(random() % 4);
    if (chance(40))
        w.train = {chance(50) ? TrainKind::last : TrainKind::lora, 1 + int(random() % 2)};
    w.clip = chance(70) ? 0.0 : any(random, {1.0, 0.1, 1e-9, 12345.678});
    w.data = chance(70) ? "random" : "it's a file.bin";
    w.seed = chance(50) ? 0 : random();
    w.device = chance(60) ? "cpu" : "cuda:" + std::to_string(random() % 3);
    w.threads = chance(50) ? 0 : 1 + int(random() % 8);
    w.memoryBudget = chance(50) ? 0 : Bytes(random() % (std::uint64_t(1) << 20)) << (random() % 4 * 10);
    return w;
}

} // namespace

class tst_advice_command_line : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shellWord_isReadBackByAShell()
    {
        std::mt19937_64 random(49);
        std::vector<std::string> words{"",   "-n",    "--",    "~",    "~root/x", "a b",        "'",
                                       "''", "\\",    "$HOME", "`id`", "!!",      "a\nb",       "#",
                                       "*",  "{a,b}", "A=b",   "%s",   "it's",    "budget:30%", "π"};
        for (int c = 1; c < 256; ++c) {
            words.emplace_back(1, char(c));
            words.push_back("a" + std::string(1, char(c)));
            words.push_back(std::string(1, char(c)) + "b c");
        }
        for (int i = 0; i < 300; ++i) {
            std::string word;
            for (std::uint64_t left = random() % 12; left > 0; --left)
                word += char(1 + random() % 255);
            words.push_back(word);
        }
        const auto read = throughAShell(words);
        QCOMPARE(read.size(), words.size());
        for (std::size_t i = 0; i < words.size(); ++i) {
            QVERIFY2(read[i] == words[i], shellWord(words[i]).c_str());
            const auto own = wordsOf("x " + shellWord(words[i]) + " y");
            QVERIFY(own.size() == 3 && own[1] == words[i]); // the splitter that other tests use
        }
    }

    void shellWord_leavesPlainWordsAlone()
    {
        for (const char *plain :
             {"config.json", "/a/b_c-d.json", "budget:1024", "selective:attention+mlp@0,3-5", "x=1"})
            QCOMPARE(shellWord(plain), std::string(plain));
        QCOMPARE(shellWord("a b"), std::string("'a b'"));
    }

    void sizeWord_isReadBack_andShort()
    {
        std::mt19937_64 random(51);
        for (int i = 0; i < 3000; ++i) {
            const int shift = i % 4 * 10;
            const Bytes bytes = Bytes(1 + random() % (std::uint64_t(1) << (10 + i % 20))) << shift;
            const std::string word = sizeWord(bytes);
            QCOMPARE(parseBytes(word).value(), bytes);
            QCOMPARE(shellWord(word), word);
            QCOMPARE(parseStrategy("budget:" + word)->budget.bytes, bytes);
            const bool bare = std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
            QVERIFY2(bare == (bytes % 1024 != 0), word.c_str());
            const Bytes number = std::strtoll(word.c_str(), nullptr, 10);
            QVERIFY2(word.ends_with("GiB") || number % 1024 != 0, word.c_str());
        }
        QCOMPARE(sizeWord(Bytes(24) << 30), std::string("24GiB"));
    }

    void workloadArguments_giveTheWorkloadBack()
    {
        std::mt19937_64 random(50);
        int checked = 0;
        for (const std::string &name : modelNames()) {
            const ModelConfig model = modelNamed(name, 3);
            for (int round = 0; round < 400; ++round) {
                const int cores = 1 + int(random() % 8);
                const auto workload = resolveWorkload(anyWorkload(random, model), model, cores);
                if (!workload)
                    continue;
                const std::string text = workloadArguments(*workload, model, cores);
                const auto again = resolveWorkload(withArguments({}, wordsOf(text)), model, cores);
                QVERIFY2(again, text.c_str());
                QVERIFY2(workloadHash(model, *again) == workloadHash(model, *workload), (name + text).c_str());
                QCOMPARE(toJson(*again).dump(), toJson(*workload).dump());
                ++checked;
            }
        }
        QVERIFY2(checked > 1000, qPrintable(QString::number(checked)));
    }

    void workloadArguments_nameWhatDiffersOnly()
    {
        const ModelConfig model = tinyModel(2);
        Workload workload = resolveWorkload({}, model, 4).value();
        QCOMPARE(workloadArguments(workload, model, 4), std::string(" --batch 4 --seq 64"));
        QCOMPARE(workloadArguments(workload, model, 8), std::string(" --batch 4 --seq 64 --threads 4"));
        workload.dropout = 0.25;
        workload.data = "my bytes";
        QCOMPARE(workloadArguments(workload, model, 4),
                 std::string(" --batch 4 --seq 64 --dropout 0.25 --data 'my bytes'"));
    }
};

REMAT_TEST(tst_advice_command_line);
#include "tst_advice_command_line.moc"
