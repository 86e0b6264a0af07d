#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In the guest: NODES name spaces on a bridge, RANKS on each, links of
# 100 Gb/s and 2 us, and an all-reduce up to BYTES with Open MPI's defaults.
#
# usage: selftest_mpi.sh PROGRAM NODES RANKS BYTES

set -eu

program=$1
nodes=$2
ranks=$3
bytes=$4

# link DEVICE [ip's options]
shape() {
	local dev=$1

	shift
	"$@" tc qdisc add dev "$dev" root netem rate 100gbit delay 2us limit 100000
}

ip link add br0 type bridge
ip addr add 10.0.0.254/24 dev br0
ip link set br0 up mtu 9000
for ((i = 1; i <= nodes; i++)); do
	ip netns add "n$i"
	ip link add "v$i" mtu 9000 type veth peer name eth0 mtu 9000 netns "n$i"
	ip link set "v$i" master br0 up
	ip -n "n$i" link set lo up
	ip -n "n$i" addr add "10.0.0.$i/24" dev eth0
	ip -n "n$i" link set eth0 up
	shape "v$i"
	shape eth0 ip netns exec "n$i"
	echo "10.0.0.$i slots=$ranks"
done > /run/hosts
cat > /run/rsh <<'END'
#!/bin/bash
host=${1##*.}
shift
exec ip netns exec "n$host" unshare -u -i -m \
	sh -c "hostname node$host; mount -t tmpfs tmpfs /dev/shm; $*"
END
chmod +x /run/rsh
sleep 2
mpirun --allow-run-as-root --mca plm_rsh_agent /run/rsh --mca plm_rsh_no_tree_spawn 1 \
	--mca oob_tcp_if_include 10.0.0.0/24 --mca btl_tcp_if_include 10.0.0.0/24 \
	-hostfile /run/hosts -np $((nodes * ranks)) "$program" "$bytes"
# when the host stops a program that computes, is the host's business
grep -v '^spinner\|^stops_signals' /proc/weft_vclock
