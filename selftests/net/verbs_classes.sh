#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sockets and verbs on one port: in one class, by InfiniBand's arbiter, and where
# one of them goes first.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

exact verbs_writers
python3 "$net_dir/verbs_classes.py"
