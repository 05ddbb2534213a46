import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { CASE_1 } from '../support/cast.ts';
import { bringTo, decide } from '../support/money.ts';
import { forgetMoves, joinPersons, moveAddress, partPersons } from '../support/persons.ts';
import { returnFile } from '../support/return-file.ts';
import { BANK, gather, openDesk, press, releaseBatch, sign, step, takeIn } from './batches/batches-desk.ts';

/**
 * Steps that need a second person. Neither another record of the first person nor someone whose address the first person just
 * changed counts, both in the code and in the tables (PERSON-2, ADDRESS-6).
 */

const { api, surrogate, parent, root, finance, approved, putAccount, statusOf } = await openDesk();
const { pool } = api;
const { root: rootApi, finance: financeApi, escrow: escrowApi } = await api.everyone();
const [second, first, third] = [rootApi.userId, financeApi.userId, escrowApi.userId];
await putAccount(surrogate);
await root.post('/batches/bank', BANK);
await pool.query('insert into case_admin (case_id, user_id) values ($1, $2) on conflict do nothing', [CASE_1, first]);
await pool.query(`update user_account set admin_role_id = (select id from admin_role where name = 'Administrator')
                   where email_address = 'finance@demo.test'`);

interface Waiting {
  /** Takes the second person's step. @returns the status. */
  decide(): Promise<number>;
  /** The same step as a statement, with the second person as `$1`, if a table enforces the rule. */
  table?: { text: string; values: unknown[]; own: string };
  /** The text on the second person's home page while it waits for them. */
  listed?: RegExp;
}

const idIn = (path: string) => Number(path.split('/')[2]);
const extract = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? assert.fail(String(pattern));
const VERSION = /name="version" value="([0-9a-f]{64})"/;

async function batchAt(stage: 'draft' | 'approved' | 'generated' | 'signed' | 'transmitted'): Promise<string> {
  const ids = [await approved()];
  if (stage === 'transmitted') return releaseBatch(finance, root, ids);
  const path = await gather(finance, ids);
  if (stage === 'draft') return path;
  await step(root, path, 'approve');
  if (stage === 'approved') return path;
  await step(finance, path, 'generate');
  await sign(finance, path);
  if (stage === 'signed') await sign(root, path);
  return path;
}

async function pressing(stage: Parameters<typeof batchAt>[0], name: string, fields: Record<string, string> = {}) {
  const path = await batchAt(stage);
  return { path, decide: async () => (await press(api, root, path, name, fields)).status };
}

/** Everything that one person makes and another decides, as in the table of docs/architecture.md. */
const WAITING: Record<string, () => Promise<Waiting>> = {
  'a request': async () => {
    const id = await bringTo(api, { maker: financeApi, checker: parent }, 'submitted', {
      payee: { user_type: 'surrogate', user_id: surrogate.userId },
    });
    return {
      decide: async () => (await decide(rootApi, id, 'approve')).status,
      table: {
        text: 'update disbursement_request set approver_id = $1 where id = $2',
        values: [id],
        own: 'maker_is_never_checker',
      },
    };
  },
  'a deposit': async () => {
    const fields = { kind: 'deposit', amount: '555.55', memo: 'Wire 7' };
    assert.equal((await finance.post(`/cases/${CASE_1}/money`, fields)).status, 303);
    const { text } = await root.get(`/cases/${CASE_1}/money`);
    const [path, version] = [extract(text, /action="([^"]+\/confirm)"/), extract(text, VERSION)];
    return {
      decide: async () => (await root.post(path, { version })).status,
      table: {
        text: `update cash_entry set status = 'confirmed', decided_by = $1, decided_at = now() where id = $2`,
        values: [path.split('/').at(-2)],
        own: 'recorder_never_confirms',
      },
      listed: /1 deposit or refund to confirm/,
    };
  },
  'a batch': async () => {
    const { path, decide } = await pressing('draft', 'approve');
    return {
      decide,
      table: {
        text: `update banking_batch set approved_by = $1 where id = $2`,
        values: [idIn(path)],
        own: 'maker_never_approves',
      },
      listed: /1 batch to approve or sign/,
    };
  },
  'the signature of a file': async () => {
    const { path, decide } = await pressing('generated', 'sign');
    return {
      decide,
      table: {
        text: `insert into batch_signature (batch_id, user_id, file_sha256) select id, $1, file_sha256 from banking_batch where id = $2`,
        values: [idIn(path)],
        own: 'signers_are_two',
      },
      listed: /1 batch to approve or sign/,
    };
  },
  'a file that is handed out': async () => {
    const { path, decide } = await pressing('signed', 'hand-out');
    return {
      decide,
      table: {
        text: 'update banking_batch set handed_out_by = $1 where id = $2',
        values: [idIn(path)],
        own: 'maker_never_approves',
      },
    };
  },
  'what became of a file': () => pressing('transmitted', 'outcome', { outcome: 'accepted', note: 'Confirmation 1' }),
  'a batch that is settled': async () => {
    const { path, decide } = await pressing('transmitted', 'settle');
    await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
    return { decide };
  },
  'a return file': async () => {
    const id = await approved();
    await step(root, await releaseBatch(finance, root, [id]), 'outcome', {
      outcome: 'accepted',
      note: 'Confirmation 1',
    });
    const { rows } = await pool.query('select trace_number from banking_batch_entry where disbursement_id = $1', [id]);
    const taken = await takeIn(finance, returnFile([{ code: 'R17', trace: rows[0].trace_number, cents: 12_500 }]));
    const path = (taken.location ?? '').split('?', 1)[0] ?? '';
    const version = extract((await root.get(path)).text, VERSION);
    return {
      decide: async () => (await root.post(`${path}/confirm`, { version })).status,
      table: {
        text: `update bank_return_file set status = 'applied', content = null, decided_by = $1, decided_at = now() where id = $2`,
        values: [path.split('/').at(-1)],
        own: 'reader_never_confirms',
      },
      listed: /1 return file to confirm/,
    };
  },
  'a role': async () => {
    const { rows } = await pool.query(
      `select u.id, (select id from admin_role where name = 'Finance') as role from user_account u where email_address = 'viewer@demo.test'`,
    );
    const [{ id, role }] = rows;
    assert.equal((await finance.giveRole(id, role)).status, 303);
    const { text } = await root.get(`/users/${id}`);
    const path = extract(text, /action="(\/roles\/grants\/\d+\/confirm)"/);
    const version = extract(text, /\/roles\/grants\/[\s\S]*?name="version" value="([0-9a-f]{64})"/);
    return {
      decide: async () => (await root.post(path, { version })).status,
      table: {
        text: `update role_grant set status = 'confirmed', decided_by = $1, decided_at = now() where id = $2`,
        values: [path.split('/').at(-2)],
        own: 'granter_never_confirms',
      },
      listed: /1 role change to confirm/,
    };
  },
};

describe('[PERSON-2, ADDRESS-6] an admin cannot create the second person', () => {
  afterEach(async () => {
    await forgetMoves(pool);
    await partPersons(pool, [first, second]);
  });

  for (const [what, begin] of Object.entries(WAITING))
    test(`[PERSON-2, ADDRESS-6] ${what}: not by another record of the first person, nor by an account whose address they changed`, async () => {
      const { decide, table, listed } = await begin();
      const isRefused = async (constraint: string | undefined) => {
        assert.equal(await decide(), 403);
        if (listed) assert.doesNotMatch((await root.get('/')).text, listed);
        if (table) await assert.rejects(pool.query(table.text, [second, ...table.values]), { constraint });
      };
      await joinPersons(pool, [first, second]);
      await isRefused(table?.own);
      await partPersons(pool, [first, second]);
      for (const [by, days] of [
        [first, { asked: 29, followed: 8 }],
        [third, { asked: 9, followed: 6 }],
      ] as const) {
        await moveAddress(pool, second, by, days);
        await isRefused('checker_is_their_own');
      }
      await moveAddress(pool, second, first, { asked: 31, followed: 8 });
      if (listed) assert.match((await root.get('/')).text, listed);
      assert.ok([200, 303].includes(await decide()), 'a month later');
    });

  test('[RETRY-1, ADDRESS-6] a return is not paid again by anyone who set or corrected the account, or whose address such a person changed', async () => {
    const id = await approved();
    await step(root, await releaseBatch(finance, root, [id]), 'outcome', {
      outcome: 'accepted',
      note: 'Confirmation 1',
    });
    const { rows } = await pool.query('select trace_number from banking_batch_entry where disbursement_id = $1', [id]);
    const taken = await takeIn(finance, returnFile([{ code: 'R17', trace: rows[0].trace_number, cents: 12_500 }]));
    const path = (taken.location ?? '').split('?', 1)[0] ?? '';
    await step(root, path, 'confirm');
    assert.equal(await statusOf(id), 'returned');
    const retry = () => rootApi.post(`/api/disbursements/${id}/retry`, { reason: 'Cleared' });
    const enteredBy = (setter: number, before: number[]) =>
      pool.query('update payee_bank_account set created_by = $2, entered_by = $3 where user_id = $1 and replaced_at is null', [
        surrogate.userId,
        setter,
        before,
      ]);
    for (const [setter, before] of [
      [second, []],
      [first, [second]],
    ] as const) {
      await enteredBy(setter, [...before]);
      const refused = await retry();
      assert.deepEqual([refused.status, refused.body.code], [403, 'same_person']);
    }
    await enteredBy(first, []);
    await moveAddress(pool, second, first, { asked: 29, followed: 8 });
    assert.equal((await retry()).body.code, 'address_moved');
    await forgetMoves(pool);
    assert.equal((await retry()).status, 200);
  });
});
