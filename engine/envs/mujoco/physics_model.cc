// See the header.
#include "engine/envs/mujoco/physics_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {

struct PhysicsModel::Fields {
  std::int64_t nv, nbody, ntendon, ntree, neq, nflex, nplugin, npair, nexclude;
  std::uint64_t narena;  // bytes
  int disableflags, enableflags;
  const int* tree_dofnum;  // null before 3.4
  const std::uint8_t* tendon_limited;
  const double* tendon_frictionloss;
  const int *body_contype, *body_conaffinity, *body_geomnum, *body_geomadr, *body_weldid,
      *body_dofnum, *body_parentid;
  const int *geom_type, *geom_contype, *geom_conaffinity, *geom_condim, *geom_priority,
      *geom_plugin;
  const double *geom_solmix, *geom_solref, *geom_solimp, *geom_friction, *geom_margin, *geom_gap,
      *geom_adhesion;  // geom_adhesion is null before 3.11
};

namespace {

using Fields = PhysicsModel::Fields;

// A model may reserve less memory for constraints than MuJoCo's default, which is at least 4 MiB,
// and may run out of it. MuJoCo then drops all constraints if it has no memory for groups, and
// fails if it has no memory for the solver.
constexpr std::uint64_t kRoomyArena = 4 << 20;

// Whether constraints always form at most one group. Returns false if MuJoCo has to search the rows
// of some constraints for the joints that they affect, because MuJoCo reports an error for a row
// without any joint.
bool IsOneIsland(const Fields& model) {
  const bool one_tree =
      model.ntree == 1 && model.tree_dofnum != nullptr && model.tree_dofnum[0] == model.nv;
  const auto binds = [&](std::int64_t tendon) {
    return model.tendon_limited[tendon] != 0 || model.tendon_frictionloss[tendon] != 0.0;
  };
  for (std::int64_t tendon = 0; tendon < model.ntendon; ++tendon) {
    if (binds(tendon)) return false;
  }
  return one_tree && model.neq == 0 && model.narena >= kRoomyArena;
}

// Determines the pairs of geoms for which MuJoCo detects contacts.
class Collisions {
 public:
  explicit Collisions(const Fields& model)
      : model_(model),
        filters_parents_((model.disableflags & UsedLayout().flags.disable_filterparent) == 0) {}

  // Whether MuJoCo tests two bodies, given their relation and the kinds of all their geoms.
  bool BodiesMeet(int a, int b) const {
    return Match(model_.body_contype, model_.body_conaffinity, a, b) && !AreJoined(a, b);
  }

  // Whether any two geoms of the model collide.
  bool AnyMeet() const {
    for (int b = 1; b < model_.nbody; ++b) {
      for (int a = 0; a < b; ++a) {
        if (BodiesMeet(a, b) && AnyMeet(a, b)) return true;
      }
    }
    return false;
  }

  // Whether any two geoms of two bodies collide.
  bool AnyMeet(int a, int b) const {
    for (int i = FirstGeom(a); i < FirstGeom(a) + model_.body_geomnum[a]; ++i) {
      for (int k = FirstGeom(b); k < FirstGeom(b) + model_.body_geomnum[b]; ++k) {
        if (Match(model_.geom_contype, model_.geom_conaffinity, i, k)) return true;
      }
    }
    return false;
  }

  int FirstGeom(int body) const { return model_.body_geomadr[body]; }

  // Whether MuJoCo tests a fixed body with every other body, at any distance. This holds for the
  // world and for fixed bodies with a plane.
  bool IsGround(int body) const {
    if (body == 0) return model_.body_geomnum[0] > 0;
    if (model_.body_weldid[body] != 0) return false;
    const auto geoms = std::span(model_.geom_type + std::max(FirstGeom(body), 0),
                                 static_cast<std::size_t>(model_.body_geomnum[body]));
    return std::ranges::find(geoms, kGeomPlane) != geoms.end();
  }

 private:
  static bool Match(const int* contype, const int* conaffinity, int a, int b) {
    return (contype[a] & conaffinity[b]) != 0 || (contype[b] & conaffinity[a]) != 0;
  }

  // Whether two bodies are welded together, are parent and child, or both have no joint. Mocap
  // bodies, which the user moves, have no joint.
  bool AreJoined(int a, int b) const {
    const int weld_a = model_.body_weldid[a];
    const int weld_b = model_.body_weldid[b];
    if (weld_a == weld_b) return true;
    if (model_.body_dofnum[weld_a] == 0 && model_.body_dofnum[weld_b] == 0) return true;
    if (!filters_parents_ || weld_a == 0 || weld_b == 0) return false;
    return weld_a == ParentOf(weld_b) || weld_b == ParentOf(weld_a);
  }
  int ParentOf(int weld) const { return model_.body_weldid[model_.body_parentid[weld]]; }

  const Fields& model_;
  bool filters_parents_;
};

// The weight of geom `a` in the parameters of a contact, which are weighted means over both geoms.
// A weight is supported only if the result does not depend on the order in which a compiler
// arranges the operations.
enum class Mix { kHalf, kOnlyA, kOnlyB, kOther };

Mix MixOf(const Fields& model, int a, int b) {
  if (model.geom_priority[a] != model.geom_priority[b]) {
    return model.geom_priority[a] > model.geom_priority[b] ? Mix::kOnlyA : Mix::kOnlyB;
  }
  const double of_a = model.geom_solmix[a];
  const double of_b = model.geom_solmix[b];
  const bool equal = of_a == of_b || (of_a < kMin && of_b < kMin);
  return equal && std::isfinite(of_a + of_b) ? Mix::kHalf : Mix::kOther;
}

// Whether a listed pair of these geoms gives the same contact as MuJoCo's own detection.
bool CanBeListed(const Fields& model, int a, int b) {
  const auto is_simple = [&](int geom) {
    constexpr std::array kSimple = {kGeomPlane,     kGeomSphere,   kGeomCapsule,
                                    kGeomEllipsoid, kGeomCylinder, kGeomBox};
    return std::ranges::find(kSimple, model.geom_type[geom]) != kSimple.end() &&
           model.geom_plugin[geom] < 0 &&
           (model.geom_adhesion == nullptr || model.geom_adhesion[geom] == 0.0);
  };
  return is_simple(a) && is_simple(b) && MixOf(model, a, b) != Mix::kOther;
}

}  // namespace

PhysicsModel::Fields PhysicsModel::Read(const mjModel& model) {
  const ModelLayout& at = UsedLayout().model;
  const auto count = [&](Offset offset) { return CountAt(at, model, offset); };
  const auto ints = [&](Offset offset) {
    return offset == 0 ? nullptr : MemberAt<const int*>(&model, offset);
  };
  const auto doubles = [&](Offset offset) {
    return offset == 0 ? nullptr : MemberAt<const double*>(&model, offset);
  };
  return {.nv = count(at.nv),
          .nbody = count(at.nbody),
          .ntendon = count(at.ntendon),
          .ntree = count(at.ntree),
          .neq = count(at.neq),
          .nflex = count(at.nflex),
          .nplugin = count(at.nplugin),
          .npair = count(at.npair),
          .nexclude = count(at.nexclude),
          .narena = MemberAt<std::uint64_t>(&model, at.narena),
          .disableflags = MemberAt<int>(&model, at.disableflags),
          .enableflags = MemberAt<int>(&model, at.enableflags),
          .tree_dofnum = ints(at.tree_dofnum),
          .tendon_limited = MemberAt<const std::uint8_t*>(&model, at.tendon_limited),
          .tendon_frictionloss = doubles(at.tendon_frictionloss),
          .body_contype = ints(at.body_contype),
          .body_conaffinity = ints(at.body_conaffinity),
          .body_geomnum = ints(at.body_geomnum),
          .body_geomadr = ints(at.body_geomadr),
          .body_weldid = ints(at.body_weldid),
          .body_dofnum = ints(at.body_dofnum),
          .body_parentid = ints(at.body_parentid),
          .geom_type = ints(at.geom_type),
          .geom_contype = ints(at.geom_contype),
          .geom_conaffinity = ints(at.geom_conaffinity),
          .geom_condim = ints(at.geom_condim),
          .geom_priority = ints(at.geom_priority),
          .geom_plugin = ints(at.geom_plugin),
          .geom_solmix = doubles(at.geom_solmix),
          .geom_solref = doubles(at.geom_solref),
          .geom_solimp = doubles(at.geom_solimp),
          .geom_friction = doubles(at.geom_friction),
          .geom_margin = doubles(at.geom_margin),
          .geom_gap = doubles(at.geom_gap),
          .geom_adhesion = doubles(at.geom_adhesion)};
}

PhysicsModel::PhysicsModel(const mjModel& model) : model_(&model) {
  if (UsedLayout().physics_is_known) Change(model, Read(model));
}

void PhysicsModel::Change(const mjModel& model, const Fields& fields) {
  const Layout& layout = UsedLayout();
  const FlagBits& flags = layout.flags;
  // These models are not changed, because their rules have not been analysed: sleeping needs
  // islands, flexes collide by different rules, and plug-ins may read any data.
  if ((fields.enableflags & (flags.enable_sleep | flags.enable_override)) != 0 ||
      fields.nflex != 0 || fields.nplugin != 0) {
    return;
  }
  copy_.emplace(model);
  model_ = copy_->get();

  int disabled = fields.disableflags;
  if (IsOneIsland(fields)) disabled |= flags.disable_island;
  // A model that lists or excludes pairs itself is not supported, because MuJoCo merges these pairs
  // with the other pairs.
  const bool lists_none = fields.npair == 0 && fields.nexclude == 0;
  const bool collides = !lists_none || Collisions(fields).AnyMeet();
  if (!collides) disabled |= kDisableContact;
  copy_->Set(layout.model.disableflags, disabled);
  // With listed pairs, Ant is 1.11 to 1.24 times and HalfCheetah 1.05 to 1.13 times as fast, also
  // if the consumer takes 0.1 or 1 ms between batches. With NaN positions, the result of MuJoCo's
  // sorting depends on the number of sorted bodies. If MuJoCo does not reset such a model
  // automatically, the sorting is therefore kept.
  if (lists_none && collides && (disabled & flags.disable_autoreset) == 0) ListPairs(fields);
}

void PhysicsModel::ListPairs(const Fields& model) {
  const Collisions collisions(model);
  const auto num_bodies = static_cast<int>(model.nbody);
  // If each body has one geom, MuJoCo tests the two geoms directly. Otherwise MuJoCo first tests
  // bounding boxes, whose bounds are rounded.
  const auto listed_with = [&](int ground, int body) {
    return collisions.IsGround(ground) && model.body_geomnum[ground] == 1 &&
           model.body_geomnum[body] == 1 && model.body_weldid[body] != 0 &&
           CanBeListed(model, collisions.FirstGeom(ground), collisions.FirstGeom(body));
  };
  // For each body: whether it can collide only with ground, and all these pairs are listed. False
  // for ground that can collide with a body.
  std::vector<bool> meets_only_listed(static_cast<std::size_t>(num_bodies), true);
  for (int b = 1; b < num_bodies; ++b) {
    for (int a = 0; a < b; ++a) {
      if (!collisions.BodiesMeet(a, b)) continue;
      if (!listed_with(a, b)) meets_only_listed[static_cast<std::size_t>(b)] = false;
      if (!listed_with(b, a)) meets_only_listed[static_cast<std::size_t>(a)] = false;
    }
  }
  body_contype_.assign(model.body_contype, model.body_contype + num_bodies);
  body_conaffinity_.assign(model.body_conaffinity, model.body_conaffinity + num_bodies);
  // The order is MuJoCo's: by the first body, then by the second.
  for (int a = 0; a < num_bodies; ++a) {
    for (int b = a + 1; b < num_bodies; ++b) {
      if (!collisions.BodiesMeet(a, b)) continue;
      if (!meets_only_listed[static_cast<std::size_t>(a)] &&
          !meets_only_listed[static_cast<std::size_t>(b)])
        continue;
      Append(model, a, b);
    }
  }
  for (int body = 0; body < num_bodies; ++body) {
    if (!meets_only_listed[static_cast<std::size_t>(body)]) continue;
    body_contype_[static_cast<std::size_t>(body)] = 0;
    body_conaffinity_[static_cast<std::size_t>(body)] = 0;
  }
  const ModelLayout& at = UsedLayout().model;
  copy_->Set(at.body_contype, body_contype_.data());
  copy_->Set(at.body_conaffinity, body_conaffinity_.data());
  const auto npair = static_cast<std::int64_t>(pairs_.dim.size());
  if (at.count_bytes == sizeof(std::int32_t)) {
    copy_->Set(at.npair, static_cast<std::int32_t>(npair));
  } else {
    copy_->Set(at.npair, npair);
  }
  copy_->Set(at.pair_dim, pairs_.dim.data());
  copy_->Set(at.pair_geom1, pairs_.geom1.data());
  copy_->Set(at.pair_geom2, pairs_.geom2.data());
  copy_->Set(at.pair_signature, pairs_.signature.data());
  copy_->Set(at.pair_solref, pairs_.solref.data());
  copy_->Set(at.pair_solreffriction, pairs_.solreffriction.data());
  copy_->Set(at.pair_solimp, pairs_.solimp.data());
  copy_->Set(at.pair_margin, pairs_.margin.data());
  copy_->Set(at.pair_gap, pairs_.gap.data());
  copy_->Set(at.pair_adhesion, pairs_.adhesion.data());
  copy_->Set(at.pair_friction, pairs_.friction.data());
}

// Appends the pair of the first geoms of two bodies. Their parameters are combined as in MuJoCo
// ("Contact parameters" in the chapter on computation of its documentation).
void PhysicsModel::Append(const Fields& model, int body1, int body2) {
  const auto signature =
      (static_cast<std::uint32_t>(body1) << 16) + static_cast<std::uint32_t>(body2);
  pairs_.signature.push_back(static_cast<int>(signature));
  int geom1 = model.body_geomadr[body1];
  int geom2 = model.body_geomadr[body2];
  pairs_.geom1.push_back(geom1);
  pairs_.geom2.push_back(geom2);
  // MuJoCo puts the geom of the lower type first. The order matters for 0.0 and -0.0.
  if (model.geom_type[geom1] > model.geom_type[geom2]) std::swap(geom1, geom2);

  const Mix mix = MixOf(model, geom1, geom2);
  // Appends the result of `combine` for each element.
  const auto append = [&](std::vector<double>& to, const double* values, int size, auto combine) {
    const double* const first = values + geom1 * size;
    const double* const second = values + geom2 * size;
    for (int i = 0; i < size; ++i) {
      to.push_back(mix == Mix::kOnlyA   ? first[i]
                   : mix == Mix::kOnlyB ? second[i]
                                        : combine(first[i], second[i]));
    }
  };
  const auto mean = [](double a, double b) { return 0.5 * a + 0.5 * b; };
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto most = [](double a, double b) { return std::max(a, b); };

  const int dim1 = model.geom_condim[geom1];
  const int dim2 = model.geom_condim[geom2];
  pairs_.dim.push_back(mix == Mix::kOnlyA   ? dim1
                       : mix == Mix::kOnlyB ? dim2
                                            : std::max(dim1, dim2));
  // Positive values are time constants. Other values are stiffnesses.
  const bool are_times =
      model.geom_solref[geom1 * kReferences] > 0.0 && model.geom_solref[geom2 * kReferences] > 0.0;
  if (are_times) {
    append(pairs_.solref, model.geom_solref, kReferences, mean);
  } else {
    append(pairs_.solref, model.geom_solref, kReferences, least);
  }
  pairs_.solreffriction.insert(pairs_.solreffriction.end(), kReferences, 0.0);  // as solref
  append(pairs_.solimp, model.geom_solimp, kImpedances, mean);
  // MuJoCo adds the margins and the gaps of both geoms.
  pairs_.margin.push_back(model.geom_margin[geom1] + model.geom_margin[geom2]);
  pairs_.gap.push_back(model.geom_gap[geom1] + model.geom_gap[geom2]);
  pairs_.adhesion.push_back(0.0);
  std::vector<double> friction;  // sliding, spinning, rolling
  append(friction, model.geom_friction, 3, most);
  pairs_.friction.insert(pairs_.friction.end(),
                         {friction[0], friction[0], friction[1], friction[2], friction[2]});
}

}  // namespace engine::mujoco
