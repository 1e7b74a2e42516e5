// driver.mjs - browser.mjs, held against what it says: driver.mjs BROWSER FOLDER. The folder is
// tests/web/pages. As `driver.mjs BROWSER hang` it opens a browser, says where its profile is, and
// waits to be killed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { open, serve, test } from './browser.mjs';

const [name, folder] = process.argv.slice(2);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function same(what, is, wanted) {
  if (!isDeepStrictEqual(is, wanted))
    throw new Error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
}

async function fails(what, promise, pattern) {
  const said = await promise.then(() => 'nothing', (error) => error.message);
  if (!pattern.test(said))
    throw new Error(`${what}: ${said}`);
}

async function runs(page) {
  same('values', await page.run((...all) => all, 1, 'ü', null, [true]), [1, 'ü', null, [true]]);
  same('an expression', await page.run('document.title'), 'A page for the driver\'s own test');
  const late = () => new Promise((done) => setTimeout(done, 20, 'late'));
  same('a promise', await page.run(late), 'late');
  same('nothing', await page.run(() => {}), undefined);
  await fails('an exception', page.run(() => { throw new RangeError('far'); }), /RangeError: far/);
  await fails('a rejection', page.run(() => Promise.reject(new Error('no'))), /Error: no/);
  await fails('no function', page.run('1 +'), /SyntaxError|error/i);
}

const value = (page) => page.run(() => document.getElementById('text').value);
const keys = (page) => page.run(() => document.getElementById('keys').textContent);

async function types(page) {
  await page.click('#text');
  const text = 'Ab, "ç" {1} \\ ~|€ 日\n2nd\tline';
  await page.type(text.replace('\t', ''));
  same('the text', await value(page), text.replace('\t', ''));
  await page.run(() => { document.getElementById('keys').textContent = ''; });
  await page.type('\x03\x1b');
  await page.press('Ctrl-Shift-ArrowLeft', 'Ctrl--', 'F2');
  const said = (await keys(page)).replace(/(ctrl-|shift-)*(Control|Shift) /g, '');
  same('the keys', said, 'ctrl-c Escape ctrl-shift-ArrowLeft ctrl-- F2 ');
  await fails('a wrong key', page.press('Ctrl-Nothing'), /no such key: Ctrl-Nothing/);
  await page.press('Ctrl-A', 'Ctrl-C');
  same('what is copied', await page.copied(), text.replace('\t', ''));
  await page.press('Delete');
  await page.paste('one\nzwei ß');
  same('what is pasted', await value(page), 'one\nzwei ß');
}

async function points(page, url) {
  await page.click('#press');
  const label = (id) => page.run((its) => document.getElementById(its).textContent, id);
  same('a click', await label('press'), 'pressed');
  await page.run(() => {
    const cover = document.body.appendChild(document.createElement('div'));
    cover.style = 'position: fixed; inset: 0; background: #0008';
    setTimeout(() => cover.remove(), 700);
  });
  await page.click('#behind'); // as soon as the mouse reaches it
  same('a click behind', await label('behind'), 'pressed');
  await page.click('#pair span', { times: 2 });
  same('a double click selects', (await page.run(() => String(getSelection()))).trim(), 'one');
  const [from, to] = await page.run(() => [...document.querySelectorAll('#pair span')]
    .map((one) => one.getBoundingClientRect()).map((box, i) =>
      ({ x: i ? box.right + 2 : box.x + 1, y: box.y + box.height / 2 })));
  await page.run(() => getSelection().removeAllRanges());
  await page.drag(from, to);
  same('a drag selects', await page.run(() => String(getSelection())), 'one two');
  await page.resize(500, 640);
  same('the size', await page.run(() => [innerWidth, innerHeight]), [500, 640]);
  const other = await page.another();
  await other.go(`${url}/driver.html?other`);
  same('another page', await other.run('location.search'), '?other');
  await other.close();
  same('the first page', await page.run('location.search'), '');
}

async function hears(page) {
  await page.drain();
  same('a message while it loads', page.messages[0], { level: 'warning', text: 'early' });
  await fails('what never is', page.until(() => false, 'the impossible', { seconds: 0.2 }),
    /never: the impossible/);
  same('no error yet', page.errors, []);
  for (const [what, act, said] of [
    ['thrown later', () => { setTimeout(() => { throw new TypeError('loose'); }); },
      /TypeError.*loose/],
    ['rejected', () => { Promise.reject(new Error('unheard')); }, /unheard/],
    ['thrown in a worker', () => {
      new Worker(URL.createObjectURL(new Blob(['throw new Error("in there")'])));
    }, /in there/]]) {
    await page.run(act);
    await fails(what, page.until(() => false, what, { seconds: 60 }), said);
    same(`${what}: errors`, page.takeErrors().length, 1);
  }
}

/** Parts of a file, as HTTP has them. */
async function servesParts() {
  const server = await serve(folder, { isolated: true });
  const ask = (path, headers = {}, method = 'GET') => new Promise((resolve, reject) =>
    get(`${server.url}${path}`, { headers, method }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part)).on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers,
          body: Buffer.concat(parts).toString() }));
    }).on('error', reject));
  const all = readFileSync(join(folder, 'driver.html'), 'utf8');
  for (const [range, status, body] of [['bytes=0-4', 206, all.slice(0, 5)],
    ['bytes=-7', 206, all.slice(-7)], [`bytes=${all.length - 3}-`, 206, all.slice(-3)],
    [`bytes=${all.length}-`, 416, ''], ['bytes=4-2', 200, all], ['lines=1', 200, all]]) {
    const got = await ask('/driver.html', { range });
    same(range, [got.status, got.body], [status, body]);
  }
  const whole = await ask('/driver.html', {}, 'HEAD');
  same('its head', [whole.status, whole.headers['content-length'], whole.headers['content-type'],
    whole.headers['cross-origin-opener-policy']],
  [200, String(all.length), 'text/html; charset=utf-8', 'same-origin']);
  for (const [path, status] of [['/nothing', 404], ['/../driver.mjs', 404],
    ['/%2e%2e/driver.mjs', 404], ['/%00', 404], ['/%', 404]])
    same(path, (await ask(path)).status, status);
  same('a POST', (await ask('/driver.html', {}, 'POST')).status, 405);
  await server.close();
}

/** The processes that belong to a profile's folder. */
function left(mark) {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
    try {
      const read = (file) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
      return read('environ').includes(mark) || read('cmdline').includes(mark);
    } catch {
      return false;
    }
  });
}

async function gone(what, mark) {
  for (let i = 0; i < 1200 && (left(mark).length || existsSync(mark)); i++)
    await sleep(100);
  same(`${what}: processes`, left(mark), []);
  same(`${what}: the folder`, existsSync(mark), false);
}

/** A test that is killed leaves nothing behind; neither does one that takes too long. */
async function ends() {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name, 'hang'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  const mark = String(said).trim();
  same('it runs', left(mark).length > 1 && mark.startsWith(tmpdir()), true);
  child.kill('SIGKILL');
  await gone('killed', mark);
  const brief = await open(name, { seconds: 15 });
  await fails('too long', brief.run(() => new Promise(() => {})), /ended|closed|reset|hang up/i);
  await fails('and after it', brief.run(() => 1), /ended|closed|reset|refused|hang up/i);
  await brief.kill();
  await gone('too long', brief.folder);
}

if (folder === 'hang') {
  const page = await open(name);
  console.log(page.folder);
  await sleep(3600_000);
}

await test(name, folder, async (page, url) => {
  await page.go(`${url}/driver.html`);
  await runs(page);
  await types(page);
  await points(page, url);
  await hears(page);
  await servesParts();
  await fails('no such browser', open('lynx'), /no such browser: lynx/);
  const bad = await open(name);
  await bad.go(`${url}/driver.html`);
  await bad.run(() => { setTimeout(() => { throw new Error('at the end'); }); });
  await fails('an error fails the test', bad.close(), /thrown on the page: .*at the end/);
  await gone('closed', bad.folder);
  await ends();
  console.log(`${name} ${page.version}`);
});
