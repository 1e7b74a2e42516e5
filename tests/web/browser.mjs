// browser.mjs - real browsers for tests: chromium, firefox and webkit, as a user sees them.
//
//   const page = await open('firefox');
//   await page.go(`${server.url}/index.html`);
//   await page.click('#prompt');
//   await page.type('print(1 + 1)\n');
//   await page.until(() => page.run(() => document.body.innerText.includes('2')), 'the sum');
//   await page.close();
//
// They are driven by WebDriver: BiDi with Firefox and chromium, HTTP with WebKit. Each has a
// profile of its own in a temporary folder, and ends with the test, also if the test is killed.
// An error that is thrown on a page fails the test: until() and close() throw it.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engines } from './driver/engines.mjs';
import { pressed, typed } from './driver/keys.mjs';
import { Process } from './driver/process.mjs';
import { serve } from './server.mjs';

export { serve };

/** The names that open() takes. */
export const names = Object.keys(engines);

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const KEYS_AT_ONCE = 200;
const skipped = 77; // for ctest

/**
 * The command that a browser lacks here, or null.
 * @param {string} name
 * @returns {string | null}
 */
export const missing = (name) => engine(name).missing();

function engine(name) {
  if (!Object.hasOwn(engines, name))
    throw new Error(`no such browser: ${name} (there are ${names.join(', ')})`);
  return engines[name];
}

/** What the page does with a function's text: arguments and result are JSON. */
const calling = (text) => `async (given) => {
  try {
    const value = await (${text})(...JSON.parse(given));
    return JSON.stringify({ value });
  } catch (error) {
    return JSON.stringify({ error: String(error?.stack ?? error), message: String(error) });
  }
}`;

/** The middle of an element, or a share of its size, once the mouse can reach it there. */
function place(selector, across, down) {
  const element = document.querySelector(selector);
  if (!element)
    return { why: 'there is no such element' };
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const box = element.getBoundingClientRect();
  const x = Math.floor(box.x + across * box.width), y = Math.floor(box.y + down * box.height);
  const hit = document.elementFromPoint(x, y);
  if (!box.width || !box.height || !hit)
    return { why: 'it is not visible' };
  if (element.contains(hit) || hit.closest('label')?.control === element)
    return { x, y };
  return { why: `it is behind ${hit.outerHTML.slice(0, 80)}` };
}

/** A page of a browser: one tab. */
export class Page {
  #tab;
  #browser;

  constructor(tab, browser) {
    this.#tab = tab;
    this.#browser = browser;
  }

  /** The browser that has it. */
  get browser() {
    return this.#browser ?? this;
  }

  /**
   * Opens an address, and waits until all of it is loaded.
   * @param {string} url
   */
  async go(url) {
    await this.#tab.go(url);
  }

  /**
   * Runs a function on the page, which sees nothing but its arguments, and returns its result when
   * that is settled. Arguments and result pass as JSON. A text is an expression.
   * @param {Function | string} what
   * @param {...any} args
   * @returns {Promise<any>}
   */
  async run(what, ...args) {
    const text = typeof what === 'string' ? `() => (${what})` : what.toString();
    const said = JSON.parse(await this.#tab.call(calling(text), JSON.stringify(args)));
    if ('error' in said) {
      const error = new Error(said.error.includes(said.message) ? said.error
        : `${said.message}\n${said.error}`);
      error.onPage = true;
      throw error;
    }
    return said.value;
  }

  /**
   * Waits until a condition holds, and returns what it is then. It is a function of the test,
   * which usually calls run(). An exception of it means: not yet.
   * @template T
   * @param {() => T | Promise<T>} condition
   * @param {string} text what is waited for
   * @param {{ seconds?: number }} [how]
   * @returns {Promise<T>}
   */
  async until(condition, text, { seconds = 150 } = {}) {
    const end = Date.now() + seconds * 1000;
    let last;
    for (let pause = 10; ; pause = Math.min(2 * pause, 100)) {
      try {
        last = await condition();
        if (last)
          return last;
        await this.drain();
      } catch (error) {
        if (this.browser.isOver)
          throw error;
        last = error.message;
      }
      if (this.browser.errors.length || Date.now() > end)
        break;
      await sleep(pause);
    }
    const heard = this.browser.messages.slice(-5).map((one) => `${one.level}: ${one.text}`);
    throw new Error([`never: ${text}`, `it is ${JSON.stringify(last)}`, ...heard,
      ...this.browser.errors].join('\n  '));
  }

  /**
   * Presses a button of the mouse at a point of the page's window, or on an element as soon as the
   * mouse reaches it.
   * @param {string | { x: number, y: number }} target
   * @param {{ across?: number, down?: number, button?: 0 | 1 | 2, times?: number }} [how]
   *   `across` and `down` are shares of the element's width and height
   */
  async click(target, { button = 0, times = 1, ...where } = {}) {
    const press = [{ type: 'pointerDown', button }, { type: 'pointerUp', button }];
    await this.#point([this.#moveTo(await this.#find(target, where)),
      ...Array(times).fill(press).flat()]);
  }

  /**
   * Moves the mouse to a point or an element.
   * @param {string | { x: number, y: number }} target
   */
  async hover(target, where = {}) {
    await this.#point([this.#moveTo(await this.#find(target, where))]);
  }

  /**
   * Drags the mouse: selects text, moves a border.
   * @param {{ x: number, y: number }} from
   * @param {{ x: number, y: number }} to
   */
  async drag(from, to) {
    const half = { x: Math.round((from.x + to.x) / 2), y: Math.round((from.y + to.y) / 2) };
    await this.#point([this.#moveTo(from), { type: 'pointerDown', button: 0 }, this.#moveTo(half),
      this.#moveTo(to), { type: 'pointerUp', button: 0 }]);
  }

  #moveTo({ x, y }) {
    return { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0,
      origin: 'viewport' };
  }

  async #find(target, { across = 0.5, down = 0.5 } = {}) {
    if (typeof target !== 'string')
      return target;
    let found;
    const reached = async () => {
      found = await this.run(place, target, across, down);
      return found.why ? null : found;
    };
    return this.until(reached, `the mouse on ${target}`).catch((error) => {
      throw new Error(found?.why ? `${error.message}\n  ${found.why}` : error.message);
    });
  }

  #point(actions) {
    return this.#tab.act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' },
      actions }]);
  }

  /**
   * Types a text where the focus is. It may have control characters, as a terminal gets them:
   * `ls\n` presses Enter, `\x03` Ctrl-C, `\x1b` Escape.
   * @param {string} text
   */
  async type(text) {
    const actions = typed(text);
    for (let at = 0; at < actions.length; at += KEYS_AT_ONCE)
      await this.#keys(actions.slice(at, at + KEYS_AT_ONCE));
  }

  /**
   * Presses keys, one after the other: `press('Ctrl-Shift-C', 'ArrowUp', 'Enter')`.
   * @param {...string} keys
   */
  async press(...keys) {
    await this.#keys(keys.flatMap(pressed));
  }

  #keys(actions) {
    return this.#tab.act([{ type: 'key', id: 'keyboard', actions }]);
  }

  /**
   * Pastes a text where the focus is, as a user does who has copied it elsewhere.
   * @param {string} text
   * @param {string} [keys]
   */
  async paste(text, keys = 'Ctrl-V') {
    await this.#elsewhere(async (other) => {
      await other.run((said) => {
        const area = document.body.appendChild(document.createElement('textarea'));
        area.value = said;
        area.focus();
        area.select();
      }, text);
      await other.press('Ctrl-C');
    });
    await this.press(keys);
  }

  /**
   * What a paste would insert elsewhere: the text that was copied last.
   * @returns {Promise<string>}
   */
  copied() {
    return this.#elsewhere(async (other) => {
      await other.run(() => document.body.appendChild(document.createElement('textarea')).focus());
      await other.press('Ctrl-V');
      return other.run(() => document.querySelector('textarea').value);
    });
  }

  async #elsewhere(use) {
    const other = await this.another();
    try {
      await other.activate();
      return await use(other);
    } finally {
      await other.close();
      await this.activate();
      await this.until(() => this.run(() => !document.hidden), 'the page is back');
    }
  }

  /**
   * Gives the page this size, in its own pixels.
   * @param {number} width
   * @param {number} height
   */
  async resize(width, height) {
    await this.#tab.resize(width, height);
  }

  /**
   * A picture of what is visible, as PNG.
   * @param {string} file
   */
  async screenshot(file) {
    writeFileSync(file, Buffer.from(await this.#tab.screenshot(), 'base64'));
  }

  /**
   * What axe finds on the page that hinders users of screen readers, keyboards or enlarged text.
   * `tests/web/npm axe-core@4` brings axe, and prints the folder that CO4_NPM has to name.
   * @returns {Promise<{ rule: string, impact: string, help: string, places: string[] }[]>}
   */
  async violations() {
    const file = join(process.env.CO4_NPM ?? '', 'axe-core@4/node_modules/axe-core/axe.min.js');
    const source = readFileSync(file, 'utf8');
    const { violations } = await this.run(`(async () => {
      if (!window.axe) {
        ${source}
      }
      return axe.run(document, { resultTypes: ['violations'] });
    })()`);
    return violations.map(({ id, impact, help, nodes }) => ({ rule: id, impact, help,
      places: nodes.map(({ target, html }) => `${target.join(' ')}: ${html}`) }));
  }

  /** Another page of the same browser: it shares cookies, storage and clipboard with this one. */
  async another() {
    return new Page(await this.#tab.another(), this.browser);
  }

  /** Brings it to the front. */
  async activate() {
    await this.#tab.activate();
  }

  /** Hears what the page has said and thrown so far. */
  async drain() {
    await this.#tab.drain();
  }

  /** Closes the page, whatever it is doing. */
  async close() {
    await this.#tab.close();
  }
}

/** A browser, and its first page. */
export class Browser extends Page {
  /** What was thrown on its pages and not caught. @type {string[]} */
  errors = [];
  /** What its pages have written to the console. @type {{ level: string, text: string }[]} */
  messages = [];
  /** The addresses that its pages asked for; not in WebKit. @type {string[]} */
  requests = [];
  /** @type {string} */
  name;
  /** @type {string} */
  version;
  /** The folder of its processes, which is removed at the end. @type {string} */
  folder;
  /** Has it ended? */
  isOver = false;
  #processes;
  #disconnect;

  constructor(name, { tab, close, version }, processes, heard) {
    super(tab);
    this.name = name;
    this.version = version;
    this.#processes = processes;
    this.#disconnect = close;
    Object.assign(this, heard);
    Promise.race(processes.map(({ ended }) => ended)).then(() => { this.isOver = true; });
  }

  /** The bytes of resident memory of all its processes. */
  get resident() {
    return this.#processes.reduce((sum, one) => sum + one.resident, 0);
  }

  /** The errors so far, which then no longer fail the test. */
  takeErrors() {
    return this.errors.splice(0);
  }

  /** Ends it at once, as a crash of the machine would. The profile stays if it is the caller's. */
  async kill() {
    this.isOver = true;
    await Promise.all(this.#processes.map((one) => one.end()));
    this.#disconnect();
  }

  /** Ends it. Throws if there was an error on a page. */
  async close() {
    // What is thrown now still counts, unless the page does not answer any more.
    await Promise.race([this.drain().catch(() => {}), sleep(10_000)]);
    await this.kill();
    if (this.errors.length)
      throw new Error(`thrown on the page: ${this.errors.join('\n')}`);
  }
}

/**
 * Starts a browser.
 * @param {string} name one of `names`
 * @param {object} [how]
 * @param {boolean} [how.headless] without a window on the screen
 * @param {boolean} [how.dark] the user likes dark pages
 * @param {string} [how.profile] a folder for a profile that outlives the browser
 * @param {number} [how.seconds] after them it is ended
 * @returns {Promise<Browser>}
 */
export async function open(name, { headless = true, dark = false, profile, seconds = 900 } = {}) {
  const lacks = missing(name);
  if (lacks)
    throw new Error(`${name} needs ${lacks}`);
  const folder = mkdtempSync(join(tmpdir(), `co4-${name}-`));
  const own = profile ?? join(folder, 'profile');
  for (const path of [own, join(folder, 'tmp')])
    mkdirSync(path, { recursive: true });
  const heard = { errors: [], messages: [], requests: [], folder };
  const hear = { error: (text) => heard.errors.push(text),
    message: (message) => heard.messages.push(message),
    request: (url) => heard.requests.push(url) };
  const processes = [];
  const start = (words, env = {}) => {
    const one = new Process(words, { folder, seconds,
      env: { HOME: folder, TMPDIR: join(folder, 'tmp'), LC_ALL: 'C.UTF-8', ...env } });
    processes.push(one);
    return one;
  };
  try {
    const connection = await engine(name).start({ start, hear, headless, dark, profile: own });
    const browser = new Browser(name, connection, processes, heard);
    await browser.resize(1200, 900);
    return browser;
  } catch (error) {
    await Promise.all(processes.map((one) => one.end()));
    throw error;
  }
}

/**
 * A test: serves a folder, starts a browser, gives use() the page and the address, and ends the
 * process. The status is 0 if use() returns and nothing was thrown on the page, and 77 if there is
 * no such browser here.
 * @param {string} name
 * @param {string} folder
 * @param {(page: Browser, url: string) => Promise<void>} use
 * @param {object} [how] for open() and serve()
 */
export async function test(name, folder, use, how = {}) {
  if (missing(name)) {
    console.log(`skipped: no ${missing(name)}`);
    process.exit(skipped);
  }
  const server = await serve(folder, { watched: name === 'webkit', ...how });
  let status = 1;
  try {
    const page = await open(name, how);
    try {
      await use(page, server.url);
      await page.close();
      status = 0;
    } finally {
      await page.kill();
    }
  } catch (error) {
    console.log(error.onPage ? error.message : error.stack);
  }
  await server.close();
  process.exit(status);
}
