// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "base/text.h"
#include "config/model_limits.h"
#include "model/json_members.h"
#include "model/workload.h"

namespace remat::core {

namespace {

template <typename E, std::size_t N>
using NameTable = std::array<std::pair<E, std::string_view>, N>;

constexpr NameTable<Activation, 6> kActivations = {{{Activation::gelu, "gelu"},
                                                    {Activation::geluTanh, "gelu_tanh"},
                                                    {Activation::silu, "silu"},
                                                    {Activation::relu, "relu"},
                                                    {Activation::reluSquared, "relu_squared"},
                                                    {Activation::tanh, "tanh"}}};
constexpr NameTable<NormKind, 2> kNorms = {{{NormKind::layerNorm, "layer_norm"}, {NormKind::rmsNorm, "rms_norm"}}};
constexpr NameTable<NormPlacement, 4> kPlacements = {{{NormPlacement::pre, "pre"},
                                                      {NormPlacement::post, "post"},
                                                      {NormPlacement::sandwich, "sandwich"},
                                                      {NormPlacement::branch, "branch"}}};
constexpr NameTable<QkNorm, 4> kQkNorms = {{{QkNorm::none, "none"},
                                            {QkNorm::headRms, "head_rms"},
                                            {QkNorm::headLayer, "head_layer"},
                                            {QkNorm::wholeRms, "whole_rms"}}};
constexpr NameTable<PositionKind, 5> kPositions = {{{PositionKind::none, "none"},
                                                    {PositionKind::learned, "learned"},
                                                    {PositionKind::sinusoidal, "sinusoidal"},
                                                    {PositionKind::rotary, "rotary"},
                                                    {PositionKind::alibi, "alibi"}}};
constexpr NameTable<HeadKind, 4> kHeads = {{{HeadKind::causal, "causal"},
                                            {HeadKind::masked, "masked"},
                                            {HeadKind::sequence, "sequence"},
                                            {HeadKind::image, "image"}}};
constexpr NameTable<RopeKind, 5> kRopes = {{{RopeKind::plain, "plain"},
                                            {RopeKind::linear, "linear"},
                                            {RopeKind::llama3, "llama3"},
                                            {RopeKind::yarn, "yarn"},
                                            {RopeKind::longrope, "longrope"}}};
constexpr NameTable<Support, 4> kSupports = {{{Support::full, "full"},
                                              {Support::denseShape, "dense-shape"},
                                              {Support::textPart, "text-part"},
                                              {Support::refused, "refused"}}};

/// Every member once, in the order of the document; a writer and a reader walk the same list.
template <typename Visitor, typename Scaling>
void visitScaling(Visitor &v, Scaling &s)
{
    v.template name<RopeKind>("kind", kRopes, s.kind);
    v.value("factor", s.factor).value("low_factor", s.lowFactor).value("high_factor", s.highFactor);
    v.value("beta_fast", s.betaFast).value("beta_slow", s.betaSlow).value("attention", s.attention);
    v.value("original_positions", s.originalPositions).numbers("factors", s.factors);
}

template <typename Visitor, typename Mixture>
void visitExperts(Visitor &v, Mixture &e)
{
    v.value("count", e.count).value("per_token", e.perToken).value("width", e.width);
    v.value("shared_width", e.sharedWidth).value("normalise_top_k", e.normaliseTopK).value("shared_gate", e.sharedGate);
}

template <typename Visitor, typename Model>
void visitSizes(Visitor &v, Model &m)
{
    v.value("name", m.name).value("family", m.family);
    v.template name<Support>("support", kSupports, m.support).value("reason", m.supportReason);
    v.value("layers", m.layers).value("width", m.width).value("heads", m.heads).value("kv_heads", m.kvHeads);
    v.value("head_size", m.headSize).value("ffn_width", m.ffnWidth).value("gated_ffn", m.gatedFfn);
    v.value("vocabulary", m.vocabulary).value("positions", m.positions).value("position_offset", m.positionOffset);
    v.value("token_types", m.tokenTypes).template name<HeadKind>("head", kHeads, m.head).value("classes", m.classes);
    v.value("patch_size", m.patchSize).value("channels", m.channels);
    v.template name<Activation>("pooler_activation", kActivations, m.poolerActivation);
    v.template name<Activation>("activation", kActivations, m.activation);
}

template <typename Visitor, typename Model>
void visitNorms(Visitor &v, Model &m)
{
    v.template name<NormKind>("norm", kNorms, m.norm);
    v.template name<NormPlacement>("norm_placement", kPlacements, m.normPlacement);
    v.value("norm_epsilon", m.normEpsilon).value("norm_unit_offset", m.normUnitOffset);
    v.value("norm_weight", m.normWeight).value("embedding_norm", m.embeddingNorm).value("final_norm", m.finalNorm);
    v.value("head_norm_epsilon", m.headNormEpsilon).qkNorm("qk_norm", m.qkNorm);
    v.value("parallel_residual", m.parallelResidual).value("parallel_two_norms", m.parallelTwoNorms);
    v.value("qkv_clip", m.qkvClip).value("attention_softcap", m.attentionSoftcap);
    v.value("final_softcap", m.finalSoftcap).value("attention_scale", m.attentionScale);
    v.value("logit_scale", m.logitScale).value("embedding_scale", m.embeddingScale);
}

template <typename Visitor, typename Model>
void visit(Visitor &v, Model &m)
{
    visitSizes(v, m);
    visitNorms(v, m);
    v.template name<PositionKind>("position", kPositions, m.position).value("rope_theta", m.ropeTheta);
    v.value("rope_theta_windowed", m.ropeThetaWindowed).value("rotary_fraction", m.rotaryFraction);
    v.part("rope_scaling", m.ropeScaling, m.ropeScaling.kind != RopeKind::plain,
           [](auto &inner, auto &scaling) { visitScaling(inner, scaling); });
    v.value("sliding_window", m.slidingWindow);
    v.part("experts", m.experts, m.experts.count > 0, [](auto &inner, auto &experts) { visitExperts(inner, experts); });
    v.forms("layer_forms", m.layerForms);
    v.value("qkv_bias", m.qkvBias).value("attention_out_bias", m.attentionOutBias).value("ffn_bias", m.ffnBias);
    v.value("norm_bias", m.normBias).value("head_bias", m.headBias).value("tied_head", m.tiedHead);
    v.value("embedding_dropout", m.embeddingDropout).value("residual_dropout", m.residualDropout);
    v.value("attention_dropout", m.attentionDropout).value("initializer_range", m.initializerRange);
    v.notes("derived", m.derived).notes("defaulted", m.defaulted);
    v.notes("ignored", m.ignored).notes("warnings", m.warnings);
}

/// What differs from layer to layer, as one string of 0 and 1 for each member: short, and readable by people.
struct FormMember
{
    const char *key;
    bool LayerForm::*member;
};
constexpr FormMember kFormMembers[]
    = {{"windowed", &LayerForm::windowed}, {"experts", &LayerForm::experts}, {"rotary", &LayerForm::rotary}};

class Writer
{
public:
    Json json = Json::object();

    template <typename T>
    Writer &value(const char *key, const T &value)
    {
        if constexpr (std::is_same_v<T, std::string>)
            json[key] = cleanUtf8(value);
        else
            json[key] = value;
        return *this;
    }
    template <typename E>
    Writer &name(const char *key, Names<E> names, E value)
    {
        json[key] = nameOf<E>(names, value);
        return *this;
    }
    Writer &qkNorm(const char *key, QkNorm value) { return name<QkNorm>(key, kQkNorms, value); }
    void numbers(const char *key, const std::vector<double> &list) { json[key] = list; }

    template <typename Part, typename Visit>
    void part(const char *key, const Part &value, bool isUsed, Visit visitPart)
    {
        Writer inner;
        if (isUsed)
            visitPart(inner, value);
        json[key] = isUsed ? std::move(inner.json) : Json();
    }
    void forms(const char *key, const std::vector<LayerForm> &layers)
    {
        Json object = Json::object();
        for (const FormMember &entry : kFormMembers) {
            std::string digits;
            for (const LayerForm &form : layers)
                digits += form.*entry.member ? '1' : '0';
            object[entry.key] = digits;
        }
        json[key] = layers.empty() ? Json() : std::move(object);
    }
    Writer &notes(const char *key, const std::vector<ConfigNote> &list)
    {
        json[key] = Json::array();
        for (const ConfigNote &note : list)
            json[key].push_back({{"key", note.key}, {"value", note.value}, {"why", note.why}});
        return *this;
    }
};

/// The same walk the other way round. Null parts and absent keys leave the defaults.
class Reader
{
public:
    Reader(const Json &object, std::string_view what) : m_fields(object, what) { }

    template <typename T>
    Reader &value(const char *key, T &target)
    {
        m_fields.read(key, target);
        return *this;
    }
    template <typename E>
    Reader &name(const char *key, Names<E> names, E &target)
    {
        m_fields.readName<E>(key, names, target);
        return *this;
    }
    /// Older documents say true or false.
    Reader &qkNorm(const char *key, QkNorm &target)
    {
        const Json *found = m_fields.find(key);
        if (found == nullptr || !found->is_boolean())
            return name<QkNorm>(key, kQkNorms, target);
        target = found->get<bool>() ? QkNorm::headRms : QkNorm::none;
        return *this;
    }
    void numbers(const char *key, std::vector<double> &target)
    {
        const Json *list = m_fields.find(key);
        if (list == nullptr)
            return;
        if (!list->is_array() || list->size() > kMostFactors)
            return wrongKind(key);
        for (const Json &entry : *list) {
            if (!entry.is_number())
                return wrongKind(key);
            target.push_back(entry.get<double>());
        }
    }
    template <typename Part, typename Visit>
    void part(const char *key, Part &target, bool /*isUsed*/, Visit visitPart)
    {
        const Json *found = m_fields.find(key);
        if (found == nullptr || found->is_null())
            return;
        Reader inner(*found, "The part '" + std::string(key) + "' of the model");
        visitPart(inner, target);
        if (inner.m_fields.error())
            m_fields.fail("has a value of the wrong kind in '" + std::string(key) + "'");
    }
    void forms(const char *key, std::vector<LayerForm> &layers)
    {
        const Json *found = m_fields.find(key);
        if (found == nullptr || found->is_null())
            return;
        for (const FormMember &entry : kFormMembers) {
            std::string digits;
            Fields(*found, "A list of layers").read(entry.key, digits);
            if (digits.empty() || digits.size() > static_cast<std::size_t>(kMostLayers)
                || digits.find_first_not_of("01") != std::string::npos)
                return wrongKind(key);
            if (layers.empty())
                layers.resize(digits.size());
            if (layers.size() != digits.size())
                return wrongKind(key);
            for (std::size_t layer = 0; layer < digits.size(); ++layer)
                layers[layer].*entry.member = digits[layer] == '1';
        }
    }
    Reader &notes(const char *key, std::vector<ConfigNote> &notes)
    {
        const Json *list = m_fields.find(key);
        if (list == nullptr)
            return *this;
        if (!list->is_array())
            wrongKind(key);
        for (const Json &entry : *list) {
            ConfigNote note;
            Fields members(entry, "A note of the model");
            members.read("key", note.key).read("value", note.value).read("why", note.why);
            if (members.error())
                m_fields.fail("has a note under '" + std::string(key) + "' that cannot be read");
            notes.push_back(std::move(note));
        }
        return *this;
    }

    [[nodiscard]] Fields &fields() { return m_fields; }

private:
    void wrongKind(const char *key) { m_fields.fail("has a value of the wrong kind for '" + std::string(key) + "'"); }

    Fields m_fields;
};

} // namespace

Json toJson(const ModelConfig &model)
{
    Writer writer;
    visit(writer, model);
    return std::move(writer.json);
}

Result<ModelConfig> modelFromJson(const Json &json)
{
    ModelConfig model;
    Reader reader(json, "The model");
    visit(reader, model);
    Fields &fields = reader.fields();
    if (!fields.error())
        if (const std::string problem = shapeProblem(model); !problem.empty())
            fields.fail(problem);
    if (fields.error())
        return *fields.error();
    return model;
}

} // namespace remat::core
