# Headers that many libraries include are parsed once: a small library is compiled in half of the time.
# Not with a compiler cache, which does not keep what is compiled with them. Not in builds for tests,
# because the compiler does not warn about what is in them.
set(precompiles_headers ON)
if(CMAKE_CXX_COMPILER_LAUNCHER OR ENVPOOL_WERROR)
  set(precompiles_headers OFF)
endif()

function(precompile_headers name)
  if(precompiles_headers)
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

# The flags of both targets must be the same.
function(reuse_headers name of)
  if(precompiles_headers)
    target_precompile_headers(${name} REUSE_FROM ${of})
  endif()
endfunction()
