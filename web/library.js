// library.js - the system calls of a program for Emscripten, answered by web/kernel.
//
// With `emcc --js-library library.js` these functions take the places of Emscripten's own, whose
// file system is then not in the module. co4.mjs gives the module a Process of the kernel. The C
// library has Linux's flags and structures, and the errors of WASI. Nothing here waits: what would
// is EAGAIN, and the runtime of co4 asks Module.co4.watch() when to try again.
//
// Where the kernel answers by a promise, the call fails, and `log` keeps the answers of the C
// library's function: the runtime waits, and makes that function again (runtime/posix/files.h). So
// nothing may happen between a call that has failed so and the end of its function. C's memory may
// grow meanwhile: what comes late is copied into the memory of then.
var co4Calls = {
  $CO4__deps: ['$ERRNO_CODES'],
  $CO4: {
    process: function () { return Module['process']; },
    table: function () { return Module['process'].table; },
    log: null, // of the function that is called now
    logs: {},  // of those that wait, by number
    lastLog: 0,
    opened: -1,
    begin: function (id, trusts) {
      CO4.log = id ? CO4.logs[id] : { id: 0, values: [], waits: null, trusts: trusts };
      CO4.log.next = 0;
      CO4.log.late = null;
    },
    end: function () {
      var log = CO4.log;
      CO4.log = CO4.last || null;
      CO4.opened = -1;
      if (log.chain)
        CO4.awaits(log, log.chain);
      if (log.waits && !log.id) {
        log.id = ++CO4.lastLog;
        CO4.logs[log.id] = log;
      } else if (!log.waits && log.id) {
        delete CO4.logs[log.id];
      }
      return log.waits ? log.id : 0;
    },
    wait: function (id, done) {
      CO4.logs[id].done = done;
      Module['co4'].awaited = Module['co4'].awaited || new Map();
      Module['co4'].awaited.set('file ' + id, true);
    },
    forget: function (id) {
      var log = CO4.logs[id];
      Module['co4'].awaited.delete('file ' + id);
      delete CO4.logs[id];
      log.done = 0;
      log.isForgotten = true;
      if (log.late)
        log.late();
      if (log.chain)
        CO4.finishes(log.chain); // what is written is written all the same
    },
    written: function (id) {
      var n = CO4.logs[id].values[0];
      delete CO4.logs[id];
      return n < 0 ? CO4.error(-n) : 0;
    },
    // What a promise of the kernel gives; a rejection is EIO. `undo`: for an answer too late.
    awaits: function (log, promise, undo) {
      log.waits = promise.catch(function (why) {
        err('co4: a file system has failed: ' + why);
        return -5;
      }).then(function (value) {
        log.waits = null;
        log.values.push(value);
        if (log.isForgotten || !log.done)
          return undo && undo(value);
        log.late = undo ? function () { undo(value); } : null;
        var done = log.done, c = Module['co4'];
        log.done = 0;
        c.awaited.delete('file ' + log.id);
        if (c.isOver())
          return;
        Module['_co4__file_done'](done);
        c.run();
      });
    },
    // Makes a call of the kernel. `put` makes of its answer what the C library expects.
    take: function (call, put, undo) {
      var log = CO4.log, value;
      if (log && !log.trusts && log.next < log.values.length) {
        log.late = null;
        return put(log.values[log.next++]);
      }
      if (log && log.waits && !log.trusts)
        return -4095;
      CO4.log = null; // the kernel may call the page, and that C
      try {
        value = call();
      } finally {
        CO4.log = log;
      }
      if (!(value instanceof Promise)) {
        if (log && !log.trusts)
          log.next = log.values.push(value);
        return put(value);
      }
      if (!log || log.trusts) {
        value.then(undo, function () {});
        err('co4: a call on a file takes time, and the function that makes it cannot wait: it ' +
          'stays plain, which --auto-report explains, or it is the C library\'s own');
        return -{{{ cDefine('ENOSYS') }}};
      }
      CO4.awaits(log, value, undo);
      return -4095;
    },
    takesTime: function (fd) {
      var file = CO4.table().get(fd);
      return file && file.takesTime;
    },
    // The result of a call of the kernel, as the C library expects it.
    result: function (n) { return n < 0 ? -CO4.error(-n) : n; },
    // The same for a call that may take time.
    call: function (call) { return CO4.take(call, CO4.result); },
    openedBy: function (call) {
      var fd = CO4.opened;
      CO4.opened = -1;
      return fd >= 0 ? fd : CO4.take(call, CO4.result, function (n) {
        if (n >= 0)
          CO4.table().close(n);
      });
    },
    // What follows the position of a file, for a function of the C library that reads in the
    // middle of its work; -1 ends that.
    front: null,
    readAhead: function (fd) {
      CO4.front = null;
      if (fd < 0)
        return 0;
      var file = CO4.table().get(fd);
      return CO4.take(function () {
        var bytes = new Uint8Array(1 << 16);
        return Promise.resolve(CO4.table().pread(fd, bytes, file.position)).then(function (n) {
          return n < 0 ? n : bytes.subarray(0, n);
        });
      }, function (bytes) {
        if (typeof bytes == 'number')
          return CO4.result(bytes);
        CO4.front = { file: file, bytes: bytes };
        return 0;
      });
    },
    readFront: function (parts) {
      var front = CO4.front, done = 0;
      parts.forEach(function (part) {
        var bytes = front.bytes.subarray(0, part.length);
        part.set(bytes);
        front.bytes = front.bytes.subarray(bytes.length);
        done += bytes.length;
      });
      front.file.position += done;
      if (done === 0 && front.file.position < front.file.inode.size)
        return err('co4: fscanf() has read more of a file that takes time than 64 KiB'), -5;
      return done;
    },
    read: function (fd, iov, count, got, call) {
      var parts = CO4.parts(iov, count);
      if (CO4.front && CO4.front.file === CO4.table().get(fd))
        return CO4.stored(CO4.readFront(parts), got);
      if (!CO4.takesTime(fd))
        return CO4.stored(call(parts), got);
      parts = parts.map(function (part) { return new Uint8Array(part.length); });
      return -CO4.take(function () {
        var n = call(parts);
        var both = function (n) { return { n: n, parts: parts }; };
        return n instanceof Promise ? n.then(both) : both(n);
      }, function (got_) {
        var left = got_.n;
        CO4.parts(iov, count).forEach(function (part, i) {
          if (left > 0 && got_.parts)
            part.set(got_.parts[i].subarray(0, left));
          left -= part.length;
        });
        return -CO4.stored(got_.parts ? got_.n : got_, got);
      });
    },
    write: function (fd, iov, count, put, call) {
      var parts = CO4.parts(iov, count), log = CO4.log;
      if (!CO4.takesTime(fd))
        return CO4.stored(call(parts), put);
      parts = parts.map(function (part) { return part.slice(); });
      if (!log || !log.trusts)
        return -CO4.take(function () { return call(parts); }, function (n) {
          return -CO4.stored(n, put);
        });
      CO4.later(log, function () { return CO4.writeAll(fd, parts); });
      HEAP32[put >> 2] = parts.reduce(function (n, part) { return n + part.length; }, 0);
      return 0;
    },
    // Calls that are trusted follow each other; the first error counts.
    later: function (log, call) {
      var before = log.chain || Promise.resolve(0);
      log.chain = before.then(function (n) {
        return Promise.resolve(call()).then(function (m) { return n < 0 ? n : m; });
      });
      if (log.isLast)
        CO4.finishes(log.chain);
    },
    writeAll: async function (fd, parts) {
      for (var part of parts) {
        for (var done = 0; done < part.length;) {
          var n = await CO4.table().write(fd, part.subarray(done));
          if (n <= 0)
            return n || -5;
          done += n;
        }
      }
      return 0;
    },
    // The program has not ended before this has.
    finishes: function (promise) {
      var all = Module['co4'].unfinished = Module['co4'].unfinished || new Set();
      var mine = promise.catch(function () { return -5; }).then(function (n) {
        all.delete(mine);
        if (n < 0)
          err('co4: a file that the program has closed or left: ' + CO4.process().nameOfError(-n));
      });
      all.add(mine);
    },
    exits: function () {
      CO4.log = CO4.last = { id: 0, values: [], trusts: true, isLast: true };
    },
    error: function (n) {
      return ERRNO_CODES[Module['process'].nameOfError(n)] || {{{ cDefine('EIO') }}};
    },
    // fd_… return an error number, and store the result.
    stored: function (n, at) {
      n = CO4.result(n);
      if (n < 0)
        return -n;
      HEAP32[at >> 2] = n;
      return 0;
    },
    parts: function (iov, count) {
      var parts = [];
      for (var i = 0; i < count; i++) {
        var at = HEAP32[(iov + 8 * i) >> 2] >>> 0;
        parts.push(HEAPU8.subarray(at, at + (HEAP32[(iov + 8 * i + 4) >> 2] >>> 0)));
      }
      return parts;
    },
    put64: function (to, n) {
      HEAP32[to >> 2] = n >>> 0;
      HEAP32[(to + 4) >> 2] = Math.floor(n / 4294967296);
    },
    stat: function (call, at) {
      return CO4.take(call, function (s) { return CO4.putStat(s, at); });
    },
    putStat: function (s, at) {
      if (typeof s == 'number')
        return CO4.result(s);
      var time = function (to, ns) {
        var rest = Number(ns % BigInt(1000000000));
        HEAP32[to >> 2] = Number(ns / BigInt(1000000000)) - (rest < 0 ? 1 : 0);
        HEAP32[(to + 4) >> 2] = rest < 0 ? rest + 1000000000 : rest;
      };
      HEAP32[(at + {{{ C_STRUCTS.stat.st_dev }}}) >> 2] = s.dev;
      HEAP32[(at + {{{ C_STRUCTS.stat.st_mode }}}) >> 2] = s.mode;
      HEAP32[(at + {{{ C_STRUCTS.stat.st_nlink }}}) >> 2] = s.nlink;
      HEAP32[(at + {{{ C_STRUCTS.stat.st_uid }}}) >> 2] = s.uid;
      HEAP32[(at + {{{ C_STRUCTS.stat.st_gid }}}) >> 2] = s.gid;
      HEAP32[(at + {{{ C_STRUCTS.stat.st_rdev }}}) >> 2] = s.rdev;
      CO4.put64(at + {{{ C_STRUCTS.stat.st_size }}}, s.size);
      HEAP32[(at + {{{ C_STRUCTS.stat.st_blksize }}}) >> 2] = s.blksize;
      HEAP32[(at + {{{ C_STRUCTS.stat.st_blocks }}}) >> 2] = s.blocks;
      time(at + {{{ C_STRUCTS.stat.st_atim.tv_sec }}}, s.atime);
      time(at + {{{ C_STRUCTS.stat.st_mtim.tv_sec }}}, s.mtime);
      time(at + {{{ C_STRUCTS.stat.st_ctim.tv_sec }}}, s.ctime);
      CO4.put64(at + {{{ C_STRUCTS.stat.st_ino }}}, s.ino);
      return 0;
    },
    name: function (call, at, room) {
      return CO4.take(call, function (text) {
        if (typeof text != 'string')
          return CO4.result(text);
        var bytes = new TextEncoder().encode(text).subarray(0, room);
        HEAPU8.set(bytes, at);
        return bytes.length;
      });
    },
    environment: function () {
      return Object.entries(Module['process'].environment).map(function (pair) {
        return pair.join('=');
      });
    },
    // ---- sockets ----
    sockets: function () { return CO4.process().sockets; },
    address: function (at, length) {
      return CO4.process().addressOf(HEAPU8.slice(at, at + length));
    },
    // Calls use() with an address; one that is too short is refused.
    withAddress: function (at, length, use) {
      var address = CO4.address(at, length);
      return address ? CO4.result(use(address)) : -{{{ cDefine('EINVAL') }}};
    },
    putAddress: function (address, at, length) {
      if (typeof address == 'number')
        return CO4.result(address);
      var bytes = CO4.process().bytesOfAddress(address);
      HEAPU8.set(bytes.subarray(0, HEAP32[length >> 2] >>> 0), at);
      HEAP32[length >> 2] = bytes.length;
      return 0;
    },
    setsockopt: function (fd, level, name, one, two) {
      var value = level != 1 ? one : name == 13 ? { on: one, seconds: two }
        : name == 20 || name == 21 ? { seconds: one, microseconds: two } : one;
      return -CO4.result(CO4.sockets().setsockopt(fd, level, name, value));
    },
    option: function (value, name) {
      if (typeof value == 'number')
        return [name == 4 && value > 0 ? CO4.error(value) : value];
      return name == 13 ? [value.on, value.seconds] : [value.seconds, value.microseconds];
    },
    pair: function (ends, at) {
      if (typeof ends == 'number')
        return CO4.result(ends);
      HEAP32[at >> 2] = ends[0];
      HEAP32[(at + 4) >> 2] = ends[1];
      return 0;
    },
    message: function (at) {
      return CO4.parts(HEAP32[(at + 8) >> 2], HEAP32[(at + 12) >> 2]);
    },
    // freeaddrinfo() of Emscripten frees the first entry and its address: so all is in these two.
    putNames: function (found, out) {
      if (found.code)
        return found.code;
      var list = found.list, size = {{{ C_STRUCTS.addrinfo.__size__ }}};
      var name = list.length > 0 && list[0].canonical;
      var room = size * list.length;
      var at = _malloc(room + (name ? lengthBytesUTF8(name) + 1 : 0));
      var addresses = _malloc(28 * list.length);
      if (!at || !addresses) {
        Module['_co4__js_free'](at);
        Module['_co4__js_free'](addresses);
        return -10; /* EAI_MEMORY */
      }
      list.forEach(function (one, i) {
        var to = at + i * size, bytes = CO4.process().bytesOfAddress(one.address);
        HEAPU8.set(bytes, addresses + 28 * i);
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_flags }}}) >> 2] = 0;
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_family }}}) >> 2] = one.family;
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_socktype }}}) >> 2] = one.type;
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_protocol }}}) >> 2] = one.protocol;
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_addrlen }}}) >> 2] = bytes.length;
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_addr }}}) >> 2] = addresses + 28 * i;
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_canonname }}}) >> 2] =
          i == 0 && name ? at + room : 0;
        HEAP32[(to + {{{ C_STRUCTS.addrinfo.ai_next }}}) >> 2] =
          i + 1 < list.length ? to + size : 0;
      });
      if (name)
        stringToUTF8(name, at + room, lengthBytesUTF8(name) + 1);
      HEAP32[out >> 2] = at;
      return 0;
    },
    // The next argument of a call with `...`.
    argument: function (varargs) { return HEAP32[varargs >> 2]; },
    large: function (low, high) {
      return typeof low == 'bigint' ? Number(low) : (low >>> 0) + 4294967296 * high;
    },
    // struct flock
    range: function (at) {
      return { type: HEAP16[at >> 1], whence: HEAP16[(at + 2) >> 1],
        start: CO4.large(HEAP32[(at + 8) >> 2], HEAP32[(at + 12) >> 2]),
        length: CO4.large(HEAP32[(at + 16) >> 2], HEAP32[(at + 20) >> 2]) };
    },
    putRange: function (range, at) {
      HEAP16[at >> 1] = range.type;
      if (range.type == 2) /* F_UNLCK: the rest stays */
        return;
      HEAP16[(at + 2) >> 1] = range.whence;
      CO4.put64(at + 8, range.start);
      CO4.put64(at + 16, range.length);
      HEAP32[(at + 24) >> 2] = range.pid;
    },
    termios: function (at) {
      return { iflag: HEAP32[at >> 2], oflag: HEAP32[(at + 4) >> 2], cflag: HEAP32[(at + 8) >> 2],
        lflag: HEAP32[(at + 12) >> 2], cc: HEAPU8.slice(at + 17, at + 49) };
    },
  },

  fd_read: function (fd, iov, count, got) {
    return CO4.read(fd, iov, count, got, function (parts) { return CO4.table().readv(fd, parts); });
  },
  fd_write: function (fd, iov, count, put) {
    return CO4.write(fd, iov, count, put, function (parts) {
      return CO4.table().writev(fd, parts);
    });
  },
  fd_pread: function (fd, iov, count, low, high, got) {
    if (typeof low == 'bigint')
      got = high;
    var at = CO4.large(low, high);
    return CO4.read(fd, iov, count, got, function (parts) {
      return CO4.table().preadv(fd, parts, at);
    });
  },
  fd_pwrite: function (fd, iov, count, low, high, put) {
    if (typeof low == 'bigint')
      put = high;
    var at = CO4.large(low, high);
    return CO4.write(fd, iov, count, put, function (parts) {
      return CO4.table().pwritev(fd, parts, at);
    });
  },
  // The descriptor is free at once. What a file system still has to do for it, the program's end
  // waits for, and fclose().
  fd_close: function (fd) {
    var log = CO4.log;
    if (log && log.chain) {
      CO4.later(log, function () { return CO4.table().close(fd); });
      return 0;
    }
    var n = CO4.table().close(fd);
    if (!(n instanceof Promise))
      return -CO4.result(n);
    if (log && log.trusts && !log.isLast)
      CO4.later(log, function () { return n; });
    else
      CO4.finishes(n);
    return 0;
  },
  fd_sync: function (fd) { return -CO4.call(function () { return CO4.table().fsync(fd); }); },
  fd_seek: function (fd, low, high, whence, at) {
    if (typeof low == 'bigint')
      at = whence, whence = high;
    var to = CO4.large(low, high);
    return -CO4.take(function () { return CO4.table().lseek(fd, to, whence); }, function (n) {
      if (n < 0)
        return CO4.result(n);
      CO4.put64(at, n);
      return 0;
    });
  },
  // isatty() of musl: a character device on which no one may seek.
  fd_fdstat_get: function (fd, at) {
    var s = CO4.takesTime(fd) ? CO4.table().get(fd).inode : CO4.table().fstat(fd);
    if (typeof s == 'number')
      return -CO4.result(s);
    var kind = s.mode & 0xf000;
    HEAPU8.fill(0, at, at + 24);
    HEAP8[at] = kind == 0x8000 ? 4 : kind == 0x4000 ? 3 : kind == 0x2000 ? 2 : 6;
    if (kind != 0x2000 || CO4.table().ioctl(fd, 0x5401, {}) !== 0)
      HEAP8[at + 8] = 0x24;
    return 0;
  },
  __syscall_open: function (path, flags, varargs) {
    var mode = varargs ? CO4.argument(varargs) : 0;
    return CO4.openedBy(function () {
      return CO4.process().open(UTF8ToString(path), flags, mode);
    });
  },
  __syscall_openat: function (folder, path, flags, varargs) {
    var mode = varargs ? CO4.argument(varargs) : 0;
    return CO4.openedBy(function () {
      return CO4.process().openat(folder, UTF8ToString(path), flags, mode);
    });
  },
  __syscall_stat64: function (path, at) {
    return CO4.stat(function () { return CO4.process().stat(UTF8ToString(path)); }, at);
  },
  __syscall_lstat64: function (path, at) {
    return CO4.stat(function () { return CO4.process().lstat(UTF8ToString(path)); }, at);
  },
  __syscall_fstat64: function (fd, at) {
    return CO4.stat(function () {
      return CO4.table().fstat(fd);
    }, at);
  },
  __syscall_fstatat64: function (folder, path, at, flags) {
    return CO4.stat(function () {
      return CO4.process().fstatat(folder, UTF8ToString(path), flags);
    }, at);
  },
  __syscall_ioctl: function (fd, request, varargs) {
    var at = CO4.argument(varargs), table = CO4.table(), what, n;
    switch (request) {
    case 0x5401: /* TCGETS */
      what = {};
      n = table.ioctl(fd, request, what);
      if (n === 0) {
        HEAP32[at >> 2] = what.iflag;
        HEAP32[(at + 4) >> 2] = what.oflag;
        HEAP32[(at + 8) >> 2] = what.cflag;
        HEAP32[(at + 12) >> 2] = what.lflag;
        HEAP8[at + 16] = 0;
        HEAPU8.set(what.cc.slice(0, 32), at + 17);
      }
      return CO4.result(n);
    case 0x5402: case 0x5403: case 0x5404:
      return CO4.result(table.ioctl(fd, request, CO4.termios(at)));
    case 0x5413: /* TIOCGWINSZ */
      what = {};
      n = table.ioctl(fd, request, what);
      if (n === 0) {
        HEAP16[at >> 1] = what.rows;
        HEAP16[(at + 2) >> 1] = what.columns;
        HEAP32[(at + 4) >> 2] = 0;
      }
      return CO4.result(n);
    case 0x541b: case 0x5411: case 0x8905: /* FIONREAD, TIOCOUTQ, SIOCATMARK */
      what = {};
      n = table.ioctl(fd, request, what);
      if (n === 0)
        HEAP32[at >> 2] = 'value' in what ? what.value : what.bytes;
      return CO4.result(n);
    case 0x5421: /* FIONBIO */
      return CO4.result(table.ioctl(fd, request, HEAP32[at >> 2]));
    }
    return CO4.result(table.ioctl(fd, request, at));
  },
  __syscall_fcntl64: function (fd, command, varargs) {
    var at = varargs ? CO4.argument(varargs) : 0;
    if (![5, 6, 7, 36, 37, 38].includes(command)) /* F_GETLK … F_SETLKW, F_OFD_GETLK … */
      return CO4.result(CO4.process().fcntl(fd, command, at));
    var range = CO4.range(at);
    var n = CO4.process().fcntl(fd, command, range);
    if (n === 0 && (command == 5 || command == 36))
      CO4.putRange(range, at);
    return CO4.result(n);
  },
  __syscall_mkdir: function (path, mode) {
    return CO4.call(function () {
      return CO4.process().mkdirat(-100, UTF8ToString(path), mode);
    });
  },
  __syscall_mkdirat: function (folder, path, mode) {
    return CO4.call(function () {
      return CO4.process().mkdirat(folder, UTF8ToString(path), mode);
    });
  },
  __syscall_mknod: function (path, mode, device) {
    return CO4.call(function () {
      return CO4.process().mknodat(-100, UTF8ToString(path), mode, device);
    });
  },
  __syscall_mknodat: function (folder, path, mode, device) {
    return CO4.call(function () {
      return CO4.process().mknodat(folder, UTF8ToString(path), mode, device);
    });
  },
  __syscall_rmdir: function (path) {
    return CO4.call(function () {
      return CO4.process().unlinkat(-100, UTF8ToString(path), 0x200);
    });
  },
  __syscall_unlink: function (path) {
    return CO4.call(function () {
      return CO4.process().unlinkat(-100, UTF8ToString(path), 0);
    });
  },
  __syscall_unlinkat: function (folder, path, flags) {
    return CO4.call(function () {
      return CO4.process().unlinkat(folder, UTF8ToString(path), flags);
    });
  },
  __syscall_rename: function (from, to) {
    return CO4.call(function () {
      return CO4.process().renameat2(-100, UTF8ToString(from), -100, UTF8ToString(to));
    });
  },
  __syscall_renameat: function (folder, from, other, to) {
    return CO4.call(function () { return CO4.process().renameat2(folder, UTF8ToString(from), other,
      UTF8ToString(to)); });
  },
  __syscall_linkat: function (folder, from, other, to, flags) {
    return CO4.call(function () {
      return CO4.process().linkat(folder, UTF8ToString(from), other, UTF8ToString(to), flags);
    });
  },
  __syscall_symlink: function (target, path) {
    return CO4.call(function () {
      return CO4.process().symlinkat(UTF8ToString(target), -100, UTF8ToString(path));
    });
  },
  __syscall_symlinkat: function (target, folder, path) {
    return CO4.call(function () {
      return CO4.process().symlinkat(UTF8ToString(target), folder, UTF8ToString(path));
    });
  },
  __syscall_readlink: function (path, at, room) {
    return CO4.name(function () {
      return CO4.process().readlinkat(-100, UTF8ToString(path));
    }, at, room);
  },
  __syscall_readlinkat: function (folder, path, at, room) {
    return CO4.name(function () {
      return CO4.process().readlinkat(folder, UTF8ToString(path));
    }, at, room);
  },
  __syscall_faccessat: function (folder, path, mode, flags) {
    return CO4.call(function () {
      return CO4.process().faccessat(folder, UTF8ToString(path), mode, flags);
    });
  },
  __syscall_chmod: function (path, mode) {
    return CO4.call(function () {
      return CO4.process().fchmodat(-100, UTF8ToString(path), mode);
    });
  },
  __syscall_fchmod: function (fd, mode) {
    return CO4.call(function () {
      return CO4.process().fchmod(fd, mode);
    });
  },
  __syscall_fchmodat: function (folder, path, mode) {
    return CO4.call(function () {
      return CO4.process().fchmodat(folder, UTF8ToString(path), mode);
    });
  },
  __syscall_chown32: function (path, uid, gid) {
    return CO4.call(function () {
      return CO4.process().fchownat(-100, UTF8ToString(path), uid, gid);
    });
  },
  __syscall_lchown32: function (path, uid, gid) {
    return CO4.call(function () {
      return CO4.process().fchownat(-100, UTF8ToString(path), uid, gid, 0x100);
    });
  },
  __syscall_fchown32: function (fd, uid, gid) {
    return CO4.call(function () { return CO4.process().fchownat(fd, '', uid, gid, 0x1000); });
  },
  __syscall_fchownat: function (folder, path, uid, gid, flags) {
    return CO4.call(function () {
      return CO4.process().fchownat(folder, UTF8ToString(path), uid, gid, flags);
    });
  },
  __syscall_utimensat: function (folder, path, times, flags) {
    var time = function (at) {
      return { seconds: HEAP32[at >> 2], nanoseconds: HEAP32[(at + 4) >> 2] };
    };
    var p = CO4.process();
    var name = path ? UTF8ToString(path) : null;
    return CO4.call(function () {
      return times ? p.utimensat(folder, name, time(times), time(times + 8), flags)
        : p.utimensat(folder, name, undefined, undefined, flags);
    });
  },
  __syscall_truncate64: function (path, low, high) {
    return CO4.call(function () {
      return CO4.process().truncate(UTF8ToString(path), CO4.large(low, high));
    });
  },
  __syscall_ftruncate64: function (fd, low, high) {
    return CO4.call(function () { return CO4.table().ftruncate(fd, CO4.large(low, high)); });
  },
  __syscall_fallocate: function () { return -{{{ cDefine('EOPNOTSUPP') }}}; },
  __syscall_fadvise64_64: function () { return 0; },
  __syscall_fdatasync: function (fd) {
    return CO4.call(function () {
      return CO4.table().fdatasync(fd);
    });
  },
  __syscall_chdir: function (path) {
    return CO4.call(function () {
      return CO4.process().chdir(UTF8ToString(path));
    });
  },
  __syscall_fchdir: function (fd) {
    return CO4.call(function () {
      return CO4.process().fchdir(fd);
    });
  },
  __syscall_getcwd: function (at, room) {
    var name = CO4.process().getcwd();
    if (typeof name == 'number')
      return CO4.result(name);
    var bytes = lengthBytesUTF8(name) + 1;
    if (bytes > room)
      return -{{{ cDefine('ERANGE') }}};
    stringToUTF8(name, at, room);
    return bytes;
  },
  __syscall_getdents64: function (fd, at, room) {
    var size = {{{ C_STRUCTS.dirent.__size__ }}};
    return CO4.take(function () {
      return CO4.process().getdents(fd, Math.floor(room / size));
    }, function (list) {
      if (!Array.isArray(list))
        return CO4.result(list);
      list.forEach(function (entry, i) {
        var to = at + i * size;
        CO4.put64(to + {{{ C_STRUCTS.dirent.d_ino }}}, entry.ino);
        CO4.put64(to + {{{ C_STRUCTS.dirent.d_off }}}, entry.cookie);
        HEAP16[(to + {{{ C_STRUCTS.dirent.d_reclen }}}) >> 1] = size;
        HEAP8[to + {{{ C_STRUCTS.dirent.d_type }}}] = entry.type >> 12;
        stringToUTF8(entry.name, to + {{{ C_STRUCTS.dirent.d_name }}}, 256);
      });
      return list.length * size;
    });
  },
  __syscall_dup: function (fd) { return CO4.result(CO4.table().dup(fd)); },
  __syscall_dup3: function (fd, to, flags) {
    return CO4.result(fd == to ? (CO4.table().get(fd) ? fd : -9) : CO4.table().dup3(fd, to, flags));
  },
  __syscall_pipe: function (at) {
    return CO4.pair(CO4.process().pipe(0), at);
  },
  __syscall_poll: function (fds, count, timeout) {
    var list = [];
    for (var i = 0; i < count; i++)
      list.push({ fd: HEAP32[(fds + 8 * i) >> 2], events: HEAP16[(fds + 8 * i + 4) >> 1] });
    var n = CO4.table().poll(list);
    list.forEach(function (p, i) { HEAP16[(fds + 8 * i + 6) >> 1] = p.revents || 0; });
    return n;
  },
  __syscall__newselect: function (count, reads, writes, excepts) {
    var list = [];
    var has = function (set, fd) {
      return set && (HEAP32[(set >> 2) + (fd >> 5)] >> (fd & 31)) & 1;
    };
    for (var fd = 0; fd < count; fd++) {
      var events = (has(reads, fd) ? 1 : 0) | (has(writes, fd) ? 4 : 0) |
        (has(excepts, fd) ? 2 : 0);
      if (events)
        list.push({ fd: fd, events: events });
    }
    CO4.table().poll(list);
    if (list.some(function (p) { return p.revents & 32; }))
      return -{{{ cDefine('EBADF') }}};
    var found = 0;
    [reads, writes, excepts].forEach(function (set, i) {
      for (var word = 0; set && word < (count + 31) >> 5; word++)
        HEAP32[(set >> 2) + word] = 0;
      list.forEach(function (p) {
        if (set && p.events & [1, 4, 2][i] && p.revents & [25, 12, 2][i]) {
          HEAP32[(set >> 2) + (p.fd >> 5)] |= 1 << (p.fd & 31);
          found++;
        }
      });
    });
    return found;
  },
  __syscall_socket: function (family, type, protocol) {
    return CO4.result(CO4.sockets().socket(family, type, protocol));
  },
  __syscall_connect: function (fd, at, length) {
    return CO4.withAddress(at, length, function (to) { return CO4.sockets().connect(fd, to); });
  },
  __syscall_bind: function (fd, at, length) {
    return CO4.withAddress(at, length, function (to) { return CO4.sockets().bind(fd, to); });
  },
  __syscall_listen: function (fd, backlog) {
    return CO4.result(CO4.sockets().listen(fd, backlog));
  },
  __syscall_accept4: function (fd) { return CO4.result(CO4.sockets().accept(fd)); },
  __syscall_shutdown: function (fd, how) { return CO4.result(CO4.sockets().shutdown(fd, how)); },
  __syscall_getsockname: function (fd, at, length) {
    return CO4.putAddress(CO4.sockets().getsockname(fd), at, length);
  },
  __syscall_getpeername: function (fd, at, length) {
    return CO4.putAddress(CO4.sockets().getpeername(fd), at, length);
  },
  __syscall_recvfrom: function (fd, at, count, flags, address, length) {
    if (address && length)
      HEAP32[length >> 2] = 0; // as of a stream
    return CO4.result(CO4.sockets().recv(fd, HEAPU8.subarray(at, at + count), flags));
  },
  __syscall_sendto: function (fd, at, count, flags, address, length) {
    var to = address ? CO4.address(address, length) : null;
    return CO4.result(CO4.sockets().sendto(fd, HEAPU8.subarray(at, at + count), flags, to));
  },
  __syscall_recvmsg: function (fd, at, flags) {
    var n = CO4.result(CO4.sockets().recvmsg(fd, CO4.message(at), flags));
    if (n >= 0)
      HEAP32[(at + 4) >> 2] = HEAP32[(at + 20) >> 2] = HEAP32[(at + 24) >> 2] = 0;
    return n;
  },
  __syscall_sendmsg: function (fd, at, flags) {
    return CO4.result(CO4.sockets().sendmsg(fd, CO4.message(at), flags));
  },
  __syscall_getsockopt: function (fd, level, name, at, length) {
    var value = CO4.sockets().getsockopt(fd, level, name);
    if (value < 0)
      return CO4.result(value);
    var bytes = new Uint8Array(Int32Array.from(CO4.option(value, level == 1 ? name : 0)).buffer);
    bytes = bytes.subarray(0, HEAP32[length >> 2] >>> 0);
    HEAPU8.set(bytes, at);
    HEAP32[length >> 2] = bytes.length;
    return 0;
  },
  getaddrinfo: function (host, service, hints, out) {
    var text = function (at) { return at ? UTF8ToString(at) : null; };
    var wanted = hints ? { flags: HEAP32[hints >> 2], family: HEAP32[(hints + 4) >> 2],
      type: HEAP32[(hints + 8) >> 2], protocol: HEAP32[(hints + 12) >> 2] } : {};
    var n = CO4.take(function () {
      return CO4.sockets().network.getaddrinfo(text(host), text(service), wanted);
    }, function (found) {
      return CO4.putNames(typeof found == 'number' ? { code: -4 } : found, out);
    });
    return n == -{{{ cDefine('ENOSYS') }}} ? -11 : n; /* EAI_SYSTEM */
  },
  getnameinfo: function (at, length, host, hostRoom, service, serviceRoom, flags) {
    var address = CO4.address(at, length);
    if (!address || (address.family != 2 && address.family != 10))
      return -6; /* EAI_FAMILY */
    var found = CO4.sockets().network.names.getnameinfo(address, flags);
    if (found.code)
      return found.code;
    var fits = function (text, to, room) {
      return !to || !room || stringToUTF8(text, to, room) == lengthBytesUTF8(text);
    };
    return fits(found.host, host, hostRoom) && fits(found.service, service, serviceRoom) ? 0
      : -12; /* EAI_OVERFLOW */
  },
  gethostbyname: function () {
    err('co4: gethostbyname() is called by a function that cannot wait');
    return 0;
  },
  environ_sizes_get: function (count, bytes) {
    var all = CO4.environment();
    HEAP32[count >> 2] = all.length;
    HEAP32[bytes >> 2] = all.reduce(function (n, text) {
      return n + lengthBytesUTF8(text) + 1;
    }, 0);
    return 0;
  },
  environ_get: function (list, at) {
    CO4.environment().forEach(function (text, i) {
      HEAP32[(list >> 2) + i] = at;
      at += stringToUTF8(text, at, lengthBytesUTF8(text) + 1) + 1;
    });
    return 0;
  },
};
for (var co4Name in co4Calls)
  if (co4Name[0] != '$')
    co4Calls[co4Name + '__deps'] = co4Name == 'getaddrinfo' ? ['$CO4', 'malloc'] : ['$CO4'];
mergeInto(LibraryManager.library, co4Calls);
