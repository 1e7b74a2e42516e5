// harness.mjs - a proxy for a test, servers for it, and clients that keep what they are sent.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { WebSocket } from './websocket.mjs';

const PROXY = process.env.CO4_PROXY ??
  new URL('../../../build/bin/co4-proxy', import.meta.url).pathname;
const SLOW = Number(process.env.CO4_TEST_SLOW ?? 1);
/** Ample: a busy machine is no failure. */
export const PATIENCE = 60_000 * SLOW;

const endings = [];

/** Ends all that a test has started. */
export async function cleanUp() {
  while (endings.length > 0) await endings.pop()();
}

export const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Waits until `ready()` is true; fails with `what` after the patience. */
export async function until(ready, what) {
  const end = Date.now() + PATIENCE;
  while (!ready()) {
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await sleep(2);
  }
}

export function equal(have, want, what) {
  const [a, b] = [JSON.stringify(have), JSON.stringify(want)];
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
}

export function holds(is, what) {
  if (!is) throw new Error(what);
}

// ---- the proxy ----

export class Proxy {
  constructor(child, folder) {
    this.child = child;
    this.folder = folder;
    this.log = '';
    this.exit = new Promise((resolve) => {
      child.on('exit', (code, signal) => resolve(signal ?? code));
    });
    child.stderr.on('data', (bytes) => { this.log += bytes; });
    child.stdout.on('data', () => {});
  }

  url(path) {
    return `${this.scheme}://127.0.0.1:${this.port}${path}`;
  }

  /** Bytes of memory that it has in use. */
  memory() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) * 1024;
  }

  async stop(signal = 'SIGTERM') {
    this.child.kill(signal);
    return this.exit;
  }
}

/** Starts a proxy; it ends with the test, and with this process. */
export const startProxy = (...options) => startProxyUnder([], ...options);

/** The same by another command, which gets the program and its options. */
export async function startProxyUnder(command, ...options) {
  const folder = mkdtempSync(join(tmpdir(), 'co4-proxy.'));
  const file = join(folder, 'port');
  const under = (process.env.CO4_PROXY_UNDER ?? '').split(' ').filter(Boolean);
  const [program, ...words] = [...command, ...under, PROXY, '--port', '0', '--port-file', file,
    '--exit-with-parent', ...options];
  const proxy = new Proxy(spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] }), folder);
  proxy.scheme = options.includes('--tls-cert') ? 'wss' : 'ws';
  endings.push(async () => {
    const status = await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
    if (proxy.status === undefined) equal(status, 0, `the end of the proxy: ${proxy.log}`);
  });
  let ended;
  proxy.exit.then((status) => { ended = status; });
  await until(() => {
    if (ended !== undefined) throw new Error(`the proxy has ended: ${ended} ${proxy.log}`);
    try {
      proxy.port = Number(readFileSync(file, 'utf8'));
      return true;
    } catch {
      return false;
    }
  }, 'the port of the proxy');
  return proxy;
}

/** Runs a proxy that ends at once. */
export async function runProxy(...options) {
  const child = spawn(PROXY, options, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stderr.on('data', (bytes) => { text += bytes; });
  child.stdout.on('data', (bytes) => { text += bytes; });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  const status = await new Promise((resolve) => { child.on('close', resolve); });
  clearTimeout(timer);
  return { status, text };
}

// ---- servers ----

/** A server on loopback. Its sockets are half-open where the peer ends. */
export async function startServer(serve, where = { host: '127.0.0.1', port: 0 }) {
  const sockets = new Set();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', (error) => { socket.failure = error.code; });
    socket.on('close', () => { socket.isClosed = true; });
    serve(socket);
  });
  await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen({ ...where, backlog: 4096 }, resolve);
  });
  endings.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => { server.close(resolve); });
  });
  return { port: server.address()?.port, sockets, server };
}

export const startEcho = () => startServer((socket) => socket.pipe(socket));

// ---- clients ----

/** A WebSocket that keeps its messages: `bytes` of binary ones, `texts`, and the `end`. */
export class Client {
  constructor(url, how) {
    this.ws = new WebSocket(url, how);
    this.pieces = [];
    this.size = 0;
    this.texts = [];
    this.end = null;
    this.ws.onmessage = ({ data }) => this.take(data);
    this.ws.onclose = ({ code, reason }) => { this.end = { code, reason }; };
    endings.push(async () => { this.ws.socket.destroy(); });
  }

  take(data) {
    if (typeof data === 'string') this.texts.push(data);
    else {
      this.size += data.byteLength;
      this.pieces.push(data);
    }
  }

  get bytes() {
    return Buffer.concat(this.pieces.map((piece) => Buffer.from(piece)));
  }

  text(word) {
    return this.texts.find((text) => text === word || text.startsWith(`${word} `));
  }

  send(data) {
    this.ws.send(data);
  }

  async waitFor(word) {
    await until(() => this.text(word) || this.end, word);
    if (!this.text(word)) throw new Error(`${word}: ${JSON.stringify([this.texts, this.end])}`);
    return this.text(word);
  }

  async closed() {
    await until(() => this.end, 'the end of a WebSocket');
    return this.end;
  }
}

/** A connection through the proxy, with credit for the server. */
export async function connect(proxy, path, credit = 1 << 20, how = {}) {
  const client = new Client(proxy.url(path), how);
  await client.waitFor('connected');
  if (credit > 0) client.send(`take ${credit}`);
  return client;
}

// ---- running ----

// Of a test that waits for what never comes. The process ends by itself all the same.
async function limit(name) {
  await new Promise((resolve) => { setTimeout(resolve, 2 * PATIENCE).unref(); });
  throw new Error(`${name} does not end`);
}

/** Runs the tests that are named, or all, one after the other. */
export async function runTests(tests, names) {
  let failures = 0;
  process.on('unhandledRejection', (error) => { // of a part that a test has left behind
    failures++;
    console.log(`FAILED  ${error.stack}`);
  });
  for (const [name, test] of Object.entries(tests)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const since = Date.now();
    let failure = null;
    try {
      await Promise.race([test(), limit(name)]);
    } catch (error) {
      failure = error;
    }
    try {
      await cleanUp();
    } catch (error) {
      failure ??= error;
    }
    failures += failure ? 1 : 0;
    console.log(`${failure ? 'FAILED' : 'ok'}  ${name}  ${Date.now() - since} ms`);
    if (failure) console.log(failure.stack);
  }
  process.exit(failures > 0 ? 1 : 0);
}
