// tasks.mjs - the tasks of a program, as its module tells of them: runtime/debug/js_tasks.c.
//
// A value is read from the module's memory at once, since its frame may be another's later.

/**
 * A variable of a call that waits. `value` is as C shows it; null for what is no number, pointer or
 * text: then `bytes` has it.
 * @typedef {{ name: string, type: string, value: string | null, bytes: Uint8Array }} Local
 */

/**
 * A call that waits: for `callee`, at a line.
 * @typedef {{ function: string, file: string, line: number, callee: string, locals: Local[] }} Frame
 */

/**
 * `id` is the task's address; `number` is 0 unless tasks are numbered; `state` is new, ready,
 * running, paused or stopped; `wait` says in words what a paused one waits for.
 * @typedef {{ id: number, number: number, name: string, function: string, state: string,
 *     cancelled: boolean, wait: string, frames: Frame[] }} Task
 */

const MOST_TEXT = 64;

const escapes = { 0: '\\0', 9: '\\t', 10: '\\n', 13: '\\r', 34: '\\"', 39: "\\'", 92: '\\\\' };

function character(byte) {
  if (byte in escapes)
    return escapes[byte];
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte)
    : `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** The text in an array of characters, up to its end. */
function text(bytes) {
  const end = bytes.indexOf(0);
  const all = bytes.subarray(0, end < 0 ? bytes.length : end);
  const shown = new TextDecoder().decode(all.subarray(0, MOST_TEXT));
  const escaped = shown.replace(/[\0-\x1f"\\\x7f]/g, (one) => character(one.charCodeAt(0)));
  return `"${escaped}"${all.length > MOST_TEXT ? '…' : ''}`;
}

function integer(view, unsigned) {
  switch (view.byteLength) {
    case 1: return String(unsigned ? view.getUint8(0) : view.getInt8(0));
    case 2: return String(unsigned ? view.getUint16(0, true) : view.getInt16(0, true));
    case 4: return String(unsigned ? view.getUint32(0, true) : view.getInt32(0, true));
    case 8: return String(unsigned ? view.getBigUint64(0, true) : view.getBigInt64(0, true));
    default: return null;
  }
}

const INTEGER = new RegExp(['^((un)?signed|char|short|int|long|size_t|ssize_t|ptrdiff_t|intptr_t',
  'uintptr_t|u?int(8|16|32|64)_t|off_t|time_t|pid_t|socklen_t|enum \\w+)( (int|char|long|short',
  'unsigned|signed))*$'].join('|'));
const UNSIGNED = /unsigned|^u|size_t$|^socklen_t|^enum/;

/** What C's type says of these bytes; null: nothing that fits in a word. */
export function shown(type, bytes) {
  const plain = type.replace(/\b(const|volatile|register|restrict|static)\b ?/g, '').trim();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (/[*]( ?const)?$|\(\*/.test(plain) && bytes.length === 4)
    return view.getUint32(0, true) ? `0x${view.getUint32(0, true).toString(16)}` : 'NULL';
  if (/^((un)?signed )?char ?\[/.test(plain))
    return text(bytes);
  if (/^(_Bool|bool)$/.test(plain))
    return bytes[0] ? 'true' : 'false';
  if (/^(float|double)$/.test(plain))
    return String(bytes.length === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true));
  if (plain === 'char')
    return `${view.getInt8(0)} '${character(bytes[0])}'`;
  if (INTEGER.test(plain))
    return integer(view, UNSIGNED.test(plain.replace(/^ssize_t/, 'long')));
  return null;
}

/** The text at an address, if all of it can be shown; else ''. */
function textAt(memory, address) {
  const bytes = memory.subarray(address, address + MOST_TEXT);
  const end = bytes.findIndex((byte) => byte < 32 && byte !== 9 && byte !== 10);
  return end > 0 && bytes[end] === 0 ? ` ${text(bytes)}` : '';
}

function local({ name, type, at, bytes: size }, memory) {
  const bytes = memory.slice(at, at + size);
  let value = shown(type, bytes);
  if (/^(const )?char ?\*( ?const)?$/.test(type) && value?.startsWith('0x'))
    value += textAt(memory, Number(value));
  return { name, type, value, bytes };
}

/**
 * @param {any} module of a program that is linked with -Wl,-u,co4__js_tasks
 * @returns {Task[]}
 */
export function tasksOf(module) {
  const { co4 } = module;
  if (!co4 || co4.isOver()) // it is not there yet, or not any more
    return [];
  if (!module._co4__js_tasks)
    throw new Error('the module has no list of tasks: link it with -Wl,-u,co4__js_tasks');
  co4.said = [];
  module._co4__js_tasks();
  const parts = co4.said.splice(0);
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  const tasks = JSON.parse(new TextDecoder().decode(all));
  for (const { frames } of tasks)
    for (const frame of frames)
      frame.locals = frame.locals.map((one) => local(one, co4.heap));
  return tasks;
}
