// site.mjs - the site of scripts/site in a browser: site.mjs BROWSER FOLDER PAGE... Pictures of it
// are in FOLDER.pictures.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { open, test } from './browser.mjs';

const [name, folder, ...files] = process.argv.slice(2);
const pictures = `${folder}.pictures`;
mkdirSync(pictures, { recursive: true });
const holds = (what, is) => {
  if (!is)
    throw new Error(`it is not so: ${what}`);
};

/** Searches as a reader does, until a place is found whose address ends so. */
async function search(page, words, wanted) {
  if (await page.run('innerWidth < 600'))
    await page.click('.md-header label[for=__search]');
  await page.until(async () => {
    await page.click('.md-search__input');
    return page.run(() => document.activeElement.className.includes('md-search__input'));
  }, 'the search is open');
  await page.type(words);
  const links = () => page.run(() => [...document.querySelectorAll('.md-search-result__link')]
    .map((one) => one.href.replace(/\?[^#]*/, '')));
  await page.until(async () => (await links()).some((link) => link.endsWith(wanted)),
    `${words} is found`);
}

const picture = (page, what) => page.screenshot(join(pictures, `${what}.png`));

async function onPhone(page, url) {
  await page.resize(390, 844);
  for (const file of files) {
    await page.go(`${url}/${file}`);
    const width = await page.run(() =>
      document.querySelector('.md-content') && document.documentElement.scrollWidth);
    holds(`${file} is ${width} wide on a phone`, width && width <= 390);
  }
  await page.go(`${url}/docs/tutorial.html`);
  await picture(page, 'phone');
  await page.click('.md-header label[for=__drawer]');
  await page.until(() => page.run(() =>
    document.querySelector('.md-sidebar--primary').getBoundingClientRect().x === 0),
  'the menu is open');
  await picture(page, 'phone_menu');
  await page.go(`${url}/index.html`);
  await search(page, 'co4_conn_read_line', '/docs/reference/conn.h.html#co4_conn_read_line');
  await picture(page, 'phone_search');
}

const background = (page) => page.run(() => getComputedStyle(document.body).backgroundColor);

async function onScreen(page, url) {
  await page.resize(1280, 900);
  await page.go(`${url}/docs/reference/conn.h.html#co4_conn_read_line`);
  await picture(page, 'reference');
  await page.go(`${url}/docs/index.html`);
  await search(page, 'deadlock', '/docs/reference/insight.h.html#co4_deadlock_detect');
  await picture(page, 'search');
  const dark = await open(name, { dark: true });
  await dark.go(`${url}/index.html`);
  holds('it is dark where the reader likes that',
    await background(dark) !== await background(page));
  await picture(dark, 'dark');
  await dark.close();
}

async function fromDisk(page) {
  await page.go(pathToFileURL(resolve(folder, 'docs/tutorial.html')).href);
  await page.until(() => page.run(() => location.protocol === 'file:' &&
    document.querySelector('.md-search-result__list') !== null), 'a page is opened from the disk');
  await search(page, 'deadlock', '/docs/reference/insight.h.html#co4_deadlock_detect');
}

await test(name, folder, async (page, url) => {
  await onPhone(page, url);
  await onScreen(page, url);
  await fromDisk(page);
  await page.drain();
  const here = /^(http:\/\/127\.0\.0\.1:\d+\/|file:|data:|blob:|about:)/;
  for (const request of page.requests)
    holds(`a request to another host: ${request}`, here.test(request));
  for (const { level, text } of page.messages)
    holds(text, level !== 'error');
  console.log(`${files.length} pages`);
});
