# SPDX-License-Identifier: GPL-2.0-or-later
#
# Thin: each part builds itself, this file only says what there is. Products
# are below build/; what takes minutes is kept in $WEFT_CACHE, by default
# ~/.cache/weft.

PREFIX ?= /usr/local
KDIR ?= /lib/modules/$(shell uname -r)/build
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)
version = $(shell sed -n 's/.*WEFT_VERSION[[:space:]]*"\(.*\)".*/\1/p' kernel/version.h)
lib = $(DESTDIR)$(PREFIX)/lib/weft
sources = $(DESTDIR)$(PREFIX)/src/weft-$(version)

# as many compilers as there are CPUs, unless make was told a number
jobs = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

all: user vm module-vm demo-program

user:
	$(MAKE) $(jobs) -C user

# the launcher of the virtual machine
vm:
	$(MAKE) -C tools/vm

# the kernel of the virtual machine, and the modules for it
vm-kernel:
	tools/vm/build.sh fast

module-vm:
	kdir=$$(tools/vm/build.sh fast) && \
		scripts/build-module.sh "$$kdir/kdir" build/module-vm && \
		realpath "$$kdir/.." > build/module-vm/cache

# the same with what the kernel has to check locks and lifetimes, or memory
debug kasan:
	kdir=$$(tools/vm/build.sh $@) && \
		scripts/build-module.sh "$$kdir/kdir" build/module-vm-$@

demo-program:
	$(MAKE) -C tools/demo

# the modules for a real kernel
modules:
	scripts/build-module.sh "$(KDIR)" "build/module-$(release)"

demo:
	scripts/setup.sh build vm run
	$(MAKE) all
	scripts/demo.sh $(SIZES)

check:
	scripts/setup.sh
	selftests/run.sh

# not in "check": its kernel is a third one to be built
kasan-check:
	selftests/run.sh kasan

# what takes long, for the night, memory checked as well
soak:
	selftests/run.sh soak kasan

fuzz:
	WEFT_FUZZ_SECONDS=$${WEFT_FUZZ_SECONDS:-60} \
	WEFT_FUZZ_SEED=$${WEFT_FUZZ_SEED:-0} selftests/run.sh fuzz

bench:
	$(MAKE) -C tools/bench run

# those of the documentation, with the page and the drawing as they are now
pictures: all
	scripts/pictures.sh

# Root after sudo has a cache of its own; the kernel is where make has put it.
install deb: export WEFT_CACHE := $(or $(WEFT_CACHE),$(shell \
	cat build/module-vm/cache 2> /dev/null))

install: module-vm
	$(MAKE) -C user install
	$(MAKE) -C tools/vm install
	install -d "$(lib)/vm"
	install -m 644 build/module-vm/kernel/weft.ko "$(lib)/vm"
	install -m 644 build/module-vm/kernel/weft_rdma.ko "$(lib)/vm"
	scripts/install-sources.sh "$(sources)"

uninstall:
	$(MAKE) -C user uninstall
	$(MAKE) -C tools/vm uninstall
	rm -rf "$(lib)" "$(sources)"

# Debian packages, in build/deb
deb: module-vm
	tools/deb/build.sh build/deb

# they install on a clean Debian 12, work, and leave nothing: a few minutes
package-check: deb
	selftests/packages.sh build/deb

clean:
	rm -rf build

help:
	@echo 'make               user space, the virtual machine and the module for it'
	@echo 'make demo          install what is needed, build, run the all-reduce demo;'
	@echo '                   SIZES="--min 4096" for more sizes than 4 MiB to 64 MiB'
	@echo 'make check         all tests; "selftests/run.sh --list" names them'
	@echo 'make kasan-check   the tests of the module, each access to memory checked'
	@echo 'make soak          what takes long, for the night: hours'
	@echo 'make debug         the virtual machine that checks locks and lifetimes'
	@echo 'make kasan         the virtual machine that checks each access to memory'
	@echo 'make modules       the modules for a real kernel; KDIR=PATH says which'
	@echo 'make bench         benchmarks of the model and of a hop'
	@echo 'make fuzz          each fuzzer for WEFT_FUZZ_SECONDS (60), each time other inputs'
	@echo 'make pictures      the pictures of the documentation anew'
	@echo 'make install       all of it; PREFIX, DESTDIR'
	@echo 'make uninstall     remove what "make install" put there'
	@echo 'make deb           Debian packages weft and weft-dkms, in build/deb'
	@echo 'make package-check install these on a clean Debian 12, use and remove them'
	@echo 'make clean         remove build/; the cache stays'
	@echo 'scripts/setup.sh   install the Debian packages that all this needs'

.PHONY: all user vm vm-kernel module-vm debug kasan demo-program modules demo check \
	kasan-check soak fuzz bench pictures install uninstall deb package-check clean help
