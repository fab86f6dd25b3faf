// Opens every kind of page of a site from its files, in a real browser, follows
// figures to their rows, and checks that nothing was asked of any network and
// that nothing failed. See browser_test.sh.

import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(import.meta.url)(process.env.PLAYWRIGHT);
const [folder, figures] = process.argv.slice(2);
const root = fs.realpathSync(folder);
const address = (name) => pathToFileURL(path.join(root, name)).href;
// Of everything that waits: the machine may be busy.
const PATIENCE = 60_000;
// Of the pages that there are one of for each history and each hundred rows.
const MOST_OF_A_KIND = 4;

let passed = 0;
const done = (what) => {
  ++passed;
  console.log(`ok ${what}`);
};

const names = fs.readdirSync(root).filter((name) => name.endsWith('.html'));
assert.ok(names.includes('index.html'), 'there is no index.html');

// Every link of every page leads to a page that is there, and to an anchor on it.
const anchors = new Map();
const idsOf = (name) => {
  if (!anchors.has(name)) {
    const text = fs.readFileSync(path.join(root, name), 'utf8');
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]);
    assert.equal(new Set(ids).size, ids.length, `${name}: an id is there twice`);
    anchors.set(name, new Set(ids));
  }
  return anchors.get(name);
};
let links = 0;
for (const name of names) {
  const text = fs.readFileSync(path.join(root, name), 'utf8');
  assert.ok(text.length < 300_000, `${name} has ${text.length} bytes`);
  idsOf(name);
  for (const [, href] of text.matchAll(/ href="([^"]+)"/g)) {
    if (href.startsWith('data:')) continue;
    const [file, anchor] = href.split('#');
    assert.ok(!/^[a-z]+:|^\//.test(href), `${name} leads out: ${href}`);
    assert.ok(file === '' || names.includes(file), `${name}: no page ${href}`);
    if (anchor) {
      assert.ok(idsOf(file || name).has(anchor), `${name}: no anchor ${href}`);
    }
    ++links;
  }
}
done(`${links} links of ${names.length} pages lead somewhere`);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  headless: true,
  timeout: PATIENCE,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});

// A window whose every request and complaint is kept.
const open = async (options) => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const seen = {requests: [], complaints: []};
  context.on('request', (request) => seen.requests.push(request.url()));
  context.on('requestfailed', (request) =>
    seen.complaints.push(`${request.url()} failed`));
  context.on('response', (response) => {
    if (response.status() >= 400) seen.complaints.push(response.url());
  });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      seen.complaints.push(message.text());
    }
  });
  context.on('weberror', (error) => seen.complaints.push(`${error.error()}`));
  return {context, page: await context.newPage(), seen};
};

const checkSeen = (seen, what) => {
  assert.deepEqual(seen.complaints, [], `${what}: something failed`);
  const elsewhere = seen.requests.filter((url) =>
    !url.startsWith(pathToFileURL(root).href + '/') && !url.startsWith('data:'));
  assert.deepEqual(elsewhere, [], `${what}: asked for something elsewhere`);
};

// One of each kind and a dozen of those that there are many of.
const kinds = new Map();
for (const name of names.sort()) {
  const kind = /^(history|rows)-/.exec(name)?.[1] ?? name;
  if (!kinds.has(kind)) kinds.set(kind, []);
  if (kinds.get(kind).length < MOST_OF_A_KIND) kinds.get(kind).push(name);
}
const visited = [...kinds.values()].flat();

for (const [what, options] of [
  ['a desktop', {viewport: {width: 1280, height: 900}, colorScheme: 'light'}],
  ['a phone in the dark',
   {viewport: {width: 375, height: 700}, colorScheme: 'dark', hasTouch: true,
    isMobile: true}],
]) {
  const {context, page, seen} = await open(options);
  const schemes = new Set();
  for (const name of visited) {
    await page.goto(address(name), {timeout: PATIENCE});
    const facts = await page.evaluate(() => ({
      heading: document.querySelectorAll('main h1').length,
      landmarks: ['header', 'nav', 'main', 'footer'].every(
        (tag) => document.querySelector(tag)),
      language: document.documentElement.lang,
      scripts: document.scripts.length,
      unnamed: [...document.querySelectorAll('svg')].filter((svg) =>
        svg.getAttribute('aria-hidden') !== 'true' &&
        !svg.getAttribute('aria-label') && !svg.querySelector('title')).length,
      uncaptioned: [...document.querySelectorAll('table')].filter(
        (table) => !table.caption).length,
      unscoped: document.querySelectorAll('th:not([scope])').length,
      skipped: [...document.querySelectorAll('main h1, main h2, main h3')].some(
        (heading, i, all) =>
          i > 0 && heading.tagName[1] - all[i - 1].tagName[1] > 1),
      overflow: document.documentElement.scrollWidth - innerWidth,
      background: getComputedStyle(document.documentElement).backgroundColor,
    }));
    schemes.add(facts.background);
    assert.deepEqual(
      {...facts, overflow: Math.max(0, facts.overflow), background: ''},
      {heading: 1, landmarks: true, language: 'en', scripts: 0, unnamed: 0,
       uncaptioned: 0, unscoped: 0, skipped: false, overflow: 0,
       background: ''},
      `${name} on ${what}`);
  }
  assert.equal(schemes.size, 1, 'pages differ in their colours');
  checkSeen(seen, what);
  await page.goto(address('index.html'));
  await page.screenshot({
    path: path.join(process.env.SHOTS, `index-${options.viewport.width}.png`)});
  await context.close();
  done(`${visited.length} pages on ${what}`);
}

// A figure shows where it comes from, and leads to its row.
{
  const {context, page, seen} = await open(
    {viewport: {width: 1280, height: 900}});
  let followed = 0;
  for (const name of visited.filter((one) => !/^(history|rows)/.test(one))) {
    await page.goto(address(name));
    const all = page.locator('.fig:not(.none)');
    const count = Math.min(3, await all.count());
    for (let i = 0; i < count; ++i) {
      // The pointer is where it last clicked, which may be a figure here.
      await page.mouse.move(0, 0);
      await page.goto(address(name));
      const figure = all.nth(i);
      const button = figure.locator('button');
      const card = figure.locator('.card');
      const value = (await button.textContent()).trim();
      await card.waitFor({state: 'hidden'});
      // By the keyboard first, as whoever has no pointer does.
      await button.focus();
      await card.waitFor({state: 'visible'});
      const told = await card.textContent();
      assert.equal(await button.getAttribute('aria-describedby'),
                   await card.getAttribute('id'));
      assert.match(told, / of \d/, 'how many samples there were');
      assert.match(told, /\d{4}/, 'when it was measured');
      assert.match(told, /cores/, 'on which device');
      assert.match(told, /measured|suspected|verified/, 'its label');
      await button.evaluate((one) => one.blur());
      await card.waitFor({state: 'hidden'});
      // With room below it: a card that is scrolled to is no longer hovered.
      await button.evaluate((one) =>
        one.scrollIntoView({block: 'center', behavior: 'instant'}));
      await button.hover();
      await card.waitFor({state: 'visible'});
      const link = card.locator('a[href^="rows-"]').first();
      const id = (await link.getAttribute('href')).split('#')[1];
      await link.click();
      await page.waitForURL((url) => url.hash === `#${id}`);
      const row = page.locator(`#${id}`);
      assert.equal(await row.count(), 1, 'the row of a figure');
      assert.ok(await row.isVisible());
      // What the figure shows is what its row shows, but for a quotient.
      if (!value.endsWith('×') && value !== 'no ratio') {
        assert.ok((await row.textContent()).includes(value),
                  `${name}: ${value} is not in its row`);
      }
      ++followed;
    }
  }
  if (figures === 'figures') assert.ok(followed > 0, 'no page has a figure');
  checkSeen(seen, 'following figures');
  await context.close();
  done(`${followed} figures lead to their rows`);
}

// By touch a card is there as well, and lies within the window.
if (figures === 'figures') {
  const {context, page, seen} = await open(
    {viewport: {width: 375, height: 700}, hasTouch: true, isMobile: true});
  await page.goto(address('index.html'));
  const figure = page.locator('.fig:not(.none)').first();
  await figure.locator('button').tap();
  const card = figure.locator('.card');
  await card.waitFor({state: 'visible'});
  const box = await card.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 375 && box.y >= 0 &&
            box.y + box.height <= 700, `a card out of the window`);
  await page.screenshot({path: path.join(process.env.SHOTS, 'card-375.png')});
  checkSeen(seen, 'touching');
  await context.close();
  done('a figure tells by touch where it comes from');
}

await browser.close();
console.log(`${passed} passed, 0 failed`);
