// measure.mjs - one measurement of one variant, in a process or on a page of its own.
import { Exit, Host } from './host.mjs';
import { variants } from './variants.mjs';

/** Reads a file of the builds. @type {(name: string) => Promise<Uint8Array>} */
const onPage = async (name) => new Uint8Array(await (await fetch(`/${name}`)).arrayBuffer());
/** Where files of the builds are. @type {(name: string) => string} */
const inPage = (name) => new URL(`/${name}`, location.origin).href;

async function prepare({ variant, file, read, place }, host, waits) {
  const how = variants[variant];
  if (how.scripted) {
    const [{ default: create }, bytes] =
      await Promise.all([import(place(file)), read(file.replace('.mjs', '.wasm'))]);
    return { how, made: await how.make(create, host, waits, bytes) };
  }
  return { how, made: await how.make(await WebAssembly.compile(await read(file)), host, waits) };
}

/** ns for each of the calls of an export, most of which are calls in C. */
async function calls({ name, args, count, ...what }) {
  const { how, made } = await prepare(what, new Host(), { pause: () => 0 });
  let best = Infinity, result;
  for (let i = 0; i < 7; i++) {
    const before = performance.now();
    result = await how.call(made, name, ...args);
    best = Math.min(best, performance.now() - before);
  }
  return { ns: best * 1e6 / count, result };
}

/**
 * ns for a wait below so many calls. A woven emscripten_sleep(0) lets another task go on: so
 * there are two, and they take turns.
 */
async function waits({ depth, count, promise, ...what }) {
  const pause = promise ? async () => 0 : () => 0;
  const { how, made } = await prepare(what, new Host(), { pause });
  const tasks = how.scripted && !promise ? 2 : 1;
  if (how.scripted)
    how.call(made, 'set_promises', Number(promise));
  let best = Infinity, result;
  for (let i = 0; i < 5; i++) {
    let before = performance.now();
    [result] = await Promise.all(Array.from({ length: tasks }, () =>
      how.call(made, 'run_waits', depth, count)));
    if (how.scripted)
      before = how.call(made, 'take_begin');
    best = Math.min(best, performance.now() - before);
  }
  return { ns: best * 1e6 / count / tasks, result };
}

/** The import of calls.c: writes the text of a number, when `ready` has it. */
const answering = (host, ready) => async (id, out, room) => {
  const text = new TextEncoder().encode(await ready(id));
  if (text.length > room)
    return -1;
  host.bytes.set(text, out);
  return text.length;
};

/** Starts `count` calls, and returns what each has become: its number, or what is wrong. */
function start({ how, made }, count) {
  return Array.from({ length: count }, (_, id) => {
    try {
      return Promise.resolve(how.call(made, 'hold', id)).catch((error) => String(error));
    } catch (error) {
      return Promise.resolve(String(error));
    }
  });
}

const summary = (results) => ({
  right: results.filter((result, id) => result === id).length,
  wrong: results.find((result, id) => result !== id) ?? null,
});

/** Fisher and Yates's, with a generator of its own: each run has the same order. */
function shuffled(list, seed = 1) {
  for (let i = list.length - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = seed % (i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

/** Calls in flight: the time to start each, and memory; `memory` gives bytes now. */
async function flight({ count, memory, ...what }) {
  const host = new Host();
  const waiting = new Map();
  const made = await prepare(what, host,
    { answer: answering(host, (id) => new Promise((ready) => waiting.set(id, ready))) });
  const before = await memory();
  const begun = performance.now();
  const pending = start(made, count);
  const ns = (performance.now() - begun) * 1e6 / count;
  await new Promise((later) => setTimeout(later));
  const after = await memory();
  const started = waiting.size;
  for (const id of shuffled([...waiting.keys()]))
    waiting.get(id)(String(id * 7));
  const bytes = Object.fromEntries(Object.keys(after).map((name) =>
    [name, (after[name] - before[name]) / count]));
  const end = { started, ...summary(await Promise.all(pending)) };
  return started === count ? { ns, ...bytes, ...end } : end; // the others were refused
}

/** Calls that fetch from a server which answers in a random order. */
async function fetches({ count, origin, ...what }) {
  const host = new Host();
  const made = await prepare(what, host, { answer: answering(host, async (id) =>
    (await fetch(`${origin}/answer/${id}`)).text()) });
  const begun = performance.now();
  const results = await Promise.all(start(made, count));
  const ms = performance.now() - begun;
  const end = summary(results);
  return end.right === count ? { ms, ...end } : end;
}

/** A program that talks: the time until its first prompt, and whether it answers. */
async function prompt({ args, lines, prompts, expect, ...what }) {
  if (variants[what.variant].scripted)
    return promptOfTerminal({ args, lines, prompts, expect, ...what });
  const begun = performance.now();
  let ms = null;
  const rest = [...lines];
  const host = new Host(args, () => rest.shift() ?? '');
  host.wrote = () => {
    if (ms === null && host.output.includes(prompts))
      ms = performance.now() - begun;
  };
  const { how, made } = await prepare(what, host, { fd_read: (...words) => host.read(...words) });
  let status = 0;
  try {
    await how.call(made, '_start');
  } catch (error) {
    if (!(error instanceof Exit))
      return { ms, right: false, wrong: String(error) };
    ({ status } = error);
  }
  const right = status === 0 && expect.every((text) => host.output.includes(text));
  return { ms, right, wrong: right ? null : host.output };
}

/** The same by the loader, with a terminal of its kernel. */
async function promptOfTerminal({ args, lines, prompts, expect, file, place, read }) {
  const begun = performance.now();
  let ms = null, output = '', seen = 0;
  const rest = [...lines];
  const [{ load, Terminal }, { default: create }, wasmBinary] = await Promise.all([
    import(place('web/co4.mjs')), import(place(file)), read(file.replace('.mjs', '.wasm'))]);
  const type = () => {
    ms ??= performance.now() - begun;
    const line = rest.shift();
    setTimeout(() => terminal.input(line === undefined ? '\x04' : line.replace('\n', '\r')));
  };
  const terminal = new Terminal({ columns: 80, rows: 24, onoutput(bytes) {
    output += new TextDecoder().decode(bytes);
    while (output.indexOf(prompts, seen) >= 0) {
      seen = output.indexOf(prompts, seen) + prompts.length;
      type();
    }
  } });
  const program = await load(create, { terminal, arguments: args.slice(1),
    module: { wasmBinary } });
  const status = await program.exit;
  const right = status === 0 && expect.every((text) => output.includes(text));
  return { ms, right, wrong: right ? null : output };
}

const measures = { calls, waits, flight, fetches, prompt };

/**
 * @param {{ measure: string, variant: string, file: string }} what and what the measure needs
 */
export function measure({ measure: name, ...what }) {
  return measures[name]({ read: onPage, place: inPage, memory: async () => ({}), ...what });
}
