# SPDX-License-Identifier: GPL-2.0-or-later
#
# Thin: each part builds itself, this file only says what there is. Products
# are below build/; what takes minutes is kept in $WEFT_CACHE, by default
# ~/.cache/weft.

PREFIX ?= /usr/local
KDIR ?= /lib/modules/$(shell uname -r)/build
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)

all: user vm module-vm demo-program

user:
	$(MAKE) -C user

# the launcher of the virtual machine
vm:
	$(MAKE) -C tools/vm

# the kernel of the virtual machine, and the modules for it
vm-kernel:
	tools/vm/build.sh fast

module-vm:
	kdir=$$(tools/vm/build.sh fast) && \
		scripts/build-module.sh "$$kdir/kdir" build/module-vm

# the same with every check that the kernel has
debug:
	kdir=$$(tools/vm/build.sh debug) && \
		scripts/build-module.sh "$$kdir/kdir" build/module-vm-debug

demo-program:
	$(MAKE) -C tools/demo

# the modules for a real kernel
modules:
	scripts/build-module.sh "$(KDIR)" "build/module-$(release)"

demo:
	scripts/setup.sh build vm run
	$(MAKE) all
	scripts/demo.sh

check:
	selftests/run.sh

fuzz:
	WEFT_FUZZ_SECONDS=$${WEFT_FUZZ_SECONDS:-60} selftests/run.sh fuzz

bench:
	$(MAKE) -C tools/bench run

install: module-vm
	$(MAKE) -C user install
	$(MAKE) -C tools/vm install
	install -d "$(DESTDIR)$(PREFIX)/lib/weft/vm"
	install -m 644 build/module-vm/kernel/weft.ko build/module-vm/kernel/weft_rdma.ko \
		"$(DESTDIR)$(PREFIX)/lib/weft/vm"

clean:
	rm -rf build

help:
	@echo 'make               user space, the virtual machine and the module for it'
	@echo 'make demo          install what is needed, build, run the all-reduce demo'
	@echo 'make check         all tests; "selftests/run.sh --list" names them'
	@echo 'make debug         the virtual machine with every check that the kernel has'
	@echo 'make modules       the modules for a real kernel; KDIR=PATH says which'
	@echo 'make bench         benchmarks of the model and of a hop'
	@echo 'make fuzz          each fuzzer for WEFT_FUZZ_SECONDS (60)'
	@echo 'make install       user space and virtual machine; PREFIX, DESTDIR'
	@echo 'make clean         remove build/; the cache stays'
	@echo 'scripts/setup.sh   install the Debian packages that all this needs'

.PHONY: all user vm vm-kernel module-vm debug demo-program modules demo check \
	fuzz bench install clean help
