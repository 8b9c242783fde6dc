// The pages in a real browser, each story from its beginning to its end: nothing is reloaded by hand, nothing is fetched from
// elsewhere, and nothing that people type becomes HTML.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const address = process.env.CAMUNDA_REST_ADDRESS;
const model = new URL('./stuck.bpmn', import.meta.url).pathname;
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const hostile = '<script>window.hacked = true</script>\u202e';
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});
after(() => browser.close());

// A page that notes whatever the browser complains about or fetches from elsewhere.
async function open(path, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', message => message.type() === 'error' && page.complaints.push(message.text()));
  page.on('pageerror', error => page.complaints.push(error.message));
  page.on('request', request => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith('data:')) page.complaints.push(`fetched ${url}`);
  });
  await page.goto(address + path);
  return page;
}

async function api(path, body, method = 'POST') {
  const answer = await fetch(address + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.status === 204 ? null : answer.json();
}

async function deploy(page) {
  await page.goto(`${address}/ui/processes`);
  await page.setInputFiles('[data-deploy] input', model);
  await page.click('[data-deploy] button');
  await page.waitForURL(/\/ui\/processes\/\d+$/);
}

// Starts an instance by the form and tells its key.
async function start(page, variables) {
  await page.fill('textarea[name=variables]', JSON.stringify(variables));
  await page.click('button:text-is("Start")');
  await page.waitForURL(/\/ui\/instances\/\d+$/);
  return page.url().split('/').pop();
}

const overlay = (page, element, kind) => page.locator(`[data-overlay-of="${element}"] .${kind}`);

test('a file is deployed, an instance started, failed, repaired and brought to its timer', async () => {
  const page = await open('/');
  await deploy(page);
  assert.equal(await page.locator('h1').innerText(), 'Claim <b>& pay version 1');
  await start(page, { amount: 'much', claim: 'C-1', note: hostile });

  // The condition cannot be evaluated: the page shows where and why.
  await overlay(page, 'check', 'incidents').waitFor();
  assert.match(await page.locator('.stuck pre').innerText(), /amount/);
  await page.fill('input[name=name]', 'amount');
  await page.fill('textarea[name=value]', '50');
  await page.click('button:text-is("Set variable")');
  await page.locator('td code.value:text-is("50")').waitFor();
  await page.click('.stuck button:text-is("Retry")');
  await overlay(page, 'pay', 'tokens').waitFor();
  assert.equal(await page.locator('.stuck').count(), 0);

  // A worker somewhere else fails: the page learns of it without being reloaded.
  const activation = { type: 'ui-pay', worker: 'w', timeout: 60_000, maxJobsToActivate: 1, requestTimeout: 5_000 };
  const [job] = (await api('/v2/jobs/activation', activation)).jobs;
  await api(`/v2/jobs/${job.jobKey}/failure`, { retries: 0, errorMessage: `no money ${hostile}` });
  await overlay(page, 'pay', 'incidents').waitFor();
  assert.match(await page.locator('.stuck pre').innerText(), /no money <script>/);
  await page.click('.stuck button:text-is("Retry")');
  await page.locator('.stuck').waitFor({ state: 'detached' });
  const [again] = (await api('/v2/jobs/activation', activation)).jobs;
  await api(`/v2/jobs/${again.jobKey}/completion`, {});

  // The message that it waits for is sent from here; then a timer counts down.
  await page.click('button:text-is("Send this message")');
  await overlay(page, 'wait', 'tokens').waitFor();
  await page.locator('[data-countdown]:text-matches("\\\\d\\\\d:\\\\d\\\\d:\\\\d\\\\d")').waitFor();

  // Cancelled, after a question.
  await page.click('button:text-is("Cancel instance")');
  await page.click('dialog button:text-is("No")');
  await page.click('button:text-is("Cancel instance")');
  await page.click('dialog button:text-is("Yes")');
  await page.locator('.facts .badge.terminated').waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(page.complaints, []);
});

test('a task is assigned and completed', async () => {
  const page = await open('/ui');
  await deploy(page);
  await start(page, { amount: 500, claim: 'C-2' });
  await page.click('section a:text-is("Decide")');
  await page.fill('input[name=assignee]', 'ada');
  await page.click('button:text-is("Assign")');
  await page.locator('dd:text-is("ada")').waitFor();
  await page.fill('textarea[name=variables]', '{"accepted": 12345678901234567890}');
  const instance = await page.locator('.facts a').getAttribute('href');
  await page.click('button:text-is("Complete")');
  await page.waitForURL(/\/ui\/tasks$/);
  await page.goto(address + instance);
  await page.locator('.facts .badge.completed').waitFor();
  // Not a digit is lost on the way.
  await page.locator('code.value:text-is("12345678901234567890")').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('what cannot be done is told in words, and nothing that was typed is lost', async () => {
  const page = await open('/ui');
  await deploy(page);
  await page.fill('textarea[name=variables]', '{"amount": }');
  await page.click('button:text-is("Start")');
  assert.match(await page.locator('.action output').innerText(), /Expected JSON/);
  assert.equal(await page.inputValue('textarea[name=variables]'), '{"amount": }');
  // A refusal of the server; the browser notes it in its console.
  await page.goto(`${address}/ui/processes`);
  await page.setInputFiles('[data-deploy] input', { name: 'bad.bpmn', mimeType: 'text/xml', buffer: Buffer.from('<no/>') });
  await page.click('[data-deploy] button');
  await page.locator('[data-deploy] output:not(:empty)').waitFor();
  assert.ok(page.complaints.every(text => /400|Bad Request/.test(text)), page.complaints.join());
});

test('searches stand in the address and pages lead on', async () => {
  const page = await open('/ui');
  await deploy(page);
  const definition = page.url().split('/').pop();
  const creations = Array.from({ length: 60 }, (_, number) =>
    api('/v2/process-instances', { processDefinitionKey: definition, businessId: `row-${number}`, variables: { amount: 500 } })
  );
  await Promise.all(creations);
  await page.goto(`${address}/ui/instances?definition=${definition}&business=row-*`);
  const first = await page.locator('tbody tr').count();
  await page.click('a[rel=next]');
  await page.waitForURL(/after=/);
  assert.equal(first + (await page.locator('tbody tr').count()), 60);
  await page.click('a[rel=prev]');
  await page.waitForURL(/before=/);
  assert.equal(await page.locator('tbody tr').count(), first);
  await page.fill('input[name=business]', 'row-7');
  await page.click('.filter button');
  await page.waitForURL(/business=row-7/);
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.goto(`${address}/ui/instances?variable=amount&value=500&state=ACTIVE`);
  assert.equal(await page.locator('tbody tr').count(), 50);
  assert.deepEqual(page.complaints, []);
});

const PATHS = ['/ui', '/ui/processes', '/ui/instances', '/ui/tasks', '/ui/incidents', '/ui/cluster', '/ui/no-such-page'];

// One page of each kind that belongs to a thing.
async function allPaths() {
  const page = await open('/ui');
  await deploy(page);
  const definition = page.url().slice(address.length);
  const key = await start(page, { amount: 'nothing', long: 'x'.repeat(20_000), [hostile]: hostile });
  await page.goto(`${address}/ui/tasks`);
  const task = await page.locator('tbody a').first().getAttribute('href');
  await page.context().close();
  return [...PATHS, definition, `/ui/instances/${key}`, task];
}

test('every page passes the accessibility check, in light and dark, wide and narrow', async () => {
  const paths = await allPaths();
  for (const [colorScheme, width] of [['light', 1280], ['dark', 360]]) {
    for (const path of paths) {
      const page = await open(path, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
      const serious = violations.filter(found => ['serious', 'critical'].includes(found.impact));
      assert.deepEqual(serious.map(found => `${found.id}: ${found.nodes[0].html}`), [], `${path} ${colorScheme}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${path} is ${overflow} pixels wider than a window of ${width}`);
      assert.equal(await page.evaluate(() => window.hacked), undefined, path);
      await page.context().close();
    }
  }
});

test('pages can be read without scripts', async () => {
  for (const path of await allPaths()) {
    const page = await open(path, { javaScriptEnabled: false });
    assert.ok((await page.locator('h1').innerText()).length > 3, path);
    assert.equal(await page.locator('.needs-script:visible').count(), 0, path);
    await page.context().close();
  }
});

test('the keyboard reaches everything', async () => {
  const page = await open('/ui');
  await page.keyboard.press('?');
  await page.locator('dialog h2:text-is("Keyboard shortcuts")').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('i');
  await page.waitForURL(/\/ui\/instances$/);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.name), 'state');
  assert.deepEqual(page.complaints, []);
});
