// watch.mjs - what a page does with its console, and what is thrown on it, for a browser whose
// driver reports neither: WebKit. The server puts it into each page, before all other scripts; a
// page from elsewhere gets it with the first call of the test.

/** Runs on the page, once. */
function watch() {
  if (window.co4Watched)
    return;
  const watched = [];
  Object.defineProperty(window, 'co4Watched', { value: watched });
  const text = (value) => {
    try {
      return typeof value !== 'object' || value instanceof Error ? String(value)
        : JSON.stringify(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };
  for (const name of ['debug', 'error', 'info', 'log', 'warn']) {
    const level = { log: 'info', warn: 'warning' }[name] ?? name;
    const before = console[name];
    console[name] = (...values) => {
      watched.push({ level, text: values.map(text).join(' ') });
      before.apply(console, values);
    };
  }
  const caught = (event) => event.defaultPrevented ||
    watched.push({ thrown: `${event.message} (${event.filename}:${event.lineno})` });
  // An event goes to the page's own listeners first, which may take care of it.
  window.addEventListener('error', (event) => event instanceof ErrorEvent &&
    queueMicrotask(() => caught(event)));
  window.addEventListener('unhandledrejection', (event) => queueMicrotask(() =>
    event.defaultPrevented || watched.push({ thrown: `not handled: ${text(event.reason)}` })));
}

/** The text that a page runs. */
export const watching = `(${watch})();`;

const oneLine = watching.replace(/ *\/\/ .*\n/g, '').replace(/\n */g, ' ');

/**
 * A page with it, in which no line has another number.
 * @param {string} html
 */
export const withWatch = (html) =>
  html.replace(/^(\s*<!doctype[^>]*>)?/i, (start) => `${start}<script>${oneLine}</script>`);
