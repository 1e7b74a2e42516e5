// process.mjs - a program: its descriptors, folder, umask and environment, and its calls for files.
//
// Any number of programs share the files and terminals of a Kernel. Paths are text (names.mjs makes
// it of bytes). `folder` is a descriptor, or AT_FDCWD. A call returns what the same call of Linux
// returns, or a negative error; stat() returns an object, readlink() and getcwd() text. If an
// operation of a file system takes time, the call returns a promise of that.
import { EBADF, EINVAL, ENOENT, ENOTDIR, EOVERFLOW, EPERM } from './errno.mjs';
import {
  AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_SYMLINK_NOFOLLOW, O_CLOEXEC,
  F_GETLK, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_RDLCK, F_SETLK, F_SETLKW, F_UNLCK, F_WRLCK,
  O_CREAT, O_TRUNC, O_WRONLY, S_IFCHR, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, SEEK_CUR, SEEK_END,
  SEEK_SET,
} from './constants.mjs';
import { DescriptorTable } from './descriptors.mjs';
import { makeDevices, ProcessFileSystem } from './devices.mjs';
import { FileDescription, Files } from './files.mjs';
import { after, run } from './later.mjs';
import { dropLocks, findLock, lockRange, lockWhole, watchLock } from './locks.mjs';
import { makePipe, makeSocketPair } from './pipe.mjs';

export class Process {
  /**
   * @param {Kernel} kernel
   * @param {number} pid
   * @param {{ environment?: Record<string, string>, limit?: number, parent?: Process | null,
   *     onsignal?: (signal: number) => void }} options
   */
  constructor(kernel, pid, options) {
    const { parent = null } = options;
    this.kernel = kernel;
    this.files = kernel.files;
    this.pid = pid;
    this.group = parent?.group ?? pid;
    this.mask = parent?.mask ?? 0o022;
    this.cwd = parent?.cwd ?? kernel.files.root;
    this.environment = { ...parent?.environment, ...options.environment };
    this.onsignal = options.onsignal ?? (() => {});
    /** @type {any} the controlling terminal */
    this.terminal = parent?.terminal ?? null;
    this.table = new DescriptorTable({
      limit: options.limit, onsignal: (signal) => this.signal(signal),
    });
    // A program that closes a file gives up its ranges, whatever descriptor it closes.
    this.table.onclose = (file) => {
      if (file instanceof FileDescription)
        dropLocks(file.inode, this);
    };
  }

  /** A signal for this program: what it does is the business of its binding. */
  signal(signal) {
    this.onsignal(signal);
  }

  /** Closes all descriptors; the program has ended. */
  end() {
    this.kernel.processes.delete(this.pid);
    return this.table.closeAll();
  }

  // Calls use(location) with where a relative path begins.
  from(folder, path, use) {
    if (folder === AT_FDCWD || path[0] === '/')
      return use(this.cwd);
    const file = this.table.get(folder);
    if (!file)
      return -EBADF;
    return file instanceof FileDescription && file.isFolder ? use(file.location) : -ENOTDIR;
  }

  // The same, and the location itself if the path is empty and the flags allow it.
  located(folder, path, flags, use) {
    if (path === '' && flags & AT_EMPTY_PATH) {
      const file = folder === AT_FDCWD ? { location: this.cwd } : this.table.get(folder);
      return file ? use(file.location ?? { inode: file, mount: { isReadOnly: false } }) : -EBADF;
    }
    return this.from(folder, path, (start) =>
      this.files.at(this, start, path, !(flags & AT_SYMLINK_NOFOLLOW), use));
  }

  /** @returns {any} a descriptor */
  open(path, flags, mode = 0o666) {
    return this.openat(AT_FDCWD, path, flags, mode);
  }

  openat(folder, path, flags, mode = 0o666) {
    return this.from(folder, path, (start) =>
      after(this.files.open(this, start, path, flags, mode), (file) =>
        typeof file === 'number' ? file :
          this.table.add(file, { cloexec: (flags & O_CLOEXEC) !== 0 })));
  }

  creat(path, mode) {
    return this.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  }

  /** @param {number} [flags] O_CLOEXEC, O_NONBLOCK @returns {[number, number] | number} */
  pipe(flags = 0) {
    return this.addPair(makePipe(flags), flags);
  }

  socketpair(flags = 0) {
    return this.addPair(makeSocketPair(flags), flags);
  }

  addPair(ends, flags) {
    const cloexec = (flags & O_CLOEXEC) !== 0;
    const first = this.table.add(ends[0], { cloexec });
    const second = this.table.add(ends[1], { cloexec });
    if (first >= 0 && second < 0)
      this.table.close(first);
    return first < 0 || second < 0 ? Math.min(first, second) : [first, second];
  }

  stat(path) {
    return this.fstatat(AT_FDCWD, path, 0);
  }

  lstat(path) {
    return this.fstatat(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);
  }

  fstatat(folder, path, flags = 0) {
    return this.located(folder, path, flags, (at) => at.inode.stat());
  }

  mkdirat(folder, path, mode = 0o777) {
    return this.makeat(folder, path, S_IFDIR | (mode & 0o1777 & ~this.mask));
  }

  /** Files and devices; a folder is made by mkdirat(). */
  mknodat(folder, path, mode, device = 0) {
    const kind = mode & S_IFMT || S_IFREG;
    if (kind !== S_IFREG && kind !== S_IFCHR)
      return -EPERM;
    return this.makeat(folder, path, kind | (mode & 0o7777 & ~this.mask), '', device);
  }

  symlinkat(target, folder, path) {
    return this.makeat(folder, path, S_IFLNK | 0o777, target);
  }

  makeat(folder, path, mode, target = '', device = 0) {
    return this.from(folder, path, (start) =>
      this.files.make(this, start, path, mode, target, device));
  }

  unlinkat(folder, path, flags = 0) {
    if (flags & ~AT_REMOVEDIR)
      return -EINVAL;
    return this.from(folder, path, (start) => flags & AT_REMOVEDIR ?
      this.files.rmdir(this, start, path) : this.files.unlink(this, start, path));
  }

  renameat2(folder, path, otherFolder, other, flags = 0) {
    return this.from(folder, path, (start) => this.from(otherFolder, other, (otherStart) =>
      this.files.rename(this, start, path, otherStart, other, flags)));
  }

  linkat(folder, path, otherFolder, other, flags = 0) {
    if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
      return -EINVAL;
    const isEmpty = path === '' && (flags & AT_EMPTY_PATH) !== 0;
    const start = isEmpty ? this.table.get(folder)?.['location'] : null;
    if (isEmpty && !start)
      return -EBADF;
    return this.from(folder, isEmpty ? '/' : path, (from) =>
      this.from(otherFolder, other, (otherStart) => this.files.link(this, start ?? from,
        isEmpty ? null : path, (flags & AT_SYMLINK_FOLLOW) !== 0, otherStart, other)));
  }

  readlinkat(folder, path) {
    return this.from(folder, path, (start) => this.files.readlink(this, start, path));
  }

  faccessat(folder, path, mode, flags = 0) {
    return this.from(folder, path, (start) =>
      this.files.access(this, start, path, mode, !(flags & AT_SYMLINK_NOFOLLOW)));
  }

  fchmodat(folder, path, mode, flags = 0) {
    return this.located(folder, path, flags, (at) =>
      this.files.change(at, { mode: mode & 0o7777 }));
  }

  /** -1 leaves the user or the group as it is. */
  fchownat(folder, path, uid, gid, flags = 0) {
    return this.located(folder, path, flags, (at) => this.files.change(at, {
      uid: uid === -1 ? at.inode.uid : uid, gid: gid === -1 ? at.inode.gid : gid,
    }));
  }

  /** As Files.setTimes() has times. A path of null: the descriptor itself. */
  utimensat(folder, path, access, modification = access, flags = 0) {
    const empty = path === null ? AT_EMPTY_PATH : 0;
    return this.located(folder, path ?? '', flags | empty, (at) =>
      this.files.setTimes(at, access, modification));
  }

  fchmod(fd, mode) {
    return this.fchmodat(fd, '', mode, AT_EMPTY_PATH);
  }

  truncate(path, size) {
    return this.files.truncate(this, this.cwd, path, size);
  }

  chdir(path) {
    return this.files.at(this, this.cwd, path, true, (at) => this.enter(at));
  }

  fchdir(fd) {
    const file = this.table.get(fd);
    if (!file)
      return -EBADF;
    return file instanceof FileDescription ? this.enter(file.location) : -ENOTDIR;
  }

  enter(at) {
    if ((at.inode.mode & S_IFMT) !== S_IFDIR)
      return -ENOTDIR;
    this.cwd = at;
    return 0;
  }

  /** @returns {string | number} */
  getcwd() {
    return this.files.pathOf(this.cwd);
  }

  umask(mask) {
    const old = this.mask;
    this.mask = mask & 0o777;
    return old;
  }

  /** Entries from the position of a folder's descriptor on: FileDescription.list(). */
  getdents(fd, most = Infinity) {
    const file = this.table.get(fd);
    if (!file?.isReadable)
      return -EBADF;
    return file instanceof FileDescription ? file.list(most) : -ENOTDIR;
  }

  /** flock(): a lock that is held elsewhere is -EAGAIN; watchLock() says when to try again. */
  flock(fd, operation) {
    const file = this.table.get(fd);
    if (!file?.isReadable && !file?.isWritable)
      return -EBADF;
    return file instanceof FileDescription ? lockWhole(file.inode, file, operation) : -EINVAL;
  }

  /**
   * Locks of ranges, and what the table knows. A range is {type, whence, start, length}; F_GETLK
   * fills it, with `pid`. F_SETLKW that has to wait is -EAGAIN: see watchLock().
   */
  fcntl(fd, command, argument = 0) {
    switch (command) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
      return this.lock(fd, command === F_GETLK, argument, this);
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      return this.lock(fd, command === F_OFD_GETLK, argument, this.table.get(fd));
    default:
      return this.table.fcntl(fd, command, argument);
    }
  }

  lock(fd, asks, argument, owner) {
    const file = this.table.get(fd);
    if (!file?.isReadable && !file?.isWritable)
      return -EBADF;
    if (!(file instanceof FileDescription))
      return -EINVAL;
    const range = rangeOf(file, argument);
    if (typeof range === 'number')
      return range;
    if (asks)
      return askLock(file, owner, range, argument);
    if ((range.type === F_RDLCK && !file.isReadable) ||
        (range.type === F_WRLCK && !file.isWritable))
      return -EBADF;
    return lockRange(file.inode, owner, range);
  }

  /** Calls back once when locks of the file were given up. @returns {() => void} cancels it */
  watchLock(fd, callback) {
    const file = this.table.get(fd);
    return file instanceof FileDescription ? watchLock(file.inode, callback) :
      this.table.watch(-1, 0, callback);
  }

  statfs(path) {
    return this.files.at(this, this.cwd, path, true, (at) => at.mount.fs.statfs());
  }

  fstatfs(fd) {
    const file = this.table.get(fd);
    if (!file)
      return -EBADF;
    return file instanceof FileDescription ? file.location.mount.fs.statfs() : -ENOENT;
  }

  /** Writes out all file systems. */
  sync() {
    const { files } = this;
    return run((function* all() {
      yield files.root.mount.fs.sync();
      for (const mounts of files.mounts.values()) {
        for (const mount of mounts)
          yield mount.fs.sync();
      }
      return 0;
    })());
  }
}

// From the first byte to the one behind the last: a length of 0 is all, a negative one is before.
function rangeOf(file, { type, whence = SEEK_SET, start = 0, length = 0 }) {
  const bases = { [SEEK_SET]: 0, [SEEK_CUR]: file.position, [SEEK_END]: file.inode.size };
  if (!(whence in bases) || ![F_RDLCK, F_WRLCK, F_UNLCK].includes(type))
    return -EINVAL;
  let from = bases[whence] + start, end = length === 0 ? Infinity : from + length;
  if (length < 0)
    [from, end] = [end, from];
  if (from < 0)
    return -EINVAL;
  return Number.isSafeInteger(from) && (end === Infinity || Number.isSafeInteger(end)) ?
    { start: from, end, type } : -EOVERFLOW;
}

function askLock(file, owner, range, answer) {
  if (range.type === F_UNLCK)
    return -EINVAL;
  const found = findLock(file.inode, owner, range);
  if (!found) {
    answer.type = F_UNLCK;
    return 0;
  }
  Object.assign(answer, {
    type: found.type, whence: SEEK_SET, start: found.start, pid: found.owner.pid ?? -1,
    length: found.end === Infinity ? 0 : found.end - found.start,
  });
  return 0;
}

/** What the programs of a page share. */
export class Kernel {
  /** @param {{ files?: Files }} [options] */
  constructor(options = {}) {
    this.files = options.files ?? new Files();
    this.files.mount('/dev', makeDevices());
    this.files.mount('/proc', new ProcessFileSystem(this));
    /** @type {Map<number, Process>} */
    this.processes = new Map();
    this.lastPid = 0;
  }

  /**
   * Makes a program without descriptors. Its parent gives it folder, umask, environment, group and
   * terminal.
   * @param {ConstructorParameters<typeof Process>[2]} [options]
   */
  start(options = {}) {
    const process = new Process(this, ++this.lastPid, options);
    this.processes.set(process.pid, process);
    return process;
  }

  /** A signal for all programs of a group: a hook for terminals. */
  signalGroup(group, signal) {
    for (const process of [...this.processes.values()]) {
      if (process.group === group)
        process.signal(signal);
    }
  }
}
