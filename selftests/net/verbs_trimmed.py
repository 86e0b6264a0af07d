# SPDX-License-Identifier: GPL-2.0-or-later
"""32 RDMA writers into one port, and nothing holds them back but what is trimmed.

	host1 .. host32 -- leaf -- host0	100 Gb/s each

All begin at one instant with 1 MiB each. The queue of the port to host0 takes 256
KiB, 62 packets. With trimming each writer learns within a round trip which of its
packets were cut, has as many in flight as the queue has taken, and sends another
one for each that arrives. Then the wire to host0 is never idle, and the last
completion comes after

	doorbell + way + N bytes / C + executed + way back

but for the headers of trimmed packets on that wire, which take at most 5 % of it.

Without trimming a writer whose last packets are lost learns of it by the timeout.

The writers compare what arrived with what was sent.
"""

import sys

from ktap import expect, expect_in, tell_documented
from verbs import HEADER, PACKET, RETH, Star, ends

WRITERS, MESSAGES, SIZE = 32, 16, 65536
PROFILE = "ethernet-100g"
WAY = 2 * 25.25 + 425		# ns: two cables and the switch
PROCESS = 300
TIMEOUT = 4096 << 16		# ns, of the writers' queue pairs
ANY = "nic: {verbs: {ordering: any, congestion: none}}"
SWITCH = "switch: {queue-limit: 256KiB}"
DROP = "port: {discipline: drop-tail}"
TRIM = ("port: {discipline: drop-tail, "
        "weights: [14, 14, 14, 14, 14, 14, 14, 0], "
        "trim: {classes: [0], to-class: 7, length: 64}}")


def bound():
    """The least time until the last completion, in ns."""
    packets = WRITERS * MESSAGES * SIZE // PACKET
    return WAY + packets * (PACKET + HEADER[PROFILE] + RETH) * 8 / 100 + PROCESS


def incast(problems, port):
    """Everyone writes; the lab, and when the last one was done."""
    lab = Star(PROFILE, WRITERS, [port, SWITCH, ANY])
    last = max(ends(lab.write("-s", SIZE, "-n", MESSAGES)).values())
    print(f"# {last} ns, {last / bound():.4f} of the bound,",
          *(f"{name} {lab.total(name)}" for name in
            ("retransmitted", "timeouts", "rx_trimmed", "nak_sequence",
             "out_of_sequence", "duplicates")))
    expect(problems, "messages", WRITERS * MESSAGES,
           lab.verbs("host0")["rx_writes"])
    return lab, last


def trimmed(problems):
    """With trimming: no timeout, and within 5 % of the bound."""
    lab, last = incast(problems, TRIM)
    expect(problems, "timeouts", 0, lab.total("timeouts"))
    expect_in(problems, "time", bound(), 1.05 * bound(), last)
    if lab.total("rx_trimmed") == 0:
        problems.append("nothing was trimmed")
    expect(problems, "sent again", lab.total("rx_trimmed"),
           lab.total("retransmitted"))
    lab.end()


def dropped(problems):
    """Without trimming: a timeout."""
    lab, last = incast(problems, DROP)
    if lab.total("timeouts") == 0 or last < TIMEOUT:
        problems.append("nobody waited for a timeout")
    lab.end()


if __name__ == "__main__":
    sys.exit(tell_documented([trimmed, dropped]))
