#!/usr/bin/env python3
"""A path that takes time, without a kernel module: packets for 10.9.0.2 come back to 10.9.0.1 as if 10.9.0.2 had sent them, DELAY seconds later.

Usage: unshare -n long_path.py DELAY COMMAND…    (who connects to 10.9.0.2:PORT reaches 10.9.0.1:PORT)
"""
import fcntl, heapq, os, select, struct, subprocess, sys, time

delay = float(sys.argv[1])
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH", b"long0", 0x0001 | 0x1000))
for words in ("link set lo up", "addr add 10.9.0.1/24 dev long0", "link set long0 up"):
    subprocess.check_call(["ip", *words.split()])
child = subprocess.Popen(sys.argv[2:])
held = []
while child.poll() is None:
    wait = max(0, held[0][0] - time.monotonic()) if held else 0.05
    if select.select([tun], [], [], min(wait, 0.05))[0]:
        packet = os.read(tun, 65536)
        if packet[0] >> 4 == 4:  # to and from change places: no checksum does
            heapq.heappush(held, (time.monotonic() + delay, packet[:12] + packet[16:20] + packet[12:16] + packet[20:]))
    while held and held[0][0] <= time.monotonic():
        os.write(tun, heapq.heappop(held)[1])
sys.exit(child.returncode)
