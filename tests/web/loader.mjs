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
const { default: asks } = await import(join(folder, 'asks.mjs'));

/** Text of what a program writes. */
function collect() {
  const decoder = new TextDecoder(), got = { text: '' };
  return { got, output: (bytes) => { got.text += decoder.decode(bytes, { stream: true }); } };
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
  let shown = '';
  const decoder = new TextDecoder();
  const terminal = new Terminal({ columns: 90, rows: 20,
    onoutput: (bytes) => { shown += decoder.decode(bytes, { stream: true }); } });
  const program = await load(asks, { module, terminal });
  await until('the prompt', () => shown.endsWith('name? '));
  terminal.input('Kem\x7fn\r');
  await until('the answer', () => shown.endsWith('hello, Ken\r\nname? '));
  terminal.input('\r');
  await until('raw mode', () => shown.endsWith('name? \r\n'));
  await new Promise((done) => setTimeout(done, 20));
  terminal.input('q');
  assert.equal(await program.exit, 7);
  assert.equal(shown, 'terminal 1, arguments 0\r\n90 columns, 20 rows\r\nname? Kem\b \bn\r\n' +
    'hello, Ken\r\nname? \r\nkey q\r\n');
}

async function terminalSignals() {
  let shown = '';
  const decoder = new TextDecoder();
  const terminal = new Terminal({ columns: 90, rows: 20,
    onoutput: (bytes) => { shown += decoder.decode(bytes, { stream: true }); } });
  const program = await load(signals, { module, terminal });
  await until('the beginning', () => shown.endsWith('ready\r\n'));
  terminal.input('\x03\x03');
  terminal.resize(100, 30);
  terminal.input('\r');
  await until('the count', () => shown.endsWith('2 interrupts, 1 resizes, 100 columns\r\n'));
  terminal.input('default\r');
  await until('the last line', () => shown.match(/resizes/g).length === 2);
  terminal.input('\x03');
  assert.equal(await program.exit, 130);
  assert.ok(!shown.includes('the end'));
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

for (const test of [filesAsOnLinux, streams, atTerminal, terminalSignals, sessions])
  await test().catch((error) => {
    console.error(`${test.name}:`, error.message ?? error);
    process.exitCode = 1;
  });
process.exit();
