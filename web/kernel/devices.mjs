// devices.mjs - /dev and /proc/self/fd: file systems whose files are the kernel's.
import { ENOENT, ENOSPC, ENXIO } from './errno.mjs';
import {
  POLLIN, POLLOUT, POLLRDNORM, POLLWRNORM, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT,
} from './constants.mjs';
import { Description } from './descriptors.mjs';
import { FileDescription } from './files.mjs';
import { Inode, TreeFileSystem } from './tree.mjs';

const RANDOM_MOST = 65536; // of one call of getRandomValues()

function fillRandom(bytes) {
  const part = new Uint8Array(RANDOM_MOST);
  for (let at = 0; at < bytes.length; at += RANDOM_MOST) {
    crypto.getRandomValues(part);
    bytes.set(part.subarray(0, bytes.length - at), at);
  }
  return bytes.length;
}

function fillZero(bytes) {
  bytes.fill(0);
  return bytes.length;
}

const take = (bytes) => bytes.length;
const KINDS = {
  null: { rdev: 0x103, read: () => 0, write: take },
  zero: { rdev: 0x105, read: fillZero, write: take },
  full: { rdev: 0x107, read: fillZero, write: () => -ENOSPC },
  random: { rdev: 0x108, read: fillRandom, write: take },
  urandom: { rdev: 0x109, read: fillRandom, write: take },
};

class Device extends Description {
  constructor(flags, inode, kind) {
    super(flags);
    this.inode = inode;
    this.kind = kind;
  }

  get isSeekable() {
    return true;
  }

  read(bytes) {
    return this.kind.read(bytes);
  }

  write(bytes) {
    return this.kind.write(bytes);
  }

  readAt(bytes) {
    return this.kind.read(bytes);
  }

  writeAt(bytes) {
    return this.kind.write(bytes);
  }

  seek() {
    return 0;
  }

  stat() {
    return this.inode.stat();
  }

  poll() {
    return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
  }
}

function addDevice(fs, name, rdev, open) {
  const inode = fs.root.make(name, S_IFCHR | 0o666, '', rdev);
  inode.open = (flags, caller) => open(flags, caller, inode);
}

/** The file system of /dev. */
export function makeDevices() {
  const fs = new TreeFileSystem();
  for (const [name, kind] of Object.entries(KINDS))
    addDevice(fs, name, kind.rdev, (flags, caller, inode) => new Device(flags, inode, kind));
  addDevice(fs, 'tty', 0x500, (flags, caller) => caller?.terminal?.open(flags) ?? -ENXIO);
  fs.root.make('fd', S_IFLNK | 0o777, '/proc/self/fd');
  ['stdin', 'stdout', 'stderr'].forEach((name, fd) =>
    fs.root.make(name, S_IFLNK | 0o777, `/proc/self/fd/${fd}`));
  return fs;
}

// A link that leads to an open file, whether it has a name or not.
class DescriptorLink extends Inode {
  constructor(fs, description) {
    super(fs, S_IFLNK | 0o700);
    this.description = description;
  }

  readlink() {
    const { description } = this;
    if (description instanceof FileDescription && description.isFolder) {
      const path = this.fs.kernel.files.pathOf(description.location);
      return typeof path === 'string' ? path : '/ (deleted)';
    }
    const stat = /** @type {any} */ (description.stat());
    return `${(stat.mode & S_IFMT) === S_IFIFO ? 'pipe' : 'file'}:[${stat.ino}]`;
  }

  follow() {
    const { description } = this;
    if (description instanceof FileDescription)
      return description.location;
    const inode = Object.create(description, {
      mode: { value: /** @type {any} */ (description.stat()).mode },
      open: { value: (flags) => description['reopen']?.(flags) ?? -ENXIO },
    });
    return { inode, mount: { root: null, covered: null, isReadOnly: false, fs: this.fs } };
  }
}

// A folder whose entries are made when they are asked for.
class MadeFolder extends Inode {
  constructor(fs, parent, name, find, names) {
    super(fs, S_IFDIR | 0o555);
    Object.assign(this, { parent, name, find, names, nlink: 2 });
  }

  lookup(name, caller) {
    return this['find'](name, caller) ?? -ENOENT;
  }

  list(cookie, most) {
    const names = this['names']().map((name, i) => ({ name, cookie: i + 3 }));
    return names.filter((one) => one.cookie > cookie).slice(0, most).map((one) => ({
      ...one, inode: this.lookup(one.name, null),
    }));
  }
}

/** The file system of /proc: the descriptors of each program, and `self`. */
export class ProcessFileSystem extends TreeFileSystem {
  /** @param {any} kernel */
  constructor(kernel) {
    super({ isReadOnly: true });
    this.kernel = kernel;
    const root = new MadeFolder(this, null, '', (name, caller) => this.find(name, caller),
      () => [...kernel.processes.keys()].map(String));
    root.parent = root;
    this.root = root;
  }

  find(name, caller) {
    if (name === 'self' && caller) {
      const link = new Inode(this, S_IFLNK | 0o777);
      link.target = String(caller.pid);
      return link;
    }
    const program = /^[1-9]\d*$/.test(name) ? this.kernel.processes.get(Number(name)) : null;
    if (!program)
      return undefined;
    const folder = new MadeFolder(this, this.root, name, (one) => one === 'fd' ? fds : undefined,
      () => ['fd']);
    const fds = new MadeFolder(this, folder, 'fd', (one) => this.descriptor(program, one),
      () => program.table.list().map(String));
    return folder;
  }

  descriptor(program, name) {
    const description = /^\d+$/.test(name) ? program.table.get(Number(name)) : null;
    return description ? new DescriptorLink(this, description) : undefined;
  }
}

