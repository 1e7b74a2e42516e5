// terminal.test.mjs - the line discipline beside a real terminal of Linux, and the page's side.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as C from '../../../web/kernel/constants.mjs';
import { DescriptorTable } from '../../../web/kernel/descriptors.mjs';
import { EAGAIN, EINVAL, EIO, ENOTTY } from '../../../web/kernel/errno.mjs';
import { Terminal } from '../../../web/kernel/terminal.mjs';
import * as T from '../../../web/kernel/termios.mjs';
import { bytes, hex, noPython, python, Random, settled, text } from './common.mjs';

function started(options = {}) {
  const said = { output: '', signals: [] };
  const terminal = new Terminal({
    onoutput: (data) => { said.output += Buffer.from(data).toString('latin1'); },
    onsignal: (signal, group) => said.signals.push([signal, group]), ...options,
  });
  const table = new DescriptorTable();
  table.add(terminal.open(C.O_RDWR));
  return {
    terminal, table, said,
    read(length = 5000) {
      const buffer = new Uint8Array(length), count = table.read(0, buffer);
      return count < 0 ? count : text(buffer.subarray(0, count));
    },
    out() {
      const { output } = said;
      said.output = '';
      return Buffer.from(output, 'latin1').toString();
    },
    set(change) {
      const termios = {};
      assert.equal(table.ioctl(0, C.TCGETS, termios), 0);
      change(termios);
      assert.equal(table.ioctl(0, C.TCSETS, termios), 0);
    },
  };
}

const raw = (termios) => {
  termios.lflag &= ~(T.ICANON | T.ECHO | T.ISIG);
};

function ours(steps) {
  const { terminal, table, said } = started();
  table.fcntl(0, C.F_SETFL, C.O_NONBLOCK);
  return steps.map((step) => {
    const [name, argument, oflag, lflag, cc] = step;
    let result = null;
    if (name === 'flags') {
      table.ioctl(0, C.TCSETS, { ...T.newTermios(), iflag: argument, oflag, lflag, cc });
    } else if (name === 'input') {
      terminal.input(Buffer.from(argument, 'hex'));
    } else if (name === 'write') {
      result = table.write(0, Buffer.from(argument, 'hex'));
    } else if (name === 'available') {
      const size = {};
      table.ioctl(0, C.FIONREAD, size);
      result = size.value;
    } else if (name === 'poll') {
      result = table.events(0) & C.POLLIN;
    } else {
      const buffer = new Uint8Array(argument), count = table.read(0, buffer);
      result = count < 0 ? count : hex(buffer.subarray(0, count));
    }
    const { output } = said;
    said.output = '';
    if (name === 'input' || name === 'write')
      step.splice(2, 2, output.length, terminal.available()); // for the other terminal to wait for
    return [result, Buffer.from(output, 'latin1').toString('hex')];
  });
}

function randomFlags(random) {
  const some = (flags, chance) => flags.reduce((sum, flag) =>
    sum | (random.below(chance) ? flag : 0), 0);
  const cc = T.newTermios().cc;
  cc[T.VEOL] = random.pick([0, 0, 0x23]);
  cc[T.VMIN] = random.pick([1, 1, 0, 4]);
  return ['flags', some([T.ICRNL, T.IUTF8], 5) | some([T.INLCR, T.IGNCR, T.ISTRIP], 2) *
    Number(random.below(4) === 0), some([T.OPOST, T.ONLCR], 6) |
    some([T.OCRNL, T.ONOCR, T.ONLRET, T.XTABS], 2) * Number(random.below(4) === 0),
  some([T.ICANON, T.ECHO, T.ECHOE, T.ECHOK, T.ECHOCTL, T.ECHOKE, T.IEXTEN], 6) |
    some([T.ISIG, T.ECHONL, T.NOFLSH], 2), cc];
}

const KEYS = ['a', 'b', 'word', ' ', '_', '\t', '\n', '\r', '\x7f', '\x7f', '\x17', '\x15', '\x12',
  '\x16', '\x04', '#', '\x01', '\x1b[A', 'ü', 'é€', '\x00', '\b', '-'];

function steps(seed) {
  const random = new Random(seed);
  const list = [['flags', T.ICRNL | T.IUTF8, T.OPOST | T.ONLCR, T.newTermios().lflag,
    T.newTermios().cc]];
  for (let i = 0; i < 25; i++) {
    const keys = Array.from({ length: 1 + random.below(7) }, () => random.pick(KEYS)).join('');
    list.push(random.pick([['input', hex(bytes(keys))], ['input', hex(bytes(keys))],
      ['input', hex(bytes(keys))], ['read', 1 + random.below(20)], ['read', 100],
      ['write', hex(bytes(random.pick(['$ ', 'x\ty\n', 'ü\r', 'a\b'])))], ['available'], ['poll'],
      ['input', random.pick(['03', '1c', '1a'])],
      random.below(2) ? randomFlags(random) : ['poll']]));
  }
  return list;
}

test('keys and settings, as a terminal of Linux takes them', { skip: noPython }, () => {
  const lists = Array.from({ length: 60 }, (_, i) => steps(i)), here = lists.map(ours);
  const theirs = python('real_terminal.py', lists);
  lists.forEach((list, seed) => {
    here[seed].forEach((result, i) => {
      assert.deepEqual(result, theirs[seed][i],
        `seed ${seed}\n${list.slice(0, i + 1).map((one) => JSON.stringify(one)).join('\n')}`);
    });
  });
});

test('a line is edited, read in parts, and ended', () => {
  const { terminal, table, read, out } = started();
  assert.equal(read(), -EAGAIN);
  terminal.input('abx\x7fc\r');
  assert.equal(out(), 'abx\b \bc\r\n');
  assert.equal(read(2), 'ab');
  assert.equal(table.events(0) & C.POLLIN, C.POLLIN);
  assert.equal(read(), 'c\n');
  assert.equal(read(), -EAGAIN);
  terminal.input('hello\x04');
  assert.equal(read(5), 'hello'); // the end of file right behind goes with it
  assert.equal(read(), -EAGAIN);
  terminal.input('\x04');
  assert.equal(read(), '');
  assert.equal(read(), -EAGAIN);
});

test('the page sees the line that is edited, but no password', () => {
  const { terminal, read, set } = started();
  assert.equal(terminal.line, '');
  terminal.input('one\rtwö');
  assert.equal(terminal.line, 'twö');
  terminal.input('\x7f');
  assert.equal(terminal.line, 'tw');
  for (let i = 0; i < 3; i++) { // the buffer is a ring
    read();
    terminal.input(`${'x'.repeat(3000)}\r`);
  }
  terminal.input('end');
  assert.equal(terminal.line, 'end');
  set((termios) => { termios.lflag &= ~T.ECHO; });
  assert.equal(terminal.line, null);
  set(raw);
  assert.equal(terminal.line, null);
});

test('erased characters take as many columns as they have', () => {
  const { terminal, read, out } = started();
  const erased = (typed) => {
    terminal.input(typed);
    out();
    terminal.input('\x7f');
    return out();
  };
  assert.equal(erased('ü'), '\b \b');
  assert.equal(erased('漢'), '\b \b\b \b');
  assert.equal(erased('😀'), '\b \b\b \b');
  assert.equal(erased('e\u0301'), '');
  assert.equal(erased('\x01'), '\b \b\b \b');
  assert.equal(erased('\t'), '\b'.repeat(7)); // behind the `e`
  terminal.input('\x7f\x7f\x7f\r');
  assert.equal(read(), '\n');
});

test('bytes that are no UTF-8 are erased without going astray', () => {
  const { terminal, read } = started();
  terminal.input(new Uint8Array([0x61, 0x80, 0x80, 0x7f, 0xff, 0x7f, 0xe2, 0x82, 0x7f, 0x62, 10]));
  assert.equal(read(), 'b\n');
  terminal.input(new Uint8Array([0x80, 0x80, 0x7f, 0x17, 0x15, 10])); // no beginning: stays
  assert.equal(read(), text(new Uint8Array([0x80, 0x80])) + '\n');
});

test('signals of keys drop the line; literally they are bytes', () => {
  const { terminal, table, read, out, said } = started();
  assert.equal(table.ioctl(0, C.TIOCSPGRP, { group: 7 }), 0);
  terminal.input('abc\x03d\x16\x03\r');
  assert.equal(read(), 'd\x03\n');
  assert.equal(out(), 'abc^Cd^\b^C\r\n');
  terminal.input('\x1c\x1a');
  assert.deepEqual(said.signals, [[C.SIGINT, 7], [C.SIGQUIT, 7], [C.SIGTSTP, 7]]);
  assert.equal(table.ioctl(0, C.TIOCSPGRP, { group: 0 }), -EINVAL);
  const group = {};
  table.ioctl(0, C.TIOCGPGRP, group);
  assert.deepEqual(group, { group: 7 });
});

test('a megabyte that is pasted is neither lost nor slow, and its bound is reported', () => {
  const { terminal, read } = started({ queueMost: 3 << 20 });
  const line = 'x'.repeat(99) + '\n', all = line.repeat(20000);
  const start = process.cpuUsage().user;
  assert.equal(terminal.input(all), 2000000);
  assert.ok(terminal.input(all) < 2000000);
  let lines = 0;
  for (let got; (got = read()) !== -EAGAIN; lines++)
    assert.equal(got, line);
  assert.ok(lines >= 30000);
  for (let i = 0; i < 200000; i++)
    assert.equal(terminal.input('y'), 1); // a line of Linux has no more than 4095
  terminal.input('\n');
  assert.equal(read().length, 4096);
  for (let i = 0; i < 20000; i++)
    terminal.input(`${i}\n`);
  for (let i = 0; i < 20000; i++)
    assert.equal(read(), `${i}\n`);
  assert.ok(process.cpuUsage().user - start < 40e6);
});

test('Ctrl-C is seen behind a paste that is not read', () => {
  const { terminal, read, said } = started();
  terminal.input('line\n'.repeat(10000));
  terminal.input('\x03');
  assert.deepEqual(said.signals, [[C.SIGINT, 0]]);
  assert.equal(read(), -EAGAIN);
});

test('raw: VMIN bytes, and VTIME after the last', async () => {
  const { terminal, table, read, set } = started();
  set((termios) => {
    raw(termios);
    termios.cc[T.VMIN] = 3;
  });
  terminal.input('ab');
  assert.equal(read(), -EAGAIN);
  assert.equal(table.events(0) & C.POLLIN, 0);
  assert.equal(read(2), 'ab');
  let woken = 0;
  terminal.input('a');
  assert.equal(read(2), -EAGAIN);
  table.watch(0, C.POLLIN, () => woken++);
  await settled();
  assert.equal(woken, 0);
  terminal.input('b');
  await settled();
  assert.equal(woken, 1); // though poll() wants three
  assert.equal(read(2), 'ab');
  set((termios) => {
    termios.cc[T.VMIN] = 0;
  });
  assert.equal(read(), '');
  set((termios) => {
    termios.cc[T.VTIME] = 1;
  });
  assert.equal(read(), -EAGAIN);
  await new Promise((resolve) => { table.watch(0, C.POLLIN, resolve); });
  assert.equal(read(), '');
  set((termios) => {
    termios.cc[T.VMIN] = 5;
  });
  terminal.input('xy');
  assert.equal(read(), -EAGAIN);
  await new Promise((resolve) => { table.watch(0, C.POLLIN, resolve); });
  assert.equal(read(), 'xy');
  table.fcntl(0, C.F_SETFL, C.O_NONBLOCK);
  terminal.input('q');
  assert.equal(read(), 'q');
  assert.equal(read(), -EAGAIN);
});

test('output that is stopped by keys, calls or the page goes on later', async () => {
  const { terminal, table, out } = started();
  const stops = [[() => terminal.input('\x13'), () => terminal.input('\x11')],
    [() => table.ioctl(0, C.TCXONC, T.TCOOFF), () => table.ioctl(0, C.TCXONC, T.TCOON)],
    [() => terminal.pause(), () => terminal.resume()]];
  for (const [stop, go] of stops) {
    stop();
    assert.equal(table.write(0, bytes('x')), -EAGAIN);
    assert.equal(table.events(0) & C.POLLOUT, 0);
    let woken = 0;
    table.watch(0, C.POLLOUT, () => woken++);
    terminal.input('k');
    await settled();
    assert.deepEqual([woken, out()], [0, '']);
    go();
    await settled();
    assert.deepEqual([woken, out()], [1, 'k']);
    assert.equal(table.write(0, bytes('x\n')), 2);
    assert.equal(out(), 'x\r\n');
  }
  assert.equal(table.ioctl(0, C.TCXONC, 9), -EINVAL);
});

test('the window, flushing, and what no terminal has', () => {
  const { terminal, table, said, read } = started({ columns: 100, rows: 30 });
  const size = {};
  assert.equal(table.ioctl(0, C.TIOCGWINSZ, size), 0);
  assert.deepEqual(size, { columns: 100, rows: 30 });
  terminal.resize(100, 30);
  terminal.resize(90, 30);
  table.ioctl(0, C.TIOCSWINSZ, { columns: 80, rows: 20 });
  assert.deepEqual(said.signals, [[C.SIGWINCH, 0], [C.SIGWINCH, 0]]);
  terminal.input('abc\ndef');
  assert.equal(table.ioctl(0, C.TCFLSH, T.TCIFLUSH), 0);
  assert.equal(read(), -EAGAIN);
  assert.equal(table.ioctl(0, C.TCFLSH, 7), -EINVAL);
  assert.equal(table.ioctl(0, 0x1234, {}), -ENOTTY);
  const termios = {};
  table.ioctl(0, C.TCGETS, termios);
  terminal.input('lost\n');
  table.ioctl(0, C.TCSETSF, termios);
  assert.equal(read(), -EAGAIN);
});

test('a page that closes it hangs up', async () => {
  const { terminal, table, said, read } = started();
  table.ioctl(0, C.TIOCSPGRP, { group: 3 });
  terminal.input('typed\n');
  let woken = 0;
  read();
  table.watch(0, C.POLLIN, () => woken++);
  terminal.close();
  terminal.close();
  await settled();
  assert.equal(woken, 1);
  assert.deepEqual(said.signals, [[C.SIGHUP, 3], [C.SIGCONT, 3]]);
  assert.equal(read(), '');
  assert.equal(table.write(0, bytes('x')), -EIO);
  assert.equal(table.ioctl(0, C.TCGETS, {}), -EIO);
  assert.equal(table.events(0) & C.POLLHUP, C.POLLHUP);
  assert.equal(terminal.input('x'), 0);
});
