// Binds Rng and SeedSequence for tests/envpool_py/test_rng.py, which compares them with NumPy value
// by value. The methods have the names of numpy.random.Generator, so that the test can make the
// same call on both. Callers must hold the GIL.
#include "tests/engine/testing_module/rng_module.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/base/rng.h"
#include "engine/base/seed_sequence.h"

namespace py = pybind11;

namespace {

using engine::Pcg64State;
using engine::Rng;
using engine::SeedSequence;
using Integers = std::vector<std::uint64_t>;
using StateTuple = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                              std::uint32_t, std::uint32_t>;

StateTuple GetState(const Rng& rng) {
  const Pcg64State& state = rng.State();
  return {state.state_high, state.state_low,  state.inc_high,
          state.inc_low,    state.has_uint32, state.uinteger};
}

Rng FromState(const StateTuple& tuple) {
  const auto& [state_high, state_low, inc_high, inc_low, has_uint32, uinteger] = tuple;
  return Rng(Pcg64State{state_high, state_low, inc_high, inc_low, has_uint32, uinteger});
}

template <class Word>
std::vector<Word> Generate(const SeedSequence& sequence, std::size_t count) {
  std::vector<Word> words(count);
  sequence.GenerateState(std::span<Word>(words));
  return words;
}

template <class Word>
std::vector<Word> FromIntegers(const Integers& entropy, const Integers& spawn_key,
                               std::size_t count) {
  return Generate<Word>(SeedSequence(std::span(entropy), spawn_key), count);
}

template <class Word>
std::vector<Word> FromUInt128(std::uint64_t high, std::uint64_t low, const Integers& spawn_key,
                              std::size_t count) {
  return Generate<Word>(SeedSequence::FromUInt128(high, low, spawn_key), count);
}

template <class T>
void BindIntegers(py::class_<Rng>& rng, const std::string& dtype) {
  rng.def(("integers_" + dtype).c_str(),
          [](Rng& self, T low, T high) { return self.Integers<T>(low, high); });
  rng.def(("integers_inclusive_" + dtype).c_str(),
          [](Rng& self, T low, T high) { return self.IntegersInclusive<T>(low, high); });
}

void BindAllIntegers(py::class_<Rng>& rng) {
  BindIntegers<bool>(rng, "bool");
  BindIntegers<std::int8_t>(rng, "int8");
  BindIntegers<std::int16_t>(rng, "int16");
  BindIntegers<std::int32_t>(rng, "int32");
  BindIntegers<std::int64_t>(rng, "int64");
  BindIntegers<std::uint8_t>(rng, "uint8");
  BindIntegers<std::uint16_t>(rng, "uint16");
  BindIntegers<std::uint32_t>(rng, "uint32");
  BindIntegers<std::uint64_t>(rng, "uint64");
  rng.def("integers", [](Rng& self, std::int64_t high) { return self.Integers(high); });
  rng.def("integers",
          [](Rng& self, std::int64_t low, std::int64_t high) { return self.Integers(low, high); });
}

void BindSequences(py::class_<Rng>& rng) {
  rng.def("choice", [](Rng& self, std::int64_t n) { return self.Choice(n); });
  rng.def("choice_p", [](Rng& self, const std::vector<double>& p) { return self.Choice(p); });
  rng.def("shuffle", [](Rng& self, std::vector<double> values) {
    self.Shuffle(std::span<double>(values));
    return values;
  });
  rng.def("permutation", [](Rng& self, std::size_t n) {
    std::vector<std::int64_t> order(n);
    self.Permutation(std::span<std::int64_t>(order));
    return order;
  });
  rng.def("multinomial", [](Rng& self, std::int64_t n, const std::vector<double>& pvals) {
    // Not zero, so that the test detects a count that is not written.
    std::vector<std::int64_t> counts(pvals.size(), -1);
    self.Multinomial(n, pvals, counts);
    return counts;
  });
}

void BindDistributions(py::class_<Rng>& rng) {
  rng.def("random", &Rng::Random<double>);
  rng.def("random_float32", &Rng::Random<float>);
  rng.def("uniform", &Rng::Uniform);
  rng.def("standard_normal", &Rng::StandardNormal<double>);
  rng.def("standard_normal_float32", &Rng::StandardNormal<float>);
  rng.def("normal", &Rng::Normal);
  rng.def("lognormal", &Rng::Lognormal);
  rng.def("standard_exponential", &Rng::StandardExponential<double>);
  rng.def("standard_exponential_float32", &Rng::StandardExponential<float>);
  rng.def("exponential", &Rng::Exponential);
  rng.def("standard_gamma", &Rng::StandardGamma);
  rng.def("gamma", &Rng::Gamma);
  rng.def("beta", &Rng::Beta);
  rng.def("chisquare", &Rng::Chisquare);
  rng.def("standard_t", &Rng::StandardT);
  rng.def("standard_cauchy", &Rng::StandardCauchy);
  rng.def("laplace", &Rng::Laplace);
  rng.def("logistic", &Rng::Logistic);
  rng.def("gumbel", &Rng::Gumbel);
  rng.def("rayleigh", &Rng::Rayleigh);
  rng.def("weibull", &Rng::Weibull);
  rng.def("triangular", &Rng::Triangular);
  rng.def("vonmises", &Rng::VonMises);
  rng.def("binomial", &Rng::Binomial);
  rng.def("poisson", &Rng::Poisson);
  rng.def("geometric", &Rng::Geometric);
}

}  // namespace

void BindRng(py::module_& m) {
  m.def("generate_state_32", &FromIntegers<std::uint32_t>);
  m.def("generate_state_64", &FromIntegers<std::uint64_t>);
  m.def("generate_state_32_uint128", &FromUInt128<std::uint32_t>);
  m.def("generate_state_64_uint128", &FromUInt128<std::uint64_t>);

  py::class_<Rng> rng(m, "Rng");
  rng.def(py::init<>());
  rng.def(py::init<std::uint64_t>());
  rng.def_static("from_entropy", [](const Integers& entropy, const Integers& spawn_key) {
    return Rng(SeedSequence(std::span(entropy), spawn_key));
  });
  rng.def_static("from_state", &FromState);
  rng.def("copy", [](const Rng& self) { return Rng(self); });
  rng.def("seed", &Rng::Seed);
  // (state_high, state_low, inc_high, inc_low, has_uint32, uinteger)
  rng.def_property_readonly("state", &GetState);
  rng.def("next_uint64", &Rng::NextUint64);
  rng.def("next_uint32", &Rng::NextUint32);
  BindAllIntegers(rng);
  BindSequences(rng);
  BindDistributions(rng);
}
