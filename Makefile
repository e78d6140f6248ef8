# SPDX-License-Identifier: MIT
#
# Rules of this house: nothing is installed by hand (the scripts do it), a part that cannot run is a failure,
# and what CI runs is what you run.
#
#   make            build the release binary
#   make demo       build it, and play the main job on a simulated BlueZ
#   make test       what a change has to pass: static, unit, contract and end-to-end tests, and a boot of the real bluetoothd
#   make check      the static checks alone
#   make test-all   every check there is: also the whole contract on three real bluetoothds, sanitizers, fuzzers, docs …
#   make bench      the benchmarks, as ratios to C
#   make bench-check   the same, compared with the committed result
#   make docs       the library's documentation, and the manual
#   make manual     the manual alone: .build/manual
#   make assigned-numbers   the Bluetooth SIG's lists anew, from the packages that Scripts/generate-assigned-numbers.py names
#   make deb        a Debian package in .build
#   make release    packages, archives, bills of materials and sums in dist/, for amd64 and arm64: ARCHITECTURES="amd64 arm64"
#   make install    PREFIX=/usr/local DESTDIR=

PREFIX ?= /usr/local
BLECTL := .build/release/blectl
# The program that prints manual and completions: another one than BLECTL if that is for another machine, whose STRIP is then needed.
RUNNABLE = $(BLECTL)
STRIP := strip
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/system
SHARE = $(abspath $(DESTDIR)$(PREFIX)/share)
RELEASE := Scripts/build.sh blectl

.PHONY: all build demo test test-all check bench bench-check docs manual install deb release clean setup format assigned-numbers

all: build

setup:
	@Scripts/setup.sh

build: setup
	$(RELEASE)

demo: build
	@BLECTL=$(BLECTL) Scripts/demo.sh

# At most ten minutes on two processors, from a fresh clone.
test: setup
	@Scripts/test.sh

test-all: setup
	@Scripts/test.sh --all

check: setup
	@Scripts/check.sh

format:
	swift format --in-place --recursive Package.swift Plugins Sources Tests Fuzz Examples Benchmarks

bench: build
	python3 Benchmarks/harness/run.py --python "$$(Tests/System/Clients/run.sh --python)"

# Fails when a ratio is more than 15 % above that of the newest committed result.
bench-check: build
	python3 Benchmarks/harness/run.py --check "$$(ls Benchmarks/results/2*.md | tail -1)"

assigned-numbers:
	@python3 -m venv .build/assigned-numbers
	@.build/assigned-numbers/bin/pip install --quiet --disable-pip-version-check pyyaml==6.0.3
	@.build/assigned-numbers/bin/python Scripts/generate-assigned-numbers.py

docs: setup manual
	@Scripts/docs.sh

manual: build
	@rm -rf .build/manual
	@python3 Scripts/manual.py $(RUNNABLE) .build/manual

install: build manual
	install -D -m 755 $(BLECTL) $(DESTDIR)$(PREFIX)/bin/blectl
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/blectl
	mkdir -p $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(RUNNABLE) --generate-completion-script bash | sed '1{/^#!/d}' >$(SHARE)/bash-completion/completions/blectl
	$(RUNNABLE) --generate-completion-script zsh >$(SHARE)/zsh/site-functions/_blectl
	$(RUNNABLE) --generate-completion-script fish >$(SHARE)/fish/vendor_completions.d/blectl.fish
	cd .build/manual && find . -type f -exec install -D -m 644 {} $(SHARE)/man/{} \;
	mkdir -p $(UNITS)
	sed 's|/usr/local/bin/blectl|$(PREFIX)/bin/blectl|' 'Examples/recipes/blectl-log@.service' >'$(UNITS)/blectl-log@.service'

# For this machine and those with its glibc or a later one.
deb: build
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} \
	  Scripts/release/deb.sh $(BLECTL) "$$(dpkg --print-architecture)" .build

# For all machines. It takes a clean tree, and the packages of the manifest.
release: setup
	@Scripts/release/release.sh $(ARCHITECTURES)

clean:
	rm -rf .build .build-* dist Examples/.build
