# SPDX-License-Identifier: GPL-2.0-or-later
"""Headless Chromium, by its DevTools protocol over a pair of pipes, and the
pictures that it makes.
"""

import base64
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import zlib

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
           "--no-first-run", "--remote-debugging-pipe"]
KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Escape": 27}


class Browser:
    """One page, 1280 by 800 pixels."""

    def __init__(self, width=1280, height=800):
        self.profile = tempfile.mkdtemp()
        self.number, self.errors, self.rest = 0, [], b""
        theirs, self.out = os.pipe()
        self.inp, theirs_too = os.pipe()
        # bash gives them the numbers 3 and 4; they must not have these now
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
                for fd in (theirs, theirs_too)]
        # it leaves a socket in the directory for temporary files when it is killed
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec chromium "$@" 3<&%d 4>&%d' % tuple(high), "-",
             *OPTIONS, f"--user-data-dir={self.profile}/profile", "about:blank"],
            pass_fds=high, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "TMPDIR": self.profile})
        for fd in (theirs, theirs_too, *high):
            os.close(fd)
        self.session = None
        self.attach(width, height)

    def attach(self, width, height):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=False)
        self.media("light")

    def media(self, scheme):
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.inp, 1 << 16)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            reply = self.message()
            self.note(reply)
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def note(self, event):
        """What a person would find in the console."""
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get(
                "description", details["text"]))
        elif event.get("method") == "Log.entryAdded" and \
                params["entry"]["source"] == "security":
            self.errors.append(params["entry"]["text"])

    def evaluate(self, text):
        return self.ask("Runtime.evaluate", expression=text,
                        returnByValue=True,
                        awaitPromise=True)["result"].get("value")

    def wait(self, text, seconds=30):
        """Until it is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(text):
            if time.monotonic() > end:
                raise RuntimeError(f"never: {text}; the page says \"" + str(
                    self.evaluate("document.body.innerText"))[:300] + '"')
            time.sleep(0.05)

    def open(self, url, until):
        """The old page has to be gone before the new one is asked."""
        self.ask("Page.navigate", url="about:blank")
        self.wait("location.href == 'about:blank'")
        self.ask("Page.navigate", url=url)
        self.wait(until)

    def html(self):
        return self.evaluate("document.documentElement.outerHTML")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.drag(x, y, x, y)

    def drag(self, x, y, to_x, to_y, **more):
        left = {"button": "left", "clickCount": 1, **more}
        self.mouse("mousePressed", x, y, buttons=1, **left)
        if (x, y) != (to_x, to_y):
            self.mouse("mouseMoved", to_x, to_y, buttons=1, **left)
        self.mouse("mouseReleased", to_x, to_y, buttons=0, **left)

    def key(self, name, shift=False):
        code = KEYS.get(name, 0)
        text = {} if code else {"text": name}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name,
                     windowsVirtualKeyCode=code,
                     modifiers=8 if shift else 0, **text)

    def png(self):
        return base64.b64decode(
            self.ask("Page.captureScreenshot", format="png")["data"])

    def picture(self):
        return pixels(self.png())


def pixels(data):
    """Rows of (red, green, blue) of a PNG with 8 bits each and no palette."""
    at, body = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", part[:10])
        elif kind == b"IDAT":
            body += part
        at += length + 12
    assert depth == 8 and colour in (2, 6), (depth, colour)
    size = 3 if colour == 2 else 4
    rows = unfilter(zlib.decompress(body), width * size, height, size)
    return [[tuple(row[i:i + 3]) for i in range(0, len(row), size)]
            for row in rows]


def predict(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def unfilter(raw, stride, height, size):
    """The filters of PNG (W3C, Portable Network Graphics, clause 9)."""
    above, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride if kind else 0):
            left = row[i - size] if i >= size else 0
            corner = above[i - size] if i >= size else 0
            row[i] = (row[i] + (0, left, above[i], (left + above[i]) // 2,
                                predict(left, above[i], corner))[kind]) & 255
        rows.append(row)
        above = row
    return rows
