// termios.mjs - the flags and control characters of a terminal, with the numbers of Linux.

export const IGNBRK = 1, ISTRIP = 0o40, INLCR = 0o100, IGNCR = 0o200, ICRNL = 0o400;
export const IXON = 0o2000, IXANY = 0o4000, IUTF8 = 0o40000;
export const OPOST = 1, ONLCR = 4, OCRNL = 8, ONOCR = 16, ONLRET = 32;
export const TABDLY = 0o14000, XTABS = 0o14000;
export const ISIG = 1, ICANON = 2, ECHO = 8, ECHOE = 16, ECHOK = 32, ECHONL = 64, NOFLSH = 128;
export const ECHOCTL = 0o1000, ECHOKE = 0o4000, IEXTEN = 0o100000;

export const VINTR = 0, VQUIT = 1, VERASE = 2, VKILL = 3, VEOF = 4, VTIME = 5, VMIN = 6;
export const VSTART = 8, VSTOP = 9, VSUSP = 10, VEOL = 11, VREPRINT = 12, VWERASE = 14;
export const VLNEXT = 15, VEOL2 = 16;
const CONTROLS = [3, 0x1c, 0x7f, 0x15, 4, 0, 1, 0, 0x11, 0x13, 0x1a, 0, 0x12, 0xf, 0x17, 0x16, 0,
  0, 0];

export const TCOOFF = 0, TCOON = 1, TCIOFF = 2, TCION = 3;
export const TCIFLUSH = 0, TCOFLUSH = 1, TCIOFLUSH = 2;

/**
 * @typedef {{ iflag: number, oflag: number, cflag: number, lflag: number, line: number,
 *     cc: number[], ispeed: number, ospeed: number }} Termios
 */

/** The settings of a new terminal. @returns {Termios} */
export function newTermios() {
  return {
    iflag: ICRNL | IXON | IUTF8, oflag: OPOST | ONLCR, cflag: 0xbf,
    lflag: ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN, line: 0,
    cc: [...CONTROLS], ispeed: 38400, ospeed: 38400,
  };
}

/** @param {Termios} termios */
export function copyTermios(termios) {
  return { ...termios, cc: Array.from({ length: 19 }, (_, i) => (termios.cc[i] ?? 0) & 0xff) };
}

// Ranges of code points that are two columns wide, and of those that have no width of their own.
const WIDE = [[0x1100, 0x115f], [0x231a, 0x231b], [0x2329, 0x232a], [0x23e9, 0x23ec],
  [0x25fd, 0x25fe], [0x2614, 0x2615], [0x2648, 0x2653], [0x26aa, 0x26ab], [0x26bd, 0x26be],
  [0x2705, 0x2705], [0x270a, 0x270b], [0x2728, 0x2728], [0x274c, 0x274c], [0x2753, 0x2755],
  [0x2795, 0x2797], [0x2b1b, 0x2b1c], [0x2b50, 0x2b50], [0x2e80, 0x303e], [0x3041, 0x33ff],
  [0x3400, 0x4dbf], [0x4e00, 0xa4cf], [0xa960, 0xa97f], [0xac00, 0xd7a3], [0xf900, 0xfaff],
  [0xfe30, 0xfe6f], [0xff00, 0xff60], [0xffe0, 0xffe6], [0x16fe0, 0x18aff], [0x1b000, 0x1b2ff],
  [0x1f004, 0x1f004], [0x1f0cf, 0x1f0cf], [0x1f18e, 0x1f18e], [0x1f191, 0x1f19a],
  [0x1f200, 0x1f320], [0x1f32d, 0x1f335], [0x1f337, 0x1f37c], [0x1f37e, 0x1f393],
  [0x1f3a0, 0x1f3ca], [0x1f3e0, 0x1f3f0], [0x1f3f4, 0x1f3f4], [0x1f3f8, 0x1f43e],
  [0x1f440, 0x1f440], [0x1f442, 0x1f4fc], [0x1f4ff, 0x1f53d], [0x1f550, 0x1f567],
  [0x1f5fb, 0x1f64f], [0x1f680, 0x1f6c5], [0x1f6d0, 0x1f6d2], [0x1f7e0, 0x1f7eb],
  [0x1f90c, 0x1f93a], [0x1f93c, 0x1f945], [0x1f947, 0x1f9ff], [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd]];
const NONE = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;

/**
 * The columns of a code point on a terminal.
 * @param {number} point
 */
export function widthOf(point) {
  if (point < 0x300)
    return point === 0xad ? 1 : Number(point >= 0x20);
  if (point <= 0x10ffff && NONE.test(String.fromCodePoint(point)))
    return 0;
  let low = 0, high = WIDE.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (WIDE[middle][1] < point)
      low = middle + 1;
    else
      high = middle;
  }
  return WIDE[low] && WIDE[low][0] <= point ? 2 : 1;
}
