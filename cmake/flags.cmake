# Compiler flags, for every target of ours.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
if(NOT ENVPOOL_SANITIZE MATCHES "^(address|thread)?$")
  message(FATAL_ERROR
    "ENVPOOL_SANITIZE must be empty, address or thread; got '${ENVPOOL_SANITIZE}'")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# RelWithDebInfo uses -O3, as Release does, so that tests run the code that is shipped (CMake's default
# is -O2). Sanitizer builds use -O1: reports are closer to the source, and compiling takes a third of
# the time.
set(level "-O3")
if(ENVPOOL_SANITIZE)
  set(level "-O1")
endif()
string(REPLACE "-O2" "${level}" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
# Line tables for backtraces. Debug information on variables takes a fifth of the compile time; Debug
# builds have it.
string(REGEX REPLACE "-g( |$)" "-g1\\1"
  CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

# What is shipped does not depend on the directory that it is built in, which __FILE__ would name.
string(APPEND CMAKE_CXX_FLAGS_RELEASE " -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")

# The symbols of static libraries stay inside of a module. Apple's linker lacks the option. The
# portable build exports the type information of the engine's exception, as builds on macOS do.
include(CheckLinkerFlag)
check_linker_flag(CXX "LINKER:--exclude-libs,ALL" linker_hides_archives)
set(hide_archives "")
if(ENVPOOL_PORTABLE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(hide_archives "LINKER:--version-script=${CMAKE_SOURCE_DIR}/cmake/portable.map")
elseif(linker_hides_archives)
  set(hide_archives "LINKER:--exclude-libs,ALL")
endif()

# Wheels are linked for older systems than the one that builds. --no-as-needed: whatever static
# libraries have, too.
set(ENVPOOL_OLD_LIBRARIES "" CACHE PATH "Directory of tools/wheels/old_libraries.py")
if(ENVPOOL_OLD_LIBRARIES)
  add_link_options("-L${ENVPOOL_OLD_LIBRARIES}" LINKER:--no-as-needed)
endif()

add_library(engine_flags INTERFACE)
target_compile_options(engine_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  # Results must equal NumPy's and not depend on the processor: no fused multiply-add.
  -ffp-contract=off)
if(ENVPOOL_WERROR)
  target_compile_options(engine_flags INTERFACE -Werror)
endif()

if(ENVPOOL_SANITIZE STREQUAL "address")
  set(sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined)
elseif(ENVPOOL_SANITIZE STREQUAL "thread")
  set(sanitizer_flags -fsanitize=thread)
endif()
if(ENVPOOL_SANITIZE)
  add_compile_options(${sanitizer_flags} -fno-omit-frame-pointer)
  add_link_options(${sanitizer_flags})
endif()
