# SPDX-License-Identifier: GPL-2.0-or-later
"""The netlink family weft, spoken without a library.

As a program: netlink.py COMMAND [NAME=NUMBER]..., one request.
"""

import ctypes
import errno
import os
import socket
import struct
import sys

NETLINK_ROUTE, NETLINK_GENERIC, SOL_NETLINK = 0, 16, 270
NETLINK_ADD_MEMBERSHIP = 1
NETLINK_CAP_ACK, NETLINK_EXT_ACK = 10, 11
NLMSG_ERROR, NLMSG_DONE = 2, 3
REQUEST, ACK, DUMP = 1, 4, 0x300
CAPPED, ACK_TLVS = 0x100, 0x200
NESTED = 0x8000
GENL_ID_CTRL = 16
RTM_NEWLINK = 16
IFLA_ADDRESS, IFLA_IFNAME, IFLA_LINKINFO = 1, 3, 18
IFLA_INFO_KIND, IFLA_INFO_DATA = 1, 2
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000

# Commands and attributes of linux/weft.h, by the names of its specification.
COMMANDS = """fabric-new fabric-del fabric-get fabric-ntf fabric-del-ntf
    switch-new switch-del switch-get switch-ntf switch-del-ntf
    link-new link-set link-del link-get link-ntf link-del-ntf
    nic-attach nic-detach nic-get nic-ntf nic-del-ntf
    route-set route-del route-get nic-set switch-set
    capture-start capture-stop capture-frame fault-new fault-del fault-get
    fault-ntf fault-del-ntf trail-start trail-stop trail-step
    traffic-new traffic-del traffic-get traffic-ntf traffic-del-ntf
    fabric-set phase-set phase-get phase-ntf
    trigger-new trigger-del trigger-get trigger-ntf trigger-del-ntf
    aggregator-new aggregator-del aggregator-get aggregator-ntf
    aggregator-del-ntf""".split()
ATTRIBUTES = {
    "fabric": "id name seed dilation max-nics late-bound now late-events "
              "lateness counter host-drop cpu",
    "switch": "fabric id name ports latency forward arbiter select "
              "buffer-total buffer-per-port port-params buffer-used "
              "buffer-peak buffer-class sl2vl vl in-port out-port lmc "
              "flowlets flowlet-gap quantum sma-latency arn-hold arn-queue "
              "arn-sent arn-heard reduced",
    "link": "fabric id name a b wire",
    "nic": "fabric id name ifindex ifname netns-fd netnsid address "
           "segmentation tx-latency rx-latency port-params counter drop "
           "latency class rx-rate rx-stop rx-buffer buffer-class rx-used "
           "rx-peak verbs rdma-device moderation neighbour-prefix "
           "neighbour-eui64",
    "moderation": "rx-usecs rx-frames adaptive-rx counter",
    "verbs": "doorbell process message-rate pcie-rate qp-cache qp-miss "
             "ack-every congestion cnp-sl dcqcn ibcc counter ordering "
             "reorder-time target-delay kind paths retransmit-time",
    "dcqcn": "g alpha-timer reduce-period increase-timer byte-reset threshold "
             "ai-rate hai-rate min-rate clamp-target cnp-interval "
             "initial-alpha",
    "ibcc": "increase limit min timer cct",
    "route": "fabric switch dst dst-last flood port",
    "port-params": "classes queue-limit weight quantum discipline react ipd "
                   "scheduler vlarb pfc credit flit age red mark-at fecn trim "
                   "vl cbfc llr",
    "pfc": "enable quanta watchdog poll detect restore",
    "credit": "blocks block header period eager refresh",
    "cbfc": "limit size overhead spacing repeat sync",
    "llr": "replay spacing repeat",
    "flit": "hdr data payload unit replay header control carry repeat",
    "vlarb": "high low high-limit",
    "age": "hoq life stall-count",
    "red": "class kmin kmax pmax",
    "fecn": "threshold packet-size marking-rate victim",
    "trim": "classes class len",
    "buffer-class": "class reserve headroom xon threshold alpha",
    "class-state": "class counter",
    "end": "switch port nic",
    "wire": "direction rate propagation overhead min-frame bits-per-error up "
            "counter drop payload unit lanes lanes-up class",
    "counter": "name value",
    "capture": "fabric link snaplen direction time length data class sl dst "
               "flags control lost",
    "fault": "fabric id link direction kind rate lanes delay jitter "
             "probability burst bits-per-error start after duration period "
             "count seed state next counter classes kmin kmax pmax "
             "switch dst flows port size trigger",
    "traffic": "fabric id group pattern nic dst sl size rate depth window on "
               "off drawn-times drawn-dsts start after duration bytes seed "
               "message messages state inside counter trigger",
    "phase": "fabric id rate least quiet nic name open begin end nics "
             "nic-bytes link direction busy counter latency missed number",
    "trigger": "fabric id kind name number nic rate size sent at found",
    "aggregator": "fabric id group switch child parent slots latency qkey "
                  "results late refused busy peak down lost to",
    "trail": "fabric snaplen what time id parent switch port ready until "
             "queued length segments class sl dst flags reason data lost",
    "control": "type enable quanta op vl fctbs fccl flags seq hdr data freed "
               "consumed",
}
ATTRIBUTES = {k: v.split() for k, v in ATTRIBUTES.items()}
NESTS = {"a": "end", "b": "end", "wire": "wire", "port-params": "port-params",
         "counter": "counter", "drop": "counter", "pfc": "pfc",
         "credit": "credit", "flit": "flit", "cbfc": "cbfc",
         "llr": "llr", "vlarb": "vlarb", "age": "age",
         "red": "red", "fecn": "fecn", "trim": "trim",
         "buffer-class": "buffer-class", "verbs": "verbs", "dcqcn": "dcqcn",
         "ibcc": "ibcc", "moderation": "moderation"}
# The same names are numbers elsewhere.
STATES = {("wire", "class"): "class-state", ("nic", "class"): "class-state",
          ("capture", "control"): "control"}
BYTES = {"name", "ifname", "address", "discipline", "high", "low", "vl",
         "cct", "rdma-device", "child"}
WIDE = {"seed", "late-bound", "latency", "buffer-total", "buffer-per-port",
        "tx-latency", "rx-latency", "rate", "propagation", "bits-per-error",
        "value", "buffer-used", "buffer-peak", "flowlet-gap", "sma-latency",
        "arn-hold", "reduced", "arn-sent", "arn-heard",
        "rx-rate", "rx-buffer", "rx-used", "rx-peak", "react", "poll", "detect",
        "restore", "period", "refresh", "repeat", "hoq", "life", "doorbell",
        "process", "message-rate", "pcie-rate", "qp-miss", "reorder-time", "target-delay",
        "retransmit-time",
        "alpha-timer", "reduce-period", "increase-timer", "byte-reset", "ai-rate", "hai-rate",
        "min-rate", "cnp-interval", "timer", "delay", "jitter", "start",
        "after", "duration", "next", "size", "on", "off", "bytes", "least",
        "quiet", "begin", "end", "nic-bytes", "busy", "missed", "sent", "sync", "at",
        "found", "results", "late", "refused", "lost"}
# And the same name is narrow there.
NARROW = {("traffic", "size"), ("cbfc", "size"), ("cbfc", "repeat")}

libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags):
    if libc.unshare(flags):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def attribute(kind, payload):
    raw = struct.pack("=HH", len(payload) + 4, kind) + payload
    return raw + bytes(-len(raw) % 4)


def encode(kinds, values):
    """The attributes of VALUES, a dict or (for repeated names) pairs."""
    out = b""
    for name, value in values.items() if isinstance(values, dict) else values:
        kind = ATTRIBUTES[kinds].index(name) + 1
        if isinstance(value, (dict, list)):
            out += attribute(kind | NESTED, encode(NESTS[name], value))
        elif isinstance(value, str):
            out += attribute(kind, value.encode() + b"\0")
        elif isinstance(value, bytes):
            out += attribute(kind, value)
        elif value is True:
            out += attribute(kind, b"")
        elif (kinds, name) not in NARROW and (
                name in WIDE or (kinds, name) == ("buffer-class", "threshold")):
            out += attribute(kind, struct.pack("=Q", value))
        else:
            out += attribute(kind, struct.pack("=I", value & 0xffffffff))
    return out


def decode(kinds, raw):
    """The attributes in RAW, which holds KINDS, as pairs of name and value.

    A nest is a list of pairs; what is neither a nest nor a number is bytes.
    """
    pairs = []
    while len(raw) >= 4:
        size, kind = struct.unpack_from("=HH", raw)
        name = ATTRIBUTES[kinds][(kind & ~NESTED) - 1]
        value, raw = raw[4:size], raw[(size + 3) & ~3:]
        nest = STATES.get((kinds, name)) or NESTS.get(name)
        if nest:
            value = decode(nest, value)
        elif name not in BYTES and len(value) in (4, 8):
            value = int.from_bytes(value, sys.byteorder,
                                   signed=name == "alpha")
        pairs.append((name, value))
    return pairs


def attributes(raw):
    """The attributes in RAW, by kind."""
    found = {}
    while len(raw) >= 4:
        size, kind = struct.unpack_from("=HH", raw)
        found[kind & ~NESTED] = raw[4:size]
        raw = raw[(size + 3) & ~3:]
    return found


class Refusal(Exception):
    """What the kernel said: the error, its text, and where the attribute is."""

    def __init__(self, error, text, offset=None):
        super().__init__(f"{errno.errorcode.get(error, error)}: {text}")
        self.error = error
        self.text = text
        self.offset = offset


class Netlink:
    """A netlink socket that understands extended acknowledgements."""

    def __init__(self, protocol):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                    protocol)
        self.socket.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.socket.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.socket.bind((0, 0))
        self.sequence = 0

    def request(self, kind, payload, flags=0):
        """Send a request; the payloads of the answers, or Refusal."""
        self.sequence += 1
        self.socket.send(struct.pack("=IHHII", 16 + len(payload), kind,
                                     REQUEST | ACK | flags, self.sequence, 0) +
                         payload)
        answers = []
        while True:
            raw = self.socket.recv(1 << 17)
            while raw:
                size, kind, flags = struct.unpack_from("=IHH", raw)
                message, raw = raw[16:size], raw[(size + 3) & ~3:]
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    self.verdict(kind, flags, message)
                    return answers
                answers.append(message)

    @staticmethod
    def verdict(kind, flags, message):
        error = -struct.unpack_from("=i", message)[0]
        if error <= 0:
            return
        head = 4
        if kind == NLMSG_ERROR:
            size = struct.unpack_from("=I", message, 4)[0]
            head += 16 if flags & CAPPED else (size + 3) & ~3
        tlvs = attributes(message[head:]) if flags & ACK_TLVS else {}
        offset = struct.unpack("=I", tlvs[2])[0] if 2 in tlvs else None
        raise Refusal(error, tlvs.get(1, b"").rstrip(b"\0").decode(), offset)


class Weft(Netlink):
    """The generic netlink family "weft"."""

    def __init__(self):
        super().__init__(NETLINK_GENERIC)
        answer = self.request(GENL_ID_CTRL, struct.pack("=BBH", 3, 1, 0) +
                              attribute(2, b"weft\0"))
        self.about = attributes(answer[0][4:])
        self.family = struct.unpack("=H", self.about[1])[0]

    def do(self, command, values, flags=0):
        kinds = command.split("-", maxsplit=1)[0]
        number = COMMANDS.index(command) + 1
        return self.request(self.family, struct.pack("=BBH", number, 1, 0) +
                            encode(kinds, values), flags)

    def make(self, command, values):
        """Have an object made: its number."""
        kind = command.split("-", maxsplit=1)[0]
        return dict(decode(kind, self.do(command, values)[0][4:]))["id"]

    def listen(self):
        """Have this socket receive the family's events."""
        group = attributes(attributes(self.about[7])[1])
        self.socket.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
                               struct.unpack("=I", group[2])[0])

    def event(self):
        """The next event: command, attributes by name; None without one."""
        self.socket.settimeout(1)
        try:
            raw = self.socket.recv(1 << 17)
        except TimeoutError:
            return None
        command = COMMANDS[raw[16] - 1]
        names = ATTRIBUTES[command.split("-", maxsplit=1)[0]]
        found = attributes(raw[20:])
        return command, {n: found[i + 1] for i, n in enumerate(names)
                         if i + 1 in found}


def main():
    values = {}
    for word in sys.argv[2:]:
        name, value = word.split("=")
        values[name] = int(value)
    try:
        Weft().do(sys.argv[1], values)
    except Refusal as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    main()
