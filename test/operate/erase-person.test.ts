import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createPool } from '@case-platform/lib/database';
import { findObject } from '@case-platform/modules/storage';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { startAdmin } from '../admin/start-admin.ts';
import { findBroken } from '../money/money-invariants.ts';
import { CASE_1, DEMO_PASSWORD } from '../support/cast.ts';
import { serverUrl } from '../support/database.ts';
import { bringTo, draft, fundCase, move } from '../support/money.ts';
import { startApi } from '../support/platform.ts';
import { operate } from './operator.ts';

const api = await startApi();
const ownerUrl = serverUrl(new URL(api.url).pathname.slice(1));
const owner = createPool({ url: ownerUrl, name: 'test', max: 2 });
after(() => owner.end());
const [surrogate, parent, escrow] = [await api.as('surrogate'), await api.as('parent'), await api.as('escrow')];
const settings = { NODE_ENV: 'test', DATABASE_URL: api.url, MIGRATION_DATABASE_URL: ownerUrl };
const erase = (...args: string[]) => operate('scripts/operate.mjs', ['erase-person', ...args], settings);

/** Words that only this person's data contains. */
const TRACES = [
  'Quintessa',
  'Zyxwelling',
  'surrogate@demo.test',
  'elsewhere@demo.test',
  '2025550187',
  '555-0187',
  '2025550149',
  '555.0149',
];

/** Finds every row of every table that contains one of these words, including the jobs of the queue. */
async function findTraces(): Promise<string[]> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname in ('public', 'graphile_worker')`,
  );
  const traces: string[] = [];
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: string }>(
      `select t::text as row from ${name} t where exists (select from unnest($1::text[]) w where t::text ilike '%' || w || '%')`,
      [TRACES],
    );
    traces.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return traces;
}

describe('[PRIVACY-2] erasing a person', () => {
  test('[PRIVACY-2] an erasure leaves name, addresses, and phone nowhere, and every balance and statement as it was', async () => {
    const id = surrogate.userId;
    // The number that they verified differs from their current one.
    for (const change of [
      `two_factor_method = 'sms', phone = '+12025550149'`,
      `two_factor_method = null, confirmed_phone = null, phone = '+12025550187'`,
      `first_name = 'Quintessa', last_name = 'Zyxwelling'`,
    ])
      await owner.query(`update user_account set ${change} where id = $1`, [id]);
    await owner.query(
      `insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, confirmed_at)
       values ($1, 'elsewhere@demo.test', 'surrogate@demo.test', $2, $1, now(), now(), now())`,
      [id, Buffer.alloc(32, 1)],
    );
    const [before] = (await owner.query('select name from case_file where id = 1')).rows;
    await owner.query(`update case_file set name = 'Quintessa Zyxwelling and others' where id = 1`);
    await fundCase(api, CASE_1, 900_000);
    await move(surrogate, await bringTo(api, { maker: surrogate, checker: parent }, 'draft'), 'submit').then(({ id: request }) =>
      move(surrogate, request, 'cancel'),
    );
    await bringTo(api, { maker: surrogate, checker: parent }, 'paid', {
      description: 'For Quintessa, call 202-555-0187 or 202.555.0149',
    });
    await draft(surrogate, { description: 'Never sent by Zyxwelling' });
    const file = { name: 'Zyxwelling.pdf', type: 'application/pdf', content: await samplePdf('own') };
    const message = await surrogate.form(
      '/api/messages',
      { message: 'I am Quintessa', subject: 'Of Zyxwelling', case_id: String(CASE_1) },
      [file],
    );
    assert.equal(message.status, 201, JSON.stringify(message.body));
    const chain = message.body.chain.id;
    await escrow.form(`/api/messages/${chain}`, {
      message: 'Dear Quintessa, we call (202) 555-0187. Quintessence.',
    });
    await api.work();
    const [own] = (await owner.query('select storage_key from message_file where filename like $1', ['Zyx%'])).rows;
    assert.ok(await findObject(api.storage, own.storage_key));
    assert.ok((await findTraces()).length > 5);

    const statement = async () => {
      const { body } = await parent.get(`/api/cases/${CASE_1}/statement?from=2026-01-01&to=2026-12-31`);
      return [
        body.opening_balance_cents,
        body.closing_balance_cents,
        body.data.map((row: { amount_cents: number }) => row.amount_cents),
      ];
    };
    const balances = async () => (await owner.query('select * from ledger_balance order by case_id, account')).rows;
    const [statementBefore, balancesBefore] = [await statement(), await balances()];

    const inUse = await erase('--user', String(id));
    assert.deepEqual([inUse.code, inUse.output], [1, '']);
    assert.match(inUse.errors, new RegExp(`^Deactivate user ${id} first, .*\\.\\n$`));
    const admin = await startAdmin({ database: api });
    const root = admin.visitor();
    assert.equal((await root.signIn('root@demo.test', DEMO_PASSWORD)).status, 303);
    await owner.query(`update user_account set status = 'deactivated' where id = $1`, [id]);
    await owner.query(
      `insert into scheduled_payment (case_id, category, payee_id, due_date, amount_cents) values (1, 'Allowance', $1, '2027-01-01', 5)`,
      [id],
    );
    assert.match((await erase('--user', String(id))).errors, /^Money is on its way to this person: .*scheduled payment \d+\.\n$/);
    await owner.query(`update scheduled_payment set status = 'cancelled' where payee_id = $1 and status = 'planned'`, [id]);

    const erased = await erase('--user', String(id));
    assert.deepEqual([erased.code, erased.errors], [0, '']);
    assert.deepEqual(await findTraces(), []);
    assert.deepEqual(await statement(), statementBefore);
    assert.deepEqual(await balances(), balancesBefore);
    assert.deepEqual(await findBroken(owner), {});

    const [{ name }] = (await owner.query('select name from case_file where id = 1')).rows;
    assert.notEqual(before?.name, name);
    assert.equal(name, `Person ${id} and others`);
    const { body } = await escrow.get(`/api/messages/${chain}`);
    const texts = body.messages.data.map((message: { message: string }) => message.message);
    assert.deepEqual(texts, [`Dear Person ${id}, we call Person ${id}. Quintessence.`, '']);
    await api.work();
    assert.equal(await findObject(api.storage, own.storage_key), null, 'the worker removes their files');

    const again = await erase('--user', String(id));
    assert.deepEqual([again.code, again.output], [0, `User ${id} was already erased.\n`]);
    assert.match((await root.get('/audit')).text, /Erased/);
    await assert.rejects(owner.query(`update audit_entry set subject_label = 'x'`), /append-only/);
    await assert.rejects(owner.query(`update cash_entry set memo = 'x'`), /never changed/);
    const back = await root.post(`/users/${id}/reactivate`);
    assert.match(back.text, /This person was erased/);
  });

  test('[PRIVACY-2] an unknown person, and a missing one, are rejected in one line', async () => {
    assert.deepEqual((await erase('--user', '987654')).errors, 'There is no user 987654.\n');
    for (const args of [[], ['--user', 'x'], ['--user', '1', 'more'], ['--id', '1']])
      assert.match((await erase(...args)).errors, /^Use: npm run erase-person -- --user ID\n$/);
  });
});
