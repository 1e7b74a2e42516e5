// drive.mjs - drives chromium over its debugging pipe, at a page that is served from a folder: drive.mjs FOLDER SCREENSHOT
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [folder, screenshot] = process.argv.slice(2);
const kinds = { html: 'text/html', wasm: 'application/wasm' };
const server = createServer((request, response) => {
  const name = request.url === '/' ? 'index.html' : request.url.slice(1);
  try {
    const body = readFileSync(join(folder, name));
    response.writeHead(200, { 'Content-Type': kinds[name.split('.').pop()] ?? 'text/plain' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));

const profile = mkdtempSync(join(tmpdir(), 'co4-web-'));
const browser = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`,
  '--remote-debugging-pipe', 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const waiting = new Map();
let rest = '';
browser.stdio[4].on('data', (data) => {
  const messages = (rest + data).split('\0');
  rest = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    if (message.method === 'Runtime.exceptionThrown') console.log(message.params.exceptionDetails.exception?.description);
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if (message.error) reject?.(new Error(message.error.message));
    else resolve?.(message.result);
  }
});
let last = 0;
let sessionId;
function send(method, params = {}) {
  return new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    browser.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + '\0');
  });
}
async function value(expression) {
  const { result } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  return result.value;
}
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function state() {
  const said = await value(`document.getElementById('state')?.textContent`);
  const [tasks, moves, poked, frames, ms] = said?.match(/[\d.]+/g)?.map(Number) ?? [];
  return { tasks, moves, poked, frames, ms };
}
async function until(what, holds) {
  for (let i = 0; i < 300; i++, await sleep(100)) {
    const now = await state();
    if (holds(now)) return now;
  }
  throw new Error(`never: ${what}; ${JSON.stringify(await state())}`);
}
async function click(id, across = 0.5, down = 0.5) {
  const box = await value(`(({ x, y, width, height }) => ({ x, y, width, height }))(document.getElementById('${id}').getBoundingClientRect())`);
  const place = { x: box.x + across * box.width, y: box.y + down * box.height, button: 'left', clickCount: 1 };
  await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...place });
  await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...place });
}

let status = 1;
try {
  const { targetInfos } = await send('Target.getTargets');
  const { targetId } = targetInfos.find((target) => target.type === 'page');
  ({ sessionId } = await send('Target.attachToTarget', { targetId, flatten: true }));
  await send('Runtime.enable');
  await send('Page.enable');
  await send('Page.navigate', { url: `http://127.0.0.1:${server.address().port}/` });

  const first = await until('it moves', (now) => now.moves > 1000);
  await click('more');
  await until('1000 more tasks', (now) => now.tasks === first.tasks + 1000);
  for (const [across, down] of [[0.3, 0.3], [0.5, 0.5], [0.7, 0.6], [0.5, 0.3]]) await click('canvas', across, down);
  await until('somebody is poked', (now) => now.poked > 0);
  await click('pause');
  let before = await state();
  for (let still = 0, i = 0; still < 5; i++) {
    if (i > 200) throw new Error('it does not stand still');
    await sleep(100);
    const now = await state();
    still = now.moves === before.moves && now.frames > before.frames ? still + 1 : 0;
    before = now;
  }
  await click('dump');
  const text = await value(`document.getElementById('text').textContent`);
  for (const part of ['figure ()', 'walk ()', 'in co4_mutex_lock()', 'figures.c:'])
    if (!text.includes(part)) throw new Error(`the dump has no ${part}\n${text.slice(0, 600)}`);
  await click('pause');
  const end = await until('it goes on', (now) => now.moves > before.moves + 1000);
  const { data } = await send('Page.captureScreenshot');
  writeFileSync(screenshot, Buffer.from(data, 'base64'));
  if (data.length < 20000) throw new Error('nothing is drawn');
  console.log(`${end.tasks} tasks, ${end.moves} moves, ${end.poked} poked, ${end.frames} frames, ${end.ms} ms a step`);
  status = 0;
} catch (error) {
  console.log(error.message);
}
browser.kill();
await new Promise((gone) => browser.once('exit', gone));
server.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
process.exit(status);
