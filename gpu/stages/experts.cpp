// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/experts.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "memory/cpu_account.h"
#include "stages/linear_parts.h"
#include "stages/rebuilt.h"
#include "stages/stage_marks.h"

namespace remat::gpu {

namespace ta = torch::autograd;

namespace {

/// Pairs of token and expert, sorted by expert: what follows from a router's choice.
struct Dispatch
{
    at::Tensor order;               // [pairs]: which pair of [tokens, per token] comes when
    at::Tensor token;               // [pairs]: the token of each pair in sorted order
    at::Tensor place;               // [tokens * per token]: where a token's pairs lie in that order
    std::vector<std::int64_t> rows; // pairs of each expert
    std::int64_t perToken = 0;
};

std::shared_ptr<const Dispatch> dispatchOf(const RouterChoice &choice, const core::Experts &shape)
{
    const at::NoGradGuard noGraph;
    auto dispatch = std::make_shared<Dispatch>();
    const at::Tensor flat = choice.reshape({-1});
    dispatch->order = at::argsort(flat, /*stable=*/true, 0, false);
    dispatch->token = dispatch->order.div(shape.perToken, "floor");
    dispatch->place = at::argsort(dispatch->order, /*stable=*/true, 0, false);
    const at::Tensor counts = at::bincount(flat, {}, shape.count).to(at::kCPU);
    const auto *first = counts.const_data_ptr<std::int64_t>();
    dispatch->rows.assign(first, first + counts.numel());
    dispatch->perToken = shape.perToken;
    return dispatch;
}

/// Sum over the pairs of each token, in the order of its choices: additions in a fixed order on every device.
at::Tensor sumPerToken(const at::Tensor &pairs, const Dispatch &dispatch)
{
    return pairs.index_select(0, dispatch.place).view({-1, dispatch.perToken, pairs.size(1)}).sum(1);
}

/// [tokens, w] -> [pairs, w], and back by summing.
struct GatherNode : ta::Function<GatherNode>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &tokens, const Dispatch *dispatch)
    {
        context->saved_data["place"] = dispatch->place;
        context->saved_data["perToken"] = dispatch->perToken;
        return tokens.index_select(0, dispatch->token);
    }
    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        Dispatch dispatch;
        dispatch.place = takeSaved(context, "place");
        dispatch.perToken = context->saved_data["perToken"].toInt();
        return {sumPerToken(gradients[0], dispatch), at::Tensor()};
    }
};

/// [pairs, w] -> [tokens, w] by summing, and back.
struct SumNode : ta::Function<SumNode>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &pairs, const Dispatch *dispatch)
    {
        context->saved_data["token"] = dispatch->token;
        return sumPerToken(pairs, *dispatch);
    }
    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        return {gradients[0].index_select(0, takeSaved(context, "token")), at::Tensor()};
    }
};

/// Calls `work` with each expert's number and its run of rows.
template <typename Work>
void eachExpert(const std::vector<std::int64_t> &rows, Work work)
{
    std::int64_t first = 0;
    for (std::size_t expert = 0; expert < rows.size(); ++expert) {
        if (rows[expert] > 0)
            work(static_cast<std::int64_t>(expert), first, rows[expert]);
        first += rows[expert];
    }
}

/// In reduced types the kernel takes scratch whose size follows from the rows, that is from the router's choice: it is
/// counted apart, like that of the workers. The result itself is there already.
void productInto(at::Tensor &target, const at::Tensor &a, const at::Tensor &b)
{
    const CpuAccount::ScratchScope scratch;
    at::mm_out(target, a, b);
}

/// y[rows of e] = a[rows of e] W[e]^T with a = z, or made from z by a part that is run again in the backward. Outputs and
/// gradients are written into slices of one tensor, so that bytes do not depend on how tokens spread over experts.
struct GroupedNode : ta::Function<GroupedNode>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &z, const at::Tensor &weight,
                              const std::vector<std::int64_t> *rows, const Rebuild *before, const at::Tensor *tick)
    {
        auto &saved = context->saved_data;
        if (before)
            saved["plan"] = RebuildPlan::make(*before, z, *tick, false);
        saved["z"] = z;
        saved["rows"] = *rows;
        saved["wantsInput"] = before != nullptr || z.requires_grad();
        saved["wantsWeight"] = weight.requires_grad();
        context->save_for_backward({weight});
        return product(before ? (*before)(z) : z, weight, *rows);
    }

    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        auto &saved = context->saved_data;
        const at::Tensor weight = context->get_saved_variables()[0];
        const auto rows = saved["rows"].toIntVector();
        const auto plan = saved.find("plan");
        const c10::IValue held = plan == saved.end() ? c10::IValue() : plan->second;
        at::Tensor dy = std::move(gradients[0]);
        at::Tensor a = takeSaved(context, "z");
        SavedStage graph;
        if (!held.isNone())
            a = RebuildPlan::of(held).again(a, graph);
        at::Tensor dw;
        if (saved["wantsWeight"].toBool()) {
            dw = at::zeros(weight.sizes(), weight.options().requires_grad(false));
            eachExpert(rows, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
                at::Tensor slice = dw.select(0, expert);
                productInto(slice, dy.narrow(0, first, count).t(), a.narrow(0, first, count));
            });
        }
        const auto shape = a.sizes().vec();
        a.reset();
        at::Tensor da;
        if (saved["wantsInput"].toBool()) {
            da = at::empty(shape, dy.options());
            eachExpert(rows, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
                at::Tensor slice = da.narrow(0, first, count);
                productInto(slice, dy.narrow(0, first, count), weight.select(0, expert));
            });
        }
        dy.reset();
        if (!held.isNone())
            da = RebuildPlan::of(held).backThrough(std::move(graph), std::move(da));
        return {da, dw, at::Tensor(), at::Tensor(), at::Tensor()};
    }

    static at::Tensor product(const at::Tensor &a, const at::Tensor &weight, const std::vector<std::int64_t> &rows)
    {
        at::Tensor y = at::empty({a.size(0), weight.size(1)}, a.options().requires_grad(false));
        eachExpert(rows, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
            at::Tensor slice = y.narrow(0, first, count);
            productInto(slice, a.narrow(0, first, count), weight.select(0, expert).t());
        });
        return y;
    }
};

at::Tensor grouped(const at::Tensor &z, const at::Tensor &weight, const std::vector<std::int64_t> &rows,
                   const Rebuild *before, const at::Tensor &tick)
{
    const at::Tensor cast = matching(weight, z);
    if (at::GradMode::is_enabled())
        return GroupedNode::apply(z, cast, &rows, before, &tick);
    return GroupedNode::product(before ? (*before)(z) : z, cast, rows);
}

class Mixture
{
public:
    Mixture(const ExpertWeights &weights, const FeedForwardOption &option, const Permanent &permanent)
        : m_weights(weights), m_option(option), m_permanent(permanent)
    {
    }

    at::Tensor run(const at::Tensor &n, RouterChoice &choice) const
    {
        const at::Tensor flat = rows(n);
        const at::Tensor probabilities = routed(flat, choice);
        const auto dispatch = dispatchOf(choice, m_weights.shape);
        at::Tensor y = experts(flat, dispatch, probabilities);
        if (m_weights.shape.sharedWidth > 0)
            y = y + shared(flat);
        return y.view(n.sizes());
    }

private:
    /// Weights of the chosen pairs [tokens, per token]; makes the choice where there is none yet.
    at::Tensor routed(const at::Tensor &n, RouterChoice &choice) const
    {
        const at::Tensor scores = at::linear(n, matching(m_weights.router, n)).to(at::kFloat);
        at::Tensor probabilities = at::softmax(scores, -1);
        if (!choice.defined()) {
            const at::NoGradGuard noGraph;
            const CategoryScope kept(core::Category::savedActivation);
            choice = std::get<1>(at::topk(probabilities.detach(), m_weights.shape.perToken, -1));
        }
        at::Tensor chosen = probabilities.gather(1, choice);
        if (m_weights.shape.normaliseTopK)
            chosen = chosen / chosen.sum(-1, true);
        return chosen.to(n.scalar_type());
    }

    at::Tensor experts(const at::Tensor &n, const std::shared_ptr<const Dispatch> &dispatch,
                       const at::Tensor &probabilities) const
    {
        const ExpertWeights &w = m_weights;
        const at::Tensor &tick = m_permanent.tick;
        const bool graph = at::GradMode::is_enabled();
        const Rebuild activation = [&w](const at::Tensor &h) { return activated(h, w.activation, w.gated); };
        const Rebuild up = [&w, dispatch, tick](const at::Tensor &t) {
            return grouped(GatherNode::apply(t, dispatch.get()), w.up, dispatch->rows, nullptr, tick);
        };
        const Rebuild hidden = [&w, up](const at::Tensor &t) { return activated(up(t), w.activation, w.gated); };
        at::Tensor out;
        if (graph && m_option.dropUp)
            out = grouped(n, w.down, dispatch->rows, &hidden, tick);
        else if (graph && m_option.dropActivation)
            out = grouped(up(n), w.down, dispatch->rows, &activation, tick);
        else
            out = grouped(hidden(n), w.down, dispatch->rows, nullptr, tick);
        const at::Tensor weights = probabilities.reshape({-1, 1}).index_select(0, dispatch->order);
        return SumNode::apply(at::mul(out, weights), dispatch.get());
    }

    at::Tensor shared(const at::Tensor &n) const
    {
        const at::Tensor h = project(n, m_weights.sharedUp);
        const at::Tensor y = project(activated(h, m_weights.activation, m_weights.gated), m_weights.sharedDown);
        if (!m_weights.sharedGate.defined())
            return y;
        return at::mul(y, at::sigmoid(at::linear(n, matching(m_weights.sharedGate, n))));
    }

    const ExpertWeights &m_weights;
    const FeedForwardOption &m_option;
    const Permanent &m_permanent;
};

} // namespace

at::Tensor mixture(const at::Tensor &n, const ExpertWeights &weights, const FeedForwardOption &option,
                   RouterChoice &choice, const Permanent &permanent)
{
    return Mixture(weights, option, permanent).run(n, choice);
}

} // namespace remat::gpu
