// live.mjs - the page of `playground --serve` in a browser: live.mjs BROWSER FOLDER PLAYGROUND.
// C is typed, woven, refused, run, held, stepped and dumped; by keyboard, dark and light. Pictures
// go into the folder. With CO4_LIVE=without there is no emcc: the page weaves, and says so.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from './browser.mjs';

const [name, folder, playground] = process.argv.slice(2);
const without = process.env.CO4_LIVE === 'without';

const child = spawn(playground, ['--serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [said] = await once(child.stdout, 'data');
const address = String(said).trim();

const typed = `#include <co4.h>
#include <stdio.h>
static pausable int later(int n)
{
int twice = 2 * n;
co4_sleep(CO4_MS);
return twice;
}
pausable_or_plain int main(void)
{
printf("%d\\n", later(21));
return 0;
}
`;

/** What a user of the page sees and does. */
class User {
  constructor(page) {
    this.page = page;
  }

  text(id) {
    return this.page.run((its) => document.getElementById(its).innerText, id);
  }

  async shows(id, pattern) {
    let text = '';
    const holds = async () => pattern.test(text = await this.text(id));
    await this.page.until(holds, `${id}: ${pattern}`).catch((error) => {
      throw new Error(`${error.message}\n  ${id}: ${text}`);
    });
  }

  all(selector, what = 'innerText') {
    return this.page.run((its, member) => [...document.querySelectorAll(its)]
      .map((one) => one[member]), selector, what);
  }

  /** Types in place of what is there, as a user who selects all. */
  async types(text) {
    await this.page.click('#editor textarea');
    await this.page.press('Ctrl-A', 'Delete');
    await this.page.type(text);
  }

  /** Puts a text there as a paste does. */
  async pastes(text) {
    await this.page.run((its) => {
      document.getElementById('state').textContent = '';
      const area = document.querySelector('#editor textarea');
      area.focus();
      area.select();
      document.execCommand('insertText', false, its);
    }, text);
  }

  async takes(sample) {
    await this.page.run((its) => {
      document.getElementById('state').textContent = '';
      const select = document.getElementById('samples');
      select.value = [...select.options].find((one) => one.text.startsWith(its)).value;
      select.dispatchEvent(new Event('change'));
    }, sample);
  }

  async accessible(what) {
    assert.deepEqual(await this.page.violations(), [], what);
  }
}

async function weaves(user) {
  const { page } = user;
  await user.types(typed);
  await user.shows('state', /^Woven: 2 functions/);
  const source = await page.run(() => document.querySelector('#editor textarea').value);
  assert.match(source, /^ {4}int twice = 2 \* n;$/m); // a line behind { is shifted
  assert.deepEqual((await user.all('#editor .colours .point')).map((line) => line.trim()),
    ['co4_sleep(CO4_MS);', 'printf("%d\\n", later(21));']);
  const rows = (await user.all('#report tr')).map((row) => row.replace(/\s+/g, ' ').trim());
  assert.ok(rows.includes('1 6 co4_sleep() twice'), rows.join('; '));
  assert.ok(rows.some((row) => /^twice int 4 16 it is read after a pause$/.test(row)));
  assert.ok((await user.all('#woven [data-line="6"]')).some((line) => line.includes('co4_sleep')));
  await page.click('#report td'); // of the first point
  assert.deepEqual((await user.all('#editor .colours .lit')).map((line) => line.trim()),
    ['co4_sleep(CO4_MS);']);
  assert.ok((await user.all('#woven .lit')).length > 0);
}

async function keepsTheText(user) {
  const { page } = user;
  const before = await page.run(() => document.querySelector('#editor textarea').value);
  await page.go(address.replace(/#.*/, '')); // no token: the session has it
  await user.shows('state', /^Woven: 2 functions/);
  assert.equal(await page.run(() => document.querySelector('#editor textarea').value), before);
  assert.equal(await page.run(() => location.hash), '');
  const other = await page.another();
  await other.go(address.replace(/#.*/, ''));
  await other.until(async () => /token is wrong/.test(await other.run(() =>
    document.getElementById('state').innerText)), 'another user is refused');
  await other.close();
  await page.activate();
}

async function byKeyboard(user) {
  const { page } = user;
  const focus = () => page.run(() => document.activeElement.id || document.activeElement.tagName);
  const seen = [];
  await user.shows('state', /^Woven: 3 functions/);
  assert.ok((await user.all('#report h3')).includes('player()'));
  await page.click('h1');
  await page.press('Tab');
  for (let at = await focus(); !(at === 'BODY' || seen.includes(at)); at = await focus()) {
    seen.push(at);
    const drawn = await page.run(() => getComputedStyle(document.activeElement).outlineStyle);
    if (name !== 'firefox') // which draws none without a window
      assert.notEqual(drawn, 'none', `the focus on ${seen.at(-1)} is seen`);
    await page.press('Tab');
  }
  for (const id of ['samples', 'theme', 'TEXTAREA', 'report', 'woven'])
    assert.ok(seen.includes(id), `${id} in ${seen}`);
  await page.click('#editor textarea');
  await page.press('Ctrl-A', 'Delete');
  await page.type('int a;\nint b;');
  await page.press('Ctrl-A', 'Ctrl-]');
  assert.equal(await page.run(() => document.querySelector('#editor textarea').value),
    '    int a;\n    int b;');
  await page.press('Ctrl-[');
  assert.equal(await page.run(() => document.querySelector('#editor textarea').value),
    'int a;\nint b;');
  // WebKit's driver sends no Ctrl-Z to its editor.
  if (name === 'webkit')
    await page.run(() => document.execCommand('undo'));
  else
    await page.press('Ctrl-Z');
  assert.match(await page.run(() => document.querySelector('#editor textarea').value), /^ {4}int a/);
}

async function refuses(user) {
  const { page } = user;
  await user.takes('A refusal');
  await user.shows('said', /line 7: error: .*pausable/);
  await user.shows('state', /Refused/);
  assert.deepEqual((await user.all('#editor .numbers .bad', 'textContent')), ['7']);
  assert.equal(await page.run(() =>
    document.querySelector('#editor textarea').getAttribute('aria-invalid')), 'true');
  await page.click('#said button');
  assert.equal(await page.run(() => {
    const area = document.querySelector('#editor textarea');
    return document.activeElement === area &&
      area.value.slice(area.selectionStart, area.selectionEnd);
  }), '    co4_yield(); /* only a pausable function may call it */');
  await user.accessible('a refusal');
  await page.screenshot(join(folder, `live.refused.${name}.png`));
  await user.pastes('#include "/etc/passwd"\n');
  await user.shows('said', /line 1: error: .*headers by their names/);
  await user.pastes('int main(void) { return <b>1</b>; }\n'); // no HTML
  await user.shows('said', /line 1: error: /);
  assert.deepEqual(await user.all('main b'), []);
}

async function runs(user) {
  const { page } = user;
  await user.pastes(typed);
  await user.shows('state', /^Woven: 2/);
  await page.click('#run');
  await user.shows('life', /ended with status 0/);
  assert.equal(await page.run(() => document.getElementById('output').textContent), '42\n');
  await user.takes('A generator');
  await user.shows('state', /^Woven: 1 function /);
  await page.click('#run');
  await user.shows('output', /^1\n2\n3\n4\n5\n$/);
  await user.takes('Questions');
  await user.shows('state', /^Woven: 3/);
  await page.click('#run');
  await user.shows('output', /Your name\?/);
  await user.shows('tasks', /main\(\): paused, reads from descriptor 0/);
  await page.click('#line');
  await page.type('Ada\n');
  await user.shows('output', /Hello, Ada: 3 letters\.\nYour name\?/);
  await page.click('#end');
  await user.shows('life', /ended with status 0/);
  await user.shows('output', /1 names/);
}

/** A crowd that takes turns: one step each, in a circle. */
async function steps(user) {
  const { page } = user;
  await user.takes('A crowd');
  await user.shows('state', /^Woven: 3/);
  await page.click('#hold');
  await user.shows('life', /It is held/);
  await user.shows('count', /^11$/);
  assert.equal((await user.all('#tasks [data-state="ready"]')).length, 10);
  const seen = [];
  for (let i = 1; i <= 12; i++) {
    await page.run(() => document.querySelector('#tasks .ran')?.classList.remove('ran'));
    await page.click('#step');
    const ran = await page.until(async () => (await user.all('#tasks .ran .word'))[0], 'a step');
    seen.push(ran);
  }
  assert.equal(new Set(seen.slice(0, 10)).size, 10);
  assert.deepEqual(seen.slice(10), seen.slice(0, 2));
  const [task] = await user.all('#tasks .ran');
  assert.match(task, /count \(\) at main\.c:10 in co4_yield\(\)\s+.*who = 2.*i = 2/);
  assert.match(task, /sum = 3/);
  await user.accessible('held');
  await page.screenshot(join(folder, `live.${name}.png`));
  await page.click('#tasks .ran button');
  assert.deepEqual((await user.all('#editor .colours .lit')).map((line) => line.trim()),
    ['co4_yield();']);
  await page.click('#resume');
  await user.shows('life', /ended with status 0/);
  assert.equal((await user.text('output')).match(/the sum of/g).length, 10);
}

async function pauses(user) {
  const { page } = user;
  await user.takes('Ping-pong');
  await user.shows('state', /^Woven: 3/);
  await page.click('#run');
  await user.shows('output', /ping 10/);
  await page.click('#pause');
  await user.shows('life', /It is held/);
  const before = await user.text('output');
  await new Promise((done) => setTimeout(done, 1500));
  assert.equal(await user.text('output'), before);
  assert.match(await user.text('tasks'), /name = 0x[0-9a-f]+ "ping".*ball = \d+/);
  await page.click('#resume');
  await user.shows('life', /It runs/);
  await user.shows('output', /pong 7/);
  await page.click('#stop');
  await user.shows('life', /It was stopped/);
  await user.pastes('int main(void)\n{\n    for (volatile int i = 0;; i = i + 1)\n        ;\n}\n');
  await user.shows('state', /^Woven|^Refused/);
  await page.click('#run');
  await user.shows('life', /It computes/);
  await page.click('#stop');
  await user.shows('life', /It was stopped/);
  await user.pastes('int main(void)\n{\n    __builtin_trap();\n}\n');
  await page.click('#run');
  await user.shows('life', /It has failed: .*unreachable/i);
  if (name !== 'chromium')
    return; // what follows is the server's
  await user.pastes('int missing(void);\nint main(void)\n{\n    return missing();\n}\n');
  await page.click('#run');
  await user.shows('life', /Not built/);
  await user.shows('said', /undefined symbol: missing/);
}

async function lacksEmcc(user) {
  await user.shows('lacks', /scripts\/prepare emscripten/);
  await user.shows('state', /^Woven: 3 functions/);
  assert.equal(await user.page.run(() => document.getElementById('run').disabled), true);
  await user.accessible('without emcc');
}

await test(name, folder, async (page) => {
  const user = new User(page);
  await page.resize(1400, 950);
  await page.go(address);
  if (without) {
    await lacksEmcc(user);
    return;
  }
  for (const part of [byKeyboard, weaves, keepsTheText, refuses, runs, steps, pauses])
    await part(user).catch((error) => {
      error.message = `${part.name}: ${error.message}`;
      throw error;
    });
  await page.click('#theme');
  await user.takes('Ping-pong');
  await user.shows('state', /^Woven: 3/);
  await user.accessible('dark');
  await page.screenshot(join(folder, `live.dark.${name}.png`));
  await page.resize(800, 900);
  await user.accessible('narrow');
  await page.screenshot(join(folder, `live.narrow.${name}.png`));
  console.log(`${name} ${page.version}: weaves, refuses, runs, steps, pauses`);
});
