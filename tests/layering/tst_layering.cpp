// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "layering/source_rules.h"
#include "support/test_registry.h"

namespace fs = std::filesystem;
using namespace remat::tests;

namespace {

using Check = void (*)(const std::string &, std::string_view, std::vector<Breach> &);

bool isChecked(const fs::path &path)
{
    const std::set<std::string> endings = {".h", ".cpp", ".cmake", ".sh", ".py"};
    return endings.count(path.extension().string()) > 0 || path.filename() == "CMakeLists.txt";
}

/// Text of every source file of the checkout, by its path relative to it.
const std::map<std::string, std::string> &sources()
{
    static const auto all = [] {
        std::map<std::string, std::string> files;
        const fs::path root(REMAT_SOURCE_DIR);
        const auto add = [&](const fs::path &path) {
            std::ifstream stream(path, std::ios::binary);
            files[fs::relative(path, root).generic_string()]
                = std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
        };
        for (const char *folder : {"core", "gpu", "ui", "app", "resources", "tests", "packaging"})
            for (const auto &entry : fs::recursive_directory_iterator(root / folder))
                if (entry.is_regular_file() && isChecked(entry.path()))
                    add(entry.path());
        add(root / "CMakeLists.txt");
        return files;
    }();
    return all;
}

QString report(const std::vector<Breach> &breaches)
{
    QString text;
    for (const Breach &breach : breaches)
        text += "\n" + QString::fromStdString(toString(breach));
    return text;
}

std::vector<Breach> one(Check check, const char *file, const std::string &text)
{
    std::vector<Breach> breaches;
    check(file, text, breaches);
    return breaches;
}

} // namespace

class tst_layering : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void sources_keepTheRules_data()
    {
        QTest::addColumn<void *>("check");
        QTest::newRow("includes follow the arrows") << reinterpret_cast<void *>(checkIncludes);
        QTest::newRow("licence lines") << reinterpret_cast<void *>(checkLicence);
        QTest::newRow("file lengths") << reinterpret_cast<void *>(checkLength);
        QTest::newRow("function lengths") << reinterpret_cast<void *>(checkFunctions);
        QTest::newRow("words") << reinterpret_cast<void *>(checkWords);
    }
    void sources_keepTheRules()
    {
        QFETCH(void *, check);
        QVERIFY(sources().size() > 50);
        std::vector<Breach> breaches;
        for (const auto &[file, text] : sources())
            reinterpret_cast<Check>(check)(file, text, breaches);
        QVERIFY2(breaches.empty(), qPrintable(report(breaches)));
    }

    void documents_keepTheirLength()
    {
        for (const char *name : {"ARCHITECTURE.md", "CONTRIBUTING.md"}) {
            std::ifstream stream(fs::path(REMAT_SOURCE_DIR) / name);
            QVERIFY2(stream.is_open(), name);
            const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
            const auto breaches = one(checkLength, name, text);
            QVERIFY2(breaches.empty(), qPrintable(report(breaches)));
        }
    }

    void topLevel_holdsTheFoldersAndNoOthers()
    {
        const std::set<std::string> expected = {"app", "core", "gpu", "ui", "resources", "tests", "packaging"};
        std::set<std::string> found;
        for (const auto &entry : fs::directory_iterator(REMAT_SOURCE_DIR)) {
            const std::string name = entry.path().filename().string();
            if (entry.is_directory() && !name.starts_with('.') && name != "build")
                found.insert(name);
        }
        QVERIFY(found == expected);
    }

    void includes_areCaughtWithTheirLine_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("include");
        QTest::addColumn<bool>("allowed");
        const auto row = [](const char *file, const char *include, bool allowed) {
            QTest::addRow("%s %s", file, include) << file << include << allowed;
        };
        row("core/base/x.cpp", "#include <QString>", false);
        row("core/base/x.h", "#  include <QtCore/qglobal.h>", false);
        row("core/base/x.cpp", "#include <ATen/ATen.h>", false);
        row("core/base/x.cpp", "#include <string>", true);
        row("core/base/x.cpp", "// #include <QString>", true);
        row("gpu/stages/x.cpp", "#include <ATen/ATen.h>", true);
        row("gpu/stages/x.cpp", "#include <QObject>", false);
        row("gpu/memory/x.cpp", "#include <c10/cuda/CUDACachingAllocator.h>", false);
        row("gpu/cuda/x.cpp", "#include <c10/cuda/CUDACachingAllocator.h>", true);
        row("ui/pages/x.cpp", "#include <torch/torch.h>", false);
        row("ui/pages/x.cpp", "#include <qcustomplot.h>", false);
        row("ui/plots/x.cpp", "#include <qcustomplot.h>", true);
        row("ui/pages/x.cpp", "#include <QWidget>", true);
        row("app/remat/main.cpp", "#include <QCoreApplication>", false);
        row("app/remat/main.cpp", "#include <c10/core/Device.h>", false);
        row("app/rematscope/main.cpp", "#include <QApplication>", true);
        row("app/rematscope/main.cpp", "#include \"torch/script.h\"", false);
    }
    void includes_areCaughtWithTheirLine()
    {
        QFETCH(QString, file);
        QFETCH(QString, include);
        QFETCH(bool, allowed);
        const auto breaches
            = one(checkIncludes, file.toUtf8().constData(), "\n\n" + include.toStdString() + "\nint x;\n");
        QCOMPARE(breaches.size(), std::size_t(allowed ? 0 : 1));
        if (!allowed)
            QVERIFY(QString::fromStdString(toString(breaches.front())).startsWith(file + ":3: includes "));
    }

    void otherBreaches_areCaught()
    {
        const std::string owner = "// SPDX-FileCopyrightText: 2026 The Rematscope authors\n";
        const std::string gpl = owner + "// SPDX-License-Identifier: GPL-3.0-or-later\n";
        QCOMPARE(one(checkLicence, "core/x.cpp", gpl).size(), std::size_t(1));
        QCOMPARE(one(checkLicence, "app/rematscope/x.cpp", gpl).size(), std::size_t(0));
        QCOMPARE(one(checkLicence, "ui/x.cpp", owner).size(), std::size_t(1));
        QCOMPARE(one(checkLength, "ui/x.h", std::string(151, '\n')).size(), std::size_t(1));
        QCOMPARE(one(checkLength, "ui/x.cpp", std::string(400, '\n')).size(), std::size_t(0));
        const std::string body = "void f()\n{\n" + std::string(60, '\n');
        QCOMPARE(one(checkFunctions, "ui/x.cpp", body + "}\n").size(), std::size_t(0));
        QCOMPARE(one(checkFunctions, "ui/x.cpp", body + "\n}\n").size(), std::size_t(1));
        QCOMPARE(one(checkFunctions, "ui/x.cpp", "struct A\n{\n" + std::string(99, '\n') + "};\n").size(),
                 std::size_t(0));
        QCOMPARE(one(checkWords, "ui/x.cpp", std::string("// TO") + "DO later\n").size(), std::size_t(1));
    }
};

REMAT_TEST(tst_layering);
#include "tst_layering.moc"
