import { disbursementStateInWords, type disbursementSteps } from '@case-platform/words/disbursement-states';
import { moneyWords } from '@case-platform/words/money';
import type { Locator } from 'playwright-core';
import { openPage } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { arrive, arriveAtWork, type WatchedPage } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { says } from './seen.ts';

type Status = Parameters<typeof disbursementSteps>[0];

/** The case of the walk: the demo's first. */
export const CASE = '/cases/1';
export const CENTS = 12_743;
const AMOUNT = moneyWords(CENTS);

const stack = await useRealStack();
export const { webUrl, adminUrl, pool } = stack;

/** Those who keep a page open all the while; what a step changes is there without a reload. */
export const surrogate = await arrive(stack, 'surrogate', {
  ...{ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
});
export const parent = await arrive(stack, 'parent');
/** These two look after many cases: they keep the requests of this one open. */
const OF_CASE = { path: '/disbursements?case=1' };
export const owner = await arrive(stack, 'owner', OF_CASE);
export const manager = await arrive(stack, 'manager', OF_CASE);
/** Further tabs of two of them: at the case, at its statement, and later at the request. */
export const parentsCase = await openPage(parent.context());
const parentsStatement = await openPage(parent.context());
await Promise.all([parentsCase.goto(webUrl + CASE), parentsStatement.goto(`${webUrl}${CASE}/statement`)]);
export const ofSurrogate = await openPage(surrogate.context());

export const escrow = await arriveAtWork(stack, 'escrow');
export const finance = await arriveAtWork(stack, 'finance');
const root = await arriveAtWork(stack, 'root');
/** Finance makes the batches, the root administrator approves and pays them. */
export const desk = { adminUrl, pool, maker: finance, payer: root };

/** The request, once it is written. */
export const request = { id: 0, path: '' };
const startedAt = new Date();

/** Who is paid, by name. */
export const payee: string = (
  await pool.query(`select first_name || ' ' || last_name as name from user_account where email_address = $1`, [
    'surrogate@demo.test',
  ])
).rows[0].name;

/** What is said of the request where requests are listed. */
export function row(page: WatchedPage): Locator {
  return page.locator(`main a.list-row[href="${request.path}"]`).filter({ hasText: AMOUNT });
}

/** That the request stands in the lists of these pages, in this state. */
export async function isListed(status: Status, ...pages: WatchedPage[]): Promise<void> {
  for (const page of pages) await says(row(page), disbursementStateInWords(status).words);
}

/** That the request's own page, which the surrogate looks at in a further tab, shows this state. */
export async function isShownAs(status: Status, page = ofSurrogate): Promise<void> {
  await says(page.locator('main .state-pill'), disbursementStateInWords(status).words);
}

/** That the request's page in the staff application shows this state. */
export async function isAtWork(status: Status): Promise<void> {
  await escrow.goto(adminUrl + request.path);
  await says(escrow.locator('main .state-pill'), disbursementStateInWords(status).words);
}

/** That the case's page, which the parent looks at, shows this figure. */
export async function caseShows(cents: number): Promise<void> {
  await says(parentsCase.locator('main dl dd'), moneyWords(cents));
}

/** That the case's statement, which the parent looks at, has so many lines about the request. */
export async function statementHas(count: number): Promise<void> {
  const lines = parentsStatement.locator(`.statement-table a[href="${request.path}"]`).filter({ visible: true });
  await eventually(`${count} lines on the statement`, async () => (await lines.count()) === count);
}

/** What the case holds, by the API. */
export async function readBalance(): Promise<Record<'available_cents' | 'held_cents' | 'paid_cents', number>> {
  return (await (await parent.request.get(`${webUrl}/api${CASE}`)).json()).balance;
}

/** Whether finance can choose the request for a batch; undefined where it is not offered. */
export async function mayBeBatched(): Promise<boolean | undefined> {
  await finance.goto(`${adminUrl}/batches/new`);
  const box = finance.locator(`input[name="disbursement_ids"][value="${request.id}"]`);
  return (await box.count()) === 0 ? undefined : box.isEnabled();
}

/** The day on which the request is at the bank of whoever is paid: the bank's own. */
export async function readBankDate(): Promise<string> {
  const { rows } = await pool.query('select bank_date::text as day from disbursement_request where id = $1', [
    request.id,
  ]);
  return rows[0].day;
}

/** Notes that time has passed in which a new bank account cools off. */
export async function coolOff(): Promise<void> {
  await pool.query('update payee_bank_account set usable_from = created_at where replaced_at is null');
}

/** That whoever is paid has had these mails about payments since the walk began, and no other one. */
export async function isTold(...events: string[]): Promise<void> {
  await eventually(`mails about ${events}`, async () => {
    const { rows } = await pool.query<{ event: string }>(
      `select d.event from delivery d join user_account u on u.id = d.user_id
        where u.email_address = 'surrogate@demo.test' and u.user_type = 'surrogate' and d.channel = 'email'
          and d.event like 'payment_%' and d.created_at >= $1 order by d.id`,
      [startedAt],
    );
    return String(rows.map(({ event }) => event)) === String(events);
  });
}

/** The part of a page that a request which waits for the reader's decision stands in. */
export function decisionOf(page: WatchedPage): Locator {
  return page.getByRole('article').filter({ has: page.locator(`a[href="${request.path}"]`) });
}

/** What is said at home of a payment that came back. */
export function returnedAt(page: WatchedPage): Locator {
  return page.locator('main li').filter({ has: page.locator(`a[href="${request.path}"]`) });
}

/** That somebody who looks at another page reads this at home of the payment that came back. */
export async function readsAtHome(page: WatchedPage, words: string): Promise<void> {
  await page.goto(`${webUrl}/`);
  await says(returnedAt(page), words);
  await page.goto(webUrl + OF_CASE.path);
}

/** Everybody who looks at the request among others. */
export const everybody = [surrogate, parent, owner, manager] as const;
/** Every page of the walk. */
export const allPages = [...everybody, parentsCase, parentsStatement, ofSurrogate, escrow, finance, root];
