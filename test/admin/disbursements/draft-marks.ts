import assert from 'node:assert/strict';
import type pg from 'pg';
import { CASE_1 } from '../../support/cast.ts';
import { addCategories } from '../../support/categories.ts';
import type { Client } from '../../support/platform.ts';

/** Values that appear nowhere else on the platform. The category is no longer on the case's list, so only the draft names it. */
export const MARKS = { amount_cents: 8_765_432, category: 'Zyxocat', description: 'Qwvodesc of the draft' };
/** Writes marked requests while the contract names their category, and then removes it from the case's list. */
export async function whileListed<Result>(pool: pg.Pool, write: () => Promise<Result>): Promise<Result> {
  await addCategories(pool, [CASE_1], [MARKS.category]);
  const written = await write();
  await pool.query('delete from case_benefit where category = $1', [MARKS.category]);
  return written;
}
export const RECEIPT = 'wzqreceipt.pdf';
export const TOLD = /zyxocat|qwvodesc|wzqreceipt|87,?654[.]?3[2-4]/i;
/** Every page and call that is about requests or searches by words. */
export const CALLS = [
  '/api/disbursements?limit=100',
  '/api/disbursements?limit=100&status=draft',
  '/api/disbursements?limit=100&status=cancelled',
  `/api/disbursements?limit=100&case_id=${CASE_1}`,
  '/api/disbursements?waiting_for_me=true',
  `/api/disbursements?q=${MARKS.category}`,
  '/api/disbursements?q=qwvodesc',
  '/api/disbursements?q=87654.32',
  '/api/home',
  '/api/cases',
  `/api/disbursements?case_id=${CASE_1}&category=${MARKS.category}`,
  `/api/messages?search=${MARKS.category}`,
  ...['', '/disbursements?limit=100', '/scheduled-payments', '/timeline?limit=100', '/statement', '/statement?format=csv'].map(
    (part) => `/api/cases/${CASE_1}${part}`,
  ),
  ...['/timeline?kind=request&limit=100', '/projection', '/benefits', '/messages'].map((part) => `/api/cases/${CASE_1}${part}`),
  '/api/user/me/payments',
  '/api/user/me/payments?format=csv',
];
export const PAGES = [
  '/',
  '/disbursements',
  '/disbursements?status=draft',
  '/disbursements?status=cancelled',
  '/disbursements?show=mine',
  `/disbursements?case_id=${CASE_1}`,
  `/cases/${CASE_1}`,
  `/cases/${CASE_1}/money`,
  '/payments',
  '/batches',
  '/messages',
  '/audit',
  '/audit?kind=disbursement',
  `/audit?case_id=${CASE_1}`,
  '/cases',
  '/deliveries',
  '/batches/new',
];

/** Returns the answer to a person's call as one text. */
export async function read(who: Client, path: string): Promise<string> {
  const { status, body } = await who.get(path);
  assert.ok(status < 500, path);
  return JSON.stringify(body);
}

/** Returns the paths whose answers contain the marks. */
export async function toldIn(paths: readonly string[], ask: (path: string) => Promise<string>): Promise<string[]> {
  const answers = await Promise.all(paths.map(async (path) => TOLD.test(await ask(path)) && path));
  return answers.filter((path) => path !== false);
}
