// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/composition_list.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "models/text.h"
#include "theme/hatch.h"

namespace remat::ui {

namespace {

/// A square of a category's fill.
class Swatch : public QWidget
{
public:
    explicit Swatch(core::Category category) : m_category(category) { setFixedSize(12, 12); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const FillStyle style = Theme::of(palette()).category(m_category);
        painter.setPen(QPen(style.edge, 1));
        painter.setBrush(fillBrush(style, devicePixelRatioF()));
        painter.drawRoundedRect(QRectF(0.5, 0.5, 11, 11), 2, 2);
    }

private:
    core::Category m_category;
};

} // namespace

CompositionList::CompositionList(QWidget *parent) : Card({}, parent)
{
    m_place = makeLabel({}, true, "secondary");
    m_place->setWordWrap(true);
    body()->addWidget(m_place);
    body()->addWidget(makeHairline());
    m_rows = new QGridLayout;
    m_rows->setHorizontalSpacing(8);
    m_rows->setVerticalSpacing(6);
    m_rows->setColumnStretch(1, 1);
    body()->addLayout(m_rows);
    body()->addStretch(1);
    setMinimumWidth(250);
}

void CompositionList::showState(const QString &title, const QString &place, const StackData *stack, std::size_t state)
{
    setTitle(title);
    m_place->setText(place);
    while (QLayoutItem *item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!stack || state >= stack->states())
        return;
    StackData::Walker walker(*stack);
    const std::vector<core::Bytes> &held = walker.at(state);
    int row = 0;
    for (std::size_t s = held.size(); s-- > 0;) {
        if (held[s] <= 0)
            continue;
        const core::Category category = stack->series()[s].category;
        auto *bytes = makeLabel(bytesText(held[s]), false);
        bytes->setToolTip(exactBytesText(held[s]));
        m_rows->addWidget(new Swatch(category), row, 0, Qt::AlignVCenter);
        m_rows->addWidget(makeLabel(categoryText(category), false), row, 1);
        m_rows->addWidget(bytes, row, 2, Qt::AlignRight);
        ++row;
    }
    auto *total = makeLabel(bytesText(stack->total(state)), false);
    total->setFont(themeFont(TextRole::strong));
    total->setToolTip(exactBytesText(stack->total(state)));
    auto *name = makeLabel(tr("together"), false);
    name->setFont(themeFont(TextRole::strong));
    m_rows->addWidget(makeHairline(), row, 0, 1, 3);
    m_rows->addWidget(name, row + 1, 1);
    m_rows->addWidget(total, row + 1, 2, Qt::AlignRight);
    setAccessibleName(title);
    setAccessibleDescription(asText());
}

QString CompositionList::asText() const
{
    QString text;
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const auto label = [&](int column) {
            QLayoutItem *item = m_rows->itemAtPosition(row, column);
            return item ? qobject_cast<QLabel *>(item->widget()) : nullptr;
        };
        if (label(1) && label(2))
            text += label(1)->text() + QLatin1Char('\t') + label(2)->text() + QLatin1Char('\n');
    }
    return text;
}

} // namespace remat::ui
