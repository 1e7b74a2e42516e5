// socket.mjs - the client's side of a WebSocket (RFC 6455), since Node 20 has none. It is for
// drivers of browsers on this host: text messages, no compression.
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // of the RFC
const CONTINUED = 0, TEXT = 1, CLOSE = 8, PING = 9, PONG = 10;

/** A frame of a client: those are masked. */
function frame(kind, data) {
  const size = data.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65536 ? 4 : 10);
  head[0] = 0x80 | kind;
  head[1] = 0x80 | (size < 126 ? size : size < 65536 ? 126 : 127);
  if (head.length === 4)
    head.writeUInt16BE(size, 2);
  else if (head.length === 10)
    head.writeBigUInt64BE(BigInt(size), 2);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, data.map((byte, i) => byte ^ mask[i % 4])]);
}

/** Splits what arrives into frames. */
class Frames {
  #parts = [];
  #size = 0;

  push(data) {
    this.#parts.push(data);
    this.#size += data.length;
  }

  /** The first `size` bytes, which stay. Joins the parts only when there are enough. */
  #peek(size) {
    if (this.#size < size)
      return null;
    if (this.#parts[0].length < size)
      this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0];
  }

  next() {
    const two = this.#peek(2);
    if (!two)
      return null;
    const short = two[1] & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    const start = this.#peek(head);
    if (!start)
      return null;
    const size = head === 2 ? short : head === 4 ? start.readUInt16BE(2)
      : Number(start.readBigUInt64BE(2));
    const all = this.#peek(head + size);
    if (!all)
      return null;
    this.#parts[0] = all.subarray(head + size);
    this.#size -= head + size;
    return { last: !!(all[0] & 0x80), kind: all[0] & 15, data: all.subarray(head, head + size) };
  }
}

/** An open connection. */
export class Socket {
  /** Is called with each message. @type {(text: string) => void} */
  heard = () => {};
  /** Is called once, when the connection is over. */
  closed = () => {};
  #stream;
  #frames = new Frames();
  #message = [];

  constructor(stream, first) {
    this.#stream = stream;
    stream.on('data', (data) => this.#take(data)).on('error', () => {});
    stream.once('close', () => this.closed());
    if (first.length)
      stream.unshift(first);
  }

  #take(data) {
    this.#frames.push(data);
    for (let next = this.#frames.next(); next; next = this.#frames.next())
      this.#act(next);
  }

  #act({ last, kind, data }) {
    if (kind === PING)
      this.#stream.write(frame(PONG, data));
    if (kind === CLOSE)
      this.#stream.end(frame(CLOSE, data));
    if (kind !== TEXT && kind !== CONTINUED)
      return;
    this.#message.push(data);
    if (!last)
      return;
    const text = Buffer.concat(this.#message).toString();
    this.#message = [];
    this.heard(text);
  }

  /** @param {string} text */
  send(text) {
    this.#stream.write(frame(TEXT, Buffer.from(text)));
  }

  close() {
    this.#stream.destroy();
  }
}

/**
 * @param {string} url ws://HOST:PORT/PATH
 * @returns {Promise<Socket>}
 */
export function connect(url) {
  const key = randomBytes(16).toString('base64');
  const wanted = createHash('sha1').update(key + GUID).digest('base64');
  const asked = request(url.replace(/^ws:/, 'http:'), { headers: {
    Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13,
    'Sec-WebSocket-Key': key,
  } });
  return new Promise((resolve, reject) => {
    asked.once('upgrade', ({ headers }, stream, first) => {
      if (headers['sec-websocket-accept'] === wanted)
        return resolve(new Socket(stream, first));
      stream.destroy();
      reject(new Error(`${url}: a wrong answer to the handshake`));
    });
    asked.once('response', ({ statusCode }) => reject(new Error(`${url}: status ${statusCode}`)));
    asked.once('error', reject);
    asked.end();
  });
}
