// proxy.mjs - co4-proxy, by clients that speak its protocol, and by some that do not.
//
//     node proxy.mjs [TEST...]         CO4_PROXY is the program, if not that of build/

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';

import {
  Client, PATIENCE, connect, equal, holds, runProxy, runTests, sleep, startEcho, startProxy,
  startProxyUnder, startServer, until,
} from './harness.mjs';
import { WebSocket, frame } from './websocket.mjs';

const SMALL = Boolean(process.env.CO4_PROXY_SMALL); // under valgrind, sanitizers
const WINDOW = 256 << 10;

/** A proxy and an echo server that it may connect to. */
async function pair(...options) {
  const echo = await startEcho();
  const proxy = await startProxy('--allow', `127.0.0.1:${echo.port}`, ...options);
  return { echo, proxy, path: `/tcp/127.0.0.1/${echo.port}` };
}

/** A port on which nothing listens. */
async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const { port } = server.address();
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

async function refused(client) {
  const { code, reason } = await client.closed();
  holds(!client.text('connected'), 'it is connected');
  return [code, reason];
}

// ---- what a connection is ----

async function echoes() {
  const { echo, proxy, path } = await pair();
  const client = await connect(proxy, path);
  const [, window, there, port, here, own] = client.text('connected').split(' ');
  const [socket] = echo.sockets;
  equal([Number(window), there, Number(port), here, Number(own)],
    [WINDOW, '127.0.0.1', echo.port, '127.0.0.1', socket.remotePort], 'addresses');
  const bytes = randomBytes(100_000);
  client.send(bytes.subarray(0, 60_000));
  client.send(bytes.subarray(60_000));
  await until(() => client.size >= bytes.length, 'the echo');
  holds(client.bytes.equals(bytes), 'other bytes');
  const took = () => client.texts.filter((t) => t.startsWith('took '))
    .reduce((sum, t) => sum + Number(t.slice(5)), 0);
  await until(() => took() >= bytes.length, 'credit');
  equal(took(), bytes.length, 'credit');
  client.ws.close(1000);
  await until(() => socket.isClosed || socket.readableEnded, 'the end at the server');
  equal(socket.failure, undefined, 'how the server saw the end');
}

async function refusedPorts() {
  const port = await freePort();
  const proxy = await startProxy('--allow', `127.0.0.1:${port}`);
  const client = new Client(proxy.url(`/tcp/127.0.0.1/${port}`));
  equal(await client.waitFor('failed'), 'failed ECONNREFUSED', 'a port without a server');
  equal((await client.closed()).code, 1000, 'the status');
}

async function silentServers() {
  // The queue of a listener that accepts nothing is full after some connections.
  const proxy = await startProxy('--allow', '127.0.0.1:*', '--connect-timeout', '1');
  const child = spawn('python3', ['-c', `import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
print(s.getsockname()[1], flush=True); sys.stdin.read()`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise((resolve) => {
    child.stdout.on('data', (text) => resolve(Number(text)));
  });
  const clients = Array.from({ length: 6 }, () => new Client(proxy.url(`/tcp/127.0.0.1/${port}`)));
  await until(() => clients.every((c) => c.texts.length > 0), 'answers');
  child.stdin.end();
  holds(clients.some((c) => c.text('failed ETIMEDOUT') ?? c.texts[0] === 'failed ETIMEDOUT'),
    `no timeout: ${clients.map((c) => c.texts[0])}`);
}

async function unixSockets() {
  const proxy0 = await startProxy();
  const path = join(proxy0.folder, 'socket');
  const server = await startServer((socket) => socket.pipe(socket), { path });
  const proxy = await startProxy('--allow', `unix:${path}`, '--allow', 'unix:/no/such/socket');
  const client = await connect(proxy, `/unix${path}`);
  equal(client.text('connected'), `connected ${WINDOW}`, 'a Unix socket');
  client.send(Buffer.from('hello'));
  await until(() => client.size === 5, 'the echo');
  client.ws.close(1000);
  await until(() => [...server.sockets].every((s) => s.readableEnded), 'the end');
  const missing = new Client(proxy.url('/unix/no/such/socket'));
  equal(await missing.waitFor('failed'), 'failed ENOENT', 'no such socket');
  for (const other of ['/unix/etc/passwd', `/unix${path}%2F..%2Fsocket`, '/unix/'])
    equal((await refused(new Client(proxy.url(other))))[0], 4403, other);
}

// ---- ends ----

async function halfCloseOfPage() {
  let all = '';
  const server = await startServer((socket) => {
    socket.on('data', (bytes) => { all += bytes; });
    socket.on('end', () => { socket.end(`got ${all}`); });
  });
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const client = await connect(proxy, `/tcp/127.0.0.1/${server.port}`);
  client.send(Buffer.from('question'));
  client.send('end');
  equal((await client.closed()).code, 1000, 'the status when both sides have ended');
  equal([client.bytes.toString(), client.text('end')], ['got question', 'end'], 'the answer');
}

async function halfCloseOfServer() {
  let all = '';
  const server = await startServer((socket) => {
    socket.on('data', (bytes) => { all += bytes; });
    socket.end('hello');
  });
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const client = await connect(proxy, `/tcp/127.0.0.1/${server.port}`);
  await client.waitFor('end');
  equal(client.bytes.toString(), 'hello', 'before the end');
  client.send(Buffer.from('still there'));
  await until(() => all === 'still there', 'bytes after the end of the server');
  equal(client.end, null, 'the WebSocket');
  client.send('end');
  equal((await client.closed()).code, 1000, 'the status');
}

async function resetOfServer() {
  const server = await startServer((socket) => {
    socket.on('data', () => socket.resetAndDestroy());
  });
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const client = await connect(proxy, `/tcp/127.0.0.1/${server.port}`);
  client.send(Buffer.from('x'));
  equal(await client.waitFor('reset'), 'reset ECONNRESET', 'a reset');
  equal([(await client.closed()).code, client.text('end')], [1000, undefined], 'no end of file');
}

/** What a server sees after `act(client)`. */
async function seenByServer(act) {
  const { echo, proxy, path } = await pair();
  const client = await connect(proxy, path);
  client.send(Buffer.from('hello'));
  await until(() => client.size === 5, 'the echo');
  await act(client);
  const [socket] = echo.sockets;
  await until(() => socket.isClosed || socket.readableEnded, 'the end');
  return socket.failure ?? 'end';
}

async function resetOfPage() {
  equal(await seenByServer((c) => c.send('reset')), 'ECONNRESET', 'the word reset');
  equal(await seenByServer((c) => c.ws.close(1000)), 'end', 'the status 1000');
  equal(await seenByServer((c) => c.ws.close(1001)), 'ECONNRESET', 'the status 1001');
  equal(await seenByServer((c) => c.ws.close(4000)), 'ECONNRESET', 'the status 4000');
}

async function closeAfterBytes() {
  // The page closes at once: all that it has sent arrives, then the end.
  let size = 0;
  const server = await startServer((socket) => {
    socket.pause();
    setTimeout(() => socket.resume(), 50);
    socket.on('data', (bytes) => { size += bytes.length; });
    socket.on('end', () => socket.end());
  });
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const client = await connect(proxy, `/tcp/127.0.0.1/${server.port}`);
  for (let i = 0; i < 4; i++) client.send(randomBytes(60_000));
  client.ws.close(1000);
  const [socket] = server.sockets;
  await until(() => socket.readableEnded, 'the end');
  equal([size, socket.failure], [240_000, undefined], 'bytes before the end');
}

async function cuts() {
  const cut = (bytes) => seenByServer(async (client) => {
    client.ws.socket.write(bytes);
    await sleep(20);
    client.ws.socket.destroy();
  });
  const whole = frame(2, randomBytes(300));
  equal(await cut(Buffer.alloc(0)), 'ECONNRESET', 'between messages');
  equal(await cut(whole.subarray(0, 1)), 'ECONNRESET', 'in the head of a frame');
  equal(await cut(whole.subarray(0, 150)), 'ECONNRESET', 'in a frame');
  equal(await cut(frame(2, Buffer.from('half'), { fin: false })), 'ECONNRESET', 'in a message');
}

// ---- streams ----

/** Sends as much as the proxy has taken, and never more. */
async function pump(client, total, piece, bytes = null) {
  const chunk = randomBytes(piece);
  let left = Number(client.text('connected').split(' ')[1]);
  let seen = 0;
  let sent = 0;
  const account = () => {
    for (; seen < client.texts.length; seen++)
      if (client.texts[seen].startsWith('took ')) left += Number(client.texts[seen].slice(5));
    return left >= piece || client.end;
  };
  while (sent < total) {
    await until(account, 'room');
    holds(!client.end, `an end: ${JSON.stringify(client.end)}`);
    client.send(bytes ? bytes.subarray(sent, sent + piece) : chunk);
    left -= piece;
    sent += piece;
  }
}

const TOTAL = SMALL ? 4 << 20 : 100 << 20;
const BOUND = SMALL ? Infinity : 8 << 20; // of memory, above that of an idle proxy

function watchMemory(proxy) {
  const idle = proxy.memory();
  let most = 0;
  const timer = setInterval(() => { most = Math.max(most, proxy.memory() - idle); }, 5);
  return () => {
    clearInterval(timer);
    console.log(`    memory: ${(most / 1e6).toFixed(1)} MB above idle`);
    holds(most < BOUND, `the proxy has grown by ${most} bytes`);
  };
}

async function slowServer() {
  let size = 0;
  const server = await startServer((socket) => {
    socket.on('data', (bytes) => {
      size += bytes.length;
      if (size % 17 === 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    socket.on('end', () => socket.end());
  });
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const client = await connect(proxy, `/tcp/127.0.0.1/${server.port}`);
  const check = watchMemory(proxy);
  await pump(client, TOTAL, 32 << 10);
  client.send('end');
  await client.closed();
  equal(size, TOTAL, 'bytes at the server');
  check();
}

async function slowPage() {
  const piece = randomBytes(1 << 20);
  const server = await startServer((socket) => {
    let left = TOTAL >> 20;
    const more = () => {
      while (left > 0 && socket.write(piece)) left--;
      if (left-- > 0) socket.once('drain', more);
      else socket.end();
    };
    more();
  });
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const client = await connect(proxy, `/tcp/127.0.0.1/${server.port}`, 1000);
  const check = watchMemory(proxy);
  let read = 0;
  client.take = (data) => {
    if (typeof data === 'string') client.texts.push(data);
    else client.size += data.byteLength;
  };
  await until(() => client.size === 1000, 'the first credit');
  await sleep(200);
  equal(client.size, 1000, 'bytes without credit');
  read = client.size;
  client.send(`take ${WINDOW}`);
  while (!client.text('end')) { // slow: credit comes once in a while
    await sleep(1);
    if (client.size > read) client.send(`take ${client.size - read}`);
    holds(client.size - read <= WINDOW, 'more than the credit');
    read = client.size;
  }
  holds(client.size >= TOTAL, `${client.size} bytes`);
  check();
}

async function stuckServer() {
  // The server takes nothing: the page may send its window, and words still arrive.
  const server = await startServer((socket) => {
    socket.pause();
    socket.write('hello');
  });
  const proxy = await startProxy('--allow', `127.0.0.1:${server.port}`);
  const client = await connect(proxy, `/tcp/127.0.0.1/${server.port}`, 2);
  let room = WINDOW, seen = 0;
  for (let idle = 0; idle < 40; idle++) { // until the buffers of both systems are full
    for (; seen < client.texts.length; seen++)
      if (client.texts[seen].startsWith('took ')) room += Number(client.texts[seen].slice(5));
    if (room >= 16384) idle = 0;
    for (; room >= 16384; room -= 16384) client.send(Buffer.alloc(16384));
    await sleep(5);
  }
  await until(() => client.size > 0, 'bytes of the first credit');
  equal(client.bytes.toString(), 'he', 'bytes of the first credit');
  client.send('take 3');
  await until(() => client.size === 5, 'credit behind bytes that wait');
  equal(client.bytes.toString(), 'hello', 'bytes');
}

// ---- many ----

async function many() {
  const count = SMALL ? 60 : 2000;
  const { proxy, path } = await pair('--verbose');
  const idle = proxy.memory();
  const clients = [];
  for (let i = 0; i < count; i += 50)
    clients.push(...await Promise.all(Array.from({ length: Math.min(50, count - i) },
      () => connect(proxy, path, 64))));
  clients.forEach((client, i) => client.send(Buffer.from(`number ${i}`)));
  await until(() => clients.every((c, i) => c.size >= `number ${i}`.length), 'all echoes');
  clients.forEach((c, i) => equal(c.bytes.toString(), `number ${i}`, 'an echo'));
  const each = (proxy.memory() - idle) / count;
  console.log(`    ${count} connections, ${Math.round(each)} bytes each`);
  holds(SMALL || each < 40_000, `${each} bytes for an idle connection`);
}

async function limits() {
  const { proxy, path } = await pair('--connections', '2');
  const [a] = [await connect(proxy, path), await connect(proxy, path)];
  equal(await refused(new Client(proxy.url(path))),
    [4429, 'too many connections, see --connections'], 'the third');
  a.ws.close(1000);
  await a.closed();
  await connect(proxy, path);
}

/** Without descriptors a connect fails, and the proxy goes on. */
async function fewDescriptors() {
  const echo = await startEcho();
  const proxy = await startProxyUnder(['sh', '-c', 'ulimit -n 48; exec "$0" "$@"'], '--allow',
    `127.0.0.1:${echo.port}`);
  const url = proxy.url(`/tcp/127.0.0.1/${echo.port}`);
  const clients = Array.from({ length: 60 }, () => new Client(url));
  await until(() => clients.filter((c) => c.texts.length > 0).length > 20, 'answers');
  await until(() => clients.some((c) => c.texts[0] === 'failed EMFILE'), 'EMFILE');
  for (const client of clients) client.ws.socket.destroy();
  let later = new Client(url);
  for (const end = Date.now() + PATIENCE; Date.now() < end; later = new Client(url)) {
    await until(() => later.texts.length > 0 || later.end, 'an answer');
    if (later.text('connected'))
      return;
  }
  throw new Error('no connection when there are descriptors again');
}

async function idleEnds() {
  const { proxy, path } = await pair('--idle', '3'); // a busy machine may be late
  const ticks = await startServer((socket) => {
    const timer = setInterval(() => socket.write('x'), 50);
    socket.on('close', () => clearInterval(timer));
  });
  const listens = await startProxy('--allow', `127.0.0.1:${ticks.port}`, '--idle', '3');
  const listener = await connect(listens, `/tcp/127.0.0.1/${ticks.port}`);
  const client = await connect(proxy, path);
  const busy = await connect(proxy, path);
  const timer = setInterval(() => busy.send(Buffer.from('x')), 50);
  const { code, reason } = await client.closed();
  await sleep(200);
  clearInterval(timer);
  equal([code, reason], [4408, 'no byte for too long'], 'idle');
  equal([busy.end, listener.end], [null, null], 'those with bytes in one direction');
}

// ---- what is refused ----

async function origins() {
  const { proxy, path } = await pair();
  const ask = (p, origin) => new Client(p.url(path), { origin });
  for (const origin of ['http://localhost', 'http://localhost:8000', 'https://127.0.0.1:1',
    'http://[::1]:3000', undefined])
    await ask(proxy, origin).waitFor('connected');
  for (const origin of ['http://evil.example', 'null', 'http://localhost.evil.example',
    'http://localhost:80.evil.example', 'http://localhost@evil.example', 'http://localhost:80x',
    'http://127.0.0.10', 'file://', 'ftp://localhost']) {
    const [code, reason] = await refused(ask(proxy, origin));
    equal([code, reason], [4403, `the origin ${origin} is not allowed, see --origin`], origin);
  }
  holds(proxy.log.includes('the origin http://evil.example is not allowed'), 'the log');
  const strict = await startProxy('--allow', '127.0.0.1:*', '--origin', 'https://good.example');
  await ask(strict, 'https://good.example').waitFor('connected');
  equal((await refused(ask(strict, 'http://localhost')))[0], 4403, 'only what is listed');
  equal((await refused(ask(strict, 'https://good.example:444')))[0], 4403, 'another port');
  const open = await startProxy('--allow', '127.0.0.1:*', '--origin', '*');
  await ask(open, 'http://any.example').waitFor('connected');
  await ask(open, 'null').waitFor('connected');
}

async function tokens() {
  const { proxy, path } = await pair('--token', 'a secret&');
  const ask = (token) => new Client(proxy.url(`${path}?token=${encodeURIComponent(token)}`));
  await ask('a secret&').waitFor('connected');
  for (const wrong of ['', 'a secret', 'a secret&&', 'A secret&', 'a secret&a secret&'])
    equal(await refused(ask(wrong)), [4401, 'the token is missing or wrong'], wrong);
  equal((await refused(new Client(proxy.url(path))))[0], 4401, 'none');
  holds(!proxy.log.includes('secret'), 'the log has the token');
}

async function addresses() {
  const { echo, proxy } = await pair('--allow', '[::1]:1-2', '--allow', 'other.invalid:*');
  const ask = (host, port = echo.port) =>
    new Client(proxy.url(`/tcp/${encodeURIComponent(host)}/${port}`));
  // Other forms of the address that is allowed.
  for (const host of ['127.0.0.1', '0x7f.1', '127.1', '2130706433', '0177.0.0.1',
    '::ffff:127.0.0.1', '::ffff:7f00:1'])
    await ask(host).waitFor('connected');
  // Other addresses, also those that are this machine all the same.
  for (const host of ['127.0.0.2', '0x7f.2', '0.0.0.0', '::', '::1', '::ffff:127.0.0.2', '0',
    '::127.0.0.1', '169.254.169.254', '10.0.0.1'])
    equal((await refused(ask(host)))[0], 4403, host);
  // Names are not even looked up, unless a rule has them.
  for (const host of ['localhost', 'example.org', 'localhost.', 'LOCALHOST'])
    equal((await refused(ask(host)))[0], 4403, host);
  equal((await refused(ask('127.0.0.1', echo.port + 1)))[0], 4403, 'another port');
  equal((await refused(ask('::1', 3)))[0], 4403, 'a port behind the range');
  equal(await ask('::1', 2).waitFor('failed'), 'failed ECONNREFUSED', 'a port of the range');
  equal(await ask('other.invalid', 5).waitFor('failed'), 'failed EHOSTUNREACH', 'no such name');
  const [code, reason] = await refused(ask('127.0.0.2'));
  equal([code, reason], [4403, `127.0.0.2:${echo.port} is not allowed, see --allow`], 'the reason');
  for (const wrong of ['/tcp/127.0.0.1/x', '/tcp/127.0.0.1/', '/tcp/127.0.0.1', '/',
    '/tcp/127.0.0.1/123456', `/tcp/${'a'.repeat(300)}/1`, '/socks/a/1', '/tcp/127.0.0.1/-1'])
    equal((await refused(new Client(proxy.url(wrong))))[0], 4400, wrong);
}

async function namesOfRules() {
  const echo = await startEcho();
  const proxy = await startProxy('--allow', `localhost:${echo.port}`, '--allow', '*:1');
  const ask = (host, port = echo.port) => new Client(proxy.url(`/tcp/${host}/${port}`));
  await ask('localhost').waitFor('connected');
  await ask('LocalHost').waitFor('connected');
  await ask('127.0.0.1').waitFor('connected'); // the address of the name
  equal((await refused(ask('127.0.0.2')))[0], 4403, 'no address of the name');
  // `*:1` lets all names be looked up: the address decides, and it is none of localhost:PORT.
  equal(await ask('127.0.0.2', 1).waitFor('failed'), 'failed ECONNREFUSED', 'any host');
  const named = await startProxy('--allow', `LOCALHOST:${echo.port}`);
  await new Client(named.url(`/tcp/LocalHost/${echo.port}`)).waitFor('connected');
  const nothing = await startProxy();
  equal((await refused(new Client(nothing.url(`/tcp/127.0.0.1/${echo.port}`))))[0], 4403,
    'without rules');
  holds(nothing.log.includes('without --allow every connection is refused'), 'the log');
}

async function lookUps() {
  const proxy = await startProxy('--allow', 'localhost:1', '--allow', 'no-such.invalid:1');
  const ask = async (path) => {
    const client = new Client(proxy.url(path));
    await client.closed();
    return client.texts[0] ?? client.end.code;
  };
  const four = await ask('/names/localhost?family=4');
  holds(/^names \S+( 127\.0\.0\.1)+$/.test(four), four);
  equal(await ask('/names/127.1'), 'names 127.1 127.0.0.1', 'a number');
  equal(await ask('/names/%3A%3A1'), 'names ::1 ::1', 'a number of IPv6');
  equal(await ask('/names/no-such.invalid').then((t) => /^failed EAI_(NONAME|AGAIN)$/.test(t)),
    true, 'no such name');
  equal(await ask('/names/example.org'), 4403, 'a name of no rule');
  equal(await ask(`/names/${'a'.repeat(300)}`), 4400, 'too long');
}

/** The status with which the proxy ends a client that sends this. */
async function statusAfter(send, ...options) {
  const { echo, proxy, path } = await pair(...options);
  const client = await connect(proxy, path);
  await send(client);
  const { code, reason } = await client.closed();
  const [socket] = echo.sockets;
  await until(() => socket.isClosed || socket.readableEnded, 'the end at the server');
  return [code, reason, socket.failure];
}

async function breaches() {
  const raw = (bytes) => (client) => { client.ws.socket.write(bytes); };
  const status = async (bytes, ...options) => {
    const [code, , failure] = await statusAfter(raw(bytes), ...options);
    return [code, failure];
  };
  const reset = 'ECONNRESET';
  equal(await status(frame(2, Buffer.from('a'), { masked: false })), [1002, reset], 'no mask');
  equal(await status(frame(3, Buffer.from('a'))), [1002, reset], 'an opcode of none');
  equal(await status(frame(0, Buffer.from('a'))), [1002, reset], 'a part of no message');
  // wslay says no status for a frame that makes no sense.
  equal(await status(frame(9, Buffer.alloc(126))), [1005, reset], 'a large ping');
  equal(await status(frame(1, Buffer.from([0xff]))), [1007, reset], 'no UTF-8');
  equal(await status(frame(2, Buffer.from('a'), { length: 2 ** 40 })), [1009, reset], 'too large');
  equal(await status(frame(2, Buffer.alloc(70_000))), [1009, reset], 'above --message');
  equal(await status(frame(8, Buffer.from([3]))), [1005, reset], 'an end that is cut');
  const word = async (text) => (await statusAfter((c) => c.send(text))).slice(0, 3);
  const unknown = [4400, 'a word that this proxy does not know', reset];
  const credit = [4400, 'a credit that makes no sense', reset];
  equal(await word('open sesame'), unknown, 'an unknown word');
  equal(await word('end\0'), unknown, 'a NUL');
  for (const wrong of ['take -1', 'take ', 'take 1x', 'take 99999999999999999999', 'take  1'])
    equal(await word(wrong), credit, wrong);
  const late = await statusAfter((c) => { c.send('end'); c.send(Buffer.from('a')); });
  equal(late.slice(0, 2), [4400, 'bytes after the end'], 'bytes after the end');
  const overrun = await statusAfter((c) => c.send(Buffer.alloc(1025)), '--window', '1024');
  equal(overrun, [4400, 'more bytes than the window has', reset], 'the window');
}

async function garbage() {
  const { proxy, path } = await pair();
  for (const bytes of [
    randomBytes(4000), Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(99999),
    Buffer.from('GET /tcp/127.0.0.1/1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n'),
  ]) {
    const socket = net.connect(proxy.port, '127.0.0.1');
    let closed = false;
    socket.on('error', () => {});
    socket.on('close', () => { closed = true; });
    socket.on('data', () => {});
    socket.end(bytes);
    await until(() => closed, 'the end after garbage');
  }
  const ws = new WebSocket(proxy.url(path), { version: 12 });
  await new Promise((resolve) => { ws.onclose = resolve; });
  holds(ws.status >= 400, `status ${ws.status}`);
  await connect(proxy, path); // it is still there
}

async function fragments() {
  const { proxy, path } = await pair();
  const client = await connect(proxy, path);
  const raw = client.ws.socket;
  raw.write(frame(2, Buffer.from('one '), { fin: false }));
  raw.write(frame(9, Buffer.from('between')));
  raw.write(frame(0, Buffer.from('two '), { fin: false }));
  raw.write(frame(0, Buffer.from('three')));
  raw.write(frame(2, Buffer.alloc(0)));
  raw.write(frame(1, Buffer.from('ta'), { fin: false }));
  raw.write(frame(0, Buffer.from('ke 5')));
  for (const byte of frame(2, Buffer.from(' byte by byte'))) {
    raw.write(Buffer.from([byte]));
    await sleep(1);
  }
  await until(() => client.size >= 26, 'the echo');
  equal(client.bytes.toString(), 'one two three byte by byte', 'bytes');
  equal(client.ws.pongs, ['between'], 'pongs');
}

// ---- the program ----

async function endsBySignal() {
  for (const signal of ['SIGTERM', 'SIGINT', 'stdin']) {
    const { echo, proxy, path } = await pair();
    const client = await connect(proxy, path);
    if (signal === 'stdin') proxy.child.stdin.end();
    else proxy.child.kill(signal);
    const { code } = await client.closed();
    equal(code, 1001, `the status after ${signal}`);
    equal(await proxy.exit, 0, `the exit status after ${signal}`);
    const [socket] = echo.sockets;
    await until(() => socket.isClosed || socket.readableEnded, 'the end at the server');
    equal(socket.failure, 'ECONNRESET', 'what the server sees');
  }
}

async function hosts() {
  for (const host of ['::1', 'localhost', '127.0.0.3']) {
    const { proxy, path } = await pair('--host', host);
    const shown = host.includes(':') ? `[${host}]` : host;
    await new Client(`ws://${shown}:${proxy.port}${path}`).waitFor('connected');
  }
  const { proxy, path } = await pair('--host', '0.0.0.0', '--token', 't');
  await new Client(proxy.url(`${path}?token=t`)).waitFor('connected');
}

async function speaksTls() {
  const { folder } = await startProxy();
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj',
    '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert]);
  if (made.status !== 0)
    return; // no openssl here
  const { proxy, path } = await pair('--tls-cert', cert, '--tls-key', key);
  const client = await connect(proxy, path, 1 << 20, { ca: readFileSync(cert) });
  const bytes = randomBytes(200_000);
  await Promise.all([pump(client, bytes.length, 10_000, bytes),
    until(() => client.size >= bytes.length, 'the echo')]);
  holds(client.bytes.equals(bytes), 'other bytes');
  const plain = new WebSocket(`ws://127.0.0.1:${proxy.port}${path}`);
  await new Promise((resolve) => { plain.onclose = resolve; });
  equal(plain.status, 0, 'no TLS');
}

async function optionsRefused() {
  const cases = [
    [['--allow', 'localhost'], /HOST:PORT, HOST:FIRST-LAST/],
    [['--allow', 'a:0'], /HOST:PORT/],
    [['--allow', 'a:70000'], /HOST:PORT/],
    [['--allow', 'a:5-4'], /HOST:PORT/],
    [['--allow', 'a:5-'], /HOST:PORT/],
    [['--allow', ':5'], /HOST:PORT/],
    [['--allow', '::1:5'], /stands in brackets/],
    [['--allow', 'unix:socket'], /begins with \//],
    [['--origin', 'example.org'], /https:\/\/HOST/],
    [['--origin', 'https://example.org/'], /no \/ at its end/],
    [['--token', ''], /protects nothing/],
    [['--host', '0.0.0.0'], /only with a --token/],
    [['--window', '0'], /a number from 1 to/],
    [['--idle', '1x'], /a number from 0 to/],
    [['--message', '32767'], /a number from 32768 to/],
    [['--connections', ''], /a number from/],
    [['--tls-cert', '/no/such/file'], /one needs the other/],
    [['--tls-cert', '/no/such/file', '--tls-key', '/none'], /no\/such\/file/],
    [['word'], /is no option/],
    [['--port', 'no-port'], /no-port/],
    [['--no-such-option'], /no-such-option/]
  ];
  for (const [words, says] of cases) {
    const { status, text } = await runProxy(...words);
    holds((status === 2 || status === 1) && says.test(text), `${words}: ${status} ${text}`);
  }
  const { status, text } = await runProxy('--help');
  holds(status === 0 && text.startsWith('usage: co4-proxy'), '--help');
  const { proxy } = await pair();
  const taken = await runProxy('--port', String(proxy.port), '--allow', '*:1');
  equal([taken.status, taken.text.includes(`port ${proxy.port}`)], [1, true], 'a port in use');
}

await runTests({
  echoes, refusedPorts, silentServers, unixSockets, halfCloseOfPage, halfCloseOfServer,
  resetOfServer, resetOfPage, closeAfterBytes, cuts, slowServer, slowPage, stuckServer, many,
  limits, fewDescriptors, idleEnds, origins, tokens, addresses, namesOfRules, lookUps, breaches, garbage, fragments,
  endsBySignal, hosts, speaksTls, optionsRefused,
}, process.argv.slice(2));
