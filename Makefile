# SPDX-License-Identifier: MIT
#
# Rules of this house: nothing is installed by hand (the scripts do it), a part that cannot run is a failure,
# and what CI runs is what you run.
#
#   make            build the release binary
#   make demo       build it, and play the main job on a simulated BlueZ
#   make test       every check there is: static, unit, contract, end-to-end, real bluetoothd, sanitizers, fuzzers, docs
#   make bench      the benchmarks, as ratios to C
#   make bench-check   the same, compared with the committed result
#   make docs       the library's documentation
#   make assigned-numbers   the Bluetooth SIG's lists anew, from the packages that Scripts/generate-assigned-numbers.py names
#   make install    PREFIX=/usr/local DESTDIR=

PREFIX ?= /usr/local
BLECTL := .build/release/blectl
RELEASE := Scripts/build.sh blectl

.PHONY: all build demo test quick check bench bench-check docs install clean setup format assigned-numbers

all: build

setup:
	@Scripts/setup.sh

build: setup
	$(RELEASE)

demo: build
	@BLECTL=$(BLECTL) Scripts/demo.sh

test: setup
	@Scripts/test.sh

# While working: everything that needs neither the rig nor a second build.
quick: setup
	@Scripts/test.sh static unit contract end-to-end

check: setup
	@Scripts/check.sh

format:
	swift format --in-place --recursive Package.swift Sources Tests Examples Benchmarks

bench: build
	python3 Benchmarks/run.py

# Fails when a ratio is more than 15 % above that of the newest committed result.
bench-check: build
	python3 Benchmarks/run.py --check "$$(ls Benchmarks/results/*.md | tail -1)"

assigned-numbers:
	@python3 -m venv .build/assigned-numbers
	@.build/assigned-numbers/bin/pip install --quiet --disable-pip-version-check pyyaml==6.0.3
	@.build/assigned-numbers/bin/python Scripts/generate-assigned-numbers.py

docs: setup
	@Scripts/docs.sh

install: build
	install -D -m 755 $(BLECTL) $(DESTDIR)$(PREFIX)/bin/blectl
	strip $(DESTDIR)$(PREFIX)/bin/blectl

clean:
	rm -rf .build .build-* Examples/.build Fuzz/.build Benchmarks/floor/build
