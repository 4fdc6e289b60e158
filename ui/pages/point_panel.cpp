// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/point_panel.h"

#include <cmath>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "models/text.h"
#include "theme/theme.h"
#include "widgets/number_tile.h"
#include "widgets/stacked_bar.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

PointPanel::PointPanel(Analysis &analysis, Selection &selection, QWidget *parent)
    : Card({}, parent), m_analysis(analysis), m_selection(selection)
{
    setAccessibleName(tr("The chosen point"));
    setupLayout();
    connect(&analysis, &Analysis::shownChanged, this, &PointPanel::refresh);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_buttonMeasures)
            Q_EMIT measureRequested(m_buttonStrategy);
        else
            Q_EMIT strategyRequested(m_buttonStrategy);
    });
    refresh();
}

void PointPanel::setupLayout()
{
    m_trust = makeLabel({}, true, "accent");
    m_trust->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    header()->addStretch(1);
    header()->addWidget(m_trust);
    m_big = new NumberTile({}, this);
    body()->addWidget(m_big);
    auto *row = new QHBoxLayout;
    row->setSpacing(20);
    m_against = new NumberTile(tr("against none"), this);
    m_time = new NumberTile(tr("step time"), this);
    m_repeated = new NumberTile(tr("forwards repeated"), this);
    for (NumberTile *tile : {m_against, m_time, m_repeated})
        row->addWidget(tile);
    row->addStretch(1);
    body()->addLayout(row);
    body()->addSpacing(2);
    body()->addWidget(makeHairline());
    auto *scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto *rest = new QWidget(scroll);
    auto *column = new QVBoxLayout(rest);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(7);
    m_peakBox = new QWidget(rest);
    auto *peak = new QVBoxLayout(m_peakBox);
    peak->setContentsMargins(0, 2, 0, 0);
    peak->setSpacing(7);
    m_peakTitle = makeLabel({}, false);
    m_peakTitle->setFont(themeFont(TextRole::strong));
    m_peakTitle->setWordWrap(true);
    m_bar = new StackedBar(this);
    peak->addWidget(m_peakTitle);
    peak->addWidget(m_bar);
    peak->addWidget(makeHairline());
    column->addWidget(m_peakBox);
    m_adviceTitle = makeLabel(tr("Worth knowing"), false);
    m_adviceTitle->setFont(themeFont(TextRole::strong));
    m_advice = makeLabel({}, false, "secondary");
    m_advice->setWordWrap(true);
    m_advice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_button = new QPushButton(this);
    setRole(m_button, "outline");
    auto *adviceRow = new QHBoxLayout;
    adviceRow->addWidget(m_adviceTitle, 1);
    adviceRow->addWidget(m_button);
    column->addLayout(adviceRow);
    column->addWidget(m_advice);
    column->addStretch(1);
    scroll->setWidget(rest);
    body()->addWidget(scroll, 1);
    setMinimumWidth(336);
}

/// The whole line of trust where there is room for it, else its last part; the tool tip has it all.
void PointPanel::fitTrust()
{
    const int room = width() - 64 - QFontMetrics(themeFont(TextRole::title)).horizontalAdvance(title());
    QString text = m_trustText;
    while (QFontMetrics(m_trust->font()).horizontalAdvance(text) > room && text.contains(u" · "_s))
        text = text.mid(text.indexOf(u" · "_s) + 3);
    m_trust->setText(text);
}

void PointPanel::resizeEvent(QResizeEvent *event)
{
    Card::resizeEvent(event);
    fitTrust();
}

void PointPanel::setCanMeasure(bool can)
{
    m_canMeasure = can;
    showAdvice();
}

QString PointPanel::predictionText(const core::Point &point) const
{
    const bool activations = m_selection.axis() == MemoryAxis::activations;
    const core::Bytes measured = activations ? point.activationPeakBytes : point.peakBytes;
    const core::Bytes predicted = activations ? point.predictedActivationPeakBytes : point.predictedPeakBytes;
    const QString name = activations ? tr("peak of activations") : tr("peak of everything");
    if (predicted < 0 || measured <= 0)
        return name;
    if (predicted == measured)
        return name + tr(" · predicted exactly, to the byte");
    const double off = std::abs(static_cast<double>(predicted - measured)) / static_cast<double>(measured) * 100.0;
    return name + tr(" · predicted %1, %2 % off").arg(bytesText(predicted)).arg(off, 0, 'f', off < 1 ? 2 : 1);
}

void PointPanel::showMeasured(const core::Point &point, const CurveMark &mark)
{
    QString trust = tr("measured · %1 steps").arg(point.step.n);
    const bool equal = point.equality.checked && point.equality.differingElements == 0;
    if (equal)
        trust += tr(" · ✓ gradients equal");
    else if (point.equality.checked)
        trust += tr(" · %1 gradient elements differ").arg(countText(point.equality.differingElements));
    m_trustText = trust;
    setRole(m_trust, equal || !point.equality.checked ? "accent" : "warning");
    m_trust->setToolTip(m_trustText + u'\n'
                        + (!point.equality.checked
                               ? QString::fromStdString(point.equality.why)
                               : tr("Compared with %1.").arg(QString::fromStdString(point.equality.reference))));
    m_big->setCaption(predictionText(point));
    m_big->setNumber(bytesText(mark.bytes));
    const CurveMark *none = m_analysis.curve().find(u"none"_s);
    const bool against = none && none->kind != MarkKind::failed && none->bytes > 0;
    m_against->setNumber(against ? percentText(static_cast<double>(mark.bytes) / static_cast<double>(none->bytes) - 1.0)
                                 : u"–"_s);
    m_time->setNumber(m_analysis.curve().relative ? factorText(mark.time) : durationText(point.step.median));
    m_time->setToolTip(
        tr("%1 a step, quartiles %2 and %3")
            .arg(durationText(point.step.median), durationText(point.step.q1), durationText(point.step.q3)));
    m_repeated->setNumber(tr("%1 of %2").arg(point.recomputedStageForwards).arg(m_analysis.shape().stages()));
}

void PointPanel::showUnmeasured(const CurveMark *mark)
{
    setRole(m_trust, "secondary");
    const bool failed = mark && mark->kind == MarkKind::failed;
    if (failed)
        setRole(m_trust, "warning");
    m_trustText = failed ? tr("does not fit")
        : mark           ? tr("from a probe of one block · predicted")
                         : tr("not known yet");
    m_trust->setToolTip({});
    m_big->setNumber(mark && !failed ? bytesText(mark->bytes) : u"–"_s);
    m_big->setCaption(m_selection.axis() == MemoryAxis::activations ? tr("predicted peak of activations")
                                                                    : tr("predicted peak of everything"));
    const CurveMark *none = m_analysis.curve().find(u"none"_s);
    const bool against = mark && !failed && none && none->kind != MarkKind::failed && none->bytes > 0;
    m_against->setNumber(
        against ? percentText(static_cast<double>(mark->bytes) / static_cast<double>(none->bytes) - 1.0) : u"–"_s);
    m_time->setNumber(mark && !failed && m_analysis.curve().relative ? factorText(mark->time) : u"–"_s);
    m_time->setToolTip({});
    const FrontPlan *plan = failed ? nullptr : m_analysis.plan(m_analysis.shown());
    m_repeated->setNumber(plan ? tr("%1 of %2").arg(plan->recomputedForwards).arg(m_analysis.shape().stages())
                               : u"–"_s);
}

void PointPanel::showPeak(bool measured)
{
    const auto &peak = m_analysis.peak();
    const bool known = measured && peak && !peak->parts.empty();
    m_peakBox->setVisible(known);
    if (!known)
        return;
    m_peakTitle->setText(peak->where.isEmpty() ? tr("Alive at the peak")
                                               : tr("Alive at the peak — %1").arg(peak->where));
    m_bar->setParts(peak->parts);
}

void PointPanel::showAdvice()
{
    const core::Point *point = m_analysis.point();
    const auto mark = m_analysis.curve().markFor(m_analysis.shown());
    m_buttonStrategy.clear();
    m_buttonMeasures = false;
    QStringList sentences;
    if (mark && mark->kind == MarkKind::failed) {
        sentences += mark->reason;
    } else if (!point || point->status != core::RunStatus::done) {
        const bool running
            = point && (point->status == core::RunStatus::running || point->status == core::RunStatus::queued);
        sentences += running ? tr("This strategy is being measured.") : tr("Nothing was measured here yet.");
        if (!running && m_canMeasure && !m_analysis.shown().isEmpty()) {
            m_buttonStrategy = m_analysis.shown();
            m_buttonMeasures = true;
        }
    }
    bool plan = false;
    for (const Advice &advice : m_analysis.advice()) {
        sentences += advice.text;
        // Of what could be shown a plan comes first: it is the one that the curve does not show by itself.
        const bool isPlan = familyOf(advice.strategy) == MarkFamily::plan;
        if (!m_buttonMeasures && !advice.strategy.isEmpty() && (m_buttonStrategy.isEmpty() || (isPlan && !plan))) {
            m_buttonStrategy = advice.strategy;
            plan = isPlan;
        }
    }
    m_advice->setText(sentences.join(u' '));
    m_adviceTitle->setVisible(!sentences.isEmpty());
    m_button->setVisible(!m_buttonStrategy.isEmpty());
    m_button->setText(m_buttonMeasures ? tr("Measure this  (Enter)")
                          : plan       ? tr("Show that plan")
                                       : tr("Show %1").arg(strategyLabel(m_buttonStrategy)));
}

void PointPanel::refresh()
{
    const core::Point *point = m_analysis.point();
    const auto mark = m_analysis.curve().markFor(m_analysis.shown());
    const bool measured = point && point->status == core::RunStatus::done && mark && mark->kind == MarkKind::measured;
    setTitle(m_analysis.shown().isEmpty() ? tr("No point yet") : strategyTitle(m_analysis.shown()));
    if (measured)
        showMeasured(*point, *mark);
    else
        showUnmeasured(mark ? &*mark : nullptr);
    fitTrust();
    showPeak(measured);
    showAdvice();
}

QString PointPanel::trustText() const
{
    return m_trustText;
}

QString PointPanel::number() const
{
    return m_big->number();
}

QString PointPanel::adviceText() const
{
    return m_advice->text();
}

} // namespace remat::ui
