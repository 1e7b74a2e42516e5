// files.mjs - all files of a page: file systems at their mount points, and the walk along a path.
//
// A location is an inode with the mount in which it was found. Calls take the caller (a program of
// process.mjs, or null for the page) and the location from which a relative path begins. They
// follow Linux, also in which of several errors is reported. The user may do everything that the
// file system can. File systems have the interface that tree.mjs describes; while none of them
// returns a promise, no call does.
import {
  EACCES, EBUSY, EEXIST, EINVAL, EIO, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, ENOTEMPTY,
  ENXIO, EOPNOTSUPP, EOVERFLOW, EPERM, errorName, errorText, EROFS, EXDEV,
} from './errno.mjs';
import {
  NAME_MAX, O_ACCMODE, O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_PATH, O_RDONLY,
  O_TMPFILE, O_TRUNC, O_NOATIME, O_CLOEXEC, O_NOCTTY, PATH_MAX, POLLIN, POLLOUT, POLLRDNORM,
  POLLWRNORM, RENAME_EXCHANGE, RENAME_NOREPLACE, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, SEEK_CUR,
  SEEK_DATA, SEEK_END, SYMLINKS_MAX, UTIME_NOW, UTIME_OMIT, W_OK, X_OK,
} from './constants.mjs';
import { Description } from './descriptors.mjs';
import { isPromise, run } from './later.mjs';
import { dropLocks } from './locks.mjs';
import { isLonger } from './names.mjs';
import { now, TreeFileSystem } from './tree.mjs';

const DAY = 86400n * 1000000000n;
const kind = (inode) => inode.mode & S_IFMT;
const isFolder = (inode) => kind(inode) === S_IFDIR;
const isLink = (inode) => kind(inode) === S_IFLNK;
const isDots = (name) => name === '.' || name === '..' || name === '/';
/** Flags of open() that fcntl() does not show. */
const PASSING = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY | O_CLOEXEC;

/** @typedef {{ mount: Mount, inode: any }} Location */
/** @typedef {{ fs: any, root: any, covered: Location | null, isReadOnly: boolean }} Mount */

/** An open file or folder of a file system. */
export class FileDescription extends Description {
  /**
   * @param {Location} location
   * @param {number} flags
   */
  constructor(location, flags) {
    super(flags & ~PASSING);
    this.location = location;
    this.inode = location.inode;
    this.position = 0;
    /** @type {Promise<any> | null} the call in flight, if it takes time: calls follow each other */
    this.inFlight = null;
    if (!(flags & O_PATH))
      this.inode.use();
  }

  get isFolder() {
    return isFolder(this.inode);
  }

  get isSeekable() {
    return true;
  }

  get takesTime() {
    return this.location.mount.fs?.takesTime ?? true;
  }

  inTurn(call) {
    const result = this.inFlight ? this.inFlight.then(call) : call();
    if (isPromise(result)) {
      const mine = result.catch(() => -EIO).then((value) => {
        this.inFlight = this.inFlight === mine ? null : this.inFlight;
        return value;
      });
      this.inFlight = mine;
      return mine;
    }
    return result;
  }

  read(bytes) {
    return this.inTurn(() => run(this.readHere(bytes)));
  }

  * readHere(bytes) {
    const count = yield this.readAt(bytes, this.position);
    this.position += Math.max(count, 0);
    return count;
  }

  readAt(bytes, position) {
    if (this.isFolder)
      return -EISDIR;
    this.wasRead();
    return this.inode.read(bytes, position);
  }

  // The time of access, as seldom as Linux writes it.
  wasRead() {
    const { inode, location } = this;
    if (this.flags & O_NOATIME || location.mount.isReadOnly || typeof inode.atime !== 'bigint')
      return;
    const time = now();
    if (inode.atime <= inode.mtime || inode.atime <= inode.ctime || time - inode.atime > DAY)
      inode.atime = time;
  }

  write(bytes) {
    return this.inTurn(() => run(this.writeHere(bytes)));
  }

  * writeHere(bytes) {
    const count = yield this.inode.write(bytes, this.flags & O_APPEND ? -1 : this.position);
    if (count > 0)
      this.position = this.flags & O_APPEND ? this.inode.size : this.position + count;
    return count;
  }

  writeAt(bytes, position) {
    return this.inode.write(bytes, this.flags & O_APPEND ? -1 : position);
  }

  seek(offset, whence) {
    return this.inTurn(() => run(this.seekHere(offset, whence)));
  }

  * seekHere(offset, whence) {
    let from = 0;
    if (whence > SEEK_END) {
      if (this.isFolder)
        return -EINVAL;
      from = yield offset < 0 ? -ENXIO : this.inode.seekData(offset, whence === SEEK_DATA);
      if (from < 0)
        return from;
      offset = 0;
    } else if (whence === SEEK_CUR) {
      from = this.position;
    } else if (whence === SEEK_END) {
      from = this.isFolder ? 0 : this.inode.size;
    }
    if (from + offset < 0)
      return -EINVAL;
    if (!Number.isSafeInteger(from + offset))
      return -EOVERFLOW;
    this.position = from + offset;
    return this.position;
  }

  stat() {
    return this.inode.stat();
  }

  truncate(size) {
    return this.inode.truncate(size);
  }

  sync(dataOnly) {
    return this.inode.sync(dataOnly);
  }

  poll() {
    return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
  }

  /**
   * Entries of a folder from the position on, which moves behind them: `.` and `..` first.
   * @param {number} [most]
   * @returns {any} a list of {name, ino, type, cookie}, empty at the end; or an error
   */
  list(most = Infinity) {
    return this.isFolder ? run(this.listHere(most)) : -ENOTDIR;
  }

  * listHere(most) {
    const { inode, location } = this, found = [];
    if (!inode.parent)
      return -ENOENT; // it was removed
    const dots = [['.', inode], ['..', above(location).inode]];
    for (let i = this.position; i < 2 && found.length < most; i++)
      found.push({ name: dots[i][0], ino: dots[i][1].ino, type: S_IFDIR, cookie: i + 1 });
    if (found.length < most) {
      const entries = yield inode.list(Math.max(this.position, 2), most - found.length);
      if (typeof entries === 'number')
        return entries;
      for (const { name, inode: one, cookie } of entries)
        found.push({ name, ino: one.ino, type: kind(one), cookie });
    }
    this.position = found.at(-1)?.cookie ?? this.position;
    this.wasRead();
    return found;
  }

  release() {
    dropLocks(this.inode, this);
    return this.flags & O_PATH ? 0 : this.inode.unuse();
  }
}

// The folder that has this one, across mounts. The root is above itself.
function above({ mount, inode }) {
  while (inode === mount.root && mount.covered)
    ({ mount, inode } = mount.covered);
  return { mount, inode: inode.parent ?? inode };
}

function split(path) {
  return path.split('/').filter((part) => part !== '');
}

/** An error of the page's calls, with `code` and `errno` as Node's have them. */
export class FileError extends Error {
  constructor(number, path) {
    super(`${errorName(number)}: ${errorText(number)}: ${path}`);
    this.code = errorName(number);
    this.errno = number;
    this.path = path;
  }
}

export class Files {
  /** @param {any} [fs] the file system of the root */
  constructor(fs = new TreeFileSystem()) {
    /** @type {Mount} */
    const mount = { fs, root: fs.root, covered: null, isReadOnly: fs.isReadOnly };
    this.root = { mount, inode: fs.root };
    /** @type {Map<any, Mount[]>} mounts by the inode that they cover */
    this.mounts = new Map();
  }

  // What is visible at a location: the root of what is mounted there.
  cover(location) {
    for (;;) {
      const over = this.mounts.get(location.inode)?.find((one) =>
        one.covered.mount === location.mount);
      if (!over)
        return location;
      location = { mount: over, inode: over.root };
    }
  }

  /**
   * Walks along a path. With `parent` it ends before the last part, and returns the folder with the
   * part's name: `.` or `..` or `/` if the path has no other.
   */
  * walk(caller, start, path, { follow = true, parent = false } = {}) {
    if (path === '')
      return -ENOENT;
    if (isLonger(path, PATH_MAX - 1))
      return -ENAMETOOLONG;
    let at = path[0] === '/' ? this.cover(this.root) : start, links = 0;
    let slash = path.endsWith('/');
    const left = split(path).reverse();
    if (parent && left.length === 0)
      return { folder: at, name: '/', slash };
    while (left.length) {
      const name = /** @type {string} */ (left.pop()), isLast = left.length === 0;
      if (!isFolder(at.inode))
        return -ENOTDIR;
      if (isLast && parent)
        return { folder: at, name, slash };
      const next = yield* this.step(caller, at, name);
      if (typeof next === 'number')
        return next;
      if (!isLink(next.inode) || (isLast && !follow && !slash)) {
        at = next;
        continue;
      }
      if (++links > SYMLINKS_MAX)
        return -ELOOP;
      if (next.inode.follow) {
        at = yield next.inode.follow(caller);
        if (typeof at === 'number')
          return at;
        continue;
      }
      const target = yield next.inode.readlink();
      if (typeof target === 'number')
        return target;
      at = target[0] === '/' ? this.cover(this.root) : at;
      slash ||= isLast && target.endsWith('/');
      left.push(...split(target).reverse());
    }
    return slash && !isFolder(at.inode) ? -ENOTDIR : at;
  }

  * step(caller, at, name) {
    if (name === '.')
      return at;
    if (name === '..')
      return at.inode === this.root.inode ? at : this.cover(above(at));
    if (isLonger(name, NAME_MAX))
      return -ENAMETOOLONG;
    const inode = yield at.inode.lookup(name, caller);
    return typeof inode === 'number' ? inode : this.cover({ mount: at.mount, inode });
  }

  // The place for a new entry: where it exists already, or is refused, that is the result.
  * place(caller, start, path, allowSlash) {
    const place = yield* this.walk(caller, start, path, { parent: true });
    if (typeof place === 'number')
      return place;
    if (isDots(place.name))
      return -EEXIST;
    const there = yield* this.step(caller, place.folder, place.name);
    if (typeof there !== 'number')
      return -EEXIST;
    if (there !== -ENOENT)
      return there;
    if (place.slash && !allowSlash)
      return -ENOENT;
    return place.folder.mount.isReadOnly ? -EROFS : place;
  }

  /** @returns {any} a Description, or an error */
  open(caller, start, path, flags, mode = 0o666) {
    return run(this.opening(caller, start, path, flags, mode & 0o7777 & ~(caller?.mask ?? 0)));
  }

  * opening(caller, start, path, flags, mode) {
    if (flags & O_PATH)
      flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    if ((flags & O_TMPFILE) === O_TMPFILE)
      return yield* this.openUnnamed(caller, start, path, flags, mode);
    if (flags & O_CREAT)
      return yield* this.create(caller, start, path, flags, mode);
    const at = yield* this.walk(caller, start, path, { follow: !(flags & O_NOFOLLOW) });
    return typeof at === 'number' ? at : yield* this.openAt(caller, at, flags);
  }

  * create(caller, start, path, flags, mode) {
    if (flags & O_DIRECTORY)
      return -EINVAL;
    for (let links = 0; links <= SYMLINKS_MAX; links++) {
      const place = yield* this.walk(caller, start, path, { parent: true });
      if (typeof place === 'number')
        return place;
      const { folder, name, slash } = place;
      if (isDots(name))
        return flags & O_EXCL ? -EEXIST : -EISDIR;
      if (slash)
        return -EISDIR;
      const at = yield* this.step(caller, folder, name);
      if (at === -ENOENT)
        return yield* this.createAt(caller, folder, name, flags, mode);
      if (typeof at === 'number')
        return at;
      if (flags & O_EXCL)
        return -EEXIST;
      if (!isLink(at.inode) || flags & O_NOFOLLOW)
        return yield* this.openAt(caller, at, flags);
      if (at.inode.follow)
        return yield* this.openAt(caller, yield at.inode.follow(caller), flags);
      path = yield at.inode.readlink();
      start = folder;
    }
    return -ELOOP;
  }

  * createAt(caller, folder, name, flags, mode) {
    if (folder.mount.isReadOnly)
      return -EROFS;
    const inode = yield folder.inode.make(name, S_IFREG | mode);
    return typeof inode === 'number' ? inode :
      yield* this.openAt(caller, { mount: folder.mount, inode }, flags & ~O_TRUNC);
  }

  * openUnnamed(caller, start, path, flags, mode) {
    if ((flags & O_ACCMODE) === O_RDONLY || flags & O_CREAT)
      return -EINVAL;
    const at = yield* this.walk(caller, start, path);
    if (typeof at === 'number')
      return at;
    if (!isFolder(at.inode))
      return -ENOTDIR;
    if (at.mount.isReadOnly)
      return -EROFS;
    const inode = at.mount.fs.unnamed ? yield at.mount.fs.unnamed(mode) : -EOPNOTSUPP;
    if (typeof inode === 'number')
      return inode;
    inode.isUnnamed = !(flags & O_EXCL);
    return new FileDescription({ mount: at.mount, inode }, flags & ~O_TMPFILE | O_TMPFILE);
  }

  * openAt(caller, at, flags) {
    if (typeof at === 'number')
      return at;
    const { inode, mount } = at;
    const writes = (flags & O_ACCMODE) !== O_RDONLY || (flags & O_TRUNC) !== 0;
    if (flags & O_DIRECTORY && !isFolder(inode))
      return -ENOTDIR;
    if (flags & O_PATH)
      return new FileDescription(at, flags);
    if (isLink(inode))
      return -ELOOP;
    if (isFolder(inode) && (writes || flags & O_CREAT))
      return -EISDIR;
    if (inode.open)
      return yield inode.open(flags & ~PASSING, caller);
    if (!isFolder(inode) && kind(inode) !== S_IFREG)
      return -ENXIO;
    if (writes && mount.isReadOnly)
      return -EROFS;
    const ready = inode.ready ? yield inode.ready(flags) : 0;
    const cut = ready < 0 ? ready : flags & O_TRUNC ? yield inode.truncate(0) : 0;
    return cut < 0 ? cut : new FileDescription(at, flags);
  }

  make(caller, start, path, mode, target = '', rdev = 0) {
    return run(this.making(caller, start, path, mode, target, rdev));
  }

  * making(caller, start, path, mode, target, rdev) {
    if (isLink({ mode }) && target === '')
      return -ENOENT;
    if (isLonger(target, PATH_MAX - 1))
      return -ENAMETOOLONG;
    const place = yield* this.place(caller, start, path, isFolder({ mode }));
    if (typeof place === 'number')
      return place;
    const inode = yield place.folder.inode.make(place.name, mode, target, rdev);
    return typeof inode === 'number' ? inode : 0;
  }

  link(caller, start, path, follow, otherStart, other) {
    return run(this.linking(caller, start, path, follow, otherStart, other));
  }

  * linking(caller, start, path, follow, otherStart, other) {
    const at = path === null ? start : yield* this.walk(caller, start, path, { follow });
    if (typeof at === 'number')
      return at;
    const place = yield* this.place(caller, otherStart, other, false);
    if (typeof place === 'number')
      return place;
    if (place.folder.mount !== at.mount)
      return -EXDEV;
    return isFolder(at.inode) ? -EPERM : yield place.folder.inode.link(place.name, at.inode);
  }

  unlink(caller, start, path) {
    return run(this.removing(caller, start, path, false));
  }

  rmdir(caller, start, path) {
    return run(this.removing(caller, start, path, true));
  }

  * removing(caller, start, path, folders) {
    const place = yield* this.walk(caller, start, path, { parent: true });
    if (typeof place === 'number')
      return place;
    const { folder, name, slash } = place;
    if (isDots(name))
      return folders ? { '.': -EINVAL, '..': -ENOTEMPTY, '/': -EBUSY }[name] : -EISDIR;
    const at = yield* this.step(caller, folder, name);
    if (typeof at === 'number')
      return at;
    if (slash && !folders)
      return isFolder(at.inode) ? -EISDIR : -ENOTDIR;
    if (folder.mount.isReadOnly)
      return -EROFS;
    if (at.mount !== folder.mount)
      return folders ? -EBUSY : -EISDIR;
    return yield folders ? folder.inode.rmdir(name) : folder.inode.unlink(name);
  }

  rename(caller, start, path, otherStart, other, flags = 0) {
    return run(this.renaming(caller, start, path, otherStart, other, flags));
  }

  * renaming(caller, start, path, otherStart, other, flags) {
    const both = RENAME_NOREPLACE | RENAME_EXCHANGE;
    if (flags & ~both || (flags & both) === both)
      return -EINVAL;
    const from = yield* this.walk(caller, start, path, { parent: true });
    if (typeof from === 'number')
      return from;
    const to = yield* this.walk(caller, otherStart, other, { parent: true });
    if (typeof to === 'number')
      return to;
    if (from.folder.mount !== to.folder.mount)
      return -EXDEV;
    if (isDots(from.name))
      return -EBUSY;
    if (isDots(to.name))
      return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
    if (from.folder.mount.isReadOnly)
      return -EROFS;
    const one = yield* this.step(caller, from.folder, from.name);
    if (typeof one === 'number')
      return one;
    const two = yield* this.step(caller, to.folder, to.name);
    if (typeof two === 'number' && two !== -ENOENT)
      return two;
    const there = typeof two === 'number' ? null : two;
    const refused = this.refuseRename(from, one, to, there, flags);
    if (refused !== 0 || one.inode === there?.inode)
      return refused;
    return yield from.folder.inode.rename(from.name, to.folder.inode, to.name,
      (flags & RENAME_EXCHANGE) !== 0);
  }

  refuseRename(from, one, to, there, flags) {
    const exchange = flags & RENAME_EXCHANGE, moved = isFolder(one.inode);
    if (there && flags & RENAME_NOREPLACE)
      return -EEXIST;
    if (exchange && !there)
      return -ENOENT;
    if (exchange && !isFolder(there.inode) && to.slash)
      return -ENOTDIR;
    if (!moved && (from.slash || (!exchange && to.slash)))
      return -ENOTDIR;
    if (isAbove(one.inode, to.folder.inode))
      return -EINVAL;
    if (there && isAbove(there.inode, from.folder.inode))
      return exchange ? -EINVAL : -ENOTEMPTY;
    if (one.inode === there?.inode)
      return 0;
    if (there && !exchange && moved !== isFolder(there.inode))
      return moved ? -ENOTDIR : -EISDIR;
    const mount = from.folder.mount;
    return one.mount !== mount || (there && there.mount !== mount) ? -EBUSY : 0;
  }

  /** @returns {any} a Stat, or an error */
  stat(caller, start, path, follow = true) {
    return this.at(caller, start, path, follow, (at) => at.inode.stat());
  }

  // Calls use(location) for what is at a path.
  at(caller, start, path, follow, use) {
    const { walk } = this, files = this;
    return run((function* found() {
      const at = yield* walk.call(files, caller, start, path, { follow });
      return typeof at === 'number' ? at : yield use(at);
    })());
  }

  readlink(caller, start, path) {
    return this.at(caller, start, path, false, (at) =>
      isLink(at.inode) ? at.inode.readlink(caller) : -EINVAL);
  }

  access(caller, start, path, wanted, follow = true) {
    if (wanted & ~7)
      return -EINVAL;
    return this.at(caller, start, path, follow, ({ mount, inode }) => {
      if (wanted & W_OK && mount.isReadOnly && [S_IFREG, S_IFDIR, S_IFLNK].includes(kind(inode)))
        return -EROFS;
      return wanted & X_OK && kind(inode) === S_IFREG && !(inode.mode & 0o111) ? -EACCES : 0;
    });
  }

  change(location, values) {
    return location.mount.isReadOnly ? -EROFS : location.inode.change(values);
  }

  /**
   * utimensat(): each time is {seconds, nanoseconds}; nanoseconds may be UTIME_NOW or UTIME_OMIT.
   * @param {Location} location
   * @param {any} access null for both: now
   * @param {any} [modification]
   */
  setTimes(location, access, modification = access) {
    const values = {}, all = { atime: access, mtime: modification }, time = now();
    for (const [name, given] of Object.entries(all)) {
      const part = given?.nanoseconds ?? UTIME_NOW;
      if (part === UTIME_NOW)
        values[name] = time;
      else if (part >= 0 && part < 1e9)
        values[name] = BigInt(given.seconds) * 1000000000n + BigInt(part);
      else if (part !== UTIME_OMIT)
        return -EINVAL;
    }
    return Object.keys(values).length ? this.change(location, values) : 0;
  }

  truncate(caller, start, path, size) {
    if (!Number.isSafeInteger(size) || size < 0)
      return -EINVAL;
    const files = this;
    return run((function* cut() {
      const at = yield* files.walk(caller, start, path);
      if (typeof at === 'number')
        return at;
      if (kind(at.inode) !== S_IFREG)
        return isFolder(at.inode) ? -EISDIR : -EINVAL;
      return at.mount.isReadOnly ? -EROFS : yield at.inode.truncate(size);
    })());
  }

  /** The path of a folder from the root, or -ENOENT if it was removed. */
  pathOf(location) {
    const parts = [];
    for (let at = location; at.inode !== this.root.inode; at = above(at)) {
      while (at.inode === at.mount.root && at.mount.covered)
        at = at.mount.covered;
      if (!at.inode.parent)
        return -ENOENT;
      parts.push(at.inode.name);
    }
    return `/${parts.reverse().join('/')}`;
  }

  // The page's calls: they throw a FileError, or return a promise that rejects with it.

  checked(path, result) {
    const check = (value) => {
      if (typeof value === 'number' && value < 0)
        throw new FileError(value, path);
      return value;
    };
    return isPromise(result) ? result.then(check) : check(result);
  }

  /**
   * Writes a whole file; makes it and the folders above it.
   * @param {string} path from the root
   * @param {Uint8Array | string} content
   */
  write(path, content) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return this.checked(path, run(this.writing(path, bytes)));
  }

  * writing(path, bytes) {
    const folders = yield this.makeFolders(split(path).slice(0, -1).join('/'));
    if (folders < 0)
      return folders;
    const file = yield* this.opening(null, this.root, path, 1 | O_CREAT | O_TRUNC, 0o644);
    if (typeof file === 'number')
      return file;
    file.retain();
    let done = 0, count = 0;
    for (; done < bytes.length && count >= 0; done += Math.max(count, 0))
      count = yield file.write(bytes.subarray(done));
    const closed = yield file.drop();
    return count < 0 ? count : closed;
  }

  /** Makes a folder and those above it. @returns {any} 0 or an error */
  makeFolders(path) {
    const files = this;
    return run((function* each() {
      for (let i = 1, parts = split(path); i <= parts.length; i++) {
        const result = yield* files.making(null, files.root, `/${parts.slice(0, i).join('/')}`,
          S_IFDIR | 0o755, '', 0);
        if (result < 0 && result !== -EEXIST)
          return result;
      }
      return 0;
    })());
  }

  /** @param {string} path @returns {any} the bytes of a file */
  read(path) {
    return this.checked(path, run(this.reading(path)));
  }

  * reading(path) {
    const file = yield* this.opening(null, this.root, path, O_RDONLY, 0);
    if (typeof file === 'number')
      return file;
    file.retain();
    const bytes = new Uint8Array(file.isFolder ? 1 : file.inode?.size ?? 0);
    let done = 0, count = 0;
    do {
      count = yield file.read(bytes.subarray(done));
      done += Math.max(count, 0);
    } while (count > 0 && done < bytes.length);
    yield file.drop();
    return count < 0 ? count : bytes.subarray(0, done);
  }

  /** @param {string} path @returns {any} the names in a folder */
  list(path) {
    return this.checked(path, this.at(null, this.root, path, true, (at) => {
      if (!isFolder(at.inode))
        return -ENOTDIR;
      const entries = at.inode.list(0, Infinity);
      const names = (all) => typeof all === 'number' ? all : all.map((entry) => entry.name);
      return isPromise(entries) ? entries.then(names) : names(entries);
    }));
  }

  /** Removes a file, or a folder with all in it. @param {string} path */
  remove(path) {
    return this.checked(path, run(this.removingAll(path)));
  }

  // Without recursion: folders may be nested as deep as memory allows.
  * removingAll(path) {
    const top = yield* this.walk(null, this.root, path, { parent: true });
    if (typeof top === 'number')
      return top;
    const stack = [{ folder: top.folder, name: top.name }];
    while (stack.length) {
      const { folder, name } = stack[stack.length - 1];
      const at = isDots(name) ? -EBUSY : yield* this.step(null, folder, name);
      if (typeof at === 'number')
        return at;
      if (folder.mount.isReadOnly)
        return -EROFS;
      if (at.mount !== folder.mount)
        return -EBUSY;
      const inside = isFolder(at.inode) ? yield at.inode.list(0, Infinity) : [];
      if (typeof inside === 'number')
        return inside;
      if (inside.length) {
        stack.push(...inside.map((entry) => ({ folder: at, name: entry.name })));
        continue;
      }
      stack.pop();
      const { inode } = folder;
      const result = yield isFolder(at.inode) ? inode.rmdir(name) : inode.unlink(name);
      if (result < 0)
        return result;
    }
    return 0;
  }

  /**
   * Makes a file system visible at a folder, which is made where it is missing.
   * @param {string} path
   * @param {any} fs
   * @param {{ isReadOnly?: boolean }} [options]
   */
  mount(path, fs, options = {}) {
    const files = this;
    return this.checked(path, run((function* over() {
      const made = yield files.makeFolders(path);
      if (made < 0)
        return made;
      const covered = yield* files.walk(null, files.root, path);
      if (typeof covered === 'number')
        return covered;
      if (!isFolder(covered.inode))
        return -ENOTDIR;
      if (covered.inode === files.root.inode)
        return -EBUSY;
      const mount = { fs, root: fs.root, covered,
        isReadOnly: options.isReadOnly ?? fs.isReadOnly ?? false };
      const there = files.mounts.get(covered.inode) ?? [];
      files.mounts.set(covered.inode, [...there, mount]);
      return 0;
    })()));
  }

  /** Ends a mount: open files stay. @param {string} path */
  unmount(path) {
    return this.checked(path, this.at(null, this.root, path, true, ({ mount, inode }) => {
      if (inode !== mount.root || !mount.covered)
        return -EINVAL;
      const left = this.mounts.get(mount.covered.inode).filter((one) => one !== mount);
      if (left.length)
        this.mounts.set(mount.covered.inode, left);
      else
        this.mounts.delete(mount.covered.inode);
      return 0;
    }));
  }
}

// Whether `inode` is the folder `below`, or one above it in the same file system.
function isAbove(inode, below) {
  if (!isFolder(inode))
    return false;
  for (let at = below; at; at = at.parent === at ? null : at.parent) {
    if (at === inode)
      return true;
  }
  return false;
}

