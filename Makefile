# A thin driver over the presets of CMakePresets.json. `make help` lists what there is.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Tests wait for browsers, pipes and signals: one more of them than there are cores.
TEST_JOBS ?= $(shell echo $$(($(JOBS) + 1)))
PREFIX ?= /usr/local
export CMAKE_GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)

all: build/CMakeCache.txt
	+cmake --build build --parallel $(JOBS)

help:
	@echo 'make            the command build/conehull and the libraries in build/'
	@echo 'make demo       what it needs, the build, and a first result with pictures in out/demo'
	@echo 'make test       what it needs, the build, and all tests'
	@echo 'make test-long  long, gigabytes of disk: peak memory, out of core, kills, ranks, live streams, long samples'
	@echo 'make repeat-suite  all tests RUNS=$(RUNS) times, LOADED=$(LOADED) of them beside BUSY=$(BUSY) busy processes: what is flaky'
	@echo 'make bench      every measurement of conehull bench: ratios to the memory limit, baselines and others'
	@echo 'make bench-peers  beside scikit-learn, SciPy, OpenCV and R, where installed: out/peers'
	@echo 'make bench-field  every selector and the peers that Debian has, on the same data: out/field/index.html; make field-docs copies the figures to docs/field'
	@echo 'make bench-docs a bench run of half an hour, and the tables of docs/performance.md from it'
	@echo 'make python     the Python package, importable from build/python'
	@echo 'make wheel      the Python package as a wheel, in build/wheel'
	@echo 'make wheels     the same for other machines, built in a Debian 11 and tried in clean roots: build-wheels (as root)'
	@echo 'make wheel-arm64  the wheel for arm64, by a cross compiler; tried under qemu-aarch64'
	@echo 'make web        the demo page for browsers, in build-web/page; make check-web tries it in headless Chromium'
	@echo 'make octave     functions for Octave, in build/octave, and their tests'
	@echo 'make r          the R package, in build/r, and R CMD check of it'
	@echo 'make install    into $$DESTDIR$$PREFIX ($(PREFIX))'
	@echo 'make deb        Debian packages, in build-deb/packages; make check-deb tries them in a clean root'
	@echo 'make dev        with debugger and assertions, in build-dev'
	@echo 'make asan       every test of its build under address, leak and undefined behaviour sanitizers'
	@echo 'make tsan       the same under the thread sanitizer, but for browsers, ranks and what asks for one thread'
	@echo 'make msan       what calls no other library under the memory sanitizer'
	@echo 'make valgrind   unit tests that take seconds, readers among them, under valgrind'
	@echo 'make arm64      everything for arm64 by a cross compiler; unit and solver tests under qemu-aarch64'
	@echo 'make test-kernels  unit and solver tests with every instruction set of this processor'
	@echo 'make check-static  clang-tidy, cppcheck, gcc -fanalyzer, scan-build'
	@echo 'make check-all  every sanitizer, valgrind, all static checks, coverage, check-docs'
	@echo 'make fuzz-cli   AFL++ on the command, for FUZZ_SECONDS'
	@echo 'make fuzz       libFuzzer on every reader and solver, FUZZ_SECONDS=$(FUZZ_SECONDS) each (clang)'
	@echo 'make fuzz-quick the same for seconds on four readers; part of check-all'
	@echo 'make soak       mixed jobs in one process for SOAK_SECONDS=$(SOAK_SECONDS): same bits, no growth'
	@echo 'make forgeries changed result folders, FORGERIES=$(FORGERIES) of them: none that verify accepts is forged'
	@echo 'make coverage   tests, the lines they reach, and every refusal of the readers among them'
	@echo 'make format     lays the source out; make check-format only looks'
	@echo 'make docs       the site, offline: build/docs/index.html'
	@echo 'make check-docs the site, its links, and the samples on it that take seconds'
	@echo 'make docs-check the site, its links, and every sample on it, long ones and data included'
	@echo 'make clean      removes every build folder and out/'

demo:
	@tools/install-deps demo
	+$(MAKE) build/CMakeCache.txt
	+cmake --build build --parallel $(JOBS) --target conehull
	@mkdir -p out
	build/conehull demo -o out/demo

test: deps
	+$(MAKE) all
	tools/run-tests release --parallel $(TEST_JOBS)

# The whole suite RUNS times, LOADED of them beside BUSY processes: which tests fail, and how often.
RUNS ?= 20
LOADED ?= 5
BUSY ?= 6
repeat-suite: deps
	+$(MAKE) all
	tools/repeat-suite $(RUNS) $(LOADED) $(BUSY)

test-long: deps
	+$(MAKE) all
	tools/run-tests release --build-config long --label-regex long

# What is installed now may not have been there when build/ was configured.
deps:
	@tools/install-deps build test
	cmake --preset release --log-level=WARNING -DCONEHULL_TESTS=ON $(CONFIGURE)

# One folder per preset; a changed preset configures again. CONFIGURE adds options to the first.
build/CMakeCache.txt: CMakePresets.json
	cmake --preset release --log-level=WARNING $(CONFIGURE)
	@touch $@

build-%/CMakeCache.txt: CMakePresets.json
	cmake --preset $* --log-level=WARNING $(CONFIGURE)
	@touch $@

dev werror-gcc werror-clang: %: build-%/CMakeCache.txt
	+cmake --build build-$* --parallel $(JOBS)

# All tests that a sanitized build has, ranks of MPI among them, where it is installed.
ASAN_LABELS ?= unit|solver|fault|e2e
ASAN_WITHOUT_LABELS ?= ^$$
ASAN_WITHOUT ?= ^$$
asan: build-asan-ubsan/CMakeCache.txt
	+cmake --build build-asan-ubsan --parallel $(JOBS)
	tools/run-tests asan-ubsan --parallel $(TEST_JOBS) --label-regex '$(ASAN_LABELS)' --label-exclude '$(ASAN_WITHOUT_LABELS)' \
	  --exclude-regex '$(ASAN_WITHOUT)'

# Not those that ask for one thread; nor browser, whose commands run in other tests too; there is no mpi (CMakeLists.txt). A
# limit on the length of files, which e2e/command/folder sets, cuts a file of the sanitizer's own short.
TSAN_LABELS ?= unit|solver|fault|e2e
TSAN_WITHOUT ?= ^$$
tsan: build-tsan/CMakeCache.txt
	+cmake --build build-tsan --parallel $(JOBS)
	tools/run-tests tsan --parallel $(TEST_JOBS) --label-regex '$(TSAN_LABELS)' --label-exclude '^(alone|browser)$$' \
	  --exclude-regex '^e2e/command/folder$$|$(TSAN_WITHOUT)'

# BLAS, zlib and the others are not instrumented: what they write would count as never written. These
# tests call none of them. Of the readers that are .npy, checkpoints and the numbers of text: every other test of a
# format reads or writes by zlib, libarchive or HDF5 somewhere.
MSAN_TESTS = status settings random loss matrix checkpoint_file io_npy io_number area_scale masker median context
msan: build-msan/CMakeCache.txt
	+cmake --build build-msan --parallel $(JOBS) --target $(MSAN_TESTS:%=test_%) canary_uninitialised
	tools/run-tests msan --tests-regex '^unit/[a-z]*/($(subst $() ,|,$(MSAN_TESTS)))(_portable)?$$|^fault/canary/uninit'

# Below a minute each there. Nothing is suppressed: HDF5, zlib and libarchive lose nothing in them.
VALGRIND_TESTS = status settings random loss matrix gram cone checkpoint_file io_npy npz_arrays io_text io_formats io_hostile reader_refusals \
  hdf5_links picture dictionary exemplars
valgrind: all
	tools/install-deps analyse
	tools/run-valgrind --must-fail build/tests/fault/canary/canary_valgrind
	tools/run-valgrind $(VALGRIND_TESTS:%=build/tests/test_%)

check-static:
	tools/install-deps check analyse
	tools/check-static

check-all: asan tsan msan valgrind fuzz-quick check-static check-layers check-format check-python coverage check-docs

FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?=
fuzz: build-fuzz/CMakeCache.txt
	+cmake --build build-fuzz --parallel $(JOBS) --target $(if $(FUZZ_TARGETS),$(FUZZ_TARGETS:%=fuzz_%),fuzz_programs)
	tools/run-fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# A few seconds on readers that are built quickly. Compiling takes minutes, so .ci/run leaves it out; the inputs that
# once failed run in every test suite (unit/io).
FUZZ_QUICK = npy zip mtx csv
fuzz-quick: build-fuzz/CMakeCache.txt
	+cmake --build build-fuzz --parallel $(JOBS) --target $(FUZZ_QUICK:%=fuzz_%)
	tools/run-fuzz --jobs $(JOBS) 5 $(FUZZ_QUICK)

fuzz-cli:
	tools/install-deps build analyse
	tools/run-afl $(FUZZ_SECONDS)

SOAK_SECONDS ?= 3600
soak: all
	build/tests/e2e/soak/soak $(SOAK_SECONDS)

FORGERIES ?= 100000
FORGERY_SEED ?= 1
forgeries: all
	build/tests/e2e/forgeries/forgeries $(FORGERIES) $(FORGERY_SEED)

# Long ones that reach what others reach are left out: solver, data, install. So is e2e/command/folder:
# its limit on the length of files cuts the files of counts short too.
coverage: build-coverage/CMakeCache.txt
	+cmake --build build-coverage --parallel $(JOBS)
	find build-coverage -name '*.gcda' -delete
	tools/run-tests coverage --parallel $(JOBS) --label-regex 'unit|fault|e2e' --label-exclude '^(tree|data|install|soak)$$' \
	  --exclude-regex '^e2e/command/folder$$'
	gcovr -j $(JOBS) --root . --object-directory build-coverage --filter src/ --filter cli/ --filter report/ --exclude-throw-branches \
	  --html-details build-coverage/coverage.html --json build-coverage/coverage.json --print-summary --fail-under-line 92
	tools/check-reader-coverage build-coverage/coverage.json

# DATA: a folder with text/ and video/; without it data are made.
DATA ?= $(wildcard ../shared/data)
BENCH_FLAGS ?=
BENCH = build/conehull bench $(BENCH_FLAGS) $(if $(DATA),--data $(DATA))
# The kernel set of all contexts of the tests (tests/support/support_kernel.c).
test-kernels: all
	for kernel in $$(build/conehull info --kernels | awk '/use|usable/ {print $$1}'); do \
	  CONEHULL_TEST_KERNEL=$$kernel tools/run-tests release --parallel $(TEST_JOBS) --label-regex 'unit|solver' || exit 1; done

# Tests that are programs of ours. Of the long ones under qemu-aarch64 those are left out that time themselves or run for
# minutes on the machine's own processor.
ARM64_WITHOUT ?= python|unit/tree|compare_kl|anchors_data|resume|clip_ffmpeg|anchors_same|anchors_recovery|growth
arm64:
	tools/install-deps build arm64
	tools/arm64-sysroot build-arm64/sysroot
	cmake --preset arm64 --log-level=WARNING
	+cmake --build build-arm64 --parallel $(JOBS)
	CONEHULL_TEST_EMULATED=1 tools/run-tests arm64 --parallel $(JOBS) --label-regex 'unit|solver' --exclude-regex '$(ARM64_WITHOUT)'

bench: all
	$(BENCH) all

# What is installed is measured; the rest is "not present".
bench-peers: all
	$(firstword $(wildcard /usr/bin/python3) python3) lab/peers/run_peers.py build/conehull $(if $(DATA),--data $(DATA)) -o out/peers

# Goes on where it was stopped. FIELD_FLAGS=--quick: generated data alone, seconds.
FIELD_FLAGS ?=
bench-field: all
	@tools/install-deps peers
	@mkdir -p out
	$(firstword $(wildcard /usr/bin/python3) python3) lab/field/run_field.py build/conehull $(if $(DATA),--data $(DATA)) $(FIELD_FLAGS) -o out/field

# Copies the figures of an earlier bench into docs/field; `make docs` makes the page from them.
field-docs:
	mkdir -p docs/field
	cp out/field/field.csv out/field/field.json docs/field/

bench-docs: all
	@mkdir -p out
	$(BENCH) -o out/bench
	$(BENCH) scaling -o out/scaling
	$(BENCH) threads -o out/threads
	+$(MAKE) bench-peers
	lab/write_docs.py

python: build/CMakeCache.txt
	+cmake --build build --target python_package --parallel $(JOBS)

wheel:
	@tools/install-deps build wheel
	python/build_wheel build/wheel

# The wheel for other machines: compiled in a Debian 11 (glibc 2.31), with its libraries inside, then installed and used in a
# clean Debian 11 and 12. As root; 4 GB and some minutes, so not part of .ci/run.
wheels:
	@tools/install-deps build wheel wheels
	packaging/wheels/build-old build-wheels
	packaging/wheels/check-wheel build-wheels/conehull-*_$$(uname -m).whl build-wheels

# The same for arm64, by the cross compiler, tried under qemu-aarch64.
wheel-arm64: wheel
	@tools/install-deps arm64
	packaging/wheels/build-arm64 build/wheel/conehull-*.whl build-wheels

# The demo page for browsers: plain files for any file server, in build-web/page. Debian's emscripten asks for Debian's acorn,
# which a node from elsewhere does not find by itself. The cache of the native compiler is no use to it.
web:
	@tools/install-deps web
	web/fetch-sources build-web/sources
	CMAKE_C_COMPILER_LAUNCHER= NODE_PATH=/usr/share/nodejs emcmake cmake -S . -B build-web -DCMAKE_BUILD_TYPE=Release --log-level=WARNING >/dev/null
	+NODE_PATH=/usr/share/nodejs cmake --build build-web --parallel $(JOBS)

check-web: all web
	@tools/install-deps test
	$(firstword $(wildcard /usr/bin/python3) python3) web/check_page.py build/conehull build-web/page

# Bindings for other languages, each with its tests. They begin with nothing but git and make.
octave:
	@tools/install-deps build octave
	+$(MAKE) all
	octave/build build build/octave
	octave --no-gui --no-init-file --quiet --path build/octave octave/tests/test_conehull.m

r:
	@tools/install-deps build r
	+$(MAKE) all
	r/build build build/r

install: all
	cmake --install build --prefix $(PREFIX)

# With the flags that Debian builds its packages with.
deb:
	@tools/install-deps build package
	CFLAGS="$$(dpkg-buildflags --get CFLAGS) $$(dpkg-buildflags --get CPPFLAGS)" \
	  LDFLAGS="$$(dpkg-buildflags --get LDFLAGS)" cmake --preset deb --log-level=WARNING $(CONFIGURE)
	+cmake --build build-deb --parallel $(JOBS)
	rm -rf build-deb/packages
	cd build-deb && cpack

check-deb: deb
	tests/e2e/install/check_completion.py build-deb
	tests/e2e/install/check_deb build-deb/packages

format:
	tools/check-format --fix

check-format:
	tools/check-format

check-python:
	$(firstword $(wildcard /usr/bin/python3) python3) tools/check-python

check-layers:
	tools/check-layers

docs: all
	@tools/install-deps docs
	docs/site/build_site build

check-docs: docs
	tests/e2e/docs/check_site.py build/docs
	tests/e2e/docs/run_samples.py build

docs-check: docs
	tests/e2e/docs/check_site.py build/docs
	tests/e2e/docs/run_samples.py build --full -v

clean:
	rm -rf build build-* out

.PHONY: all help demo test repeat-suite test-long test-kernels arm64 deps dev werror-gcc werror-clang asan tsan msan valgrind check-static check-all fuzz fuzz-quick fuzz-cli soak forgeries coverage bench bench-docs \
  bench-peers bench-field field-docs \
  python wheel wheels wheel-arm64 web check-web octave r install deb check-deb format check-format check-python check-layers docs check-docs docs-check clean
