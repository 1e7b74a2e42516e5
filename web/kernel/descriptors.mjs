// descriptors.mjs - descriptors of a program, and the open file descriptions behind them.
//
// A description is what open() makes and dup() shares: its flags, its position, its object. A table
// has the descriptors of one program. Each call returns a number that is not negative, or the
// negative number of an error (errno.mjs). No call waits: what would have to wait returns -EAGAIN,
// whether O_NONBLOCK is set or not. The caller looks at F_GETFL, and uses watch() to try again.
// Only calls to objects that take time by nature return a promise of the number.
//
// A write that blocks has to write all. So a caller without O_NONBLOCK repeats it for the rest.
import {
  EBADF, EINVAL, EMFILE, ENOTSOCK, ENOTTY, EPIPE, ESPIPE,
} from './errno.mjs';
import {
  F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_GETFL, F_SETFD, F_SETFL, FD_CLOEXEC, FIOCLEX, FIONBIO,
  FIONCLEX, IOV_MAX, O_ACCMODE, O_APPEND, O_CLOEXEC, O_DIRECT, O_NOATIME, O_NONBLOCK, O_PATH,
  O_RDONLY, O_WRONLY, POLLNVAL, SIGPIPE,
} from './constants.mjs';
import { after, isPromise, run } from './later.mjs';
import { FreeNumbers } from './numbers.mjs';
import { ALWAYS, callSafely, Waiters } from './waiters.mjs';

/** Flags that fcntl(F_SETFL) may change. */
const CHANGEABLE = O_APPEND | O_NONBLOCK | O_NOATIME | O_DIRECT;
/** The most that one readv() or writev() of a stream moves. */
const STREAM_MOST = 1 << 20;

/** @typedef {import('./later.mjs').Maybe<number>} Result */

/**
 * An open file description. Kinds of files inherit from it and have those operations that they can;
 * the others are refused as Linux refuses them.
 */
export class Description {
  /** @param {number} flags those of open() that stay: O_ACCMODE, O_APPEND, O_NONBLOCK, O_PATH … */
  constructor(flags) {
    this.flags = flags;
    this.references = 0;
    /** @type {Waiters | null} */
    this.ownWaiters = null;
  }

  /** Where callers wait. Descriptions of one object may have one place. */
  get waiters() {
    this.ownWaiters ??= new Waiters(() => this.poll());
    return this.ownWaiters;
  }

  get isReadable() {
    return !(this.flags & O_PATH) && (this.flags & O_ACCMODE) !== O_WRONLY;
  }

  get isWritable() {
    return !(this.flags & O_PATH) && (this.flags & O_ACCMODE) !== O_RDONLY;
  }

  get isFolder() {
    return false;
  }

  /** Whether calls may return promises. */
  get takesTime() {
    return false;
  }

  get isSocket() {
    return false;
  }

  /** Whether it has a position: pread(), pwrite() and lseek() need one. */
  get isSeekable() {
    return false;
  }

  /**
   * Reads into `bytes`, which is not empty. 0 is the end.
   * @param {Uint8Array} bytes
   * @returns {Result}
   */
  read(bytes) {
    return -EINVAL;
  }

  /**
   * @param {Uint8Array} bytes
   * @returns {Result} the number of bytes, perhaps not all
   */
  write(bytes) {
    return -EINVAL;
  }

  /** @returns {Result} */
  readAt(bytes, position) {
    return -ESPIPE;
  }

  /** @returns {Result} */
  writeAt(bytes, position) {
    return -ESPIPE;
  }

  /** @returns {Result} the new position */
  seek(offset, whence) {
    return -ESPIPE;
  }

  /** @returns {import('./later.mjs').Maybe<object | number>} a Stat, or an error */
  stat() {
    return -EBADF;
  }

  /** @returns {Result} */
  truncate(size) {
    return -EINVAL;
  }

  /** @returns {Result} */
  sync(dataOnly) {
    return -EINVAL;
  }

  /**
   * @param {number} request
   * @param {any} argument an object or a number, by the request
   * @param {any} caller the table, for what depends on the program
   * @returns {Result}
   */
  control(request, argument, caller) {
    return -ENOTTY;
  }

  /**
   * Commands of fcntl() that only this kind of file knows.
   * @returns {number}
   */
  fcntl(command, argument) {
    return -EINVAL;
  }

  /** @returns {number} the events that hold now */
  poll() {
    return 0;
  }

  /**
   * Calls back once when one of the events may hold.
   * @param {number} events
   * @param {() => void} callback
   * @returns {() => void} cancels it
   */
  watch(events, callback) {
    return this.waiters.add(events, callback);
  }

  /**
   * The last descriptor is closed.
   * @returns {Result}
   */
  release() {
    return 0;
  }

  /** A descriptor, or a call in flight, uses it. */
  retain() {
    this.references++;
    return this;
  }

  /** @returns {Result} what close() returns */
  drop() {
    if (--this.references > 0)
      return 0;
    const result = this.release();
    this.ownWaiters?.end();
    return result;
  }
}

const isCount = (n) => Number.isSafeInteger(n) && n >= 0;

/** The descriptors of one program. */
export class DescriptorTable {
  /**
   * @param {{ limit?: number, onsignal?: (signal: number) => void }} [options] `limit` is
   *     RLIMIT_NOFILE; `onsignal` is called with SIGPIPE before a write returns -EPIPE
   */
  constructor(options = {}) {
    this.limit = options.limit ?? 1024;
    this.onsignal = options.onsignal ?? (() => {});
    /** @type {(undefined | { description: Description, flags: number })[]} */
    this.entries = [];
    this.free = new FreeNumbers();
    this.count = 0;
    /** @type {((description: Description) => void) | undefined} before each close */
    this.onclose = undefined;
  }

  /**
   * Gives a description the lowest free number. If there is none, the description is released.
   * @param {Description} description
   * @param {{ cloexec?: boolean, least?: number }} [options]
   * @returns {number} the descriptor, or -EMFILE
   */
  add(description, { cloexec = false, least = 0 } = {}) {
    description.retain();
    const fd = this.free.lowest(least);
    if (fd >= this.limit) {
      description.drop();
      return -EMFILE;
    }
    this.place(fd, description, cloexec ? FD_CLOEXEC : 0);
    return fd;
  }

  place(fd, description, flags) {
    this.free.take(fd);
    this.entries[fd] = { description, flags };
    this.count++;
  }

  /**
   * @param {number} fd
   * @returns {Description | undefined}
   */
  get(fd) {
    return this.entries[fd]?.description;
  }

  /** Descriptors in use, in order. @returns {number[]} */
  list() {
    const all = [];
    this.entries.forEach((entry, fd) => {
      if (entry)
        all.push(fd);
    });
    return all;
  }

  /** @returns {Result} */
  close(fd) {
    const entry = this.entries[fd];
    if (!entry)
      return -EBADF;
    this.entries[fd] = undefined;
    this.free.give(fd);
    this.count--;
    this.onclose?.(entry.description);
    return entry.description.drop();
  }

  /** Closes all that are open; the table can be used again. @returns {Result} */
  closeAll() {
    const results = this.list().map((fd) => this.close(fd)).filter(isPromise);
    return results.length ? Promise.all(results).then(() => 0) : 0;
  }

  /** Closes those with FD_CLOEXEC, as execve() does. @returns {Result} */
  closeOnExec() {
    const results = this.list().filter((fd) => this.entries[fd].flags & FD_CLOEXEC)
      .map((fd) => this.close(fd)).filter(isPromise);
    return results.length ? Promise.all(results).then(() => 0) : 0;
  }

  /** The same descriptions in another table, as fork() makes it. */
  copyTo(table) {
    for (const fd of this.list())
      table.place(fd, this.entries[fd].description.retain(), this.entries[fd].flags);
  }

  dup(fd) {
    const description = this.get(fd);
    return description ? this.add(description) : -EBADF;
  }

  /** @returns {Result} */
  dup2(fd, target) {
    if (!this.get(fd))
      return -EBADF;
    if (fd === target)
      return target;
    return this.dup3(fd, target, 0);
  }

  /** @returns {Result} */
  dup3(fd, target, flags) {
    if (flags & ~O_CLOEXEC || fd === target)
      return -EINVAL;
    if (!(isCount(target) && target < this.limit))
      return -EBADF;
    const description = this.get(fd);
    if (!description)
      return -EBADF;
    description.retain();
    const closed = this.get(target) ? this.close(target) : 0;
    this.place(target, description, flags & O_CLOEXEC ? FD_CLOEXEC : 0);
    return after(closed, () => target); // what the close says is lost, as on Linux
  }

  /**
   * Of descriptors only; locks of files are the business of a program (process.mjs).
   * @returns {Result}
   */
  fcntl(fd, command, argument = 0) {
    const entry = this.entries[fd];
    if (!entry)
      return -EBADF;
    const { description } = entry;
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      if (!(isCount(argument) && argument < this.limit))
        return -EINVAL;
      return this.add(description, { cloexec: command === F_DUPFD_CLOEXEC, least: argument });
    case F_GETFD:
      return entry.flags;
    case F_SETFD:
      entry.flags = argument & FD_CLOEXEC;
      return 0;
    case F_GETFL:
      return description.flags;
    case F_SETFL:
      if (description.flags & O_PATH)
        return -EBADF;
      description.flags = (description.flags & ~CHANGEABLE) | (argument & CHANGEABLE);
      return 0;
    default:
      return description.flags & O_PATH ? -EBADF : description.fcntl(command, argument);
    }
  }

  readable(fd) {
    const description = this.get(fd);
    return description?.isReadable ? description : null;
  }

  writable(fd) {
    const description = this.get(fd);
    return description?.isWritable ? description : null;
  }

  /** @returns {Result} */
  read(fd, bytes) {
    const description = this.readable(fd);
    if (!description)
      return -EBADF;
    return bytes.length === 0 && !description.isFolder ? 0 : description.read(bytes);
  }

  /** @returns {Result} */
  write(fd, bytes) {
    const description = this.writable(fd);
    if (!description)
      return -EBADF;
    const nothing = bytes.length === 0 && !description.isSocket;
    return this.reported(nothing ? 0 : description.write(bytes));
  }

  reported(result) {
    return after(result, (number) => {
      if (number === -EPIPE)
        this.onsignal(SIGPIPE);
      return number;
    });
  }

  /** @returns {Result} */
  pread(fd, bytes, position) {
    if (!isCount(position))
      return -EINVAL;
    const description = this.get(fd);
    if (!description || description.flags & O_PATH)
      return -EBADF;
    if (!description.isSeekable)
      return -ESPIPE;
    if (!description.isReadable)
      return -EBADF;
    return bytes.length === 0 && !description.isFolder ? 0 : description.readAt(bytes, position);
  }

  /** @returns {Result} */
  pwrite(fd, bytes, position) {
    if (!isCount(position))
      return -EINVAL;
    const description = this.get(fd);
    if (!description || description.flags & O_PATH)
      return -EBADF;
    if (!description.isSeekable)
      return -ESPIPE;
    if (!description.isWritable)
      return -EBADF;
    return bytes.length === 0 ? 0 : description.writeAt(bytes, position);
  }

  /** @returns {Result} */
  readv(fd, parts) {
    const description = this.readable(fd);
    if (!description)
      return -EBADF;
    return vector(description, parts, (bytes) => this.read(fd, bytes), spread);
  }

  /** @returns {Result} */
  writev(fd, parts) {
    const description = this.writable(fd);
    if (!description)
      return -EBADF;
    return vector(description, parts, (bytes) => this.write(fd, bytes), join);
  }

  /** @returns {Result} */
  preadv(fd, parts, position) {
    return this.vectorAt(fd, parts, position, (bytes, at) => this.pread(fd, bytes, at));
  }

  /** @returns {Result} */
  pwritev(fd, parts, position) {
    return this.vectorAt(fd, parts, position, (bytes, at) => this.pwrite(fd, bytes, at));
  }

  vectorAt(fd, parts, position, move) {
    if (parts.length > IOV_MAX)
      return -EINVAL;
    return run(inTurn(parts.length ? parts : [new Uint8Array(0)],
      (bytes, done) => move(bytes, position + done)));
  }

  /** @returns {Result} */
  lseek(fd, offset, whence) {
    const description = this.get(fd);
    if (!description || description.flags & O_PATH)
      return -EBADF;
    if (!description.isSeekable)
      return -ESPIPE;
    if (!Number.isSafeInteger(offset) || whence < 0 || whence > 4)
      return -EINVAL;
    return description.seek(offset, whence);
  }

  fstat(fd) {
    return this.get(fd)?.stat() ?? -EBADF;
  }

  /** @returns {Result} */
  ftruncate(fd, size) {
    if (!isCount(size))
      return -EINVAL;
    const description = this.get(fd);
    if (!description || description.flags & O_PATH)
      return -EBADF;
    return description.isWritable ? description.truncate(size) : -EINVAL;
  }

  /** @returns {Result} */
  fsync(fd) {
    return this.sync(fd, false);
  }

  /** @returns {Result} */
  fdatasync(fd) {
    return this.sync(fd, true);
  }

  sync(fd, dataOnly) {
    const description = this.get(fd);
    return !description || description.flags & O_PATH ? -EBADF : description.sync(dataOnly);
  }

  /** @returns {Result} */
  ioctl(fd, request, argument) {
    const entry = this.entries[fd];
    if (!entry || entry.description.flags & O_PATH)
      return -EBADF;
    switch (request) {
    case FIOCLEX:
    case FIONCLEX:
      entry.flags = request === FIOCLEX ? FD_CLOEXEC : 0;
      return 0;
    case FIONBIO:
      entry.description.flags = argument ? entry.description.flags | O_NONBLOCK :
        entry.description.flags & ~O_NONBLOCK;
      return 0;
    default:
      return entry.description.control(request, argument, this);
    }
  }

  /**
   * @param {{ fd: number, events: number, revents?: number }[]} list gets its `revents`
   * @returns {number} how many have some; 0: watch them
   */
  poll(list) {
    let found = 0;
    for (const one of list) {
      one.revents = one.fd < 0 ? 0 : this.events(one.fd) & (one.events | ALWAYS);
      found += one.revents ? 1 : 0;
    }
    return found;
  }

  /** All events that hold for a descriptor now. */
  events(fd) {
    const description = this.get(fd);
    return !description || description.flags & O_PATH ? POLLNVAL : description.poll();
  }

  /**
   * Calls back at most once, from a microtask, when one of the events may hold, an error or the end
   * included, or when the description is closed.
   * @returns {() => void} cancels it
   */
  watch(fd, events, callback) {
    const description = this.get(fd);
    if (description && !(description.flags & O_PATH))
      return description.watch(events, callback);
    let wanted = true;
    queueMicrotask(() => {
      if (wanted)
        callSafely(callback);
    });
    return () => { wanted = false; };
  }

  /**
   * watch() for a list as poll() has it: one call back for all.
   * @returns {() => void} cancels it
   */
  watchAny(list, callback) {
    /** @type {(() => void)[]} */
    let cancels = [];
    const cancel = () => {
      for (const one of cancels)
        one();
      cancels = [];
    };
    cancels = list.filter(({ fd }) => fd >= 0).map(({ fd, events }) =>
      this.watch(fd, events, () => {
        cancel();
        callback();
      }));
    return cancel;
  }

  socket(fd) {
    const description = this.get(fd);
    if (!description || description.flags & O_PATH)
      return -EBADF;
    return description.isSocket ? description : -ENOTSOCK;
  }

  /** @returns {Result} */
  shutdown(fd, how) {
    const socket = this.socket(fd);
    return typeof socket === 'number' ? socket : socket.shutdown(how);
  }
}

/** @param {Uint8Array[]} parts */
function lengthOf(parts) {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

// Reads once, and spreads the bytes over the parts.
function spread(parts, move) {
  const bytes = new Uint8Array(Math.min(lengthOf(parts), STREAM_MOST));
  return after(move(bytes), (number) => {
    for (let i = 0, at = 0; at < number; at += parts[i++].length)
      parts[i].set(bytes.subarray(at, Math.min(number, at + parts[i].length)));
    return number;
  });
}

// Writes all parts at once: what fits into a pipe stays together.
function join(parts, move) {
  const bytes = new Uint8Array(Math.min(lengthOf(parts), STREAM_MOST));
  for (let i = 0, at = 0; at < bytes.length; at += parts[i++].length)
    bytes.set(parts[i].subarray(0, bytes.length - at), at);
  return move(bytes);
}

function vector(description, parts, move, atOnce) {
  if (parts.length > IOV_MAX)
    return -EINVAL;
  if (parts.length === 1)
    return move(parts[0]);
  return description.isSeekable && parts.length ? run(inTurn(parts, move)) : atOnce(parts, move);
}

// Part by part, until one is short.
function* inTurn(parts, move) {
  let done = 0;
  for (const part of parts) {
    const number = yield move(part, done);
    if (number < 0)
      return done || number;
    done += number;
    if (number < part.length)
      break;
  }
  return done;
}

