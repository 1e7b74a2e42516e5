// site.mjs - the site of scripts/site in a browser: site.mjs FOLDER PAGE... Pictures of it are in FOLDER.pictures.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browse } from './browser.mjs';

const [folder, ...files] = process.argv.slice(2);
const pictures = `${folder}.pictures`;
mkdirSync(pictures, { recursive: true });
const holds = (what, is) => {
  if (!is)
    throw new Error(`it is not so: ${what}`);
};

browse(folder, async (page) => {
  const picture = (name) => page.screenshot(join(pictures, `${name}.png`));
  const wrong = [];
  await page.open('index.html');
  page.on('Log.entryAdded', ({ entry }) => entry.level === 'error' && wrong.push(`${entry.text} ${entry.url}`));
  page.on('Runtime.consoleAPICalled', ({ type, args }) => type === 'error' && wrong.push(args.map((one) => one.value).join(' ')));
  page.on('Network.requestWillBeSent', ({ request: { url } }) =>
    /^(http:\/\/127\.0\.0\.1:\d+\/|file:|data:|blob:)/.test(url) || wrong.push(`a request to another host: ${url}`));
  await page.send('Log.enable');
  await page.send('Network.enable');

  // Searches as a reader does, until a place is found whose address ends so.
  const search = async (words, wanted) => {
    if (await page.value('innerWidth < 600'))
      await page.click('.md-header label[for=__search]');
    const focus = async () => {
      await page.click('.md-search__input');
      return page.value('document.activeElement.className');
    };
    await page.until('the search is open', focus, (name) => name.includes('md-search__input'));
    await page.send('Input.insertText', { text: words });
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key: words.at(-1) });
    await page.until(`${words} is found`,
      () => page.value(`[...document.querySelectorAll('.md-search-result__link')].map((one) => one.href.replace(/\\?[^#]*/, ''))`),
      (links) => links.some((link) => link.endsWith(wanted)));
  };

  await page.size(390, 844);
  for (const file of files) {
    await page.open(file);
    const width = await page.value(`document.querySelector('.md-content') && document.documentElement.scrollWidth`);
    if (!width || width > 390)
      wrong.push(`${file} is ${width} wide on a phone`);
  }
  await page.open('docs/tutorial.html');
  await picture('phone');
  await page.click('.md-header label[for=__drawer]');
  await page.until('the menu is open', () => page.value(`document.querySelector('.md-sidebar--primary').getBoundingClientRect().x`),
    (x) => x === 0);
  await picture('phone_menu');
  await page.open('index.html');
  await search('co4_conn_read_line', '/docs/reference/conn.h.html#co4_conn_read_line');
  await picture('phone_search');

  await page.size(1280, 900);
  await page.open('docs/reference/conn.h.html#co4_conn_read_line');
  await picture('reference');
  await page.open('docs/index.html');
  await search('deadlock', '/docs/reference/insight.h.html#co4_deadlock_detect');
  await picture('search');
  const background = () => page.value(`getComputedStyle(document.body).backgroundColor`);
  const light = await background();
  await page.value(`localStorage.clear()`);
  await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
  await page.open('index.html');
  holds('it is dark where the reader likes that', (await background()) !== light);
  await picture('dark');

  // From the disk.
  await page.open(pathToFileURL(resolve(folder, 'docs/tutorial.html')).href);
  await page.until('a page is opened from the disk',
    () => page.value(`location.protocol + !!document.querySelector('.md-search-result__list')`).catch(() => ''), (now) => now === 'file:true');
  await search('deadlock', '/docs/reference/insight.h.html#co4_deadlock_detect');
  holds(wrong.join('\n'), wrong.length === 0);
  console.log(`${files.length} pages`);
});
