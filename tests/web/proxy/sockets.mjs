// sockets.mjs - web/kernel/sockets.mjs against the real proxy, as programs use sockets.
//
//     node sockets.mjs [TEST...]       CO4_PROXY is the program, if not that of build/

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { formatAddress, hostBytes, parseHost } from '../../../web/kernel/addresses.mjs';
import {
  FIONREAD, POLLERR, POLLHUP, POLLIN, POLLOUT, POLLRDHUP, POLLRDNORM, POLLWRNORM, S_IFMT, S_IFSOCK,
  SHUT_RD, SHUT_RDWR, SHUT_WR, SIGPIPE, TIOCOUTQ,
} from '../../../web/kernel/constants.mjs';
import { DescriptorTable } from '../../../web/kernel/descriptors.mjs';
import { errorName } from '../../../web/kernel/errno.mjs';
import { Names } from '../../../web/kernel/hosts.mjs';
import { makeSocketPair } from '../../../web/kernel/pipe.mjs';
import * as n from '../../../web/kernel/socket_numbers.mjs';
import { Network, SocketCalls } from '../../../web/kernel/sockets.mjs';
import {
  PATIENCE, equal, holds, runTests, sleep, startEcho, startProxy, startServer, until,
} from './harness.mjs';
import { WebSocket as OwnWebSocket } from './websocket.mjs';

const WebSocket = globalThis.WebSocket ?? OwnWebSocket;
const SMALL = Boolean(process.env.CO4_PROXY_SMALL);
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const { AF_INET, AF_INET6, AF_UNIX, SOCK_STREAM, SOL_SOCKET } = n;

// ---- a program ----

/** The calls of a program; those that block are made of those that do not. */
class Program {
  constructor(options) {
    this.log = [];
    this.signals = [];
    this.network = new Network({ WebSocket, log: (text) => this.log.push(text), ...options });
    this.table = new DescriptorTable({ onsignal: (signal) => this.signals.push(signal) });
    this.calls = new SocketCalls(this.table, this.network);
  }

  ready(fd, events) {
    return new Promise((resolve) => { this.table.watch(fd, events, resolve); });
  }

  async connect(fd, address) {
    let result = this.calls.connect(fd, address);
    if (name(result) !== 'EINPROGRESS')
      return result;
    await this.ready(fd, POLLOUT);
    result = this.calls.connect(fd, address);
    return result;
  }

  /** A connected socket. */
  async open(port, host = '127.0.0.1', family = AF_INET) {
    const fd = this.calls.socket(family, SOCK_STREAM, 0);
    equal(name(await this.connect(fd, { family, host, port })), '0', 'connect');
    return fd;
  }

  async read(fd, most = 65536, flags = 0) {
    const bytes = new Uint8Array(most);
    for (;;) {
      const result = this.calls.recv(fd, bytes, flags);
      if (name(result) !== 'EAGAIN')
        return result < 0 ? name(result) : Buffer.from(bytes.subarray(0, result)).toString();
      await this.ready(fd, POLLIN);
    }
  }

  async readAll(fd, count) {
    let text = '';
    while (text.length < count)
      text += await this.read(fd, count - text.length);
    return text;
  }

  async write(fd, data) {
    const bytes = Buffer.from(data);
    for (let done = 0; done < bytes.length;) {
      const result = this.calls.send(fd, bytes.subarray(done), n.MSG_NOSIGNAL);
      if (name(result) === 'EAGAIN')
        await this.ready(fd, POLLOUT);
      else if (result < 0)
        return name(result);
      else
        done += result;
    }
    return bytes.length;
  }
}

/** '0' and other results that are none are numbers; the rest are names. */
function name(result) {
  return result < 0 ? errorName(result) : String(result);
}

const EVENTS = { POLLIN, POLLOUT, POLLERR, POLLHUP, POLLRDHUP };

function events(bits) {
  const plain = bits & ~(POLLRDNORM | POLLWRNORM);
  return Object.entries(EVENTS).filter(([, bit]) => plain & bit).map(([text]) => text.slice(4))
    .join(' ');
}

async function programWithEcho(...options) {
  const echo = await startEcho();
  const proxy = await startProxy('--allow', `127.0.0.1:${echo.port}`, '--allow', '127.0.0.1:1',
    '--allow', `[::1]:${echo.port}`, ...options);
  return { echo, proxy, program: new Program({ proxy: proxy.url('/') }) };
}

// ---- connecting ----

async function connects() {
  const { echo, program } = await programWithEcho();
  const { calls, table } = program;
  const fd = calls.socket(AF_INET, SOCK_STREAM | n.SOCK_NONBLOCK | n.SOCK_CLOEXEC, 6);
  equal([table.fcntl(fd, 1), table.fcntl(fd, 3) & 0o4000], [1, 0o4000], 'flags');
  equal([events(table.events(fd)), calls.getpeername(fd)], ['OUT HUP', -107], 'a new one');
  equal(calls.getsockname(fd), { family: AF_INET, host: '0.0.0.0', port: 0 }, 'no address');
  const to = { family: AF_INET, host: '127.0.0.1', port: echo.port };
  equal(name(calls.connect(fd, to)), 'EINPROGRESS', 'the first connect');
  equal(name(calls.connect(fd, to)), 'EALREADY', 'another');
  equal(events(table.events(fd)), '', 'while it connects');
  equal(name(calls.send(fd, Buffer.from('a'))), 'EAGAIN', 'send');
  equal(name(calls.recv(fd, new Uint8Array(1))), 'EAGAIN', 'recv');
  equal(name(calls.shutdown(fd, SHUT_WR)), 'ENOTCONN', 'shutdown');
  await program.ready(fd, POLLOUT);
  equal(calls.getsockopt(fd, SOL_SOCKET, n.SO_ERROR), 0, 'SO_ERROR');
  equal(name(calls.connect(fd, to)), '0', 'the first after it');
  equal(name(calls.connect(fd, to)), 'EISCONN', 'the next');
  equal(calls.getpeername(fd), to, 'getpeername');
  const [socket] = echo.sockets;
  equal(calls.getsockname(fd), { family: AF_INET, host: '127.0.0.1', port: socket.remotePort },
    'getsockname');
  equal(events(table.events(fd)), 'OUT', 'connected');
  equal(await program.write(fd, 'hello'), 5, 'write');
  equal(await program.read(fd), 'hello', 'read');
  equal(table.fstat(fd).mode & S_IFMT, S_IFSOCK, 'fstat');
  equal(name(calls.sendto(fd, Buffer.from('a'), 0, to)), 'EISCONN', 'sendto with an address');
  table.close(fd);
  await until(() => socket.readableEnded || socket.isClosed, 'the end at the server');
  equal(socket.failure, undefined, 'no reset');
}

async function connectsFail() {
  const { program } = await programWithEcho();
  const { calls, table } = program;
  const to = (host, port, family = AF_INET) => ({ family, host, port });
  const fd = calls.socket(AF_INET, SOCK_STREAM, 0);
  equal(name(calls.connect(fd, to('127.0.0.1', 1))), 'EINPROGRESS', 'connect');
  await program.ready(fd, POLLOUT);
  equal(events(table.events(fd)), 'IN OUT ERR HUP RDHUP', 'poll');
  equal(errorName(calls.getsockopt(fd, SOL_SOCKET, n.SO_ERROR)), 'ECONNREFUSED', 'SO_ERROR');
  equal(calls.getsockopt(fd, SOL_SOCKET, n.SO_ERROR), 0, 'SO_ERROR again');
  equal(name(calls.connect(fd, to('127.0.0.1', 1))), 'ECONNABORTED', 'what connect says then');
  equal(name(await program.connect(fd, to('127.0.0.1', 1))), 'ECONNREFUSED', 'another attempt');
  const other = calls.socket(AF_INET, SOCK_STREAM, 0);
  equal(name(await program.connect(other, to('127.0.0.9', 1))), 'EACCES', 'not allowed');
  holds(program.log[0].includes('127.0.0.9:1 is not allowed'), `the log: ${program.log}`);
  equal(name(calls.connect(calls.socket(AF_INET6, SOCK_STREAM, 0), to('127.0.0.1', 1))),
    'EAFNOSUPPORT', 'another family');
  equal(name(calls.connect(calls.socket(AF_INET, SOCK_STREAM, 0), to('::1', 1))), 'EINVAL',
    'no address of the family');
  equal(name(calls.connect(77, to('127.0.0.1', 1))), 'EBADF', 'no descriptor');
  const [end] = makeSocketPair();
  equal(name(calls.connect(table.add(end), to('127.0.0.1', 1))), 'EOPNOTSUPP', 'a socket pair');
}

async function noProxy() {
  const to = { family: AF_INET, host: '10.1.2.3', port: 5432 };
  const alone = new Program({});
  const fd = alone.calls.socket(AF_INET, SOCK_STREAM, 0);
  equal(name(alone.calls.connect(fd, to)), 'ENETUNREACH', 'no proxy');
  alone.calls.connect(fd, to);
  equal(alone.log.length, 1, 'one message');
  holds(alone.log[0].includes('co4-proxy --allow 10.1.2.3:5432'), alone.log[0]);
  equal((await alone.network.getaddrinfo('db', null)).code, n.EAI_AGAIN, 'a name');
  const dead = new Program({ proxy: 'ws://127.0.0.1:1/?token=geheim' });
  const lost = dead.calls.socket(AF_INET, SOCK_STREAM, 0);
  equal(name(await dead.connect(lost, to)), 'ENETUNREACH', 'a proxy that is not there');
  holds(dead.log[0].includes('no proxy answers at ws://127.0.0.1:1/ for 10.1.2.3:5432'),
    dead.log[0]);
  holds(!dead.log.join().includes('geheim'), 'the token is in the log');
  const wrong = new Program({ proxy: 'no address' });
  equal(name(wrong.calls.connect(wrong.calls.socket(AF_INET, SOCK_STREAM, 0), to)), 'ENETUNREACH',
    'no address');
  const silent = await startServer(() => {}); // takes the handshake, and says nothing
  const slow = new Program({ proxy: `ws://127.0.0.1:${silent.port}/`, patience: 50 });
  equal(name(await slow.connect(slow.calls.socket(AF_INET, SOCK_STREAM, 0), to)), 'ETIMEDOUT',
    'a proxy that is silent');
}

async function manyProxies() {
  const one = await programWithEcho(), other = await programWithEcho('--token', 'x y');
  const asked = [];
  const program = new Program({
    proxy: (target) => {
      asked.push(target);
      return target.port === one.echo.port ? one.proxy.url('/') :
        target.port === other.echo.port ? other.proxy.url('/?token=x%20y') : null;
    },
  });
  for (const { echo } of [one, other]) {
    const fd = await program.open(echo.port);
    await program.write(fd, 'hello');
    equal(await program.read(fd), 'hello', 'by its proxy');
  }
  const fd = program.calls.socket(AF_INET, SOCK_STREAM, 0);
  equal(name(program.calls.connect(fd, { family: AF_INET, host: '127.0.0.1', port: 9 })),
    'ENETUNREACH', 'none for this one');
  equal(asked[0].kind, 'tcp', 'what the function is asked');
}

async function families() {
  const echo = await startServer((socket) => socket.pipe(socket), { host: '::', port: 0 });
  const proxy = await startProxy('--allow', `[::1]:${echo.port}`, '--allow',
    `127.0.0.1:${echo.port}`);
  const program = new Program({ proxy: proxy.url('/') });
  const { calls } = program;
  const six = await program.open(echo.port, '::1', AF_INET6);
  equal(calls.getpeername(six), { family: AF_INET6, host: '::1', port: echo.port }, 'IPv6');
  const mapped = await program.open(echo.port, '::ffff:127.0.0.1', AF_INET6);
  equal(calls.getpeername(mapped), { family: AF_INET6, host: '::ffff:127.0.0.1', port: echo.port },
    'IPv4 of an IPv6 socket');
  equal(calls.getsockname(mapped).host, '::ffff:127.0.0.1', 'its own address');
  const any = await program.open(echo.port, '0.0.0.0');
  equal(calls.getpeername(any).host, '127.0.0.1', 'the wildcard is this machine');
  const path = `${proxy.folder}/s`;
  const server = await startServer((socket) => socket.end('unix'), { path });
  const second = await startProxy('--allow', `unix:${path}`);
  const local = new Program({ proxy: second.url('/') });
  const fd = local.calls.socket(AF_UNIX, SOCK_STREAM, 0);
  equal(name(await local.connect(fd, { family: AF_UNIX, path })), '0', 'a Unix socket');
  equal([await local.read(fd), server.sockets.size], ['unix', 1], 'bytes');
  equal(local.calls.getpeername(fd), { family: AF_UNIX, path }, 'its peer');
  const none = local.calls.socket(AF_UNIX, SOCK_STREAM, 0);
  equal(name(await local.connect(none, { family: AF_UNIX, path: '/none' })), 'EACCES', 'another');
}

// ---- refusals ----

async function refusals() {
  const { calls, table } = new Program({});
  const make = (...words) => name(calls.socket(...words));
  equal(make(AF_INET, n.SOCK_DGRAM, 0), 'EPROTONOSUPPORT', 'UDP');
  equal(make(AF_INET, SOCK_STREAM, n.IPPROTO_UDP), 'EPROTONOSUPPORT', 'a stream of UDP');
  equal(make(AF_INET, 3, 1), 'ESOCKTNOSUPPORT', 'raw');
  equal(make(AF_INET, 77, 0), 'EINVAL', 'no type');
  equal(make(16, SOCK_STREAM, 0), 'EAFNOSUPPORT', 'netlink');
  const fd = calls.socket(AF_INET, SOCK_STREAM, 0);
  const at = (host, port = 0, family = AF_INET) => name(calls.bind(fd, { family, host, port }));
  equal(at('127.0.0.1'), 'EADDRNOTAVAIL', 'bind to an address');
  equal(at('::', 0, AF_INET6), 'EAFNOSUPPORT', 'bind to another family');
  equal(at('0.0.0.0', 8080), '0', 'bind');
  equal(at('0.0.0.0', 8080), 'EINVAL', 'bind again');
  equal(calls.getsockname(fd), { family: AF_INET, host: '0.0.0.0', port: 8080 }, 'the bound one');
  equal(name(calls.listen(fd, 5)), 'EOPNOTSUPP', 'listen');
  equal(name(calls.accept(fd)), 'EINVAL', 'accept');
  equal(name(calls.recv(fd, new Uint8Array(1))), 'ENOTCONN', 'recv');
  equal(name(calls.send(fd, new Uint8Array(1), n.MSG_NOSIGNAL)), 'EPIPE', 'send');
  equal(name(calls.shutdown(fd, SHUT_RDWR)), 'ENOTCONN', 'shutdown');
  table.close(fd);
  equal(name(calls.recv(fd, new Uint8Array(1))), 'EBADF', 'a closed one');
}

async function options() {
  const { calls } = new Program({});
  const fd = calls.socket(AF_INET, SOCK_STREAM, 0);
  const get = (level, option) => calls.getsockopt(fd, level, option);
  const set = (level, option, value) => name(calls.setsockopt(fd, level, option, value));
  const S = SOL_SOCKET, T = n.IPPROTO_TCP;
  equal([get(S, n.SO_TYPE), get(S, n.SO_DOMAIN), get(S, n.SO_PROTOCOL), get(S, n.SO_ACCEPTCONN)],
    [SOCK_STREAM, AF_INET, n.IPPROTO_TCP, 0], 'what it is');
  for (const [level, option] of [[S, n.SO_KEEPALIVE], [S, n.SO_REUSEADDR], [T, n.TCP_NODELAY]]) {
    equal([get(level, option), set(level, option, 7), get(level, option)], [0, '0', 1], 'a flag');
  }
  for (const option of [n.TCP_KEEPIDLE, n.TCP_KEEPINTVL, n.TCP_KEEPCNT, n.TCP_USER_TIMEOUT])
    equal([set(T, option, 30), get(T, option), set(T, option, -1)], ['0', 30, 'EINVAL'],
      'a number');
  equal([set(S, n.SO_RCVBUF, 10000), get(S, n.SO_RCVBUF)], ['0', 20000], 'SO_RCVBUF');
  equal([set(S, n.SO_LINGER, { on: 3, seconds: 4 }), get(S, n.SO_LINGER)],
    ['0', { on: 1, seconds: 4 }], 'SO_LINGER');
  const time = { seconds: 1, microseconds: 500000 };
  equal([set(S, n.SO_RCVTIMEO, time), get(S, n.SO_RCVTIMEO), get(S, n.SO_SNDTIMEO)],
    ['0', time, { seconds: 0, microseconds: 0 }], 'timeouts');
  equal(calls.table.get(fd).timeouts, { receive: 1500, send: 0 }, 'as the caller has them');
  equal(set(S, n.SO_RCVTIMEO, { seconds: 0, microseconds: 1000000 }), 'EDOM', 'no time');
  equal([name(get(S, 999)), name(get(T, n.TCP_INFO)), name(get(n.IPPROTO_IPV6, n.IPV6_V6ONLY)),
    set(T, n.TCP_FASTOPEN_CONNECT, 1)], Array(4).fill('ENOPROTOOPT'), 'what there is not');
  const six = calls.socket(AF_INET6, SOCK_STREAM, 0);
  equal(name(calls.setsockopt(six, n.IPPROTO_IPV6, n.IPV6_V6ONLY, 1)), '0', 'of IPv6');
  const unix = calls.socket(AF_UNIX, SOCK_STREAM, 0);
  equal(name(calls.setsockopt(unix, T, n.TCP_NODELAY, 1)), 'EOPNOTSUPP', 'TCP of a Unix socket');
}

// ---- bytes ----

async function flagsOfReads() {
  const { echo, program } = await programWithEcho();
  const { calls, table } = program;
  const fd = await program.open(echo.port);
  equal(name(calls.recv(fd, new Uint8Array(9), n.MSG_DONTWAIT)), 'EAGAIN', 'nothing there');
  await program.write(fd, 'hello world');
  await program.ready(fd, POLLIN);
  equal(await program.read(fd, 5, n.MSG_PEEK), 'hello', 'a look');
  const count = { value: 0 };
  equal([table.ioctl(fd, FIONREAD, count), count.value], [0, 11], 'FIONREAD');
  equal(table.ioctl(fd, TIOCOUTQ, count), 0, 'TIOCOUTQ');
  equal(await program.read(fd, 6, n.MSG_PEEK | n.MSG_WAITALL), 'hello ', 'another look');
  equal([await program.read(fd, 3), await program.read(fd, 3, n.MSG_PEEK), await program.read(fd)],
    ['hel', 'lo ', 'lo world'], 'reads');
  equal(name(calls.recv(fd, new Uint8Array(1), n.MSG_OOB)), 'EINVAL', 'MSG_OOB');
  equal(name(calls.recv(fd, new Uint8Array(1), 1 << 20)), 'EOPNOTSUPP', 'an unknown flag');
  equal(name(calls.send(fd, new Uint8Array(1), n.MSG_OOB)), 'EOPNOTSUPP', 'MSG_OOB of a send');
  equal(calls.sendmsg(fd, [Buffer.from('ab'), Buffer.alloc(0), Buffer.from('cde')]), 5, 'sendmsg');
  await program.ready(fd, POLLIN);
  const parts = [new Uint8Array(2), new Uint8Array(2), new Uint8Array(4)];
  equal([calls.recvmsg(fd, parts), parts.map((p) => Buffer.from(p).toString())],
    [5, ['ab', 'cd', 'e\0\0\0']], 'recvmsg');
  equal([table.write(fd, Buffer.from('xyz')), await program.readAll(fd, 3)], [3, 'xyz'], 'write');
}

async function ends() {
  const server = await startServer((socket) => {
    let all = '';
    socket.on('data', (bytes) => { all += bytes; });
    socket.on('end', () => socket.end(`got ${all}`));
  });
  const proxy = await startProxy('--allow', '127.0.0.1:*');
  const program = new Program({ proxy: proxy.url('/') });
  const { calls, table } = program;
  const fd = await program.open(server.port);
  await program.write(fd, 'question');
  equal(name(calls.shutdown(fd, SHUT_WR)), '0', 'shutdown');
  equal(name(calls.send(fd, Buffer.from('a'))), 'EPIPE', 'send after it');
  equal(program.signals, [SIGPIPE], 'SIGPIPE');
  equal(name(calls.send(fd, Buffer.from('a'), n.MSG_NOSIGNAL)), 'EPIPE', 'without a signal');
  equal(program.signals.length, 1, 'none with MSG_NOSIGNAL');
  equal([await program.readAll(fd, 12), await program.read(fd), await program.read(fd)],
    ['got question', '', ''], 'the answer, and the end');
  equal(events(table.events(fd)), 'IN OUT HUP RDHUP', 'poll after both ends');
  const talker = await startServer((socket) => socket.end('bye'));
  const half = await program.open(talker.port);
  equal([await program.readAll(half, 3), await program.read(half)], ['bye', ''], 'the end');
  equal(events(table.events(half)), 'IN OUT RDHUP', 'poll after the end of the server');
  equal(await program.write(half, 'more'), 4, 'it still takes bytes');
  equal(name(calls.shutdown(half, SHUT_RD)), '0', 'SHUT_RD');
  equal(name(calls.shutdown(half, 9)), 'EINVAL', 'no such half');
}

async function resets() {
  const server = await startServer((socket) => {
    socket.write('last words');
    socket.on('data', () => socket.resetAndDestroy());
  });
  const proxy = await startProxy('--allow', '127.0.0.1:*');
  const program = new Program({ proxy: proxy.url('/') });
  const { calls, table } = program;
  const fd = await program.open(server.port);
  equal(await program.readAll(fd, 10), 'last words', 'before');
  await program.write(fd, 'x');
  equal(await program.read(fd), 'ECONNRESET', 'a reset');
  equal([await program.read(fd), await program.write(fd, 'x')], ['', 'EPIPE'], 'after it');
  equal(events(table.events(fd)), 'IN OUT HUP RDHUP', 'poll');
  // Input that the program has not read, and SO_LINGER of 0, reset the server.
  for (const how of ['unread', 'linger']) {
    const seen = await startServer((socket) => socket.write('unread'));
    const own = await program.open(seen.port);
    await program.ready(own, POLLIN);
    if (how === 'linger') {
      await program.readAll(own, 6);
      calls.setsockopt(own, SOL_SOCKET, n.SO_LINGER, { on: 1, seconds: 0 });
    }
    table.close(own);
    const [socket] = seen.sockets;
    await until(() => socket.isClosed, 'the end');
    equal(socket.failure, 'ECONNRESET', how);
  }
}

async function cuts() {
  // The proxy dies, and a fake one ends in the middle of a frame.
  const { echo, proxy, program } = await programWithEcho();
  const fd = await program.open(echo.port);
  await program.write(fd, 'hello');
  equal(await program.readAll(fd, 5), 'hello', 'before');
  proxy.status = 'killed';
  await proxy.stop('SIGKILL');
  equal(await program.read(fd), 'ECONNRESET', 'read');
  equal([await program.read(fd), await program.write(fd, 'x')], ['', 'EPIPE'], 'later');
  const ended = await programWithEcho();
  const other = await ended.program.open(ended.echo.port);
  await ended.proxy.stop();
  equal(await ended.program.read(other), 'ECONNRESET', 'a proxy that has ended');
  const real = await programWithEcho();
  let cut = null;
  const between = await startServer((socket) => { // half of a message, and then nothing
    const way = net.connect(real.proxy.port, '127.0.0.1');
    socket.pipe(way);
    way.on('data', (bytes) => (cut ? cut(socket, way, bytes) : socket.write(bytes)));
    way.on('error', () => {});
  });
  const halved = new Program({ proxy: `ws://127.0.0.1:${between.port}/` });
  const third = await halved.open(real.echo.port);
  cut = (socket, way, bytes) => {
    if (bytes.length < 1000)
      return;
    socket.write(bytes.subarray(0, 500), () => {
      socket.destroy();
      way.destroy();
    });
    cut = () => {};
  };
  await halved.write(third, randomBytes(30_000));
  equal(await halved.read(third), 'ECONNRESET', 'a message that was cut: none of it is read');
}

async function streams() {
  const { echo, program } = await programWithEcho();
  const total = SMALL ? 2 << 20 : 20 << 20;
  const fd = await program.open(echo.port);
  const piece = randomBytes(1 << 20);
  let most = 0;
  const socket = program.table.get(fd);
  const watch = setInterval(() => { most = Math.max(most, socket.input.length); }, 1);
  const writing = (async () => {
    for (let sent = 0; sent < total; sent += piece.length)
      equal(await program.write(fd, piece), piece.length, 'write');
  })();
  let got = 0;
  const bytes = new Uint8Array(50_000);
  while (got < total) {
    const count = program.calls.recv(fd, bytes);
    if (count < 0) {
      equal(name(count), 'EAGAIN', 'read');
      await program.ready(fd, POLLIN);
      continue;
    }
    const at = got % piece.length, whole = Math.min(count, piece.length - at);
    holds(piece.subarray(at, at + whole).equals(bytes.subarray(0, whole)), `other bytes at ${got}`);
    got += count;
  }
  await writing;
  clearInterval(watch);
  holds(most <= 256 << 10, `${most} bytes of input`);
}

async function bounds() {
  let sent = 0;
  const flood = await startServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65536)))
        sent += 65536;
      socket.once('drain', more);
    };
    more();
  });
  const sink = await startServer((socket) => socket.pause());
  const proxy = await startProxy('--allow', '127.0.0.1:*');
  const program = new Program({ proxy: proxy.url('/') });
  const { calls, table } = program;
  const fd = await program.open(flood.port);
  await until(() => table.get(fd).input.length === 256 << 10, 'a full input');
  let before = -1;
  for (const end = Date.now() + PATIENCE; before !== sent && Date.now() < end;) {
    before = sent;
    await sleep(200);
  }
  equal([table.get(fd).input.length, sent], [256 << 10, before], 'the server waits');
  table.close(fd);
  const full = await program.open(sink.port);
  const bytes = new Uint8Array(1 << 20);
  let written = 0;
  for (let idle = 0; idle < 40;) {
    const count = calls.send(full, bytes);
    written += Math.max(count, 0);
    idle = count < 0 ? idle + 1 : 0;
    if (count < 0)
      await sleep(10);
  }
  equal(events(table.events(full)), '', 'poll: no room');
  holds(table.get(full).credit === 0 && written < 64 << 20, `${written} bytes`);
}

async function many() {
  const { echo, program } = await programWithEcho();
  const count = SMALL ? 30 : 400;
  program.table.limit = 2000;
  const one = async (i) => {
    const fd = await program.open(echo.port);
    const text = `number ${i} `.repeat(100);
    await program.write(fd, text);
    equal(await program.readAll(fd, text.length), text, 'an echo');
    program.table.close(fd);
  };
  await Promise.all(Array.from({ length: count }, (_, i) => one(i)));
  equal(program.table.count, 0, 'descriptors');
  await until(() => [...echo.sockets].every((s) => s.isClosed), 'all ends');
}

// ---- names ----

async function names() {
  const proxy = await startProxy('--allow', 'localhost:1', '--allow', 'no-such.invalid:1');
  const { network, log } = new Program({ proxy: proxy.url('/') });
  const look = async (host, service, hints) => {
    const { code, list } = await network.getaddrinfo(host, service, hints);
    return code || list.map(({ address }) => `${address.host} ${address.port}`);
  };
  equal(await look('127.1', '80'), ['127.0.0.1 80'], 'a number');
  equal(await look('::0:1', 'https'), ['::1 443'], 'IPv6, a service');
  equal(await look('localhost', 'postgresql'), ['127.0.0.1 5432', '::1 5432'], 'localhost');
  equal(await look('db.localhost', '1', { family: AF_INET6 }), ['::1 1'], 'below localhost');
  equal(await look(null, '80'), ['127.0.0.1 80', '::1 80'], 'no host');
  equal(await look(null, '80', { flags: n.AI_PASSIVE }), ['0.0.0.0 80', ':: 80'], 'passive');
  equal(await look('1.2.3.4', '1', { family: AF_INET6, flags: n.AI_V4MAPPED }),
    ['::ffff:1.2.3.4 1'], 'mapped');
  const code = async (...words) => (await network.getaddrinfo(...words)).code;
  equal(await code(null, null), n.EAI_NONAME, 'nothing');
  equal(await code('a', null, { flags: 1 << 20 }), n.EAI_BADFLAGS, 'flags');
  equal(await code(null, '1', { flags: n.AI_CANONNAME }), n.EAI_BADFLAGS, 'no canonical name');
  equal(await code('a', null, { family: 77 }), n.EAI_FAMILY, 'a family');
  equal(await code('a', null, { type: 3 }), n.EAI_SOCKTYPE, 'a type');
  equal(await code('a', null, { type: 2, protocol: 6 }), n.EAI_SOCKTYPE, 'datagrams of TCP');
  equal(await code('127.0.0.1', 'no-such'), n.EAI_SERVICE, 'a service');
  equal(await code('127.0.0.1', '65536'), n.EAI_SERVICE, 'a large port');
  equal(await code('127.0.0.1', 'http', { flags: n.AI_NUMERICSERV }), n.EAI_NONAME, 'numeric');
  equal(await code('localhost', null, { flags: n.AI_NUMERICHOST }), n.EAI_NONAME, 'no number');
  equal(await code('::1', null, { family: AF_INET }), n.EAI_NONAME, 'another family');
  equal(await code('a b', null), n.EAI_NONAME, 'a blank');
  equal(await code('example.org', null), n.EAI_NONAME, 'not allowed');
  holds(log.some((text) => text.includes('the name example.org is not allowed')), `${log}`);
  holds([n.EAI_NONAME, n.EAI_AGAIN].includes(await code('no-such.invalid', null)), 'none');
  equal(network.names.getnameinfo({ host: '::1', port: 5432 }),
    { code: 0, host: '::1', service: 'postgresql' }, 'getnameinfo');
}

async function caches() {
  let time = 0, asked = 0, answer = 'names db.example 10.0.0.1 fe80::1%2';
  const own = new Names(async () => {
    asked++;
    if (!answer)
      throw new Error('no proxy');
    return answer;
  }, () => time);
  const look = async (host, flags = 0) => {
    const { code, list } = await own.getaddrinfo(host, '1', { flags });
    return code || list.map((one) => one.address.host + (one.canonical ?? ''));
  };
  const both = await Promise.all([look('DB'), look('db', n.AI_CANONNAME)]);
  equal([both, asked], [[['10.0.0.1', 'fe80::1'], ['10.0.0.1db.example', 'fe80::1']], 1],
    'one question for two');
  equal(own.nameOf('10.0.0.1'), 'db', 'the name of an address');
  time = 59_000;
  await look('db');
  equal(asked, 1, 'kept');
  time = 61_000;
  answer = 'failed EAI_FAIL';
  equal([await look('db'), asked], [n.EAI_FAIL, 2], 'asked again');
  answer = '';
  time += 4_000;
  equal([await look('db'), asked], [n.EAI_FAIL, 2], 'a failure is kept');
  time += 2_000;
  equal([await look('db'), asked], [n.EAI_AGAIN, 3], 'not for long');
  for (let i = 0; i < 3000; i++)
    await look(`host${i}`);
  equal(own.answers.size, 1000, 'the bound');
}

function addresses() {
  const pairs = [['1.2.3.4', '1.2.3.4'], ['0x7f.1', '127.0.0.1'], ['017.1', '15.0.0.1'],
    ['4294967295', '255.255.255.255'], ['1.2.3', '1.2.0.3'], ['::', '::'], ['1::', '1::'],
    ['::1', '::1'], ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'], ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['2001:DB8::0:1', '2001:db8::1'], ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'], ['0:0:0:0:0:ffff:102:304', '::ffff:1.2.3.4'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'], ['fe80::1%3', 'fe80::1'],
    ['1::2:0:0:0:0', '1:0:0:2::']];
  for (const [text, normal] of pairs)
    equal(parseHost(text)?.host, normal, text);
  equal(parseHost('fe80::1%3')?.scope, 3, 'a scope');
  for (const wrong of ['', '1.2.3.4.5', '256.1.1.1', '1.2.3.256', '4294967296', '08', '1..2', 'a.b',
    '1.2.3.', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '12345::', '::g', '::1%',
    '::1%eth0', '::1.2.3', '::01.2.3.4', '::256.1.1.1', '1:2:3:4:5:6:7::8', '-1', '1 ', '::1%1%2'])
    equal(parseHost(wrong), null, JSON.stringify(wrong));
  for (let i = 0; i < 2000; i++) {
    const bytes = randomBytes(16).map((byte, at) => (i >> (at >> 1)) & 1 ? byte : 0);
    const text = formatAddress(bytes);
    equal([...(hostBytes(text) ?? [])], [...bytes], text);
    holds(net.isIPv6(text), text);
  }
}

// ---- as client libraries do it ----

/** hiredis: a connect with a timeout, then blocking calls; RESP in pieces. */
async function likeHiredis() {
  const server = await startServer((socket) => {
    let input = '';
    socket.setNoDelay(true);
    socket.on('data', async (bytes) => {
      input += bytes;
      for (let end = input.indexOf('PING\r\n'); end >= 0; end = input.indexOf('PING\r\n')) {
        input = input.slice(end + 6);
        socket.write('+PO');
        await sleep(1);
        socket.write('NG\r\n');
      }
    });
  });
  const proxy = await startProxy('--allow', `localhost:${server.port}`);
  const program = new Program({ proxy: proxy.url('/') });
  const { calls, table, network } = program;
  const hints = { family: AF_INET, type: SOCK_STREAM };
  const { list } = await network.getaddrinfo('localhost', String(server.port), hints);
  const [{ family, type, protocol, address }] = list;
  const fd = calls.socket(family, type, protocol);
  table.fcntl(fd, 4, 0o4000);
  equal(name(calls.connect(fd, address)), 'EINPROGRESS', 'connect');
  await program.ready(fd, POLLOUT);
  const again = name(calls.connect(fd, address));
  holds(again === '0' || again === 'EISCONN', again);
  equal(calls.getsockopt(fd, SOL_SOCKET, n.SO_ERROR), 0, 'SO_ERROR');
  table.fcntl(fd, 4, 0);
  const time = { seconds: 1, microseconds: 0 };
  for (const option of [n.SO_RCVTIMEO, n.SO_SNDTIMEO])
    equal(calls.setsockopt(fd, SOL_SOCKET, option, time), 0, 'a timeout');
  equal(calls.setsockopt(fd, n.IPPROTO_TCP, n.TCP_NODELAY, 1), 0, 'TCP_NODELAY');
  equal(calls.setsockopt(fd, SOL_SOCKET, n.SO_KEEPALIVE, 1), 0, 'SO_KEEPALIVE');
  for (let i = 0; i < 20; i++) {
    await program.write(fd, '*1\r\n$4\r\nPING\r\n');
    equal(await program.readAll(fd, 7), '+PONG\r\n', 'an answer');
  }
}

/** The same commands, to a Redis, by a Unix socket. */
async function realRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'co4-redis.'));
  const path = join(folder, 's');
  // It ends with its standard input, so also when this process is killed.
  const child = spawn('sh', ['-c', 'redis-server --port 0 --unixsocket "$0/s" --save "" ' +
    '--dir "$0" >/dev/null & cat >/dev/null; kill $!; wait $!; rm -rf "$0"', folder],
  { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise((resolve) => { child.on('exit', resolve); });
  try {
    await until(() => existsSync(path), 'the socket of Redis');
    const proxy = await startProxy('--allow', `unix:${path}`);
    const program = new Program({ proxy: proxy.url('/') });
    const fd = program.calls.socket(AF_UNIX, SOCK_STREAM, 0);
    equal(name(await program.connect(fd, { family: AF_UNIX, path })), '0', 'connect');
    const value = randomBytes(1 << 20).toString('hex');
    const ask = async (command, answer) => {
      await program.write(fd, command);
      equal((await program.readAll(fd, answer.length)) === answer, true, command.slice(0, 30));
    };
    const bulk = `$${value.length}\r\n${value}\r\n`;
    await ask('*1\r\n$4\r\nPING\r\n', '+PONG\r\n');
    await ask(`*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${bulk}`, '+OK\r\n');
    await ask('*2\r\n$3\r\nGET\r\n$1\r\nk\r\n', bulk);
    await program.write(fd, '*1\r\n$4\r\nQUIT\r\n');
    equal([await program.readAll(fd, 5), await program.read(fd)], ['+OK\r\n', ''], 'the end');
  } finally {
    child.stdin.end();
    await ended;
  }
}

function int32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
}

function message(kind, body) {
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

/** A server of PostgreSQL's protocol: no TLS, no password, one row for each query. */
function servePostgres(socket) {
  let input = Buffer.alloc(0), isReady = false;
  const ready = message('Z', Buffer.from('I'));
  const answer = (text) => Buffer.concat([
    message('D', Buffer.concat([Buffer.from([0, 1]), int32(text.length), Buffer.from(text)])),
    message('C', Buffer.from('SELECT 1\0')), ready]);
  const take = (length) => {
    const taken = input.subarray(0, length);
    input = input.subarray(length);
    return taken;
  };
  socket.on('data', (bytes) => {
    input = Buffer.concat([input, bytes]);
    while (!isReady && input.length >= 8) {
      const packet = take(input.readInt32BE(0));
      isReady = packet.readInt32BE(4) !== 80877103;
      socket.write(isReady ? Buffer.concat([message('R', int32(0)), ready]) : 'N');
    }
    while (isReady && input.length >= 5 && input.length > input.readInt32BE(1)) {
      const packet = take(input.readInt32BE(1) + 1);
      if (packet[0] === 88)
        socket.end();
      else
        socket.write(answer(packet.subarray(5, -1).toString()));
    }
  });
}

/** libpq: SSLRequest, startup, a query, Terminate, with poll() before each read. */
async function likeLibpq() {
  const server = await startServer(servePostgres);
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const program = new Program({ proxy: proxy.url('/') });
  const { calls, table } = program;
  const one = async (i) => {
    const fd = calls.socket(AF_INET, SOCK_STREAM, 0);
    equal(calls.setsockopt(fd, n.IPPROTO_TCP, n.TCP_NODELAY, 1), 0, 'TCP_NODELAY');
    table.fcntl(fd, 4, 0o4000);
    table.fcntl(fd, 2, 1);
    for (const option of [n.TCP_KEEPIDLE, n.TCP_KEEPINTVL, n.TCP_KEEPCNT])
      equal(calls.setsockopt(fd, n.IPPROTO_TCP, option, 10), 0, 'keepalive');
    equal(name(calls.connect(fd, { family: AF_INET, host: '127.0.0.1', port: server.port })),
      'EINPROGRESS', 'connect');
    await program.ready(fd, POLLOUT);
    equal(calls.getsockopt(fd, SOL_SOCKET, n.SO_ERROR), 0, 'SO_ERROR');
    equal(typeof calls.getsockname(fd).port, 'number', 'getsockname');
    await program.write(fd, Buffer.concat([int32(8), int32(80877103)]));
    equal(await program.read(fd, 1), 'N', 'no TLS');
    await program.write(fd, Buffer.concat([int32(17), int32(196608), Buffer.from('user\0me\0\0')]));
    equal((await program.readAll(fd, 15))[0], 'R', 'authentication');
    const query = `select ${i}`;
    await program.write(fd, message('Q', Buffer.from(`${query}\0`)));
    const size = 5 + 2 + 4 + query.length + 14 + 6;
    const text = await program.readAll(fd, size);
    equal(text.slice(11, 11 + query.length), query, 'the row');
    await program.write(fd, message('X', Buffer.alloc(0)));
    table.close(fd);
  };
  await Promise.all(Array.from({ length: SMALL ? 10 : 100 }, (_, i) => one(i)));
}

await runTests({
  addresses, caches, connects, connectsFail, noProxy, manyProxies, families, refusals, options,
  flagsOfReads, ends, resets, cuts, streams, bounds, many, names, likeHiredis, likeLibpq,
  ...(hasRedis ? { realRedis } : {}),
}, process.argv.slice(2));
