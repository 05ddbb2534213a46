import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BANK, gather, openDesk, step } from '../admin/batches/batches-desk.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { loseAnswer, loseForm } from '../support/lost-form.ts';
import { bringTo } from '../support/money.ts';

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

test('[BATCH-12] the totals of a new batch follow its check boxes', async () => {
  await desk.approved({ amount_cents: 10_000, description: 'Hotel near the clinic' });
  await desk.approved({ amount_cents: 250, description: 'Parking' });
  await page.goto(`${admin.baseUrl}/batches/new`);
  const total = page.getByRole('complementary', { name: 'This batch' });
  await total.getByText('2 payments').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Update totals' }).isVisible(), false);
  await page.getByRole('checkbox', { name: 'Hotel near the clinic' }).uncheck();
  await total.getByText('1 payment', { exact: true }).waitFor();
  const shown = async () => (await total.locator('.money').filter({ visible: true }).allInnerTexts()).join(' ');
  assert.equal(await shown(), '$2.50 $2.50 $2.50 $2.50');
  await page.getByRole('checkbox', { name: 'Parking' }).uncheck();
  await total.getByText('0 payments').waitFor();
  assert.equal(await shown(), '$0.00');
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

test('[PAGE-6] every field of the forms of a request keeps its input over a reload, and starts over', async () => {
  const draft = await bringTo(desk.api, { maker: await desk.api.as('root'), checker: desk.parent }, 'draft', {
    payee: { user_type: 'surrogate', user_id: desk.surrogate.userId },
  });
  for (const path of ['/cases/1/disbursements/new', `/disbursements/${draft}/edit`]) {
    await page.goto(admin.baseUrl + path);
    /** The fields that a person fills in, and what the form would send for them. */
    const values = () =>
      page.evaluate<Record<string, string>>(`{
        const form = document.querySelector('form[data-request]');
        const isTyped = (field) => field.name !== '' && field.type !== 'hidden';
        const names = [...form.elements].filter(isTyped).map(({ name }) => name);
        Object.fromEntries(names.map((name) => [name, new FormData(form).getAll(name).join()]));
      }`);
    /** Chooses or types something else than the form has, as a person would. */
    const change = async (name: string) => {
      const field = page.locator(`form[data-request] [name="${name}"]`).first();
      const kind = await field.evaluate(({ tagName, type }: { tagName: string; type: string }) => `${tagName} ${type}`);
      if (/checkbox|radio/.test(kind)) await field.setChecked(!(await field.isChecked()));
      else if (kind.startsWith('SELECT')) {
        const chosen = await field.inputValue();
        const choices = await field
          .locator('option')
          .evaluateAll<string[], { value: string }>((all) => all.map(({ value }) => value));
        await field.selectOption(
          choices.find((value) => value !== '' && value !== chosen) ?? assert.fail(`${name} has no choice`),
        );
      } else await field.fill(name === 'amount' ? '43.21' : 'Other words');
    };
    const initial = await values();
    const names = Object.keys(initial);
    assert.ok(names.length >= 4, names.join());
    // Each by itself, because a field that is not watched can be stored together with another one.
    for (const changed of [...names.map((name) => [name]), names]) {
      for (const name of changed) await change(name);
      const typed = await values();
      for (const name of changed) assert.notEqual(typed[name], initial[name], `${path}: ${name}`);
      await page.reload();
      assert.deepEqual(await values(), typed, `${path}: ${changed} over a reload`);
      await page.getByRole('button', { name: 'Start over' }).click();
      assert.deepEqual(await values(), initial, `${path}: ${changed} after starting over`);
      await page.reload();
      assert.deepEqual(await values(), initial, `${path}: ${changed} is given up`);
    }
  }
  assert.deepEqual(page.faults, []);
});
