// Binds RandomState and NumPy's kernels for tests/envpool_py/test_random_state.py and
// test_numpy_kernels.py, which compare them with NumPy value by value. Callers must hold the GIL.
#include "tests/engine/testing_module/numpy_module.h"

#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/base/random_state.h"
#include "engine/tasks/plugin.h"

namespace py = pybind11;

namespace {

using engine::RandomState;
using Values = std::vector<double>;

template <class Map>
auto Find(const Map& functions, const std::string& name) {
  const auto found = functions.find(name);
  if (found == functions.end()) throw std::invalid_argument("no kernel " + name);
  return found->second;
}

Values Kernel(const std::string& name, const Values& values) {
  const std::map<std::string, double (*)(double)> functions = {
      {"exp", &engine::NumpyExp},
      {"log", &engine::NumpyLog},
      {"log1p", &engine::NumpyLog1p},
      {"cosh", &engine::NumpyCosh},
      {"tanh", &engine::NumpyTanh},
      {"arcsinh", &engine::NumpyArcsinh},
      {"arccos", &engine::NumpyArccos},
      {"arctan", &engine::NumpyArctan},
      {"sin", [](double x) { return engine::NumpySin(x); }},
      {"cos", [](double x) { return engine::NumpyCos(x); }}};
  const auto function = Find(functions, name);
  Values results;
  for (const double value : values) results.push_back(function(value));
  return results;
}

Values KernelOfTwo(const std::string& name, const Values& first, const Values& second) {
  const std::map<std::string, double (*)(double, double)> functions = {
      {"arctan2", &engine::NumpyArctan2},
      {"logaddexp", &engine::NumpyLogAddExp},
      {"power", &engine::NumpyPower}};
  const auto function = Find(functions, name);
  Values results;
  for (std::size_t i = 0; i < first.size(); ++i) results.push_back(function(first[i], second[i]));
  return results;
}

Values Matmul(const Values& a, const Values& b, std::size_t rows, std::size_t inner,
              std::size_t columns) {
  Values result(rows * columns);
  engine::NumpyMatmul(a.data(), b.data(), result.data(), rows, inner, columns);
  return result;
}

void BindRandomState(py::module_& m) {
  py::class_<RandomState>(m, "RandomState")
      .def(py::init<std::uint32_t>())
      .def("seed", &RandomState::Seed)
      .def("word", &RandomState::NextUint32)
      .def("rand", [](RandomState& self) { return self.Rand(); })
      .def("rand",
           [](RandomState& self, std::size_t count) {
             Values values(count);
             self.Rand(values);
             return values;
           })
      .def("uniform", &RandomState::Uniform)
      .def("randn", [](RandomState& self) { return self.Randn(); })
      .def("randn",
           [](RandomState& self, std::size_t count) {
             Values values(count);
             self.Randn(values);
             return values;
           })
      .def("randint", &RandomState::Randint)
      .def("choice", [](RandomState& self, const Values& p) { return self.Choice(p); });
}

}  // namespace

void BindNumpy(py::module_& m) {
  if (!engine::UseNumpyKernelsOfCore()) throw py::error_already_set();
  BindRandomState(m);
  m.def("kernel", &Kernel, py::arg("name"), py::arg("values"));
  m.def("kernel_of_two", &KernelOfTwo, py::arg("name"), py::arg("first"), py::arg("second"));
  m.def("dot", [](const Values& a, const Values& b) { return engine::NumpyDot(a, b); });
  m.def("matmul", &Matmul, py::arg("a"), py::arg("b"), py::arg("rows"), py::arg("inner"),
        py::arg("columns"));
}
