#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check who includes whom, and who uses what.

usage: check_layers.py [TOP]

The directions of knowledge: user -> uapi; kernel -> kernel/core;
kernel/core -> nothing; tools and tests of the model, and the room sim of the library
-> kernel/core; a room of user/lib or user/cli -> those before it. In kernel/, the headers of a room use
those of the rooms before it; the sources of one port or one fabric act on each
other, so they may use all headers of the model and of the module.
Prints one line for each breach and exits with 1 if there is one.
"""

import collections
import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include(?:_next)?\s+([<"])([^>"]+)[>"]')
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", re.S)

# (files, those exempted by name or path, include as written, why it must not be there)
NO_INCLUDE = [
    ("kernel/core/*", "core_internal.h", "<*>",
     "the model knows no header but its own"),
    ("kernel/netlink/*", "", "*core/*",
     "netlink reaches the model through the objects around it"),
    ("kernel/netdev/rtnl.c", "", "*core/*",
     "rtnl reaches the model through the objects around it"),
    ("kernel/rdma/*", "", '"netlink/*', "verbs do not know the netlink family"),
    ("kernel/compat/*", "", '"*', "shadow headers know nothing of ours"),
    ("kernel/*", "", "*user/*", "the kernel does not know user space"),
    ("kernel/*", "", "*selftests/*", "the kernel does not know its tests"),
    ("user/*", "user/lib/sim/*", "*core/*",
     "user space knows the uapi header only, but for the simulator"),
    ("user/lib/sim/*.h", "sim_cc.h sim_run.h sim_port.h", "*core/*",
     "what others use of the simulator knows no model"),
    ("user/*", "user/lib/sim/*", "sim/sim_*", "the simulator's state is its own"),
    ("user/*", "", "*kernel/*", "user space knows the uapi header only"),
    ("user/cli/*", "", "<netlink/*", "netlink is libweft's business"),
    ("user/cli/*", "", "<linux/weft.h>", "netlink is libweft's business"),
    ("user/daemon/*", "", "<netlink/*", "netlink is libweft's business"),
    ("user/daemon/*", "", "<linux/weft.h>", "netlink is libweft's business"),
    ("user/daemon/*", "", "*cli/*", "the daemon is a program of its own"),
    ("user/cli/*", "", "*daemon/*", "commands reach the daemon by its socket"),
    ("user/lib/*", "", "*cli/*", "the library does not know its users"),
]

# (files, those exempted, words or calls that must not be used, why)
NO_WORD = [
    ("kernel/core/*", "",
     "float double sk_buff net_device ktime_t spinlock_t mutex kmalloc kzalloc"
     " kfree printk pr_info pr_err pr_warn pr_debug current jiffies",
     "the model is pure: no float, no kernel object, no clock, no allocation"),
    ("user/lib/*", "",
     "printf( fprintf( vfprintf( vprintf( puts( fputs( perror( putchar( exit("
     " _exit( abort( errx( warnx(",
     "the library neither prints nor exits"),
]

# The rooms of the library: each may use those before it, and what else is said.
ROOMS = {
    "base": "knows no object of Weft",
    "netlink": "structs of the kernel's objects, and how they are read and changed",
    "topology": "from a file to a topology",
    "plan": "arithmetic on a topology",
    "bound": "least times of collectives on a plan",
    "workload": "messages between nodes: files, traces, collectives",
    "sim": "a workload on the model of a plan",
    "draw": "a topology as a picture",
    "lab": "makes and changes labs",
    "messages": "a workload in a lab, by verbs and TCP",
    "sharp": "reductions in the switches of a lab: their aggregation manager",
    "facts": "reads labs, and names what is in them",
    "report": "judges and records",
    "packet": "captures and the ways of packets",
    "scenario": "what is played and expected",
    "view": "pages of a report",
    "service": "the daemon's socket and port, as both ends see them",
}
NOT_BELOW = {("draw", "plan"), ("draw", "sim")}

# The room that is built with the model, whose headers are in core/.
MODEL_ROOM = "sim"

# The rooms of kernel/, by their headers: a header uses those before it.
WORDS = ("kernel/core/core_internal.h", "kernel/core/types.h", "kernel/core/pkt.h",
         "kernel/core/counters.h")
KERNEL_ROOMS = {
    "words": "the model's types, packets and counters",
    "core/sim": "events, randomness, arithmetic: knows no network",
    "core/wire": "serialisation, propagation, control frames",
    "core/flow": "disciplines: no packet overruns the far end",
    "core/egress": "which packet of a port is next, marked, trimmed, too old",
    "core/fault": "faults, injected and taken back",
    "core/cc": "congestion control of senders",
    "core/srd": "what both ends of SRD know",
    "core/node": "ports, switches, endpoints and their links",
    "core": "the fabric, and what it asks of its host",
    "netdev": "NICs as Linux sees them",
    "fabric": "the objects of the module around the model",
    "group": "groups of endpoints at switches: multicast, reductions",
    "observe": "captures, trails, tracepoints",
    "netlink": "the netlink family",
    "rdma": "verbs",
}

# Those of the command line, after its own files.
CLI_ROOMS = {
    "user/cli": "what all commands use",
    "print": "objects as text",
    "run": "runs, the daemon, and what goes on beside commands",
    "cmd": "a file for each command",
}

# Who wants a room finds a file in it by its name.
FILES_MAX = 45

# Who may include files of the model or its shim from outside the kernel.
MODEL_USERS = ("selftests/unit/", "selftests/fuzz/", "tools/bench/",
               f"user/lib/{MODEL_ROOM}/")

# Who sees the headers of the library, which may have names of the model's.
LIBRARY_USERS = ("user/", "selftests/user/")


def sources(top):
    for part in ("kernel", "user", "tools", "selftests"):
        for path in sorted((top / part).rglob("*.[ch]")):
            yield path.relative_to(top).as_posix(), path.read_text()


def matches(name, pattern, exempt):
    base = name.rsplit("/", 1)[-1]
    if not fnmatch.fnmatch(name, pattern):
        return False
    # "kernel/*.[ch]" means that directory, not what is below it
    if "*.[ch]" in pattern or pattern.endswith(".c"):
        if name.count("/") != pattern.count("/"):
            return False
    return not any(fnmatch.fnmatch(base, e) or fnmatch.fnmatch(name, e)
                   for e in exempt.split())


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            close = ">" if found[1] == "<" else '"'
            yield number, found[1] + found[2] + close


def written(include, pattern):
    if pattern[0] in '<"':
        return fnmatch.fnmatch(include, pattern)
    return fnmatch.fnmatch(include.strip('<>"'), pattern)


def check_includes(name, text):
    for number, include in includes(text):
        for pattern, exempt, what, why in NO_INCLUDE:
            if matches(name, pattern, exempt) and written(include, what):
                yield f"{name}:{number}: includes {include}: {why}"


def check_words(name, text):
    code = NOISE.sub(lambda m: "\n" * m[0].count("\n"), text)
    for pattern, exempt, words, why in NO_WORD:
        if not matches(name, pattern, exempt):
            continue
        use = re.compile(r"\b(%s)" % "|".join(
            re.escape(w[:-1]) + r"\s*\(" if w.endswith("(") else w + r"\b"
            for w in words.split()))
        for number, line in enumerate(code.splitlines(), 1):
            found = use.search(line)
            if found and not INCLUDE.match(line):
                yield f"{name}:{number}: uses {found[0]}: {why}"


def check_model_users(name, text, model, known):
    """Outside the kernel, only tests and tools of the model see it, and no
    one sees the rest of the module."""
    if name.startswith("kernel/"):
        return
    for number, include in includes(text):
        base = include.strip('<>"').rsplit("/", 1)[-1]
        if "kernel/" in include and "kernel/core/" not in include:
            yield f"{name}:{number}: includes {include}: part of the module"
        beside = (pathlib.Path(name).parent / base).as_posix() in known
        if name.startswith(LIBRARY_USERS):
            beside = beside or f"user/lib/{include[1:-1]}" in known
        if (include[0] == '"' and base in model and not beside and
                not name.startswith(MODEL_USERS)):
            yield f"{name}:{number}: includes {include}: part of the model"


def check_order(files):
    """The headers of kernel/ have an order: none reaches itself."""
    below = {}
    for name, text in files:
        if fnmatch.fnmatch(name, "kernel/*.h"):
            below[name[7:]] = [i.strip('<>"') for _, i in includes(text)]
    state = {}

    def visit(base, trail):
        if state.get(base) == "done" or base not in below:
            return
        if base in trail:
            loop = trail[trail.index(base):] + [base]
            yield "kernel: headers in a circle: " + " -> ".join(loop)
            return
        for other in below[base]:
            yield from visit(other, trail + [base])
        state[base] = "done"

    for base in below:
        yield from visit(base, [])


def kernel_room(name):
    """The room of a file of kernel/, None for what is in none."""
    if name in WORDS:
        return "words"
    room = name[7:].rsplit("/", 1)[0]
    return "rdma" if room.startswith("rdma/") else room


def check_kernel_rooms(files):
    """Headers that other rooms use have an order of rooms, and each file of the
    module has a room. A header that only its own room includes is part of the
    sources there."""
    order = list(KERNEL_ROOMS)
    uses = {}
    for name, text in files:
        if name.startswith("kernel/") and not name.startswith(
                ("kernel/compat/", "kernel/include/", "kernel/tests/")):
            uses[name] = [(n, "kernel/" + i[1:-1]) for n, i in includes(text)
                          if i[0] == '"']
    public = {i for name, found in uses.items() for _, i in found
              if kernel_room(i) != kernel_room(name)}
    for name, found in uses.items():
        room = kernel_room(name)
        if room not in KERNEL_ROOMS:
            if name not in ("kernel/main.c", "kernel/kunit.c", "kernel/version.h"):
                yield f"{name}:1: in no room of kernel: {' '.join(order)}"
            continue
        for number, include in found:
            other = kernel_room(include)
            if include == "kernel/version.h":
                continue
            if include not in uses:
                if not include.endswith("nl_gen.h"):
                    yield f"{name}:{number}: includes {include[7:]}: say the room"
                continue
            if name.startswith("kernel/core/") and not include.startswith("kernel/core/"):
                yield f"{name}:{number}: includes {include[7:]}: the model stays in its rooms"
            if (other == "netlink" and room != "netlink" and
                    include != "kernel/netlink/nl.h"):
                yield (f"{name}:{number}: includes {include[7:]}: "
                       "only netlink files know the netlink family")
            if other == "rdma" and room != "rdma":
                yield (f"{name}:{number}: includes {include[7:]}: "
                       "weft.ko does not know weft_rdma.ko")
            if name in public and order.index(other) > order.index(room):
                yield (f"{name}:{number}: includes {include[7:]}: {room} "
                       f"({KERNEL_ROOMS[room]}) does not know {other} "
                       f"({KERNEL_ROOMS[other]})")


def check_sizes(files):
    """No folder of user, kernel or tools has more files of C than one can look over."""
    folders = collections.Counter(n.rsplit("/", 1)[0] for n, _ in files
                                  if not n.startswith("selftests/"))
    for folder, count in sorted(folders.items()):
        if count > FILES_MAX:
            yield f"{folder}: {count} files of C, {FILES_MAX} at most: make rooms of it"


def check_rooms(name, text):
    """A room of the library uses the rooms before it."""
    if not name.startswith("user/lib/"):
        return
    room = name.split("/")[2]
    if room not in ROOMS:
        yield f"{name}:1: in no room of user/lib: {' '.join(ROOMS)}"
        return
    known = set(ROOMS) | ({"core"} if room == MODEL_ROOM else set())
    for number, include in includes(text):
        if include[0] == '"' and include[1:-1].split("/")[0] not in known:
            yield f"{name}:{number}: includes {include}: say the room"
    yield from check_room_order(name, text, room, ROOMS)


def check_cli_rooms(name, text):
    """A room of the command line uses the rooms before it."""
    if not name.startswith("user/cli/") or name == "user/cli/main.c":
        return
    room = name.split("/")[2] if name.count("/") > 2 else "user/cli"
    if room not in CLI_ROOMS:
        yield f"{name}:1: in no room of user/cli: {' '.join(CLI_ROOMS)}"
        return
    yield from check_room_order(name, text, room, CLI_ROOMS)


def check_room_order(name, text, room, rooms):
    order = list(rooms)
    for number, include in includes(text):
        other = include[1:-1].split("/")[0]
        if include[0] == '"' and other in rooms and (
                order.index(other) > order.index(room) or (room, other) in NOT_BELOW):
            yield (f"{name}:{number}: includes {include}: {room} ({rooms[room]}) "
                   f"does not know {other} ({rooms[other]})")


def check_commands(name, text):
    """A command of the CLI does not know another one."""
    if not fnmatch.fnmatch(name, "user/cli/cmd/cmd_*.c"):
        return
    own = name.rsplit("/", 1)[-1][:-2]
    for number, include in includes(text):
        base = include.strip('<>"')
        base = base.rsplit("/", 1)[-1]
        if fnmatch.fnmatch(base, "cmd_*.h") and base[:-2] != own:
            yield f"{name}:{number}: includes {include}: another command"


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                       pathlib.Path(__file__).resolve().parent.parent)
    files = list(sources(top))
    known = {n for n, _ in files}
    model = {n.rsplit("/", 1)[-1] for n, _ in files
             if fnmatch.fnmatch(n, "kernel/core/*.h")}
    if not model:
        sys.exit(f"check_layers.py: no kernel/core in {top}")
    breaches = list(check_order(files)) + list(check_kernel_rooms(files))
    breaches += check_sizes(files)
    for name, text in files:
        breaches += check_includes(name, text)
        breaches += check_words(name, text)
        breaches += check_commands(name, text)
        breaches += check_rooms(name, text)
        breaches += check_cli_rooms(name, text)
        breaches += check_model_users(name, text, model, known)
    print("\n".join(breaches), end="\n" if breaches else "")
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
