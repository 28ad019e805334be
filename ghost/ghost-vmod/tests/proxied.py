"""Clients behind a process that accepts TCP and forwards each connection over a Unix socket, as HAProxy does, and a backend for their requests."""

import json
import select
import socket
import struct
import subprocess
import textwrap
import threading
import time

PIECE = 16384
LARGE = 20_000_000
WAIT = 20
MOST_WAIT = 10


def run(handle, *arguments):
    thread = threading.Thread(target=handle, args=arguments, daemon=True)
    thread.start()
    return thread


def read_head(connection):
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(1)
        assert part, f"no head, {text}"
        text += part
    return text.decode()


def proxy_header(peer, local, alpn):
    """Version 2, TCP. The port is the listener's, not the one that was connected to."""
    hosts = [host.removeprefix("::ffff:") for host in (peer[0], local[0])]
    is_ipv6 = ":" in hosts[0]
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    addresses = b"".join(socket.inet_pton(family, host) for host in hosts) + struct.pack("!HH", peer[1], 443)
    tlv = struct.pack("!BH", 1, len(alpn)) + alpn if alpn else b""
    head = struct.pack("!BBH", 0x21, 0x21 if is_ipv6 else 0x11, len(addresses) + len(tlv))
    return b"\r\n\r\n\0\r\nQUIT\n" + head + addresses + tlv


def listen(host):
    """On all addresses of either family, where it is one of IPv6."""
    if ":" not in host or not socket.has_dualstack_ipv6():
        return socket.create_server(("127.0.0.1", 0), backlog=64)
    return socket.create_server((host, 0), family=socket.AF_INET6, backlog=64, dualstack_ipv6=True)


class Relay:
    """Takes responses as long as its client takes them; or only so many bytes of one, in whose place it may send others at a rate."""

    def __init__(self, path, most=None, others=0, alpn=b"", host="127.0.0.1", named=None):
        self.path, self.most, self.others, self.alpn, self.named = path, most, others, alpn, named
        self.listener = listen(host)
        self.address = self.listener.getsockname()[:2]
        self.over = set()
        run(self.accept)

    def accept(self):
        while True:
            client, peer = self.listener.accept()
            run(self.forward, client, peer)

    def forward(self, client, peer):
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.path)
        server.sendall(proxy_header(self.named or peer, client.getsockname(), self.alpn))
        over = threading.Event()
        up = run(self.copy_request, client, server, over)
        try:
            (self.copy_response if self.most is None else self.take_some)(server, client)
        except OSError:
            pass
        over.set()
        up.join()
        for connection in (client, server):
            connection.close()
        self.over.add(peer[1])

    def is_over(self, client):
        """Its connection, whatever of the response it has still to read."""
        return client.connection.getsockname()[1] in self.over

    def copy_request(self, client, server, over):
        ready = select.poll()
        ready.register(client, select.POLLIN)
        try:
            while not over.is_set():
                if ready.poll(100):
                    piece = client.recv(PIECE)
                    if not piece:
                        return
                    server.sendall(piece)
        except OSError:
            pass

    def copy_response(self, server, client):
        """Until the client has all, or the server gives up while the client has not."""
        ready = select.poll()
        ready.register(server, 0)
        ready.register(client, select.POLLOUT)
        while piece := server.recv(PIECE):
            while piece:
                if any(fd == server.fileno() for fd, _ in ready.poll()):
                    return
                piece = piece[client.send(piece, socket.MSG_DONTWAIT) :]

    def take_some(self, server, client):
        left = self.most
        while left > 0:
            piece = server.recv(min(left, PIECE))
            client.sendall(piece)
            left -= len(piece)
        ended = select.poll()
        ended.register(server, 0)
        while not ended.poll(100):
            if self.others:
                client.sendall(b"x" * (self.others // 10))


class Haproxy:
    """The real one, without TLS: a port for each protocol."""

    CONFIGURATION = """
        global
            maxconn 100
        defaults
            mode http
            http-reuse never
            timeout connect 5s
            timeout client 30s
            timeout server 1h
        frontend http1
            bind fd@{http1}
            default_backend varnish
        frontend http2
            bind fd@{http2} proto h2
            default_backend varnish
        backend varnish
            server varnish unix@"{folder}/edge.sock" send-proxy-v2
    """

    def __init__(self, folder):
        listeners = [socket.create_server(("127.0.0.1", 0), backlog=64) for _ in range(2)]
        self.http1, self.http2 = (listener.getsockname() for listener in listeners)
        fds = [listener.fileno() for listener in listeners]
        text = self.CONFIGURATION.format(http1=fds[0], http2=fds[1], folder=folder)
        with open(f"{folder}/haproxy.cfg", "w", encoding="ascii") as file:
            file.write(textwrap.dedent(text))
        self.process = subprocess.Popen(["haproxy", "-db", "-f", f"{folder}/haproxy.cfg"], pass_fds=fds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Backend:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.go_on = threading.Event()
        run(self.accept)

    def write_table(self, path, *sockets):
        endpoint = {"address": "127.0.0.1", "port": self.port}
        route = {"route_name": "ns/r", "backend_groups": [{"backends": [endpoint]}]}
        with open(path, "w", encoding="ascii") as file:
            json.dump({"version": 2, "sockets": {name: {"443": ["web"]} for name in sockets}, "vhosts": {"*": {"routes": [route]}}}, file)

    def accept(self):
        while True:
            run(self.answer, self.listener.accept()[0])

    def answer(self, server):
        try:
            self.answer_as_asked(server)
        except (OSError, AssertionError):
            pass

    def answer_as_asked(self, server):
        head = read_head(server)
        path = head.split()[1]
        if path == "/large":
            server.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % LARGE)
            server.sendall(b"x" * LARGE)
        elif path == "/events":
            server.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                server.sendall(b"6\r\nevent\n\r\n")
                time.sleep(0.5)
        elif path == "/socket":
            server.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            server.sendall(b"x" * LARGE)
        elif path == "/poll":
            self.go_on.wait(WAIT)
            server.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        else:
            while server.recv(PIECE):
                pass


class Client:
    def __init__(self, address, text, buffer=None, port=0):
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.connection = socket.socket(family)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.connection.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", port))
        if buffer:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.connection.settimeout(WAIT)
        self.connection.connect(address)
        self.connection.sendall(text.encode())

    def expect(self, status):
        head = read_head(self.connection)
        assert f" {status} " in head, head
        return self

    def each(self, pause, do):
        """Does it again and again until the connection ends."""

        def repeat():
            try:
                while do():
                    time.sleep(pause)
            except OSError:
                pass

        run(repeat)
        return self

    def reads(self, n, pause):
        return self.each(pause, lambda: self.connection.recv(n))

    def sends(self, n, pause):
        return self.each(pause, lambda: self.connection.send(b"x" * n))


class Http2Client(Client):
    """Asks for one path. Its window is what it says, and grows as it says."""

    HEADERS, SETTINGS, WINDOW_UPDATE = 1, 4, 8

    def __init__(self, address, path, window):
        super().__init__(address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frame(self.SETTINGS, 0, 0, struct.pack("!HI", 4, window))
        # RFC 7541: GET and http of the static table, a path and an authority.
        head = b"\x82\x86\x04" + bytes([len(path)]) + path.encode() + b"\x41\x01a"
        self.frame(self.HEADERS, 5, 1, head)
        run(self.drain)

    def frame(self, kind, flags, stream, payload):
        self.connection.sendall(struct.pack("!IBBI", len(payload), kind, flags, stream)[1:] + payload)
        return True

    def drain(self):
        try:
            while self.connection.recv(PIECE):
                pass
        except OSError:
            pass

    def opens(self, n, pause):
        return self.each(pause, lambda: self.frame(self.WINDOW_UPDATE, 0, 1, struct.pack("!I", n)))


def reload(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.sendall(b"GET /.varnish-ghost/reload HTTP/1.1\r\nHost: x\r\n\r\n")
    assert " 200 " in read_head(connection)


def counter(varnishd, name):
    text = subprocess.run(["varnishstat", "-1", "-n", varnishd, "-f", name], check=True, capture_output=True).stdout
    return int(text.split()[1])


def eventually(what, is_so):
    limit = time.monotonic() + MOST_WAIT
    while not is_so():
        assert time.monotonic() < limit, what
        time.sleep(0.05)
