# SPDX-License-Identifier: GPL-2.0-or-later
"""What a page shows in Chromium, against the recording that it shows.

usage: web.py picture PAGE RUN [t=PS]	colours, places, text
       web.py use PAGE RUN		mouse and keys
       web.py live ADDRESS FILE		weftd's page of a lab that is up; makes
					FILE once the lab is being recorded
       web.py port			one that is free
       web.py dom ADDRESS UNTIL		the elements once UNTIL is true
       web.py shoot ADDRESS FILE	makes FILE, a PNG of the page
       web.py server DIR MODE RUN	a server in weftd's place, prints its port
"""

import html
import http.server
import json
import os
import re
import socket
import sys
import threading
import time

from browser import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = "sesame"       # of the server in weftd's place
SETTLED = "document.documentElement.dataset.ready || " \
    "document.documentElement.dataset.error"

# of the scale of loads, light: share and colour
STOPS = [(0, 0xc8d0d8), (0.02, 0x9cb9dc), (0.3, 0x3c7dcb), (0.6, 0x7a4bbd),
         (0.85, 0xcf3266), (1, 0xe8560a)]
FAULT = (0xc6, 0x2a, 0x3f)
LEFT, RIGHT = 54, 6    # of the time line, pixels beside the plot


def scale(value):
    """Between the stops, each of the three parts in proportion."""
    v = min(1, max(0, value))
    i = next(i for i in range(1, len(STOPS))
             if v <= STOPS[i][0] or i == len(STOPS) - 1)
    (low, a), (high, b) = STOPS[i - 1], STOPS[i]
    x = (v - low) / (high - low)
    return tuple(int((a >> s & 255) * (1 - x) + (b >> s & 255) * x + 0.5)
                 for s in (16, 8, 0))


def loads(run, t):
    """Share of the time that each wire was busy: of all, or of t's interval."""
    times = [p - run["since_ps"] for p in run["time_ps"]]
    first, last = 0, len(times) - 1
    if t is not None:
        last = next(i for i, p in enumerate(times) if p >= t)
        first = last - 1
    return {w["from"]: sum(w.get("tx_busy_ps", [0] * len(times))
                           [first + 1:last + 1]) /
            (times[last] - times[first]) for w in run["wires"]}


def near(a, b, by):
    return all(abs(x - y) <= by for x, y in zip(a, b))


def check_wires(probe, image, run, t):
    """Each wire has the colour of its load, in front of the mark of a fault."""
    want = loads(run, t)
    yield from (f"no wire {name}" for name in want
                if name not in {w["from"] for w in probe["wires"]})
    for w in probe["wires"]:
        x, y = (int(v) for v in w["at"])
        got, colour = image[y][x], scale(want[w["from"]])
        if not near(got, colour, 2):
            yield f"{w['from']}: load {want[w['from']]:.3f} is {got}, not {colour}"


def place(probe, run, ps):
    """Where the time line has a time of the fabric, in pixels."""
    left, _, right, _ = probe["timeline"]
    first, last = probe["span"]
    share = min(1, max(0, (ps - run["since_ps"] - first) / (last - first)))
    return left + LEFT + share * (right - left - LEFT - RIGHT)


def windows(fault):
    period = fault.get("period_ps", 0)
    return [(fault["start_ps"] + i * period,
             fault["start_ps"] + i * period + fault["duration_ps"])
            for i in range(fault.get("count", 1))]


def check_faults(probe, image, run):
    """Marks are where the faults' times are, and have their colour."""
    for f in run["faults"]:
        boxes = [m["box"] for m in probe["faults"] if m["id"] == f["id"]]
        if len(boxes) != len(windows(f)):
            yield f"fault {f['id']}: {len(boxes)} marks"
        for box, (start, end) in zip(boxes, windows(f)):
            x, until = place(probe, run, start), place(probe, run, end)
            y = int((box[1] + box[3]) / 2)
            if not near((x, until), (box[0], box[2]), 0.5):
                yield f"fault {f['id']} is at {box}, not {x} to {until}"
            for at, inside in ((x - 2, False), (x + 2, True),
                               (until - 2, True), (until + 2, False)):
                if near(image[y][int(at)], FAULT, 12) != inside:
                    yield f"fault {f['id']}: {image[y][int(at)]} at {at}, {y}"


def overlap(a, b):
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.5 and \
        min(a[3], b[3]) - max(a[1], b[1]) > 0.5


def check_layout(probe):
    """Nothing is over something else or out of the window."""
    for kind in ("panels", "labels", "plots", "bar"):
        boxes = probe[kind]
        yield from (f"{kind}: {a} and {b}" for i, a in enumerate(boxes)
                    for b in boxes[:i] if overlap(a, b))
        yield from (f"{kind}: {a} out of the window" for a in boxes
                    if a[2] > probe["size"][0] or a[3] > probe["size"][1])
    for o in probe["boxes"]:
        box, text = o["box"], o["text"]
        if text[0] < box[0] or text[2] > box[2]:
            yield f"{o['name']} is wider than its box"
        yield from (f"{o['name']} and {p['name']}" for p in probe["boxes"]
                    if p is not o and overlap(box, p["box"]))


def text_of(dom, element):
    found = re.search(rf'id="{element}"[^>]*>(.*?)</(h1|p|output|pre)>', dom, re.S)
    return html.unescape(re.sub(r"<[^>]*>", "", found[1])) if found else None


def check_text(dom, run, t):
    if text_of(dom, "lab") != run["lab"]:
        yield f"lab: {text_of(dom, 'lab')}"
    verdict = "✓ faithful" if run["report"]["verdict"]["faithful"] else "✗"
    if verdict not in dom:
        yield "verdict is missing"
    want = loads(run, t)
    rows = re.findall(r'<td class="from"[^>]*>([^<]*)</td>', dom)
    if rows[0] != max(want, key=lambda k: want[k]) or len(rows) != len(want):
        yield f"table: {rows}"
    if re.search(r'<html[^>]*data-error', dom) or "data-ready" not in dom:
        yield "the page failed: " + str(text_of(dom, "message"))


def probe_of(browser):
    with open(HERE + "/web_probe.js", encoding="utf-8") as f:
        return json.loads(browser.evaluate(f.read()))


def check_all(probe, image, dom_text, run, t):
    yield from check_text(dom_text, run, t)
    yield from check_wires(probe, image, run, t)
    yield from check_faults(probe, image, run)
    yield from check_layout(probe)


def picture(page, run, t):
    address = f"file://{page}#" + (f"t={t}" if t is not None else "")
    with Browser() as browser:
        browser.open(address, SETTLED)
        seen = probe_of(browser), browser.picture(), browser.html()
        wrong = list(browser.errors)
    return wrong + list(check_all(*seen, run, t))


def first_samples(run, n):
    return dict(run, time_ps=run["time_ps"][:n],
                wires=[{k: v[:n] if isinstance(v, list) else v
                        for k, v in w.items()} for w in run["wires"]])


def samples(browser):
    return int(browser.evaluate("document.documentElement.dataset.ready"))


def ask_run(browser):
    """What weftd has recorded so far of the one lab that there is."""
    return browser.evaluate(
        "(ask => ask('').then(o => ask(`/${(o.labs || o)[0].name}/run`)))"
        "(path => fetch(`/api/labs${path}`, {headers: {Authorization: `Bearer "
        "${sessionStorage.getItem('weft_token')}`}}).then(r => r.json()))")


class Stranger(http.server.BaseHTTPRequestHandler):
    """Another server of this machine, on a port of its own."""

    heard = ""

    def log_message(self, *_):
        pass

    def do_GET(self):
        Stranger.heard += f"{self.path}\n{self.headers}"
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def check_stranger(browser, origin):
    """Another port hears nothing of the token; the page keeps it all the same."""
    token = browser.evaluate("sessionStorage.getItem('weft_token')")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as other:
        threading.Thread(target=other.serve_forever).start()
        browser.open(f"http://127.0.0.1:{other.server_address[1]}/",
                     "location.port")
        kept = browser.evaluate("sessionStorage.getItem('weft_token')")
        other.shutdown()
    if not Stranger.heard or not token:
        yield "the other server heard nothing at all, or there is no token"
    if token in Stranger.heard or "Cookie" in Stranger.heard or kept:
        yield f"the other server hears the token: {Stranger.heard}"
    browser.open(origin, "document.documentElement.dataset.ready >= 2")


def await_faults(browser):
    """Until all windows of one are over."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        run = ask_run(browser)
        if run["faults"] and \
           run["time_ps"][-1] > windows(run["faults"][0])[-1][1]:
            return run
        time.sleep(0.2)
    raise RuntimeError("no fault, or no end of it")


def stand_still(browser):
    """The page asks, and never hears: the lab goes on without it."""
    browser.evaluate("window.answer = window.fetch;"
                     "window.fetch = () => new Promise(() => {})")
    n = None
    while n != samples(browser):
        n = samples(browser)
        time.sleep(2)
    seen = probe_of(browser), browser.picture(), browser.html()
    browser.evaluate("window.fetch = window.answer")
    return n, seen


def check_live_phases(dom_text, run):
    """While it goes on: those that are over when the page was looked at."""
    told = run["report"]["phases"]
    bars = re.findall(r'class="phase" data-name="([^"]*)"', dom_text)
    rows = re.search(r'id="phases".*?<tbody>(.*?)</tbody>', dom_text, re.S)[1]
    if not told or run["phases_from"] != 0:
        yield f"weftd tells of {len(told)} phases, from {run['phases_from']}"
    if not bars or bars != [p["name"] for p in told][:len(bars)]:
        yield f"bars of phases: {bars}"
    if rows.count("<tr") < len(bars):
        yield f"{rows.count('<tr')} phases in the table, {len(bars)} bars"


def live(address, mark):
    with Browser() as browser:
        browser.open(address, "document.documentElement.dataset.ready >= 2")
        origin = browser.evaluate("location.origin + location.pathname")
        if "token" in browser.evaluate("location.href"):
            return ["the address keeps the token"]
        with open(mark, "w", encoding="utf-8"):
            pass
        run = await_faults(browser)
        start = windows(run["faults"][0])[0][0]
        t = next(p for p in run["time_ps"] if p > start + 1e9) - run["since_ps"]
        browser.open(f"{origin}#t={t}", f"document.documentElement.dataset.ready"
                     f" >= {len(run['time_ps'])}")
        n, seen = stand_still(browser)
        run = ask_run(browser)
        wrong = list(check_all(*seen, first_samples(run, n), t))
        wrong += list(check_live_phases(seen[2], run))
        return wrong + list(check_stranger(browser, origin)) + browser.errors


def now(browser):
    """Where the cursor is, ps since the lab is up."""
    return int(browser.evaluate("document.getElementById('timeline')"
                                ".getAttribute('aria-valuenow')"))


def middle(browser, selector):
    return browser.evaluate(
        f"(r => [(r.left + r.right) / 2, (r.top + r.bottom) / 2])"
        f"(document.querySelector({json.dumps(selector)})"
        f".getBoundingClientRect())")


def span(browser):
    """What the time line shows, ps since the lab is up."""
    return probe_of(browser)["span"]


def whole(run):
    return [run["time_ps"][i] - run["since_ps"] for i in (0, -1)]


def part(run, a, b):
    """From the share a of the run to the share b."""
    begin, end = whole(run)
    return [begin + share * (end - begin) for share in (a, b)]


def phase_span(run):
    """From the first phase to the last one, and 3 % of that beside."""
    ends = [(p["begin_ps"] - run["since_ps"],
             p["begin_ps"] + p["time_ps"] - run["since_ps"])
            for p in run["report"]["phases"]]
    first, last = min(a for a, _ in ends), max(b for _, b in ends)
    beside = 0.03 * (last - first)
    begin, end = whole(run)
    return [max(begin, first - beside), min(end, last + beside)]


def check_phases(browser, run):
    """The time line opens on the phases; each has a bar, a key shows the rest."""
    want = phase_span(run)
    if not near(span(browser), want, 1) or want == whole(run):
        yield f"opens on {span(browser)}, not {want}"
    bars = browser.evaluate(
        "[...document.querySelectorAll('rect.phase')].map(o => [o.dataset.name,"
        "...(r => [r.left, r.right])(o.getBoundingClientRect())])")
    probe = probe_of(browser)
    for bar, p in zip(bars, run["report"]["phases"]):
        at = [place(probe, run, t) for t in
              (p["begin_ps"], p["begin_ps"] + p["time_ps"])]
        at[1] = max(at[1], at[0] + 2)
        if bar[0] != p["name"] or not near(bar[1:], at, 0.5):
            yield f"{p['name']} is at {bar}, not {at}"
    if len(bars) != len(run["report"]["phases"]) or not bars:
        yield f"phases: {bars}"
    for leave, back in (("0", "p"), ("Escape", "p")):
        browser.evaluate("document.getElementById('timeline').focus()")
        browser.key(leave)
        if not near(span(browser), whole(run), 1):
            yield f"{leave}: {span(browser)}, not the whole run"
        browser.key(back)
        if not near(span(browser), want, 1):
            yield f"{back}: {span(browser)}, not the phases"
    browser.click(*middle(browser, "#whole"))
    if not near(span(browser), whole(run), 1):
        yield "the button does not show the whole run"


def check_line_zoom(browser, run):
    """Keys and the wheel on the time line, about the cursor and the pointer."""
    begin, end = whole(run)
    browser.evaluate("document.getElementById('timeline').focus()")
    browser.key("+")
    if not near(span(browser), part(run, 1 / 6, 5 / 6), 2):
        yield f"+: {span(browser)}"
    if "none" in browser.evaluate(
            "getComputedStyle(document.activeElement).outlineStyle"):
        yield "the focus is not seen"
    browser.key("ArrowRight", shift=True)
    if not near(span(browser), part(run, 1 / 3, 1), 2):
        yield f"Shift and the arrow: {span(browser)}"
    browser.key("-")
    if not near(span(browser), whole(run), 2):
        yield f"-: {span(browser)}"
    left, _, right, low = probe_of(browser)["timeline"]
    x = left + LEFT + (right - left - LEFT - RIGHT) / 4
    browser.mouse("mouseWheel", x, low - 8, deltaX=0, deltaY=-100)
    if not near(span(browser), part(run, 0.05, 0.85), end / 400):
        yield f"the wheel: {span(browser)}"
    browser.mouse("mouseWheel", x, low - 8, deltaX=0, deltaY=100)
    browser.drag(x, low - 8, x + (x - left - LEFT), low - 8, modifiers=8)
    if not near(span(browser), part(run, 1 / 4, 1 / 2), end / 400):
        yield f"Shift and dragging: {span(browser)}"
    # the cursor takes what is shown along
    browser.key("Home")
    if now(browser) != begin or span(browser)[0] != begin:
        yield f"Home: {now(browser)}, {span(browser)}"
    browser.key("End")
    if span(browser)[1] != end:
        yield f"End: {now(browser)}, {span(browser)}"
    browser.key("0")
    drawn = browser.evaluate("document.querySelector('#picture svg')"
                             ".getAttribute('viewBox')").split()
    if float(drawn[2]) != run["drawing"]["width"]:
        yield "keys of the time line zoom the picture"
    browser.key("Escape")


def check_time(browser, run):
    """The mouse and keys on the time line."""
    probe = probe_of(browser)
    start = run["faults"][0]["start_ps"]
    times = [t - run["since_ps"] for t in run["time_ps"]]
    left, _, right, low = probe["timeline"]
    browser.click(place(probe, run, start), low - 8)
    pixel = (times[-1] - times[0]) / (right - left - LEFT - RIGHT)
    if abs(now(browser) - (start - run["since_ps"])) > pixel:
        yield f"click: {now(browser)}, not {start - run['since_ps']}"
    for key, want in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2),
                      ("ArrowLeft", 1), ("End", len(times) - 1)):
        browser.key(key)
        if now(browser) != times[want]:
            yield f"{key}: {now(browser)}, not {times[want]}"
    browser.key("Escape")
    if re.search(r"\bt=", browser.evaluate("location.hash")):
        yield "Escape does not show the whole run"


def check_choice(browser):
    """A click on a wire, a node and a mode; the filter."""
    wire = next(w for w in probe_of(browser)["wires"]
                if w["from"] == "host1.eth0")
    browser.click(*wire["at"])
    if "port=host1.eth0" not in browser.evaluate("location.hash"):
        yield "a click does not choose the wire"
    if not browser.evaluate("document.querySelector('#port h2').innerText"
                            ".startsWith('host1.eth0 → leaf:1')"):
        yield "the chosen port has no plots"
    browser.click(*middle(browser, "#by [value=held] + span"))
    if "by=held" not in browser.evaluate("location.hash"):
        yield "a click does not choose the colour"
    browser.click(*middle(browser, ".node[data-name=host2]"))
    rows = browser.evaluate("[...document.querySelectorAll('td.from')]"
                            ".map(o => o.textContent).join()")
    if sorted(rows.split(",")) != ["host2.eth0", "leaf:2"]:
        yield f"filter of host2: {rows}"


def shown(browser):
    """Part of the drawing that is seen: x, y, width, height."""
    return [float(v) for v in browser.evaluate(
        "document.querySelector('#picture svg').getAttribute('viewBox')")
            .split()]


def check_zoom(browser, run):
    """Keys, the wheel about a point, dragging, which chooses nothing."""
    d = run["drawing"]
    chosen = browser.evaluate("location.hash")
    browser.evaluate("document.activeElement.blur()")
    browser.key("+")
    if not near(shown(browser)[2:], (d["width"] / 1.25, d["height"] / 1.25), 1e-6):
        yield f"+: {shown(browser)}"
    at = next(w for w in probe_of(browser)["wires"]
              if w["from"] == "leaf:1")["at"]
    browser.mouse("mouseWheel", *at, deltaX=0, deltaY=-100)
    after = next(w for w in probe_of(browser)["wires"]
                 if w["from"] == "leaf:1")["at"]
    if not near(at, after, 1):
        yield f"the wheel moves what is under it: {at} to {after}"
    browser.drag(*at, at[0] + 20, at[1] + 10)
    after = next(w for w in probe_of(browser)["wires"]
                 if w["from"] == "leaf:1")["at"]
    if not near((at[0] + 20, at[1] + 10), after, 1.5):
        yield f"dragged by 20, 10: {at} to {after}"
    if browser.evaluate("location.hash") != chosen:
        yield "dragging chooses a wire"
    browser.key("0")
    if not near(shown(browser), (0, 0, d["width"], d["height"]), 1e-6):
        yield f"0: {shown(browser)}"


def check_theme(browser):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = browser.evaluate(ground)
    browser.evaluate("document.activeElement.blur()")
    browser.key("t")
    if browser.evaluate(ground) == light:
        yield "t does not change the theme"
    browser.key("?")
    if not browser.evaluate("document.getElementById('keys').open"):
        yield "? does not list the keys"


def use(page, run):
    with Browser() as browser:
        browser.open(f"file://{page}", SETTLED)
        wrong = list(check_phases(browser, run))
        wrong += list(check_line_zoom(browser, run))
        wrong += list(check_time(browser, run)) + list(check_choice(browser))
        wrong += list(check_zoom(browser, run))
        return wrong + list(check_theme(browser)) + browser.errors


def dom(address, until):
    with Browser() as browser:
        browser.open(address, until)
        print(browser.html())
        print("\n".join(browser.errors), file=sys.stderr)


def news(part, known):
    """What is new behind so many samples, and the last one of these again."""
    del part["drawing"]
    part["report"] = dict(part["report"], phases=part["report"]["phases"][1:])
    events = len(part["events"])
    return dict(part, rows_from=known - 1, events_from=events, events=[],
                phases_from=1,
                time_ps=part["time_ps"][known - 1:],
                wires=[{k: v[known - 1:] for k, v in w.items()
                        if isinstance(v, list) and any(v[known - 1:])}
                       for w in part["wires"]],
                switches=[{} for _ in part["switches"]])


class Handler(http.server.SimpleHTTPRequestHandler):
    """weftd's place: the page, a list of labs, and a run that goes on.

    Who has a run must not ask for all of it again: it may be large.
    """

    mode, run, asked, begun, told = "", {}, 0, False, False

    def log_message(self, *_):
        pass

    def do_GET(self):
        if not self.path.startswith("/api/"):
            return super().do_GET()
        if self.path == "/api/labs":
            Handler.asked += 1
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self.send_error(401)
        if self.mode == "dies" and self.asked > 1:
            return self.connection.close()
        gone = self.mode == "empty" or self.mode == "gone" and self.asked > 1
        if self.path == "/api/labs":
            return self.reply([] if gone else [{"name": self.run["lab"]}])
        if not self.begun:
            return self.send_error(409)
        if self.told and not self.path.partition("?after=")[2]:
            return self.send_error(500)
        Handler.told = True
        return self.reply(self.part())

    def do_POST(self):
        if self.headers["Authorization"] != f"Bearer {TOKEN}" or \
           self.path != f"/api/labs/{self.run['lab']}/record":
            return self.send_error(401)
        Handler.begun = True
        return self.reply({"recording": True})

    def part(self):
        """As far as it has come: a few samples more each time it is asked."""
        n = min(len(self.run["time_ps"]), 5 + 5 * self.asked)
        part = dict(first_samples(self.run, n), next=str(n))
        known = self.path.partition("?after=")[2]
        return news(part, int(known)) if known else part

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(directory, mode, run):
    Handler.mode, Handler.run = mode, run
    os.chdir(directory)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def shoot(address, file):
    with Browser(1200, 800) as browser:
        browser.open(address, SETTLED)
        with open(file, "wb") as f:
            f.write(browser.png())


def main():
    what, *words = sys.argv[1:]
    if what == "server":
        serve(words[0], words[1], load(words[2]))
    elif what == "dom":
        dom(*words)
    elif what == "shoot":
        shoot(*words)
    elif what == "port":
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            print(s.getsockname()[1])
    elif what == "live":
        wrong = live(*words)
        print("\n".join(wrong[:20]))
        sys.exit(1 if wrong else 0)
    else:
        t = int(words[2].removeprefix("t=")) if len(words) > 2 else None
        page, run = words[0], load(words[1])
        wrong = picture(page, run, t) if what == "picture" else use(page, run)
        print("\n".join(wrong[:20]))
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
