# SPDX-License-Identifier: GPL-2.0-or-later
"""A captured link of a receiver that stops class 3, as tshark reads it.

	host1 -- leaf -- host0, whose link is captured

The NIC says XOFF with 65535 quanta of 512 bit times, 83.88 us at 400 Gb/s,
and says it again after half of that, as long as it is over its threshold; XON,
which is a pause of 0 quanta, when it has gone on. The class-enable vector has
bit 3.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from back_pressure import SO_PRIORITY
from ktap import expect, expect_in, tell
from lossless import LINES, Udp
from shipped import Lab

CLASS, QUANTA = 3, 65535
HALF = QUANTA * 512 / 400 / 2	# ns
SAME = {"eth.dst": "01:80:c2:00:00:01", "eth.type": "0x8808",
        "macc.opcode": "0x0101", "macc.cbfc.enbv": f"0x{1 << CLASS:04x}",
        "frame.interface_name": "host0.eth0", "frame.len": "60"}
TIME, PAUSE = "frame.time_epoch", f"macc.cbfc.pause_time.c{CLASS}"


class Capture:
    """weft capture of a link into a file, until end() is called."""

    def __init__(self, link):
        with tempfile.NamedTemporaryFile(delete=False) as f:
            self.name = f.name
        self.weft = subprocess.Popen(["weft", "capture", link, "-o", f.name],
                                     stderr=subprocess.PIPE, text=True)
        self.weft.stderr.readline()	# it captures

    def end(self, condition, fields):
        """End it; the fields of all frames for which a condition holds."""
        self.weft.send_signal(signal.SIGINT)
        self.weft.communicate()
        words = [w for f in fields for w in ("-e", f)]
        found = subprocess.run(["tshark", "-r", self.name, "-Y", condition,
                                "-T", "fields", *words], check=True,
                               stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL).stdout
        os.unlink(self.name)
        return [dict(zip(fields, line.split("\t")))
                for line in found.splitlines()]


def pauses(problems):
    """Pauses of one class: fields, repetition, end."""
    lab = Lab("ethernet-400g", LINES)
    flow = Udp(lab, "host1", 5000)
    flow.socket.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, CLASS)
    capture = Capture("host0")
    lab.take("host0", rx_stop=1 << CLASS)
    flow.send(300)
    time.sleep(1.02e-3)	# not a multiple of it
    lab.take("host0", rx_stop=0)
    expect(problems, "taken", 300, flow.arrived()[0])
    found = capture.end("macc || _ws.malformed", [*SAME, TIME, PAUSE])
    for frame in found:
        expect(problems, "frame", SAME, {f: frame[f] for f in SAME})
    times = [int(frame[TIME].replace(".", "")) for frame in found]
    again = int((times[-1] - times[0]) / HALF)
    expect(problems, "quanta", [str(QUANTA)] * (1 + again) + ["0"],
           [frame[PAUSE] for frame in found])
    for i, when in enumerate(times[:-1]):
        expect_in(problems, f"XOFF {i}, ns", times[0] + i * HALF - 1,
                  times[0] + i * HALF + 1, when)
    lab.end()


if __name__ == "__main__":
    sys.exit(tell([(pauses.__doc__, pauses)]))
