# Every target sets up what it needs, in a virtual environment and a build directory of its own,
# and does again only what has changed. Needed: git, make, a C++20 compiler, Python 3.10 or later.
#
#   make test       build, C++ tests, Python tests, format, lint and types: every change must pass
#   make bench      release build; ten tasks with all processors beside other libraries, and how they
#                   scale: a table, a plot, a sentence
#   make bench-all        some twenty cases with two threads and their floors, more libraries
#   make bench-atari      the same for the Atari games: rates, memory, where a step's time goes
#   make bench-mujoco     the same for MuJoCo tasks: rates, memory, ratio to mj_step alone
#   make bench-box2d      the same for Box2D tasks: rates, memory
#   make bench-arena      the same for MPE2's scenarios and Procgen's games, beside their libraries
#   make bench-suite      the same for four tasks of dm_control's suite: rates, ratio to its calls
#   make bench-robotics   the same for Gymnasium-Robotics, MetaWorld and MaMuJoCo
#   make bench-console    the same for the Atari console alone, beside ale-py's
#   make bench-games      every Atari game: its emulation beside ale-py's, a pool beside EnvPool's
#   make bench-python     the same for environments in Python: rates beside other pools of processes
#   make bench-peers      programs that have versions of their packages other than ours: rollouts beside
#                         Sample Factory's sampler, environments in Python beside SB3's and Tianshou's
#                         processes
#   make bench-builds OLD=DIR      every case of these with this commit and with that of the checkout
#                         DIR, in turns: what a change costs or gains
#   make bench-simulate   predict the rates of pools on machines of up to 256 processors
#   make check-libraries  training libraries, in environments of their own: the tests of their
#                         adapters, and examples that learn CartPole; programs that were written for
#                         EnvPool, with it and without it (an hour; LIBRARIES='skrl torchrl' takes
#                         some only)
#   make check-foreign GYMNASIUM=DIR ALE=DIR ENVPOOL=DIR      the tests of Gymnasium (on pools in
#                         C++ and on pools of environments in Python), ale-py and EnvPool on pools
#                         of this package; DIR: a checkout, any of the three
#   make check-all  make test, the tests under ASan+UBSan and under TSan, one of sixteen parts of the
#                   long comparisons, builds with Clang and with the calls of POSIX only, the other
#                   versions of Gymnasium and MuJoCo, EnvPool, PyTorch, Ray, JAX, the other versions
#                   of Python, and the packages that would be shipped
#   make asan, make tsan, make long, make check-includes, make check-threads, make check-clang,
#   make check-portable, make check-gymnasium, make check-mujoco, make check-envpool,
#   make check-torch, make check-ray, make check-jax, make check-pythons, make package, make lint
#                   the parts of check-all
#   make check-pythons      the build and a part of the tests with every version of Python that is
#                   installed, also without a GIL (PYTHONS='3.12 3.13t' takes these only, and fails
#                   if one is not installed)
#   make check-numa pools on machines with several NUMA nodes, which QEMU simulates; needs Debian's
#                   packages qemu-system-x86, busybox-static and e2fsprogs
#   make check-arm  for ARM (aarch64), cross-built: C++ tests and a task or two of each family in
#                   QEMU; needs Debian's packages crossbuild-essential-arm64, mmdebstrap,
#                   qemu-user-static and binfmt-support (half an hour)
#   make soak MINUTES=30  all families at full load, with faults: nothing lost, results as without
#                   faults, memory flat; make soak-asan and make soak-tsan under the sanitizers
#   make wheels     wheels for Linux from glibc 2.28 on, x86-64 and ARM, each used in a fresh
#                   environment (WHEELS='3.11 3.12' PROCESSORS=x86_64 takes these only); for another
#                   processor it needs the packages of check-arm
#   make check-release TAG=v0.2.0      whether version, changelog and citation are those of the tag
#   make format     rewrite C++ and Python to the house format
#   make hooks      check format, lint and types at each commit; clang-tidy
#   make docs       write the generated tables of the families and of docs/ anew
#   make site       the web site, in build/site/html; warnings, dead links and public names that it
#                   lacks are errors (Python 3.11 or later)
#   make site-links ask the addresses outside of the site whether they exist; needs the internet
#   make clean      remove the environments and the build directories
PYTHON ?= python3
PYTEST ?=
# Compilers and C++ tests run in as many processes as there are processors, and no more than 8. Python
# tests have one process more, because they wait for other processes for a quarter of their time.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 8 ? n : 8)))
PARALLEL = -n $$(($(JOBS) + 1)) --dist worksteal
# The limit in pyproject.toml, after which a test counts as hung, is too short for the slow tests.
PATIENT := -o faulthandler_timeout=3600
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := test
.DELETE_ON_ERROR:

.PHONY: test bench bench-all bench-arena bench-atari bench-builds bench-mujoco bench-suite bench-box2d bench-console bench-games
.PHONY: bench-python bench-peers bench-robotics bench-simulate
.PHONY: check-all asan tsan soak soak-asan soak-tsan long long-part package wheels lint format hooks docs clean
.PHONY: site site-links build/site/source check-release
.PHONY: check-includes check-threads check-clang check-portable check-gymnasium check-mujoco check-envpool check-envpool-newest check-torch check-ray check-jax check-pythons check-foreign check-libraries check-numa check-arm

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The first import of a module writes its bytecode (see --no-compile below), and hundreds of tests
# start an interpreter. Some containers forbid it, which makes each import of NumPy twice as long.
unexport PYTHONDONTWRITEBYTECODE
# NumPy's own thread pool would only compete with ours.
export OPENBLAS_NUM_THREADS := 1

say = @printf '\n==> %s\n'
# The end of a loop over versions: all of them run, and `failed` has those that failed.
none_failed = test -z "$$failed" || { printf '\n==> Failed:%s\n' "$$failed"; exit 1; }

# Files that a build depends on. Directories are in the list so that a deleted file counts as a change.
# The installation is editable: Python sources are used where they lie and need no build.
SOURCES := pyproject.toml CMakeLists.txt \
  $(shell find cmake include third_party engine tests/engine benchmarks/engine benchmarks/simulate tools/atari/debug_module)
CPP_FILES = $$(git ls-files --cached --others --exclude-standard '*.h' '*.cc' '*.inl')

# $(1) variant, $(2) extras, $(3) build type, $(4) CMake options, $(5) the environment that the build
# comes after: .ready, or .no-deps. The environment lies in .venv-<variant>, the build in
# build/<variant>. --no-compile: pip does not byte-compile packages, because most of their modules are
# never imported.
define variant
.venv-$(1)/.ready: pyproject.toml tools/requirements.py
	$$(say) 'Virtual environment .venv-$(1), with what the build and the package need'
	$$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or later, please: set PYTHON=") \
	  if sys.version_info < (3, 10) else None'
	test -x .venv-$(1)/bin/python || $$(PYTHON) -m venv .venv-$(1)
	.venv-$(1)/bin/python -m pip install -q 'pip>=23.1'
	.venv-$(1)/bin/python tools/requirements.py $(2) > .venv-$(1)/requirements.txt
	.venv-$(1)/bin/python -m pip install --no-compile -r .venv-$(1)/requirements.txt
	touch $$@

# With the packages that are installed without what they require: 130 MB, which `make bench` does not
# use.
.venv-$(1)/.no-deps: .venv-$(1)/.ready
	.venv-$(1)/bin/python tools/requirements.py --group no-deps > .venv-$(1)/no-deps.txt
	.venv-$(1)/bin/python -m pip install --no-compile --no-deps -r .venv-$(1)/no-deps.txt
	touch $$@

.venv-$(1)/.built: .venv-$(1)/$(5) $$(SOURCES)
	$$(say) 'Building and installing into .venv-$(1) (build/$(1))'
	PATH="$$(CURDIR)/.venv-$(1)/bin:$$$$PATH" .venv-$(1)/bin/python -m pip install -v \
	  --no-deps --no-build-isolation -e . -C build-dir=build/$(1) -C cmake.build-type=$(3) \
	  $(foreach option,$(4),-C cmake.define.$(option))
	touch $$@
endef

TESTED := ENVPOOL_TESTS=ON ENVPOOL_WERROR=ON
$(eval $(call variant,test,dev,RelWithDebInfo,$(TESTED),.no-deps))
$(eval $(call variant,bench,bench,Release,,.ready))
$(eval $(call variant,asan,test,RelWithDebInfo,$(TESTED) ENVPOOL_SANITIZE=address,.no-deps))
$(eval $(call variant,tsan,test,RelWithDebInfo,$(TESTED) ENVPOOL_SANITIZE=thread,.no-deps))
# Clang is the newest on the path.
CLANG ?= $(shell compgen -c clang++ | grep -xE 'clang\+\+(-[0-9]+)?' | sort -V | tail -n 1)
$(eval $(call variant,clang,test,RelWithDebInfo,$(TESTED) CMAKE_CXX_COMPILER=$$(CLANG),.no-deps))
# As far as Linux can have what macOS has: Clang, its standard library, and the portable sources of
# engine/base/os. All modules share one library, made of Debian's static one, because the shared one is
# not that of the headers. Its symbols have versions, so that they are not mixed with libstdc++'s.
# Our modules are loaded globally: Linux then merges their class of exceptions, as macOS does. LIBCXX=
# uses the library that Clang uses by itself.
LIBCXX ?= -stdlib=libc++
LIBCXX_SHARED := build/portable-library/libshared_c++.so
LIBCXX_LINK := -nostdlib++ -L$(CURDIR)/$(dir $(LIBCXX_SHARED)) -lshared_c++ \
  -Wl,-rpath,$(CURDIR)/$(dir $(LIBCXX_SHARED))
$(eval $(call variant,portable,test,RelWithDebInfo,$(TESTED) ENVPOOL_PORTABLE=ON CMAKE_CXX_COMPILER=$$(CLANG),.no-deps))
.venv-portable/.built: export CXXFLAGS := $(LIBCXX)
.venv-portable/.built: export LDFLAGS := $(if $(LIBCXX),$(LIBCXX_LINK))
.venv-portable/.built: .venv-portable/.loads-globally $(if $(LIBCXX),$(LIBCXX_SHARED))

$(LIBCXX_SHARED):
	mkdir -p $(dir $@)
	$(CLANG) -shared -nostdlib++ -Wl,--default-symver -Wl,--whole-archive \
	  $$($(CLANG) -print-file-name=libc++.a) -Wl,--no-whole-archive -pthread -o $@

.venv-portable/.loads-globally: .venv-portable/.ready tools/load_globally.py
	cd "$$(.venv-portable/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" && \
	  cp $(CURDIR)/tools/load_globally.py . && echo 'import load_globally' > load_globally.pth
	touch $@

# The flags of make test, without the C++ tests.
$(eval $(call variant,envpool-newest,test bench,RelWithDebInfo,ENVPOOL_WERROR=ON,.no-deps))

# What `make bench` does not need: the C++ programs of benchmarks/, and the Atari console for tools.
.venv-bench/.programs: .venv-bench/.built
	$(say) 'Building the C++ programs of benchmarks/ (build/bench)'
	PATH="$(CURDIR)/.venv-bench/bin:$$PATH" .venv-bench/bin/python -m pip install -v --no-deps \
	  --no-build-isolation -e . -C build-dir=build/bench -C cmake.build-type=Release \
	  -C cmake.define.ENVPOOL_BENCHMARKS=ON
	touch $@

test: lint .venv-test/.built
	$(say) 'C++ tests'
	.venv-test/bin/ctest --test-dir build/test --output-on-failure --no-tests=error -j $(JOBS) \
	  | tee build/test/ctest.log
	$(say) 'Python tests'
	.venv-test/bin/pytest -m 'not long' $(PARALLEL) $(PYTEST) | tee build/test/pytest.log
	$(say) 'All passed'
	@grep 'tests passed' build/test/ctest.log
	@tail -n 1 build/test/pytest.log

lint: .venv-test/.built
	$(say) 'Formatting, lint, types'
	.venv-test/bin/clang-format --dry-run --Werror $(CPP_FILES)
	.venv-test/bin/ruff format --check .
	.venv-test/bin/ruff check .
	.venv-test/bin/mypy
	.venv-test/bin/python -m mypy.stubtest --allowlist tools/stubtest.txt $(addprefix envpool_py.,_core _atari _mujoco _procgen)

format: .venv-test/.ready .venv-test/.built
	.venv-test/bin/clang-format -i $(CPP_FILES)
	.venv-test/bin/ruff format .
	.venv-test/bin/ruff check --fix .

hooks: .venv-test/.ready
	$(say) 'Hooks of git'
	.venv-test/bin/python -m pip install -q $$(.venv-test/bin/python tools/requirements.py hooks)
	.venv-test/bin/pre-commit install

docs: .venv-test/.built
	$(say) 'Tables of the families, tables of docs/'
	.venv-test/bin/python -m tools.families
	.venv-test/bin/python -m tools.guide

bench: .venv-bench/.built
	$(say) 'Benchmark: ten tasks, all processors'
	.venv-bench/bin/envpool-py bench --json benchmarks/results/latest.bench.json \
	  --plot benchmarks/results/latest.bench.png $(BENCH)

bench-all: .venv-bench/.built
	$(say) 'Benchmarks'
	.venv-bench/bin/python -m benchmarks.run $(BENCH)

bench-atari: .venv-bench/.programs
	$(say) 'Benchmark of the Atari games'
	.venv-bench/bin/python -m benchmarks.atari $(BENCH)

bench-mujoco: .venv-bench/.built
	$(say) 'Benchmark of the MuJoCo tasks'
	.venv-bench/bin/python -m benchmarks.mujoco $(BENCH)

bench-box2d: .venv-bench/.built
	$(say) 'Benchmark of the Box2D tasks'
	.venv-bench/bin/python -m benchmarks.box2d $(BENCH)

bench-arena: .venv-bench/.built .venv-bench/.no-deps
	$(say) 'Benchmark of the MPE2 scenarios'
	.venv-bench/bin/python -m benchmarks.mpe $(BENCH)
	$(say) "Benchmark of Procgen's games"
	.venv-bench/bin/python -m benchmarks.procgen $(BENCH)

bench-suite: .venv-bench/.built
	$(say) "Benchmark of dm_control's suite"
	.venv-bench/bin/python -m benchmarks.suite_limit $(BENCH)

bench-python: .venv-bench/.built
	$(say) 'Benchmark of environments in Python'
	.venv-bench/bin/python -m benchmarks.python_envs $(BENCH)

# The package of make bench in a directory that holds no sources of it, for environments in which it
# is not installed.
build/peers/.staged: .venv-bench/.built $(shell find envpool_py -name '*.py')
	rm -rf build/peers
	mkdir -p build/peers
	for each in $$(git ls-files | cut -d/ -f1 | sort -u); do ln -s ../../$$each build/peers; done
	rm build/peers/envpool_py
	cp -r envpool_py build/peers
	.venv-bench/bin/cmake --install build/bench --component python --prefix build/peers
	touch $@

.venv-peers/.ready: .venv-bench/.ready
	$(say) 'Virtual environment .venv-peers'
	test -x .venv-peers/bin/python || .venv-bench/bin/python -m venv .venv-peers
	for extra in bench torch; do .venv-bench/bin/python tools/requirements.py $$extra; done \
	  > .venv-peers/requirements.txt
	.venv-peers/bin/python -m pip install -q -r .venv-peers/requirements.txt stable-baselines3 tianshou
	touch $@

# Sample Factory requires Gymnasium below 1.0 and NumPy below 2. This ale-py is the last that takes
# such a Gymnasium, and the first with the games.
.venv-sample-factory/.ready: .venv-bench/.ready
	$(say) 'Virtual environment .venv-sample-factory'
	test -x .venv-sample-factory/bin/python || .venv-bench/bin/python -m venv .venv-sample-factory
	.venv-sample-factory/bin/python -m pip install -q 'sample-factory==2.1.1' 'ale-py==0.9.1'
	touch $@

bench-peers: build/peers/.staged .venv-peers/.ready .venv-sample-factory/.ready
	$(say) 'Benchmark of samplers'
	cd build/peers && ../../.venv-peers/bin/python -m benchmarks.samplers \
	  --sample-factory $(CURDIR)/.venv-sample-factory/bin/python $(BENCH)
	$(say) 'Benchmark of environments in Python, beside more libraries'
	cd build/peers && ../../.venv-peers/bin/python -m benchmarks.python_envs $(BENCH)

.venv-robotics/.ready: .venv-bench/.ready
	$(say) 'Virtual environment .venv-robotics'
	test -x .venv-robotics/bin/python || .venv-bench/bin/python -m venv .venv-robotics
	for extra in bench robotics; do .venv-bench/bin/python tools/requirements.py $$extra; done \
	  > .venv-robotics/requirements.txt
	.venv-robotics/bin/python -m pip install -q -r .venv-robotics/requirements.txt
	touch $@

# MetaWorld requires this MuJoCo, and cannot make its environments with that of the others.
.venv-metaworld/.ready: .venv-bench/.ready
	$(say) 'Virtual environment .venv-metaworld'
	test -x .venv-metaworld/bin/python || .venv-bench/bin/python -m venv .venv-metaworld
	for extra in bench metaworld; do .venv-bench/bin/python tools/requirements.py $$extra; done \
	  | sed '/^mujoco/d; /^dm-control/d' > .venv-metaworld/requirements.txt
	.venv-metaworld/bin/python -m pip install -q -r .venv-metaworld/requirements.txt mujoco==3.3.0
	touch $@

bench-robotics: build/peers/.staged .venv-robotics/.ready .venv-metaworld/.ready
	$(say) 'Benchmark of Gymnasium-Robotics and MaMuJoCo'
	cd build/peers && PYTHONOPTIMIZE=1 ../../.venv-robotics/bin/python -m benchmarks.robotics $(BENCH)
	$(say) 'Benchmark of MetaWorld'
	cd build/peers && ../../.venv-metaworld/bin/python -m benchmarks.metaworld $(BENCH)

bench-simulate: .venv-bench/.programs
	$(say) 'Simulation of pools on machines of other sizes'
	.venv-bench/bin/python -m benchmarks.scheduler predict $(BENCH)

bench-builds: .venv-bench/.built
	$(if $(OLD),,$(error bench-builds: OLD= names a checkout of the other commit))
	$(say) 'Benchmark of two builds of this package'
	$(MAKE) -C $(OLD) .venv-bench/.built
	.venv-bench/bin/python -m benchmarks.builds $(abspath $(OLD))/.venv-bench/bin/python $(BENCH)

bench-console: .venv-bench/.programs
	$(say) 'Benchmark of the Atari console'
	.venv-bench/bin/python -m benchmarks.console $(BENCH)

bench-games: .venv-bench/.programs
	$(say) 'Benchmark of every Atari game'
	.venv-bench/bin/python -m benchmarks.games $(BENCH)

# Python itself is not instrumented, so the sanitizer's library is loaded before it.
# allocator_may_return_null=1: an allocation that is too large returns null, as it does without the
# sanitizer. Some tests make models that are too large.
preload = LD_PRELOAD="$$($(or $(CXX),c++) -print-file-name=lib$(1).so) \
  $$($(or $(CXX),c++) -print-file-name=libstdc++.so)"
SUPPRESSIONS := $(CURDIR)/tests/sanitizers
# pytest captures a test's output and loses it if the process dies, so reports are written to files.
reports = $(CURDIR)/build/$(1)/reports/report
shown = || { cat build/$(1)/reports/* || true; exit 1; }

asan: export UBSAN_OPTIONS := print_stacktrace=1
asan: .venv-asan/.built
	$(say) 'C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	ASAN_OPTIONS=detect_stack_use_after_return=1:strict_init_order=1 \
	  .venv-asan/bin/ctest --test-dir build/asan --output-on-failure --no-tests=error -j $(JOBS)
	$(say) 'Python tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	rm -rf build/asan/reports
	mkdir build/asan/reports
	$(call preload,asan) PYTHONMALLOC=malloc ENVPOOL_SANITIZER=address \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$(call reports,asan) \
	  .venv-asan/bin/python -m pytest -m 'not long' $(PATIENT) $(PARALLEL) $(PYTEST) $(call shown,asan)

# intercept_tls_get_addr=0: ThreadSanitizer can mistake a thread-local block at offset 16 of a page for
# one of an older C library. It then reads the block's size from the wrong address
# (google/sanitizers#1322), and in some runs the process crashes.
TSAN_RULES = halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1:intercept_tls_get_addr=0:suppressions=$(SUPPRESSIONS)/tsan.txt
tsan: export TSAN_OPTIONS = $(TSAN_RULES)
tsan: .venv-tsan/.built
	$(say) 'C++ tests under ThreadSanitizer'
	.venv-tsan/bin/ctest --test-dir build/tsan --output-on-failure --no-tests=error -j $(JOBS)
	$(say) 'Python tests under ThreadSanitizer'
	rm -rf build/tsan/reports
	mkdir build/tsan/reports
	$(call preload,tsan) ENVPOOL_SANITIZER=thread \
	  TSAN_OPTIONS="$$TSAN_OPTIONS:log_path=$(call reports,tsan)" \
	  .venv-tsan/bin/python -m pytest -m 'not long' $(PATIENT) $(PARALLEL) $(PYTEST) $(call shown,tsan)

# How long it runs.
MINUTES ?= 30
soak: .venv-test/.built
	$(say) 'All families at full load, with faults, for $(MINUTES) minutes'
	.venv-test/bin/python -m tests.stress.soak --minutes $(MINUTES)

# The sanitizers keep freed memory, so its size means nothing there.
soak-asan: .venv-asan/.built
	$(say) 'The same under AddressSanitizer and UndefinedBehaviorSanitizer'
	$(call preload,asan) PYTHONMALLOC=malloc UBSAN_OPTIONS=print_stacktrace=1 \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	  .venv-asan/bin/python -m tests.stress.soak --minutes $(MINUTES) --no-memory
soak-tsan: export TSAN_OPTIONS = $(TSAN_RULES)
soak-tsan: .venv-tsan/.built
	$(say) 'The same under ThreadSanitizer'
	$(call preload,tsan) .venv-tsan/bin/python -m tests.stress.soak --minutes $(MINUTES) --no-memory

long: .venv-test/.built
	$(say) 'Long comparisons'
	.venv-test/bin/pytest -m long $(PATIENT) $(PARALLEL) $(PYTEST)

# check-all runs one part of the long comparisons, another one at each commit.
PARTS := 16
PART ?= $$(($$(git rev-list --count HEAD) % $(PARTS)))
long-part: .venv-test/.built
	$(say) 'One of $(PARTS) parts of the long comparisons'
	.venv-test/bin/pytest -m long --part "$(PART)/$(PARTS)" $(PATIENT) $(PARALLEL) $(PYTEST)

# The versions of Gymnasium: the lowest that the package takes, one between, the one of make test. The
# modules are those that make test builds, so the Python is the same too.
GYMNASIUMS := 1.1.1 1.2.2 1.4.0
# PyTorch, for Gymnasium's wrappers that return tensors; installed only with the last version. TORCH=
# omits it.
TORCH ?= torch==2.13.0 array-api-compat
# Tests whose results do not depend on Gymnasium 1.4. They are not repeated with the last version, which
# is that of make test: there only tests/gymnasium runs, for the wrappers that return tensors.
GYMNASIUM_TESTS := tests/conformance $(addprefix tests/envpool_py/, $(addsuffix .py,test_errors \
  $(addprefix pool/test_,dm_pool episode_statistics gymnasium_pool pickling plain spaces) \
  $(addprefix tasks/test_,make make_vec spec)))

.venv-gymnasium-%/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-gymnasium-$*'
	test -x .venv-gymnasium-$*/bin/python || .venv-test/bin/python -m venv .venv-gymnasium-$*
	.venv-test/bin/python tools/requirements.py test \
	  | sed -E 's/^gymnasium\[box2d\]/box2d==2.3.10/; /^gymnasium/d' \
	  > .venv-gymnasium-$*/requirements.txt
	.venv-gymnasium-$*/bin/python -m pip install -q -r .venv-gymnasium-$*/requirements.txt \
	  'gymnasium[mujoco,classic-control,toy-text]==$*' $(if $(filter $*,$(lastword $(GYMNASIUMS))),$(TORCH))
	touch $@

build/gymnasium/.staged: .venv-test/.built $(shell find envpool_py -name '*.py')
	$(say) 'The package of make test, in build/gymnasium'
	rm -rf build/gymnasium
	mkdir -p build/gymnasium
	cp -r envpool_py build/gymnasium
	.venv-test/bin/cmake --install build/test --component python --prefix build/gymnasium
	touch $@

check-gymnasium: build/gymnasium/.staged $(GYMNASIUMS:%=.venv-gymnasium-%/.ready)
	failed=; for version in $(GYMNASIUMS); do \
	  printf '\n==> Gymnasium %s\n' "$$version"; \
	  PYTHONPATH=$(CURDIR)/build/gymnasium .venv-gymnasium-$$version/bin/pytest -m 'not long' \
	    $(PARALLEL) $(PYTEST) tests/gymnasium \
	    $$(test $$version = $(lastword $(GYMNASIUMS)) || echo $(GYMNASIUM_TESTS)) \
	    || failed="$$failed $$version"; \
	done; $(none_failed)

# The versions of MuJoCo beside that of make test: the lowest that is supported, one that others pin
# (MyoSuite takes versions below 3.7), the first with another interface for errors, and the newest,
# which needs Python 3.11. The modules are those that make test builds. Any other version that is
# supported may be given: make check-mujoco MUJOCOS=3.12.0
MUJOCOS ?= 3.3.0 3.6.0 3.10.0 $(shell $(PYTHON) -c 'import sys; print("4.0.0" * (sys.version_info >= (3, 11)))')
MUJOCO_TESTS := tests/parity/test_mujoco.py tests/parity/test_mujoco_failures.py tests/parity/test_mujoco_model_changes.py \
  tests/parity/test_mujoco_models.py tests/parity/test_mujoco_options.py \
  tests/parity/test_mujoco_render.py tests/parity/test_robotics.py tests/parity/test_mamujoco.py \
  tests/parity/test_metaworld.py \
  tests/envpool_py/tasks/families/mujoco tests/envpool_py/tasks/families/robotics \
  tests/envpool_py/tasks/families/mamujoco tests/envpool_py/tasks/families/metaworld tests/tools/test_mujoco_layouts.py
# The versions for which dm_control can be installed (from 3.17.0 on). On 4.0.0 dm_control 1.0.50
# itself fails when it loads a task, so only tests without it as the reference are run.
MUJOCO_SUITE := $(filter 4.0.0,$(MUJOCOS))
MUJOCO_SUITE_TESTS := tests/parity/test_dm_control_states.py
# PhysicsModel, compiled with the headers of a version. It does nothing with those for which its
# rules are not known (tools/mujoco_layouts.py).
MUJOCO_PHYSICS := $(filter 4.0.0,$(MUJOCOS))

.venv-mujoco-%/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-mujoco-$*'
	test -x .venv-mujoco-$*/bin/python || .venv-test/bin/python -m venv .venv-mujoco-$*
	.venv-test/bin/python tools/requirements.py test \
	  | grep -E '^(numpy|scipy|gymnasium|dm-env|rich|pytest$(if $(filter $*,$(MUJOCO_SUITE)),|dm-control|shimmy))' \
	  > .venv-mujoco-$*/requirements.txt
	.venv-mujoco-$*/bin/python -m pip install -q -r .venv-mujoco-$*/requirements.txt 'mujoco==$*'
	.venv-mujoco-$*/bin/python -m pip install -q --no-deps \
	  $$(.venv-test/bin/python tools/requirements.py --group no-deps | grep ^metaworld)
	touch $@

check-mujoco: build/gymnasium/.staged $(MUJOCOS:%=.venv-mujoco-%/.ready)
	failed=; for version in $(MUJOCOS); do \
	  printf '\n==> MuJoCo %s\n' "$$version"; \
	  PYTHONPATH=$(CURDIR)/build/gymnasium .venv-mujoco-$$version/bin/pytest -m 'not long' \
	    $(PARALLEL) $(PYTEST) $(MUJOCO_TESTS) \
	    $$(for suite in $(MUJOCO_SUITE); do test $$version != $$suite || echo $(MUJOCO_SUITE_TESTS); done) \
	    || failed="$$failed $$version"; \
	done; $(none_failed)
	for version in $(MUJOCO_PHYSICS); do \
	  printf '\n==> The rules of PhysicsModel with MuJoCo %s\n' "$$version"; \
	  PATH="$(CURDIR)/.venv-test/bin:$$PATH" cmake -S . -B build/mujoco-$$version -G Ninja \
	    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DENVPOOL_TESTS=ON \
	    -DPython_EXECUTABLE=$(CURDIR)/.venv-test/bin/python \
	    -DENVPOOL_MUJOCO_PACKAGE=$$(echo $(CURDIR)/.venv-mujoco-$$version/lib/python3*/site-packages/mujoco); \
	  PATH="$(CURDIR)/.venv-test/bin:$$PATH" cmake --build build/mujoco-$$version \
	    --target envs_mujoco_physics_model_test envs_mujoco_random_models_test envs_mujoco_simulation_test; \
	  .venv-test/bin/ctest --test-dir build/mujoco-$$version --output-on-failure \
	    --no-tests=error -j $(JOBS) -R '^envs/mujoco/(physics|random|simulation)'; \
	done

# What needs EnvPool itself: its own tasks, the programs of its users, and measuring beside it. Where
# it has no wheel for this Python or processor (see pyproject.toml) these are shown as skipped.
ENVPOOL_TESTS := tests/parity/test_toy_text_rules.py tests/envpool_py/test_envpool_scripts.py \
  tests/compat/test_against_envpool.py tests/compat/test_against_envpool_settings.py \
  tests/compat/test_differences.py tests/compat/test_public_programs.py \
  tests/examples/test_from_envpool.py tests/envpool_py/cli/bench/test_atari.py

.venv-envpool/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-envpool'
	test -x .venv-envpool/bin/python || .venv-test/bin/python -m venv .venv-envpool
	for extra in test bench; do .venv-test/bin/python tools/requirements.py $$extra; done \
	  > .venv-envpool/requirements.txt
	.venv-envpool/bin/python -m pip install -q -r .venv-envpool/requirements.txt
	.venv-envpool/bin/python -m pip install -q --no-deps \
	  -r <(.venv-test/bin/python tools/requirements.py --group no-deps)
	touch $@

# EnvPool's newest version, 1.2.7, needs Python 3.12; 1.2.5 is the last for Python 3.11. With an older
# PYTHON, these tests are run twice: with it, and with this Python, for which the modules of the package
# are built, too. PYTHON312= omits it.
PYTHON312 ?= $(shell tools/find_python.sh 3.12 3.13 3.14)
.venv-envpool-newest/.ready: PYTHON = $(PYTHON312)

check-envpool: build/gymnasium/.staged .venv-envpool/.ready
	$(say) 'Tests that need EnvPool'
	PYTHONPATH=$(CURDIR)/build/gymnasium .venv-envpool/bin/pytest -m 'not long' -rs \
	  $(PARALLEL) $(PYTEST) $(ENVPOOL_TESTS)
	if .venv-test/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then \
	  :; \
	elif python312='$(PYTHON312)'; test -n "$$python312"; then \
	  $(MAKE) check-envpool-newest PYTHON312="$$python312"; \
	else \
	  echo 'EnvPool 1.2.7 is left out: it needs a Python from 3.12 on (PYTHON312=), and none was found'; \
	fi

check-envpool-newest: .venv-envpool-newest/.built
	$(say) 'Tests that need EnvPool, with EnvPool 1.2.7'
	.venv-envpool-newest/bin/pytest -m 'not long' -rs $(PARALLEL) $(PYTEST) $(ENVPOOL_TESTS)

# What needs PyTorch, and Stable-Baselines3.
TORCH_TESTS := tests/envpool_py/torch tests/envpool_py/rollout tests/examples/test_learners.py \
  tests/examples/test_torch_ddp.py tests/examples/test_first_hour.py tests/benchmarks/test_data_parallel.py \
  tests/benchmarks/test_devices.py tests/integrations/test_stable_baselines3.py

.venv-torch/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-torch'
	test -x .venv-torch/bin/python || .venv-test/bin/python -m venv .venv-torch
	for extra in test torch notebook; do .venv-test/bin/python tools/requirements.py $$extra; done \
	  > .venv-torch/requirements.txt
	.venv-torch/bin/python -m pip install -q -r .venv-torch/requirements.txt tensordict \
	  $$(grep ^stable-baselines3 examples/requirements/common.txt)
	touch $@

# What needs Ray, with PyTorch for the learners on it, and TorchRL, which is installed with it. One
# process: they share a cluster of processes.
RAY_TESTS := tests/envpool_py/ray tests/examples/test_ray_learners.py \
  tests/benchmarks/test_fleet.py tests/integrations/test_torchrl.py

.venv-ray/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-ray'
	test -x .venv-ray/bin/python || .venv-test/bin/python -m venv .venv-ray
	for extra in test torch ray; do .venv-test/bin/python tools/requirements.py $$extra; done \
	  > .venv-ray/requirements.txt
	.venv-ray/bin/python -m pip install -q -r .venv-ray/requirements.txt torchrl
	touch $@

# Ray's workers import from the driver's directory first, so the tests are run in a directory that
# holds the built package in place of its sources.
build/checkout/.staged: build/gymnasium/.staged
	rm -rf build/checkout
	mkdir build/checkout
	for each in $$(git ls-files | cut -d/ -f1 | sort -u); do \
	  ln -s ../../$$each build/checkout; \
	done
	ln -sfn ../gymnasium/envpool_py build/checkout/envpool_py
	touch $@

.venv-site/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-site'
	test -x .venv-site/bin/python || .venv-test/bin/python -m venv .venv-site
	for extra in test site; do .venv-test/bin/python tools/requirements.py $$extra; done \
	  > .venv-site/requirements.txt
	.venv-site/bin/python -m pip install -q -r .venv-site/requirements.txt
	.venv-site/bin/python -m pip install -q --no-deps \
	  -r <(.venv-test/bin/python tools/requirements.py --group no-deps)
	touch $@

# Runs in build/checkout, where the package is that of make test and everything else lies as here.
in_site = cd build/checkout && SDL_VIDEODRIVER=dummy $(CURDIR)/.venv-site/bin/python
SITE := $(CURDIR)/build/site
sphinx = $(in_site) -m sphinx -q -c site -d $(SITE)/doctrees

build/site/source: build/checkout/.staged .venv-site/.ready
	$(say) 'Moving pictures of the environments'
	$(in_site) -m tools.site.pictures
	$(say) 'The pages of the site'
	$(in_site) -m tools.site $(SITE)/source

site: build/site/source
	$(say) 'The site'
	$(sphinx) -W --keep-going $(SITE)/source $(SITE)/html
	$(say) 'Links of the site'
	$(in_site) -m tools.site.dead_links $(SITE)/html

site-links: build/site/source
	$(say) 'Addresses outside of the site'
	$(sphinx) -b linkcheck $(SITE)/source $(SITE)/links

check-ray: build/checkout/.staged .venv-ray/.ready
	$(say) 'Tests that need Ray'
	cd build/checkout && PYTHONPATH=$$PWD RAY_AUTH_MODE=disabled $(CURDIR)/.venv-ray/bin/python \
	  -m pytest -m 'not long' -rs $(PYTEST) $(RAY_TESTS)
	cd build/checkout && PYTHONPATH=$$PWD RAY_AUTH_MODE=disabled $(CURDIR)/.venv-ray/bin/python \
	  -m pytest -rs -k '(cluster or fleet) and example' tests/envpool_py/test_readme.py

check-torch: build/gymnasium/.staged .venv-torch/.ready
	$(say) 'Tests that need PyTorch'
	PYTHONPATH=$(CURDIR)/build/gymnasium .venv-torch/bin/pytest -m 'not long' -rs \
	  $(PARALLEL) $(PYTEST) $(TORCH_TESTS)
	PYTHONPATH=$(CURDIR)/build/gymnasium .venv-torch/bin/pytest -rs $(PARALLEL) $(PYTEST) \
	  -k example tests/envpool_py/test_readme.py

# What needs JAX, with the lowest version that is supported (which needs Python below 3.14) and the
# newest. The environments of make test and make asan do not have it, because it takes 600 MB.
JAXES ?= 0.6.0 newest
JAX_TESTS := tests/envpool_py/jax tests/compat/test_xla.py tests/tools/test_xla_abi.py \
  tests/compat/test_public_programs.py tests/compat/test_differences.py tests/examples/test_jax_ppo.py \
  tests/benchmarks/test_devices.py

.venv-jax-%/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-jax-$*'
	test -x .venv-jax-$*/bin/python || .venv-test/bin/python -m venv .venv-jax-$*
	for extra in test jax; do .venv-test/bin/python tools/requirements.py $$extra; done \
	  > .venv-jax-$*/requirements.txt
	.venv-jax-$*/bin/python -m pip install -q -r .venv-jax-$*/requirements.txt optax \
	  $(if $(filter-out newest,$*),'jax==$*')
	touch $@

check-jax: build/gymnasium/.staged $(JAXES:%=.venv-jax-%/.ready)
	failed=; for version in $(JAXES); do \
	  printf '\n==> JAX %s\n' "$$version"; \
	  PYTHONPATH=$(CURDIR)/build/gymnasium .venv-jax-$$version/bin/pytest -m 'not long' -rs \
	    $(PARALLEL) $(PYTEST) $(JAX_TESTS) || failed="$$failed $$version"; \
	done; $(none_failed)

# The versions of Python; make test has one of them. 3.13t and 3.14t have no GIL. Only what includes
# Python's header is compiled for each version: they share a build directory, from which only the
# settings of the version before are removed.
PYTHONS ?= 3.10 3.12 3.13 3.14 3.13t 3.14t
PYTHON_TESTS := $(addprefix tests/envpool_py/,pool players python_envs test_errors.py \
  test_numpy_kernels.py test_random_state.py test_rng.py $(addprefix tasks/test_,default_ids.py \
  discovery.py make.py make_vec.py options.py registry.py spec.py)) \
  $(addprefix tests/parity/test_,classic_control.py toy_text.py)
PYTHON_MODULES := _core;_atari;_mujoco;_procgen;_testing;_atari_debug;counting_malloc;plugin_library
# What not every version has wheels for: packages, and the modules by which they are imported. Tests
# that need one that is absent are skipped, which pytest's summary shows.
PYTHON_REFERENCES := minigrid mujoco ale-py pygame
PYTHON_IMPORTS := minigrid.utils.baby_ai_bot mujoco dm_control gymnasium_robotics ale_py pygame Box2D

.venv-python-%/.ready: pyproject.toml tools/requirements.py
	$(say) 'Virtual environment .venv-python-$*'
	test -x .venv-python-$*/bin/python || "$$(tools/find_python.sh $*)" -m venv .venv-python-$*
	.venv-python-$*/bin/python -m pip install -q 'pip>=23.1'
	(.venv-python-$*/bin/python tools/requirements.py; \
	  .venv-python-$*/bin/python tools/requirements.py --group pythons) \
	  > .venv-python-$*/requirements.txt
	.venv-python-$*/bin/python -m pip install -q --prefer-binary \
	  -r .venv-python-$*/requirements.txt
	for each in $(PYTHON_REFERENCES); do \
	  .venv-python-$*/bin/python -m pip install -q --only-binary :all: "$$each" || true; \
	done
	touch $@

.PRECIOUS: .venv-python-%/.ready
check-python-%: .venv-python-%/.ready
	$(say) 'Python $*: building (build/pythons)'
	rm -f build/pythons/CMakeCache.txt
	PATH="$(CURDIR)/.venv-python-$*/bin:$$PATH" .venv-python-$*/bin/python -m pip install -v \
	  --no-deps --no-build-isolation -e . -C build-dir=build/pythons -C cmake.build-type=Release \
	  -C cmake.define.ENVPOOL_TESTS=ON -C cmake.define.ENVPOOL_WERROR=ON \
	  -C 'build.targets=$(PYTHON_MODULES)'
	$(say) 'Python $*: a part of the tests'
	absent=; for each in $(PYTHON_IMPORTS); do \
	  .venv-python-$*/bin/python -c "import $$each" 2>/dev/null || absent="$$absent $$each"; \
	done; \
	echo "Not installed, and nothing is compared with it:$$absent"; \
	case "$$absent" in *minigrid*) minigrid=;; *) minigrid=tests/parity/test_minigrid.py;; esac; \
	.venv-python-$*/bin/pytest -m 'not long' -rs $(PARALLEL) --absent "$$(echo $$absent | tr ' ' ,)" \
	  $(PYTEST) $(PYTHON_TESTS) $$minigrid

check-pythons:
	failed=; passed=; missing=; for version in $(PYTHONS); do \
	  if test -z "$$(tools/find_python.sh "$$version")"; then missing="$$missing $$version"; \
	  elif $(MAKE) "check-python-$$version"; then passed="$$passed $$version"; \
	  else failed="$$failed $$version"; fi; \
	done; \
	printf '\n==> Pythons that passed:%s; that are not installed:%s\n' "$$passed" "$$missing"; \
	failed="$$failed$(if $(filter file,$(origin PYTHONS)),,$$missing)"; $(none_failed)

# Other projects' own tests on our pools, run from where they lie; tools/foreign/excluded.py lists
# those that are known to fail. jax is for EnvPool's, one file of which imports it; Box2D for
# Gymnasium's.
FOREIGN := $(if $(GYMNASIUM),gymnasium=$(GYMNASIUM) gymnasium-python=$(GYMNASIUM)) $(if $(ALE),ale=$(ALE)) \
  $(if $(ENVPOOL),envpool=$(ENVPOOL))

.venv-foreign/.ready: .venv-test/.ready
	$(say) 'Virtual environment .venv-foreign'
	test -x .venv-foreign/bin/python || .venv-test/bin/python -m venv .venv-foreign
	.venv-test/bin/python tools/requirements.py test > .venv-foreign/requirements.txt
	.venv-foreign/bin/python -m pip install -q -r .venv-foreign/requirements.txt absl-py jax \
	  'gymnasium[box2d]'
	.venv-foreign/bin/python -m pip install -q --no-deps \
	  -r <(.venv-test/bin/python tools/requirements.py --group no-deps)
	touch $@

check-foreign: build/gymnasium/.staged .venv-foreign/.ready
	$(if $(strip $(FOREIGN)),,$(error check-foreign: GYMNASIUM=, ALE= or ENVPOOL= names a checkout))
	failed=; for each in $(FOREIGN); do \
	  printf '\n==> The tests of %s\n' "$$each"; \
	  PYTHONPATH=$(CURDIR)/build/gymnasium:$(CURDIR) .venv-foreign/bin/python -m tools.foreign \
	    "$${each%%=*}" "$${each#*=}" $(PYTEST) || failed=1; \
	done; test -z "$$failed"

check-libraries: .venv-bench/.built
	$(say) 'Training libraries'
	.venv-bench/bin/python examples/check.py $(if $(LIBRARIES),--only $(LIBRARIES)) $(CHECK)

check-includes: .venv-test/.built
	$(say) 'Each file of the layers by itself'
	.venv-test/bin/python -m tools.check_includes build/test

check-threads: .venv-test/.built
	$(say) 'The locks of the engine, with Clang'
	compgen -c clang++ >/dev/null || \
	  .venv-test/bin/python -m pip install -q $$(.venv-test/bin/python tools/requirements.py threads)
	.venv-test/bin/python -m tools.check_threads build/test

check-numa: build/gymnasium/.staged
	$(say) 'Pools on machines with several NUMA nodes'
	PYTHONPATH=$(CURDIR)/build/gymnasium .venv-test/bin/python -m tests.numa \
	  --package build/gymnasium --work build/numa

# Comparisons with references, of a task or two of each family.
CLANG_TASKS := CartPole or Pendulum or FrozenLake or LunarLander-v3 or BipedalWalker-v3 or \
  test_car_racing or breakout or seaquest or HalfCheetah or Humanoid-v5 or CheetahRun or DoorKey or \
  FetchPush or AdroitHandDoor or PickPlace or SimpleSpread or SimpleTag or Coinrun

# Asks for Clang before anything is installed.
check-clang:
	$(if $(CLANG),,$(error check-clang: needs Clang: apt-get install clang, or CLANG= names a clang++))
	$(MAKE) .venv-clang/.built
	$(say) 'C++ tests, built with Clang'
	.venv-clang/bin/ctest --test-dir build/clang --output-on-failure --no-tests=error -j $(JOBS)
	$(say) 'Comparisons with references, built with Clang'
	.venv-clang/bin/pytest -m 'not long' $(PARALLEL) $(PYTEST) -k '$(CLANG_TASKS)' tests/parity

check-arm: .venv-test/.ready
	$(say) 'ARM: C++ tests and comparisons with references, under emulation'
	JOBS=$(JOBS) tools/arm/check.sh build/arm .venv-test/bin/python '$(CLANG_TASKS)' $(PYTEST)

# Asks for both before anything is installed.
check-portable:
	$(if $(CLANG),,$(error check-portable: needs Clang: apt-get install clang, or CLANG= names a clang++))
	echo '#include <vector>' | $(CLANG) $(LIBCXX) -fsyntax-only -x c++ - || \
	  { echo 'check-portable: needs the libc++ of that Clang (apt-get install libc++-22-dev libc++abi-22-dev), or LIBCXX='; exit 1; }
	$(MAKE) .venv-portable/.built
	$(say) 'C++ tests, with the calls of POSIX only'
	.venv-portable/bin/ctest --test-dir build/portable --output-on-failure --no-tests=error -j $(JOBS) \
	  -R '^(base|sync|topology|processes|runtime)/'
	$(say) 'Python tests, with the calls of POSIX only'
	.venv-portable/bin/pytest -m 'not long' $(PARALLEL) $(PYTEST) tests/envpool_py/python_envs \
	  tests/envpool_py/pool tests/parity/test_classic_control.py tests/parity/test_toy_text.py

package: .venv-test/.built
	$(say) 'The packages: sdist, a wheel built from it in isolation, and that wheel in use'
	tools/check_package.sh "$(PYTHON)" build/package

# The versions of Python that the package supports, and the processors; those that this machine
# cannot build for are left out.
WHEELS ?= 3.10 3.11 3.12 3.13 3.14
PROCESSORS ?= x86_64 aarch64
wheels:
	$(say) 'A wheel for each version of Python and each processor, and each in use'
	PYTHON="$(PYTHON)" CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) \
	  tools/wheels/make.sh build/wheels "$(PROCESSORS)" $(WHEELS)

check-release:
	$(if $(TAG),,$(error check-release: TAG= is the tag of the release, such as v0.2.0))
	$(say) 'The files that state the version'
	$(PYTHON) -m tools.release "$(TAG)"

check-all: test check-includes check-threads check-clang check-portable asan tsan long-part check-gymnasium check-mujoco check-envpool check-torch check-ray check-jax check-pythons package
	$(say) 'All of check-all passed'

clean:
	rm -rf build .venv-test .venv-bench .venv-asan .venv-tsan .venv-clang .venv-portable .venv-envpool .venv-envpool-newest .venv-torch .venv-ray .venv-foreign .venv-site .venv-gymnasium-* .venv-mujoco-* .venv-jax-* \
	  .venv-peers .venv-robotics .venv-metaworld .venv-sample-factory \
	  .venv-libraries-* .venv-python-*
