# pybind11::module and pybind11_add_module, from the pybind11 package of the Python that builds.
if(NOT pybind11_DIR)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
    OUTPUT_VARIABLE pybind11_cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND CMAKE_PREFIX_PATH "${pybind11_cmake_dir}")
endif()
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 3 CONFIG REQUIRED)
# pybind11 lets all modules of one ABI share their classes and what translates exceptions, also modules
# of other packages. Ours share theirs with one another only: otherwise others' functions are called
# with our exceptions, and the process ends if one has a C++ library of its own (MuJoCo's has libc++).
target_compile_definitions(pybind11::headers INTERFACE "PYBIND11_STDLIB=\"_envpool_py\"")
