#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients of weftd, well-behaved and not: usage: weftd.py TEST"""

# read now: another user may not be able to
import encodings.idna  # noqa: F401
import http.client
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import time

from ktap import expect, expect_in

SOCKET = "/run/weft/weftd.sock"
TOKEN = "/run/weft/http.token"
NOBODY = 65534


def connect():
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(50)
    client.connect(SOCKET)
    return client


def ask(client, line):
    client.sendall(line + b"\n")
    return json.loads(client.makefile().readline())


def answers(problems):
    """weftd still answers"""
    with connect() as client:
        expect(problems, "ping", True,
               ask(client, b'{"do": "status"}').get("running"))


def requests(problems):
    """wrong requests"""
    what = "labs, record-start, record-stop, scenario-start, scenario-status, scenario-stop, shutdown, status"
    with connect() as client:
        for line, text in (
                (b"", 'expected a JSON object with "do"'),
                (b"[1]", 'expected a JSON object with "do"'),
                (b'{"do": 1}', 'expected a JSON object with "do"'),
                (b'{"do": "fly"', 'expected a JSON object with "do"'),
                (b"\xff\x00\xfe", 'expected a JSON object with "do"'),
                (b"[" * 60000, 'expected a JSON object with "do"'),
                (b'{"do": "scenario-stop"}',
                 'expected "lab" with the name of a lab'),
                (b'{"do": "scenario-stop", "lab": "none"}',
                 'weftd knows no lab "none" that is up'),
                (b'{"do": "scenario-stop", "lab": "one"}',
                 'lab "one" has no scenario: `weft scenario start` plays one'),
                (b'{"do": "scenario-start", "lab": "one", "file": "x.yaml"}',
                 'expected "file" with an absolute path'),
                (b'{"do": "fly"}', f'do: "fly": expected one of {what}')):
            reply = ask(client, line)
            expect(problems, f"error of {line[:20]}", text, reply.get("error"))
            expect(problems, f"kind of {line[:20]}", 1, reply.get("kind"))
    answers(problems)


def together(problems):
    """many requests in one packet, and no more"""
    with connect() as client:
        client.sendall(b'{"do": "labs"}\n' * 500)
        client.shutdown(socket.SHUT_WR)
        lines = client.makefile().readlines()
    expect(problems, "replies", 500, len(lines))
    expect(problems, "each", {'"labs"'}, {x[1:7] for x in lines})


def garbage(problems):
    """lines without an end, halves, and silence"""
    with connect() as client:
        client.sendall(b"x" * 65536)
        expect(problems, "too long",
               {"error": "the request is too long", "kind": 1},
               json.loads(client.makefile().readline()))
        expect(problems, "and the end", b"", client.recv(1))
    half = connect()
    half.sendall(b'{"do": "sta')
    answers(problems)
    begin = time.monotonic()
    expect(problems, "silence", b"", half.recv(1))
    expect(problems, "seconds of silence", 30,
           round(time.monotonic() - begin))
    answers(problems)


def seat():
    """A client that is not one too many: others may not be gone yet."""
    while True:
        client = connect()
        if "running" in ask(client, b'{"do": "status"}'):
            return client
        client.close()


def crowd(problems):
    """more clients than there is room for, and one that never reads"""
    deaf = seat()
    deaf.setblocking(False)
    try:
        while True:
            deaf.send(b'{"do": "status"}\n' * 1000)
    except BlockingIOError:
        pass
    others = [seat() for _ in range(31)]
    refused_ones = [connect() for _ in range(32)]
    for client in refused_ones:
        expect(problems, "one too many",
               {"error": "too many clients", "kind": 1},
               json.loads(client.makefile().readline()))
    for client in others + refused_ones + [deaf]:
        client.close()
    seat().close()


def as_nobody(test, problems):
    """Run a test as another user, in a process of its own."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        found = []
        test(found)
        theirs.sendall(json.dumps(found).encode())
        os._exit(0)
    theirs.close()
    text = ours.makefile().read()
    os.waitpid(pid, 0)
    problems.extend(json.loads(text) if text else ["the other user died"])


def refused(problems, what, test, *arguments):
    try:
        test(*arguments)
        problems.append(f"{what}: should have been refused")
    except PermissionError:
        pass


def stranger(problems):
    """another user reaches neither the socket nor the token"""
    def look(found):
        refused(found, "socket", connect)
        refused(found, "token", open, TOKEN, "rb")
        refused(found, "pid file", open, "/run/weft/weftd.pid", "wb")
        expect(found, "metrics", 401, get("/metrics")[0])
        expect(found, "labs", 401, get("/api/labs", token="0" * 64)[0])
    as_nobody(look, problems)
    answers(problems)


def port():
    with connect() as client:
        return ask(client, b'{"do": "status"}')["http_port"]


PORT = int(os.environ.get("WEFTD_PORT", 0))


def token_text():
    return pathlib.Path(TOKEN).read_text()


def get(path, token=None, method="GET", **headers):
    """Return (code, headers, text)."""
    web = http.client.HTTPConnection("127.0.0.1", PORT, timeout=50)
    headers = {k.replace("_", "-"): v for k, v in headers.items()}
    if token:
        headers["Authorization"] = "Bearer " + token
    web.request(method, path, headers=headers)
    reply = web.getresponse()
    text = reply.read().decode()
    web.close()
    return reply.status, dict(reply.getheaders()), text


def doors(problems):
    """only those with the token come in, and only by our name"""
    token = token_text()
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    for what, code, arguments in (
            ("nothing", 401, {}),
            ("a wrong token", 401, {"token": wrong}),
            ("half a token", 401, {"token": token[:32]}),
            ("more than the token", 401, {"token": token + "0"}),
            ("basic", 401, {"Authorization": "Basic " + token}),
            ("the token", 200, {"token": token}),
            ("a cookie", 401, {"Cookie": f"weft_token={token}"}),
            ("our other name", 200,
             {"token": token, "Host": f"localhost:{PORT}"}),
            ("another name", 403,
             {"token": token, "Host": f"evil.example:{PORT}"}),
            ("another port", 403, {"token": token, "Host": "127.0.0.1:1"}),
            ("no port", 403, {"token": token, "Host": "127.0.0.1"})):
        expect(problems, what, code, get("/metrics", **arguments)[0])
    for path in ("/api/labs", "/api/labs/one/run", "/api/none",
                 f"/metrics?token={token}", f"/api/labs?token={token}"):
        expect(problems, path, 401, get(path)[0])
    expect(problems, "to record", 401,
           get("/api/labs/one/record", method="POST")[0])
    for path in ("/", "/app.js", f"/?token={token}"):
        code, headers, _ = get(path)
        expect(problems, path, (200, None), (code, headers.get("Set-Cookie")))
    expect(problems, "the page by another name", 403,
           get("/", Host=f"evil.example:{PORT}")[0])


def directives(policy):
    """{directive: sources} of a content security policy"""
    words = [d.split() for d in policy.split(";")]
    return {w[0]: set(w[1:]) for w in words}


def policy(problems):
    """what the page may load by its own policy it may load by ours, too"""
    code, headers, text = get("/")
    expect(problems, "page", 200, code)
    ours = directives(headers["Content-Security-Policy"])
    its = directives(re.search(
        r'http-equiv="Content-Security-Policy" content="(.*)"', text)[1])
    # scripts of the page itself are there in saved reports only
    its["script-src"].remove("'unsafe-inline'")
    for name, sources in its.items():
        allowed = ours.get(name, ours["default-src"])
        expect(problems, name, set(), sources - allowed - {"'none'"})


def methods(problems):
    """what changes something is there by POST only, the rest by GET"""
    token = token_text()
    for method, allowed, path in (
            ("POST", "GET", "/metrics"), ("POST", "GET", "/api/labs"),
            ("POST", "GET", "/api/labs/one/run"), ("POST", "GET", "/"),
            ("GET", "POST", "/api/labs/one/record")):
        code, headers, _ = get(path, token, method)
        expect(problems, f"{method} {path}", (405, allowed),
               (code, headers.get("Allow")))


def pages(problems):
    """what there is, and what there is not"""
    token = token_text()
    code, headers, text = get("/api/labs", token)
    expect(problems, "labs", (200, "application/json"),
           (code, headers["Content-Type"]))
    expect(problems, "names", ["one", "two"],
           sorted(x["name"] for x in json.loads(text)))
    for path in ("/none", "/../http.token", "/%2e%2e/%2e%2e/etc/passwd",
                 "/.hidden.html", "//etc/passwd", "/a/b.js",
                 "/index.html%00.js", "/api/labs/three/run", "/api/labs/one",
                 "/api/labs/one/run/x", "/api/labs//run"):
        expect(problems, path, 404, get(path, token)[0])
    for method in ("PUT", "DELETE", "HEAD", "OPTIONS"):
        expect(problems, method, 501, get("/metrics", token, method)[0])
    methods(problems)
    raw = socket.create_connection(("127.0.0.1", PORT), 50)
    raw.sendall(b"\x00\xff garbage\r\n\r\n")
    raw.recv(4096)
    raw.sendall(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000)
    raw.close()
    answers(problems)


def noise(problems):
    """bytes by lot, and requests that are nearly right"""
    lot = random.Random(1)
    good = b'{"do": "status", "lab": "one", "file": "/x"}\n'
    page = f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\n" \
           f"Authorization: Bearer {token_text()}\r\n\r\n".encode()
    for number in range(300):
        text = bytearray(good if number % 2 else page)
        for _ in range(lot.randrange(8)):
            text[lot.randrange(len(text))] = lot.randrange(256)
        client = connect() if number % 2 else \
            socket.create_connection(("127.0.0.1", PORT), 50)
        client.sendall(text[:lot.randrange(1, len(text) + 1)])
        if lot.random() < 0.5:
            client.shutdown(socket.SHUT_WR)
            client.recv(1 << 16)
        client.close()
    answers(problems)


def flood(problems):
    """connections that say nothing leave room for others"""
    idle = []
    for _ in range(400):
        idle.append(socket.create_connection(("127.0.0.1", PORT), 50))
    answers(problems)
    expect(problems, "metrics", 200, get("/metrics", token_text())[0])
    for client in idle:
        client.close()


def drip(clients, byte):
    """One more byte of each; those that were ended stay so."""
    for client in clients:
        try:
            client.send(byte)
        except OSError:
            pass


def ended(clients):
    n = 0
    for client in clients:
        client.setblocking(False)
        try:
            n += not client.recv(1)
        except BlockingIOError:
            pass
        except ConnectionError:
            n += 1
        client.setblocking(True)
    return n


def slow(problems):
    """connections that send a byte now and then keep nobody out, and end"""
    token = token_text()
    request = b"GET / HTTP/1.1\r\nX: " + b"x" * 100
    clients = []
    for _ in range(300):
        clients.append(socket.create_connection(("127.0.0.1", PORT), 50))
    begin = time.monotonic()
    for i in range(12):
        drip(clients, request[i:i + 1])
        expect(problems, "page", 200, get("/", token)[0])
        expect(problems, "metrics", 200, get("/metrics", token)[0])
        if time.monotonic() < begin + 8 and i == 3:
            expect_in(problems, "ended for want of seats", 135, 150,
                      ended(clients))
        time.sleep(1)
    expect(problems, "ended in time", 300, ended(clients))
    for client in clients:
        client.close()


def do(what, **words):
    with connect() as client:
        return ask(client, json.dumps({"do": what, **words}).encode())


def faults():
    return [x["kind"] for x in weft("fault", "list", "--lab", "one")]


# Stamps each ms, of a process in one1.
TICKS = """import time
for _ in range(60):
    time.sleep(0.001)
    print(time.monotonic())
"""

SCENARIO = """name: test
timeline:
  - {at: 2ms, fault: rate, on: one0, rate: 1Gbps, for: 3ms}
  - {at: 10ms, node: one1, do: freeze, for: 20ms}
  - {at: 35ms, fault: delay, on: one0, delay: 1us}
expect: {no-drops: true}
"""


def scenario(problems):
    """a scenario on the fabric's clock"""
    path = "/tmp/weftd.yaml"
    pathlib.Path(path).write_text(SCENARIO)
    ticks = subprocess.Popen(
        ["weft", "exec", "--lab", "one", "one1", "--", "python3", "-c", TICKS],
        stdout=subprocess.PIPE, text=True)
    time.sleep(0.005)
    early = time.monotonic()
    reply = do("scenario-start", lab="one", file=path)
    late = time.monotonic()
    expect(problems, "state", "playing", reply.get("state"))
    expect(problems, "end", 35 * 10**9, reply["end_ps"] - reply["begin_ps"])
    expect(problems, "again",
           'lab "one" has a scenario already: `weft scenario stop --lab one` undoes it',
           do("scenario-start", lab="one", file=path).get("error"))
    expect(problems, "faults", ["rate", "delay"], faults())
    stamps = [float(x) for x in ticks.communicate()[0].split()]
    frozen = [x for x in stamps if late + 0.010001 < x < early + 0.030]
    expect(problems, "ticks of a frozen process", [], frozen)
    after = min(x for x in stamps if x > early + 0.029999)
    expect_in(problems, "it goes on", early + 0.030, late + 0.03001, after)
    expect(problems, "ticks before", True,
           len([x for x in stamps if early < x < early + 0.01]) >= 8)
    time.sleep(0.01)
    reply = do("scenario-status", lab="one")
    expect(problems, "state", "over", reply.get("state"))
    expect(problems, "results", [("no-drops", "passed")],
           [(x["expectation"], x["outcome"]) for x in reply["results"]])
    expect(problems, "in the status", "test", do("labs")["labs"][0]["scenario"])
    do("scenario-stop", lab="one")
    expect(problems, "faults", [], faults())
    expect(problems, "in the status", None, do("labs")["labs"][0]["scenario"])


def bad_scenario(problems):
    """a scenario that cannot be played leaves nothing"""
    path = "/tmp/weftd.yaml"
    for text, error in (
            (None, "No such file or directory"),
            ("name: x\ntimeline: 5\n", f"{path}:2:11: timeline: expected a list"),
            ("name: x\ntimeline:\n"
             "  - {fault: delay, on: one0, delay: 1us}\n"
             "  - {fault: delay, on: nowhere, delay: 1us}\n", f"{path}:4:")):
        pathlib.Path(path).unlink(missing_ok=True)
        if text:
            pathlib.Path(path).write_text(text)
        got = do("scenario-start", lab="one", file=path)
        if error not in got.get("error", ""):
            problems.append(f"{text}: expected {error}, got {got}")
        expect(problems, "faults", [], faults())
        expect(problems, "scenario", None, do("labs")["labs"][0]["scenario"])


def taken_back(problems):
    """a daemon that is told to end takes back what it plays"""
    path = "/tmp/weftd.yaml"
    pathlib.Path(path).write_text(
        "name: x\ntimeline:\n"
        "  - {fault: delay, on: one0, delay: 1us}\n"
        "  - {at: 1s, fault: delay, on: one1, delay: 1us}\n")
    expect(problems, "state", "playing",
           do("scenario-start", lab="one", file=path).get("state"))
    expect(problems, "faults", ["delay", "delay"], faults())
    subprocess.run(["weft", "daemon", "stop"], check=True)
    expect(problems, "faults", [], faults())
    subprocess.run(["weft", "daemon", "start"], check=True)


def posted(path, token):
    code, _, text = get(path, token, "POST")
    return code, json.loads(text)


def more_of(problems, run, token):
    """who has a recording is told what came since"""
    rows = len(run["time_ps"])
    time.sleep(0.005)
    more = json.loads(get("/api/labs/one/run?after=" + run["next"], token)[2])
    expect(problems, "from", rows - 1, more["rows_from"])
    expect(problems, "time", run["time_ps"][-1], more["time_ps"][0])
    expect(problems, "drawing", False, "drawing" in more)
    if len(more["time_ps"]) < 2:
        problems.append("nothing is new")
    again = json.loads(get("/api/labs/one/run?after=1-1-9-0-0-0", token)[2])
    expect(problems, "all", 0, again["rows_from"])
    for old, new, wire in zip(run["wires"], more["wires"], again["wires"]):
        n = rows + len(more["time_ps"]) - 1
        both = old["tx_bytes"][:-1] + new.get("tx_bytes", [0] * (n - rows + 1))
        expect(problems, wire["from"], wire["tx_bytes"][:n], both)


def recording(problems):
    """what is recorded adds up to the report"""
    token = token_text()
    expect(problems, "before", [False, False],
           [x["recording"] for x in do("labs")["labs"]])
    code, _, text = get("/api/labs/one/run", token)
    expect(problems, "not yet", (409, 'lab "one" is not being recorded: POST to /api/labs/one/record begins it\n'), (code, text))
    expect(problems, "nothing began", [False, False],
           [x["recording"] for x in do("labs")["labs"]])
    for _ in range(2):
        expect(problems, "begin", (200, {"recording": True}),
               posted("/api/labs/one/record", token))
    expect(problems, "now", [True, False],
           [x["recording"] for x in do("labs")["labs"]])
    subprocess.run(["weft", "exec", "--lab", "one", "one0", "--", "ping", "-q",
                    "-c", "10", "-i", "0.002", "one1"], check=True,
                   stdout=subprocess.DEVNULL)
    time.sleep(0.005)
    _, headers, text = get("/api/labs/one/run", token)
    expect(problems, "in pieces", "chunked", headers.get("Transfer-Encoding"))
    run = json.loads(text)
    expect(problems, "lab", "one", run["lab"])
    expect_in(problems, "samples of 1 ms", 20, 60, len(run["time_ps"]))
    for wire in weft("report", "--lab", "one")["links"]:
        mine = [x for x in run["wires"] if x["from"] == wire["from"]]
        expect(problems, wire["from"], wire["tx_bytes"],
               sum(mine[0]["tx_bytes"]))
    more_of(problems, run, token)
    do("record-stop", lab="one")
    expect(problems, "after", [False, False],
           [x["recording"] for x in do("labs")["labs"]])


WORK = """name: work
timeline:
  - {at: 100us, fault: delay, on: host0, delay: 1us, for: 1ms}
  - {at: 200us, node: host1, do: freeze, for: 1ms}
  - {at: 2ms, fault: rate, on: host0, rate: 1Gbps}
"""


def wait_for_socket():
    for _ in range(100):
        try:
            connect().close()
            return True
        except OSError:
            time.sleep(0.001)
    return False


def work_round(path):
    do("scenario-start", lab="test", file=path)
    do("status")
    get("/metrics", token_text())
    get("/api/labs/test/run", token_text())
    get("/metrics")
    time.sleep(0.003)
    do("scenario-status", lab="test")
    do("scenario-stop", lab="test")
    do("record-stop", lab="test")
    do("fly")


def work(problems):
    """all that can be asked, until weftd is no more"""
    path = "/tmp/weftd-work.yaml"
    pathlib.Path(path).write_text(WORK)
    try:
        for _ in range(3 * wait_for_socket()):
            work_round(path)
    except (OSError, ValueError, http.client.HTTPException):
        # ValueError: half an answer is no JSON
        if subprocess.run(["weft", "daemon", "status"],
                          capture_output=True).returncode == 0:
            problems.append("weftd runs, and did not answer")


SAMPLE = re.compile(r'^(\w+)\{(.*)\} (\d+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def scrape():
    """{(name, (label, ...)): value}, after a look at the format"""
    code, headers, text = get("/metrics", token_text())
    assert code == 200, text
    assert headers["Content-Type"].startswith("text/plain; version=0.0.4")
    found, kinds = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in kinds, f"two families {name}"
            kinds[name] = kind
        elif not line.startswith("#"):
            match = SAMPLE.match(line)
            name = match[1] if match else line.split()[0]
            assert name == list(kinds)[-1], f"{name} outside its family"
            assert name.endswith("_total") == (kinds[name] == "counter"), name
            if match:
                key = (name, tuple(sorted(LABEL.findall(match[2]))))
                assert key not in found, f"twice: {line}"
                found[key] = int(match[3])
    return found


def weft(*words):
    return json.loads(subprocess.run(["weft", *words, "--json"], check=True,
                                     capture_output=True, text=True).stdout)


def key(name, **labels):
    return name, tuple(sorted(labels.items()))


def metrics(problems):
    """counters are those of weft report"""
    before = {lab: weft("report", "--lab", lab) for lab in ("one", "two")}
    found = scrape()
    after = {lab: weft("report", "--lab", lab)["time_ps"] for lab in before}
    for lab, report in before.items():
        expect_in(problems, "time", report["time_ps"], after[lab],
                  found[key("weft_lab_time_ps", lab=lab)])
        expect(problems, "faithful", int(report["verdict"]["faithful"]),
               found[key("weft_lab_faithful", lab=lab)])
        for name, value in report["counters"].items():
            expect(problems, f"{lab} {name}", value,
                   found[key(f"weft_fabric_{name}_total", lab=lab)])
        for wire in report["links"]:
            place = {"lab": lab, "link": wire["link"], "from": wire["from"],
                     "to": wire["to"]}
            for name in ("tx_packets", "tx_bytes", "tx_wire_bytes",
                         "tx_busy_ps", "tx_wait_ps", "tx_control",
                         "tx_replays"):
                expect(problems, f"{place} {name}", wire[name],
                       found[key(f"weft_link_{name}_total", **place)])
            expect(problems, "peak", wire["queue_peak"],
                   found[key("weft_link_queue_peak", **place)])
            expect(problems, "rate", wire["rate_bps"],
                   found[key("weft_link_rate_bps", **place)])
            for reason, value in wire["drops"].items():
                expect(problems, reason, value,
                       found[key("weft_link_drops_total", reason=reason, **place)])
            expect(problems, "classes", wire["tx_bytes"], sum(
                v for (n, l), v in found.items()
                if n == "weft_class_tx_bytes_total" and set(place.items()) < set(l)))
        for nic in report["nics"]:
            for name in ("tx_packets", "tx_bytes", "rx_packets", "rx_bytes"):
                expect(problems, name, nic[name], found[key(
                    f"weft_nic_{name}_total", lab=lab, nic=nic["name"])])
    sent = found[key("weft_nic_tx_packets_total", lab="one", nic="one0.eth0")]
    if sent < 10:
        problems.append(f"one0 sent {sent} packets: too few to tell")


if __name__ == "__main__":
    wrong = []
    if not PORT:
        PORT = 9468 if sys.argv[1] == "work" else port()
    globals()[sys.argv[1]](wrong)
    print("\n".join(wrong[:20]))
    sys.exit(bool(wrong))
