// inpage.mjs - programs on a page: inpage.mjs BROWSER FOLDER. The head of a program's source says
// what it prints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './browser.mjs';

const [name, folder] = process.argv.slice(2);

/** The lines behind `expect:`, which are parted by bars. */
function expected(program) {
  const text = readFileSync(join(folder, `${program}.c`), 'utf8');
  const [, lines] = text.match(/^ \* expect: ([^]*?) \*\/$/m);
  return `${lines.replace(/\n \*/g, '').split(' | ').join('\n')}\n`;
}

const shown = () => document.getElementById('output').textContent;

await test(name, folder, async (page, url) => {
  for (const program of ['promises', 'async_js', 'stores']) {
    await page.go(`${url}/program.html?script=${program}.js`);
    await page.until(() => page.run(() => document.title !== 'runs'), `the end of ${program}`);
    assert.equal(await page.run(shown), expected(program), program);
    assert.equal(await page.run(() => document.title), 'exit 0', program);
  }
  await page.go(`${url}/program.html`);
  const begun = page.run(async () => {
    const { load, Terminal } = await import('./co4.mjs');
    const { default: create } = await import('./asks.mjs');
    const decoder = new TextDecoder();
    window.terminal = new Terminal({ columns: 90, rows: 20,
      onoutput: (bytes) => document.getElementById('output').append(decoder.decode(bytes)) });
    window.program = await load(create, { terminal: window.terminal });
    return true;
  });
  assert.equal(await begun, true);
  const until = (end) => page.until(async () => (await page.run(shown)).endsWith(end), end);
  await until('name? ');
  await page.run(() => window.terminal.input('Ada\r'));
  await until('hello, Ada\r\nname? ');
  await page.run(() => window.terminal.input('\r'));
  await until('name? \r\n');
  // Raw mode begins behind that output.
  await page.until(() => page.run(() => !window.terminal.termios ||
    !(window.terminal.termios.lflag & 2)), 'raw mode');
  await page.run(() => window.terminal.input('q'));
  assert.equal(await page.run(() => window.program.exit), 7);
  assert.ok((await page.run(shown)).endsWith('key q\r\n'));
  console.log(`${name} ${page.version}: promises, async_js, stores, a terminal`);
});
