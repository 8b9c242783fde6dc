// The API reference at /docs in a real browser: with the keyboard, in light and dark, without the network.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const address = process.env.CAMUNDA_REST_ADDRESS;
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});
after(() => browser.close());

// A page that fails the test for whatever the browser complains about or fetches from elsewhere.
async function open(options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints = [];
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  page.on('request', request => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith('data:')) complaints.push(`fetched ${url}`);
  });
  await page.goto(`${address}/docs`);
  return [page, complaints];
}

// The browser tells of a new address, and draws what has changed, a moment after it took a key.
async function eventually(check) {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
}

test('every operation is there, described, with an example and a form', async () => {
  const [page, complaints] = await open();
  const document = await (await fetch(`${address}/openapi.json`)).json();
  const ids = Object.values(document.paths).flatMap(methods => Object.values(methods).map(one => one.operationId));
  for (const id of [...ids, 'searchLog', 'drainNode', 'makeBackup']) {
    const article = page.locator(`article#${id}`);
    assert.equal(await article.count(), 1, id);
    const text = await article.innerText();
    assert.match(text, /Example request/, id);
    assert.match(text, /Its answer: \d{3}/, id);
    assert.match(text, /Try it on this server/, id);
  }
  assert.deepEqual(complaints, []);
});

test('the filter is reached and used by keyboard alone', async () => {
  const [page, complaints] = await open();
  const articles = page.locator('article:visible');
  await page.keyboard.press('/');
  await page.locator('#filter:focus').waitFor();
  await page.keyboard.type('cancel instance');
  await eventually(async () =>
    assert.deepEqual(await articles.evaluateAll(all => all.map(one => one.id)), ['cancelProcessInstance']));
  await page.keyboard.press('Enter');
  await page.waitForURL(/#cancelProcessInstance$/);
  await page.locator('#filter').focus();
  await page.keyboard.press('Escape');
  await eventually(async () => assert.ok(await articles.count() > 60));
  await page.locator('#filter').fill('no such thing');
  await page.locator('#nothing:visible').waitFor();
  assert.deepEqual(complaints, []);
});

test('requests can be sent to this server', async () => {
  const [page, complaints] = await open();
  const send = async (id, fill) => {
    const article = page.locator(`article#${id}`);
    await article.locator('details.try > summary').focus();
    await page.keyboard.press('Enter');
    await fill(article);
    await article.locator('button').press('Enter');
    const answer = article.locator('.answer');
    await answer.filter({ hasText: /^\d{3} / }).waitFor();
    return answer.innerText();
  };
  assert.match(await send('evaluateExpression', async () => {}), /^200 OK\n[^]*119/);
  assert.match(await send('searchProcessInstances', one => one.locator('textarea').fill('{"page": {"limit": 1}}')), /^200 /);
  // Chromium tells of answers with an error on its console; that is its right.
  assert.deepEqual(complaints, []);
  const refused = await send('getProcessInstance', one => one.locator('input[data-in=path]').fill('7'));
  assert.match(refused, /^404 [^]*NOT_FOUND/);
});

for (const colorScheme of ['light', 'dark']) {
  test(`text can be read in ${colorScheme}`, async () => {
    const [page, complaints] = await open({ colorScheme });
    const contrasts = await page.evaluate(() => {
      const parts = color => color.match(/[\d.]+/g).map(Number);
      const shade = color => {
        const [r, g, b] = parts(color).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const back = one => {
        for (let at = one; at; at = at.parentElement) {
          const color = getComputedStyle(at).backgroundColor;
          if (parts(color)[3] !== 0) return color;
        }
        return 'rgb(255, 255, 255)';
      };
      const chosen = [...document.querySelectorAll('nav a, nav b, h3 b, article p, article code, pre, summary, small, h4')];
      return chosen.map(one => {
        const [a, b] = [shade(getComputedStyle(one).color), shade(back(one))].sort((x, y) => y - x);
        return [(a + 0.05) / (b + 0.05), one.className || one.tagName, one.textContent.slice(0, 30)];
      });
    });
    const weak = contrasts.filter(([contrast]) => contrast < 4.5);
    assert.deepEqual(weak.slice(0, 5), []);
    assert.deepEqual(complaints, []);
    if (process.env.TIDEMILL_SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.TIDEMILL_SCREENSHOTS}/docs-${colorScheme}.png` });
      await page.locator('#searchProcessInstances').scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env.TIDEMILL_SCREENSHOTS}/docs-${colorScheme}-operation.png` });
    }
  });
}

test('small screens scroll in one direction only', async () => {
  const [page] = await open({ viewport: { width: 390, height: 800 } });
  const [inner, whole] = await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
  assert.ok(whole <= inner, `${whole} > ${inner}`);
});
