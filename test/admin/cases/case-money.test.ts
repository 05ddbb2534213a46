import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CASE_1, CASE_2, CASE_3 } from '../../support/cast.ts';
import { addCategories } from '../../support/categories.ts';
import { copyCase } from '../../support/copy-case.ts';
import { grant } from '../../support/grant.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { type Page, startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const [root, escrow, finance, viewer] = await admin.people('root', 'escrow', 'finance', 'viewer');
const { surrogate, parent } = await api.everyone();
assert.ok(root && escrow && finance && viewer);
await grant(api.pool, 'finance', 'view_all_cases');

const MONEY = { kind: 'deposit', amount: '1,000', memo: 'Wire 7' };
const LINE = {
  category: 'Monthly allowance',
  description: 'Month 1',
  amount: '300',
  due_date: '2027-01-15',
  payee_id: '',
};
const money = (caseId: number) => `/cases/${caseId}/money`;
const calendar = (caseId: number) => `/cases/${caseId}/scheduled-payments`;
const count = async (table: 'ledger_transaction' | 'scheduled_payment' | 'audit_entry') =>
  (await api.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n as number;
/** Confirms the oldest waiting entry of a case by the page's own form. */
const confirm = async (caseId: number, who = root) => {
  const page = await who.get(money(caseId));
  const paths = [...page.text.matchAll(/action="([^"]+\/confirm)"/g)].map(([, path = '']) => path);
  const confirmed = await who.fill(page, paths.at(-1) ?? '');
  assert.equal(confirmed.location, `${money(caseId)}?done=confirmed`, confirmed.text);
};
const available = async (caseId: number) =>
  (await root.get(money(caseId))).text.match(/Available<\/dt><dd class="money">([^<]+)/)?.[1];
const lines = async (caseId: number) =>
  (
    await api.pool.query(
      'select id::int, category, status, amount_cents::int, payee_id::int from scheduled_payment where case_id = $1 order by id',
      [caseId],
    )
  ).rows;
/** Returns the error of a field. */
const said = ({ text }: Page, id: string) => new RegExp(`id="${id}-error">([^<]+)<`).exec(text)?.[1];
/** Sends the page's own form with its hidden fields twice at the same time. */
const twice = async (who: typeof root, path: string, form: string, fields: Record<string, string>) => {
  const page = await who.get(path);
  return Promise.all([who.fill(page, form, fields), who.fill(page, form, fields)]);
};

describe('deposits and refunds', () => {
  test('[DEPOSIT-1, IDEMPOTENCY-1] with make_payments a deposit is recorded, and sent twice it exists once, with its entries', async () => {
    const caseId = await copyCase(api, CASE_1);
    const answers = await twice(finance, money(caseId), money(caseId), MONEY);
    assert.ok(
      answers.every(({ status }) => status === 303 || status === 409),
      answers.map(({ status }) => status).join(),
    );
    assert.equal(await available(caseId), '$0.00');
    await confirm(caseId);
    assert.equal(await available(caseId), '$1,000.00');
    const { text } = await finance.get(`${money(caseId)}?done=recorded`);
    for (const words of ['A second person has to confirm it before it counts.', 'Wire 7', '+$1,000.00', 'Felix Brandt'])
      assert.ok(text.includes(words), words);
    const { rows } = await api.pool.query(
      "select action, after - 'cash_entry_id' as after from audit_entry where action like 'case.%deposit' and case_id = $1 order by id",
      [caseId],
    );
    const after = { amount_cents: 100_000, memo: 'Wire 7' };
    assert.deepEqual(rows, [
      { action: 'case.record_deposit', after },
      { action: 'case.deposit', after },
    ]);
  });

  test('[DEPOSIT-3] a refund leaves the case, and never exceeds what is available', async () => {
    const caseId = await copyCase(api, CASE_1);
    await fundCase(api, caseId, 100_000);
    const refund = { ...MONEY, kind: 'refund', amount: '999.99', memo: '' };
    assert.equal((await finance.post(money(caseId), refund)).status, 303);
    await confirm(caseId);
    const late = await finance.post(money(caseId), { ...refund, amount: '.02' });
    assert.equal(late.status, 409);
    assert.match(late.text, /doesn’t have enough available for this refund/);
    assert.match(late.text, /value="\.02"/);
    assert.equal(await available(caseId), '$0.01');
  });

  test('[PAGE-2] an invalid amount, kind, or note is explained at its field, and nothing is written', async () => {
    const before = [await count('ledger_transaction'), await count('audit_entry')];
    for (const amount of ['-1', '0', '0.001', '1e3', '100,000,000', '999999999999999', '90,071,992,547,409.93', '', 'NaN']) {
      const refused = await finance.post(money(CASE_1), { ...MONEY, amount });
      assert.equal(refused.status, 422, amount);
      assert.ok(said(refused, 'money-amount'), amount);
      assert.match(refused.text, /Enter an amount between \$0\.01 and \$99,999,999\.99\./);
      assert.match(refused.text, /value="Wire 7"/);
    }
    for (const memo of ['x'.repeat(301)])
      assert.ok(said(await finance.post(money(CASE_1), { ...MONEY, memo }), 'money-memo'), memo);
    for (const kind of ['hold', 'constructor', ''])
      assert.equal((await finance.post(money(CASE_1), { ...MONEY, kind })).status, 422, kind);
    assert.equal((await finance.post(money(999_999), MONEY)).status, 403);
    for (const who of [escrow, viewer]) assert.equal((await who.post(money(CASE_1), MONEY)).status, 403);
    assert.deepEqual([await count('ledger_transaction'), await count('audit_entry')], before);
  });

  test('[SHOWN-2] an admin who is not on the case sees that it exists, and no figures', async () => {
    const page = await viewer.get(money(CASE_1));
    assert.equal(page.status, 200);
    assert.match(page.text, /Your role can’t see this case’s money/);
    const [recording, planning] = [`action="${money(CASE_1)}"`, `action="/cases/${CASE_1}/scheduled-payments"`];
    const [ofEscrow, ofFinance] = [await escrow.get(money(CASE_1)), await finance.get(money(CASE_1))];
    for (const form of [recording, planning]) assert.ok(!page.text.includes(form), form);
    assert.doesNotMatch(page.text, /Available|\$/);
    assert.deepEqual([ofEscrow.text.includes(recording), ofFinance.text.includes(recording)], [false, true]);
    assert.deepEqual([ofEscrow.text.includes(planning), ofFinance.text.includes(planning)], [true, false]);
    assert.match(ofEscrow.text, /Available/);
    assert.match((await escrow.get(`/cases/${CASE_1}`)).text, new RegExp(`href="${money(CASE_1)}"`));
  });
});

describe('the calendar', () => {
  test('[PLAN-2, IDEMPOTENCY-1] with edit_case_details a payment is planned, and sent twice it exists once, with its entry', async () => {
    const caseId = await copyCase(api, CASE_1);
    const payee_id = String(surrogate.userId);
    const answers = await twice(escrow, money(caseId), calendar(caseId), { ...LINE, payee_id });
    assert.ok(
      answers.every(({ status }) => status === 303 || status === 409),
      answers.map(({ status }) => status).join(),
    );
    const [line, ...more] = await lines(caseId);
    const { id, ...rest } = line;
    assert.deepEqual(
      [rest, more],
      [{ category: 'Monthly allowance', status: 'planned', amount_cents: 30_000, payee_id: surrogate.userId }, []],
    );
    const { rows } = await api.pool.query(
      "select after from audit_entry where action = 'case.add_scheduled_payment' and case_id = $1",
      [caseId],
    );
    const after = { scheduled_payment_id: id, category: LINE.category, due_date: LINE.due_date, amount_cents: 30_000 };
    assert.deepEqual(rows, [{ after }]);
    assert.match((await escrow.get(money(caseId))).text, /0 of 1 payment made/);
  });

  test('[PLAN-2, PAGE-2] an invalid plan is explained at its field, and the form keeps its words', async () => {
    const before = await count('scheduled_payment');
    const wrong: [Record<string, string>, string][] = [
      ...['-1', '0', '0.001', '1e3', '100,000,000', ''].map((amount): [Record<string, string>, string] => [
        { amount },
        'payment-amount',
      ]),
      [{ due_date: '2026-02-30' }, 'payment-due'],
      [{ due_date: 'soon' }, 'payment-due'],
      [{ category: ' ' }, 'payment-category'],
      [{ category: 'Travel.' }, 'payment-category'],
      [{ category: '=HYPERLINK("http://x.test")' }, 'payment-category'],
      [{ category: 'x'.repeat(101) }, 'payment-category'],
      [{ description: 'x'.repeat(2001) }, 'payment-description'],
      [{ payee_id: '999999' }, 'payment-payee'],
    ];
    for (const [part, field] of wrong) {
      const refused = await escrow.post(calendar(CASE_1), { ...LINE, description: 'Kept words', ...part });
      assert.equal(refused.status, 422, JSON.stringify(part));
      assert.ok(said(refused, field), JSON.stringify(part));
      if (part.description === undefined) assert.match(refused.text, /value="Kept words"/);
    }
    for (const who of [finance, viewer]) assert.equal((await who.post(calendar(CASE_1), LINE)).status, 403);
    assert.equal((await escrow.post(calendar(CASE_3), LINE)).status, 403, 'not on the team of case 3');
    assert.equal(await count('scheduled_payment'), before);
  });

  test('[PLAN-2] a scheduled payment is removed once, and not if it was requested, is of another case, or is unknown', async () => {
    const caseId = await copyCase(api, CASE_1);
    const otherId = await copyCase(api, CASE_2);
    const made = await Promise.all([escrow.post(calendar(otherId), LINE), escrow.post(calendar(otherId), LINE)]);
    assert.deepEqual(
      made.map(({ status }) => status),
      [303, 303],
    );
    const [first, second] = await lines(otherId);
    const strike = (of: number, id: number) => escrow.post(`${calendar(of)}/${id}/cancel`);
    const all = await Promise.all(Array.from({ length: 5 }, () => strike(otherId, first.id)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [303, 409, 409, 409, 409]);
    assert.equal((await strike(caseId, second.id)).status, 404);
    assert.equal((await strike(otherId, 999_999)).status, 404);
    await escrow.post(calendar(caseId), { ...LINE, payee_id: String(surrogate.userId) });
    const mine = (await lines(caseId))[0];
    await fundCase(api, caseId, 100_000);
    await bringTo(api, { maker: surrogate, checker: parent }, 'submitted', {
      case_id: caseId,
      scheduled_payment_id: mine.id,
    });
    const refused = await strike(caseId, mine.id);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /It already has a request/);
    assert.deepEqual(
      [...(await lines(caseId)), ...(await lines(otherId))].map(({ status }) => status),
      ['planned', 'cancelled', 'planned'],
    );
    const { rows } = await api.pool.query(
      "select count(*)::int as n from audit_entry where action = 'case.cancel_scheduled_payment' and case_id = $1",
      [otherId],
    );
    assert.equal(rows[0].n, 1);
  });

  test('[CASE-7] a closed case plans nothing, and its page offers no form', async () => {
    const caseId = await copyCase(api, CASE_2);
    assert.match((await escrow.get(money(caseId))).text, /Plan a payment/);
    assert.equal((await root.post(`/cases/${caseId}/close`, { status: 'closed' })).status, 303);
    const refused = await escrow.post(calendar(caseId), LINE);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /The case is closed/);
    assert.doesNotMatch((await escrow.get(money(caseId))).text, /Plan a payment/);
  });

  test('[PAGE-8] names and notes are never markup', async () => {
    await addCategories(api.pool, [CASE_1], ['<b>Food</b>']);
    const fields = { ...LINE, category: '<b>Food</b>', description: '<script>x</script>' };
    assert.equal((await escrow.post(calendar(CASE_1), fields)).status, 303);
    await finance.post(money(CASE_1), { ...MONEY, memo: '<i>wire</i>' });
    for (const path of [money(CASE_1), `/cases/${CASE_1}`])
      assert.doesNotMatch((await escrow.get(path)).text, /<b>Food|<script>x|<i>wire/, path);
    const { text } = await escrow.get(money(CASE_1));
    for (const words of [/&#60;script&#62;x/, /&#60;i&#62;wire/]) assert.match(text, words, 'they are read as they were written');
  });
});
