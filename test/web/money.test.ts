import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { assertAccessible } from '../support/accessibility.ts';
import { eventually } from '../support/eventually.ts';
import { arrive, arriveAtWork } from '../support/stack/arrive.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { alive } from './alive.ts';

const stack = await useRealStack(['worker']);
const PHONE = { viewport: { width: 390, height: 844 }, timezoneId: 'America/New_York' };

/** Waits for visible text, because streamed content is in the page twice for a moment, once hidden. */
const shown = (page: Page, text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();

/** Writes a request with a receipt and sends it, on a phone. @returns its path. */
async function fileRequest(surrogate: Page): Promise<string> {
  await surrogate.goto(`${stack.webUrl}/disbursements/new?case_id=1`);
  await surrogate.getByLabel('Amount').fill('1,0.5');
  await surrogate.getByRole('radio', { name: /^Travel/ }).check();
  await surrogate.getByLabel('What is it for?').fill('Taxi home from the clinic');
  await surrogate.getByRole('button', { name: 'Save as draft' }).click();
  await shown(surrogate, 'Enter an amount between $0.01 and $99,999,999.99.');
  await assertAccessible(surrogate, 'the form with a mistake');
  await surrogate.getByLabel('Amount').fill('$86.4');
  await surrogate.getByLabel('What is it for?').focus();
  assert.equal(await surrogate.getByLabel('Amount').inputValue(), '86.40', 'cents are shown as they will be paid');
  await surrogate.getByRole('button', { name: 'Save as draft' }).click();
  await surrogate.waitForURL(/\/disbursements\/\d+$/);
  const path = new URL(surrogate.url()).pathname;

  await shown(surrogate, 'This draft hasn’t been sent yet');
  const pdf = { name: 'Taxi receipt.pdf', mimeType: 'application/pdf', buffer: samplePdf('Taxi') };
  await surrogate.getByLabel('Choose a receipt').setInputFiles(pdf);
  await surrogate.getByRole('link', { name: 'Taxi receipt.pdf' }).waitFor();
  await assertAccessible(surrogate, 'a draft with a receipt');
  await surrogate.getByRole('button', { name: 'Send request' }).click();
  await shown(surrogate, 'Waiting for Paige Whitlock to approve it');
  return path;
}

/** Opens the request from the home page, reads the receipt, and approves. */
async function approveAsParent(parent: Page, path: string): Promise<void> {
  await parent.reload();
  await parent.getByRole('heading', { name: 'Waiting for your approval' }).waitFor();
  await parent.locator(`a[href="${path}"]`).click();
  await parent.waitForURL(`**${path}`);
  const href = await parent.getByRole('link', { name: 'Taxi receipt.pdf' }).getAttribute('href');
  const file = await fetch(href ?? '');
  assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'application/pdf']);
  await assertAccessible(parent, 'a request that waits for its reader');
  await standsByDecision(parent);
  await parent.getByRole('button', { name: 'Approve $86.40' }).click();
  await shown(parent, /^Approved\. \$86\.40 is set aside and should arrive/);
  await shown(parent, 'Waiting for our payments team to send it to the bank');
}

/** Checks that the whole receipt is visible next to the decision on a wide window, and above it on a phone. */
async function standsByDecision(page: Page): Promise<void> {
  const boxOf = async (element: Locator) => (await element.boundingBox()) ?? assert.fail('it is not shown');
  const receipt = page.locator('.receipt-page').first();
  const shape = await receipt.evaluate((canvas) => Number(canvas.width) / Number(canvas.height));
  const wide = page.viewportSize() ?? PHONE.viewport;
  for (const viewport of [{ ...wide, width: 1280 }, PHONE.viewport, wide]) {
    await page.setViewportSize(viewport);
    const [paper, approve] = [await boxOf(receipt), await boxOf(page.getByRole('button', { name: /^Approve/ }))];
    const [section, decision] = [
      await boxOf(page.getByRole('region', { name: 'Receipts' })),
      await boxOf(page.locator('.notice', { hasText: 'waiting for your decision' })),
    ];
    if (viewport.width < 1024) assert.ok(section.y + section.height <= decision.y, 'above');
    else assert.ok(section.x + section.width <= decision.x && Math.abs(section.y - decision.y) < 64, 'beside');
    assert.ok(paper.y + paper.height <= approve.y || paper.x + paper.width <= approve.x, 'nothing overlaps');
    assert.ok(Math.abs(paper.width / paper.height / shape - 1) < 0.02, 'it keeps its shape');
    assert.ok(paper.x >= section.x && paper.x + paper.width <= section.x + section.width, 'nothing is cut off');
    assert.ok(section.x >= 0 && section.x + section.width <= viewport.width, 'it fits the window');
  }
}

/** Makes a batch of only this request. @returns its path. */
async function makeBatch(finance: Page, id: string): Promise<string> {
  await finance.goto(`${stack.adminUrl}/disbursements/${id}`);
  await shown(finance, 'Waiting for our payments team to send it to the bank');
  await finance.goto(`${stack.adminUrl}/batches/new`);
  for (const box of await finance.locator('input[name="disbursement_ids"]:enabled').all()) {
    await box.setChecked((await box.getAttribute('value')) === id);
  }
  await shown(finance, '1 payment');
  assert.equal(await finance.locator('[data-total-all]').textContent(), '$86.40');
  await finance.getByRole('button', { name: 'Make batch' }).click();
  await finance.waitForURL(/\/batches\/\d+\?/);
  return new URL(finance.url()).pathname;
}

test('[PAYMENT-2] a request goes from a receipt to the bank through three layers, and is shown as paid', async () => {
  const surrogate = await arrive(stack, 'surrogate', PHONE);
  const parent = await arrive(stack, 'parent');
  const [finance, root] = [await arriveAtWork(stack, 'finance'), await arriveAtWork(stack, 'root')];

  const path = await fileRequest(surrogate);
  assert.equal(await surrogate.getByRole('button', { name: /^Approve/ }).count(), 0, 'never their own');
  await approveAsParent(parent, path);

  // The person who makes the batch neither approves nor pays it, and two people sign its file.
  const batch = await makeBatch(finance, path.split('/')[2] ?? '');
  await root.goto(stack.adminUrl + batch);
  await root.getByRole('button', { name: 'Approve batch' }).click();
  await shown(root, 'Next, make the file for the bank.');
  await finance.goto(stack.adminUrl + batch);
  await finance.getByRole('button', { name: 'Make the file' }).click();
  await finance.getByRole('button', { name: 'Sign the file' }).click();
  await shown(finance, 'You signed it.');
  await root.goto(stack.adminUrl + batch);
  await root.getByRole('button', { name: 'Sign the file' }).click();
  const download = root.waitForEvent('download');
  await root.getByRole('button', { name: 'Download bank file' }).click();
  assert.match((await download).suggestedFilename(), /^batch-\d+-[\d-]+\.ach$/);
  await root.getByRole('link', { name: 'Download the file again' }).waitFor();
  await root.getByLabel('How do you know?').fill('Confirmation 4711');
  await root.getByRole('button', { name: 'The bank has it' }).click();
  await surrogate.reload();
  await shown(surrogate, 'Waiting for the bank to pay it');
  // Before the bank date, marking it as paid takes a reason.
  await root.getByText('The bank paid early').click();
  await root.getByLabel('How do you know the bank has paid?').fill('Seen in our account');
  await root.getByRole('button', { name: 'Mark $86.40 as paid' }).click();
  await shown(root, 'Everything is paid.');

  for (const page of [surrogate, parent]) {
    await page.goto(stack.webUrl + path);
    await page.locator('.state-pill', { hasText: 'Paid' }).filter({ visible: true }).first().waitFor();
    await assertAccessible(page, 'a request that is paid');
  }
  const { rows } = await stack.pool.query(
    `select d.status, d.amount_cents::int, array_agg(t.kind order by t.id) as moved
       from disbursement_request d join ledger_transaction t on t.disbursement_id = d.id
      where d.id = $1 group by d.id`,
    [path.split('/')[2]],
  );
  assert.deepEqual(rows, [{ status: 'paid', amount_cents: 8640, moved: ['hold', 'payment'] }]);
  await root.goto(stack.adminUrl + path);
  await root.getByRole('heading', { name: 'In the ledger' }).waitFor();
  for (const page of [surrogate, parent, finance, root]) assert.deepEqual(page.faults, []);
});

test('[BANK-5] a payee enters a bank account, of which only the last four digits come back', async () => {
  const page = await arrive(stack, 'rep', PHONE);
  const data = { amount_cents: 2500, category: 'Travel', description: 'Parking at the clinic' };
  const made = await page.request.post(`${stack.webUrl}/api/cases/1/disbursements`, { data });
  await page.goto(`${stack.webUrl}/disbursements/${(await made.json()).id}`);
  await shown(page, 'We don’t know where to pay you yet');
  await shown(page, 'Add your bank account so the money can reach you once it’s approved.');
  await page.getByRole('link', { name: 'Add your bank account' }).click();
  await page.waitForURL('**/profile#bank-account');
  const panel = page.getByRole('region', { name: 'Bank account' });
  await (await alive(panel.getByRole('button', { name: 'Add a bank account' }))).click();
  await panel.getByLabel('Routing number').waitFor();
  await assertAccessible(page, 'the form of a bank account');
  const fill = async (routing: string, number: string, again = number) => {
    await panel.getByLabel('Routing number').fill(routing);
    await panel.getByLabel('Account number', { exact: true }).fill(number);
    await panel.getByLabel('Confirm account number').fill(again);
    await panel.getByRole('button', { name: 'Save bank account' }).click();
  };
  await fill('021000022', '000456789', '000456780');
  await panel.getByText('This isn’t a valid routing number').waitFor();
  await panel.getByText('The account numbers don’t match.').waitFor();
  assert.equal(await panel.getByLabel('Routing number').getAttribute('aria-invalid'), 'true');
  await assertAccessible(page, 'mistakes in a bank account');
  await fill('021000021', '000456789');
  await shown(page, 'Your bank account is saved.');
  await panel.getByText('In use').waitFor();
  assert.match((await panel.textContent()) ?? '', /Checking account ending in 6789/);

  const words = (await page.content()).replaceAll(/<script.*?<\/script>/gs, '');
  assert.ok(words.includes('6789') && !words.includes('000456789'), 'no more than the last four digits come back');
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('[PAGE-3, REQUEST-17] the filter of the list of requests is in its address', async () => {
  const page = await arrive(stack, 'parent2', PHONE);
  await page.goto(`${stack.webUrl}/disbursements`);
  const states = page.locator('a.list-row .state-pill').filter({ visible: true });
  const all = async (state: string) => {
    const texts = await states.allTextContents();
    return texts.length > 0 && texts.every((one) => one === state) ? texts.length : undefined;
  };
  await states.first().waitFor();
  await (await alive(page.getByLabel('State'))).selectOption({ label: 'Paid' });
  await page.waitForURL('**/disbursements?status=paid');
  const paid = await eventually('all that is left is paid', () => all('Paid'));
  await page.reload();
  // While the list streams in, its rows are in the page twice for a moment.
  await eventually('the filter is applied again', async () => (await all('Paid')) === paid);
  await page.locator('select:has(option[value="paid"]:checked)').waitFor();
  await page.goto(`${stack.webUrl}/disbursements?status=paid&case=999999`);
  await page.getByRole('heading', { name: 'No requests match' }).waitFor();
  await assertAccessible(page, 'a filter that finds nothing');
  await page.getByRole('link', { name: 'Show all requests' }).click();
  await page.waitForURL(`${stack.webUrl}/disbursements`);
  await page.locator('select:has(option[value="paid"]):not(:has(option[value="paid"]:checked))').waitFor();
  await page.context().close();
});

test('[PAGE-3] an owner searches, filters, and sorts cases by the address, from home and in the list', async () => {
  const page = await arrive(stack, 'owner');
  const rows = page.locator('ul.row-list a.list-row[href^="/cases/"]').filter({ visible: true });
  const names = async () => (await rows.locator('.row-who').allTextContents()).map((name) => name.replace(/ #\d+$/, ''));
  const states = () => rows.locator('.state-pill').allTextContents();
  const chip = page.locator('a[href="/cases?status=active"]').filter({ visible: true });
  const count = Number(/\d+$/.exec((await chip.first().textContent()) ?? '')?.[0]);
  assert.ok(count > 2, 'an owner has several cases that are active');
  await chip.first().click();
  await page.waitForURL(`${stack.webUrl}/cases?status=active`);
  await eventually('all active cases are listed', async () => {
    const texts = await states();
    return texts.length === count && texts.every((state) => state === 'Active');
  });

  await (await alive(page.getByLabel('Sort by'))).selectOption({ label: 'Name' });
  await page.waitForURL(`${stack.webUrl}/cases?status=active&sort=name`);
  const isSorted = async () => {
    const listed = await names();
    const sorted = listed.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
    return listed.length === count && listed.join() === sorted.join();
  };
  await eventually('they are sorted by name', isSorted);
  const all = await names();
  const [last = ''] = all.slice(-1);
  const word = last.split(' ')[0] ?? '';
  await page.getByRole('searchbox', { name: 'Search cases' }).fill(word);
  const address = `${stack.webUrl}/cases?status=active&sort=name&q=${word}`;
  await page.waitForURL((url) => url.searchParams.get('q') === word);
  assert.deepEqual([...new URL(page.url()).searchParams].toSorted(), [...new URL(address).searchParams].toSorted());
  const holds = () =>
    eventually('one case is left, and the fields say why', async () => {
      const fields = [
        await page.getByRole('searchbox', { name: 'Search cases' }).inputValue(),
        await page.getByLabel('State').inputValue(),
        await page.getByLabel('Sort by').inputValue(),
      ];
      return (await names()).join() === last && fields.join() === [word, 'active', 'name'].join();
    });
  await holds();
  await page.reload();
  await holds();
  await rows.first().click();
  await page.waitForURL(/\/cases\/\d+$/);
  await page.goBack();
  await holds();

  // A search from home leads to the same list, and going back leads home.
  await page.goto(`${stack.webUrl}/`);
  await page.getByRole('searchbox', { name: 'Search cases' }).fill(word);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${stack.webUrl}/cases?q=${word}`);
  await eventually('it is found from home', async () => (await names()).includes(last) && (await names()).length < all.length);
  await page.goBack();
  await page.getByRole('heading', { name: 'Your cases' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
