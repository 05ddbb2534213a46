import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BANK, gather, openDesk, step } from '../admin/batches/batches-desk.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { loseAnswer, loseForm } from '../support/lost-form.ts';

const desk = await openDesk();
const { admin, root, finance } = desk;

const context = await openBrowser({ viewport: { width: 390, height: 844 } });
await context.addCookies([...root.cookies].map(([name, value]) => ({ name, value, url: admin.baseUrl })));
const page = await openPage(context);

test('[BATCH-9] on a phone a batch shows its current step, and its fingerprint can be copied', async () => {
  await desk.putAccount(desk.surrogate);
  const path = await gather(finance, [await desk.approved()]);
  const current = page.locator('.stepper-step[aria-current=step]');
  const isWhole = () =>
    current.evaluate((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return (
        width > 20 &&
        left >= 0 &&
        right <= element.ownerDocument.documentElement.clientWidth &&
        element.scrollWidth <= element.clientWidth + 1
      );
    });

  await page.goto(admin.baseUrl + path);
  assert.equal(await current.innerText(), 'Made');
  assert.ok(await isWhole(), 'the first step');

  await step(root, path, 'approve');
  await root.post('/batches/bank', BANK);
  await step(finance, path, 'generate');
  await page.goto(admin.baseUrl + path);
  assert.equal(await current.innerText(), 'File ready');
  assert.ok(await isWhole(), 'a step in the middle');

  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: /Copied|Press Ctrl\+C/ }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('[PAGE-6, CONTRACT-3] the form of a request shows what is left while typing, and keeps its input over a reload', async () => {
  const cap = { category: 'Travel', cap: '1,000', period: 'case', note: '' };
  assert.equal((await root.post('/cases/3/benefits/change', cap)).status, 303);
  const form = `${admin.baseUrl}/cases/3/disbursements/new`;
  await page.goto(form);
  const notice = page.getByRole('status').filter({ hasText: 'Travel' });
  await page.getByLabel('Category').selectOption('Travel');
  await page.getByLabel('Amount in dollars').fill('400');
  await notice.getByText('Travel: $1,000.00 left, $600.00 after this request.').waitFor();
  await page.getByLabel('Amount in dollars').fill('1,050');
  await notice.getByText('This goes $50.00 over').waitFor();
  await page.getByLabel('What it is for').fill('Flights');

  await page.reload();
  await page.getByText('What you typed is kept on this device.').waitFor();
  await notice.getByText('This goes $50.00 over').waitFor();
  assert.equal(await page.getByLabel('What it is for').inputValue(), 'Flights');
  await page.getByLabel('Payee').selectOption({ index: 1 });
  await loseForm(page, 'Save draft');
  await page.reload();
  assert.equal(await page.getByLabel('What it is for').inputValue(), 'Flights', 'a lost form keeps its input');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft saved.').waitFor();

  await page.goto(form);
  assert.equal(await page.getByLabel('What it is for').inputValue(), '', 'a sent form is empty');

  await page.getByLabel('Category').selectOption('Travel');
  await page.getByLabel('Amount in dollars').fill('40');
  await page.getByLabel('What it is for').fill('A taxi');
  await page.getByLabel('Payee').selectOption({ index: 1 });
  await loseAnswer(page, 'Save draft');
  await page.reload();
  await page.getByText('What you typed is kept on this device.').waitFor();
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft saved.').waitFor();
  const { rows } = await admin.pool.query(`select from disbursement_request where description = 'A taxi'`);
  assert.equal(rows.length, 1, 'it arrived the first time');
});
