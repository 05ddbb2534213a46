import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1, CASE_2, DEMO_PASSWORD } from '../../support/cast.ts';
import { draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

/** A Monday at 11:00 in New York. */
let now = new Date('2026-11-23T16:00:00Z');
const api = await startApi({ now: () => now });
const { surrogate, parent, parent2, rep, manager, escrow, viewer, bothParent: stranger } = await api.everyone();
assert.ok(surrogate && parent && parent2 && rep && manager && escrow && viewer && stranger);
const account = { routing_number: '021000021', account_number: '123456789', account_kind: 'checking' };
for (const who of [surrogate, parent2]) {
  const body = JSON.stringify({ ...account, holder_name: 'Sam Holder', pass_hash: DEMO_PASSWORD });
  await who.call('PUT', '/api/user/me/bank-account', { body, headers: { 'content-type': 'application/json' } });
}
await fundCase(api, CASE_1, 10_000_000);

interface Payee {
  user_type: string;
  user_id: number;
  approver: { user_id: number } | null;
  arrives: { date: string; if: string } | null;
  decide_by: string | null;
  needs_account: boolean;
  why: string | null;
}

const payeesFor = async (who: Client, caseId = CASE_1): Promise<Payee[]> =>
  (await who.get(`/api/cases/${caseId}/payees`)).body.data;
const idsFor = async (who: Client) => (await payeesFor(who)).map(({ user_id }) => user_id);

test('[REQUEST-20] a surrogate chooses only herself, others choose themselves and the people on the case, and never staff', async () => {
  assert.deepEqual(await idsFor(surrogate), [surrogate.userId]);
  assert.equal((await idsFor(parent))[0], parent.userId, 'oneself first');
  const onCase = (await rep.get(`/api/cases/${CASE_1}`)).body.people.map(({ user_id }: { user_id: number }) => user_id);
  const everyone = [...new Set([...onCase, manager.userId])].toSorted((a, b) => a - b);
  for (const who of [parent, rep, manager, escrow]) {
    const ids = await idsFor(who);
    assert.deepEqual(
      [...new Set([...ids, manager.userId])].toSorted((a, b) => a - b),
      everyone,
    );
    assert.ok(!ids.includes(escrow.userId));
  }
  for (const payee of await payeesFor(manager)) {
    const { user_type, user_id } = payee;
    await draft(manager, { payee: { user_type, user_id } });
  }
});

test('[CASE-2, GUARD-9] people who do not see the case get 404, and staff who may not write requests 403', async () => {
  const status = async (who: Client, caseId = CASE_1) => (await who.get(`/api/cases/${caseId}/payees`)).status;
  assert.deepEqual(
    [await status(stranger), await status(parent, CASE_2), await status(parent, 999_999), await status(viewer)],
    [404, 404, 404, 403],
  );
  assert.equal((await api.anonymous.get(`/api/cases/${CASE_1}/payees`)).status, 401);
});

test('[REQUEST-20, WHERE-4] what a payee says about approver and date is what the request says once it is sent', async () => {
  await api.pool.query('update payee_bank_account set usable_from = $2 where user_id = $1', [
    parent2.userId,
    '2026-11-25T16:00:00Z',
  ]);
  for (const [moment, decideBy] of [
    ['2026-11-23T16:00:00Z', '2026-11-23T19:00:00.000Z'],
    // After the cutoff of the Wednesday before Thanksgiving.
    ['2026-11-25T19:00:00Z', '2026-11-27T19:00:00.000Z'],
  ] as const) {
    now = new Date(moment);
    // Signed in again, because tokens last half an hour.
    const people: Client[] = await Promise.all((['surrogate', 'parent', 'rep'] as const).map((name) => api.as(name)));
    for (const who of people) {
      for (const { user_type, user_id, approver, arrives, needs_account, decide_by } of await payeesFor(who)) {
        const { id } = await draft(who, { payee: { user_type, user_id } });
        const request = await move(who, id, 'submit');
        assert.deepEqual(approver, request.approver);
        assert.partialDeepStrictEqual(request.whereabouts, { arrives });
        if (user_id === surrogate.userId) assert.deepEqual([needs_account, decide_by], [false, decideBy]);
      }
    }
  }
});

test('[REQUEST-20] a payee without a usable account says so instead of a date', async () => {
  now = new Date('2026-11-23T16:00:00Z');
  const ownPayee = async () => (await payeesFor(surrogate))[0] ?? assert.fail('there is no payee');
  const set = (fields: string) =>
    api.pool.query(`update payee_bank_account set ${fields} where user_id = $1 and replaced_at is null`, [surrogate.userId]);
  await set(`flag_code = 'R02', flagged_at = now()`);
  const flagged = await ownPayee();
  assert.deepEqual([flagged.arrives, flagged.decide_by], [null, null]);
  assert.match(flagged.why ?? '', /needs to add another bank account/);
  await set('flag_code = null, flagged_at = null, replaced_at = now()');
  const without = await ownPayee();
  assert.deepEqual([without.needs_account, without.why], [true, null]);
  assert.match(without.arrives?.if ?? '', /adds a bank account by 2 PM/);
});
