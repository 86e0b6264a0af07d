# SPDX-License-Identifier: GPL-2.0-or-later
"""devlink shows each switch, its ports and its buffer, and sets its limits.

	a -- switch -- b	100 Gb/s

The tool is always asked without "nice" names, for which older ones overwrite an
answer that they are still reading.
"""

import json
import os
import socket
import subprocess
import sys
import time

from ktap import expect, tell_documented
from netlink import CLONE_NEWNET, CLONE_NEWUSER, Weft, decode, unshare
from netns import SO_SNDBUFFORCE
from two_nodes import ADDRESS, Lab, udp

SO_PRIORITY = 12
PAYLOAD = 1400
FRAME = PAYLOAD + 42
DEV = "weft/fabric0-switch0"
TOTAL = 10 ** 7
LOSSLESS = [("port-params", {"discipline": "pfc", "pfc": {"enable": 255}})]


def accounts(threshold):
    return [("buffer-class", {"class": c, "threshold": threshold,
                              "headroom": 20000}) for c in range(8)]


def lossless_lab():
    """The switch has room for much, the NICs for little."""
    return Lab(LOSSLESS + accounts(10 ** 6) + [("buffer-total", TOTAL)],
               LOSSLESS + accounts(16384) + [("rx-buffer", 10 ** 6)])


def devlink(*words):
    return subprocess.run(["devlink", "-jn", *words], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def show(*words):
    done = devlink(*words)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def set_(*words):
    """0, or what the tool complains about."""
    done = devlink(*words)
    return done.returncode and done.stderr.splitlines()[0]


def pool():
    return show("sb", "pool", "show", DEV, "pool", "0")["pool"][DEV][0]


def port_pool(port):
    where = f"{DEV}/{port}"
    return show("sb", "port", "pool", "show", where, "pool",
                "0")["port_pool"][where][0]["threshold"]


def bind(port, cls):
    where = f"{DEV}/{port}"
    return show("sb", "tc", "bind", "show", where, "tc", str(cls), "type",
                "ingress")["tc_bind"][where][0]["threshold"]


def occupancy(port):
    """Bytes held and peak, of the port and of its classes, in a snapshot."""
    devlink("sb", "occupancy", "snapshot", DEV)
    where = f"{DEV}/{port}"
    found = show("sb", "occupancy", "show", where)["occupancy"][where]
    pairs = [(p["current"], p["max"]) for p in found["pool"].values()]
    classes = [(c["current"], c["max"]) for c in found["itc"].values()]
    return pairs[0], classes


def send(count, priority):
    s = udp("a")
    s.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, priority)
    # What is stopped waits in the socket, without blocking this program.
    s.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 22)
    for _ in range(count):
        s.sendto(bytes(PAYLOAD), (ADDRESS["b"], 5000))
    s.close()
    time.sleep(0.001)


def rx_used(lab):
    answer = lab.weft.do("nic-get", {"fabric": lab.fabric,
                                     "id": lab.nic["b"]})[0]
    return dict(decode("nic", answer[4:]))["rx-used"]


def about(problems):
    """A switch is an instance with its ports and its buffer."""
    lab = lossless_lab()
    expect(problems, "instances", [DEV], list(show("dev", "show")["dev"]))
    ports = show("port", "show")["port"]
    expect(problems, "ports", [f"{DEV}/0", f"{DEV}/1"], list(ports))
    expect(problems, "flavour", "physical", ports[f"{DEV}/1"]["flavour"])
    expect(problems, "number", 1, ports[f"{DEV}/1"]["port"])
    sb = show("sb", "show")["sb"][DEV][0]
    expect(problems, "buffer", (TOTAL, 1, 0, 8), tuple(
        sb[k] for k in ("size", "ing_pools", "eg_pools", "ing_tcs")))
    expect(problems, "pool", (TOTAL, "ingress", "static", 1), tuple(
        pool()[k] for k in ("size", "type", "thtype", "cell_size")))
    expect(problems, "class", 10 ** 6, bind(1, 7))
    lab.end()
    expect(problems, "afterwards", [], list(show("dev", "show")["dev"]))


def resources(problems):
    """Aggregation nodes of a switch are a resource of it."""
    lab = Lab([], [])

    def nodes():
        there = show("resource", "show", DEV)["resources"][DEV][0]
        return tuple(there[k] for k in ("name", "size", "unit", "occ"))
    expect(problems, "at first", ("aggregation-nodes", 64, "entry", 0), nodes())
    node = lab.weft.make("aggregator-new", {
        "fabric": lab.fabric, "group": 5, "switch": lab.switch, "child": b"\0\0\1\0",
        "qkey": 1})
    expect(problems, "with one", ("aggregation-nodes", 64, "entry", 1), nodes())
    lab.weft.do("aggregator-del", {"fabric": lab.fabric, "id": node})
    expect(problems, "without", ("aggregation-nodes", 64, "entry", 0), nodes())
    lab.end()


def no_pool(problems):
    """Credits have no shared buffer; without accounts there are no classes."""
    credit = [("port-params", {"discipline": "credit"})]
    lab = Lab(credit, credit)
    expect(problems, "instances", [DEV], list(show("dev", "show")["dev"]))
    expect(problems, "buffers with credits", {}, show("sb", "show")["sb"])
    lab.end()
    lab = Lab([], [])
    expect(problems, "classes without accounts", {},
           show("sb", "tc", "bind", "show")["tc_bind"])
    expect(problems, "a limit of one", "Error: the switch keeps no account "
           "of its classes.", set_("sb", "tc", "bind", "set", f"{DEV}/0", "tc",
                                   "0", "type", "ingress", "pool", "0", "th",
                                   "5"))
    lab.end()


def settings(problems):
    """What is set is read back; what cannot be is refused."""
    lab = lossless_lab()
    fixed = 2 * 8 * 20000	# headrooms
    at = ("sb", "pool", "set", DEV, "pool", "0", "size")
    expect(problems, "half", 0, set_(*at, str(TOTAL // 2), "thtype", "static"))
    expect(problems, "size", TOTAL // 2, pool()["size"])
    expect(problems, "more than there is",
           f"Error: the buffer has {TOTAL} bytes.",
           set_(*at, str(TOTAL + 1), "thtype", "static"))
    expect(problems, "less than the headrooms",
           f"Error: reserves and headrooms take {fixed} bytes.",
           set_(*at, str(fixed - 1), "thtype", "static"))
    expect(problems, "size as before", TOTAL // 2, pool()["size"])
    expect(problems, "dynamic", 0, set_(*at, str(TOTAL), "thtype", "dynamic"))
    expect(problems, "type", "dynamic", pool()["thtype"])
    expect(problems, "index of 2^0", 10, bind(0, 3))
    tc = ("sb", "tc", "bind", "set", f"{DEV}/0", "tc", "3", "type", "ingress",
          "pool", "0", "th")
    expect(problems, "2^-3", 0, set_(*tc, "7"))
    expect(problems, "index of it", [7, 10], [bind(0, 3), bind(1, 3)])
    expect(problems, "no index", "Error: the threshold of a dynamic pool is an "
           "index from 0 to 20, for 2^-10 to 2^10.", set_(*tc, "21"))
    port = ("sb", "port", "pool", "set", f"{DEV}/0", "pool", "0", "th")
    expect(problems, "share", 0, set_(*port, "50000"))
    expect(problems, "shares", [50000, TOTAL], [port_pool(0), port_pool(1)])
    set_(*port, "0")
    expect(problems, "share again", TOTAL, port_pool(0))
    lab.end()


def held(problems):
    """What a stopped receiver leaves in the switch is seen, and its peak."""
    lab = lossless_lab()
    lab.stop(1 << 3)
    send(100, 3)
    rest = 100 * FRAME - rx_used(lab)
    whole, classes = occupancy(0)
    expect(problems, "port", (rest, rest), whole)
    expect(problems, "classes", [0, 0, 0, rest, 0, 0, 0, 0],
           [now for now, _ in classes])
    expect(problems, "other port", (0, 0), occupancy(1)[0])
    lab.stop(0)
    time.sleep(0.001)
    expect(problems, "afterwards", (0, rest), occupancy(0)[0])
    expect(problems, "class afterwards", (0, rest), occupancy(0)[1][3])
    devlink("sb", "occupancy", "clearmax", DEV)
    expect(problems, "forgotten", ((0, 0), [(0, 0)] * 8), occupancy(0))
    expect(problems, "lost", [], lab.lost())
    lab.end()


def limited(problems):
    """A lower threshold of a class is where it stops the sender."""
    for threshold in (30000, 100000):
        lab = lossless_lab()
        set_("sb", "tc", "bind", "set", f"{DEV}/0", "tc", "3", "type",
             "ingress", "pool", "0", "th", str(threshold))
        lab.stop(1 << 3)
        send(120, 3)
        now = occupancy(0)[1][3][0]
        # The last frame to be shared begins below it; headroom comes on top.
        if not threshold - FRAME < now <= threshold + 20000:
            problems.append(f"{threshold}: {now} bytes are held")
        lab.stop(0)
        time.sleep(0.001)
        expect(problems, "lost", [], lab.lost())
        lab.end()


def in_child(call, *args):
    """Run CALL in a process of its own, which ends with it."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        found = []
        call(found, *args)
        os.write(write, json.dumps(found).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        found = answer.read()
    os.waitpid(pid, 0)
    return json.loads(found)


def make_switch(name):
    weft = Weft()
    fabric = weft.make("fabric-new", {"name": name})
    weft.do("switch-new", {"fabric": fabric, "ports": 4, "name": "leaf"})
    return weft, fabric


def elsewhere(problems):
    unshare(CLONE_NEWNET)
    make_switch("same")
    expect(problems, "in another namespace", ["weft/same-leaf-2"],
           list(show("dev", "show")["dev"]))


def unprivileged(problems):
    unshare(CLONE_NEWUSER | CLONE_NEWNET)
    make_switch("mine")
    dev = "weft/mine-leaf"
    expect(problems, "own instances", [dev], list(show("dev", "show")["dev"]))
    expect(problems, "own buffer", 1, len(show("sb", "show")["sb"][dev]))
    expect(problems, "setting", "kernel answers: Operation not permitted",
           set_("sb", "occupancy", "clearmax", dev))


def devices():
    return sorted(os.listdir("/sys/bus/weft/devices"))


def namespaces(problems):
    """Instances are in the namespace of their fabric, and end with it."""
    weft, fabric = make_switch("same")
    problems += in_child(elsewhere)
    problems += in_child(unprivileged)
    deadline = time.monotonic() + 5
    while len(devices()) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    expect(problems, "when they are gone", ["same-leaf"], devices())
    weft.do("fabric-del", {"id": fabric})
    expect(problems, "at the end", [], devices())


def watched(problems):
    """Switches come and go while somebody looks at them."""
    with subprocess.Popen(
            ["sh", "-c", "while sleep 0.0003; do devlink -n port; devlink -n "
             "sb occupancy snapshot weft/busy-leaf; devlink -n sb tc bind "
             "show; done"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as looking:
        for _ in range(25):
            weft, fabric = make_switch("busy")
            time.sleep(0.001)
            weft.do("fabric-del", {"id": fabric})
        looking.kill()
    expect(problems, "at the end", [], devices())


def main():
    sys.exit(tell_documented([about, resources, no_pool, settings, held, limited,
                              namespaces, watched]))


if __name__ == "__main__":
    main()
