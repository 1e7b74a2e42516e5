// terminal.mjs - a pseudo terminal: the line discipline of Linux between a page and programs.
//
// The page gives input(), and gets onoutput(bytes). Programs open descriptions of it. What programs
// do not read stays in a queue, of at most `queueMost` bytes (64 MiB): input() returns how many
// were taken. The line discipline takes from the queue as programs read, so a paste costs what its
// bytes cost, and loses nothing but what Linux loses: a line has at most 4095 bytes. A signal's key
// is seen though there is a queue.
//
// As on Linux, an erased character is echoed as backspace, space, backspace. Here wide characters
// take two columns of that, and combining ones none. No SIGTTIN and SIGTTOU: a program in the
// background may read and write.
import { EAGAIN, EINVAL, EIO, ENOTTY } from './errno.mjs';
import {
  FIONREAD, O_NONBLOCK, O_RDWR, POLLERR, POLLHUP, POLLIN, POLLOUT, POLLRDNORM, POLLWRNORM,
  S_IFCHR, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGWINCH, TCFLSH, TCGETS, TCSBRK, TCSETS,
  TCSETSF, TCSETSW, TCXONC, TIOCGPGRP, TIOCGSID, TIOCGWINSZ, TIOCNOTTY, TIOCOUTQ, TIOCSCTTY,
  TIOCSPGRP, TIOCSWINSZ,
} from './constants.mjs';
import { Description } from './descriptors.mjs';
import * as T from './termios.mjs';
import { now } from './tree.mjs';
import { Waiters } from './waiters.mjs';

const SIZE = 4096, MASK = SIZE - 1, NEWLINE = 10, RETURN = 13, TAB = 9, BACKSPACE = 8, SPACE = 32;
const QUEUE_MOST = 64 << 20, ECHO_MOST = 4096;
const isControl = (c) => c < 32 || c === 127;
const isContinuation = (c) => (c & 0xc0) === 0x80;
const isLetter = (c) => (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) ||
  c === 95 || (c >= 0xc0 && c !== 0xd7 && c !== 0xf7);
let lastTerminal = 0;

export class Terminal {
  /**
   * @param {{ columns?: number, rows?: number, queueMost?: number,
   *     onoutput?: (bytes: Uint8Array) => void,
   *     onsignal?: (signal: number, group: number) => void }} [options]
   */
  constructor(options = {}) {
    this.termios = T.newTermios();
    this.columns = options.columns ?? 80;
    this.rows = options.rows ?? 24;
    this.queueMost = options.queueMost ?? QUEUE_MOST;
    this.onoutput = options.onoutput ?? (() => {});
    this.onsignal = options.onsignal ?? (() => {});
    this.number = lastTerminal++;
    this.time = now();
    this.group = 0;
    this.session = 0;
    this.isClosed = false;
    // Bytes of the page that the discipline has not seen: chunks, the first one from `first` on.
    /** @type {Uint8Array[]} */
    this.queue = [];
    this.queueAt = 0;
    this.first = 0;
    this.queued = 0;
    // Bytes for programs are those from `tail` to `head`; those from `canon` on are the line that
    // is edited. `marks` has the ends of lines; one with the byte 0 is an end of file.
    this.buffer = new Uint8Array(SIZE);
    this.marks = new Uint8Array(SIZE);
    this.tail = this.canon = this.head = 0;
    this.isLiteral = false;
    this.isStopped = false; // by ^S or TCOOFF
    this.isPaused = false; // by the page
    this.column = this.lineColumn = 0;
    /** @type {number[]} output of the current call */
    this.out = [];
    /** @type {number[]} echoes while the output is stopped */
    this.kept = [];
    this.refused = -1;
    this.hasExpired = false;
    /** @type {any} */
    this.timer = null;
    this.waiters = new Waiters(() => this.readiness());
  }

  has(flag) {
    return (this.termios.lflag & flag) !== 0;
  }

  takes(flag) {
    return (this.termios.iflag & flag) !== 0;
  }

  // Whether the byte is this control character. The byte 0 is none.
  is(c, index) {
    return c !== 0 && this.termios.cc[index] === c;
  }

  // The page's side.

  /**
   * What was typed or pasted.
   * @param {Uint8Array | string} data
   * @returns {number} how many bytes were taken; the rest has to come again
   */
  input(data) {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    if (this.isClosed)
      return 0;
    if (bytes.length === 1 && this.queued && this.signalOf(bytes[0])) {
      if (!this.has(T.NOFLSH))
        this.flushInput();
      this.receive(bytes[0]);
      this.flushOutput();
      return 1;
    }
    const count = Math.min(bytes.length, this.queueMost - this.queued);
    if (count > 0) {
      this.queue.push(bytes.slice(0, count));
      this.queued += count;
      this.pump();
    }
    return count;
  }

  /**
   * The line that is edited, for a page that keeps a history; null where there is none: in raw
   * mode, or without echo, as passwords are typed.
   * @returns {string | null}
   */
  get line() {
    if (!this.has(T.ICANON) || !this.has(T.ECHO))
      return null;
    const bytes = [];
    for (let i = this.canon; i !== this.head; i++)
      bytes.push(this.buffer[i & MASK]);
    return new TextDecoder().decode(new Uint8Array(bytes));
  }

  /** The window has this size now. */
  resize(columns, rows) {
    if (columns === this.columns && rows === this.rows)
      return;
    this.columns = columns;
    this.rows = rows;
    this.onsignal(SIGWINCH, this.group);
  }

  /** The page takes no output for a while: writes answer -EAGAIN. */
  pause() {
    this.isPaused = true;
  }

  resume() {
    this.isPaused = false;
    this.restart();
  }

  /** The terminal is gone: SIGHUP, reads are at the end, writes fail. */
  close() {
    if (this.isClosed)
      return;
    this.isClosed = true;
    this.stopTimer();
    this.flushInput();
    this.waiters.wake();
    this.onsignal(SIGHUP, this.group);
    this.onsignal(SIGCONT, this.group);
  }

  /**
   * A description for programs.
   * @param {number} [flags]
   */
  open(flags = O_RDWR) {
    return new TerminalDescription(this, flags);
  }

  // Input.

  // Takes from the queue as long as there is room.
  pump() {
    const before = this.head;
    while (this.queued && this.hasRoom()) {
      const chunk = this.queue[this.queueAt], byte = chunk[this.first++];
      this.queued--;
      if (this.first === chunk.length) {
        this.queueAt++;
        this.first = 0;
        if (this.queueAt > 64 && 2 * this.queueAt > this.queue.length) {
          this.queue.splice(0, this.queueAt);
          this.queueAt = 0;
        }
      }
      this.receive(byte); // may flush the queue
    }
    this.flushOutput();
    if (this.head !== before && this.timer && this.termios.cc[T.VMIN])
      this.startTimer();
    this.waiters.wake();
  }

  // Without room, a line that has not ended loses its last byte to the next one.
  hasRoom() {
    const room = SIZE - 1 - (this.head - this.tail);
    if (room > 0)
      return true;
    const isOneLine = this.has(T.ICANON) && this.canon === this.tail;
    if (isOneLine && room < 0)
      this.head--;
    return isOneLine;
  }

  put(c, mark = 0) {
    this.buffer[this.head & MASK] = c;
    this.marks[this.head & MASK] = mark;
    this.head++;
  }

  receive(c) {
    c = this.takes(T.ISTRIP) ? c & 0x7f : c;
    if (this.isLiteral) {
      this.isLiteral = false;
      return this.keep(c);
    }
    if (this.receiveFlow(c) || this.receiveSignal(c))
      return undefined;
    if (this.isStopped && this.takes(T.IXON) && this.takes(T.IXANY))
      this.start();
    const wasReturn = c === RETURN;
    if (wasReturn) {
      if (this.takes(T.IGNCR))
        return undefined;
      c = this.takes(T.ICRNL) ? NEWLINE : c;
    } else if (c === NEWLINE && this.takes(T.INLCR)) {
      c = RETURN;
    }
    if (this.has(T.ICANON) && this.edit(c))
      return undefined;
    if (wasReturn && c === NEWLINE && this.has(T.ECHO)) {
      this.echoRaw(c);
      return this.put(c);
    }
    return this.keep(c);
  }

  // A byte without a meaning.
  keep(c) {
    if (this.has(T.ECHO)) {
      this.lineColumn = this.head === this.canon ? this.column : this.lineColumn;
      this.echo(c);
    }
    this.put(c);
  }

  receiveFlow(c) {
    if (!this.takes(T.IXON))
      return false;
    if (this.is(c, T.VSTART))
      this.start();
    else if (this.is(c, T.VSTOP))
      this.isStopped = true;
    else
      return false;
    return true;
  }

  signalOf(c) {
    if (!this.has(T.ISIG))
      return 0;
    return this.is(c, T.VINTR) ? SIGINT : this.is(c, T.VQUIT) ? SIGQUIT :
      this.is(c, T.VSUSP) ? SIGTSTP : 0;
  }

  receiveSignal(c) {
    const signal = this.signalOf(c);
    if (!signal)
      return false;
    if (!this.has(T.NOFLSH)) {
      this.flushBuffer(); // what comes behind the key stays
      this.kept = [];
    }
    if (this.takes(T.IXON))
      this.start();
    if (this.has(T.ECHO))
      this.echo(c);
    this.onsignal(signal, this.group);
    return true;
  }

  // Editing of a line. Returns whether the byte was used.
  edit(c) {
    const extended = this.has(T.IEXTEN);
    if (this.is(c, T.VERASE) || this.is(c, T.VKILL) || (this.is(c, T.VWERASE) && extended))
      this.erase(c);
    else if (this.is(c, T.VLNEXT) && extended)
      this.beginLiteral();
    else if (this.is(c, T.VREPRINT) && extended && this.has(T.ECHO))
      this.reprint(c);
    else if (c === NEWLINE)
      this.endLine(c, this.has(T.ECHO) || this.has(T.ECHONL));
    else if (this.is(c, T.VEOF))
      this.endLine(0, false);
    else if (this.is(c, T.VEOL) || (this.is(c, T.VEOL2) && extended))
      this.endLine(c, this.has(T.ECHO));
    else
      return false;
    return true;
  }

  endLine(c, isEchoed) {
    if (isEchoed && c === NEWLINE)
      this.echoRaw(c);
    else if (isEchoed)
      this.echo(c);
    this.put(c, 1);
    this.canon = this.head;
  }

  beginLiteral() {
    this.isLiteral = true;
    if (this.has(T.ECHO) && this.has(T.ECHOCTL)) {
      this.echoRaw(0x5e);
      this.echoRaw(BACKSPACE);
    }
  }

  reprint(c) {
    this.echo(c);
    this.echoRaw(NEWLINE);
    for (let at = this.canon; at < this.head; at++)
      this.echo(this.buffer[at & MASK]);
  }

  erase(c) {
    if (this.head === this.canon)
      return;
    const isWord = this.is(c, T.VWERASE) && !this.is(c, T.VERASE);
    const isKill = !isWord && !this.is(c, T.VERASE);
    if (isKill && this.killAtOnce(c))
      return;
    for (let letters = 0; this.head !== this.canon;) {
      const at = this.before(this.head), first = this.buffer[at & MASK];
      if (this.takes(T.IUTF8) && isContinuation(first))
        return; // no beginning of it
      if (isWord && isLetter(first))
        letters++;
      else if (isWord && letters)
        return;
      const end = this.head;
      this.head = at;
      if (this.has(T.ECHO))
        this.echoErased(c, first, at, end, !isWord && !isKill);
      if (!isWord && !isKill)
        return;
    }
  }

  // Where the last character before `end` begins.
  before(end) {
    do
      end--;
    while (this.takes(T.IUTF8) && isContinuation(this.buffer[end & MASK]) && end > this.canon);
    return end;
  }

  killAtOnce(c) {
    if (this.has(T.ECHO) && this.has(T.ECHOK) && this.has(T.ECHOKE) && this.has(T.ECHOE))
      return false;
    this.head = this.canon;
    if (this.has(T.ECHO)) {
      this.echo(c);
      if (this.has(T.ECHOK))
        this.echoRaw(NEWLINE);
    }
    return true;
  }

  echoErased(c, first, at, end, isOne) {
    if (isOne && !this.has(T.ECHOE))
      return this.echo(c);
    if (first === TAB)
      return this.echoErasedTab(at);
    const columns = isControl(first) ? (this.has(T.ECHOCTL) ? 2 : 0) : this.width(at, end);
    for (let i = 0; i < columns; i++) {
      for (const byte of [BACKSPACE, SPACE, BACKSPACE])
        this.echoRaw(byte);
    }
    return undefined;
  }

  width(at, end) {
    if (end - at === 1)
      return 1;
    const bytes = Uint8Array.from({ length: end - at }, (_, i) => this.buffer[(at + i) & MASK]);
    const text = new TextDecoder().decode(bytes);
    const points = [...text].map((one) => one.codePointAt(0) ?? 0);
    return points.reduce((sum, point) => sum + T.widthOf(point), 0);
  }

  // Back to the column where the tab began: that of the line, and what is between.
  echoErasedTab(at) {
    let columns = 0, from = at;
    while (from > this.canon && this.buffer[(from - 1) & MASK] !== TAB) {
      const c = this.buffer[--from & MASK];
      if (isControl(c))
        columns += this.has(T.ECHOCTL) ? 2 : 0;
      else if (!(this.takes(T.IUTF8) && isContinuation(c)))
        columns++;
    }
    const isFirst = from === this.canon;
    for (let i = 8 - ((columns + (isFirst ? this.lineColumn : 0)) & 7); i > 0; i--)
      this.echoRaw(BACKSPACE);
  }

  flushInput() {
    this.queue = [];
    this.queueAt = this.first = this.queued = 0;
    this.flushBuffer();
  }

  flushBuffer() {
    this.head = this.canon = this.tail;
    this.isLiteral = false;
    this.refused = -1;
  }

  // Output.

  echo(c) {
    if (!(this.has(T.ECHOCTL) && isControl(c) && c !== TAB))
      return this.echoRaw(c);
    for (const byte of [0x5e, c ^ 0x40])
      this.echoByte(byte, false);
    this.column += 2;
    return undefined;
  }

  echoRaw(c) {
    this.echoByte(c, true);
  }

  echoByte(c, isProcessed) {
    if (this.isStopped || this.isPaused) {
      if (this.kept.length < ECHO_MOST)
        this.kept.push(isProcessed ? c : c | 0x100);
    } else if (isProcessed && this.termios.oflag & T.OPOST) {
      this.process(c);
    } else {
      this.out.push(c);
    }
  }

  // One byte of output by the rules of OPOST.
  process(c) {
    const { oflag } = this.termios;
    if (c === NEWLINE) {
      if (oflag & (T.ONLRET | T.ONLCR))
        this.column = 0;
      if (oflag & T.ONLCR)
        this.out.push(RETURN);
      this.lineColumn = this.column;
    } else if (c === RETURN) {
      if (oflag & T.ONOCR && this.column === 0)
        return;
      if (oflag & T.OCRNL) {
        c = NEWLINE;
        this.column = oflag & T.ONLRET ? 0 : this.column;
      } else {
        this.column = 0;
      }
      this.lineColumn = this.column;
    } else if (c === TAB) {
      const columns = 8 - (this.column & 7);
      this.column += columns;
      if ((oflag & T.TABDLY) === T.XTABS) {
        for (let i = 0; i < columns; i++)
          this.out.push(SPACE);
        return;
      }
    } else if (c === BACKSPACE) {
      this.column -= this.column > 0 ? 1 : 0;
    } else if (!isControl(c) && !(this.takes(T.IUTF8) && isContinuation(c))) {
      this.column++;
    }
    this.out.push(c);
  }

  flushOutput() {
    if (this.out.length === 0)
      return;
    const bytes = Uint8Array.from(this.out);
    this.out = [];
    this.onoutput(bytes);
  }

  start() {
    this.isStopped = false;
    this.restart();
  }

  restart() {
    if (this.isStopped || this.isPaused)
      return;
    const { kept } = this;
    this.kept = [];
    for (const c of kept)
      this.echoByte(c & 0xff, c < 0x100);
    this.flushOutput();
    this.waiters.wake();
  }

  write(bytes) {
    if (this.isClosed)
      return -EIO;
    if (this.isStopped || this.isPaused)
      return -EAGAIN;
    if (!(this.termios.oflag & T.OPOST)) {
      this.flushOutput();
      this.onoutput(bytes.slice());
      return bytes.length;
    }
    for (const c of bytes)
      this.process(c);
    this.flushOutput();
    return bytes.length;
  }

  // Reading.

  read(bytes, isNonblocking) {
    if (this.isClosed)
      return 0;
    const count = this.has(T.ICANON) ? this.readLine(bytes) : this.readRaw(bytes, isNonblocking);
    if (count === -EAGAIN) {
      this.refused = this.head;
      return count;
    }
    this.refused = -1;
    this.hasExpired = false;
    this.stopTimer();
    this.pump();
    return count;
  }

  readLine(bytes) {
    if (this.canon === this.tail)
      return -EAGAIN;
    let count = 0;
    while (this.tail < this.canon) {
      const c = this.buffer[this.tail & MASK], isEnd = this.marks[this.tail & MASK];
      if (count === bytes.length && !(isEnd && c === 0))
        break; // an end of file right behind is read, too
      this.tail++;
      if (isEnd && c === 0)
        break;
      bytes[count++] = c;
      if (isEnd)
        break;
    }
    return count;
  }

  readRaw(bytes, isNonblocking) {
    const available = this.head - this.tail, { cc } = this.termios;
    const least = Math.min(cc[T.VMIN], bytes.length);
    const isEnough = cc[T.VMIN] ? available >= least : available > 0 || cc[T.VTIME] === 0;
    if (isEnough || this.hasExpired || (isNonblocking && available))
      return this.take(bytes);
    if (!isNonblocking && cc[T.VTIME] && !this.timer && (available || cc[T.VMIN] === 0))
      this.startTimer();
    return -EAGAIN;
  }

  take(bytes) {
    const count = Math.min(bytes.length, this.head - this.tail);
    for (let i = 0; i < count; i++)
      bytes[i] = this.buffer[this.tail++ & MASK];
    this.canon = Math.max(this.canon, this.tail);
    return count;
  }

  startTimer() {
    this.stopTimer();
    this.timer = setTimeout(() => {
      this.timer = null;
      this.hasExpired = true;
      this.waiters.wake();
    }, 100 * this.termios.cc[T.VTIME]);
  }

  stopTimer() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  // The number of bytes for FIONREAD.
  available() {
    if (!this.has(T.ICANON))
      return this.head - this.tail;
    let count = 0;
    for (let at = this.tail; at < this.canon; at++)
      count += this.marks[at & MASK] && this.buffer[at & MASK] === 0 ? 0 : 1;
    return count;
  }

  isReadable() {
    if (this.has(T.ICANON))
      return this.canon !== this.tail;
    const { cc } = this.termios;
    return this.head - this.tail >= (cc[T.VTIME] === 0 && cc[T.VMIN] ? cc[T.VMIN] : 1);
  }

  poll() {
    if (this.isClosed)
      return POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDNORM | POLLWRNORM;
    return (this.isReadable() ? POLLIN | POLLRDNORM : 0) |
      (this.isStopped || this.isPaused ? 0 : POLLOUT | POLLWRNORM);
  }

  // Events for watch(). A read that was refused is tried again when there is more, or it is late:
  // VMIN and VTIME are rules of read(), and poll() has its own.
  readiness() {
    const events = this.poll();
    if (this.isClosed || this.refused < 0)
      return events;
    const isNew = this.hasExpired || this.head !== this.refused || this.isReadableLine();
    return (events & ~(POLLIN | POLLRDNORM)) | (isNew ? POLLIN | POLLRDNORM : 0);
  }

  isReadableLine() {
    return this.has(T.ICANON) && this.canon !== this.tail;
  }

  // Settings.

  set(termios) {
    const old = this.termios;
    this.termios = T.copyTermios(termios);
    if ((old.lflag ^ this.termios.lflag) & T.ICANON)
      this.changeMode();
    if (old.iflag & T.IXON && !this.takes(T.IXON) && this.isStopped)
      this.start();
    this.refused = -1;
    this.hasExpired = false;
    this.stopTimer();
    this.pump();
  }

  // What is there becomes plain bytes, or one line.
  changeMode() {
    this.marks.fill(0);
    if (!this.has(T.ICANON) || this.head === this.tail) {
      this.canon = this.tail;
    } else {
      this.marks[(this.head - 1) & MASK] = 1;
      this.canon = this.head;
    }
  }

  flush(which) {
    if (which !== T.TCIFLUSH && which !== T.TCOFLUSH && which !== T.TCIOFLUSH)
      return -EINVAL;
    if (which !== T.TCOFLUSH)
      this.flushInput();
    if (which !== T.TCIFLUSH)
      this.kept = [];
    return 0;
  }

  flow(action) {
    switch (action) {
    case T.TCOOFF:
      this.isStopped = true;
      return 0;
    case T.TCOON:
      this.start();
      return 0;
    case T.TCIOFF:
    case T.TCION:
      this.onoutput(Uint8Array.of(this.termios.cc[action === T.TCION ? T.VSTART : T.VSTOP]));
      return 0;
    default:
      return -EINVAL;
    }
  }

  /**
   * ioctl(): objects are a Termios, {columns, rows}, {group}, {session} and {value}.
   * @param {number} request
   * @param {any} argument
   * @returns {number}
   */
  control(request, argument) {
    if (this.isClosed)
      return -EIO;
    switch (request) {
    case TCGETS:
      Object.assign(argument, T.copyTermios(this.termios));
      return 0;
    case TCSETSF:
      this.flushInput(); // falls through
    case TCSETS:
    case TCSETSW:
      this.set(argument);
      return 0;
    case TCFLSH:
      return this.flush(argument);
    case TCXONC:
      return this.flow(argument);
    case TCSBRK:
      return 0;
    default:
      return this.controlOthers(request, argument);
    }
  }

  controlOthers(request, argument) {
    switch (request) {
    case TIOCGWINSZ:
      Object.assign(argument, { columns: this.columns, rows: this.rows });
      return 0;
    case TIOCSWINSZ:
      this.resize(argument.columns, argument.rows);
      return 0;
    case TIOCGPGRP:
      argument.group = this.group;
      return 0;
    case TIOCSPGRP:
      if (!(argument.group > 0))
        return -EINVAL;
      this.group = argument.group;
      return 0;
    case TIOCGSID:
      argument.session = this.session;
      return 0;
    case TIOCSCTTY:
    case TIOCNOTTY:
      return 0;
    case FIONREAD:
      argument.value = this.available();
      return 0;
    case TIOCOUTQ:
      argument.value = 0;
      return 0;
    default:
      return -ENOTTY;
    }
  }
}



/** A terminal as a program has it open. */
export class TerminalDescription extends Description {
  /**
   * @param {Terminal} terminal
   * @param {number} flags
   */
  constructor(terminal, flags) {
    super(flags);
    this.terminal = terminal;
  }

  get waiters() {
    return this.terminal.waiters;
  }

  read(bytes) {
    return this.terminal.read(bytes, (this.flags & O_NONBLOCK) !== 0);
  }

  write(bytes) {
    return this.terminal.write(bytes);
  }

  poll() {
    return this.terminal.poll();
  }

  control(request, argument) {
    return this.terminal.control(request, argument);
  }

  reopen(flags) {
    return this.terminal.open(flags);
  }

  stat() {
    const { number, time } = this.terminal;
    return {
      dev: 0, ino: number + 3, mode: S_IFCHR | 0o620, nlink: 1, uid: 0, gid: 5,
      rdev: 136 * 256 + number, size: 0, blksize: 1024, blocks: 0, atime: time, mtime: time,
      ctime: time,
    };
  }
}
