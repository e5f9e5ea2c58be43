# numpy::headers    NumPy's C headers
# numpy::npyrandom  NumPy's distributions (normal, integers, ...) as NumPy ships them: the static
#                   library that its wheels carry for C users, so that our draws are NumPy's draws
#                   by construction.
# Both come from the NumPy of the Python that builds (isolated builds install one).
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
    "import numpy, os; print(numpy.__version__, numpy.get_include(), os.path.dirname(numpy.__file__), sep='\\n')"
  OUTPUT_VARIABLE numpy_facts OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE numpy_result ERROR_VARIABLE numpy_error)
if(NOT numpy_result EQUAL 0)
  message(FATAL_ERROR "The build needs NumPy 2 or later in ${Python_EXECUTABLE}:\n${numpy_error}")
endif()
string(REPLACE "\n" ";" numpy_facts "${numpy_facts}")
list(GET numpy_facts 0 numpy_version)
list(GET numpy_facts 1 numpy_include)
list(GET numpy_facts 2 numpy_root)
if(numpy_version VERSION_LESS 2)
  message(FATAL_ERROR "The build needs NumPy 2 or later; ${Python_EXECUTABLE} has ${numpy_version}")
endif()
set(npyrandom_library "${numpy_root}/random/lib/libnpyrandom.a")
foreach(needed "${npyrandom_library}" "${numpy_include}/numpy/random/distributions.h")
  if(NOT EXISTS "${needed}")
    message(FATAL_ERROR
      "NumPy ${numpy_version} lacks ${needed}; install NumPy from its wheel (pip install numpy)")
  endif()
endforeach()

add_library(numpy::headers INTERFACE IMPORTED)
set_target_properties(numpy::headers PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${numpy_include}"
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${numpy_include}")

# distributions.h includes Python.h, though the library calls nothing of Python.
add_library(numpy::npyrandom STATIC IMPORTED)
set_target_properties(numpy::npyrandom PROPERTIES
  IMPORTED_LOCATION "${npyrandom_library}"
  INTERFACE_INCLUDE_DIRECTORIES "${numpy_include};${Python_INCLUDE_DIRS}"
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${numpy_include};${Python_INCLUDE_DIRS}"
  INTERFACE_LINK_LIBRARIES m)
message(STATUS "NumPy ${numpy_version}: ${numpy_root}")
