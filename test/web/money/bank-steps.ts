import { returnFile } from '../../support/return-file.ts';
import type { WatchedPage } from '../../support/stack/arrive.ts';
import type { RealStack } from '../../support/stack/real-stack.ts';

/** The steps of staff that bring a payment to the bank and back, by the buttons of their pages. */

/** Whoever makes a batch and its file, and whoever approves, pays and settles it. */
export interface Desk extends Pick<RealStack, 'adminUrl' | 'pool'> {
  maker: WatchedPage;
  payer: WatchedPage;
}

interface Form {
  /** Where the form goes. */
  action: string;
  fields?: Record<string, string>;
  /** Of several buttons the one with this value. */
  value?: string;
}

/** Sends a form of a page of the staff application, which may stand behind a question or a fold, and sees it done. */
export async function sendForm(
  page: WatchedPage,
  address: string,
  { action, fields = {}, value }: Form,
): Promise<void> {
  await page.goto(address);
  const form = page.locator(`form[action="${action}"]`);
  await form.waitFor({ state: 'attached' });
  const id = await form.evaluate((one) => one.closest('[popover]')?.id);
  if (id !== undefined) await page.locator(`[popovertarget="${id}"]:not([popovertargetaction])`).first().click();
  const fold = page.locator('details:not([open])', { has: form });
  if ((await fold.count()) > 0) await fold.locator('summary').first().click();
  for (const [name, text] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(text);
  await form.locator(value === undefined ? 'button[type="submit"]' : `button[value="${value}"]`).click();
  await page.waitForURL(/[?&]done=/);
}

/** Makes a batch of one request alone, has its file made and signed by both, and says that the bank has it. @returns its path. */
export async function bringToBank({ adminUrl, maker, payer }: Desk, id: number): Promise<string> {
  await maker.goto(`${adminUrl}/batches/new`);
  const boxes = maker.locator('input[name="disbursement_ids"]:enabled');
  for (const box of await boxes.all()) await box.setChecked((await box.getAttribute('value')) === String(id));
  await maker.locator('form:has(input[name="disbursement_ids"]) button[type="submit"]').click();
  await maker.waitForURL(/\/batches\/\d+\?/);
  const path = new URL(maker.url()).pathname;
  const step = (page: WatchedPage, name: string, more: Partial<Form> = {}) =>
    sendForm(page, adminUrl + path, { action: `${path}/${name}`, ...more });
  await step(payer, 'approve');
  await step(maker, 'generate');
  await step(maker, 'sign');
  await step(payer, 'sign');
  await step(payer, 'hand-out');
  await step(payer, 'outcome', { fields: { note: 'Confirmation 4711' }, value: 'accepted' });
  return path;
}

/** The bank statement shows a batch, on its bank date or before. */
export async function settle({ adminUrl, payer }: Desk, path: string): Promise<void> {
  await payer.goto(adminUrl + path);
  const isEarly = (await payer.locator('form [name="before_bank_date"]').count()) > 0;
  const fields = isEarly ? { reason: 'Seen on the bank statement' } : {};
  await sendForm(payer, adminUrl + path, { action: `${path}/settle`, fields });
}

/** The bank's file says that the account of a payment does not exist; one reads it in, the other confirms it. */
export async function sendBack({ adminUrl, pool, maker, payer }: Desk, id: number): Promise<void> {
  const { rows } = await pool.query(
    `select trace_number as trace, amount_cents::int as cents from banking_batch_entry
      where disbursement_id = $1 order by id desc limit 1`,
    [id],
  );
  await maker.goto(`${adminUrl}/batches/returns`);
  const file = returnFile([{ code: 'R03', ...rows[0] }]);
  await maker.locator('input[type="file"]').setInputFiles({
    ...{ name: 'returns.ach', mimeType: 'text/plain', buffer: Buffer.from(file) },
  });
  await maker.locator('form:has(input[type="file"]) button[type="submit"]').click();
  await maker.waitForURL(/\/batches\/returns\/\d+\?/);
  const path = new URL(maker.url()).pathname;
  await sendForm(payer, adminUrl + path, { action: `${path}/confirm` });
}
