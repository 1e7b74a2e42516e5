// classic.mjs - a browser that speaks WebDriver over HTTP only: WebKit by its WebKitWebDriver.
//
// A session has one current window. Commands wait for each other, and each makes its own window
// the current one.
import { Agent, request } from 'node:http';
import { watching } from './watch.mjs';

const agent = new Agent({ keepAlive: true });

/**
 * One command of WebDriver, over HTTP.
 * @param {string} url
 * @param {string} method
 * @param {object} [body]
 */
export function command(url, method, body) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => { text += part; });
      response.on('error', reject).on('end', () => {
        const { value } = JSON.parse(text || '{}');
        if (response.statusCode === 200)
          resolve(value);
        else
          reject(new Error(`${value?.error}: ${value?.message}`));
      });
    });
    asked.on('error', reject).end(method === 'POST' ? JSON.stringify(body ?? {}) : undefined);
  });
}

/** One page, with what driver/bidi.mjs offers as well. */
class Tab {
  #session;
  #handle;
  #hear;

  constructor(session, handle, hear) {
    this.#session = session;
    this.#handle = handle;
    this.#hear = hear;
  }

  #send(path, body) {
    return this.#session.send(this.#handle, path, 'POST', body);
  }

  async go(url) {
    await this.drain();
    await this.#send('url', { url });
    await this.drain();
  }

  /** Calls a function from its text with a string; what it returns, a string, too. */
  async call(text, argument) {
    const script = `${watching}
      const [given, done] = arguments;
      (${text})(given).then((value) => done([value, window.co4Watched.splice(0)]));`;
    const [value, watched] = await this.#send('execute/async', { script, args: [argument] });
    for (const { thrown, ...message } of watched)
      if (thrown)
        this.#hear.error(thrown);
      else
        this.#hear.message(message);
    return value;
  }

  /** Hears what the page has said so far. */
  async drain() {
    await this.call('() => new Promise((done) => setTimeout(done))', '');
  }

  act(sources) {
    return this.#send('actions', { actions: sources });
  }

  /** The page's own size; the window has borders and bars around it. */
  async resize(width, height) {
    const inner = () => this.call('async () => JSON.stringify([innerWidth, innerHeight])', '');
    for (let i = 0; i < 20; i++) {
      const [w, h] = JSON.parse(await inner());
      if (w === width && h === height)
        return;
      const outer = await this.#session.send(this.#handle, 'window/rect', 'GET');
      await this.#send('window/rect', { x: 0, y: 0,
        width: outer.width + width - w, height: outer.height + height - h });
      await new Promise((later) => setTimeout(later, 50 * i)); // the page hears of it later
    }
    throw new Error(`the window does not take the size ${width} × ${height}`);
  }

  screenshot() {
    return this.#session.send(this.#handle, 'screenshot', 'GET');
  }

  async activate() {
    await this.#send('window', { handle: this.#handle });
  }

  async another() {
    const { handle } = await this.#send('window/new', { type: 'tab' });
    return new Tab(this.#session, handle, this.#hear);
  }

  async close() {
    await this.#session.send(this.#handle, 'window', 'DELETE');
  }
}

class Session {
  #url;
  #queue = Promise.resolve();
  #current;

  constructor(url, current) {
    this.#url = url;
    this.#current = current;
  }

  async #run(handle, path, method, body) {
    if (handle !== this.#current)
      await command(`${this.#url}/window`, 'POST', { handle });
    this.#current = path === 'window' && method === 'DELETE' ? null : handle;
    return command(`${this.#url}/${path}`, method, body);
  }

  send(handle, path, method, body) {
    const done = this.#queue.then(() => this.#run(handle, path, method, body));
    this.#queue = done.catch(() => {});
    return done;
  }
}

/**
 * @param {string} url of the driver
 * @param {object} capabilities
 * @param {object} hear what the pages say
 */
export async function classic(url, capabilities, hear) {
  const { sessionId, capabilities: made } = await command(`${url}/session`, 'POST', {
    capabilities: { alwaysMatch: capabilities },
  });
  const here = `${url}/session/${sessionId}`;
  await command(`${here}/timeouts`, 'POST', { script: 3600_000, pageLoad: 3600_000 });
  const handle = await command(`${here}/window`, 'GET');
  return { tab: new Tab(new Session(here, handle), handle, hear), close: () => {},
    version: made.browserVersion };
}
