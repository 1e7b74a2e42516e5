// axe.mjs - violations() of browser.mjs: axe.mjs BROWSER FOLDER. A page with mistakes has each of
// them in its list, and a page without has none.
import { test } from './browser.mjs';

const [name, folder] = process.argv.slice(2);

await test(name, folder, async (page, url) => {
  await page.go(`${url}/axe.html`);
  const found = await page.violations();
  const ids = found.map(({ rule }) => rule).sort();
  if (ids.join() !== 'color-contrast,html-has-lang,label')
    throw new Error(`found: ${JSON.stringify(found, null, 2)}`);
  const [label] = found.filter(({ rule }) => rule === 'label');
  if (label.places.length !== 1 || !label.places[0].includes('<input type="text">'))
    throw new Error(`the place: ${JSON.stringify(label)}`);
  await page.go(`${url}/driver.html`);
  const none = await page.violations();
  if (none.length)
    throw new Error(`found on a page without: ${JSON.stringify(none, null, 2)}`);
  console.log(`${name} ${page.version}: ${ids.join(', ')}`);
});
