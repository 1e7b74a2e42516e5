// loader.mjs - tests of web/co4.mjs under Node: loader.mjs FOLDER, which has files.mjs, asks.mjs,
// and in files.want what the first prints on Linux.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Kernel, load, Terminal } from '../../web/co4.mjs';

const [folder] = process.argv.slice(2);
// The script that Emscripten 3.1 makes asks for these of a module.
globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = folder;
process.setMaxListeners(0);

const module = { locateFile: (name) => join(folder, name) };
const { default: files } = await import(join(folder, 'files.mjs'));
const { default: signals } = await import(join(folder, 'signals.mjs'));
const { default: fails } = await import(join(folder, 'fails.mjs'));
const { default: asks } = await import(join(folder, 'asks.mjs'));

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
  const program = await load(files, { module, output });
  const status = await program.exit;
  assert.equal(`${got.text}status ${status}\n`, readFileSync(join(folder, 'files.want'), 'utf8'));
}

async function streams() {
  const { got, output } = collect();
  const program = await load(asks, { module, output, arguments: ['one', 'two'] });
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
  const program = await load(asks, { module, terminal });
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
  const program = await load(signals, { module, terminal });
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

/** A trap, a module that is not there, and a call that a file system would take time for. */
async function failures() {
  const { got, output } = collect();
  const kernel = new Kernel();
  const program = await load(fails, { module, kernel, output, arguments: ['trap'] });
  // Emscripten 3.1 ends the process of Node at any exception that no one has caught.
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', () => {});
  program.input.write('go\n');
  await assert.rejects(program.exit, WebAssembly.RuntimeError);
  assert.equal(got.text, 'about to trap\n');
  assert.equal(kernel.processes.size, 0);
  await assert.rejects(load(async () => { throw new Error('no module'); }, { kernel }),
    { message: 'no module' });
  assert.equal(kernel.processes.size, 0);
  kernel.files.open = () => Promise.resolve(-2);
  const slow = collect();
  const second = await load(fails, { module, kernel, ...slow, arguments: ['/file'] });
  assert.equal(await second.exit, 9);
  assert.match(slow.got.text, /ENOSYS/);
}

async function sessions() {
  const count = 100, kernel = new Kernel();
  const all = await Promise.all(Array.from({ length: count }, async (_, i) => {
    const { got, output } = collect();
    const program = await load(asks, { module, kernel, output });
    await new Promise((done) => setTimeout(done, (i * 37) % 50));
    program.input.write(`number ${i}\n\n`);
    program.input.close();
    return await program.exit === 7 && got.text.includes(`hello, number ${i}\n`);
  }));
  assert.equal(all.filter(Boolean).length, count);
  assert.equal(kernel.processes.size, 0);
}

for (const test of [filesAsOnLinux, streams, atTerminal, terminalSignals, failures, sessions])
  await test().catch((error) => {
    console.error(`${test.name}:`, error.message ?? error);
    process.exitCode = 1;
  });
process.exit();
