#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What of a link fio gets over the kernel's NVMe over RDMA, and what a link that fails
# does to it. All of it in fabric time: the virtual clock charges nothing for the code of
# storage.
#
#	host0 ---- s0 ---- s1 ---- host1	100 Gb/s each, RoCE;
#						host0 reads and writes a disk of host1
#
# A command moves S bytes, in packets of 4 KiB with H = 82 bytes of headers and overhead
# on the wire (verbs_exact.sh). The target has w = S / 64 KiB requests for it, each of up
# to 16 pages.
#
#	read	RDMA writes, each with a RETH (16) in its first packet; the answer, a send
#		of 16 bytes with invalidation (H + 16 + 4); an acknowledgement (H + 4) of
#		the command, at most
#	write	RDMA reads, whose first and last packets have an AETH (4); the command of 64
#		bytes (H + 64); an acknowledgement of the answer, at most
#
# With enough commands at once the wire is never idle, so the bandwidth is
#
#	100 Gb/s * S / (S + S / 4096 * H + 16 w + H + 20 + (H + 4))	of reads
#	100 Gb/s * S / (S + S / 4096 * H +  8 w + H + 64 + (H + 4))	of writes
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=lib_storage.sh
. "$net_dir/lib_storage.sh"
need jq rdma fio
[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
modules nvme-rdma nvmet-rdma

readonly header=82

# lab - with a disk of 64 MiB
lab() {
	{
		echo "name: test"
		echo "profile: ethernet-100g"
		echo "nic: {verbs: {congestion: none}}"
		echo 'nodes: [{name: "host[0-1]"}]'
		echo 'switches: [{name: s0}, {name: s1}]'
		echo 'links: [{ends: [host0, s0]}, {ends: [s0, s1]}, {ends: [s1, host1]}]'
	} | up > /dev/null
	ends host0 host1
}

connected() {
	serve_disk 10.0.0.2 64M
	connect_disk 10.0.0.1 10.0.0.2 "$@"
}

# law WAY BYTES - bytes a second of commands of so many bytes
law() {
	awk -v way="$1" -v s="$2" -v h=$header 'BEGIN {
		w = int((s + 65535) / 65536)
		more = way == "read" ? 16 * w + h + 20 : 8 * w + h + 64
		print 1e11 / 8 * s / (s + s / 4096 * h + more + h + 4)
	}'
}

# took WAY BYTES - ns of a command at the rate of the law
took() {
	awk -v s="$2" -v rate="$(law "$1" "$2")" 'BEGIN { print 1e9 * s / rate }'
}

# alone WAY BYTES MIB - in n commands of BYTES, d at once, each of which takes t of the
# wire: each ends d t after it was issued, but for the first d
alone() {
	local depth=16

	disk_fio alone --rw="$1" --bs="$2" --size=64M --io_size="$3M" --iodepth=$depth
	within 1 "$(took "$1" "$2")" \
		"$(jq ".jobs[0].$1.lat_ns.mean / $depth" "$tmp/alone")"
}

# becomes STATE - wait until the controller has it; looks seldom, as each look takes
# real time
becomes() {
	local state i

	for ((i = 0; i < 300; i++)); do
		read -r state < /sys/class/nvme/nvme0/state
		[ "$state" != "$1" ] || return 0
		sleep 0.1
	done
	echo "not in time: $1, but $state"
	return 1
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# The link between the switches is down for DOWN ms while 24 MiB are written at 256 MiB/s,
# which takes 94 ms; they are read and compared afterwards. In ms:
#
#	noticed	A controller without answers asks whether the target is alive, at most
#		keep_alive_tmo / 2 = 500 after the last one, and gives up keep_alive_tmo =
#		1000 later. The block layer's timers of requests may be 1500 late.
#	live	It asks for a connection reconnect_delay = 1000 later. The connection
#		manager repeats what is lost each 2^12 + 2 * 2^8 = 4608, of whichever the
#		first after the link's return succeeds.
#
# Timers of the kernel are up to an eighth late, and each of the two is seen up to 100 late.
flap() {
	local down=4000 fio cut noticed law

	disk_fio flap --rw=randwrite --bs=64k --size=64M --io_size=24M --rate=256M \
		--iodepth=8 --verify=crc32c --verify_fatal=1 &
	fio=$!
	sleep 0.12
	cut=$(now_ms)
	weft set link s0-s1 down
	becomes connecting
	noticed=$(now_ms)
	expect_in "noticed after ms" 1000 $((3000 * 9 / 8 + 100)) $((noticed - cut))
	sleep "$(awk -v d=$((cut + down - noticed)) 'BEGIN { print d / 1000 }')"
	expect "state" connecting "$(cat /sys/class/nvme/nvme0/state)"
	weft set link s0-s1 up
	becomes live
	law=$((1000 + 4608))
	expect_in "live after ms" $((law - 100)) $((law * 9 / 8 + 100)) $(($(now_ms) - noticed))
	wait $fio
	expect_in "longest write, ms" $down 12000 \
		"$(jq '.jobs[0].write.lat_ns.max / 1e6' "$tmp/flap")"
}

lab
ktap_begin 4
t "a disk of another node" connected keep_alive_tmo=1,reconnect_delay=1
t "reads alone" alone read 65536 64
t "writes alone" alone write 1048576 128
t "a link fails for a while: the controller reconnects, and no byte is lost" flap
no_disk
ktap_end
