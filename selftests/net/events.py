# SPDX-License-Identifier: GPL-2.0-or-later
"""Each change of a fabric is an event, sent after it has happened.

The expected list is the list of changes made, in their order: nothing more and
nothing less. All happens in a network namespace of its own.
"""

import struct
import subprocess
import sys

from netlink import CLONE_NEWNET, Weft, unshare

END = [{"nic": 0}, {"switch": 0, "port": 1}]
CHANGES = [
    ("fabric-new", {"name": "f"}, "fabric-ntf"),
    ("switch-new", {"fabric": 0, "ports": 2, "sl2vl": 2}, "switch-ntf"),
    ("switch-set", {"fabric": 0, "id": 0, "vl": bytes(16)}, "switch-ntf"),
    ("nic-attach", {"fabric": 0, "ifname": "w0"}, "nic-ntf"),
    ("nic-set", {"fabric": 0, "id": 0, "rx-stop": 1}, "nic-ntf"),
    ("link-new", {"fabric": 0, "a": END[0], "b": END[1],
                  "wire": {"rate": 10 ** 11}}, "link-ntf"),
    ("link-set", {"fabric": 0, "id": 0, "wire": {"up": 0}}, "link-ntf"),
    ("fault-new", {"fabric": 0, "link": 0, "kind": 2, "delay": 1},
     "fault-ntf"),
    ("fault-del", {"fabric": 0, "id": 0}, "fault-del-ntf"),
    ("nic-attach", {"fabric": 0, "id": 1, "ifname": "w1"}, "nic-ntf"),
    ("trigger-new", {"fabric": 0, "kind": 0, "name": "a"}, "trigger-ntf"),
    ("mark", "a", "phase-ntf trigger-ntf"),
    ("mark", "-", "phase-ntf"),
    ("trigger-del", {"fabric": 0, "id": 0}, "trigger-del-ntf"),
    ("trigger-new", {"fabric": 0, "kind": 0, "name": "a"}, "trigger-ntf"),
    ("fault-new", {"fabric": 0, "link": 0, "kind": 0, "trigger": 0},
     "fault-ntf"),
    ("fault-del", {"fabric": 0, "id": 0}, "fault-del-ntf trigger-del-ntf"),
    ("traffic-new", {"fabric": 0, "nic": 0, "dst": 1}, "traffic-ntf"),
    ("traffic-del", {"fabric": 0, "id": 0}, "traffic-del-ntf"),
    ("link-del", {"fabric": 0, "id": 0}, "link-del-ntf"),
    ("nic-detach", {"fabric": 0, "id": 0}, "nic-del-ntf"),
    ("switch-del", {"fabric": 0, "id": 0}, "switch-del-ntf"),
    ("fabric-del", {"id": 0}, "fabric-del-ntf"),
]


def change(weft, command, values):
    """Make a change; the id of what it changes."""
    if command == "mark":
        with open("/proc/net/weft_mark", "w", encoding="ascii") as marks:
            marks.write(values)
        return 0
    weft.do(command, values)
    return values.get("id", 0)


def main():
    unshare(CLONE_NEWNET)
    for name in ("w0", "w1"):
        subprocess.run(f"ip link add {name} type weft".split(), check=True)
    weft, listener = Weft(), Weft()
    listener.listen()
    failed = 0
    print(f"KTAP version 1\n1..{len(CHANGES) + 1}")
    for number, (command, values, expected) in enumerate(CHANGES, 1):
        what = struct.pack("=I", change(weft, command, values))
        events = [listener.event() for _ in expected.split()]
        good = None not in events and all(
            event[0] == name and event[1]["id"] == what
            for event, name in zip(events, expected.split()))
        failed += not good
        print("ok" if good else "not ok", number, f"{command}: {expected}")
        if not good:
            print("# |", events)
    rest = listener.event()
    failed += rest is not None
    print("ok" if rest is None else "not ok", len(CHANGES) + 1,
          "no event without a change")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
