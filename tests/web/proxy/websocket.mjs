// websocket.mjs - a WebSocket client over node:net, with the interface that a page has.
//
// Node 20 has none without a flag. The tests also need what no page can do: frames cut in half,
// wrong masks, fragments, a request with any origin. `socket` is the connection below.

import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * One masked frame of a client.
 * @param {number} opcode 0 to 15
 * @param {Uint8Array} data
 * @param {{ fin?: boolean, masked?: boolean, length?: number }} [how] `length`: what the frame says
 * @returns {Buffer}
 */
export function frame(opcode, data, { fin = true, masked = true, length = data.length } = {}) {
  const head = length < 126 ? Buffer.alloc(2) : length < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = (masked ? 0x80 : 0) | (length < 126 ? length : length < 65536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  if (!masked) return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  const body = Buffer.from(data);
  for (let i = 0; i < body.length; i++) body[i] ^= mask[i & 3];
  return Buffer.concat([head, mask, body]);
}

function parse(input) {
  if (input.length < 2) return null;
  let size = input[1] & 0x7f;
  let at = 2;
  if (size === 126) {
    if (input.length < 4) return null;
    size = input.readUInt16BE(2);
    at = 4;
  } else if (size === 127) {
    if (input.length < 10) return null;
    size = Number(input.readBigUInt64BE(2));
    at = 10;
  }
  if (input.length < at + size) return null;
  const end = at + size;
  return { fin: input[0] >= 0x80, opcode: input[0] & 15, data: input.subarray(at, end), end };
}

/** The WebSocket of a page, as far as web/kernel/sockets.mjs and the tests use it. */
export class WebSocket extends EventTarget {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSING = 2;
  static CLOSED = 3;

  /**
   * @param {string} address
   * @param {{ origin?: string, version?: number, ca?: string }} [how]
   */
  constructor(address, { origin, version = 13, ca } = {}) {
    super();
    this.url = address;
    this.readyState = WebSocket.CONNECTING;
    this.binaryType = 'arraybuffer';
    this.pongs = [];
    this.status = 0;
    this.input = Buffer.alloc(0);
    this.parts = [];
    this.ending = { code: 1006, reason: '' };
    const url = new URL(address);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const key = randomBytes(16).toString('base64');
    this.proof = createHash('sha1').update(key + GUID).digest('base64');
    const request = [`GET ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`,
      'Connection: Upgrade', 'Upgrade: websocket', `Sec-WebSocket-Version: ${version}`,
      `Sec-WebSocket-Key: ${key}`, ...(origin ? [`Origin: ${origin}`] : []), '', ''];
    const where = { host, port: Number(url.port), ...(ca ? { ca, servername: 'localhost' } : {}) };
    this.socket = url.protocol === 'wss:' ? tls.connect(where) : net.connect(where);
    this.socket.setNoDelay(true);
    this.socket.write(request.join('\r\n'));
    this.socket.on('data', (bytes) => this.#take(bytes));
    this.socket.on('error', (error) => { this.error = error; });
    this.socket.on('close', () => this.#closed());
  }

  get bufferedAmount() {
    return this.socket.writableLength;
  }

  #emit(type, fields) {
    const event = Object.assign(new Event(type), fields);
    this[`on${type}`]?.(event);
    this.dispatchEvent(event);
  }

  #take(bytes) {
    this.input = this.input.length > 0 ? Buffer.concat([this.input, bytes]) : bytes;
    if (this.readyState === WebSocket.CONNECTING && !this.#open()) return;
    for (let f = parse(this.input); f; f = parse(this.input)) {
      this.input = this.input.subarray(f.end);
      this.#frame(f);
    }
  }

  #open() {
    const end = this.input.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = this.input.subarray(0, end).toString('latin1');
    this.status = Number(head.split(' ')[1]);
    if (this.status !== 101 || !head.includes(this.proof)) {
      this.socket.destroy();
      return false;
    }
    this.input = this.input.subarray(end + 4);
    this.readyState = WebSocket.OPEN;
    this.#emit('open', {});
    return true;
  }

  #frame({ fin, opcode, data }) {
    if (opcode === 8) this.#ended(data);
    else if (opcode === 9) this.socket.write(frame(10, data));
    else if (opcode === 10) this.pongs.push(data.toString());
    else this.#message(fin, opcode, data);
  }

  #message(fin, opcode, data) {
    if (opcode !== 0) this.opcode = opcode;
    this.parts.push(data);
    if (!fin) return;
    const whole = Buffer.concat(this.parts);
    this.parts = [];
    const bytes = new Uint8Array(whole).buffer;
    this.#emit('message', { data: this.opcode === 1 ? whole.toString() : bytes });
  }

  #ended(data) {
    if (data.length >= 2)
      this.ending = { code: data.readUInt16BE(0), reason: data.subarray(2).toString() };
    else this.ending = { code: 1005, reason: '' };
    if (this.readyState === WebSocket.OPEN) this.socket.write(frame(8, data));
    this.readyState = WebSocket.CLOSING;
    this.socket.end();
  }

  #closed() {
    if (this.readyState === WebSocket.CLOSED) return;
    const opened = this.readyState !== WebSocket.CONNECTING;
    this.readyState = WebSocket.CLOSED;
    if (!opened) this.#emit('error', {});
    this.#emit('close', { ...this.ending, wasClean: this.ending.code !== 1006 });
  }

  /** @param {string | ArrayBuffer | Uint8Array} data */
  send(data) {
    if (this.readyState === WebSocket.CONNECTING) throw new Error('not open');
    if (this.readyState !== WebSocket.OPEN) return;
    if (typeof data === 'string') this.socket.write(frame(1, Buffer.from(data)));
    else this.socket.write(frame(2, new Uint8Array(data.buffer ?? data,
      data.byteOffset ?? 0, data.byteLength)));
  }

  close(code = 1005, reason = '') {
    if (this.readyState === WebSocket.CONNECTING) this.socket.destroy();
    if (this.readyState !== WebSocket.OPEN) return;
    this.readyState = WebSocket.CLOSING;
    const data = Buffer.alloc(2 + Buffer.byteLength(reason));
    data.writeUInt16BE(code === 1005 ? 1000 : code);
    data.write(reason, 2);
    this.socket.write(frame(8, code === 1005 ? Buffer.alloc(0) : data));
  }
}
