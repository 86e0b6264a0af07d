# SPDX-License-Identifier: GPL-2.0-or-later
"""InfiniBand that the unmodified opensm manages.

Each topology has subnet-manager: external, and opensm runs in its first node.

Tools. All ports become ACTIVE. ibnetdiscover finds the links of the topology file, no
more and no less, compared after weft topology --import. Each pair of nodes exchanges
messages of verbs and of sockets. The tools of infiniband-diags end with 0. What they
print of a switch and of an adapter is what the topology has, and what opensm has set.
ibping is answered by another ibping. ibdiagnet finds no fault.

Removal. A link between two switches is taken out of the fabric. In the report it is one
link that changed, though both switches saw it.

Failure. A link that a connection uses is cut. The switch sends trap 128, opensm sweeps
and writes new tables, and the connection goes on over another path.

Engines. Each routing engine of opensm that fits the topology computes its tables, and
the switches hold what opensm's own dump says, read by dump_fts.

Loops. Seven switches in a ring, and host i sends to host i + 3: three links clockwise,
with shortest paths. So each buffer waits for the next one. ibdmchk finds a credit loop
in opensm's minhop tables, weft plan finds it in its own shortest paths, and the hosts
come to a standstill. With updn there is no loop in any of the three.

Standby. The node of the master loses its opensm. The other one, of lower priority,
becomes master and answers.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from ktap import expect, tell
from netlink import Refusal, Weft

TOOLS = ["sminfo", "saquery", "saquery -p", "saquery -g", "ibhosts", "ibswitches",
         "iblinkinfo", "ibqueryerrors", "ibstat", "ibaddr",
         "smpquery portinfo {lid} 1",
         "perfquery {lid} 1", "perfquery -x {lid} 1", "perfquery -a {lid}",
         "ibroute {lid}", "ibroute -M {lid}", "dump_fts", "ibtracert 1 {lid}",
         "ibccquery CI 1", "ibportstate {lid} 1 query"]
SWITCH_GUID = 0x0277656600000000	# of the first switch; others add their id
PINGS = 3
PAIRS = 5	# iterations of a ping-pong


def run(command, timeout=120):
    """A command of the shell; its exit code and output."""
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=timeout,
                          check=False)
    return done.returncode, done.stdout


def on(node, command, timeout=120):
    """A command in a node."""
    return run(f"weft exec {node} -- {command}", timeout)


class Managed:
    """A topology that opensm manages; a directory has opensm's files."""

    def __init__(self, topology, *keys):
        self.directory = tempfile.mkdtemp()
        code, out = run(f"weft up {topology} {' '.join(keys)} "
                        "subnet-manager=external --clock virtual")
        if code:
            raise ChildProcessError(out)
        self.nodes = [n["node"] for n in
                      json.loads(run("weft show nodes --json")[1])]
        self.managers = {}

    def log(self, node):
        return os.path.join(self.directory, f"{node}.log")

    def manage(self, node, *options):
        """Start opensm in a node, and wait until the subnet is up."""
        own = os.path.join(self.directory, node)
        os.makedirs(own)
        self.managers[node] = subprocess.Popen(
            ["weft", "exec", node, "--", "env", f"OSM_CACHE_DIR={own}",
             f"OSM_TMP_DIR={own}", "opensm", "-f", self.log(node), "-L", "3", "-d", "2",
             *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def said(self, node, what, times=1, wait=30):
        """Wait until opensm has logged a text so many times."""
        end = time.monotonic() + wait
        while time.monotonic() < end:
            time.sleep(0.05)
            if os.path.exists(self.log(node)):
                with open(self.log(node), encoding="utf-8") as f:
                    if f.read().count(what) >= times:
                        return True
        return False

    def logged(self, node):
        """What opensm logged: time of day and message, without threads."""
        with open(self.log(node), encoding="utf-8") as f:
            return [re.sub(r"^\S+ +\S+ (\S+ \S+) \[\w+\] ", r"\1 ", line.rstrip())
                    for line in f]

    def stop(self, node):
        """opensm of a node is killed, as when the node fails."""
        manager = self.managers.pop(node)
        manager.kill()
        manager.wait()

    def end(self):
        for node in list(self.managers):
            self.stop(node)
        run("weft down")
        shutil.rmtree(self.directory)


def ends(plan, link):
    """The names of the ends of a planned link: ports of switches, nodes."""
    nics = {}
    for node in plan["nodes"]:
        for nic in node["nics"]:
            nics[nic["id"]] = node["name"]
    return tuple(sorted(
        f"{plan['switches'][e['switch']]['name']}" if "switch" in e else
        nics[e["nic"]] for e in (link["a"], link["b"])))


def links(topology):
    """The links of a topology, by the names of their ends, sorted."""
    code, out = run(f"weft plan {topology} --json")
    if code:
        raise ChildProcessError(out)
    plan = json.loads(out)
    return sorted(ends(plan, link) for link in plan["links"])


def discovered(lab):
    """The same, as ibnetdiscover finds them."""
    dump = os.path.join(lab.directory, "ibnet")
    code, out = on(lab.nodes[0], f"ibnetdiscover > {dump}")
    if code:
        raise ChildProcessError(out)
    run(f"weft topology --import {dump} > {dump}.yaml")
    # Its paths are not opensm's, and do not matter here.
    with open(f"{dump}.yaml", "a", encoding="utf-8") as f:
        f.write("routing: {allow-cycles: on}\n")
    return links(f"{dump}.yaml")


def pong(problems, a, b):
    """A connection of verbs between two nodes."""
    server = subprocess.Popen(
        ["weft", "exec", b, "--", "ibv_rc_pingpong", "-n", str(PAIRS)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.02)
    code, out = on(a, f"ibv_rc_pingpong -n {PAIRS} {b}")
    if code:
        server.kill()
        problems.append(f"{a} to {b}: {out[-200:]}")
    server.wait()


def all_pairs(problems, nodes):
    for i, a in enumerate(nodes):
        for b in nodes[i + 1:]:
            pong(problems, a, b)
            code, out = on(a, f"ping -q -c 1 -W 1 {b}")
            expect(problems, f"ping {a} {b}: {out[-100:]}", 0, code)


def fields(node, tool):
    """What a tool prints as KEY:....VALUE; with the exit code as key 'code'."""
    code, out = on(node, tool)
    found = dict(re.findall(r"^(\w[\w ]*):\.*(.*?) *$", out, re.M))
    return {"code": code, **found}


def holds(problems, what, found, **law):
    """Fields of a tool's output, after which it ended with 0."""
    expect(problems, f"{what}: exit code", 0, found["code"])
    for key, value in law.items():
        expect(problems, f"{what}: {key}", value, found.get(key))


def holds_switch(problems, node, switches):
    """smpquery of the switch next to a node, by its directed route and by its LID."""
    found = fields(node, "smpquery -D nodeinfo 0,1")
    guid = int(found["Guid"], 16)
    switch = switches[guid - SWITCH_GUID]
    holds(problems, "nodeinfo", found, NodeType="Switch",
          NumPorts=str(switch["ports"]), PortGuid=found["Guid"])
    lid = fields(node, "smpquery -D portinfo 0,1 0")["Lid"]
    for query in ("-D", "0,1"), ("", lid):
        holds(problems, "nodedesc",
              fields(node, f"smpquery {query[0]} nodedesc {query[1]}"),
              **{"Node Description": switch["name"]})
        holds(problems, "portinfo", fields(
            node, f"smpquery {query[0]} portinfo {query[1]} "
            f"{found['LocalPort']}"), LinkState="Active", PhysLinkState="LinkUp",
            VLCap="VL0-7", NeighborMTU="4096", PartEnforceInb="0")
    top = max(int(n, 0) for n in re.findall(r" lid (\d+)", on(
        node, "ibnetdiscover")[1]))
    holds(problems, "switchinfo", fields(node, f"smpquery switchinfo {lid}"),
          LinearFdbCap="49152", LinearFdbTop=str(top), InboundPartEnf="0")
    code, out = on(node, f"smpquery pkeys {lid} 0")
    expect(problems, "pkeys", (0, ["0xffff"]),
           (code, re.findall(r"0x[0-9a-f]{4}\b(?<!0x0000)", out)))
    # without a table of the topology, SLs beyond 8 VLs have the last one
    holds_tables(problems, node, lid,
                 switch.get("vl", [min(sl, 7) for sl in range(16)]))


def holds_tables(problems, node, lid, vls):
    """Tables of port 1 of a switch, with the VL of each SL as planned."""
    code, out = on(node, f"smpquery sl2vl {lid} 1")
    rows = re.findall(r"^ports: in +(\d+), out +1: \|(.*)\|$", out, re.M)
    expect(problems, "sl2vl", 0, code)
    expect(problems, "rows of sl2vl", True, len(rows) > 1)
    for port, row in rows:
        expect(problems, f"sl2vl from port {port}", vls,
               [int(vl) for vl in row.split("|")])
    code, dump = on(node, f"smpdump {lid} 0x17 0x0201")
    expect(problems, "smpdump of a row", (0, "".join(f"{vl:x}" for vl in vls)),
           (code, "".join(dump.split()[:4])))
    code, out = on(node, f"smpquery vlarb {lid} 1")
    expect(problems, "vlarb", 0, code)
    low, high = (re.findall(rf"{name} priority VL Arbitration Table:.*\n"
                            r"VL *: \|(.*)\|\n *WEIGHT *: *\|(.*)\|", out)[0]
                 for name in ("Low", "High"))
    expect(problems, "low table", [f"0x{i:X}" for i in range(1, 8)],
           [vl.strip() for vl, weight in zip(*(t.split("|") for t in low))
            if int(weight, 16)])
    expect(problems, "high table", ["0x0"],
           [vl.strip() for vl, weight in zip(*(t.split("|") for t in high))
            if int(weight, 16)])


def holds_adapter(problems, node):
    """smpquery and ibstat of a node's adapter."""
    code, out = on(node, "ibstat")
    stat = {k: v for k, v in re.findall(r"^\s+(\w[\w ]*): (.*)$", out, re.M)}
    expect(problems, "ibstat", 0, code)
    expect(problems, "state", ("Active", "LinkUp", "InfiniBand"),
           tuple(stat.get(k) for k in ("State", "Physical state", "Link layer")))
    expect(problems, "rate", "400", stat.get("Rate"))
    lid = stat["Base lid"]
    holds(problems, "nodeinfo of an adapter",
          fields(node, f"smpquery nodeinfo {lid}"), NodeType="Channel Adapter",
          NumPorts="1", PortGuid=stat["Port GUID"])
    holds(problems, "portinfo of an adapter",
          fields(node, f"smpquery portinfo {lid}"), Lid=lid, SMLid=stat["SM lid"],
          LinkState="Active", LinkWidthActive="4X")
    code, out = on(node, f"smpquery guidinfo {lid}")
    expect(problems, "guids", (0, [stat["Port GUID"]]),
           (code, re.findall(r"0x[0-9a-f]{16}\b(?<!0x0{16})", out)))
    # NVIDIA's own attribute, and one of CapabilityMask2: refused by who lacks them.
    for query, why in (("mepi", "Mellanox ext port info query failed"),
                       ("pie", "port info extended not supported")):
        code, out = on(node, f"smpquery {query} {lid} 1")
        expect(problems, f"{query}: {out[-200:]}", (255, True), (code, why in out))


def pings(problems, lab):
    """ibping of the last node, by the first one."""
    server = subprocess.Popen(["weft", "exec", lab.nodes[-1], "--", "ibping", "-S"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.05)
    lid = fields(lab.nodes[-1], "smpquery -D portinfo 0 1")["Lid"]
    code, out = on(lab.nodes[0], f"ibping -c {PINGS} {lid}")
    expect(problems, f"ibping: {out[-200:]}", (0, True),
           (code, f"{PINGS} packets transmitted, {PINGS} received, 0% packet loss"
            in out))
    server.kill()
    server.wait()


def diagnosed(problems, topology, *keys):
    """ibdiagnet of ibutils finds all nodes, and no fault."""
    lab = Managed(topology, *keys)
    first = lab.nodes[0]
    lab.manage(first)
    lab.said(first, "SUBNET UP")
    code, out = on(first, f"ibdiagnet -o {lab.directory}", 300)
    expect(problems, f"ibdiagnet: {out[-500:]}", 0, code)
    stages = re.findall(r"^ +(\w.*?)  +(\d+)  +(\d+) *$", out, re.M)
    expect(problems, "stages with errors", [], [s for s in stages if s[1] != "0"])
    expect(problems, "stages", True, len(stages) >= 6)
    expect(problems, "hosts of the partition", True,
           f"Hosts:{len(lab.nodes)} full:{len(lab.nodes)} limited:0" in out)
    lab.end()


def tools(problems, topology, *keys):
    """Unmodified tools on a topology that ships."""
    plan = json.loads(run(f"weft plan {topology} {' '.join(keys)} --json")[1])
    lab = Managed(topology, *keys)
    first = lab.nodes[0]
    lab.manage(first)
    expect(problems, "the subnet came up", True, lab.said(first, "SUBNET UP"))
    expect(problems, "errors in opensm's log", [],
           [line for line in lab.logged(first) if " ERR " in line])
    _, out = on(first, "iblinkinfo")
    expect(problems, "ports that are not active", [],
           [line for line in out.splitlines()
            if "==>" in line and "Active/  LinkUp" not in line])
    expect(problems, "links", links(f"{topology} {' '.join(keys)}"),
           discovered(lab))
    _, out = on(first, "ibswitches")
    lid = re.search(r" lid (\d+) ", out)[1]
    for tool in TOOLS:
        code, out = on(first, tool.format(lid=lid))
        expect(problems, f"{tool}: {out[-200:]}", 0, code)
    holds_switch(problems, first, plan["switches"])
    holds_adapter(problems, lab.nodes[-1])
    pings(problems, lab)
    all_pairs(problems, lab.nodes)
    lab.end()


def cut(problems):
    """A link is cut under a connection."""
    lab = Managed("fat-tree-k4", "profile=ib-ndr")
    lab.manage("host0")
    lab.said("host0", "SUBNET UP")
    _, before = on("host0", "ibtracert -G 0xafffe000001 0xafffe000005")
    used = re.search(r'"leaf0".*?"(agg\d)"', before, re.S)[1]
    server = subprocess.Popen(
        ["weft", "exec", "host4", "--", "ibv_rc_pingpong", "-n", "2000",
         "-s", "65536"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.02)
    client = subprocess.Popen(
        ["weft", "exec", "host0", "--", "ibv_rc_pingpong", "-n", "2000",
         "-s", "65536", "host4"], stdout=subprocess.DEVNULL)
    time.sleep(0.005)
    run(f"weft set link leaf0-{used} down")
    expect(problems, "a sweep after the cut", True,
           lab.said("host0", "SUBNET UP", 2))
    client.wait()
    expect(problems, "exit codes", (0, 0), (client.returncode, server.wait()))
    _, after = on("host0", "ibtracert -G 0xafffe000001 0xafffe000005")
    expect(problems, "the old path is used no more", False,
           f'"{used}"' in after)
    found = lab.logged("host0")
    traps = [line for line in found if "num:128" in line]
    expect(problems, "traps", True, bool(traps))
    changes = json.loads(run("weft report --json")[1])["management"]["changes"]
    expect(problems, "changes in the report", [None, f"leaf0-{used}"],
           [c.get("link") for c in changes])
    lab.end()


def tables(text):
    """Ports by switch GUID and LID, of a dump of forwarding tables."""
    found, switch = {}, None
    for line in text.splitlines():
        head = re.search(r"Unicast lids .* guid 0x0*([0-9a-f]+)", line)
        if head:
            switch = head[1]
        entry = re.match(r"(0x[0-9a-f]{4}) (\d{3})\b", line)
        if entry:
            found[switch, int(entry[1], 16)] = int(entry[2])
    return found


def engine(problems, name, topology, *keys, options=()):
    """The tables of a routing engine."""
    lab = Managed(topology, *keys)
    first = lab.nodes[0]
    lab.manage(first, "-R", name, "-D", "0x43", "-p", "5", *options)
    lab.said(first, "SUBNET UP")
    expect(problems, "the engine", True,
           lab.said(first, f"{name} tables configured on all switches", wait=1))
    with open(os.path.join(lab.directory, first, "opensm-lfts.dump"),
              encoding="utf-8") as f:
        dumped = tables(f.read())
    code, out = on(first, "dump_fts")
    expect(problems, "dump_fts", 0, code)
    expect(problems, "size of the tables", True, len(dumped) > 8)
    expect(problems, "tables", dumped, tables(out))
    all_pairs(problems, lab.nodes[:1] + lab.nodes[-2:])
    if options:
        expect(problems, "ibdmchk finds no loop", True,
               "no credit loops found" in checked(lab, first))
    lab.end()


def seed(topology):
    """The configuration of torus-2QoS: a switch, and a neighbour in each dimension."""
    plan = json.loads(run(f"weft plan {topology} --json")[1])
    near = {}
    for link in plan["links"]:
        a, b = (link[end].get("switch") for end in "ab")
        if a is not None and b is not None:
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
    x = min(near[0])
    # Rings of three: who is in that of x is a neighbour of x.
    y = min(near[0] - near[x] - {x})
    guid = [SWITCH_GUID + i for i in (0, x, y)]
    return (f"torus 3 3 1\nxp_link {guid[0]:#x} {guid[1]:#x}\n"
            f"yp_link {guid[0]:#x} {guid[2]:#x}\n")


def torus(problems, topology):
    """torus-2QoS, which needs a seed, QoS, and two VLs for data at least."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
        f.write(seed(topology))
        f.flush()
        engine(problems, "torus-2QoS", topology,
               options=("-Q", "--torus_config", f.name))


RING = """name: ring
profile: ib-ndr
routing: {policy: %s, allow-cycles: on}
nodes: [{name: "host[0-6]"}]
switches: [{name: "s[0-6]"}]
links:
  - {ends: ["host[0-6]", "s[0-6]"]}
  - {ends: ["s[0-5]", "s[1-6]"]}
  - {ends: [s6, s0]}
"""


def checked(lab, node):
    """What ibdmchk says of the dumps of a node's opensm."""
    own = os.path.join(lab.directory, node)
    # Debian's ibdmchk ends with SIGSEGV after its last line.
    return run(f"cd {own} && ibdmchk -s opensm-subnet.lst -f opensm.fdbs "
               "-m opensm.mcfdbs -r 0,1")[1]


def received():
    """Packets that the hosts have received."""
    return [p["rx_packets"] for p in
            json.loads(run("weft show ports --json")[1])
            if p["port"].startswith("host")]


def ring(problems, name, policy, loops):
    """A ring of seven, with and without credit loops."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(RING % policy)
        f.flush()
        _, plan = run(f"weft plan {f.name} --json")
        lab = Managed(f.name)
    roots = os.path.join(lab.directory, "roots")
    with open(roots, "w", encoding="utf-8") as f:
        f.write("0x0277656600000000\n")
    lab.manage("host0", "-R", name, "-a", roots, "-D", "0x43")
    lab.said("host0", "SUBNET UP")
    lab.said("host0", f"{name} tables configured on all switches", wait=1)
    expect(problems, "weft plan finds a loop", loops,
           "can wait for each other" in plan)
    found = checked(lab, "host0")
    expect(problems, "ibdmchk finds a loop", loops,
           "credit loops in routing" in found)
    expect(problems, "ibdmchk finds none", not loops,
           "no credit loops found" in found)
    for i in range(7):
        code, out = run(f"weft traffic add incast from=host{i} to=host{(i + 3) % 7}")
        expect(problems, f"traffic: {out}", 0, code)
    time.sleep(0.01)
    before = received()
    time.sleep(0.01)
    expect(problems, "a standstill", loops, before == received())
    lab.end()


def refusal(command, values):
    """Why the fabric refuses a command; None if it does not."""
    fabric = json.loads(run("weft show fabric --json")[1])[0]["id"]
    try:
        Weft().do(command, {"fabric": fabric, **values})
    except Refusal as why:
        return why.text
    return None


def refused(problems):
    """Routes by netlink, as the subnet manager writes them; ports without a number."""
    lab = Managed("ib-8")
    expect(problems, "a route",
           "a subnet manager writes the tables of this switch",
           refusal("route-set", {"switch": 0, "dst": 0, "port": 0}))
    for ports, why in (
            (254, None),
            (255, "a subnet manager knows 254 ports of a switch at most")):
        expect(problems, f"{ports} ports", why, refusal(
            "switch-new", {"name": f"wide{ports}", "ports": ports,
                           "port-params": {"discipline": "credit"}}))
    lab.end()


def removed(problems):
    """A link between two switches is taken out: both tell, and it counts once."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(RING % "min-hop")
        f.flush()
        lab = Managed(f.name)
    lab.manage("host0")
    expect(problems, "the subnet came up", True, lab.said("host0", "SUBNET UP"))
    link = next(i for i in json.loads(run("weft show links --json")[1])
                if i["link"] == "s2-s3")
    expect(problems, "removal", None, refusal("link-del", {"id": link["id"]}))
    expect(problems, "a sweep after that", True,
           lab.said("host0", "SUBNET UP", 2))
    changes = json.loads(run("weft report --json")[1])["management"]["changes"]
    expect(problems, "changes in the report", [None, 1],
           [c.get("links") for c in changes])
    lab.end()


def standby(problems):
    """The master is killed, and the standby takes over."""
    lab = Managed("ib-8")
    lab.manage("host0", "-p", "5")
    lab.said("host0", "SUBNET UP")
    lab.manage("host1", "-p", "1")
    expect(problems, "the second one waits", True,
           lab.said("host1", "Entering STANDBY state"))
    _, out = on("host2", "sminfo")
    expect(problems, "master before", True, "guid 0xafffe000001" in out)
    lab.stop("host0")
    expect(problems, "takeover", True,
           lab.said("host1", "Entering MASTER state", wait=120))
    expect(problems, "the subnet is up again", True,
           lab.said("host1", "SUBNET UP", wait=120))
    _, out = on("host2", "sminfo")
    expect(problems, f"master after: {out}", True, "guid 0xafffe000002" in out)
    pong(problems, "host3", "host7")
    lab.end()


if __name__ == "__main__":
    sys.exit(tell(
        [(f"{t[0]}: all tools, all pairs", tools, *t) for t in (
            ("ib-8",), ("fat-tree-k4", "profile=ib-ndr"), ("dragonfly-12",),
            ("torus-3x3",))] +
        [(f"engine {e} on {t[0]}", engine, e, *t) for e, t in (
            ("minhop", ("ib-8",)),
            ("updn", ("fat-tree-k4", "profile=ib-ndr")),
            ("ftree", ("fat-tree-k4", "profile=ib-ndr")),
            ("sssp", ("dragonfly-12",)), ("dfsssp", ("dragonfly-12",)),
            ("nue", ("dragonfly-12",)), ("lash", ("torus-3x3",)),
            ("dor", ("torus-3x3",)))] +
        [("engine torus-2QoS on torus-3x3", torus, "torus-3x3"),
         ("ib-8: ibdiagnet", diagnosed, "ib-8")] +
        [("credit loops of minhop on a ring", ring, "minhop", "min-hop", True),
         ("no credit loops of updn on a ring", ring, "updn", "up-down", False)] +
        [("what a managed fabric refuses", refused),
         ("a link is taken out", removed)] +
        [("a link fails under a connection", cut),
         ("a standby takes over", standby)]))
