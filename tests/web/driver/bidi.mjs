// bidi.mjs - a browser that speaks WebDriver BiDi: Firefox itself, chromium by its chromedriver.
import { connect } from './socket.mjs';

/** The connection: commands with their answers, and events. */
class Wire {
  #socket;
  #waiting = new Map();
  #last = 0;
  #over = null;
  #heard;

  constructor(socket, heard) {
    this.#socket = socket;
    this.#heard = heard;
    socket.heard = (text) => this.#take(JSON.parse(text));
    socket.closed = () => this.#end(new Error('the browser has ended'));
  }

  #end(error) {
    this.#over ??= error;
    for (const { reject } of this.#waiting.values())
      reject(error);
    this.#waiting.clear();
  }

  #take({ type, id, result, error, message, method, params }) {
    if (type === 'event')
      return this.#heard(method, params);
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (type === 'error')
      reject?.(new Error(`${error}: ${message}`));
    else
      resolve?.(result);
  }

  send(method, params = {}) {
    if (this.#over)
      return Promise.reject(this.#over);
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  close() {
    this.#socket.close();
  }
}

/** One page, with what driver/classic.mjs offers as well. */
class Tab {
  #wire;
  #context;

  constructor(wire, context) {
    this.#wire = wire;
    this.#context = context;
  }

  #send(method, params) {
    return this.#wire.send(method, { context: this.#context, ...params });
  }

  go(url) {
    return this.#send('browsingContext.navigate', { url, wait: 'complete' });
  }

  /** Calls a function from its text with a string; what it returns, a string, too. */
  async call(text, argument) {
    const { type, result, exceptionDetails } = await this.#wire.send('script.callFunction', {
      functionDeclaration: text, awaitPromise: true, target: { context: this.#context },
      arguments: [{ type: 'string', value: argument }],
    });
    if (type === 'exception')
      throw new Error(exceptionDetails.text);
    return result.value;
  }

  /** Hears what the page has said so far: events come before the next answer. */
  async drain() {
    await this.call('() => new Promise((done) => setTimeout(done))', '');
  }

  act(sources) {
    return this.#send('input.performActions', { actions: sources });
  }

  resize(width, height) {
    return this.#send('browsingContext.setViewport', { viewport: { width, height } });
  }

  async screenshot() {
    return (await this.#send('browsingContext.captureScreenshot', { origin: 'viewport' })).data;
  }

  activate() {
    return this.#send('browsingContext.activate');
  }

  async another() {
    const { context } = await this.#wire.send('browsingContext.create', { type: 'tab' });
    return new Tab(this.#wire, context);
  }

  close() {
    return this.#send('browsingContext.close');
  }
}

/** Console messages and errors, as all drivers report them. */
function logged({ type, level, text, stackTrace }, hear) {
  if (type === 'javascript' && level === 'error') {
    const at = stackTrace?.callFrames?.[0];
    hear.error(at ? `${text} (${at.url}:${at.lineNumber + 1})` : text);
  } else if (type === 'console') {
    hear.message({ level: level === 'warn' ? 'warning' : level, text: text ?? '' });
  }
}

/**
 * @param {string} url of the WebSocket
 * @param {{ fresh: boolean, hear: object }} how `fresh`: there is no session yet
 */
export async function bidi(url, { fresh, hear }) {
  const socket = await connect(url);
  const wire = new Wire(socket, (method, params) => {
    if (method === 'log.entryAdded')
      logged(params, hear);
    if (method === 'network.beforeRequestSent')
      hear.request(params.request.url);
  });
  const session = fresh ? await wire.send('session.new', { capabilities: {} }) : null;
  await wire.send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
  const { contexts } = await wire.send('browsingContext.getTree');
  return { tab: new Tab(wire, contexts[0].context), close: () => wire.close(),
    version: session?.capabilities.browserVersion };
}
