#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# NFS over RDMA, by the kernel's own client and server (xprtrdma, svcrdma), unmodified:
# host1 exports a directory, host0 mounts it and copies a tree there and back.
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=../net/lib_storage.sh
. "$net_dir/lib_storage.sh"
need jq rdma rpcbind rpc.nfsd rpc.mountd exportfs mount.nfs
modules rpcrdma nfsd nfsv4

# export_tree - host1 exports $tmp/export until $tmp/over is there; what its programs write
# to /run and /var/lib/nfs is in a mount namespace
export_tree() {
	mkdir "$tmp/export" "$tmp/mount"
	on host1 timeout 200 unshare -m sh -ec "
		mount -t tmpfs tmpfs /run
		mount -t tmpfs tmpfs /var/lib/nfs
		mkdir -p /run/rpcbind /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs
		touch /var/lib/nfs/etab /var/lib/nfs/rmtab
		rpcbind -w
		mount -t nfsd nfsd /proc/fs/nfsd
		exportfs -i -o rw,no_root_squash,insecure,fsid=0,no_subtree_check '*:$tmp/export'
		rpc.mountd -N 3
		rpc.nfsd -N 3 -L 10 -G 10 --rdma=20049 2
		touch $tmp/exported
		while [ ! -e $tmp/over ]; do sleep 0.1; done
		rpc.nfsd 0
		pkill rpc.mountd
		pkill rpcbind
		touch $tmp/ended
	" < /dev/null > "$tmp/server" 2>&1 &
	slowwait 5 test -e "$tmp/exported" || {
		cat "$tmp/server"
		return 1
	}
}

# copied - host0 mounts it, copies a tree there, and finds the same with an empty cache
copied() {
	on host0 timeout 200 unshare -m sh -exc "
		mount -t nfs -o vers=4.2,proto=rdma,port=20049 $(address host1):/ $tmp/mount
		grep -o 'proto=rdma' /proc/mounts
		cp -r tools/qemu $tmp/mount/
		umount $tmp/mount
		mount -t nfs -o vers=4.2,proto=rdma,port=20049 $(address host1):/ $tmp/mount
		diff -r tools/qemu $tmp/mount/qemu
		rdma -j resource show > $tmp/resources
		umount $tmp/mount
	"
	diff -r tools/qemu "$tmp/export/qemu"
}

# registered - the client has regions, and the tree went over the wire twice
registered() {
	local bytes

	bytes=$(du -sb tools/qemu | cut -f 1)
	expect_in "regions" 1 1e6 "$(jq 'map(.mr) | add' "$tmp/resources")"
	expect_in "bytes by verbs" $((2 * bytes)) 1e12 \
		"$(weft show verbs --json | jq 'map(.tx_bytes) | add')"
}

ended() {
	touch "$tmp/over"
	slowwait 5 test -e "$tmp/ended"
}

hosts ethernet-100g 2

ktap_begin 4
t "host1 exports" export_tree
t "a tree is copied and compared" copied
t "by fast registration over the wire" registered
t "the server ends" ended
ktap_end
