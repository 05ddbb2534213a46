import { disbursementStateInWords } from '@case-platform/words/disbursement-states';
import { moneyWords } from '@case-platform/words/money';
import type { Locator } from 'playwright-core';
import { openPage } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { arrive, arriveAtWork, type WatchedPage } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { says } from './seen.ts';

type Status = Parameters<typeof disbursementStateInWords>[0];

/** The walk is about the first case of the demo. */
export const CASE = '/cases/1';
export const CENTS = 12_743;
const AMOUNT = moneyWords(CENTS);

const stack = await useRealStack();
export const { webUrl, adminUrl, pool } = stack;

/** These three people keep a page open during the whole walk, and each step must appear there without a reload. */
export const surrogate = await arrive(stack, 'surrogate', {
  path: null,
  viewport: { width: 390, height: 844 },
  // Pictures for the documentation are sharp.
  deviceScaleFactor: process.env.PICTURES === undefined ? 1 : 2,
});
export const parent = await arrive(stack, 'parent');
/** The owner of an agency has many cases, and keeps the list of this case's requests open. */
const OF_CASE = { path: '/disbursements?case=1' };
export const owner = await arrive(stack, 'owner', OF_CASE);
/** More tabs of two of them show the case, and later the request. */
export const parentsCase = await openPage(parent.context());
await parentsCase.goto(webUrl + CASE);
export const ofSurrogate = await openPage(surrogate.context());

export const escrow = await arriveAtWork(stack, 'escrow');
export const finance = await arriveAtWork(stack, 'finance');
const root = await arriveAtWork(stack, 'root');
/** Finance makes the batches, and the root administrator approves and pays them. */
export const desk = { adminUrl, pool, maker: finance, payer: root };

/** The request of the walk, filled in once it is written. */
export const request = { id: 0, path: '' };
const startedAt = new Date();

/** The name of the payee. */
export const payee: string = (
  await pool.query(`select first_name || ' ' || last_name as name from user_account where email_address = $1`, [
    'surrogate@demo.test',
  ])
).rows[0].name;

/** The row of the request in a list of requests. */
export function row(page: WatchedPage): Locator {
  return page.locator(`main a.list-row[href="${request.path}"]`).filter({ hasText: AMOUNT });
}

/** The walk looks at a batched request only after someone recorded that the bank has its file (WHERE-2). */
const labelOf = (status: Status) => (status === 'batched' ? 'At the bank' : disbursementStateInWords(status).words);

/** Waits until these pages list the request in this state. */
export async function isListed(status: Status, ...pages: WatchedPage[]): Promise<void> {
  for (const page of pages) await says(row(page), labelOf(status));
}

/** Waits until the request's own page, open in a second tab of the surrogate, shows this state. */
export async function isShownAs(status: Status, page = ofSurrogate): Promise<void> {
  await says(page.locator('main .state-pill'), labelOf(status));
}

/** Waits until the request's page in the staff application shows this state. */
export async function isAtWork(status: Status): Promise<void> {
  await escrow.goto(adminUrl + request.path);
  await says(escrow.locator('main .state-pill'), labelOf(status));
}

/** Waits until the page of the case, which the parent has open, shows this amount. */
export async function caseShows(cents: number): Promise<void> {
  await says(parentsCase.locator('main dl dd'), moneyWords(cents));
}

/** Reads the balance of the case from the API. */
export async function readBalance(): Promise<Record<'available_cents' | 'held_cents' | 'paid_cents', number>> {
  return (await (await parent.request.get(`${webUrl}/api${CASE}`)).json()).balance;
}

/** Returns whether finance can choose the request for a batch, false if it is left out, or undefined if it is not listed. */
export async function mayBeBatched(): Promise<boolean | undefined> {
  await finance.goto(`${adminUrl}/batches/new`);
  const box = finance.locator(`input[name="disbursement_ids"][value="${request.id}"]`);
  if ((await box.count()) > 0) return true;
  const isLeftOut = (await finance.locator(`a[href="${request.path}"]`).count()) > 0;
  return isLeftOut ? false : undefined;
}

/** Returns the bank date of the request, as YYYY-MM-DD. */
export async function readBankDate(): Promise<string> {
  const { rows } = await pool.query('select bank_date::text as day from disbursement_request where id = $1', [request.id]);
  return rows[0].day;
}

/** Ends the waiting time of a new bank account (BANK-1). */
export async function coolOff(): Promise<void> {
  await pool.query('update payee_bank_account set usable_from = created_at where replaced_at is null');
}

/**
 * Waits until the payee has received exactly these mails about payments since the walk began. A return also moves the dates of
 * the payee's other payments, which is announced in other mails.
 */
export async function isTold(...events: string[]): Promise<void> {
  await eventually(`mails about ${events}`, async () => {
    const { rows } = await pool.query<{ event: string }>(
      `select d.event from delivery d join user_account u on u.id = d.user_id
        where u.email_address = 'surrogate@demo.test' and u.user_type = 'surrogate' and d.channel = 'email'
          and d.event in ('payment_on_its_way', 'payment_arrived', 'payment_returned') and d.created_at >= $1 order by d.id`,
      [startedAt],
    );
    return String(rows.map(({ event }) => event)) === String(events);
  });
}

/** The part of a page that asks its reader to decide about the request. */
export function decisionOf(page: WatchedPage): Locator {
  return page.getByRole('article').filter({ has: page.locator(`a[href="${request.path}"]`) });
}

/** The item about the returned payment on the home page. */
export function returnedAt(page: WatchedPage): Locator {
  return page.locator('main li').filter({ has: page.locator(`a[href="${request.path}"]`) });
}

/** Checks what the home page says about the returned payment, and goes back to the list of requests. */
export async function readsAtHome(page: WatchedPage, words: string): Promise<void> {
  await page.goto(`${webUrl}/`);
  await says(returnedAt(page), words);
  await page.goto(webUrl + OF_CASE.path);
}

/** The pages that list the request. */
export const everybody = [surrogate, parent, owner] as const;

export const allPages = [...everybody, parentsCase, ofSurrogate, escrow, finance, root];
