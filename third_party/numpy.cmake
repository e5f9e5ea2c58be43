# numpy::headers    NumPy's C headers
# numpy::npyrandom  NumPy's distributions (normal, integers, ...) as NumPy ships them: the static
#                   library that its wheels carry for C users, so that our draws are NumPy's draws
#                   by construction.
# Both come from the NumPy of the Python that builds (isolated builds install one), or from that in the
# folder ENVPOOL_NUMPY, as an unpacked wheel for another processor has it.
set(ENVPOOL_NUMPY "" CACHE PATH
    "Folder `numpy` of NumPy's wheel for the target; empty: that of the Python that builds")
if(ENVPOOL_NUMPY)
  set(numpy_root "${ENVPOOL_NUMPY}")
else()
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import numpy, os; print(os.path.dirname(numpy.__file__))"
    OUTPUT_VARIABLE numpy_root OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE numpy_result ERROR_VARIABLE numpy_error)
  if(NOT numpy_result EQUAL 0)
    message(FATAL_ERROR
      "The build needs NumPy 2 or later in ${Python_EXECUTABLE}:\n${numpy_error}")
  endif()
endif()
set(numpy_include "${numpy_root}/_core/include")  # numpy/core before NumPy 2
set(npyrandom_library "${numpy_root}/random/lib/libnpyrandom.a")
foreach(needed "${numpy_root}/version.py" "${npyrandom_library}"
        "${numpy_include}/numpy/random/distributions.h")
  if(NOT EXISTS "${needed}")
    message(FATAL_ERROR "The build needs NumPy 2 or later, installed from its wheel (pip install "
                        "numpy): there is no ${needed}")
  endif()
endforeach()
file(STRINGS "${numpy_root}/version.py" numpy_version REGEX "^version = \"[^\"]+\"")
string(REGEX REPLACE "^version = \"(.*)\"" "\\1" numpy_version "${numpy_version}")

add_library(numpy::headers INTERFACE IMPORTED)
set_target_properties(numpy::headers PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${numpy_include}"
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${numpy_include}")

add_library(numpy::npyrandom STATIC IMPORTED)
set_target_properties(numpy::npyrandom PROPERTIES
  IMPORTED_LOCATION "${npyrandom_library}"
  INTERFACE_LINK_LIBRARIES m)

# Lets a source file include the library's header numpy/random/distributions.h. That includes Python.h,
# though the library calls nothing of Python. The file is a translation unit of its own, and the only
# one of its layer that is compiled again for another Python.
function(use_npyrandom_header source)
  set(flags "")
  foreach(directory IN LISTS numpy_include Python_INCLUDE_DIRS)
    list(APPEND flags "-isystem${directory}")
  endforeach()
  set_source_files_properties("${source}" PROPERTIES
    COMPILE_OPTIONS "${flags}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
message(STATUS "NumPy ${numpy_version}: ${numpy_root}")
