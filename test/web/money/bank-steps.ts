import assert from 'node:assert/strict';
import { createDatabase } from '@case-platform/lib/database';
import { getBatch } from '@case-platform/modules/banking';
import { returnFile } from '../../support/return-file.ts';
import type { WatchedPage } from '../../support/stack/arrive.ts';
import type { RealStack } from '../../support/stack/real-stack.ts';

/** The steps with which staff send a payment to the bank and record its return, by the buttons of their pages or without them. */

/** The pages of two people: the maker of a batch and its file, and the person who approves, pays, and settles it. */
export interface Desk extends Pick<RealStack, 'adminUrl' | 'pool'> {
  maker: WatchedPage;
  payer: WatchedPage;
}

interface Form {
  action: string;
  fields?: Record<string, string>;
  /** The value of the button to press, if the form has several. */
  value?: string;
}

/**
 * Sends a form of the staff application, after opening its popover or `details` if it has one, and waits until it is done.
 * @param address of the page with the form, or null if it is already open
 */
export async function sendForm(page: WatchedPage, address: string | null, { action, fields = {}, value }: Form): Promise<void> {
  if (address !== null) await page.goto(address);
  const form = page.locator(`form[action="${action}"]`);
  await form.waitFor({ state: 'attached' });
  const id = await form.evaluate((one) => one.closest('[popover]')?.id);
  if (id !== undefined) await page.locator(`[popovertarget="${id}"]:not([popovertargetaction])`).first().click();
  const fold = page.locator('details:not([open])', { has: form });
  if ((await fold.count()) > 0) await fold.locator('summary').first().click();
  for (const [name, text] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(text);
  const shown = page.waitForEvent('load');
  await form.locator(value === undefined ? 'button[type="submit"]' : `button[value="${value}"]`).click();
  await shown;
  assert.match(page.url(), /[?&]done=/);
}

/** Sends a form of the staff application without its page. @returns the path of the page that follows. */
export async function postForm(page: WatchedPage, address: string, fields: [string, string][]): Promise<string> {
  const csrf = await page.locator('[name="_csrf"]').first().inputValue();
  const answer = await page.request.post(address, {
    data: new URLSearchParams([['_csrf', csrf], ...fields]).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    maxRedirects: 0,
  });
  const problem = /role="alert"[\s\S]*?<p>([^<]+)/.exec(await answer.text())?.[1];
  assert.equal(answer.status(), 303, `${address}: ${problem}`);
  return answer.headers().location?.split('?', 1)[0] ?? '';
}

const findBatch = ({ pool }: Desk, path: string) => getBatch(createDatabase(pool), Number(path.split('/')[2]), new Date());

/** Makes a batch of these requests, has it approved, and makes its file, without pages. @returns its path. */
export async function makeFile(desk: Desk, ...ids: number[]): Promise<string> {
  const { adminUrl, maker, payer } = desk;
  const path = await postForm(
    maker,
    `${adminUrl}/batches`,
    ids.map((id) => ['disbursement_ids', String(id)]),
  );
  const list: [string, string][] = [['sha256', (await findBatch(desk, path)).list_sha256]];
  await postForm(payer, `${adminUrl + path}/approve`, list);
  await postForm(maker, `${adminUrl + path}/generate`, list);
  return path;
}

/** Signs the file of a batch, and records that it was sent to the bank. */
export async function signAndSend(desk: Desk, path: string): Promise<void> {
  const { adminUrl, maker, payer } = desk;
  const file: [string, string][] = [['sha256', (await findBatch(desk, path)).file_sha256 ?? '']];
  for (const signer of [maker, payer]) await postForm(signer, `${adminUrl + path}/sign`, file);
  await postForm(payer, `${adminUrl + path}/hand-out`, file);
}

/** Records that the bank confirmed the file of a batch. */
export async function confirmFile(desk: Desk, path: string): Promise<void> {
  const sha256 = (await findBatch(desk, path)).file_sha256 ?? '';
  await postForm(desk.payer, `${desk.adminUrl + path}/outcome`, [
    ['sha256', sha256],
    ['note', 'Confirmation 4711'],
    ['outcome', 'accepted'],
  ]);
}

/** Brings a batch of only this request to the bank: its file is made, signed by both, and confirmed. @returns its path. */
export async function bringToBank({ adminUrl, maker, payer }: Desk, id: number): Promise<string> {
  await maker.goto(`${adminUrl}/batches/new`);
  const boxes = maker.locator('input[name="disbursement_ids"]:enabled');
  for (const box of await boxes.all()) await box.setChecked((await box.getAttribute('value')) === String(id));
  await maker.getByRole('button', { name: 'Make batch' }).click();
  await maker.waitForURL(/\/batches\/\d+\?/);
  const path = new URL(maker.url()).pathname;
  const step = (page: WatchedPage, name: string, more: Partial<Form> = {}) =>
    sendForm(page, null, { action: `${path}/${name}`, ...more });
  // A page that sent a form shows the batch afterwards, but not what the other person does next.
  await payer.goto(adminUrl + path);
  await step(payer, 'approve');
  await maker.goto(adminUrl + path);
  await step(maker, 'generate');
  await step(maker, 'sign');
  await payer.goto(adminUrl + path);
  await step(payer, 'sign');
  await step(payer, 'hand-out');
  await step(payer, 'outcome', { fields: { note: 'Confirmation 4711' }, value: 'accepted' });
  return path;
}

/** Records that the bank statement shows a batch, with a reason if that is before its bank date. */
export async function settle({ adminUrl, payer }: Desk, path: string): Promise<void> {
  await payer.goto(adminUrl + path);
  const isEarly = (await payer.locator('form [name="before_bank_date"]').count()) > 0;
  const fields = isEarly ? { reason: 'Seen on the bank statement' } : {};
  await sendForm(payer, null, { action: `${path}/settle`, fields });
}

/** Returns a payment with R03 (no account): the maker uploads the bank's file, and the payer confirms it. */
export async function sendBack({ adminUrl, pool, maker, payer }: Desk, id: number): Promise<void> {
  const { rows } = await pool.query(
    `select trace_number as trace, amount_cents::int as cents from banking_batch_entry
      where disbursement_id = $1 order by id desc limit 1`,
    [id],
  );
  await maker.goto(`${adminUrl}/batches/returns`);
  const file = returnFile([{ code: 'R03', ...rows[0] }]);
  await maker.locator('input[type="file"]').setInputFiles({
    name: 'returns.ach',
    mimeType: 'text/plain',
    buffer: Buffer.from(file),
  });
  await maker.locator('form:has(input[type="file"]) button[type="submit"]').click();
  await maker.waitForURL(/\/batches\/returns\/\d+\?/);
  const path = new URL(maker.url()).pathname;
  await sendForm(payer, adminUrl + path, { action: `${path}/confirm` });
}
