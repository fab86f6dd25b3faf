"""A second implementation of docs/protocol.md, written from that page alone.

It shares no line with the rest of Tactus, so that what the page leaves open, or
says otherwise than tactusd does, shows when the two talk (interop_test.py). Each
part names the section that it follows. It is plain rather than fast, and only for
tests: what a device has to remember is remembered in memory.

    me = peer.Peer("second")
    desk = me.pair(("127.0.0.1", 7411), "417-maple-otter", "desk")
    with me.open(desk, peer.MESSAGE, "echo") as stream:
        peer.ask_echo(stream, b"hello")            # b"hello"
    me.send(desk, ["/some/folder"]).outcome        # peer.DONE
    me.listen(inbox)                               # takes files of those it knows

What it leaves out: resumption by tickets; MCP; keeping connections warm; asking a
person; pipes; sending holes, SHA-256 and what has no size; the words of codes, of
which it takes what it is given; the alert bad_certificate where it listens, since
pyOpenSSL chooses another one.

It needs pyOpenSSL (the exporter, which Python's ssl does not have), libsodium and
libxxhash.
"""

import collections
import ctypes
import datetime
import hashlib
import hmac
import os
import re
import secrets
import select
import socket
import stat
import struct
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from OpenSSL import SSL, crypto

# Seconds. Who hears nothing for so long gives a stream up.
PATIENCE = 60


class Cut(Exception):
    """The connection ended without close_notify, or in the middle of a message."""


class Refused(Exception):
    """The other side said no, or what it said is not of the protocol."""


def require(true, otherwise):
    if not true:
        raise Refused(otherwise)


# -- Hashes and the group ------------------------------------------------------

_SODIUM = ctypes.CDLL("libsodium.so.23")
_XXHASH = ctypes.CDLL("libxxhash.so.0")


class _Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


_XXHASH.XXH3_128bits.restype = _Hash128
_XXHASH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def content_hash(data):
    """Files: XXH3-128, seed 0, in its canonical form: the high half first."""
    of = _XXHASH.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", of.high, of.low)


def _sodium(function, *arguments):
    """32 bytes that `function` makes; None where it says that they are none."""
    out = ctypes.create_string_buffer(32)
    failed = getattr(_SODIUM, function)(out, *arguments)
    return None if failed else out.raw


# -- The connection --------------------------------------------------------------

class Identity:
    """The connection, "certificates": a P-256 key, signed by itself."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "second")])
        day = datetime.datetime(2020, 1, 1)
        self.certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(self.key.public_key()).serial_number(1)
            .not_valid_before(day)
            .not_valid_after(day + datetime.timedelta(days=36500))
            .sign(self.key, hashes.SHA256()))
        self.digest = key_digest(self.certificate)


def key_digest(certificate):
    """The connection, "who is there"."""
    return hashlib.sha256(certificate.public_key().public_bytes(
        serialization.Encoding.DER,
        serialization.PublicFormat.SubjectPublicKeyInfo)).digest()


def device_id(digest):
    """The connection, "device ids"."""
    bits = int.from_bytes(digest, "big") >> (256 - 115)
    values = [bits >> 5 * (22 - place) & 31 for place in range(23)]
    check = 0
    for value in values:
        check = (check ^ value) << 1
        if check & 32:
            check ^= 0b100101
    text = "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[value]
                   for value in values + [check])
    return "-".join(text[at:at + 4] for at in range(0, 24, 4))


def _context(identity, trusted, protocols):
    """The connection: TLS 1.3, both certificates, the pin, ALPN. `trusted` says
    of a digest whether it is let in; without an identity no certificate is sent."""
    context = SSL.Context(SSL.TLS_METHOD)
    context.set_min_proto_version(SSL.TLS1_3_VERSION)
    context.set_options(SSL.OP_NO_TICKET)
    context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    context.set_session_id(b"second")
    if identity:
        context.use_privatekey(crypto.PKey.from_cryptography_key(identity.key))
        context.use_certificate(crypto.X509.from_cryptography(
            identity.certificate))
    context.set_verify(
        SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT,
        lambda connection, certificate, error, depth, well:
        depth == 0 and trusted(key_digest(certificate.to_cryptography())))
    context.set_alpn_protos(protocols)
    context.set_alpn_select_callback(
        lambda connection, offered: next(
            (one for one in offered if one in protocols),
            SSL.NO_OVERLAPPING_PROTOCOLS))
    return context


def cut(held):
    """Ends a socket, also one that another thread waits on."""
    try:
        held.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass    # it had ended


class Channel:
    """A TLS connection, and the bytes of a stream on it. Not for two threads at
    once. `sent` counts the bytes that were written."""

    def __init__(self, held, context, server):
        self._socket = held
        self.cut = lambda: cut(held)
        self._socket.settimeout(PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._tls = SSL.Connection(context, None)
        self._ended = False
        self._buffer = bytearray()
        self.sent = 0
        if server:
            self._tls.set_accept_state()
        else:
            self._tls.set_connect_state()
        while True:
            try:
                self._tls.do_handshake()
                break
            except SSL.WantReadError:
                self._flush()
                self._feed()
            except SSL.Error as error:
                self._flush()
                self.close()
                raise Refused("handshake: %s" % error) from None
        self._flush()
        self.protocol = self._tls.get_alpn_proto_negotiated()
        self.peer = key_digest(self._tls.get_peer_certificate()
                               .to_cryptography())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _flush(self):
        while True:
            try:
                record = self._tls.bio_read(1 << 20)
            except SSL.WantReadError:
                return
            try:
                self._socket.sendall(record)
            except OSError as error:
                raise Cut(str(error)) from None

    def _feed(self):
        try:
            data = self._socket.recv(1 << 18)
        except OSError as error:
            raise Cut(str(error) or "timed out") from None
        if not data:
            raise Cut("no close_notify")
        self._tls.bio_write(data)

    def export(self, label):
        """32 bytes of the exporter, no context."""
        return self._tls.export_keying_material(label, 32)

    def write(self, data):
        self._tls.sendall(data)
        self.sent += len(data)
        self._flush()

    def read_some(self):
        """What has come; empty at close_notify."""
        while not self._buffer and not self._ended:
            try:
                self._buffer += self._tls.recv(1 << 18)
            except SSL.WantReadError:
                self._flush()
                self._feed()
            except SSL.ZeroReturnError:
                self._ended = True
            except SSL.Error as error:
                raise Refused("alert: %s" % error) from None
        data = bytes(self._buffer)
        self._buffer.clear()
        return data

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.read_some()
            if not more:
                raise Cut("%d bytes of %d" % (len(data), size))
            data += more
        self._buffer[:0] = data[size:]
        return data[:size]

    def at_end(self):
        """Whether close_notify comes next. Waits for that or for a byte."""
        self._buffer[:0] = self.read_some()
        return not self._buffer

    def something_waits(self):
        """Whether a byte for us is there. Does not wait."""
        while not self._buffer and not self._ended:
            try:
                self._buffer += self._tls.recv(1 << 18)
            except SSL.ZeroReturnError:
                self._ended = True
            except SSL.WantReadError:
                if not select.select([self._socket], [], [], 0)[0]:
                    return False
                self._feed()
            except SSL.Error as error:
                raise Refused("alert: %s" % error) from None
        return True

    def finish(self):
        """Ends: close_notify; then reads on until the other side has ended."""
        try:
            self._tls.shutdown()
            self._flush()
            while self.read_some():
                pass
        except (Cut, Refused, SSL.Error):
            pass
        self.close()

    def close(self):
        """Cuts, where `finish` has not ended it."""
        cut(self._socket)
        self._socket.close()


# -- The stream's header ---------------------------------------------------------

CONTROL, MESSAGE, FILE, MCP = 1, 2, 3, 4


def header(kind, label=""):
    return bytes([1, kind, len(label)]) + label.encode("ascii")


def read_header(channel):
    """Of a header whose version has been read: kind and label."""
    kind, length = channel.read(2)
    require(CONTROL <= kind <= MCP and length <= 128, "no header")
    label = channel.read(length)
    require(all(0x21 <= one <= 0x7e for one in label), "no label")
    return kind, label.decode("ascii")


# -- Echoes --------------------------------------------------------------------

def ask_echo(channel, message):
    channel.write(struct.pack(">H", len(message)) + message)
    size, = struct.unpack(">H", channel.read(2))
    return channel.read(size)


def answer_echoes(channel):
    while not channel.at_end():
        size, = struct.unpack(">H", channel.read(2))
        require(1 <= size <= 4096, "no message")
        channel.write(struct.pack(">H", size) + channel.read(size))
    channel.finish()


# -- Pairing -------------------------------------------------------------------

def lv(*parts):
    """Pairing, "strings are joined"."""
    joined = b""
    for part in parts:
        length = len(part)
        while length > 127:
            joined += bytes([length & 127 | 128])
            length >>= 7
        joined += bytes([length]) + part
    return joined


def sha512(data):
    return hashlib.sha512(data).digest()


class Agreement:
    """Pairing, "the key": CPace, for either side."""

    _DSI = b"CPaceRistretto255"

    def __init__(self, code, guest, host, sid):
        self._sid = sid
        prs = code.encode("ascii")
        channel = lv(b"tactus-pair/1", guest, host)
        # Fills the first block of SHA-512, 128 bytes, as the draft has it.
        pad = bytes(max(0, 128 - 1 - len(lv(prs)) - len(lv(self._DSI))))
        generator = _sodium(
            "crypto_core_ristretto255_from_hash",
            sha512(lv(self._DSI, prs, pad, channel, sid)))
        self._scalar = ctypes.create_string_buffer(32)
        _SODIUM.crypto_core_ristretto255_scalar_random(self._scalar)
        self.share = _sodium("crypto_scalarmult_ristretto255", self._scalar,
                             generator)

    def agree(self, their, guests, hosts):
        """From all shares: the key of the tags."""
        require(their != self.share, "my own share came back")
        common = _sodium("crypto_scalarmult_ristretto255", self._scalar, their)
        require(common is not None, "no valid share")
        transcript = lv(guests, b"guest") + lv(hosts, b"host")
        isk = sha512(lv(self._DSI + b"_ISK", self._sid, common) + transcript)
        session = sha512(b"CPaceSidOutput" + transcript)
        self._key = sha512(lv(b"tactus-pair/1", session, isk))

    def tag(self, who, what, body=b""):
        return hmac.digest(self._key, lv(who, what, body), "sha512")

    def check(self, tag, who, what, body=b""):
        require(hmac.compare_digest(tag, self.tag(who, what, body)),
                "the code is wrong")


SHARE, PROOF, ABOUT, PAIRED, REFUSED = 1, 2, 3, 4, 5


def read_message(channel, kind):
    """Pairing, "messages": what follows the kind. `about` is name, port, tag."""
    got = channel.read(1)[0]
    if got == REFUSED:
        raise Refused("refused: %d" % channel.read(1)[0])
    require(got == kind, "out of turn")
    if kind != ABOUT:
        return channel.read(32 if kind == SHARE else 64)
    name = channel.read(channel.read(1)[0])
    require(re.fullmatch(rb"[A-Za-z0-9._][A-Za-z0-9._-]{0,63}", name), "no name")
    return name, channel.read(2), channel.read(64)


def about(agreement, who, name, port):
    port = struct.pack(">H", port)
    return (bytes([ABOUT, len(name)]) + name + port +
            agreement.tag(who, b"about", port + name))


def pair_as_guest(channel, code, mine, name, port):
    """The port on which the host listens."""
    agreement = Agreement(code, mine, channel.peer,
                          channel.export(b"EXPORTER-tactus-pairing/1"))
    channel.write(bytes([SHARE]) + agreement.share)
    theirs = read_message(channel, SHARE)
    agreement.agree(theirs, agreement.share, theirs)
    channel.write(bytes([PROOF]) + agreement.tag(b"guest", b"confirm"))
    agreement.check(read_message(channel, PROOF), b"host", b"confirm")
    their_name, their_port, tag = read_message(channel, ABOUT)
    agreement.check(tag, b"host", b"about", their_port + their_name)
    channel.write(about(agreement, b"guest", name, port))
    agreement.check(read_message(channel, PAIRED), b"host", b"done")
    channel.write(bytes([PAIRED]) + agreement.tag(b"guest", b"done"))
    return struct.unpack(">H", their_port)[0]


def pair_as_host(channel, code, mine, name, port):
    """The port on which the guest listens."""
    agreement = Agreement(code, channel.peer, mine,
                          channel.export(b"EXPORTER-tactus-pairing/1"))
    theirs = read_message(channel, SHARE)
    channel.write(bytes([SHARE]) + agreement.share)
    agreement.agree(theirs, theirs, agreement.share)
    proof = read_message(channel, PROOF)
    try:
        agreement.check(proof, b"guest", b"confirm")
    except Refused:
        channel.write(bytes([REFUSED, 1]))
        raise
    channel.write(bytes([PROOF]) + agreement.tag(b"host", b"confirm") +
                  about(agreement, b"host", name, port))
    their_name, their_port, tag = read_message(channel, ABOUT)
    agreement.check(tag, b"guest", b"about", their_port + their_name)
    channel.write(bytes([PAIRED]) + agreement.tag(b"host", b"done"))
    agreement.check(read_message(channel, PAIRED), b"guest", b"done")
    return struct.unpack(">H", their_port)[0]


# -- Files: frames ---------------------------------------------------------------

OFFER, SETTLE = 0x01, 0x02
ENTRY, CHUNK, HOLE, KEEP, FILE_END, TURN, END = range(0x10, 0x17)
ALIVE = 0x1f
ACCEPT, HAVE, VERDICT = 0x20, 0x21, 0x22
IS_FILE, IS_FOLDER, IS_LINK, IS_FOLDER_END = 1, 2, 3, 4
DONE, REFUSED_IT, FAILED, CANCELLED, UNKNOWN = 1, 2, 3, 4, 5

CHUNK_SIZE = 1048576
ZEROS = bytes(CHUNK_SIZE)
AT_A_TIME = 128     # files that are declared and have not ended
WINDOW = 1024       # chunks of one have
NO_SIZE = 2**64 - 1

Verdict = collections.namedtuple(
    "Verdict", "id outcome files bytes replaced left_out reason")


class Body:
    """Reads what a frame holds; whatever is amiss is Refused."""

    def __init__(self, data):
        self._data = data

    def take(self, size):
        require(len(self._data) >= size, "too short")
        taken, self._data = self._data[:size], self._data[size:]
        return taken

    def number(self, size):
        return int.from_bytes(self.take(size), "big")

    def text(self):
        return self.take(self.number(2))

    def time(self):
        seconds = int.from_bytes(self.take(8), "big", signed=True)
        nanoseconds = self.number(4)
        require(nanoseconds < 10**9, "no time")
        return seconds * 10**9 + nanoseconds

    def rest(self):
        return self.take(len(self._data))

    def done(self):
        require(not self._data, "followed by more")


def frame(kind, *parts):
    body = b"".join(parts)
    return bytes([kind]) + struct.pack(">I", len(body)) + body


def text(data):
    return struct.pack(">H", len(data)) + data


def time_of(nanoseconds):
    return struct.pack(">qI", *divmod(nanoseconds, 10**9))


def read_frame(channel):
    """The next one that is not `alive`: its kind and its body."""
    while True:
        kind, size = struct.unpack(">BI", channel.read(5))
        require(size <= 16 + CHUNK_SIZE, "too long")
        body = channel.read(size)
        if kind != ALIVE:
            return kind, Body(body)
        require(size == 0, "followed by more")


def read_verdict(body):
    verdict = Verdict(body.take(16), body.number(1), *(
        body.number(8) for _ in range(4)), body.text())
    body.done()
    return verdict


def verdict_frame(verdict):
    return frame(VERDICT, verdict.id, struct.pack(
        ">BQQQQ", verdict.outcome, verdict.files, verdict.bytes,
        verdict.replaced, verdict.left_out), text(verdict.reason[:512]))


def expect(channel, *kinds):
    """The next frame, of one of `kinds`; a verdict is raised, wanted or not."""
    kind, body = read_frame(channel)
    if kind == VERDICT:
        raise Ended(read_verdict(body))
    require(kind in kinds, "out of turn")
    return kind, body


class Ended(Exception):
    """The receiver's verdict has come."""

    def __init__(self, verdict):
        super().__init__(verdict)
        self.verdict = verdict


# -- Files: sending --------------------------------------------------------------

class Sending:
    """Files, "how it goes", for who sends. `id` is kept to go on with; `kept`
    counts the chunks that were not sent, since the receiver has them."""

    def __init__(self, paths, folder=b""):
        self.id = secrets.token_bytes(16)
        self.kept = 0
        self._folder = folder
        self._folders, self._files, self._links = [], [], []
        self._roots = []
        for path in paths:
            path = os.fsencode(path)
            self._roots.append(os.path.basename(path))
            self._list(path, os.path.basename(path))

    def _list(self, path, name):
        status = os.lstat(path)
        one = (path, name, status)
        if stat.S_ISDIR(status.st_mode):
            self._folders.append(one)
            for inner in sorted(os.listdir(path)):
                self._list(path + b"/" + inner, name + b"/" + inner)
        elif stat.S_ISLNK(status.st_mode):
            self._links.append(one)
        elif stat.S_ISREG(status.st_mode):
            self._files.append(one)

    def offer(self):
        total = sum(status.st_size for _, _, status in self._files)
        names = self._roots[:16]
        return frame(OFFER, self.id,
                     struct.pack(">QQ", len(self._files), total),
                     text(self._folder), struct.pack(">IB", len(self._roots),
                                                     len(names)),
                     *map(text, names))

    def run(self, channel):
        """The verdict. On a stream whose header was written. Cut: try again."""
        try:
            channel.write(self.offer())
            _, body = expect(channel, ACCEPT)
            ask = body.number(1)
            body.done()
            self._contents(channel, ask)
            while True:
                expect(channel)
        except Ended as ended:
            channel.finish()
            return ended.verdict

    def _say(self, channel, *frames):
        # While the sender sends, the receiver says nothing but a verdict.
        if channel.something_waits():
            expect(channel)
        channel.write(b"".join(frames))

    def _contents(self, channel, ask):
        count = 0
        for _, name, status in self._folders:
            self._say(channel, self._folder_frame(IS_FOLDER, name, status))
            count += 1
        batch = AT_A_TIME if ask else 1
        for at in range(0, len(self._files), batch):
            files = self._files[at:at + batch]
            for _, name, status in files:
                self._say(channel, frame(
                    ENTRY, bytes([IS_FILE]), text(name),
                    struct.pack(">H", status.st_mode & 0o777),
                    time_of(status.st_mtime_ns),
                    struct.pack(">QB", status.st_size, 0)))
                count += 1
            haves = [[]]
            if ask:
                self._say(channel, frame(TURN))
                haves = [self._have(channel) for _ in files]
            for (path, _, _), have in zip(files, haves):
                self._content(channel, path, have)
        for path, name, status in self._links:
            self._say(channel, frame(
                ENTRY, bytes([IS_LINK]), text(name),
                time_of(status.st_mtime_ns), text(os.readlink(path))))
            count += 1
        for _, name, status in reversed(self._folders):
            self._say(channel, self._folder_frame(IS_FOLDER_END, name, status))
            count += 1
        self._say(channel, frame(END, struct.pack(">Q", count)))

    def _folder_frame(self, kind, name, status):
        return frame(ENTRY, bytes([kind]), text(name),
                     struct.pack(">H", status.st_mode & 0o777),
                     time_of(status.st_mtime_ns))

    def _have(self, channel):
        _, body = expect(channel, HAVE)
        data = body.rest()
        require(len(data) % 16 == 0 and len(data) <= 16 * WINDOW, "no have")
        return [data[at:at + 16] for at in range(0, len(data), 16)]

    def _content(self, channel, path, have):
        hashes_of = []
        size = 0
        with open(path, "rb") as file:
            while True:
                data = file.read(CHUNK_SIZE)
                if not data:
                    break
                place = len(hashes_of) % WINDOW
                one = content_hash(data)
                if place < len(have) and have[place] == one:
                    self.kept += 1
                    self._say(channel, frame(KEEP, struct.pack(">I", 1)))
                else:
                    self._say(channel, frame(CHUNK, one, data))
                hashes_of.append(one)
                size += len(data)
                # Also where the file ends here: the receiver cannot know.
                if place == WINDOW - 1 and len(have) == WINDOW:
                    have = self._have(channel)
        self._say(channel, frame(FILE_END, b"\1", struct.pack(">Q", size),
                                 content_hash(b"".join(hashes_of))))


# -- Files: receiving ------------------------------------------------------------

def path_of(data):
    """Files, "a path": its names, or Refused."""
    names = data.split(b"/")
    require(len(data) <= 4095 and len(names) <= 128, "no path")
    for name in names:
        require(1 <= len(name) <= 255 and b"\0" not in name, "no name")
        require(name not in (b".", b".."), "no name")
        require(not (name.startswith(b".tactus-") and
                     name.endswith(b".part")), "no name")
    return names


def open_folder(root, names):
    """Beneath `root`, following no link; closed by the caller."""
    held = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for name in names:
        try:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW,
                            dir_fd=held)
        finally:
            os.close(held)
        held = inner
    return held


def stays_beneath(names, target):
    """Whether a link at `names` may lead to `target`."""
    parts = target.split(b"/")
    up = 0
    while up < len(parts) and parts[up] == b"..":
        up += 1
    return (not target.startswith(b"/") and up < len(names) and
            b".." not in parts[up:])


class Incoming:
    """A file that is being received: its partial file and what is verified."""

    def __init__(self, root, names):
        self.names = names
        self.partial = b".tactus-" + secrets.token_hex(8).encode() + b".part"
        self.folder = open_folder(root, names[:-1])
        self.file = os.open(self.partial, os.O_RDWR | os.O_CREAT | os.O_EXCL,
                            0o600, dir_fd=self.folder)
        self.had = []       # hash and length of each chunk, of the last time
        self._now = []      # of this time
        self.begin(0, 0)

    def begin(self, mode, time):
        self.had = self._now + self.had[len(self._now):]
        self._now, self.size, self.asked = [], 0, False
        self.mode, self.time = mode, time

    def chunks(self):
        return len(self._now)

    def root(self):
        return content_hash(b"".join(one for one, _ in self._now))

    def add(self, data, one):
        os.pwrite(self.file, data, self.size)
        self._count(data, one)

    def add_zeros(self, size):
        data = ZEROS[:size]
        there = os.fstat(self.file).st_size
        if there > self.size:
            os.pwrite(self.file, data, self.size)
        os.ftruncate(self.file, max(there, self.size + size))
        self._count(data, content_hash(data))

    def keep(self):
        place = len(self._now)
        require(place < len(self.had), "keep of nothing")
        one, size = self.had[place]
        data = os.pread(self.file, size, self.size)
        require(content_hash(data) == one, "changed meanwhile")
        self._count(data, one)

    def _count(self, data, one):
        self._now.append((one, len(data)))
        self.size += len(data)

    def sha256(self):
        digest = hashlib.sha256()
        for at in range(0, self.size, CHUNK_SIZE):
            digest.update(os.pread(self.file, min(CHUNK_SIZE, self.size - at),
                                   at))
        return digest.digest()

    def end(self):
        """Under its name. Whether it replaced another."""
        name = self.names[-1]
        os.ftruncate(self.file, self.size)
        os.fchmod(self.file, self.mode & 0o777)
        os.utime(self.file, ns=(self.time, self.time))
        os.fsync(self.file)
        try:
            there = os.lstat(name, dir_fd=self.folder)
        except FileNotFoundError:
            there = None
        require(there is None or stat.S_ISREG(there.st_mode), "name is taken")
        os.rename(self.partial, name, src_dir_fd=self.folder,
                  dst_dir_fd=self.folder)
        self.close()
        return there is not None

    def drop(self):
        os.unlink(self.partial, dir_fd=self.folder)
        self.close()

    def close(self):
        os.close(self.file)
        os.close(self.folder)


class Inbox:
    """Files, for who receives: into one folder, from whoever is paired.

    `before(frame kind)` is called before each frame is looked at; a test raises
    Cut in it. `kept` counts chunks that did not come again, `haves` has the length
    of each have."""

    def __init__(self, root):
        self.root = root
        self.before = lambda kind: None
        self.kept = 0
        self.haves = []
        self.verdicts = {}      # by sender and id
        self._partials = {}     # by sender and path
        self._running = {}      # by sender and id: the channel, when it is done
        self._lock = threading.Lock()

    def serve(self, channel):
        """A stream of the kind file, from its first frame to its end."""
        kind, body = read_frame(channel)
        transfer = channel.peer, body.take(16)
        with self._lock:
            verdict = self.verdicts.get(transfer)
            channel_before, ended = self._running.get(transfer, (None, None))
            if kind == SETTLE and verdict is None:
                cancelled = Verdict(transfer[1], CANCELLED, 0, 0, 0, 0, b"")
                self.verdicts[transfer] = cancelled
                verdict = (cancelled if channel_before else
                           cancelled._replace(outcome=UNKNOWN))
            done = threading.Event()
            if verdict is None:
                self._running[transfer] = channel, done
        if channel_before:
            channel_before.cut()
            ended.wait(PATIENCE)
        if verdict is None:
            require(kind == OFFER, "no offer")
            try:
                verdict = self._decide(transfer, _Receiving(self, channel),
                                       body)
            finally:
                done.set()
        channel.write(verdict_frame(verdict))
        channel.finish()

    def _decide(self, transfer, receiving, body):
        """A Cut leaves it undecided, to be gone on with."""
        outcome, reason = DONE, b""
        try:
            receiving.run(body)
        except (Refused, OSError) as error:
            outcome, reason = FAILED, str(error).encode()[:512]
        with self._lock:
            return self.verdicts.setdefault(transfer, Verdict(
                transfer[1], outcome, receiving.files, receiving.bytes,
                receiving.replaced, receiving.left_out, reason))

    def incoming(self, sender, names):
        """New, or what is left of one that this sender began."""
        there = self._partials.get((sender, tuple(names)))
        if there is None:
            there = Incoming(self.root, names)
            self._partials[sender, tuple(names)] = there
        return there

    def forget(self, sender, names):
        del self._partials[sender, tuple(names)]


class _Receiving:
    def __init__(self, inbox, channel):
        self._inbox = inbox
        self._channel = channel
        self.files = self.bytes = self.replaced = self.left_out = 0
        self._entries = 0
        self._open = collections.deque()
        self._turn = []
        self._links = []
        self._folder = []
        self._stage = IS_FOLDER

    def run(self, offer):
        self._offer(offer)
        self._channel.write(frame(ACCEPT, b"\1"))
        handlers = {ENTRY: self._entry, CHUNK: self._chunk, HOLE: self._hole,
                    KEEP: self._keep, FILE_END: self._file_end,
                    TURN: self._haves}
        while True:
            kind, body = read_frame(self._channel)
            self._inbox.before(kind)
            if kind == END:
                require(body.number(8) == self._entries, "entries are missing")
                body.done()
                require(not self._open, "a file has not ended")
                self._make_links()
                return
            require(kind in handlers, "no frame for a receiver")
            handlers[kind](body)
            body.done()

    def _offer(self, body):
        body.number(8), body.number(8)
        folder = body.text()
        self._folder = path_of(folder) if folder else []
        roots, count = body.number(4), body.number(1)
        require(roots >= 1 and count == min(roots, 16), "no offer")
        names = [path_of(body.text()) for _ in range(count)]
        require(all(len(name) == 1 for name in names), "no root")
        self._roots = {name[0] for name in names} if roots <= 16 else None
        body.done()

    def _path(self, body):
        names = path_of(body.text())
        require(self._roots is None or names[0] in self._roots, "not offered")
        return self._folder + names

    def _entry(self, body):
        self._entries += 1
        kind = body.number(1)
        names = self._path(body)
        if kind == IS_LINK:
            self._links.append((names, body.time(), body.text()))
            require(self._links[-1][2] and b"\0" not in self._links[-1][2],
                    "no target")
            return
        mode, time = body.number(2), body.time()
        require(mode <= 0o777, "no mode")
        if kind == IS_FILE:
            require(not self._links, "a file after links")
            body.number(8)
            require(body.number(1) <= 1, "no flag")
            require(len(self._open) < AT_A_TIME, "too many files")
            self._make(self._folder)
            one = self._inbox.incoming(self._channel.peer, names)
            one.begin(mode, time)
            self._open.append(one)
            self._turn.append(one)
        elif kind == IS_FOLDER:
            self._make(names)
        elif kind == IS_FOLDER_END:
            self._make_links()
            held = open_folder(self._inbox.root, names)
            os.fchmod(held, mode)
            os.utime(held, ns=(time, time))
            os.close(held)
        else:
            raise Refused("no entry")

    def _make(self, names):
        for length in range(1, len(names) + 1):
            held = open_folder(self._inbox.root, names[:length - 1])
            try:
                os.mkdir(names[length - 1], 0o700, dir_fd=held)
            except FileExistsError:
                pass
            finally:
                os.close(held)

    def _first(self):
        require(self._open, "content of no file")
        return self._open[0]

    def _chunk(self, body):
        one, data = body.take(16), body.rest()
        require(1 <= len(data) <= CHUNK_SIZE, "no chunk")
        require(content_hash(data) == one, "changed on its way")
        self._first().add(data, one)
        self._next_have()

    def _hole(self, body):
        zeros = body.number(8)
        require(1 <= zeros <= WINDOW * CHUNK_SIZE, "no hole")
        while zeros:
            size = min(zeros, CHUNK_SIZE)
            zeros -= size
            self._first().add_zeros(size)
        self._next_have()

    def _keep(self, body):
        count = body.number(4)
        require(1 <= count <= WINDOW, "no keep")
        for _ in range(count):
            self._first().keep()
        self._inbox.kept += count
        self._next_have()

    def _haves(self, body):
        for one in self._turn:
            one.asked = True
            self._have(one, 0)
        self._turn = []

    def _next_have(self):
        one = self._open[0]
        at = one.chunks()
        if one.asked and at % WINDOW == 0 and len(one.had) >= at:
            self._have(one, at)

    def _have(self, one, at):
        have = [chunk for chunk, _ in one.had[at:at + WINDOW]]
        self._inbox.haves.append(len(have))
        self._channel.write(frame(HAVE, *have))

    def _file_end(self, body):
        how = body.number(1)
        one = self._first()
        self._open.popleft()
        self._inbox.forget(self._channel.peer, one.names)
        if how == 0:
            one.drop()
            return
        require(how <= 2, "no end")
        size, root = body.number(8), body.take(16)
        require(size == one.size, "not of this size")
        require(root == one.root(), "not this root")
        require(how == 1 or body.take(32) == one.sha256(),
                "not this SHA-256")
        self.replaced += one.end()
        self.files += 1
        self.bytes += size

    def _make_links(self):
        for names, time, target in self._links:
            if not stays_beneath(names, target):
                self.left_out += 1
                continue
            held = open_folder(self._inbox.root, names[:-1])
            try:
                os.symlink(target, names[-1], dir_fd=held)
                os.utime(names[-1], ns=(time, time), dir_fd=held,
                         follow_symlinks=False)
            except FileExistsError:
                self.left_out += 1
            finally:
                os.close(held)
        self._links = []


# -- A device --------------------------------------------------------------------

Known = collections.namedtuple("Known", "name digest address")


class Peer:
    """A device: its identity, whom it knows, what it opens and what it takes."""

    def __init__(self, name, identity=None):
        self.name = name.encode("ascii")
        self.identity = identity or Identity()
        self.known = {}     # by digest
        self.inbox = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._accepting = None
        self._threads = []
        self._sockets = []

    # Before the stream begins

    def connect(self, known, protocol=b"tactus/1"):
        """A connection on which `01` has come."""
        trusted = (lambda digest: digest == known.digest) \
            if known.digest else (lambda digest: True)
        held = socket.create_connection(known.address, PATIENCE)
        channel = Channel(held, _context(self.identity, trusted, [protocol]),
                          server=False)
        try:
            require(channel.protocol == protocol, "another protocol")
            require(channel.read(1) == b"\1", "not let in")
        except BaseException:
            channel.close()
            raise
        return channel

    def open(self, known, kind, label=""):
        channel = self.connect(known)
        channel.write(header(kind, label))
        return channel

    # Pairing

    def pair(self, address, code, name):
        """As the guest. The host, who is known from now on."""
        with self.connect(Known(name, None, address),
                          b"tactus-pair/1") as channel:
            try:
                port = pair_as_guest(channel, code, self.identity.digest,
                                     self.name, self.port)
            finally:
                channel.finish()
            return self._keep(name, channel.peer, (address[0], port))

    def offer(self, code, name):
        """As the host, for one guest; `listen` comes later."""
        held, address = self._listener.accept()
        context = _context(self.identity, lambda digest: True,
                           [b"tactus-pair/1"])
        with Channel(held, context, server=True) as channel:
            require(channel.protocol == b"tactus-pair/1", "no protocol")
            channel.write(b"\1")
            try:
                port = pair_as_host(channel, code, self.identity.digest,
                                    self.name, self.port)
            finally:
                channel.finish()
            return self._keep(name, channel.peer, (address[0], port))

    def _keep(self, name, digest, address):
        self.known[digest] = Known(name, digest, address)
        return self.known[digest]

    # Files

    def send(self, known, paths):
        return self.resume(known, Sending(paths))

    def resume(self, known, sending):
        with self.open(known, FILE) as channel:
            return sending.run(channel)

    def settle(self, known, transfer):
        with self.open(known, FILE) as channel:
            channel.write(frame(SETTLE, transfer))
            try:
                expect(channel)
            except Ended as ended:
                channel.finish()
                return ended.verdict

    # Whom it lets in

    def listen(self, root):
        self.inbox = Inbox(root)
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self):
        while True:
            try:
                held, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(held)
            thread = threading.Thread(target=self._serve, args=(held,),
                                      daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self, held):
        context = _context(self.identity, self.known.__contains__,
                           [b"tactus/1"])
        try:
            with held, Channel(held, context, server=True) as channel:
                require(channel.protocol == b"tactus/1", "no protocol")
                channel.write(b"\1")
                while channel.read(1) == b"\0":
                    channel.write(b"\0")
                kind, label = read_header(channel)
                if kind == FILE and not label:
                    self.inbox.serve(channel)
                elif (kind, label) == (MESSAGE, "echo"):
                    answer_echoes(channel)
        except (Cut, Refused, SSL.Error):
            pass    # the connection is closed, which is all there is to say

    def close(self):
        cut(self._listener)
        if self._accepting:
            self._accepting.join(PATIENCE)
        for held in self._sockets:
            cut(held)
        for thread in self._threads:
            thread.join(PATIENCE)
        self._listener.close()
