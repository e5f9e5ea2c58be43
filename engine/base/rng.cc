// The distributions of Rng that NumPy computes in its own C library. They are called and not
// reimplemented, so that results stay equal to NumPy's to the last bit. Called by environments
// through rng.h; one thread at a time per Rng.
#include "engine/base/rng.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/error.h"
// Includes Python.h, so it is not included in rng.h. No function of Python is called.
#include "numpy/random/distributions.h"

namespace engine {
namespace {

// The library requests bits through function pointers. They are bound here for the length of one
// call, so that an Rng holds no pointer and can be copied as bytes.
class BoundGenerator {
 public:
  explicit BoundGenerator(Pcg64& pcg) : bitgen_{&pcg, &Uint64, &Uint32, &Double, &Uint64} {}
  operator bitgen_t*() { return &bitgen_; }

 private:
  static std::uint64_t Uint64(void* pcg) { return static_cast<Pcg64*>(pcg)->NextUint64(); }
  static std::uint32_t Uint32(void* pcg) { return static_cast<Pcg64*>(pcg)->NextUint32(); }
  static double Double(void* pcg) { return static_cast<Pcg64*>(pcg)->NextDouble(); }

  bitgen_t bitgen_;
};

// NumPy's constraints, with its treatment of corner cases: -0.0 counts as
// negative, and NaN passes the first two.
bool NotNegative(double value) { return std::isnan(value) || !std::signbit(value); }
bool Positive(double value) { return !(value <= 0.0); }
bool Probability(double value) { return value >= 0.0 && value <= 1.0; }

// Compensated summation, as in NumPy's check of probabilities.
double KahanSum(std::span<const double> values) {
  if (values.empty()) return 0.0;
  double sum = values[0];
  double lost = 0.0;
  for (const double value : values.subspan(1)) {
    const double corrected = value - lost;
    const double next = sum + corrected;
    lost = (next - sum) - corrected;
    sum = next;
  }
  return sum;
}

}  // namespace

void Rng::ThrowBadArgument(const char* method, const char* rule) {
  throw Error(ErrorKind::kInternal, std::string("Rng::") + method + ": " + rule);
}

std::int64_t Rng::Choice(std::span<const double> p) {
  constexpr double kTolerance = 0x1p-26;  // square root of the double's epsilon
  if (p.empty()) ThrowBadArgument("Choice", "p must not be empty");
  if (!(std::abs(KahanSum(p) - 1.0) <= kTolerance)) {
    ThrowBadArgument("Choice", "p must sum to 1");
  }
  if (std::any_of(p.begin(), p.end(), [](double value) { return value < 0.0; })) {
    ThrowBadArgument("Choice", "p must not be negative");
  }
  // NumPy searches in the cumulative sums divided by the last of them; summing twice gives the same
  // numbers without storing them.
  double total = 0.0;
  for (const double value : p) total += value;
  const double uniform = pcg_.NextDouble();
  double sum = 0.0;
  std::size_t index = 0;
  for (; index + 1 < p.size(); ++index) {
    sum += p[index];
    if (sum / total > uniform) break;
  }
  return static_cast<std::int64_t>(index);
}

template <>
double Rng::StandardNormal<double>() {
  return random_standard_normal(BoundGenerator(pcg_));
}

template <>
float Rng::StandardNormal<float>() {
  return random_standard_normal_f(BoundGenerator(pcg_));
}

double Rng::Normal(double loc, double scale) {
  if (!NotNegative(scale)) ThrowBadArgument("Normal", "scale must not be negative");
  return random_normal(BoundGenerator(pcg_), loc, scale);
}

double Rng::Lognormal(double mean, double sigma) {
  if (!NotNegative(sigma)) ThrowBadArgument("Lognormal", "sigma must not be negative");
  return random_lognormal(BoundGenerator(pcg_), mean, sigma);
}

template <>
double Rng::StandardExponential<double>() {
  return random_standard_exponential(BoundGenerator(pcg_));
}

template <>
float Rng::StandardExponential<float>() {
  return random_standard_exponential_f(BoundGenerator(pcg_));
}

double Rng::Exponential(double scale) {
  if (!NotNegative(scale)) ThrowBadArgument("Exponential", "scale must not be negative");
  return random_exponential(BoundGenerator(pcg_), scale);
}

double Rng::StandardGamma(double shape) {
  if (!NotNegative(shape)) ThrowBadArgument("StandardGamma", "shape must not be negative");
  return random_standard_gamma(BoundGenerator(pcg_), shape);
}

double Rng::Gamma(double shape, double scale) {
  if (!NotNegative(shape)) ThrowBadArgument("Gamma", "shape must not be negative");
  if (!NotNegative(scale)) ThrowBadArgument("Gamma", "scale must not be negative");
  return random_gamma(BoundGenerator(pcg_), shape, scale);
}

double Rng::Beta(double a, double b) {
  if (!Positive(a)) ThrowBadArgument("Beta", "a must be positive");
  if (!Positive(b)) ThrowBadArgument("Beta", "b must be positive");
  return random_beta(BoundGenerator(pcg_), a, b);
}

double Rng::Chisquare(double df) {
  if (!Positive(df)) ThrowBadArgument("Chisquare", "df must be positive");
  return random_chisquare(BoundGenerator(pcg_), df);
}

double Rng::StandardT(double df) {
  if (!Positive(df)) ThrowBadArgument("StandardT", "df must be positive");
  return random_standard_t(BoundGenerator(pcg_), df);
}

double Rng::StandardCauchy() { return random_standard_cauchy(BoundGenerator(pcg_)); }

double Rng::Laplace(double loc, double scale) {
  if (!NotNegative(scale)) ThrowBadArgument("Laplace", "scale must not be negative");
  return random_laplace(BoundGenerator(pcg_), loc, scale);
}

double Rng::Logistic(double loc, double scale) {
  if (!NotNegative(scale)) ThrowBadArgument("Logistic", "scale must not be negative");
  return random_logistic(BoundGenerator(pcg_), loc, scale);
}

double Rng::Gumbel(double loc, double scale) {
  if (!NotNegative(scale)) ThrowBadArgument("Gumbel", "scale must not be negative");
  return random_gumbel(BoundGenerator(pcg_), loc, scale);
}

double Rng::Rayleigh(double scale) {
  if (!NotNegative(scale)) ThrowBadArgument("Rayleigh", "scale must not be negative");
  return random_rayleigh(BoundGenerator(pcg_), scale);
}

double Rng::Weibull(double a) {
  if (!NotNegative(a)) ThrowBadArgument("Weibull", "a must not be negative");
  return random_weibull(BoundGenerator(pcg_), a);
}

double Rng::Triangular(double left, double mode, double right) {
  // NaN passes, as it does in NumPy.
  if (left > mode) ThrowBadArgument("Triangular", "left must not be greater than mode");
  if (mode > right) ThrowBadArgument("Triangular", "mode must not be greater than right");
  if (left == right) ThrowBadArgument("Triangular", "left must differ from right");
  return random_triangular(BoundGenerator(pcg_), left, mode, right);
}

double Rng::VonMises(double mu, double kappa) {
  if (!NotNegative(kappa)) ThrowBadArgument("VonMises", "kappa must not be negative");
  return random_vonmises(BoundGenerator(pcg_), mu, kappa);
}

std::int64_t Rng::Binomial(std::int64_t n, double p) {
  if (!Probability(p)) ThrowBadArgument("Binomial", "p must be in [0, 1]");
  if (n < 0) ThrowBadArgument("Binomial", "n must not be negative");
  // The library stores its set-up here, so that it need not repeat it while n and p are the same.
  binomial_t setup{};
  return random_binomial(BoundGenerator(pcg_), p, n, &setup);
}

std::int64_t Rng::Poisson(double lam) {
  // NumPy's limit: ten standard deviations short of the greatest int64.
  static const double kMaxLam = 0x1p63 - 10.0 * std::sqrt(0x1p63);
  if (!(lam >= 0.0 && lam <= kMaxLam)) {
    ThrowBadArgument("Poisson", "lam must not be negative, NaN or too large for int64");
  }
  return random_poisson(BoundGenerator(pcg_), lam);
}

std::int64_t Rng::Geometric(double p) {
  if (!(p > 0.0 && p <= 1.0)) ThrowBadArgument("Geometric", "p must be in (0, 1]");
  return random_geometric(BoundGenerator(pcg_), p);
}

void Rng::Multinomial(std::int64_t n, std::span<const double> pvals,
                      std::span<std::int64_t> counts) {
  constexpr double kSlack = 1e-12;
  if (n < 0) ThrowBadArgument("Multinomial", "n must not be negative");
  if (pvals.empty()) ThrowBadArgument("Multinomial", "pvals must not be empty");
  if (counts.size() != pvals.size()) {
    ThrowBadArgument("Multinomial", "counts must be as many as pvals");
  }
  if (!std::all_of(pvals.begin(), pvals.end(), Probability)) {
    ThrowBadArgument("Multinomial", "pvals must be in [0, 1]");
  }
  if (KahanSum(pvals.first(pvals.size() - 1)) > 1.0 + kSlack) {
    ThrowBadArgument("Multinomial", "pvals without the last must not sum to more than 1");
  }
  std::fill(counts.begin(), counts.end(), 0);  // the library stops when no trial is left
  binomial_t setup{};
  random_multinomial(BoundGenerator(pcg_), n, counts.data(), const_cast<double*>(pvals.data()),
                     static_cast<npy_intp>(pvals.size()), &setup);
}

}  // namespace engine
