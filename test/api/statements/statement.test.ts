import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { moneyWords, signedMoneyWords } from '@case-platform/words/money';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { pdfText } from '../../support/pdf-text.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const { parent, surrogate, manager, rep, escrow, viewer, bothParent: stranger, finance } = await api.everyone();
const both = { maker: surrogate, checker: parent };
await fundCase(api, CASE_1, 900_000_000);
/** Returns the bank's current day, which changes at midnight in New York. */
const bankDay = () => new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format(new Date());
const firstDay = bankDay();
/** The period from the start of these tests until now. */
const lately = () => ({ from: firstDay, to: bankDay() });
const isLately = (day: string) => firstDay <= day && day <= bankDay();
const shift = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

interface Line {
  date: string;
  kind: string;
  description: string;
  category: string | null;
  payee: string | null;
  amount_cents: number;
  balance_cents: number;
  disbursement_id: number | null;
}

const statementOf = async (who: Client, caseId: number, query = '') => {
  const { status, body } = await who.get(`/api/cases/${caseId}/statement${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as {
    opening_balance_cents: number;
    closing_balance_cents: number;
    data: Line[];
    set_aside: { disbursement_id: number; amount_cents: number }[];
    from: string;
    to: string;
  };
};

describe('the statement of a case', () => {
  before(() => bringTo(api, both, 'paid', { amount_cents: 30_000 }));

  test('[STATEMENT-1] a statement shows what moved a case’s cash, signed, with the balance after each movement', async () => {
    const before = await statementOf(parent, CASE_1, `?${new URLSearchParams(lately())}`);
    await fundCase(api, CASE_1, 500_000);
    const paid = await bringTo(api, both, 'paid', { amount_cents: 30_000 });
    const returned = await bringTo(api, both, 'returned', { amount_cents: 4_500 });
    await bringTo(api, both, 'approved', { amount_cents: 7_777 });
    const after = await statementOf(parent, CASE_1, `?${new URLSearchParams(lately())}`);
    const added = after.data.slice(before.data.length);
    assert.deepEqual(
      added.map(({ kind, amount_cents, disbursement_id }) => [kind, amount_cents, disbursement_id]),
      [
        ['deposit', 500_000, null],
        ['payment', -30_000, paid],
        ['payment', -4_500, returned],
        ['return', 4_500, returned],
      ],
    );
    const about = { description: 'Train to the clinic', category: 'Travel', payee: 'Sarah Lindgren' };
    for (const line of [added[1], added[3]]) assert.partialDeepStrictEqual(line, about);
    assert.partialDeepStrictEqual(added[0], { category: null, payee: null });
    const sums = added.map(({ balance_cents }) => balance_cents - before.closing_balance_cents);
    assert.deepEqual(sums, [500_000, 470_000, 465_500, 470_000]);
    assert.equal(after.opening_balance_cents, before.opening_balance_cents);
    assert.equal(after.closing_balance_cents, added.at(-1)?.balance_cents);
    assert.ok(after.data.every(({ date }) => isLately(date)));
  });

  test('[STATEMENT-1] its closing balance is what the case page shows as available and reserved', async () => {
    const { closing_balance_cents } = await statementOf(parent, CASE_1);
    const { balance } = (await parent.get(`/api/cases/${CASE_1}`)).body;
    assert.equal(closing_balance_cents, balance.available_cents + balance.held_cents);
  });

  test('[STATEMENT-8] a statement up to today lists what is set aside, as the requests say where it is', async () => {
    const id = await bringTo(api, both, 'approved', { amount_cents: 8_888 });
    const { set_aside } = await statementOf(parent, CASE_1);
    const { balance } = (await parent.get(`/api/cases/${CASE_1}`)).body;
    assert.equal(
      set_aside.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
      balance.held_cents,
    );
    const { whereabouts } = (await parent.get(`/api/disbursements/${id}`)).body;
    const own = set_aside.find(({ disbursement_id }) => disbursement_id === id);
    assert.partialDeepStrictEqual(own, { payee: 'Sarah Lindgren', amount_cents: 8_888, whereabouts });
    assert.deepEqual((await statementOf(parent, CASE_1, `?to=${shift(bankDay(), -1)}`)).set_aside, []);
  });

  test('[STATEMENT-2, CASE-2] a statement is for those who may see the balance: 403 for surrogates, 404 for those who do not see the case', async () => {
    const path = `/api/cases/${CASE_1}/statement`;
    for (const who of [parent, manager, rep, escrow]) assert.equal((await who.get(path)).status, 200);
    const refused = await surrogate.get(path);
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_visible']);
    for (const who of [stranger, viewer, finance]) assert.equal((await who.get(path)).status, 404);
    assert.equal((await parent.get(`/api/cases/${CASE_2}/statement`)).status, 404);
    assert.equal((await parent.get('/api/cases/999999/statement')).status, 404);
    assert.equal((await api.anonymous.get(path)).status, 401);
  });

  test('[STATEMENT-2] a statement takes periods of up to 366 days', async () => {
    const status = async (query: string) => (await parent.get(`/api/cases/${CASE_1}/statement?${query}`)).status;
    assert.equal(await status('from=2024-01-01&to=2024-12-31'), 200);
    for (const wrong of [
      'from=2024-01-01&to=2025-01-01',
      'from=2024-02-02&to=2024-02-01',
      'from=2024-02-30&to=2024-03-01',
      'from=yesterday',
      'from=0001-01-01&to=0001-01-02',
      'format=xml',
    ])
      assert.equal(await status(wrong), 422, wrong);
    const { from, to } = await statementOf(parent, CASE_1);
    assert.ok(isLately(to), to);
    assert.equal(from, shift(to, -89));
  });

  test('[STATEMENT-3] a CSV is marked as UTF-8 and has a header row, ISO dates, decimals, and a file name that says what it is', async () => {
    const { from, to } = lately();
    const { status, headers, body } = await parent.get(`/api/cases/${CASE_1}/statement?format=csv&from=${from}&to=${to}`);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    const name = `case-${CASE_1}-statement-${from}-to-${to}.csv`;
    assert.equal(headers.get('content-disposition'), `attachment; filename="${name}"`);
    const raw = await fetch(`${api.baseUrl}/api/cases/${CASE_1}/statement?format=csv`, {
      headers: { authorization: `Bearer ${parent.token}` },
    });
    assert.deepEqual([...new Uint8Array(await raw.arrayBuffer()).slice(0, 3)], [0xef, 0xbb, 0xbf]);
    const rows = body.trim().split('\r\n');
    assert.match(rows[0], /^\uFEFF?Date,Type,Description,Category,Paid to,Amount,Balance,Request,Month in,Month out$/);
    assert.match(rows[1], new RegExp(`^${from},Opening balance,,,,,\\d+\\.\\d\\d,,,$`));
    const line = /^\d{4}-\d\d-\d\d,Payment,Train to the clinic,Travel,Sarah Lindgren,-300\.00,\d+\.\d\d,\d+,,$/;
    assert.ok(rows.some((row: string) => line.test(row)));
    const statement = await statementOf(parent, CASE_1, `?from=${from}&to=${to}`);
    const total = rows.slice(1).reduce((sum: number, row: string) => sum + Math.round(Number(row.split(',').at(-5)) * 100), 0);
    assert.equal(total, statement.closing_balance_cents - statement.opening_balance_cents);
  });
});

describe('as PDF', () => {
  const pdfOf = async (path: string, language = 'en-US,en;q=0.9') => {
    const answer = await fetch(new URL(path, api.baseUrl), {
      headers: { authorization: `Bearer ${parent.token}`, 'accept-language': language },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/pdf');
    return { name: answer.headers.get('content-disposition'), file: Buffer.from(await answer.arrayBuffer()) };
  };
  const path = `/api/cases/${CASE_1}/statement?format=pdf`;
  const sizeOf = (file: Buffer) => /MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(file.toString('latin1'))?.slice(1).join();

  test('[STATEMENT-4, STATEMENT-8] a PDF’s text can be selected, its pages are numbered, and its figures are the statement’s', async () => {
    await bringTo(api, both, 'paid', { amount_cents: 12_300 });
    const statement = await statementOf(parent, CASE_1);
    const { name, file } = await pdfOf(`${path}&from=${statement.from}&to=${statement.to}`);
    assert.equal(name, `attachment; filename="case-${CASE_1}-statement-${statement.from}-to-${statement.to}.pdf"`);
    const text = pdfText(file);
    assert.match(text, /Set aside/);
    const pages = [...text.matchAll(/^Page (\d+) of (\d+)$/gm)].map(([, page, all]) => [Number(page), Number(all)]);
    assert.ok(pages.length > 0);
    assert.deepEqual(
      pages,
      Array.from(pages, (_, at) => [at + 1, pages.length]),
    );
    const sum = (sign: number) =>
      statement.data.reduce((cents, line) => (Math.sign(line.amount_cents) === sign ? cents + line.amount_cents : cents), 0);
    assert.ok(sum(-1) < 0 && sum(1) !== -sum(-1));
    const figures = [moneyWords(statement.opening_balance_cents), moneyWords(statement.closing_balance_cents)];
    for (const words of [...figures, signedMoneyWords(sum(1)), signedMoneyWords(sum(-1))]) assert.ok(text.includes(words), words);
    for (const { amount_cents, balance_cents } of statement.data)
      for (const words of [signedMoneyWords(amount_cents), moneyWords(balance_cents)]) assert.ok(text.includes(words), words);
  });

  test('[STATEMENT-4, LOCALE-1] a PDF prints on Letter and A4, as requested or by the reader’s region, with their dates and amounts', async () => {
    const [letter, a4] = ['612,792', '595.28,841.89'];
    assert.equal(sizeOf((await pdfOf(path)).file), letter);
    const german = (await pdfOf(path, 'de-DE,de;q=0.9')).file;
    assert.equal(sizeOf(german), a4);
    assert.match(pdfText(german), /\d,\d\d\s\$/);
    assert.equal(sizeOf((await pdfOf(path, '*')).file), letter);
    assert.equal(sizeOf((await pdfOf(`${path}&paper=a4`)).file), a4);
    assert.equal((await parent.get(`${path}&paper=a3`)).status, 422);
  });

  test('[STATEMENT-6] names with any letters do not break a PDF', async () => {
    const id = await bringTo(api, both, 'paid', { amount_cents: 4_242 });
    const named = 'update user_account set first_name = $2, last_name = $3 where id = $1';
    await api.pool.query(named, [surrogate.userId, 'Żółć 张伟 عمر 👩‍👩‍👧', '\u{1F600}'.repeat(40)]);
    const text = pdfText((await pdfOf(path)).file);
    await api.pool.query(named, [surrogate.userId, 'Sarah', 'Lindgren']);
    assert.match(text, /Travel · to Żółć \?\? \?\?\? \? \?/);
    assert.ok(text.includes(signedMoneyWords(-4_242)), `request ${id}`);
  });

  test('[STATEMENT-4, STATEMENT-5] payments to a person come as a PDF, too', async () => {
    await bringTo(api, both, 'paid');
    const answer = await fetch(`${api.baseUrl}/api/user/me/payments?format=pdf`, {
      headers: { authorization: `Bearer ${surrogate.token}` },
    });
    const text = pdfText(Buffer.from(await answer.arrayBuffer()));
    assert.match(text, /^Payments to you$/m);
    assert.match(text, /^Train to the clinic\nTravel · case 1$/m);
  });
});

describe('payments to a person', () => {
  test('[STATEMENT-5] every payment over all cases is listed, with returned ones marked and not in the total', async () => {
    const before = (await surrogate.get('/api/user/me/payments')).body;
    const paid = await bringTo(api, both, 'paid', { amount_cents: 1_234, description: 'Two trains' });
    const returned = await bringTo(api, both, 'returned', { amount_cents: 99 });
    const after = (await surrogate.get('/api/user/me/payments')).body;
    const added = after.data.slice(before.data.length);
    assert.ok(added.every(({ date }: Line) => isLately(date)));
    const line = { case_id: CASE_1, category: 'Travel', sees_case: true };
    assert.deepEqual(
      added.map(({ date, ...rest }: Line) => rest),
      [
        { ...line, description: 'Two trains', amount_cents: 1_234, disbursement_id: paid, state: 'paid' },
        { ...line, description: 'Train to the clinic', amount_cents: 99, disbursement_id: returned, state: 'returned' },
      ],
    );
    assert.equal(after.total_cents, before.total_cents + 1_234);
  });

  test('[STATEMENT-5] a person does not find another’s payments, and keeps their own after leaving the case', async () => {
    await bringTo(api, both, 'paid', { amount_cents: 1_234 });
    const hasIt = async (who: Client) =>
      (await who.get('/api/user/me/payments')).body.data.some((one: Line) => one.amount_cents === 1_234);
    assert.deepEqual([await hasIt(surrogate), await hasIt(parent)], [true, false]);
    await api.pool.query('update case_participant set left_at = now() where user_id = $1', [surrogate.userId]);
    const { data } = (await surrogate.get('/api/user/me/payments')).body;
    assert.ok(data.length > 0);
    assert.ok(data.every((one: { sees_case: boolean }) => !one.sees_case));
    await api.pool.query('update case_participant set left_at = null where user_id = $1', [surrogate.userId]);
  });

  test('[STATEMENT-3] no cell of a CSV is a formula', async () => {
    const id = await bringTo(api, both, 'paid', { description: 'A train, "first" class' });
    // The API rejects such a category, so it is written to the table.
    await api.pool.query(`update disbursement_request set category = '=cmd|calc' where id = $1`, [id]);
    const { headers, body } = await surrogate.get('/api/user/me/payments?format=csv');
    const disposition = headers.get('content-disposition') ?? '';
    const [to = ''] = /\d{4}-\d\d-\d\d(?=\.csv"$)/.exec(disposition) ?? [];
    assert.ok(isLately(to), disposition);
    assert.equal(disposition, `attachment; filename="payments-to-you-${shift(to, -89)}-to-${to}.csv"`);
    assert.ok(body.includes(`,'=cmd|calc,"A train, ""first"" class",125.00,Paid,${id},`), body);
  });
});
