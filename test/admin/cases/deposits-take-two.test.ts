import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { confirmCashEntry, recordCashEntry, refuseCashEntry } from '@case-platform/modules/ledger';
import { CASE_1, CASE_2, CASE_3 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { grant } from '../../support/grant.ts';
import { moveCash } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { spreadIds } from '../../support/written-values.ts';
import { type Page, startAdmin } from '../start-admin.ts';

/** A recorded deposit or refund counts only once a second person has confirmed it (DEPOSIT-1). */

const api = await startApi();
// A route that mixes up two ids finds nothing.
await spreadIds(api);
const admin = await startAdmin({ database: api });
const { pool } = api;
const [root, finance, escrow] = await admin.people('root', 'finance', 'escrow');
const idOf = async (email: string): Promise<number> =>
  Number((await pool.query(`select id from user_account where email_address = $1`, [email])).rows[0].id);
const [rootId, financeId] = [await idOf('root@demo.test'), await idOf('finance@demo.test')];
const join = (caseId: number, userId = financeId) =>
  pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [caseId, userId]);
await join(CASE_1);
/** Creates a case for one test, with finance on its team. */
async function ownCase(): Promise<number> {
  const id = await copyCase(api, CASE_1);
  await join(id);
  return id;
}
// Entries that earlier tests left waiting are rejected.
beforeEach(() =>
  pool.query(`update cash_entry set status = 'refused', decided_by = recorded_by, decided_at = now(), decision_reason = 'x'
               where status = 'waiting'`),
);

const money = (caseId: number) => `/cases/${caseId}/money`;
const WIRE = { kind: 'deposit', amount: '555.55', memo: 'Wire 7' };
const available = async (caseId: number) =>
  (await root.get(money(caseId))).text.match(/Available<\/dt><dd class="money">([^<]+)/)?.[1];
const formOf = (page: Page, name: string) => new RegExp(`action="([^"]+/${name})"`).exec(page.text)?.[1] ?? '';
const waiting = async () => (await pool.query(`select id from cash_entry where status = 'waiting'`)).rowCount;
const movements = async () =>
  (await pool.query(`select id from ledger_transaction where kind in ('deposit', 'refund')`)).rowCount;

/** Records an entry. @returns its page as another person sees it. */
async function record(fields = WIRE, caseId = CASE_1, who = finance): Promise<Page> {
  const done = await who.post(money(caseId), fields);
  assert.equal(done.status, 303, done.text);
  return root.get(money(caseId));
}

describe('the second person', () => {
  test('[API-14, DEPOSIT-1] the entry of the address is confirmed, not another one that the form also names', async () => {
    const [one, other] = [await ownCase(), await ownCase()];
    const page = await record(WIRE, one);
    const version = /name="version" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? '';
    const otherPath = formOf(await record(WIRE, other), 'confirm');
    const [, id] = /money\/(\d+)/.exec(otherPath) ?? [];
    const named = { case_id: String(other), id: id ?? '', entry_id: id ?? '' };
    assert.equal((await root.post(formOf(page, 'confirm'), { version, ...named })).status, 303);
    assert.deepEqual([await available(one), await available(other)], ['$555.55', '$0.00']);
  });

  test('[DEPOSIT-1] a deposit is spendable once someone else has confirmed it, and not before', async () => {
    const id = await ownCase();
    const page = await record(WIRE, id);
    assert.equal(await available(id), '$0.00');
    assert.match((await root.get('/')).text, /1 deposit or refund to confirm/);
    assert.doesNotMatch((await finance.get('/')).text, /to confirm/, 'not for the person who recorded it');
    const own = (await finance.get(money(id))).text;
    assert.match(own, /You recorded it, so someone else has to confirm it\./);
    assert.doesNotMatch(own, /\/confirm"/);
    assert.equal((await root.fill(page, formOf(page, 'confirm'))).location, `${money(id)}?done=confirmed`);
    assert.equal(await available(id), '$555.55');
    const log = /href="(\/audit\?[^"]+)">See who recorded/.exec((await root.get(money(id))).text)?.[1] ?? '';
    const entries = (await root.get(log.replaceAll(/&(?:amp|#38);/g, '&').replaceAll('&#61;', '='))).text;
    assert.match(entries, /Confirmed a deposit for[\s\S]*Ruth Adeyemi[\s\S]*Recorded a deposit for[\s\S]*Felix Brandt/);
  });

  test('[DEPOSIT-1, PERSON-2] the person who recorded it does not confirm it', async () => {
    const page = await record();
    const path = formOf(page, 'confirm');
    const version = /name="version" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? '';
    assert.equal((await finance.post(path, { version })).status, 403);
    assert.equal((await root.fill(page, path)).status, 303);
  });

  test('[DEPOSIT-1] confirming requires make_payments and a case that the person sees, and so does recording', async () => {
    const id = await copyCase(api, CASE_3);
    const page = await record(WIRE, id, root);
    const path = formOf(await (await admin.as('root')).get(money(id)), 'refuse').replace('refuse', 'confirm');
    const version = /name="version" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? '';
    assert.equal((await finance.post(path, { version })).status, 403, 'not on the team');
    assert.equal((await finance.post(money(id), WIRE)).status, 403);
    assert.equal((await finance.post(path.replace(`/${id}/`, `/${CASE_1}/`), { version })).status, 404);
    assert.doesNotMatch((await finance.get('/')).text, /to confirm/);
    const shown = [(await finance.get(money(id))).text, (await (await admin.as('root')).get(money(id))).text];
    for (const part of ['Waiting for a second person', `action="${money(id)}"`])
      assert.deepEqual(
        shown.map((text) => text.includes(part)),
        [false, true],
        part,
      );
    await join(id, await idOf('viewer@demo.test'));
    assert.equal((await (await admin.as('viewer')).post(path, { version })).status, 403, 'without make_payments');
    assert.equal((await escrow.post(path, { version })).status, 403);
    await join(id);
    assert.match((await finance.get('/')).text, /1 deposit or refund to confirm/);
    assert.equal((await finance.post(path, { version })).status, 303);
  });

  test('[PERSON-6] a decision about another version is a 409, and one without a version a 422', async () => {
    const page = await record();
    const path = formOf(page, 'confirm');
    const before = await movements();
    const changed = await root.post(path, { version: '0'.repeat(64) });
    assert.equal(changed.status, 409);
    assert.match(changed.text, /changed after you opened it/);
    assert.equal((await root.post(path)).status, 422);
    assert.equal(await movements(), before);
    assert.equal((await root.fill(page, path)).status, 303);
  });

  test('[DEPOSIT-2] of ten confirmations at once one counts, and a rejection afterwards changes nothing', async () => {
    const page = await record();
    const [before, path] = [await movements(), formOf(page, 'confirm')];
    const all = await Promise.all(Array.from({ length: 10 }, () => root.fill(page, path)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [303, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal((await root.fill(page, path.replace('confirm', 'refuse'), { reason: 'Late' })).status, 409);
    assert.equal(await movements(), (before ?? 0) + 1);
  });

  test('[DEPOSIT-2] a rejected entry never counts and says why, and its recorder can take an entry back', async () => {
    const before = await available(CASE_1);
    const page = await record();
    const path = formOf(page, 'refuse');
    assert.equal((await root.fill(page, path, { reason: ' ' })).status, 422);
    assert.equal((await root.fill(page, path, { reason: 'No such wire' })).status, 303);
    assert.match((await finance.get(money(CASE_1))).text, /Ruth Adeyemi refused it: No such wire/);
    await record();
    const mine = await finance.get(money(CASE_1));
    assert.equal((await finance.fill(mine, formOf(mine, 'refuse'), { reason: 'Typed twice' })).status, 303);
    assert.deepEqual([await available(CASE_1), await waiting()], [before, 0]);
  });

  test('[DEPOSIT-3] a refund waits in the same way, and checks again whether the money is there', async () => {
    const id = await ownCase();
    await moveCash(api, id, { kind: 'deposit', amount_cents: 10_000, memo: '' });
    const refund = { kind: 'refund', amount: '60', memo: '' };
    await record(refund, id);
    await record(refund, id);
    assert.equal(await available(id), '$100.00');
    const first = await root.get(money(id));
    assert.equal((await root.fill(first, formOf(first, 'confirm'))).status, 303);
    const second = await root.get(money(id));
    const refused = await root.fill(second, formOf(second, 'confirm'));
    assert.equal(refused.status, 409);
    assert.match(refused.text, /doesn’t have enough available for this refund/);
    assert.equal(await available(id), '$40.00');
    assert.equal((await root.fill(second, formOf(second, 'refuse'), { reason: 'Gone' })).status, 303);
  });

  test('[DEPOSIT-5] where no one else could confirm, the page says so', async (t) => {
    const id = await copyCase(api, CASE_3);
    await record(WIRE, id, root);
    assert.doesNotMatch((await root.get(money(id))).text, /Nobody can do that right now/);
    t.after(async () => {
      await pool.query(`update user_account set status = 'active' where email_address = 'totp-admin@demo.test'`);
      await grant(pool, 'finance', 'make_payments');
    });
    await pool.query(`update user_account set status = 'deactivated' where email_address = 'totp-admin@demo.test'`);
    await pool.query(`delete from admin_role_permission p using user_account u
                       where u.email_address = 'finance@demo.test' and p.admin_role_id = u.admin_role_id
                         and p.permission = 'make_payments'`);
    assert.match((await root.get(money(id))).text, /Nobody can do that right now\. It takes another person/);
  });
});

describe('the module by itself', () => {
  test('[DEPOSIT-1] behind the guard, nothing is recorded or decided for a case that the person does not see', async () => {
    const [stranger] = (
      await pool.query(
        `select id::int, email_address, user_type, first_name, last_name, agency_id, admin_role_id
           from user_account where email_address = 'viewer@demo.test'`,
      )
    ).rows;
    await pool.query('delete from case_admin where user_id = $1', [stranger.id]);
    const by = { actor: stranger, origin: SYSTEM };
    const money = { kind: 'deposit', amount_cents: 100, memo: '' } as const;
    await assert.rejects(recordCashEntry(api.db, CASE_1, money, by), { status: 404 });
    const { rows } = await pool.query(
      `insert into cash_entry (case_id, kind, amount_cents, recorded_by) values ($1, 'deposit', 100, $2) returning id::int`,
      [CASE_1, rootId],
    );
    const seen = { case_id: CASE_1, id: rows[0].id, version: '' };
    await assert.rejects(confirmCashEntry(api.db, seen, by), { status: 404 });
    await assert.rejects(refuseCashEntry(api.db, { ...seen, reason: 'x' }, by), { status: 404 });
  });
});

describe('the tables by themselves', () => {
  const entry = (fields: string) => `insert into cash_entry (case_id, kind, amount_cents, recorded_by, status, decided_by,
    decided_at) values (${CASE_1}, 'deposit', 100, ${fields}) returning id`;
  const refused = (text: string, constraint: string) => assert.rejects(pool.query(text), { constraint }, text);
  const post = (cash_entry_id: string, cents = 100, { kind = 'deposit', caseId = CASE_1 } = {}) => `
    with made as (insert into ledger_transaction (case_id, kind, cash_entry_id)
                  values (${caseId}, '${kind}', ${cash_entry_id}) returning id, case_id)
    insert into ledger_posting select id, case_id, account, amount
      from made, (values ('cash', ${cents}), ('funds', ${-cents})) p (account, amount)`;

  test('[DEPOSIT-4] the tables post no unconfirmed entry, no other amount, kind, or case, and nothing twice', async () => {
    await refused(post('null'), 'cash_takes_two');
    const { rows } = await pool.query(entry(`${rootId}, 'waiting', null, null`));
    await refused(post(rows[0].id), 'cash_takes_two');
    const { rows: agreed } = await pool.query(entry(`${rootId}, 'confirmed', ${financeId}, now()`));
    await refused(post(agreed[0].id, 101), 'cash_takes_two');
    // The sign of the amount belongs to the kind, so neither sign makes a refund of a deposit.
    for (const cents of [100, -100]) await refused(post(agreed[0].id, cents, { kind: 'refund' }), 'cash_takes_two');
    await refused(post(agreed[0].id, 100, { caseId: CASE_2 }), 'cash_takes_two');
    await pool.query(post(agreed[0].id));
    await refused(post(agreed[0].id), 'ledger_transaction_cash_entry_id_key');
  });
});
