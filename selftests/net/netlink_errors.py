# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests that the kernel must refuse, with the error and the text expected.

Speaks netlink itself, because no library would send most of these. All happens
in a network namespace of its own, which takes the fabrics with it.
"""

import errno
import os
import re
import socket
import struct
import subprocess
import sys

from netlink import (ATTRIBUTES, CLONE_NEWNET, CLONE_NEWUSER, DUMP,
                     IFLA_ADDRESS, IFLA_IFNAME, IFLA_INFO_DATA, IFLA_INFO_KIND,
                     IFLA_LINKINFO, NESTED, NETLINK_ROUTE, Netlink, Refusal,
                     RTM_NEWLINK, Weft, attribute, encode, unshare)


def new_link(*infos, address=None):
    """A request to rtnetlink for a NIC with attributes of its kind."""
    kind = attribute(IFLA_INFO_KIND, b"weft\0")
    data = b"".join(attribute(k, struct.pack("=I", 1)) for k in infos)
    payload = bytes(16) + attribute(IFLA_IFNAME, b"never\0")
    if address:
        payload += attribute(IFLA_ADDRESS, address)
    if data:
        kind += attribute(IFLA_INFO_DATA | NESTED, data)
    payload += attribute(IFLA_LINKINFO | NESTED, kind)
    return Netlink(NETLINK_ROUTE).request(RTM_NEWLINK, payload, 0x600)


def ip(words):
    subprocess.run(["ip"] + words.split(), check=True)


RATE = {"rate": 10 ** 11}
SWITCH_END = {"switch": 0, "port": 0}
FREE_END = {"switch": 0, "port": 1}
NO_FABRIC = "no fabric has this id"
OUT_OF_RANGE = "integer out of range"

# What is there: fabric 0 "f" for 4 NICs; in it switch 0 with 2 ports; NIC 0
# (w0), linked to its port 0; with discipline credit, NIC 1 (w4) and switch 1.
# Netdevs w1 (free), w2 (2 queues), w3 (address of w0), lo. Each line: command,
# attributes, error, text (a regular expression).
CASES = [
    ("fabric-new", {"name": "f"}, "EEXIST", "another fabric has this name"),
    ("fabric-new", {"dilation": 0}, "ERANGE", OUT_OF_RANGE),
    ("fabric-new", {"dilation": 1000001}, "ERANGE", OUT_OF_RANGE),
    ("fabric-new", {"max-nics": 65536}, "ERANGE", OUT_OF_RANGE),
    ("fabric-del", {}, "EINVAL", "fabric id is missing"),
    ("fabric-del", {"id": 9}, "ENOENT", NO_FABRIC),
    ("fabric-get", {}, "EINVAL", "fabric id is missing"),
    ("fabric-get", {"id": 9}, "ENOENT", NO_FABRIC),
    ("fabric-get", {"name": "g"}, "ENOENT", "no fabric has this name"),

    ("fabric-set", {"cpu": 0}, "EINVAL", "fabric id is missing"),
    ("fabric-set", {"id": 9, "cpu": 0}, "ENOENT", NO_FABRIC),
    ("fabric-set", {"id": 0}, "EINVAL", "cpu is missing"),
    ("fabric-set", {"id": 0, "cpu": 4096}, "EINVAL", "CPU 4096 is not online"),

    ("switch-new", {"ports": 2}, "EINVAL", "fabric id is missing"),
    ("switch-new", {"fabric": 9, "ports": 2}, "ENOENT", NO_FABRIC),
    ("switch-new", {"fabric": 0}, "EINVAL", "number of ports is missing"),
    ("switch-new", {"fabric": 0, "ports": 0}, "ERANGE", OUT_OF_RANGE),
    ("switch-new", {"fabric": 0, "ports": 1025}, "ERANGE", OUT_OF_RANGE),
    ("switch-new", {"fabric": 0, "ports": 2, "forward": 2}, "ERANGE",
     OUT_OF_RANGE),
    ("switch-new", {"fabric": 0, "ports": 2, "latency": 10 ** 15 + 1},
     "ERANGE", OUT_OF_RANGE),
    ("switch-new", {"fabric": 0, "ports": 2,
                    "port-params": {"discipline": "magic"}},
     "EINVAL", "discipline is none of drop-tail, pause, pfc, credit, "
     "nvlink, pcie, cbfc, uec"),
    ("switch-new", {"fabric": 0, "ports": 2,
                    "port-params": [("classes", 1), ("weight", 1),
                                    ("weight", 1)]},
     "EINVAL", r"more weights than classes \(1\)"),
    ("switch-new", {"fabric": 0, "ports": 2, "port-params": {"classes": 17}},
     "ERANGE", OUT_OF_RANGE),
] + [
    # parameters of a port, at a switch
    ("switch-new", {"fabric": 0, "ports": 2, "port-params": params}, error,
     text) for params, error, text in [
         ([("classes", 4), ("red", {"class": 4, "kmax": 1})], "ERANGE",
          "class 4 is beyond the last one, 3"),
         ({"red": {"kmax": 1}}, "EINVAL", "class is missing"),
         ([("red", {"class": 1}), ("red", {"class": 1})], "EINVAL",
          "class 1 is there twice"),
         ({"red": {"class": 0, "kmin": 2, "kmax": 1}}, "EINVAL",
          "kmin 2 is above kmax 1"),
         ({"red": {"class": 0, "pmax": 1000001}}, "ERANGE", OUT_OF_RANGE),
         ({"trim": {"len": 13, "classes": 1, "class": 7}}, "EINVAL",
          "len must be 0 or at least 14, an Ethernet header"),
         ({"trim": {"len": 64, "classes": 1, "class": 8}}, "EINVAL",
          "trim has a class beyond the last one, 7"),
         ({"trim": {"len": 64, "classes": 256, "class": 7}}, "EINVAL",
          "trim has a class beyond the last one, 7"),
         ({"trim": {"len": 64, "classes": 128, "class": 7}}, "EINVAL",
          "class 7, which headers go on in, is trimmed itself"),
         ({"discipline": "credit",
           "trim": {"len": 64, "classes": 1, "class": 7}}, "EINVAL",
          "trim, but discipline credit drops nothing"),
         ({"age": {"hoq": 10 ** 15 + 1}}, "ERANGE", OUT_OF_RANGE),
         ({"scheduler": 2}, "ERANGE", OUT_OF_RANGE),
         ({"scheduler": 1}, "EINVAL",
          "scheduler vlarb needs an entry with a weight"),
         ({"scheduler": 1, "vlarb": {"low": bytes(4)}}, "EINVAL",
          "scheduler vlarb needs an entry with a weight"),
         ({"scheduler": 1, "vlarb": {"high": bytes(3)}}, "EINVAL",
          "a table has up to 64 entries of 2 bytes, VL and weight"),
         ({"scheduler": 1, "vlarb": {"high": bytes(130)}}, "EINVAL",
          "a table has up to 64 entries of 2 bytes, VL and weight"),
         ({"scheduler": 1, "vlarb": {"low": bytes([0, 1, 8, 1])}}, "EINVAL",
          "entry 1 is for VL 8, allowed are 0 to 7"),
         ({"classes": 16, "scheduler": 1, "vlarb": {"low": bytes([15, 1])}},
          "EINVAL", "entry 0 is for VL 15, allowed are 0 to 14"),
         ({"scheduler": 1, "weight": 1}, "EINVAL",
          "weights, but the scheduler is vlarb"),
         ({"vlarb": {"low": bytes([0, 1])}}, "EINVAL",
          "vlarb tables, but the scheduler is drr"),
         ({"discipline": "credit", "pfc": {"enable": 1}}, "EINVAL",
          "pfc parameters, but the discipline is credit"),
         ({"credit": {"block": 64}}, "EINVAL",
          "credit parameters, but the discipline is drop-tail"),
         ({"discipline": "pfc", "cbfc": {"size": 16}}, "EINVAL",
          "cbfc parameters, but the discipline is pfc"),
         ({"discipline": "cbfc", "llr": {"replay": 65536}}, "EINVAL",
          "llr parameters, but the discipline is cbfc"),
         ({"discipline": "nvlink", "llr": {"replay": 65536}}, "EINVAL",
          "llr parameters, but the discipline is nvlink"),
         ({"discipline": "uec", "cbfc": {"size": 0}}, "ERANGE", OUT_OF_RANGE),
         ({"discipline": "uec", "cbfc": {"limit": 1 << 20}}, "ERANGE",
          OUT_OF_RANGE),
         ({"discipline": "uec", "cbfc": {"overhead": 128}}, "ERANGE",
          OUT_OF_RANGE),
         ({"discipline": "uec", "llr": {"spacing": 0}}, "ERANGE",
          OUT_OF_RANGE),
         ({"discipline": "uec", "classes": 1,
           "cbfc": [("limit", 1), ("limit", 1)]}, "EINVAL",
          r"more values than classes \(1\)"),
         ({"discipline": "pfc", "flit": {"unit": 16}}, "EINVAL",
          "flit parameters, but the discipline is pfc"),
         ({"discipline": "pause", "pfc": {"enable": 1}}, "EINVAL",
          "discipline pause stops all classes, enable is for pfc"),
         ({"discipline": "pfc", "classes": 9}, "EINVAL",
          "discipline pfc has at most 8 classes, not 9"),
         ({"discipline": "pfc", "classes": 4, "pfc": {"enable": 16}},
          "EINVAL", "enable 0x10 has classes beyond the last one, 3"),
         ({"discipline": "pfc", "pfc": {"quanta": 3}}, "ERANGE",
          OUT_OF_RANGE),
         ({"discipline": "credit", "credit": {"block": 65}}, "EINVAL",
          "block must be a power of two, not 65"),
         ({"discipline": "credit", "credit": {"blocks": 0}}, "ERANGE",
          OUT_OF_RANGE),
         ({"discipline": "credit", "classes": 1,
           "credit": [("blocks", 1), ("blocks", 1)]}, "EINVAL",
          r"more values than classes \(1\)"),
         ({"discipline": "nvlink", "flit": {"payload": 16, "unit": 32}},
          "EINVAL", "payload 16 is below unit 32"),
         ({"discipline": "pcie", "flit": {"data": 15}}, "EINVAL",
          "VC 0 has 15 data credits, a packet of 256 bytes needs 16"),
         ({"vl": bytes(16)}, "EINVAL",
          "vl in port-params is for NICs, a switch has sl2vl and vl"),
     ]
] + [
    # a switch of 2 ports with 8 classes
    ("switch-new", {"fabric": 0, "ports": 2, **params}, error, text)
    for params, error, text in [
        ({"select": 5}, "ERANGE", OUT_OF_RANGE),
        ({"flowlets": 16}, "EINVAL", "flowlets, but select is not flowlet"),
        ({"select": 3, "flowlets": 17}, "EINVAL",
         "flowlets must be a power of two, not 17"),
        ({"lmc": 8}, "ERANGE", OUT_OF_RANGE),
        ({"vl": bytes(16)}, "EINVAL", "vl, but sl2vl is keep"),
        ({"sl2vl": 1, "vl": bytes(15) + b"\x08"}, "EINVAL",
         "service level 15 has class 8, allowed are 0 to 7 and 15"),
        ({"buffer-total": 2 ** 40 + 1}, "ERANGE",
         "buffer-total must not exceed 1099511627776 bytes"),
        ({"buffer-class": {"reserve": 1}}, "EINVAL", "class is missing"),
        ({"buffer-class": {"class": 8}}, "ERANGE",
         "class 8 is beyond the last one, 7"),
        ({"buffer-class": {"class": 0, "alpha": 21}}, "ERANGE",
         "alpha is an exponent from -20 to 20"),
        ({"buffer-class": {"class": 0, "alpha": -21}}, "ERANGE",
         "alpha is an exponent from -20 to 20"),
        ({"buffer-class": {"class": 0, "alpha": 0, "threshold": 0}}, "EINVAL",
         "either threshold or alpha, not both"),
        ({"buffer-class": {"class": 0, "threshold": 2 ** 40 + 1}}, "ERANGE",
         "threshold must not exceed 1099511627776 bytes"),
        ({"buffer-total": 600,
          "buffer-class": {"class": 0, "reserve": 100, "headroom": 201}},
         "ENOSPC",
         r"reserve \+ headroom 301 x 2 ports = 602 > buffer-total 600"),
        ({"port-params": {"discipline": "credit"},
          "buffer-class": {"class": 0}}, "EINVAL",
         "buffer-class, but discipline credit has buffers of its own"),
    ]
] + [
    ("switch-set", {"fabric": 0, "id": 9, "vl": bytes(16)}, "ENOENT",
     "fabric has no switch of this id"),
    ("switch-set", {"fabric": 0, "id": 0}, "EINVAL", "vl is missing"),
    ("switch-set", {"fabric": 0, "id": 0, "vl": bytes(16)}, "ENOTSUP",
     "only a switch with sl2vl ports or class has a table for each pair of ports"),
    ("switch-set", {"fabric": 0, "id": 0, "vl": bytes(16), "in-port": 2},
     "ERANGE", "switch has 2 ports, counted from 0"),
    ("switch-set", {"fabric": 0, "id": 0, "vl": bytes(16), "out-port": 2},
     "ERANGE", "switch has 2 ports, counted from 0"),
    ("switch-del", {"fabric": 0}, "EINVAL", "switch id is missing"),
    ("switch-del", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no switch of this id"),
    ("switch-get", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no switch of this id"),

    ("link-new", {"fabric": 9}, "ENOENT", NO_FABRIC),
    ("link-new", {"fabric": 0, "b": FREE_END, "wire": RATE}, "EINVAL",
     "end a is missing"),
    ("link-new", {"fabric": 0, "a": FREE_END, "wire": RATE}, "EINVAL",
     "end b is missing"),
    ("link-new", {"fabric": 0, "a": {}, "b": FREE_END, "wire": RATE}, "EINVAL",
     "an end is either a switch and its port, or a NIC"),
    ("link-new", {"fabric": 0, "a": {"nic": 0, "switch": 0}, "b": FREE_END,
                  "wire": RATE}, "EINVAL",
     "an end is either a switch and its port, or a NIC"),
    ("link-new", {"fabric": 0, "a": {"switch": 0}, "b": FREE_END,
                  "wire": RATE}, "EINVAL", "port of the switch is missing"),
    ("link-new", {"fabric": 0, "a": {"switch": 0, "port": 2}, "b": FREE_END,
                  "wire": RATE}, "ERANGE", "switch has 2 ports, counted from 0"),
    ("link-new", {"fabric": 0, "a": {"switch": 9, "port": 0}, "b": FREE_END,
                  "wire": RATE}, "ENOENT", "fabric has no switch of this id"),
    ("link-new", {"fabric": 0, "a": {"nic": 3}, "b": FREE_END, "wire": RATE},
     "ENOENT", "fabric has no NIC of this id"),
    ("link-new", {"fabric": 0, "a": {"nic": 0}, "b": FREE_END, "wire": RATE},
     "EBUSY", "end has a link already"),
    ("link-new", {"fabric": 0, "a": SWITCH_END, "b": FREE_END, "wire": RATE},
     "EBUSY", "end has a link already"),
    ("link-new", {"fabric": 0, "a": FREE_END, "b": FREE_END, "wire": RATE},
     "EINVAL", "both ends are the same port"),
    ("link-set", {"fabric": 0, "id": 0}, "EINVAL", "wire is missing"),
    ("link-set", {"fabric": 0, "id": 0, "wire": {"rate": 999}}, "ERANGE",
     OUT_OF_RANGE),
    ("link-set", {"fabric": 0, "id": 0, "wire": {"overhead": 257}}, "ERANGE",
     OUT_OF_RANGE),
    ("link-set", {"fabric": 0, "id": 0,
                  "wire": {"counter": {"name": "x", "value": 1}}},
     "EINVAL", "counters are read-only"),
    ("link-set", {"fabric": 0, "id": 0, "wire": {"lanes": 4, "lanes-up": 5}},
     "EINVAL", "lanes-up 5 is above lanes 4"),
    ("link-set", {"fabric": 0, "id": 0, "wire": {"lanes": 1025}}, "ERANGE",
     OUT_OF_RANGE),
    ("link-set", {"fabric": 0, "id": 0, "wire": {"payload": 23}}, "EINVAL",
     "payload 23 is below overhead 24"),
    ("link-set", {"fabric": 0, "id": 0,
                  "wire": {"rate": 1000, "lanes": 2, "lanes-up": 1}},
     "EINVAL", "rate of the lanes that are up must be at least 1000"),
    ("link-new", {"fabric": 0, "a": {"nic": 1}, "b": FREE_END, "wire": RATE},
     "EPROTO", "discipline of end a is credit, of end b drop-tail"),
    ("link-new", {"fabric": 0, "a": {"nic": 1}, "b": {"switch": 1, "port": 0},
                  "wire": RATE}, "EINVAL",
     "VL 1 has 24 blocks of 64 bytes, a frame of 1514 needs 25"),
    ("link-set", {"fabric": 0, "id": 9, "wire": RATE}, "ENOENT",
     "fabric has no link of this id"),
    ("link-del", {"fabric": 0}, "EINVAL", "link id is missing"),
    ("link-get", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no link of this id"),

    ("nic-attach", {"ifname": "w1"}, "EINVAL", "fabric id is missing"),
    ("nic-attach", {"fabric": 0}, "EINVAL", "ifindex or ifname is missing"),
    ("nic-attach", {"fabric": 0, "ifname": "w9"}, "ENODEV",
     "no such netdev in the network namespace"),
    ("nic-attach", {"fabric": 0, "ifindex": 1, "ifname": "w1"}, "EINVAL",
     "ifindex and ifname name different netdevs"),
    ("nic-attach", {"fabric": 0, "ifname": "lo"}, "EINVAL",
     "netdev is not of kind weft"),
    ("nic-attach", {"fabric": 0, "ifname": "w0"}, "EBUSY",
     "netdev is attached to a fabric already"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "id": 4}, "ERANGE",
     "NIC id must be below 4"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "id": 0}, "EBUSY",
     "NIC id is in use"),
    ("nic-attach", {"fabric": 0, "ifname": "w2",
                    "port-params": {"classes": 3}}, "EINVAL",
     "netdev has 2 transmit queues, one per class is needed"),
    ("nic-attach", {"fabric": 0, "ifname": "w3"}, "EEXIST",
     "another NIC of the fabric has MAC address 02:00:00:00:00:01"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "netns-fd": 0}, "EINVAL",
     "not a file descriptor of a network namespace"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "segmentation": 2}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "neighbour-prefix": 65536}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "neighbour-prefix": 0x100}, "EINVAL",
     "neighbour-prefix 0x0100 is that of a group's address"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "rx-rate": 999}, "ERANGE",
     "rx-rate must be 0, for at once, or at least 1000"),
    ("nic-attach", {"fabric": 0, "ifname": "w1",
                    "buffer-class": {"class": 0}}, "EINVAL",
     "buffer-class needs rx-buffer"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "rx-buffer": 99,
                    "buffer-class": {"class": 0, "headroom": 100}}, "ENOSPC",
     r"reserve \+ headroom 100 x 1 ports = 100 > rx-buffer 99"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "rx-buffer": 2 ** 40 + 1},
     "ERANGE", "rx-buffer must not exceed 1099511627776 bytes"),
    ("nic-attach", {"fabric": 0, "ifname": "w1", "rx-buffer": 1,
                    "port-params": {"discipline": "credit"}}, "EINVAL",
     "rx-buffer, but discipline credit has buffers of its own"),
    ("nic-attach", {"fabric": 0, "ifname": "w1",
                    "port-params": {"classes": 4, "vl": bytes([4] * 16)}},
     "EINVAL", "service level 0 has class 4, allowed are 0 to 3 and 15"),
    ("nic-set", {"fabric": 0, "rx-rate": 0}, "EINVAL", "NIC id is missing"),
    ("nic-set", {"fabric": 0, "id": 0}, "EINVAL",
     "rx-rate, rx-stop or verbs is missing"),
    ("nic-set", {"fabric": 0, "id": 0, "rx-rate": 999}, "ERANGE",
     "rx-rate must be 0, for at once, or at least 1000"),
    ("nic-set", {"fabric": 0, "id": 0, "rx-stop": 65536}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 3, "rx-rate": 0}, "ENOENT",
     "fabric has no NIC of this id"),
    ("nic-attach", {"fabric": 0, "ifname": "w1",
                    "verbs": {"doorbell": 10 ** 15 + 1}}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"process": 10 ** 15 + 1}},
     "ERANGE", OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"congestion": 4}}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"cnp-sl": 16}}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"dcqcn": {"g": 0}}}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"dcqcn": {"g": 1024}}},
     "ERANGE", OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0,
                 "verbs": {"dcqcn": {"alpha-timer": 999}}}, "ERANGE",
     OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"dcqcn": {"min-rate": 999}}},
     "ERANGE", OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"ibcc": {"timer": 0}}},
     "ERANGE", OUT_OF_RANGE),
    ("nic-set", {"fabric": 0, "id": 0,
                 "verbs": {"ibcc": {"limit": 7, "min": 8}}}, "EINVAL",
     "min 8 is above limit 7"),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"ibcc": {"cct": b""}}},
     "EINVAL", "a table has 1 to 256 entries of 2 bytes"),
    ("nic-set", {"fabric": 0, "id": 0, "verbs": {"ibcc": {"cct": bytes(3)}}},
     "EINVAL", "a table has 1 to 256 entries of 2 bytes"),
    ("nic-attach", {"fabric": 0, "ifname": "w1",
                    "verbs": {"ibcc": {"cct": bytes(514)}}}, "EINVAL",
     "a table has 1 to 256 entries of 2 bytes"),
    ("nic-detach", {"fabric": 0}, "EINVAL", "NIC id is missing"),
    ("nic-detach", {"fabric": 0, "id": 3}, "ENOENT",
     "fabric has no NIC of this id"),
    ("nic-get", {"fabric": 0, "id": 3}, "ENOENT",
     "fabric has no NIC of this id"),

    ("route-set", {"fabric": 0, "dst": 0, "port": 0}, "EINVAL",
     "switch id is missing"),
    ("route-set", {"fabric": 0, "switch": 9, "dst": 0, "port": 0}, "ENOENT",
     "fabric has no switch of this id"),
    ("route-set", {"fabric": 0, "switch": 0, "port": 0}, "EINVAL",
     "destination or flood is missing"),
    ("route-set", {"fabric": 0, "switch": 0, "dst": 0, "flood": True,
                   "port": 0}, "EINVAL",
     "either a destination or flood, not both"),
    ("route-set", {"fabric": 0, "switch": 0, "dst": 4, "port": 0}, "ERANGE",
     "destination must be below 4, the max-nics of the fabric"),
    ("route-set", {"fabric": 0, "switch": 0, "dst": 0, "dst-last": 4,
                   "port": 0}, "ERANGE",
     "destination must be below 4, the max-nics of the fabric"),
    ("route-set", {"fabric": 0, "switch": 0, "dst": 1, "dst-last": 0,
                   "port": 0}, "EINVAL", "range ends before it begins"),
    ("route-set", {"fabric": 0, "switch": 0, "dst": 0}, "EINVAL",
     "port is missing"),
    ("route-set", {"fabric": 0, "switch": 0, "dst": 0, "port": 2}, "ERANGE",
     "switch has 2 ports, counted from 0"),
    ("route-set", [("fabric", 0), ("switch", 0), ("dst", 0), ("port", 0),
                   ("port", 1), ("port", 0)], "EINVAL",
     "a port is named twice"),
    ("route-del", {"fabric": 0, "switch": 0, "dst": 3}, "ENOENT",
     "no route to this destination"),
    ("route-get", {"fabric": 0, "switch": 0, "dst": 3}, "ENOENT",
     "no route to this destination"),

    ("trail-start", {}, "EINVAL", "fabric id is missing"),
    ("trail-start", {"fabric": 9}, "ENOENT", NO_FABRIC),
    ("trail-start", {"fabric": 0, "snaplen": 0}, "ERANGE", OUT_OF_RANGE),
    ("trail-stop", {"fabric": 0}, "ENOENT",
     "this socket does not follow the fabric"),
]


FAULT = {"fabric": 0, "link": 0, "kind": 0}
CREDIT_LOSS, PAUSE_STORM, HANG, SLOW, ECN = range(7, 12)
BLACKHOLE, FORGET, MISROUTE, REBOOT, BUFFER, SHARP_DOWN, SHARP_SLOW = range(12, 19)
NO_PARAMETER = "not a parameter of kind "
FAULT_CASES = [
    ("fault-new", {}, "EINVAL", "fabric id is missing"),
    ("fault-new", {"fabric": 9, "link": 0, "kind": 0}, "ENOENT", NO_FABRIC),
    ("fault-new", {"fabric": 0, "link": 0}, "EINVAL", "kind is missing"),
    ("fault-new", {"fabric": 0, "kind": 0}, "EINVAL", "link id is missing"),
    ("fault-new", {"fabric": 0, "link": 9, "kind": 0}, "ENOENT",
     "fabric has no link of this id"),
    ("fault-new", [("fabric", 0), ("kind", BLACKHOLE), ("switch", 0)] +
     17 * [("dst", 0)], "E2BIG", "at most 16 destinations"),
    ("fault-del", {"fabric": 0}, "EINVAL", "fault id is missing"),
    ("fault-del", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no fault of this id"),
    ("fault-get", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no fault of this id"),
] + [
    ("fault-new", {**FAULT, **values}, error, text) for values, error, text in [
        ({"kind": 99}, "ERANGE", OUT_OF_RANGE),
        ({"direction": 2}, "ERANGE", OUT_OF_RANGE),
        ({"rate": 10 ** 9}, "EINVAL", NO_PARAMETER + "down"),
        ({"kind": 1}, "EINVAL", "kind rate needs rate or lanes"),
        ({"kind": 1, "rate": 999}, "ERANGE", OUT_OF_RANGE),
        ({"kind": 1, "lanes": 2}, "ERANGE",
         "at most 1, the lanes of the link"),
        ({"kind": 1, "lanes": 1, "burst": 2}, "EINVAL", NO_PARAMETER + "rate"),
        ({"kind": 2}, "EINVAL", "kind delay needs delay or jitter"),
        ({"kind": 2, "delay": 0}, "EINVAL", "delay must be above 0"),
        ({"kind": 2, "delay": 10 ** 15 + 1}, "ERANGE", OUT_OF_RANGE),
        ({"kind": 3}, "EINVAL", "kind loss needs probability"),
        ({"kind": 3, "probability": 0}, "ERANGE", OUT_OF_RANGE),
        ({"kind": 3, "probability": 10 ** 9 + 1}, "ERANGE", OUT_OF_RANGE),
        ({"kind": 3, "probability": 500000001, "burst": 2}, "EINVAL",
         "probability must be at most 500000000 with burst"),
        ({"kind": 4}, "EINVAL", "kind corrupt needs bits-per-error"),
        ({"kind": 4, "bits-per-error": 0}, "ERANGE", OUT_OF_RANGE),
        ({"kind": 5, "delay": 1}, "EINVAL", NO_PARAMETER + "duplicate"),
        ({"kind": 6, "delay": 1}, "EINVAL", "kind reorder needs probability"),
        ({"kind": 6, "probability": 1}, "EINVAL", "delay must be above 0"),
        ({"start": 1, "after": 1}, "EINVAL",
         "either start or after, not both"),
        ({"period": 5}, "EINVAL", "period needs a duration below it"),
        ({"period": 5, "duration": 5}, "EINVAL",
         "period needs a duration below it"),
        ({"period": 0}, "ERANGE", OUT_OF_RANGE),
        ({"count": 2}, "EINVAL", "count needs a period"),
        ({"start": 2 ** 63}, "ERANGE", OUT_OF_RANGE),
        ({"kind": CREDIT_LOSS}, "EINVAL", "kind credit-loss needs probability"),
        ({"kind": CREDIT_LOSS, "probability": 1}, "ENOTSUP",
         "links of discipline drop-tail have no credits"),
        ({"kind": PAUSE_STORM}, "ENOTSUP",
         "links of discipline drop-tail know no pauses"),
        ({"kind": PAUSE_STORM, "classes": 0}, "ERANGE", OUT_OF_RANGE),
        ({"kind": PAUSE_STORM, "classes": 65536}, "ERANGE", OUT_OF_RANGE),
        ({"kind": PAUSE_STORM, "classes": 2, "link": 1}, "ERANGE",
         "only lossless classes can be paused: mask 0x9"),
        ({"kind": PAUSE_STORM, "classes": 1, "link": 2}, "EINVAL",
         "pauses of discipline pause are of all classes"),
        ({"kind": HANG, "rate": 10 ** 9}, "EINVAL", NO_PARAMETER + "hang"),
        ({"kind": HANG, "direction": 1}, "ENOTSUP",
         "no NIC sends on this wire"),
        ({"kind": SLOW, "link": 1}, "ENOTSUP", "no NIC sends on this wire"),
        ({"kind": SLOW, "rate": 999}, "ERANGE", OUT_OF_RANGE),
        ({"kind": ECN}, "EINVAL", "kind ecn needs kmax"),
        ({"kind": ECN, "kmax": 1, "kmin": 2}, "EINVAL",
         "kmin must be at most kmax"),
        ({"kind": ECN, "kmax": 1, "pmax": 10 ** 6 + 1}, "ERANGE",
         OUT_OF_RANGE),
        ({"kind": ECN, "kmax": 1, "direction": 0}, "ENOTSUP",
         "no switch sends on this wire, and NICs do not mark"),
        ({"kind": ECN, "kmax": 1, "classes": 256}, "ERANGE",
         "port has 8 classes, counted from 0"),
        ({"switch": 0}, "EINVAL", "kind down is one of links"),
        ({"kind": FORGET, "switch": 0}, "EINVAL",
         "kind forget is one of switches"),
    ]
] + [
    ("fault-new", {"fabric": 0, **values}, error, text)
    for values, error, text in [
        ({"kind": BLACKHOLE}, "EINVAL", "switch id is missing"),
        ({"kind": BLACKHOLE, "switch": 9}, "ENOENT",
         "fabric has no switch of this id"),
        ({"kind": FORGET, "switch": 0, "direction": 0}, "EINVAL",
         "kind forget is one of switches"),
        ({"kind": FORGET, "switch": 0, "dst": 0}, "EINVAL",
         NO_PARAMETER + "forget"),
        ({"kind": BLACKHOLE, "switch": 0, "port": 0}, "EINVAL",
         NO_PARAMETER + "blackhole"),
        ({"kind": BLACKHOLE, "switch": 0, "flows": 0}, "ERANGE", OUT_OF_RANGE),
        ({"kind": BLACKHOLE, "switch": 0, "flows": 10 ** 9 + 1}, "ERANGE",
         OUT_OF_RANGE),
        ({"kind": BLACKHOLE, "switch": 0, "dst": 4}, "ERANGE",
         "destination must be below 4, the max-nics of the fabric"),
        ({"kind": MISROUTE, "switch": 0}, "EINVAL", "kind misroute needs port"),
        ({"kind": MISROUTE, "switch": 0, "port": 2}, "ERANGE",
         "switch has 2 ports, counted from 0"),
        ({"kind": REBOOT, "switch": 0, "size": 1}, "EINVAL",
         NO_PARAMETER + "reboot"),
        ({"kind": BUFFER, "switch": 0}, "EINVAL", "kind buffer needs size"),
        ({"kind": SHARP_SLOW, "switch": 0}, "EINVAL", "kind sharp-slow needs delay"),
        ({"kind": SHARP_DOWN, "switch": 0, "delay": 1}, "EINVAL",
         NO_PARAMETER + "sharp-down"),
        ({"kind": BUFFER, "switch": 0, "size": 0}, "ERANGE", OUT_OF_RANGE),
        ({"kind": BUFFER, "switch": 1, "size": 1}, "ENOTSUP",
         "links of discipline credit account for room themselves"),
    ]
]


class Test:
    """The cases, counted."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def result(self, good, name, why=""):
        self.count += 1
        self.failed += not good
        print("ok" if good else "not ok", self.count, name)
        if why:
            print("# |", why)

    def refused(self, name, error, text, call, *args, **kwargs):
        try:
            call(*args, **kwargs)
            self.result(False, name, "it was accepted")
        except Refusal as refusal:
            good = (errno.errorcode.get(refusal.error) == error and
                    re.fullmatch(text, refusal.text) is not None)
            self.result(good, name, "" if good else f"{refusal}")



PHASE = {"fabric": 0, "rate": 40000000000}
PHASE_RATE = 'rate must be 0, or at least 1 kb/s and carry "least" in 1000 s'
PHASE_CASES = [
    ("phase-set", {"rate": 1000}, "EINVAL", "fabric id is missing"),
    ("phase-set", {"fabric": 9, "rate": 1000}, "ENOENT", NO_FABRIC),
    ("phase-set", {"fabric": 0}, "EINVAL", "rate is missing"),
    ("phase-set", {**PHASE, "rate": 999}, "ERANGE", PHASE_RATE),
    ("phase-set", {**PHASE, "rate": 1000, "least": 1 << 30}, "ERANGE",
     PHASE_RATE),
    ("phase-set", {**PHASE, "rate": 10**15 + 1}, "ERANGE", OUT_OF_RANGE),
    ("phase-set", {**PHASE, "least": 0}, "ERANGE", OUT_OF_RANGE),
    ("phase-set", {**PHASE, "least": (1 << 30) + 1}, "ERANGE", OUT_OF_RANGE),
    ("phase-set", {**PHASE, "quiet": 0}, "ERANGE", OUT_OF_RANGE),
    ("phase-set", {**PHASE, "quiet": 10**15 + 1}, "ERANGE", OUT_OF_RANGE),
    ("phase-set", {**PHASE, "nic": 9}, "ENOENT",
     "fabric has no NIC of this id"),
    ("phase-get", {"fabric": 9, "id": 0}, "ENOENT", NO_FABRIC),
    ("phase-get", {"fabric": 0}, "EINVAL", "phase id is missing"),
    ("phase-get", {"fabric": 0, "id": 0}, "ENOENT",
     "fabric has no phase of this id"),
]

AGGREGATOR = {"fabric": 0, "group": 1, "switch": 0, "child": b"\0\0", "qkey": 5}
PORTS = "latency out of range, or ports that the switch has not, or twice"
AGGREGATOR_CASES = [
    ("aggregator-new", {}, "EINVAL", "fabric id is missing"),
    ("aggregator-new", {"fabric": 9}, "ENOENT", NO_FABRIC),
    ("aggregator-new", {"fabric": 0}, "EINVAL", "switch id is missing"),
    ("aggregator-del", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no aggregation node of this id"),
    ("aggregator-get", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no aggregation node of this id"),
] + [
    ("aggregator-new", {k: v for k, v in AGGREGATOR.items() if k != missing},
     "EINVAL", f"{missing} is missing") for missing in ("group", "child", "qkey")
] + [
    ("aggregator-new", {**AGGREGATOR, **values}, error, text)
    for values, error, text in [
        ({"switch": 9}, "ENOENT", "fabric has no switch of this id"),
        ({"group": 1 << 24}, "ERANGE", OUT_OF_RANGE),
        ({"slots": 0}, "ERANGE", OUT_OF_RANGE),
        ({"slots": 65537}, "ERANGE", OUT_OF_RANGE),
        ({"parent": 65535}, "ERANGE", OUT_OF_RANGE),
        ({"child": b""}, "EINVAL", "expected ports, of 16 bits each"),
        ({"child": b"\0\0\0"}, "EINVAL", "expected ports, of 16 bits each"),
        ({"child": b"\2\0"}, "EINVAL", PORTS),
        ({"child": b"\0\0\0\0"}, "EINVAL", PORTS),
        ({"parent": 0}, "EINVAL", PORTS),
        ({"parent": 2}, "EINVAL", PORTS),
        ({"latency": 10 ** 15 + 1}, "EINVAL", PORTS),
    ]
]

MARK, PHASED, RATED, BYTES = range(4)
TRIGGER_RATE = ("above a rate, size is at most 1 GiB and what the rate "
                "carries in 1000 s")
MARK_NAME = (r"a mark's name has letters, digits and \. _ : \+ -, "
             "and begins with a letter or a digit")
TRIGGER_CASES = [
    ("trigger-new", {}, "EINVAL", "fabric id is missing"),
    ("trigger-new", {"fabric": 9, "kind": MARK}, "ENOENT", NO_FABRIC),
    ("trigger-new", {"fabric": 0}, "EINVAL", "kind is missing"),
    ("trigger-del", {"fabric": 0}, "EINVAL", "trigger id is missing"),
    ("trigger-del", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no trigger of this id"),
    ("trigger-get", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no trigger of this id"),
    ("fault-new", {**FAULT, "trigger": 9}, "ENOENT",
     "fabric has no trigger of this id"),
] + [
    ("trigger-new", {"fabric": 0, **values}, error, text)
    for values, error, text in [
        ({"kind": 4}, "ERANGE", OUT_OF_RANGE),
        ({"kind": MARK}, "EINVAL", "kind mark needs name"),
        ({"kind": MARK, "name": ""}, "EINVAL", MARK_NAME),
        ({"kind": MARK, "name": "-a"}, "EINVAL", MARK_NAME),
        ({"kind": MARK, "name": "a b"}, "EINVAL", MARK_NAME),
        ({"kind": RATED, "nic": 0, "rate": 1000}, "ERANGE", TRIGGER_RATE),
        ({"kind": MARK, "name": 32 * "a"}, "EINVAL",
         "Attribute failed policy validation"),
        ({"kind": MARK, "name": "a", "nic": 0}, "EINVAL",
         NO_PARAMETER + "mark"),
        ({"kind": PHASED}, "EINVAL", "kind phase needs number"),
        ({"kind": PHASED, "number": 0}, "ERANGE", OUT_OF_RANGE),
        ({"kind": PHASED, "number": 1, "name": "a"}, "EINVAL",
         NO_PARAMETER + "phase"),
        ({"kind": PHASED, "number": 1}, "EINVAL",
         "the fabric does not look for phases by traffic"),
        ({"kind": RATED, "nic": 0}, "EINVAL", "kind rate needs rate"),
        ({"kind": RATED, "rate": 1000}, "EINVAL", "NIC id is missing"),
        ({"kind": RATED, "nic": 3, "rate": 1000}, "ENOENT",
         "fabric has no NIC of this id"),
        ({"kind": RATED, "nic": 0, "rate": 999}, "ERANGE", OUT_OF_RANGE),
        ({"kind": RATED, "nic": 0, "rate": 1000, "size": 125001}, "ERANGE",
         TRIGGER_RATE),
        ({"kind": RATED, "nic": 0, "rate": 10 ** 12, "size": (1 << 30) + 1},
         "ERANGE", TRIGGER_RATE),
        ({"kind": BYTES, "nic": 0}, "EINVAL", "kind bytes needs size"),
        ({"kind": BYTES, "nic": 0, "size": 0}, "ERANGE", OUT_OF_RANGE),
        ({"kind": BYTES, "nic": 0, "size": 1, "rate": 1000}, "EINVAL",
         NO_PARAMETER + "bytes"),
    ]
]

MESSAGE = struct.Struct("=QII")
TRAFFIC = {"fabric": 0, "nic": 0, "dst": 1}
TRAFFIC_CASES = [
    ("traffic-new", {}, "EINVAL", "fabric id is missing"),
    ("traffic-new", {"fabric": 9, "nic": 0, "dst": 1}, "ENOENT", NO_FABRIC),
    ("traffic-new", {"fabric": 0, "dst": 1}, "EINVAL", "nic is missing"),
    ("traffic-new", {"fabric": 0, "nic": 9, "dst": 1}, "ENOENT",
     "fabric has no NIC of this id"),
    ("traffic-new", {"fabric": 0, "nic": 0}, "EINVAL", "dst is missing"),
    ("traffic-new", [("fabric", 0), ("nic", 0)] + 1025 * [("dst", 1)],
     "ERANGE", "at most 1024 destinations"),
    ("traffic-del", {"fabric": 0}, "EINVAL", "generator id is missing"),
    ("traffic-del", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no generator of this id"),
    ("traffic-get", {"fabric": 0, "id": 9}, "ENOENT",
     "fabric has no generator of this id"),
] + [
    ("traffic-new", {**TRAFFIC, **values}, error, text)
    for values, error, text in [
        ({"dst": 0}, "EINVAL", "a NIC sends nothing to itself"),
        ({"dst": 3}, "ENOENT", "fabric has no NIC with id 3"),
        ({"pattern": 5}, "ERANGE", OUT_OF_RANGE),
        ({"sl": 16}, "ERANGE", OUT_OF_RANGE),
        ({"nic": 1, "dst": 0, "sl": 15}, "EINVAL",
         "the NIC has no class for service level 15"),
        ({"size": 0}, "ERANGE", OUT_OF_RANGE),
        ({"size": 1515}, "ERANGE",
         "size must be at most 1514, a frame of the NIC's MTU"),
        ({"rate": 999}, "ERANGE", OUT_OF_RANGE),
        ({"depth": 0}, "ERANGE", OUT_OF_RANGE),
        ({"depth": 1025}, "ERANGE", OUT_OF_RANGE),
        ({"window": 0}, "ERANGE", OUT_OF_RANGE),
        ({"window": 65537}, "ERANGE", OUT_OF_RANGE),
        ({"on": 1}, "EINVAL", "on and off need one another"),
        ({"off": 1}, "EINVAL", "on and off need one another"),
        ({"on": 0, "off": 1}, "ERANGE", OUT_OF_RANGE),
        ({"drawn-times": 2}, "ERANGE", OUT_OF_RANGE),
        ({"drawn-dsts": 2}, "ERANGE", OUT_OF_RANGE),
        ({"start": 2 ** 62, "after": 1}, "EINVAL",
         "either start or after, not both"),
        ({"duration": 10 ** 15 + 1}, "ERANGE", OUT_OF_RANGE),
        ({"group": 2 ** 32 - 1}, "EINVAL", "group must be below 4294967295"),
        ({"message": MESSAGE.pack(0, 1, 1)}, "EINVAL", "not with messages"),
    ]
] + [
    ("traffic-new", {"fabric": 0, "nic": 0, "message": message}, error, text)
    for message, error, text in [
        (b"", "EINVAL", "1 to 2000 messages of 16 bytes"),
        (bytes(17), "EINVAL", "1 to 2000 messages of 16 bytes"),
        (2001 * MESSAGE.pack(0, 1, 1), "EINVAL",
         "1 to 2000 messages of 16 bytes"),
        (MESSAGE.pack(0, 1, 0), "EINVAL",
         "message 0: bytes must be above 0"),
        (MESSAGE.pack(10 ** 15 + 1, 1, 1), "EINVAL",
         "message 0: it is more than 1000 s behind the start"),
        (MESSAGE.pack(2, 1, 1) + MESSAGE.pack(1, 1, 1), "EINVAL",
         "message 1: it is before the one before"),
        (MESSAGE.pack(0, 0, 1), "EINVAL", "a NIC sends nothing to itself"),
        (MESSAGE.pack(0, 3, 1), "ENOENT", "fabric has no NIC with id 3"),
    ]
]


def build(weft):
    for words in ("w0 address 02:00:00:00:00:01", "w1", "w2 numtxqueues 2",
                  "w3 address 02:00:00:00:00:01", "w4"):
        ip(f"link add {words} type weft")
    weft.do("fabric-new", {"name": "f", "max-nics": 4})
    weft.do("switch-new", {"fabric": 0, "ports": 2})
    weft.do("nic-attach", {"fabric": 0, "ifname": "w0"})
    weft.do("nic-attach", {"fabric": 0, "ifname": "w4",
                           "port-params": {"discipline": "credit",
                                           "vl": bytes(15) + b"\x0f"}})
    weft.do("switch-new", {"fabric": 0, "ports": 1, "port-params": {
        "discipline": "credit", "credit": [("blocks", 25), ("blocks", 24)]}})
    weft.do("link-new", {"fabric": 0, "a": {"nic": 0}, "b": SWITCH_END,
                         "wire": RATE})
    for switch, params in ((2, {"discipline": "pfc", "pfc": {"enable": 9}}),
                           (3, {"discipline": "pause"})):
        weft.do("switch-new", {"fabric": 0, "ports": 2, "port-params": params})
        weft.do("link-new", {"fabric": 0, "a": {"switch": switch, "port": 0},
                             "b": {"switch": switch, "port": 1}, "wire": RATE})


def table(test, weft):
    for command, values, error, text in (CASES + FAULT_CASES +
                                           TRAFFIC_CASES + PHASE_CASES +
                                           TRIGGER_CASES + AGGREGATOR_CASES):
        test.refused(f"{command} {values}"[:160], error, text, weft.do, command,
                     values)


def twice(test, weft):
    """One trail of a fabric for a socket; another socket may have its own."""
    other = Weft()
    other.do("trail-start", {"fabric": 0})
    weft.do("trail-start", {"fabric": 0})
    test.refused("a trail twice", "EEXIST",
                 "this socket follows the fabric already", weft.do,
                 "trail-start", {"fabric": 0})
    weft.do("trail-stop", {"fabric": 0})


def triggers(test, weft):
    """What something begins by stays; what began is not waited for."""
    weft.do("trigger-new", {"fabric": 0, "kind": MARK, "name": "a"})
    weft.do("fault-new", {**FAULT, "trigger": 0})
    test.refused("the end of a trigger that a fault holds", "EBUSY",
                 "1 faults or generators begin by it, "
                 "and it goes with the last of them", weft.do,
                 "trigger-del", {"fabric": 0, "id": 0})
    for command, values in (("fault-new", FAULT), ("traffic-new", TRAFFIC)):
        test.refused(f"{command} at a time and by a trigger", "EINVAL",
                     "either start or trigger, not both", weft.do, command,
                     {**values, "start": 1, "trigger": 0})
    weft.do("fault-del", {"fabric": 0, "id": 0})
    test.refused("a trigger that went with its fault", "ENOENT",
                 "fabric has no trigger of this id", weft.do, "trigger-get",
                 {"fabric": 0, "id": 0})
    weft.do("phase-set", {"fabric": 0, "rate": 1000, "least": 1})
    weft.do("trigger-new", {"fabric": 0, "kind": PHASED, "number": 2})
    test.refused("no more phases while a trigger waits for one", "EBUSY",
                 "1 triggers wait for a phase by traffic", weft.do,
                 "phase-set", {"fabric": 0, "rate": 0})
    weft.do("trigger-del", {"fabric": 0, "id": 0})
    weft.do("phase-set", {"fabric": 0, "rate": 0})
    weft.do("phase-set", {"fabric": 0, "rate": 1000, "least": 1})
    ip("link set w0 up")
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind(("w0", 0))
        sock.send(b"\xff" * 12 + b"\x88\xb5" + bytes(1000))
    ip("link set w0 down")
    test.refused("a phase that began", "ERANGE",
                 "it began already: 1 phases by traffic were found", weft.do,
                 "trigger-new", {"fabric": 0, "kind": PHASED, "number": 1})


def blamed(test, weft):
    """The attribute that is out of range, not the kind that has it."""
    of_rate = {"fabric": 0, "kind": RATED, "nic": 0, "rate": 1000}
    for values, expected in ((of_rate, "rate"),
                             ({**of_rate, "size": 125001}, "size")):
        try:
            weft.do("trigger-new", values)
            name = "nothing"
        except Refusal as refusal:
            # behind the headers of netlink and of the family
            kind = struct.unpack_from("=H", encode("trigger", values),
                                      refusal.offset - 20 + 2)[0]
            name = ATTRIBUTES["trigger"][kind - 1]
        test.result(name == expected, f"{expected} is blamed", name)


def trees(test, weft):
    """Aggregation nodes of one group at two switches, with two links between them."""
    a, b = (weft.make("switch-new", {"fabric": 0, "ports": 3}) for _ in range(2))
    for port in range(2):
        weft.do("link-new", {"fabric": 0, "a": {"switch": a, "port": port},
                             "b": {"switch": b, "port": port}, "wire": RATE})
    node = {**AGGREGATOR, "group": 2, "child": b"\2\0"}
    bottom = weft.make("aggregator-new", {**node, "switch": a, "parent": 0})
    test.refused("another Q_Key of the same group", "EINVAL",
                 "the group has another Q_Key at another switch", weft.do,
                 "aggregator-new", {**node, "switch": b, "qkey": 6})
    for what, values in (("a ring of parents", {"switch": b, "parent": 1}),
                         ("a parent that is the switch itself",
                          {"switch": 2, "child": b"\1\0", "parent": 0})):
        test.refused(what, "ELOOP", "the parents of the group lead back to this switch",
                     weft.do, "aggregator-new", {**node, **values})
    top = weft.make("aggregator-new", {**node, "switch": b})
    weft.do("aggregator-del", {"fabric": 0, "id": top})
    weft.do("aggregator-del", {"fabric": 0, "id": bottom})
    # the group is gone, and its Q_Key with it
    weft.do("aggregator-new", {**node, "switch": b, "qkey": 6, "parent": 1})


def limits(test, weft):
    """What takes many objects to reach."""
    def faults():
        for _ in range(1025):
            weft.do("fault-new", FAULT)
    test.refused("more faults than a fabric takes", "EBUSY",
                 "fabric has 1024 faults already", faults)

    def generators():
        for _ in range(1025):
            weft.do("traffic-new", {**TRAFFIC, "window": 1, "depth": 1,
                                    "after": 10 ** 15})
    test.refused("more generators than a fabric takes", "EBUSY",
                 "fabric has 1024 generators already", generators)

    def nic_triggers():
        for n in range(17):
            kind = {"kind": BYTES} if n % 2 else {"kind": RATED, "rate": 1000}
            weft.do("trigger-new", {"fabric": 0, "nic": 0, "size": 1000,
                                    **kind})
    test.refused("more triggers than may wait at a NIC", "EBUSY",
                 "16 triggers wait at this NIC already, more may not",
                 nic_triggers)

    def more_triggers():
        for _ in range(1009):
            weft.do("trigger-new", {"fabric": 0, "kind": MARK, "name": "a"})
    test.refused("more triggers than a fabric takes", "EBUSY",
                 "fabric has 1024 triggers already", more_triggers)
    weft.do("fabric-new", {"max-nics": 128})
    weft.do("aggregator-new", AGGREGATOR)
    test.refused("two aggregation nodes of a group at a switch", "EEXIST",
                 "the switch has an aggregation node of this group", weft.do,
                 "aggregator-new", AGGREGATOR)

    def aggregators():
        for n in range(64):
            weft.do("aggregator-new", {**AGGREGATOR, "group": 10 + n, "slots": 1})
    test.refused("more aggregation nodes than a switch takes", "EBUSY",
                 "the switch has 64 aggregation nodes already", aggregators)
    large = weft.make("switch-new", {"fabric": 0, "ports": 1024})
    test.refused("an aggregation node too large for the kernel's memory", "E2BIG",
                 r"it needs \d+ MiB of memory, allowed are 64", weft.do,
                 "aggregator-new", {
                     **AGGREGATOR, "slots": 65536,
                     "switch": large,
                     "child": struct.pack("=512H", *range(512))})
    test.refused("a switch too large for the kernel's memory", "E2BIG",
                 r"switch needs \d+ MiB of memory, allowed are 256", weft.do,
                 "switch-new", {"fabric": 1, "ports": 1024, "arbiter": 1,
                                "port-params": {"classes": 16}})
    weft.do("switch-new", {"fabric": 1, "ports": 8})

    def routes():
        for dst in range(81):
            ports = [("port", i) for i in range(8) if dst + 1 >> i & 1]
            weft.do("route-set", [("fabric", 1), ("switch", 0), ("dst", dst)] +
                    ports)
    test.refused("more port groups than the switch has", "ENOSPC",
                 "switch has no port group left: 80 different ones are in use",
                 routes)

    def fabrics():
        for _ in range(257):
            weft.do("fabric-new", {"max-nics": 1})
    test.refused("more fabrics than a namespace may have", "EBUSY",
                 "network namespace has 256 fabrics already", fabrics)
    weft.do("nic-attach", {"fabric": 2, "ifname": "w2",
                           "port-params": {"classes": 2}})
    test.refused("more NICs than the fabric takes", "EBUSY",
                 "fabric is full: 1 NICs", weft.do, "nic-attach",
                 {"fabric": 2, "ifname": "w1"})


def rtnl(test):
    test.refused("a NIC with a fabric", "EINVAL",
                 "fabric is read-only: attach the NIC by family weft",
                 new_link, 1)
    test.refused("a NIC with an id", "EINVAL",
                 "NIC id is read-only: attach the NIC by family weft",
                 new_link, 2)
    test.refused("a NIC with an address of a group", "EADDRNOTAVAIL",
                 "MAC address must be neither zero nor a group's", new_link,
                 address=b"\1\2\3\4\5\6")


def dumps(test, weft):
    for command in ("switch-get", "link-get", "nic-get", "route-get",
                    "fault-get", "traffic-get", "phase-get", "trigger-get",
                    "aggregator-get"):
        test.refused(f"dump of {command} without a fabric", "EINVAL",
                     "fabric id is missing", weft.do, command, {}, DUMP)
    test.refused("dump of routes without a switch", "EINVAL",
                 "switch id is missing", weft.do, "route-get", {"fabric": 0},
                 DUMP)


def unprivileged(test):
    """In a user namespace: its own fabrics, but not the NICs of others."""
    outside = os.open("/proc/self/ns/net", os.O_RDONLY)
    unshare(CLONE_NEWUSER | CLONE_NEWNET)
    weft = Weft()
    weft.do("fabric-new", {"name": "mine"})
    test.refused("a NIC in a namespace of others", "EPERM",
                 "CAP_NET_ADMIN is needed in the netdev's network namespace",
                 weft.do, "nic-attach", {"fabric": 0, "ifname": "w1",
                                         "netns-fd": outside})


def main():
    test = Test()
    print("KTAP version 1")
    unshare(CLONE_NEWNET)
    weft = Weft()
    build(weft)
    table(test, weft)
    dumps(test, weft)
    rtnl(test)
    twice(test, weft)
    triggers(test, weft)
    blamed(test, weft)
    trees(test, weft)
    limits(test, weft)
    unprivileged(test)
    print(f"1..{test.count}")
    sys.exit(1 if test.failed else 0)


if __name__ == "__main__":
    main()
