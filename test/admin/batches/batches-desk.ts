import assert from 'node:assert/strict';
import { getBatch } from '@case-platform/modules/banking';
import { CASE_1, DEMO_PASSWORD } from '../../support/cast.ts';
import { bringTo, fundCase, type RequestFields } from '../../support/money.ts';
import { type Client, startApi, type TestApi } from '../../support/platform.ts';
import { type Page, startAdmin, type Visitor } from '../start-admin.ts';

/** A Monday during business hours in New York. */
export const MONDAY = new Date('2026-11-23T16:05:00Z');
export const HOLDER = 'Sam =HYPERLINK("http://x.test","<b>Sam</b>")';
export const ACCOUNT = {
  holder_name: HOLDER,
  routing_number: '021000021',
  account_number: '9876501234',
  account_kind: 'checking',
};
/** The fields of the bank form when it is filled in for the first time. */
export const BANK = {
  version: 'none',
  bank_name: 'First Example Bank',
  routing_number: '091000019',
  immediate_origin: '1123456789',
  company_name: 'Case Platform',
  company_id: '1123456789',
  entry_description: 'PAYMENT',
};

/** Starts both applications on one database, with money in case 1 and the people who work with batches. */
export async function openDesk({ now = () => MONDAY }: { now?: () => Date } = {}) {
  const api = await startApi({ now });
  const admin = await startAdmin({ database: api, now });
  await fundCase(api, CASE_1, 900_000_000);
  const [surrogate, parent] = await api.people('surrogate', 'parent');
  const [root, finance, escrow, viewer] = await admin.people('root', 'finance', 'escrow', 'viewer');
  const putAccount = (who: Client, fields: object = {}) =>
    who.call('PUT', '/api/user/me/bank-account', {
      body: JSON.stringify({ pass_hash: DEMO_PASSWORD, ...ACCOUNT, ...fields }),
      headers: { 'content-type': 'application/json' },
    });
  /** Creates an approved request. @returns its id. */
  const approved = (fields: RequestFields = {}) => bringTo(api, { maker: surrogate, checker: parent }, 'approved', fields);
  const statusOf = async (id: number): Promise<string> => (await surrogate.get(`/api/disbursements/${id}`)).body.status;
  return { api, admin, surrogate, parent, root, finance, escrow, viewer, putAccount, approved, statusOf };
}

/** Makes a batch by the form. @returns its path. */
export async function gather(who: Visitor, ids: number[], fields: Record<string, string> = {}): Promise<string> {
  const made = await who.post('/batches', { disbursement_ids: ids.map(String), ...fields });
  assert.equal(made.status, 303, made.text.slice(0, 2000));
  return (made.location ?? '').split('?', 1)[0] ?? '';
}

/** Sends the form of a step from the batch's page. @returns the path that it leads to. */
export async function step(who: Visitor, path: string, name: string, fields: Record<string, string> = {}): Promise<string> {
  const early = name === 'settle' ? { reason: 'The bank statement shows it' } : {};
  const done = await who.fill(await who.get(path), `${path}/${name}`, { ...early, ...fields });
  assert.equal(done.status, 303, `${name}: ${problemOf(done)}`);
  return done.location ?? '';
}

/** Returns the problem at the top of a page that was rejected. */
export function problemOf({ text }: Page): string {
  return /role="alert"[\s\S]*?<p>([^<]+)<\/p>/.exec(text)?.[1] ?? text.slice(0, 500);
}

/** Sends the form of a step with current values, even if the page no longer shows its button. */
export async function press(
  { db }: Pick<TestApi, 'db'>,
  who: Visitor,
  path: string,
  name: string,
  fields: Record<string, string> = {},
): Promise<Page> {
  const { list_sha256, file_sha256 } = await getBatch(db, Number(path.split('/')[2]), new Date());
  const sha256 = ['approve', 'generate', 'settle'].includes(name) ? list_sha256 : (file_sha256 ?? '0'.repeat(64));
  const early = name === 'settle' ? { before_bank_date: 'yes', reason: 'The bank statement shows it' } : {};
  return who.post(`${path}/${name}`, { sha256, ...early, ...fields });
}

export async function sign(who: Visitor, path: string): Promise<void> {
  await step(who, path, 'sign');
}

/** Makes a batch, has both people sign its file, and lets the payer download it. @returns the path of the batch. */
export async function releaseBatch(maker: Visitor, payer: Visitor, ids: number[]): Promise<string> {
  const path = await gather(maker, ids);
  await step(payer, path, 'approve');
  await step(maker, path, 'generate');
  await sign(maker, path);
  await sign(payer, path);
  await step(payer, path, 'hand-out');
  return path;
}

export function takeIn(who: Visitor, text: string, name = 'returns.ach'): Promise<Page> {
  return who.upload('/batches/returns', {}, [{ name, type: 'text/plain', content: Buffer.from(text) }]);
}

/** Lets one person upload a return file and another confirm it. @returns its page afterwards, or the rejection. */
export async function readReturns(maker: Visitor, checker: Visitor, text: string): Promise<Page> {
  const taken = await takeIn(maker, text);
  if (taken.status !== 303) return taken;
  const path = (taken.location ?? '').split('?', 1)[0] ?? '';
  const done = await checker.fill(await checker.get(path), `${path}/confirm`);
  return done.status === 303 ? checker.get(done.location ?? '') : done;
}
