"""Receives as systemd does: a line of JSON for each message to the socket argv[1], with the id of the process that sent it."""
import json
import os
import socket
import struct
import sys

name = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
receiver.bind("\0" + name[1:] if name.startswith("@") else name)
print("bound", flush=True)
while True:
    message, notes, _, _ = receiver.recvmsg(4096, 1024)
    sender = None
    for level, kind, data in notes:
        if kind == socket.SCM_CREDENTIALS:
            sender = struct.unpack("3i", data[:12])[0]
        else:
            # The end of sd_notify_barrier(3): systemd-notify waits until it is closed.
            for at in range(0, len(data), 4):
                os.close(struct.unpack("i", data[at : at + 4])[0])
    print(json.dumps({"sender": sender, "lines": message.decode().split("\n")}), flush=True)
