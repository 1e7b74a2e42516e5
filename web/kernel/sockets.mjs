// sockets.mjs - the network of a page, by co4-proxy: sockets, names, and the calls of a program.
//
// A page has one Network, each of its programs SocketCalls over the program's descriptors. Without
// a proxy, and when it refuses, calls fail as they do on a machine without a network, and the
// console says how to get one.
import {
  EAFNOSUPPORT, EINVAL, EISCONN, EOPNOTSUPP, EPROTONOSUPPORT, ESOCKTNOSUPPORT,
} from './errno.mjs';
import { O_NONBLOCK } from './constants.mjs';
import {
  AF_INET, AF_INET6, AF_UNIX, IPPROTO_TCP, MSG_NOSIGNAL, MSG_OOB, MSG_PEEK, SOCK_CLOEXEC,
  SOCK_DGRAM, SOCK_NONBLOCK, SOCK_STREAM,
} from './socket_numbers.mjs';
import { isPromise } from './later.mjs';
import { Names } from './hosts.mjs';
import { DONE, Socket } from './socket.mjs';
import { pathOf, textOf } from './targets.mjs';

/** @typedef {import('./addresses.mjs').Address} Address */
/** @typedef {import('./targets.mjs').Target} Target */
/** @typedef {string | ((target: Target) => string | null | undefined)} Proxy */

const PATIENCE = 60_000; // milliseconds for a connect or a lookup

export { Socket };

/** What sockets of a page share: proxies, names, messages. */
export class Network {
  /**
   * @param {{ proxy?: Proxy,
   *     WebSocket?: any, log?: (text: string) => void, patience?: number }} [options] `proxy`: the
   *     address of a proxy, 'ws://127.0.0.1:8764/?token=…', or a function that chooses one
   */
  constructor({
    proxy, WebSocket = globalThis.WebSocket, log = console.warn, patience = PATIENCE,
  } = {}) {
    this.proxy = proxy;
    this.WebSocket = WebSocket;
    this.write = log;
    this.patience = patience;
    this.names = new Names((host, family) => this.ask(host, family));
    /** @type {Set<string>} */
    this.said = new Set();
  }

  /** Writes each message once: programs try again and again. */
  log(text) {
    if (this.said.size > 1000)
      this.said.clear();
    if (!this.said.has(text))
      this.write(text);
    this.said.add(text);
  }

  /** @param {Target} target */
  addressFor(target) {
    return typeof this.proxy === 'function' ? this.proxy(target) : this.proxy;
  }

  /**
   * Opens a WebSocket for a target.
   * @param {Target} target
   * @param {string} [query]
   * @returns {any} null if there is no proxy, and the console says so
   */
  open(target, query = '') {
    const address = this.addressFor(target), text = textOf(target);
    if (!address || !this.WebSocket) {
      this.log(`co4: no proxy for ${text}. Start \`co4-proxy --allow ${text}\`, and give its ` +
        'address to the page: { proxy: \'ws://127.0.0.1:8764/\' }');
      return null;
    }
    try {
      const url = new URL(address);
      url.pathname = url.pathname.replace(/\/$/, '') + pathOf(target);
      if (query)
        url.searchParams.set('family', query);
      const ws = new this.WebSocket(url.href);
      ws.binaryType = 'arraybuffer';
      return ws;
    } catch (error) {
      this.log(`co4: ${withoutQuery(address)} is no address of a proxy: ${error}`);
      return null;
    }
  }

  /** Says why a WebSocket has ended before it was of use. */
  explain(target, code, reason) {
    const where = withoutQuery(String(this.addressFor(target)));
    if (code >= 4000)
      this.log(`co4: the proxy ${where} refuses ${textOf(target)}: ${reason}`);
    else
      this.log(`co4: no proxy answers at ${where} for ${textOf(target)} (status ${code}). Start ` +
        `\`co4-proxy --allow ${textOf(target)}\``);
  }

  /**
   * The first message to a lookup.
   * @returns {Promise<string>}
   */
  ask(host, family) {
    return new Promise((resolve, reject) => {
      const target = { kind: 'names', host };
      const ws = this.open(target, family === AF_INET ? '4' : family === AF_INET6 ? '6' : '');
      if (!ws)
        return reject(new Error('no proxy'));
      const timer = setTimeout(() => {
        ws.close();
        reject(new Error('no answer'));
      }, this.patience);
      ws.onmessage = ({ data }) => {
        clearTimeout(timer);
        resolve(data);
      };
      ws.onclose = ({ code, reason }) => {
        clearTimeout(timer);
        if (code === 4403)
          resolve('failed EAI_NONAME');
        if (code !== DONE)
          this.explain(target, code, reason);
        reject(new Error(reason));
      };
    });
  }

  /**
   * See Names.
   * @returns {Promise<{ code: number, list: import('./hosts.mjs').Found[] }>}
   */
  getaddrinfo(host, service, hints) {
    return this.names.getaddrinfo(host, service, hints);
  }

  /**
   * @param {number} family
   * @param {number} type with SOCK_NONBLOCK, SOCK_CLOEXEC
   * @param {number} [protocol]
   * @returns {Socket | number}
   */
  makeSocket(family, type, protocol = 0) {
    const kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (family !== AF_INET && family !== AF_INET6 && family !== AF_UNIX)
      return -EAFNOSUPPORT;
    if (kind === SOCK_DGRAM)
      return -EPROTONOSUPPORT; // a page has no datagrams
    if (kind !== SOCK_STREAM)
      return kind >= 0 && kind <= 10 ? -ESOCKTNOSUPPORT : -EINVAL;
    if (protocol !== 0 && (family === AF_UNIX ? protocol !== 1 : protocol !== IPPROTO_TCP))
      return -EPROTONOSUPPORT;
    return new Socket(this, family, type & SOCK_NONBLOCK ? O_NONBLOCK : 0);
  }
}

function withoutQuery(address) {
  return address.replace(/\?.*$/, ''); // the token is in it
}

/** The calls of a program, by its descriptors. */
export class SocketCalls {
  /**
   * @param {import('./descriptors.mjs').DescriptorTable} table
   * @param {Network} network
   */
  constructor(table, network) {
    this.table = table;
    this.network = network;
  }

  /** @returns {number} a descriptor */
  socket(family, type, protocol) {
    const made = this.network.makeSocket(family, type, protocol);
    return typeof made === 'number' ? made :
      this.table.add(made, { cloexec: Boolean(type & SOCK_CLOEXEC) });
  }

  /** @returns {any} a socket, also one of a pair; a negative number: an error */
  find(fd) {
    return this.table.socket(fd);
  }

  // Calls that a socket pair does not have are refused.
  on(fd, name, ...rest) {
    const socket = this.find(fd);
    if (typeof socket === 'number')
      return socket;
    return socket[name] ? socket[name](...rest) : -EOPNOTSUPP;
  }

  connect(fd, address) {
    return this.on(fd, 'connect', address);
  }

  bind(fd, address) {
    return this.on(fd, 'bind', address);
  }

  listen(fd, backlog) {
    return this.on(fd, 'listen', backlog);
  }

  accept(fd) {
    return this.on(fd, 'accept');
  }

  shutdown(fd, how) {
    return this.on(fd, 'shutdown', how);
  }

  getsockname(fd) {
    return this.on(fd, 'getsockname');
  }

  getpeername(fd) {
    return this.on(fd, 'getpeername');
  }

  getsockopt(fd, level, name) {
    return this.on(fd, 'getsockopt', level, name);
  }

  setsockopt(fd, level, name, value) {
    return this.on(fd, 'setsockopt', level, name, value);
  }

  recv(fd, bytes, flags = 0) {
    const socket = this.find(fd);
    if (typeof socket === 'number')
      return socket;
    if (socket.receive)
      return socket.receive(bytes, flags);
    return flags & (MSG_PEEK | MSG_OOB) ? -EOPNOTSUPP : this.table.read(fd, bytes);
  }

  /** @returns {number} as send(2); -EPIPE is a SIGPIPE as well, but for MSG_NOSIGNAL */
  send(fd, bytes, flags = 0) {
    const socket = this.find(fd);
    if (typeof socket === 'number')
      return socket;
    const result = socket.send ? socket.send(bytes, flags) : socket.write(bytes);
    return flags & MSG_NOSIGNAL || isPromise(result) ? result : this.table.reported(result);
  }

  /** An address of a connected stream says nothing. */
  sendto(fd, bytes, flags, address) {
    const socket = this.find(fd);
    if (address && typeof socket !== 'number' && socket.state === 'connected')
      return -EISCONN;
    return this.send(fd, bytes, flags);
  }

  /**
   * Gathers, as sendmsg() does. @param {Uint8Array[]} parts
   */
  sendmsg(fd, parts, flags = 0) {
    return this.send(fd, joined(parts), flags);
  }

  /** Scatters, as recvmsg() does. @param {Uint8Array[]} parts */
  recvmsg(fd, parts, flags = 0) {
    const bytes = new Uint8Array(lengthOf(parts));
    const count = this.recv(fd, bytes, flags);
    for (let i = 0, at = 0; at < count; at += parts[i++].length)
      parts[i].set(bytes.subarray(at, Math.min(count, at + parts[i].length)));
    return count;
  }
}

function lengthOf(parts) {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function joined(parts) {
  const bytes = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
