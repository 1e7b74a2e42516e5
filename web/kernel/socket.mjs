// socket.mjs - a stream socket of a page: a WebSocket to co4-proxy.
//
// docs/web-proxy.md has the protocol. A call never waits. A connect that has begun returns
// -EINPROGRESS, whatever the flags say: a caller that blocks watches POLLOUT, and calls connect()
// again, which returns 0 or the error. A caller that blocks in a read or a write watches, and
// repeats it; with MSG_WAITALL, and in a write, for the rest.
//
// The proxy reads from the server only what fits into the input here, and says how much output its
// side has taken. So neither side's memory grows with the other's delay.
import {
  EACCES, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, EALREADY, ECONNABORTED, ECONNRESET, EDOM,
  EINPROGRESS, EINVAL, EIO, EISCONN, ENETUNREACH, ENOBUFS, ENOPROTOOPT, ENOTCONN, EOPNOTSUPP, EPIPE,
  ETIMEDOUT, errno,
} from './errno.mjs';
import {
  FIONREAD, O_NONBLOCK, O_RDWR, POLLERR, POLLHUP, POLLIN, POLLOUT, POLLRDHUP, POLLRDNORM,
  POLLWRNORM, SHUT_RD, SHUT_RDWR, SHUT_WR, S_IFSOCK, TIOCOUTQ,
} from './constants.mjs';
import {
  AF_INET, AF_INET6, AF_UNIX, AF_UNSPEC, IPPROTO_IPV6, IPPROTO_TCP, MSG_CMSG_CLOEXEC, MSG_DONTWAIT,
  MSG_EOR, MSG_MORE, MSG_NOSIGNAL, MSG_OOB, MSG_PEEK, MSG_WAITALL, SIOCATMARK, SOCK_STREAM,
  SOL_SOCKET, SO_ACCEPTCONN, SO_DOMAIN, SO_ERROR, SO_LINGER, SO_PROTOCOL, SO_RCVBUF, SO_RCVTIMEO,
  SO_SNDTIMEO, SO_TYPE,
} from './socket_numbers.mjs';
import { hostBytes, inFamily, parseHost } from './addresses.mjs';
import { Description } from './descriptors.mjs';
import { OPTIONS } from './socket_options.mjs';
import { targetOf, textOf } from './targets.mjs';

/** @typedef {import('./addresses.mjs').Address} Address */

const PIECE = 32 << 10; // bytes of a message: every proxy takes so many
/** The status of a WebSocket that ends as it should. */
export const DONE = 1000;
const INPUT = POLLIN | POLLRDNORM, OUTPUT = POLLOUT | POLLWRNORM;

/** What a status of the proxy is to connect(). */
const STATUS_ERRORS = new Map([[4401, EACCES], [4403, EACCES], [4429, ENOBUFS], [4400, EINVAL]]);

let lastInode = 0;

/** Bytes in the pieces in which they came. */
class Input {
  constructor() {
    /** @type {Uint8Array[]} */
    this.pieces = [];
    this.first = 0; // of the pieces, the first that is not taken
    this.start = 0; // of that piece
    this.length = 0;
  }

  put(piece) {
    if (piece.length > 0)
      this.pieces.push(piece);
    this.length += piece.length;
  }

  /** Copies what there is, and takes it unless it is only looked at. */
  copy(bytes, peeks) {
    let { first, start } = this, done = 0;
    while (done < bytes.length && first < this.pieces.length) {
      const piece = this.pieces[first].subarray(start, start + bytes.length - done);
      bytes.set(piece, done);
      done += piece.length;
      start += piece.length;
      if (start === this.pieces[first].length)
        [first, start] = [first + 1, 0];
    }
    if (!peeks)
      this.drop(first, start, done);
    return done;
  }

  drop(first, start, count) {
    Object.assign(this, { first, start });
    this.length -= count;
    if (2 * first < this.pieces.length)
      return;
    this.pieces.splice(0, first); // half of them: each piece is moved once or twice
    this.first = 0;
  }

  clear() {
    Object.assign(this, { pieces: [], first: 0, start: 0, length: 0 });
  }
}

/** A stream socket. Its states: 'new', 'connecting', 'connected', 'failed'. */
export class Socket extends Description {
  /**
   * @param {import('./sockets.mjs').Network} network
   * @param {number} family
   * @param {number} flags O_NONBLOCK
   */
  constructor(network, family, flags) {
    super(O_RDWR | (flags & O_NONBLOCK));
    this.network = network;
    this.family = family;
    this.inode = ++lastInode;
    this.time = BigInt(Date.now()) * 1000000n;
    this.state = 'new';
    /** @type {any} the WebSocket */
    this.ws = null;
    this.timer = undefined;
    this.error = 0; // SO_ERROR: the next call returns it
    this.isReported = false; // connect() has said that it is connected
    this.input = new Input();
    this.inputEnded = false;
    this.outputEnded = false; // no more can be written
    this.isEndSent = false;
    this.given = 0; // credit that the proxy still has
    this.window = 0; // of output
    this.credit = 0;
    /** @type {Address | null} */
    this.bound = null;
    /** @type {Address | null} */
    this.own = null;
    /** @type {Address | null} */
    this.peer = null;
    /** @type {Map<string, any>} */
    this.options = new Map();
    this.linger = { on: 0, seconds: 0 };
    /** Milliseconds that a caller which blocks may wait; 0: no limit. */
    this.timeouts = { receive: 0, send: 0 };
  }

  get isSocket() {
    return true;
  }

  // ---- addresses ----

  /**
   * Notes an address of this side. The proxy chooses the port: getsockname() says it after a
   * connect.
   * @param {Address} address
   */
  bind(address) {
    if (this.bound || this.state !== 'new')
      return -EINVAL;
    if (address.family !== this.family)
      return -EAFNOSUPPORT;
    if (this.family === AF_UNIX)
      return -EOPNOTSUPP;
    const bytes = hostBytes(address.host ?? '');
    if (!bytes)
      return -EINVAL;
    if (bytes.some((byte) => byte !== 0))
      return -EADDRNOTAVAIL;
    this.bound = { ...address };
    return 0;
  }

  /** @returns {Address} */
  getsockname() {
    const { family } = this;
    if (family === AF_UNIX)
      return { family, path: '' };
    const none = { family, host: family === AF_INET ? '0.0.0.0' : '::', port: 0 };
    return this.own ?? this.bound ?? none;
  }

  /** @returns {Address | number} */
  getpeername() {
    return this.state === 'connected' ? /** @type {Address} */ (this.peer) : -ENOTCONN;
  }

  listen() {
    return -EOPNOTSUPP;
  }

  accept() {
    return -EINVAL; // as of a socket that does not listen
  }

  // ---- connecting ----

  /**
   * @param {Address} address
   * @returns {number} -EINPROGRESS; then, called again: -EALREADY, 0 once, the error, -EISCONN
   */
  connect(address) {
    if (this.state === 'connecting')
      return -EALREADY;
    if (this.state === 'connected') {
      const result = this.isReported ? -EISCONN : 0;
      this.isReported = true;
      return result;
    }
    if (this.state === 'failed')
      return this.forget();
    return this.begin(address);
  }

  // What a second connect() says of the first; a third one tries again.
  forget() {
    const { error } = this;
    this.state = 'new';
    this.error = 0;
    this.inputEnded = this.outputEnded = false;
    return -(error || ECONNABORTED);
  }

  begin(address) {
    if (address.family === AF_UNSPEC)
      return 0; // ends a connection that there is not
    if (address.family !== this.family)
      return -EAFNOSUPPORT;
    const target = targetOf(address);
    if (!target)
      return -EINVAL;
    if (target.kind === 'tcp')
      target.name = this.network.names.nameOf(/** @type {string} */ (target.host));
    const ws = this.network.open(target);
    if (!ws)
      return -ENETUNREACH;
    this.state = 'connecting';
    this.ws = ws;
    this.peer = { ...address };
    this.timer = setTimeout(() => this.fail(ETIMEDOUT), this.network.patience);
    ws.onmessage = ({ data }) => this.take(data);
    ws.onclose = (event) => this.closed(target, event);
    return -EINPROGRESS;
  }

  fail(error) {
    clearTimeout(this.timer);
    this.state = 'failed';
    this.error = error;
    this.inputEnded = this.outputEnded = true;
    this.detach();
    this.waiters.wake();
  }

  // `words`: the window, then both addresses, but for a Unix socket.
  succeed([window, host, port, ownHost, ownPort]) {
    clearTimeout(this.timer);
    this.state = 'connected';
    this.window = this.credit = Number(window);
    if (this.family !== AF_UNIX && host && ownHost) {
      const address = (text, number) =>
        inFamily({ .../** @type {any} */ (parseHost(text)), port: Number(number) }, this.family);
      this.peer = address(host, port);
      this.own = address(ownHost, ownPort);
    }
    this.giveCredit();
    this.waiters.wake();
  }

  // ---- from the proxy ----

  take(data) {
    if (typeof data === 'string')
      this.obey(data);
    else if (this.state === 'connected')
      this.takeBytes(new Uint8Array(data));
    this.waiters.wake();
  }

  takeBytes(bytes) {
    this.given -= bytes.length;
    if (!this.inputEnded)
      this.input.put(bytes);
    else
      this.giveCredit(); // nothing reads them any more
  }

  obey(text) {
    const [word, ...words] = text.split(' ');
    if (this.state === 'connecting') {
      if (word === 'connected')
        this.succeed(words);
      else if (word === 'failed')
        this.fail(errno[words[0]] ?? EIO);
    } else if (word === 'took') {
      this.credit += Number(words[0]);
    } else if (word === 'end') {
      this.inputEnded = true;
    } else if (word === 'reset') {
      this.reset(errno[words[0]] ?? ECONNRESET);
    } else if (word === 'broken') {
      this.breakOutput(errno[words[0]] ?? EPIPE);
    }
  }

  reset(error) {
    this.inputEnded = true;
    this.breakOutput(error);
  }

  breakOutput(error) {
    this.outputEnded = true;
    if (error !== EPIPE)
      this.error = error;
  }

  // The WebSocket has ended, as it should or in the middle of a message.
  closed(target, { code, reason }) {
    if (this.state === 'connecting') {
      this.network.explain(target, code, reason);
      this.fail(errorOf(code));
    } else if (code !== DONE) {
      if (reason)
        this.network.log(`co4: the connection to ${textOf(target)} ends: ${reason}`);
      const isOver = this.inputEnded && (this.outputEnded || this.isEndSent);
      if (!isOver)
        this.reset(ECONNRESET);
    } else if (!this.inputEnded) {
      this.inputEnded = true; // the proxy has no more to say, and has not said `end`
    }
    this.ws = null;
    this.outputEnded = true;
    this.waiters.wake();
  }

  detach() {
    const { ws } = this;
    if (!ws)
      return;
    ws.onmessage = ws.onclose = null;
    ws.close(DONE);
    this.ws = null;
  }

  say(text) {
    this.ws?.send(text);
  }

  // Half of the room is given at once, so that there are few messages.
  giveCredit() {
    const room = this.option(SOL_SOCKET, SO_RCVBUF) - this.input.length - this.given;
    if (!this.ws || 2 * room < this.option(SOL_SOCKET, SO_RCVBUF))
      return;
    this.given += room;
    this.say(`take ${room}`);
  }

  // ---- reading and writing ----

  read(bytes) {
    return this.receive(bytes, 0);
  }

  write(bytes) {
    return this.send(bytes, 0);
  }

  takeError() {
    const { error } = this;
    this.error = 0;
    return -error;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} flags MSG_PEEK; MSG_WAITALL and MSG_DONTWAIT are the caller's
   */
  receive(bytes, flags) {
    if (flags & MSG_OOB)
      return -EINVAL; // there is none
    if (flags & ~(MSG_PEEK | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC))
      return -EOPNOTSUPP;
    if (this.input.length > 0) {
      const count = this.input.copy(bytes, flags & MSG_PEEK);
      this.giveCredit();
      return count;
    }
    if (this.error)
      return this.takeError();
    if (this.state === 'new')
      return -ENOTCONN;
    return this.inputEnded || bytes.length === 0 ? 0 : -EAGAIN;
  }

  /**
   * Sends what the proxy has room for.
   * @param {Uint8Array} bytes
   * @param {number} flags
   */
  send(bytes, flags) {
    if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE | MSG_EOR))
      return -EOPNOTSUPP;
    if (this.error)
      return this.takeError();
    if (this.outputEnded)
      return -EPIPE;
    if (this.state === 'new')
      return -EPIPE; // as Linux says it of TCP
    if (this.state === 'connecting' || (this.credit === 0 && bytes.length > 0))
      return -EAGAIN;
    const count = Math.min(bytes.length, this.credit);
    for (let at = 0; at < count; at += PIECE) // a copy: the program's memory may be shared
      this.ws.send(bytes.slice(at, Math.min(at + PIECE, count)));
    this.credit -= count;
    return count;
  }

  poll() {
    if (this.state === 'new')
      return OUTPUT | POLLHUP;
    if (this.state === 'connecting')
      return 0;
    const hasRoom = 3 * this.credit >= this.window;
    return (this.input.length > 0 || this.inputEnded || this.error ? INPUT : 0) |
      (this.inputEnded ? POLLRDHUP : 0) |
      (hasRoom || this.outputEnded || this.error ? OUTPUT : 0) |
      (this.inputEnded && this.outputEnded ? POLLHUP : 0) | (this.error ? POLLERR : 0);
  }

  shutdown(how) {
    if (how !== SHUT_RD && how !== SHUT_WR && how !== SHUT_RDWR)
      return -EINVAL;
    if (this.state !== 'connected' || (!this.ws && this.inputEnded))
      return -ENOTCONN;
    if (how !== SHUT_RD)
      this.sendEnd();
    if (how !== SHUT_WR)
      this.inputEnded = true;
    this.waiters.wake();
    return 0;
  }

  sendEnd() {
    if (!this.outputEnded)
      this.say('end');
    this.isEndSent = this.outputEnded = true;
  }

  // As Linux does: with input that nothing has read, and with SO_LINGER of 0, it is a reset.
  release() {
    clearTimeout(this.timer);
    const resets = this.input.length > 0 || (this.linger.on && this.linger.seconds === 0);
    if (this.state === 'connected' && resets)
      this.say('reset');
    this.detach();
    this.input.clear();
    return 0;
  }

  // ---- the rest ----

  stat() {
    const { inode, time } = this;
    return {
      dev: 0, ino: inode, mode: S_IFSOCK | 0o777, nlink: 1, uid: 0, gid: 0, rdev: 0, size: 0,
      blksize: 4096, blocks: 0, atime: time, mtime: time, ctime: time,
    };
  }

  control(request, argument) {
    const values = {
      [FIONREAD]: this.input.length, [TIOCOUTQ]: this.window - this.credit, [SIOCATMARK]: 0,
    };
    if (!(request in values))
      return super.control(request, argument, null);
    argument.value = values[request];
    return 0;
  }

  option(level, name) {
    return this.options.get(`${level} ${name}`) ?? OPTIONS.get(level)?.get(name)?.first ?? 0;
  }

  /**
   * @returns {any} a number, { on, seconds } of SO_LINGER, { seconds, microseconds } of a timeout;
   *     negative: an error
   */
  getsockopt(level, name) {
    if (level === SOL_SOCKET && name === SO_ERROR)
      return -this.takeError();
    if (level === SOL_SOCKET && name === SO_LINGER)
      return { ...this.linger };
    if (level === SOL_SOCKET && (name === SO_RCVTIMEO || name === SO_SNDTIMEO)) {
      const ms = name === SO_RCVTIMEO ? this.timeouts.receive : this.timeouts.send;
      return { seconds: Math.floor(ms / 1000), microseconds: Math.round((ms % 1000) * 1000) };
    }
    const fixed = {
      [SO_TYPE]: SOCK_STREAM, [SO_DOMAIN]: this.family, [SO_ACCEPTCONN]: 0,
      [SO_PROTOCOL]: this.family === AF_UNIX ? 0 : IPPROTO_TCP,
    };
    if (level === SOL_SOCKET && name in fixed)
      return fixed[name];
    return this.has(level, name) ? this.option(level, name) : this.noOption(level);
  }

  /** @param {any} value as getsockopt() returns it */
  setsockopt(level, name, value) {
    if (level === SOL_SOCKET && name === SO_LINGER) {
      this.linger = { on: value.on ? 1 : 0, seconds: value.seconds };
      return 0;
    }
    if (level === SOL_SOCKET && (name === SO_RCVTIMEO || name === SO_SNDTIMEO))
      return this.setTimeout(name, value);
    if (!this.has(level, name))
      return this.noOption(level);
    const kept = /** @type {any} */ (OPTIONS.get(level)?.get(name)).set(value);
    if (kept < 0)
      return kept;
    this.options.set(`${level} ${name}`, kept);
    if (name === SO_RCVBUF && level === SOL_SOCKET)
      this.giveCredit();
    return 0;
  }

  has(level, name) {
    const isOfFamily = level === SOL_SOCKET || (this.family !== AF_UNIX &&
      (level !== IPPROTO_IPV6 || this.family === AF_INET6));
    return isOfFamily && Boolean(OPTIONS.get(level)?.has(name));
  }

  noOption(level) {
    return this.family === AF_UNIX && level !== SOL_SOCKET ? -EOPNOTSUPP : -ENOPROTOOPT;
  }

  setTimeout(name, { seconds, microseconds }) {
    if (!(microseconds >= 0 && microseconds < 1e6))
      return -EDOM;
    const ms = Math.max(0, seconds * 1000 + microseconds / 1000);
    this.timeouts[name === SO_RCVTIMEO ? 'receive' : 'send'] = ms;
    return 0;
  }
}

function errorOf(status) {
  return STATUS_ERRORS.get(status) ?? ENETUNREACH;
}
