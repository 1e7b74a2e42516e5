// terminal.mjs - the page of terminals: terminal.mjs BROWSER SITE EXTRA PICTURES. EXTRA has further
// programs: one that traps, and one that counts its signals. PICTURES gets what a user sees.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './browser.mjs';

const [name, site, extra, pictures] = process.argv.slice(2);
const more = ['signals', 'fails', 'lost'].map((one) => ({ name: one, title: one, version: '0',
  about: 'of the test', arguments: one === 'fails' ? ['trap'] : [] }));

/** The list with more programs, and these; `lost` is nowhere. */
function first(request, response) {
  if (request.url === '/programs/list.json') {
    const list = JSON.parse(readFileSync(join(site, 'programs/list.json'), 'utf8'));
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify([...list, ...more]));
    return true;
  }
  const [, file, kind] = request.url.match(/^\/programs\/((?:signals|fails)\.(mjs|wasm))$/) ?? [];
  if (!file)
    return false;
  response.writeHead(200,
    { 'Content-Type': kind === 'mjs' ? 'text/javascript' : 'application/wasm' });
  response.end(readFileSync(join(extra, file)));
  return true;
}

await test(name, site, async (page, url) => {
  /** The text of the terminal that is visible. */
  const screen = () => page.run(() => {
    const rows = document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div');
    return [...rows].map((row) => row.textContent.replace(/\u00a0/g, ' ').trimEnd()).join('\n')
      .trimEnd();
  });
  const shows = (what) => page.until(async () => {
    const text = await screen();
    return typeof what === 'string' ? text.includes(what) : what.test(text);
  }, `the terminal shows ${what}`).catch(async (error) => {
    throw new Error(`${error.message}\n${await screen()}`);
  });
  const says = (id, what) => page.until(() => page.run((place, text) =>
    document.getElementById(place).innerText.includes(text), id, what), `${id} has ${what}`);
  const isAt = (role, what) => page.until(() => page.run((wanted, text) => {
    const { activeElement: at } = document;
    return (at.getAttribute('role') ?? at.className) === wanted &&
      (at.getAttribute('aria-label') ?? at.innerText).includes(text);
  }, role, what), `the focus is on ${role} ${what}`);
  const tabs = () => page.run(() => document.querySelectorAll('[role=tab]').length);

  /** Begins a program, by the keyboard alone. */
  async function begin(title) {
    await page.press('F6');
    await isAt('tab', '');
    await page.press('Tab');
    await page.press('Enter');
    await isAt('menuitem', '');
    await page.press('End');
    for (let i = 0; i < 20; i++) {
      if (await page.run((wanted) => document.activeElement.innerText.startsWith(wanted), title))
        break;
      await page.press('ArrowUp');
    }
    await page.press('Enter');
    await isAt('xterm-helper-textarea', title);
  }

  async function calculates() {
    await shows('warranty');
    await page.type('2^100\n');
    await shows('\n1267650600228229401496703205376');
    await page.press('ArrowUp');
    await page.type('\n');
    await shows(/(1267650600228229401496703205376[^]*){2}/);
    await page.type('1+');
    await page.press('ArrowUp', 'ArrowDown'); // what was typed comes back
    await page.type('1\n');
    await shows(/\n1\+1\n2$/);
    await says('list', 'reads from descriptor 0');
    await says('list', 'yyparse()\n'.trim());
    await says('list', 'main.c:');
  }

  async function interrupts() {
    await page.type('while (1) x = 1\n');
    await says('list', 'ready');
    await page.press('Ctrl-C');
    await shows('interrupted execution');
    await page.type('3*4\n');
    await shows(/\n12$/);
    await page.press('Ctrl-C'); // at its prompt bc ends by that
    await shows('Exiting bc');
    await shows('exit status 0');
    await says('state', 'ended with exit status 0');
    await says('list', 'ended with exit status 0');
    await page.type('\n');
    await says('state', 'runs');
    await page.type('5*5\n');
    await shows(/\n25$/);
  }

  async function copies() {
    await page.paste('7*8\n');
    await shows(/\n56$/);
    await page.type('12345*3\n');
    await shows(/\n37035$/);
    const row = await page.run(() => {
      const rows = [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div')];
      const box = rows.find((one) => one.textContent.startsWith('37035')).getBoundingClientRect();
      return { x: box.x, y: box.y + box.height / 2 };
    });
    await page.drag({ x: row.x + 2, y: row.y }, { x: row.x + 200, y: row.y });
    await page.press('Ctrl-C');
    assert.equal((await page.copied()).trim(), '37035');
    await page.type('2+2\n'); // it was no interrupt
    await shows(/\n4$/);
  }

  async function otherPrograms() {
    await begin('SQLite');
    await shows('sqlite>');
    await page.type('select 6*7, upper(\'co4\');\n');
    await shows('\n42|CO4');
    await begin('Lua');
    await shows(/^>/m);
    await page.type('print(string.rep("ab", 3))\n');
    await shows('\nababab');
    await begin('dc');
    await page.type('6 7*p\n');
    await shows('\n42');
    await begin('ed');
    await page.type('a\none\ntwo\n.\n,s/o/0/\n,p\nw /tmp/file\n');
    await shows('0ne\ntw0\n'); // prompts come as ed finds the lines, which are typed ahead
    await shows(/^(\* )*8$/m);
    await begin('Adventure');
    await shows('instructions');
    await page.type('no\nin\n');
    await shows('shiny brass lamp');
    await says('list', 'getin()');
    await page.screenshot(join(pictures, `programs-${name}.png`));
  }

  async function byKeyboard() {
    const before = await tabs();
    await page.press('F6');
    await isAt('tab', 'Adventure');
    await page.press('ArrowLeft');
    await isAt('tab', 'ed');
    await page.press('ArrowRight', 'ArrowRight');
    await isAt('tab', 'bc 1');
    await page.press('End', 'Delete');
    await isAt('tab', 'ed');
    assert.equal(await tabs(), before - 1);
    await page.press('Home', 'Enter');
    await isAt('xterm-helper-textarea', 'bc 1');
    await page.press('Shift-Tab');
    await isAt('tab', 'bc 1');
    await page.press('Tab', 'Enter');
    await isAt('menuitem', 'bc');
    await page.press('Escape');
    await isAt('', 'New tab');
  }

  async function resizes() {
    await begin('signals');
    await shows('ready');
    const width = () => page.run(() => document.querySelector(
      '[role=tabpanel]:not([hidden]) .xterm-screen').getBoundingClientRect().width);
    const wide = await width();
    await page.resize(1000, 800);
    await page.until(async () => await width() < wide, 'a narrow terminal');
    await page.type('\n');
    await shows(/0 interrupts, [1-9]\d* resizes, \d+ columns/);
    const [, columns] = (await screen()).match(/(\d+) columns/);
    assert.ok(columns > 20 && columns < 80, columns);
    await page.resize(1200, 900);
    await page.press('Ctrl-C');
    await page.type('\n');
    await shows(/1 interrupts/);
  }

  async function failures() {
    await begin('fails');
    await page.type('go\n');
    const thrown = []; // the browser's console has the trap, too
    for (const end = Date.now() + 150_000; !(await screen()).includes('[failed: ') ||
      !thrown.length; thrown.push(...page.takeErrors())) {
      assert.ok(Date.now() < end, `the trap: ${thrown}\n${await screen()}`);
      await page.drain(); // until() would end at what is thrown
    }
    assert.deepEqual(thrown.filter((error) => !/unreachable/i.test(error)), []);
    await says('state', 'failed: ');
    await begin('lost');
    await shows('[failed: ');
    await page.press('F6', 'Home', 'Enter');
    await page.type('11*11\n');
    await shows(/\n121$/);
  }

  async function isAccessible() {
    for (const theme of ['light', 'dark']) {
      while (await page.run(() => document.documentElement.dataset.theme) !== theme)
        await page.click('#theme');
      assert.deepEqual(await page.violations(), [], theme);
      await page.click('#new');
      assert.deepEqual(await page.violations(), [], `${theme}, with the menu`);
      await page.screenshot(join(pictures, `menu-${theme}-${name}.png`));
      await page.press('Escape');
    }
  }

  async function aHundred() {
    const before = await tabs();
    await page.click('#hundred');
    await says('said', '100 sessions have answered');
    assert.equal(await tabs(), before + 100);
    await says('count', `${before + 100} sessions`);
    await page.click('#tabs'); // the tab that is there
    await page.press('F6');
    await page.press('End', 'Enter');
    const number = Number(await page.run(() =>
      document.activeElement.getAttribute('aria-label').match(/\d+$/)[0]));
    await shows(`\n${number ** 3}`);
    await page.type(`${number}+1\n`);
    await shows(`\n${number + 1}`);
    await page.screenshot(join(pictures, `hundred-${name}.png`));
  }

  await page.go(`${url}/terminal/`);
  for (const part of [calculates, interrupts, copies, otherPrograms, byKeyboard, resizes, failures,
    isAccessible, aHundred]) {
    await part().catch((error) => {
      error.message = `${part.name}: ${error.message}`;
      throw error;
    });
  }
  const elsewhere = page.requests.filter((one) => /^https?:/.test(one) && !one.startsWith(url));
  assert.deepEqual(elsewhere, []);
  console.log(`${name} ${page.version}: six programs, a hundred sessions`);
}, { first, dark: false });
