// engines.mjs - how each browser is started: with a private profile, and without requests of its
// own to the network.
import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { bidi } from './bidi.mjs';
import { classic, command } from './classic.mjs';

/** The path of a command, or null. */
function which(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter))
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch { /* not in this one */ }
  return null;
}

const miniBrowsers = ['x86_64-linux-gnu', 'aarch64-linux-gnu', 'riscv64-linux-gnu']
  .flatMap((machine) => ['webkit2gtk-4.1', 'webkitgtk-6.0', 'webkit2gtk-4.0']
    .map((library) => `/usr/lib/${machine}/${library}/MiniBrowser`));
const miniBrowser = miniBrowsers.find((path) => existsSync(path)) ?? null;

const chromiumWords = ({ headless, dark, profile }) => [
  ...headless ? ['--headless', '--disable-gpu'] : [],
  ...process.getuid() === 0 ? ['--no-sandbox'] : [], // which does not run for root
  '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-breakpad', '--mute-audio',
  '--disable-search-engine-choice-screen', '--force-color-profile=srgb',
  '--force-prefers-no-reduced-motion',
  `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`, `--user-data-dir=${profile}`,
];

async function chromium({ start, hear, ...how }) {
  const driver = start([which('chromedriver'), '--port=0']);
  const [, port] = await driver.says(/started successfully on port (\d+)/);
  const { capabilities } = await command(`http://127.0.0.1:${port}/session`, 'POST', {
    capabilities: { alwaysMatch: { webSocketUrl: true, pageLoadStrategy: 'normal',
      'goog:chromeOptions': { binary: which('chromium'), args: chromiumWords(how) } } },
  });
  return { ...await bidi(capabilities.webSocketUrl, { fresh: false, hear }),
    version: capabilities.browserVersion };
}

const firefoxSettings = ({ dark }) => ({
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'browser.tabs.warnOnClose': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.disable_open_during_load': false,
  'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'ui.prefersReducedMotion': 0,
});

async function firefox({ start, hear, headless, dark, profile }) {
  const settings = Object.entries(firefoxSettings({ dark }))
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  writeFileSync(join(profile, 'user.js'), settings.join(''));
  const browser = start([which('firefox-esr') ?? which('firefox'), '--no-remote', '--profile',
    profile, '--remote-debugging-port', '0', ...headless ? ['--headless'] : [], 'about:blank']);
  const [, url] = await browser.says(/BiDi listening on (ws:\S+)/);
  return bidi(`${url}/session`, { fresh: true, hear });
}

async function display({ start, headless }) {
  if (!headless)
    return {};
  const server = start(['Xvfb', '-displayfd', '1', '-screen', '0', '2000x1600x24', '-nolisten',
    'tcp']);
  const [, number] = await server.says(/^(\d+)$/);
  return { DISPLAY: `:${number}`, GDK_BACKEND: 'x11' };
}

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** WebKitWebDriver wants its port to be named, and another process may take that port before. */
async function webkitDriver(start, env, tries = 5) {
  const port = await freePort();
  const driver = start(['WebKitWebDriver', `--port=${port}`], env);
  const url = `http://127.0.0.1:${port}`;
  let over = false;
  driver.ended.then(() => { over = true; });
  for (;;) {
    const ready = await command(`${url}/status`, 'GET').then((said) => said.ready, () => false);
    if (ready && !over)
      return url;
    if (over && tries > 0)
      return webkitDriver(start, env, tries - 1);
    if (over)
      throw new Error(`WebKitWebDriver does not start: ${driver.lines.join('\n')}`);
    await new Promise((later) => setTimeout(later, 50));
  }
}

// What Safari has, and WebKitGTK has, too, but does not switch on: files of the origin (OPFS).
const asSafari = ['StorageAPI', 'StorageAPIEstimate', 'FileSystem', 'FileSystemWritableStream',
  'AccessHandle'].map((name) => `+${name}`).join();

async function webkit({ start, hear, headless, dark, profile }) {
  const env = { ...await display({ start, headless }), NO_AT_BRIDGE: '1',
    GSETTINGS_BACKEND: 'memory', XDG_CONFIG_HOME: profile, XDG_DATA_HOME: profile,
    XDG_CACHE_HOME: profile, LIBGL_ALWAYS_SOFTWARE: '1', JSC_useSharedArrayBuffer: '1' };
  return classic(await webkitDriver(start, env), { 'webkitgtk:browserOptions': {
    binary: miniBrowser, args: [
      '--automation', `--features=${asSafari}`, ...dark ? ['--dark-mode'] : []] } }, hear);
}

/**
 * The browsers: what each needs (the first command that is missing, or null) and how it starts.
 */
export const engines = {
  chromium: {
    start: chromium,
    missing: () => ['chromium', 'chromedriver'].find((name) => !which(name)) ?? null,
  },
  firefox: {
    start: firefox,
    missing: () => which('firefox-esr') || which('firefox') ? null : 'firefox-esr',
  },
  webkit: {
    start: webkit,
    missing: () => ['WebKitWebDriver', 'Xvfb'].find((name) => !which(name)) ??
      (miniBrowser ? null : 'MiniBrowser'),
  },
};
