#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run a test program with the module loaded, in a guest of its own.
#
# usage: guest.sh vm fast|debug|kasan PROGRAM [ARGUMENT]...
#        guest.sh one|two|eight|icount 6.1|6.12|kasan|kcsan PROGRAM [ARGUMENT]...
#
# one, two and eight are emulated machines of so many CPUs, icount one whose clock counts
# instructions. WEFT_TEST_SEED (1) is the seed of all that a machine of vm draws:
# what is expected must hold with any. WEFT_TEST_TIMEOUT (3600) is how many seconds an
# emulated machine may take.
set -eu
cd "$(dirname "$0")/.."

vehicle=$1 variant=$2
shift 2

case $vehicle/$variant in
vm/fast) dir=build/module-vm/kernel ;;
vm/debug | vm/kasan) dir=build/module-vm-$variant/kernel ;;
one/* | two/* | eight/* | icount/*) dir=build/module-$(tools/qemu/headers.sh --release "$variant")/kernel ;;
*)
	echo "usage: guest.sh vm fast|debug|kasan PROGRAM..., or one|two|eight|icount 6.1|6.12|kasan|kcsan PROGRAM..." >&2
	exit 1
	;;
esac

emulated=(tools/qemu/weft-qemu --kernel "$variant" --timeout "${WEFT_TEST_TIMEOUT:-3600}")
inside=(selftests/in_guest.sh "$dir" "$@")
case $vehicle in
vm) exec build/vm/weft-vm --flavor "$variant" --clock virtual \
	--seed "${WEFT_TEST_SEED:-1}" --kernel kunit.enable=1 -- "${inside[@]}" ;;
one) exec "${emulated[@]}" --cpus 1 -- "${inside[@]}" ;;
two) exec "${emulated[@]}" --cpus 2 -- "${inside[@]}" ;;
eight) exec "${emulated[@]}" --cpus 8 --mem 4G -- "${inside[@]}" ;;
icount) exec "${emulated[@]}" --icount -- "${inside[@]}" ;;
esac
