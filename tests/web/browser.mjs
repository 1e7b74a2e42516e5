// browser.mjs - chromium over its debugging pipe, at pages that are served from a folder, as a user sees them: real clicks, the text
// on the page, screenshots.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kinds = {
  html: 'text/html', wasm: 'application/wasm', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', png: 'image/png',
};
const SECONDS = 600; // for all that is done with a page
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

class Page {
  errors = []; // thrown on the page
  #pipe;
  #origin;
  #session;
  #waiting = new Map();
  #last = 0;
  #ended = false;
  #heard = new Map();

  constructor(browser, origin) {
    this.#pipe = browser.stdio[3];
    this.#origin = origin;
    let rest = '';
    browser.stdio[4].on('data', (data) => {
      const messages = (rest + data).split('\0');
      rest = messages.pop();
      for (const message of messages)
        this.#take(JSON.parse(message));
    });
    browser.once('exit', () => {
      this.#ended = true;
      for (const { reject } of this.#waiting.values())
        reject(new Error('chromium has ended'));
    });
    for (const pipe of browser.stdio.slice(3))
      pipe.on('error', () => {}); // comes with the exit
  }

  #take({ id, method, params, result, error }) {
    if (method === 'Runtime.exceptionThrown')
      this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    this.#heard.get(method)?.(params);
    const { resolve, reject } = this.#waiting.get(id ?? method) ?? {};
    this.#waiting.delete(id ?? method);
    if (error)
      reject?.(new Error(error.message));
    else
      resolve?.(result);
  }

  #answer(key) {
    if (this.#ended)
      throw new Error('chromium has ended');
    return new Promise((resolve, reject) => this.#waiting.set(key, { resolve, reject }));
  }

  send(method, params = {}) {
    this.#pipe.write(JSON.stringify({ id: ++this.#last, method, params, sessionId: this.#session }) + '\0');
    return this.#answer(this.#last);
  }

  // What is called with each event of a kind.
  on(method, hear) {
    this.#heard.set(method, hear);
  }

  size(width, height) {
    return this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  }

  // A file of the folder, or a whole address.
  async open(name) {
    if (!this.#session) {
      const { targetInfos } = await this.send('Target.getTargets');
      const { targetId } = targetInfos.find((target) => target.type === 'page');
      this.#session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
      await this.send('Runtime.enable');
      await this.send('Page.enable');
      await this.size(1200, 900);
    }
    const loaded = this.#answer('Page.loadEventFired');
    await this.send('Page.navigate', { url: new URL(name, `${this.#origin}/`).href });
    await loaded;
  }

  // What an expression is on the page.
  async value(expression) {
    const { result, exceptionDetails } =
      await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails)
      throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
    return result.value;
  }

  // Returns the value of read(), once it holds.
  async until(what, read, holds) {
    for (let i = 0; i < 1500; i++, await sleep(100)) {
      const now = await read();
      if (holds(now))
        return now;
      if (this.errors.length)
        break;
    }
    throw new Error(`never: ${what}; ${JSON.stringify(await read())} ${this.errors}`);
  }

  // With the mouse, at a share of the element's width and height.
  async click(selector, across = 0.5, down = 0.5) {
    const box = await this.value(`((element) => {
      element.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    })(document.querySelector('${selector}'))`);
    const place = { x: box.x + across * box.width, y: box.y + down * box.height, button: 'left', clickCount: 1 };
    await this.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...place });
    await this.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...place });
  }

  async screenshot(path) {
    const { data } = await this.send('Page.captureScreenshot');
    writeFileSync(path, Buffer.from(data, 'base64'));
    if (data.length < 20000)
      throw new Error('nothing is drawn');
  }
}

// The browser's helpers may still write to the folder for a moment.
async function remove(folder) {
  for (let tries = 0; tries < 50; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch {
      await new Promise((later) => setTimeout(later, 100));
    }
  }
}

// Gives use() a page for the files in the folder, and ends the process: 0 when it comes to its end and nothing was thrown on the page.
export async function browse(folder, use) {
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
  const browser = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
    `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const gone = new Promise((ended) => browser.once('exit', ended));
  setTimeout(() => browser.kill('SIGKILL'), SECONDS * 1000);
  let status = 1;
  try {
    const page = new Page(browser, `http://127.0.0.1:${server.address().port}`);
    await use(page);
    if (page.errors.length)
      throw new Error(page.errors.join('\n'));
    status = 0;
  } catch (error) {
    console.log(error.message);
  }
  browser.kill();
  await gone;
  server.close();
  await remove(profile);
  process.exit(status);
}
