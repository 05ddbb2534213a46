import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPool } from '@case-platform/lib/database';
import { startAdmin } from '../../admin/start-admin.ts';
import { CASE_1 } from '../../support/cast.ts';
import { fundCase } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const root = await (await startAdmin({ database: api, storage: api.storage })).as('root');
const { parent, surrogate } = await api.everyone();
/** A pool with a longer limit, because writing this many rows takes longer than a person's request may. */
const patient = createPool({ url: api.url, name: 'many', max: 1, limitMs: 60_000 });
after(() => patient.end());
const FORMATS = ['json', 'csv', 'pdf'] as const;

/** Pays a number of requests of one cent to the surrogate, all of them on one day. */
async function payMany(day: string, count: number): Promise<void> {
  await fundCase(api, CASE_1, count);
  await patient.query(
    `with asked as (
       insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                         submitted_at, approver_id, decided_at, paid_at)
       select $1, 'paid', 1, 'Travel', 'A bus', $2, $2, $2, $4, $3, $4, $4 from generate_series(1, $5) returning id),
     moved as (
       insert into ledger_transaction (case_id, kind, disbursement_id, memo, created_at)
       select $1, kind, id, 'travel', $4 from asked, (values ('hold'), ('payment')) k (kind) returning id, kind)
     insert into ledger_posting (transaction_id, case_id, account, amount_cents)
     select id, $1, account, cents
       from moved join (values ('hold', 'funds', 1), ('hold', 'held', -1), ('payment', 'held', 1), ('payment', 'cash', -1))
         p (of, account, cents) on p.of = moved.kind`,
    [CASE_1, surrogate.userId, parent.userId, `${day}T15:00:00Z`, count],
  );
}

/** Requests a statement up to a day in each format. @returns the number of rows, or the reason for a rejection. */
async function ask(who: Client, path: string, to: string): Promise<Record<string, number | string>> {
  const answers = FORMATS.map(async (format) => {
    const { status, body } = await who.get(`${path}?from=2024-02-29&to=${to}&format=${format}`);
    if (status !== 200) return [format, `${status} ${body.detail}`];
    if (format === 'pdf') return [format, 'a file'];
    const lines = (text: string) => text.split('\r\n').filter((line) => line.includes('Travel')).length;
    return [format, format === 'csv' ? lines(body) : body.data.length];
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Reads the money page of staff up to a day: the number of rows, the files that it offers, and its messages. */
async function look(to: string) {
  const { text } = await root.get(`/cases/${CASE_1}/money?from=2024-02-29&to=${to}`);
  return {
    rows: text.split('<tr><td>').length - 1,
    files: [...text.matchAll(/(PDF|CSV)(?:, \w+)?<\/a>/g)].map(([, format]) => format),
    says: /(?:A PDF|A statement) shows up to [^<]+/.exec(text)?.[0],
  };
}

const STATEMENT = `/api/cases/${CASE_1}/statement`;
const PAYMENTS = '/api/user/me/payments';

test('[STATEMENT-4] a statement is complete or rejected with a reason: a PDF has up to 2,000 rows, any format up to 10,000', async () => {
  // The totals of the two months do not count.
  await payMany('2024-02-29', 1);
  await payMany('2024-03-01', 1999);
  await payMany('2024-03-02', 1);
  await payMany('2024-03-03', 7999);
  await payMany('2024-03-04', 1);
  const noPdf = '422 A PDF shows up to 2,000 rows. Choose a shorter period, or the CSV file.';
  for (const [who, path, tooMany] of [
    [parent, STATEMENT, '422 A statement shows up to 10,000 movements. Choose a shorter period.'],
    [surrogate, PAYMENTS, '422 This list shows up to 10,000 payments. Choose a shorter period.'],
  ] as const) {
    assert.deepEqual(await ask(who, path, '2024-03-01'), { json: 2000, csv: 2000, pdf: 'a file' }, path);
    assert.deepEqual(await ask(who, path, '2024-03-02'), { json: 2001, csv: 2001, pdf: noPdf }, path);
    assert.deepEqual(await ask(who, path, '2024-03-03'), { json: 10_000, csv: 10_000, pdf: noPdf }, path);
    assert.deepEqual(await ask(who, path, '2024-03-04'), { json: tooMany, csv: tooMany, pdf: tooMany }, path);
  }
  const [pdfs, csv] = [['PDF', 'PDF', 'CSV'], ['CSV']];
  assert.deepEqual(await look('2024-03-01'), { rows: 2000, files: pdfs, says: undefined });
  assert.deepEqual(await look('2024-03-02'), { rows: 2001, files: csv, says: noPdf.slice(4) });
  assert.deepEqual(await look('2024-03-03'), { rows: 10_000, files: csv, says: noPdf.slice(4) });
  const none = { rows: 0, files: [], says: '' };
  assert.deepEqual(await look('2024-03-04'), {
    ...none,
    says: 'A statement shows up to 10,000 movements. Choose a shorter period.',
  });
});
