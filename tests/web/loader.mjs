// loader.mjs - tests of web/co4.mjs under Node: loader.mjs FOLDER, which has files.mjs, asks.mjs,
// and others of loaded/, and in files.want and slow.want what two print on Linux.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Kernel, load, Network, Terminal } from '../../web/co4.mjs';
import { Files } from '../../web/kernel/files.mjs';
import { cleanUp, startEcho, startProxy } from './proxy/harness.mjs';
import { WebSocket } from './proxy/websocket.mjs';
import { SlowFileSystem } from './slow.mjs';

const [folder] = process.argv.slice(2);
process.setMaxListeners(0);

/** Programs of loaded/: by their scripts' exports, where their modules are. */
const places = new Map();

async function programOf(name) {
  const at = pathToFileURL(join(folder, name)).href;
  const { default: create } = await import(`${at}.mjs`);
  places.set(create, new URL(`${at}.wasm`));
  return create;
}

const begin = (create, options) => load(create, { wasm: places.get(create), ...options });
const [files, slow, talks, late, signals, fails, tasks, asks] = await Promise.all(['files', 'slow',
  'talks', 'late', 'signals', 'fails', 'tasks', 'asks'].map(programOf));

/** Text of what a program writes. */
function collect() {
  const decoder = new TextDecoder(), got = { text: '' };
  return { got, output: (bytes) => { got.text += decoder.decode(bytes, { stream: true }); } };
}

/** A terminal, and what it shows. */
function makeTerminal() {
  const { got, output } = collect();
  return { got, terminal: new Terminal({ columns: 90, rows: 20, onoutput: output }) };
}

async function until(what, holds) {
  const end = Date.now() + 60000;
  while (!holds()) {
    assert.ok(Date.now() < end, what);
    await new Promise((done) => setTimeout(done, 2));
  }
}

async function filesAsOnLinux() {
  const { got, output } = collect();
  const program = await begin(files, { output });
  const status = await program.exit;
  assert.equal(`${got.text}status ${status}\n`, readFileSync(join(folder, 'files.want'), 'utf8'));
}

async function streams() {
  const { got, output } = collect();
  const program = await begin(asks, { output, arguments: ['one', 'two'] });
  await until('the prompt', () => got.text.endsWith('name? '));
  program.input.write('Ada\nGr');
  await until('the answer', () => got.text.endsWith('hello, Ada\nname? '));
  program.input.write('ace\n');
  program.input.close();
  assert.equal(await program.exit, 7);
  assert.equal(got.text,
    'terminal 0, arguments 2\nname? hello, Ada\nname? hello, Grace\nname? ');
}

async function atTerminal() {
  const { got, terminal } = makeTerminal();
  const program = await begin(asks, { terminal });
  await until('the prompt', () => got.text.endsWith('name? '));
  terminal.input('Kem\x7fn\r');
  await until('the answer', () => got.text.endsWith('hello, Ken\r\nname? '));
  terminal.input('\r');
  await until('raw mode', () => got.text.endsWith('name? \r\n'));
  await new Promise((done) => setTimeout(done, 20));
  terminal.input('q');
  assert.equal(await program.exit, 7);
  assert.equal(got.text, 'terminal 1, arguments 0\r\n90 columns, 20 rows\r\nname? Kem\b \bn\r\n' +
    'hello, Ken\r\nname? \r\nkey q\r\n');
}

async function terminalSignals() {
  const { got, terminal } = makeTerminal();
  const program = await begin(signals, { terminal });
  await until('the beginning', () => got.text.endsWith('ready\r\n'));
  terminal.input('\x03\x03');
  terminal.resize(100, 30);
  terminal.input('\r');
  await until('the count', () => got.text.endsWith('2 interrupts, 1 resizes, 100 columns\r\n'));
  terminal.input('default\r');
  await until('the last line', () => got.text.match(/resizes/g).length === 2);
  terminal.input('\x03');
  assert.equal(await program.exit, 130);
  assert.ok(!got.text.includes('the end'));
}

/** A handler that calls exit() throws nothing at the page. */
async function exitOfHandler() {
  const { got, output } = collect();
  const program = await begin(signals, { output });
  await until('the beginning', () => got.text.endsWith('ready\n'));
  program.signal(15);
  assert.equal(await program.exit, 15);
}

/** A trap, a module that is not there, and a file that a kernel has not, as it says later. */
async function failures() {
  const { got, output } = collect();
  const kernel = new Kernel();
  const program = await begin(fails, { kernel, output, arguments: ['trap'] });
  // Emscripten 3.1 ends the process of Node at any exception that no one has caught.
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', () => {});
  program.input.write('go\n');
  await assert.rejects(program.exit, WebAssembly.RuntimeError);
  assert.equal(got.text, 'about to trap\n');
  assert.equal(kernel.processes.size, 0);
  const ahead = makeTerminal();
  ahead.terminal.input('go\r'); // so it traps before it has waited
  const early = await begin(fails, { kernel, ...ahead, arguments: ['trap'] });
  await assert.rejects(early.exit, WebAssembly.RuntimeError);
  assert.equal(kernel.processes.size, 0);
  await assert.rejects(begin(asks, { kernel, wasm: new URL('file:///no/such.wasm') }), /no.such/);
  await assert.rejects(begin(asks, { kernel, wasm: Uint8Array.of(1, 2) }),
    WebAssembly.CompileError);
  await assert.rejects(load(async () => { throw new Error('no module'); }, { kernel }),
    { message: 'no module' });
  assert.equal(kernel.processes.size, 0);
  kernel.files.open = () => Promise.resolve(-2);
  const slow = collect();
  const second = await begin(fails, { kernel, ...slow, arguments: ['/file'] });
  assert.equal(await second.exit, 9);
  assert.match(slow.got.text, /ENOENT/);
}

async function sessions() {
  const count = 100, kernel = new Kernel();
  const all = await Promise.all(Array.from({ length: count }, async (_, i) => {
    const { got, output } = collect();
    const program = await begin(asks, { kernel, output });
    await new Promise((done) => setTimeout(done, (i * 37) % 50));
    program.input.write(`number ${i}\n\n`);
    program.input.close();
    return await program.exit === 7 && got.text.includes(`hello, number ${i}\n`);
  }));
  assert.equal(all.filter(Boolean).length, count);
  assert.equal(kernel.processes.size, 0);
}

/** A kernel all of whose files take time. */
function slowKernel(options) {
  return new Kernel({ files: new Files(new SlowFileSystem(options)) });
}

async function slowAsOnLinux() {
  for (const [program, want, seed] of [[files, 'files', 1], [slow, 'slow', 1], [slow, 'slow', 2]]) {
    const { got, output } = collect();
    const kernel = slowKernel({ seed });
    const status = await (await begin(program, { kernel, output })).exit;
    assert.equal(`${got.text}status ${status}\n`,
      readFileSync(join(folder, `${want}.want`), 'utf8'));
    if (want === 'slow') { // main() has left it to the end of the program
      const left = await kernel.files.read('/left');
      assert.equal(new TextDecoder().decode(left), 'what main() leaves');
    }
    assert.equal(kernel.processes.size, 0);
  }
}

/** A program that waits, and calls of its functions. */
async function makeLate(options) {
  const { got, output } = collect(), kernel = slowKernel(options);
  const printErr = (text) => { got.text += `${text}\n`; };
  const program = await begin(late, { module: { printErr }, kernel, output });
  await until('main()', () => got.text.startsWith('ready\n'));
  return { program, kernel, got, call: (...values) => program.call(values[0], values.slice(1)) };
}

async function manyCalls() {
  const { program, kernel, call } = await makeLate({ most: 5 });
  const byte = (file, i) => (file * 31 + i * 7) % 100, size = (file) => 100 * file + 1;
  const contents = Array.from({ length: 40 }, (_, file) =>
    Uint8Array.from({ length: size(file) }, (_, i) => byte(file, i)));
  for (let i = 0; i < 40; i++)
    await kernel.files.write(`/${i}`, contents[i]);
  const sums = contents.map((bytes) => bytes.reduce((a, b) => a + b, 0));
  const found = contents.flatMap((_, i) => [call('sum', `/${i}`), call('sum_stream', `/${i}`)]);
  for (let i = 0; i < 4; i++) { // memory grows under what waits
    await new Promise((done) => setTimeout(done, 3));
    assert.equal(await call('grow', 16), 0);
  }
  assert.deepEqual(await Promise.all(found), sums.flatMap((sum) => [sum, sum]));
  assert.equal(await call('fill', '/filled', 5000), 0);
  assert.equal((await kernel.files.read('/filled')).length, 5000);
  program.input.close();
  assert.equal(await program.exit, 0);
}

async function lateFaults() {
  let fault;
  const { program, kernel, got, call } = await makeLate({
    bytes: 100000, before: (name, values) => fault?.(name, values),
  });
  await kernel.files.write('/x', Uint8Array.of(65, 66));
  assert.equal(await call('store', '/full', 200000), -1);
  assert.equal(await call('fill', '/full2', 200000), -1);
  await kernel.files.remove('/full');
  await kernel.files.remove('/full2');
  fault = (name) => name === 'read' ? Promise.reject(new Error('broken')) : undefined;
  assert.equal(await call('sum', '/x'), -2);
  assert.equal(await call('sum_stream', '/x'), -2);
  fault = undefined;
  assert.equal(await call('plain'), -5);
  assert.match(got.text, /co4: a call on a file takes time/);
  // A file that is closed while a read of it waits, and a number that is another's then.
  let go;
  const held = new Promise((done) => { go = done; });
  fault = (name) => name === 'read' ? held : undefined;
  const fd = await call('begin', '/x');
  const reading = call('read_it');
  assert.equal(await call('end_it'), 0);
  assert.equal(await call('begin', '/x'), fd);
  go();
  assert.equal(await reading, 65);
  // A call that is cancelled, and a file that comes too late.
  fault = (name) => name === 'lookup' ? new Promise((done) => { go = done; }) : undefined;
  const aborts = new AbortController(), before = program.process.table.list().length;
  const opening = program.call('begin', ['/x'], { signal: aborts.signal });
  await until('the lookup', () => program.module.co4.awaited.size > 0);
  aborts.abort(new Error('enough'));
  await assert.rejects(opening, { message: 'enough' });
  fault = undefined;
  go();
  await new Promise((done) => setTimeout(done, 30));
  assert.equal(program.process.table.list().length, before);
  assert.equal(program.module.co4.awaited.size, 0);
  program.input.close();
  assert.equal(await program.exit, 0);
}

/** Clients of a real server, by a real proxy, as on Linux; and what a proxy refuses. */
async function sockets() {
  const echo = await startEcho(), gone = await startEcho();
  await new Promise((done) => gone.server.close(done));
  const words = ['127.0.0.1', `${echo.port}`, `${gone.port}`];
  const allowed = [echo, gone].flatMap(({ port }) => ['--allow', `127.0.0.1:${port}`]);
  const proxy = await startProxy(...allowed), strict = await startProxy();
  const want = await new Promise((done) => execFile(join(folder, 'talks'), words, (error, text) =>
    done(`${text}status ${error?.code ?? 0}\n`)));
  const talk = async (options) => {
    const { got, output } = collect();
    const network = new Network({ WebSocket, log: () => {}, ...options });
    const program = await begin(talks, { network, output, arguments: words });
    const status = await program.exit;
    return `${got.text}status ${status}\n`;
  };
  const all = await Promise.all(Array.from({ length: 10 }, () => talk({ proxy: proxy.url('/') })));
  for (const text of all)
    assert.equal(text, want);
  assert.equal(await talk({ proxy: strict.url('/') }), 'connect: -1 EACCES\nstatus 1\n');
  assert.equal(await talk({}), 'connect: -1 ENETUNREACH\nstatus 1\n');
}

/** Words on a task: what it is, and where it waits with which locals. */
const about = ({ function: name, state, wait, frames }) => [`${name} ${state} ${wait}`.trim(),
  ...frames.filter(({ file }) => file.endsWith('tasks.c')).map((frame) =>
    [`${frame.function}:${frame.line} ${frame.callee}`,
      ...frame.locals.map((one) => `${one.name}=${one.value}`)].join(' '))].join('; ');

/** A program that is held: its tasks, step by step, and then to the end. */
async function heldTasks() {
  const { got, output } = collect();
  const program = await begin(tasks, { output, held: true, numbered: true });
  await new Promise((done) => setTimeout(done, 30));
  const lines = (text) => readFileSync(join(folder, 'tasks.c'), 'utf8').split('\n')
    .findIndex((line) => line.includes(text)) + 1;
  const yields = lines('co4_yield();'), sleeps = lines('co4_sleep(');
  assert.equal(program.tasks().filter(({ state, frames }) =>
    state === 'ready' && !frames.length).length, 3); // they have not begun
  const first = program.step();
  const counts = () => program.tasks().filter(({ function: name }) => name === 'count');
  const ran = counts().find(({ id }) => id === first);
  const shown = (i, who) => `count ready; count:${yields} co4_yield sum=${i / 2} ` +
    `who=${who} name=NAME i=${i} letters="ab\\n"`;
  assert.equal(about(ran).replace(/0x[0-9a-f]+ "task"/, 'NAME'), shown(1, 0));
  assert.ok(counts().every(({ number }) => number > 0));
  const steps = [program.step(), program.step(), program.step()];
  assert.equal(new Set([first, ...steps]).size, 3);
  assert.equal(steps[2], first); // they take turns
  assert.equal(about(counts().find(({ id }) => id === first)).replace(/0x[0-9a-f]+ "task"/, 'NAME'),
    shown(2, 0));
  assert.equal(got.text, '');
  let n = 0;
  while (program.step() && n < 100)
    n++;
  const [left] = counts();
  assert.equal(counts().length, 1);
  assert.match(about(left), new RegExp(`^count paused sleeps, .*; count:${sleeps} co4_sleep `));
  assert.equal(program.step(), 0); // none is ready, and its time has not come
  await new Promise((done) => setTimeout(done, 200));
  assert.equal(counts().length, 1); // held
  assert.equal(program.step(), left.id); // now it has
  program.resume();
  assert.equal(await program.exit, 3);
  assert.equal(got.text, 'the sum is 9\n');
  assert.deepEqual(program.tasks(), []);
}

async function withoutTasks() {
  const program = await begin(asks, { output: () => {} });
  assert.throws(() => program.tasks(), /-Wl,-u,co4__js_tasks/);
  assert.throws(() => program.step(), /-Wl,-u,co4__js_tasks/);
  program.pause(); // needs no more than the runtime
  let ended = false;
  program.exit.then(() => { ended = true; });
  program.input.close();
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(ended, false);
  program.resume();
  assert.equal(await program.exit, 7);
}

for (const test of [sockets, slowAsOnLinux, manyCalls, lateFaults, filesAsOnLinux, streams,
  atTerminal, terminalSignals, exitOfHandler, failures, sessions, heldTasks, withoutTasks])
  await test().catch((error) => {
    console.error(`${test.name}:`, error.message ?? error);
    process.exitCode = 1;
  });
await cleanUp();
process.exit();
