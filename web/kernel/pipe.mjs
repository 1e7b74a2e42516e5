// pipe.mjs - pipes and socket pairs, between programs, tasks and the page.
//
// A pipe holds 64 KiB; its memory grows with its content. A write of up to 4096 bytes is in the
// pipe as a whole or not at all. A longer one writes what fits. Writing is reported as possible
// while 4096 bytes fit, so that a writer that was woken finds room.
import { EAGAIN, EBUSY, ECONNRESET, EINVAL, EPERM, EPIPE } from './errno.mjs';
import {
  F_GETPIPE_SZ, F_SETPIPE_SZ, FIONREAD, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, PIPE_BUF, POLLERR,
  POLLHUP, POLLIN, POLLOUT, POLLRDHUP, POLLRDNORM, POLLWRNORM, S_IFIFO, S_IFSOCK, SHUT_RD,
  SHUT_RDWR, SHUT_WR,
} from './constants.mjs';
import { Description } from './descriptors.mjs';
import { Waiters } from './waiters.mjs';

export const PIPE_SIZE = 65536;
const PIPE_MOST = 1 << 20;
let lastInode = 0;

/** Bytes in the order in which they came, up to a bound. */
export class Ring {
  /** @param {number} bound */
  constructor(bound) {
    this.bound = bound;
    this.bytes = new Uint8Array(0);
    this.start = 0;
    this.length = 0;
  }

  get room() {
    return this.bound - this.length;
  }

  reserve(length) {
    if (length <= this.bytes.length)
      return;
    const size = Math.min(this.bound, Math.max(length, 2 * this.bytes.length, 256));
    const bytes = new Uint8Array(size), { length: kept } = this;
    this.take(bytes.subarray(0, kept));
    this.bytes = bytes;
    this.start = 0;
    this.length = kept;
  }

  /**
   * Puts in as many as there is room for.
   * @param {Uint8Array} bytes
   * @returns {number} how many
   */
  put(bytes) {
    const count = Math.min(bytes.length, this.room);
    this.reserve(this.length + count);
    const size = this.bytes.length, end = (this.start + this.length) % (size || 1);
    const first = Math.min(count, size - end);
    this.bytes.set(bytes.subarray(0, first), end);
    this.bytes.set(bytes.subarray(first, count), 0);
    this.length += count;
    return count;
  }

  /**
   * Takes out as many as there are, up to the length of `bytes`.
   * @param {Uint8Array} bytes
   * @returns {number} how many
   */
  take(bytes) {
    const count = Math.min(bytes.length, this.length), size = this.bytes.length;
    const first = Math.min(count, size - this.start);
    bytes.set(this.bytes.subarray(this.start, this.start + first));
    bytes.set(this.bytes.subarray(0, count - first), first);
    this.length -= count;
    this.start = this.length ? (this.start + count) % size : 0;
    return count;
  }
}

/** One direction: bytes, with the number of readers and of writers. */
export class Pipe {
  /** @param {number} [size] */
  constructor(size = PIPE_SIZE) {
    this.ring = new Ring(size);
    this.readers = 0;
    this.writers = 0;
    this.inode = ++lastInode;
    this.time = BigInt(Date.now()) * 1000000n;
    this.readWaiters = new Waiters(() => this.pollRead());
    this.writeWaiters = new Waiters(() => this.pollWrite());
  }

  // A read makes room, a write makes input: each wakes the other side. A close wakes both.
  changed() {
    this.readWaiters.wake();
    this.writeWaiters.wake();
  }

  pollRead() {
    return (this.ring.length ? POLLIN | POLLRDNORM : 0) | (this.writers ? 0 : POLLHUP);
  }

  pollWrite() {
    const least = Math.min(PIPE_BUF, this.ring.bound);
    return (this.ring.room >= least ? POLLOUT | POLLWRNORM : 0) | (this.readers ? 0 : POLLERR);
  }

  read(bytes) {
    if (this.ring.length === 0)
      return this.writers ? -EAGAIN : 0;
    const count = this.ring.take(bytes);
    this.changed();
    return count;
  }

  write(bytes) {
    if (this.readers === 0)
      return -EPIPE;
    const { room } = this.ring;
    if (room === 0 || (bytes.length <= PIPE_BUF && room < bytes.length))
      return -EAGAIN;
    const count = this.ring.put(bytes);
    this.changed();
    return count;
  }

  resize(size) {
    if (!(size > 0))
      return -EINVAL;
    if (size > PIPE_MOST)
      return -EPERM;
    const bound = Math.max(PIPE_BUF, 2 ** Math.ceil(Math.log2(size)));
    if (bound < this.ring.length)
      return -EBUSY;
    const ring = new Ring(bound), bytes = new Uint8Array(this.ring.length);
    this.ring.take(bytes);
    ring.put(bytes);
    this.ring = ring;
    this.changed();
    return bound;
  }
}

export class PipeEnd extends Description {
  /**
   * @param {Pipe} pipe
   * @param {number} flags O_RDONLY, O_WRONLY or (a FIFO) O_RDWR; O_NONBLOCK
   */
  constructor(pipe, flags) {
    super(flags);
    this.pipe = pipe;
    this.pipe.readers += this.isReadable ? 1 : 0;
    this.pipe.writers += this.isWritable ? 1 : 0;
  }

  watch(events, callback) {
    if (this.isReadable && this.isWritable)
      return watchBoth(this.pipe.readWaiters, this.pipe.writeWaiters, events, callback);
    return (this.isReadable ? this.pipe.readWaiters : this.pipe.writeWaiters).add(events, callback);
  }

  read(bytes) {
    return this.pipe.read(bytes);
  }

  write(bytes) {
    return this.pipe.write(bytes);
  }

  poll() {
    return (this.isReadable ? this.pipe.pollRead() : 0) |
      (this.isWritable ? this.pipe.pollWrite() : 0);
  }

  stat() {
    return plainStat(S_IFIFO | 0o600, this.pipe);
  }

  control(request, argument) {
    if (request !== FIONREAD)
      return super.control(request, argument, null);
    argument.value = this.pipe.ring.length;
    return 0;
  }

  fcntl(command, argument) {
    if (command === F_GETPIPE_SZ)
      return this.pipe.ring.bound;
    return command === F_SETPIPE_SZ ? this.pipe.resize(argument) : -EINVAL;
  }

  /** Opens the same pipe again, as /proc/self/fd does. */
  reopen(flags) {
    return new PipeEnd(this.pipe, flags);
  }

  release() {
    this.pipe.readers -= this.isReadable ? 1 : 0;
    this.pipe.writers -= this.isWritable ? 1 : 0;
    this.pipe.changed();
    return 0;
  }
}

// One call back for two lists of waiters, each asked for the events of its side.
function watchBoth(input, output, events, callback) {
  const cancels = [];
  const cancel = () => cancels.forEach((one) => one());
  const once = () => {
    cancel();
    callback();
  };
  const own = POLLIN | POLLRDNORM | POLLRDHUP, others = POLLOUT | POLLWRNORM;
  cancels.push(input.add(events & own, once), output.add(events & others, once));
  return cancel;
}

function plainStat(mode, object) {
  const { inode, time } = object;
  return {
    dev: 0, ino: inode, mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: 0, blksize: 4096, blocks: 0,
    atime: time, mtime: time, ctime: time,
  };
}

/**
 * Makes a pipe.
 * @param {number} [flags] O_NONBLOCK for both ends
 * @returns {[PipeEnd, PipeEnd]} where to read, and where to write
 */
export function makePipe(flags = 0) {
  const pipe = new Pipe();
  return [new PipeEnd(pipe, O_RDONLY | (flags & O_NONBLOCK)),
    new PipeEnd(pipe, O_WRONLY | (flags & O_NONBLOCK))];
}

/** One of two connected stream sockets. */
export class PairSocket extends Description {
  /**
   * @param {Pipe} input
   * @param {Pipe} output
   * @param {number} flags O_NONBLOCK
   */
  constructor(input, output, flags) {
    super(O_RDWR | flags);
    this.input = input;
    this.output = output;
    this.inode = input.inode;
    this.time = input.time;
    input.readers++;
    output.writers++;
    /** @type {PairSocket | null} */
    this.peer = null;
    this.error = 0;
    this.isRead = true;
    this.isWritten = true;
  }

  get isSocket() {
    return true;
  }

  takeError() {
    const { error } = this;
    this.error = 0;
    return -error;
  }

  read(bytes) {
    if (this.error && this.input.ring.length === 0)
      return this.takeError();
    return this.isRead || this.input.ring.length ? this.input.read(bytes) : 0;
  }

  write(bytes) {
    if (!this.isWritten || this.output.readers === 0)
      return -EPIPE;
    // A stream socket takes what fits: only pipes keep short writes together.
    if (bytes.length === 0)
      return 0;
    const { room } = this.output.ring;
    return room ? this.output.write(bytes.subarray(0, room)) : -EAGAIN;
  }

  poll() {
    const inputEnds = !this.isRead || this.input.writers === 0;
    const outputEnds = !this.isWritten || this.output.readers === 0;
    let events = this.output.pollWrite() & ~POLLERR;
    if (this.input.ring.length || inputEnds)
      events |= POLLIN | POLLRDNORM;
    if (inputEnds)
      events |= POLLRDHUP;
    if (outputEnds)
      events |= POLLOUT | POLLWRNORM;
    if (!this.peer || (inputEnds && outputEnds))
      events |= POLLHUP;
    return events | (this.error ? POLLERR : 0);
  }

  stat() {
    return plainStat(S_IFSOCK | 0o777, this);
  }

  control(request, argument) {
    if (request !== FIONREAD)
      return super.control(request, argument, null);
    argument.value = this.input.ring.length;
    return 0;
  }

  shutdown(how) {
    if (how !== SHUT_RD && how !== SHUT_WR && how !== SHUT_RDWR)
      return -EINVAL;
    if (how !== SHUT_WR)
      this.endInput();
    if (how !== SHUT_RD)
      this.endOutput();
    this.wakeBoth();
    return 0;
  }

  endInput() {
    this.input.readers -= this.isRead ? 1 : 0;
    this.isRead = false;
  }

  endOutput() {
    this.output.writers -= this.isWritten ? 1 : 0;
    this.isWritten = false;
  }

  wakeBoth() {
    this.waiters.wake();
    this.peer?.waiters.wake();
  }

  release() {
    const { peer } = this;
    this.endInput();
    this.endOutput();
    if (peer) {
      peer.error = this.input.ring.length ? ECONNRESET : peer.error;
      peer.peer = null;
      peer.waiters.wake();
    }
    return 0;
  }
}

/**
 * Makes two sockets, each of which reads what the other writes.
 * @param {number} [flags] O_NONBLOCK for both
 * @returns {[PairSocket, PairSocket]}
 */
export function makeSocketPair(flags = 0) {
  const there = new Pipe(), back = new Pipe();
  const one = new PairSocket(there, back, flags & O_NONBLOCK);
  const other = new PairSocket(back, there, flags & O_NONBLOCK);
  one.peer = other;
  other.peer = one;
  for (const pipe of [there, back])
    pipe.changed = () => one.wakeBoth();
  return [one, other];
}
