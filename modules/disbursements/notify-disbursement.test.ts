import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { createTestDatabase } from '../../test/support/database.ts';
import { DISBURSEMENT_STATUSES, type DisbursementEvent, type DisbursementStatus } from './disbursement-states.ts';
import { mailDisbursement } from './notify-disbursement.ts';

const { db, pool } = await createTestDatabase();
const context = { db, webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };

async function person(email_address: string, user_type: UserType): Promise<User> {
  const user = await findActiveUser(db, { email_address, user_type });
  assert.ok(user, email_address);
  return user;
}
const surrogate = await person('surrogate@demo.test', 'surrogate');
const parent = await person('parent@demo.test', 'ip');
const manager = await person('manager@demo.test', 'cm');

/** Inserts a request of case 1 in a given state, written by the case manager and paid to the surrogate. */
async function requestIn(status: DisbursementStatus): Promise<number> {
  const isSent = status !== 'draft' && status !== 'cancelled';
  const moment = isSent ? '2026-11-01T00:00:00Z' : null;
  const isBack = status === 'returned' || status === 'ended';
  const isDecided = isSent && status !== 'submitted';
  const [row] = await query<{ id: number }>(
    db,
    sql`insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
          submitted_at, approver_id, decided_at, decision_reason, paid_at, returned_at, return_code, end_reason)
        values (1, ${status}, 100, 'Travel', 'Train', ${surrogate.id}, ${manager.id}, ${isSent ? manager.id : null}, ${moment},
                ${isSent ? parent.id : null}, ${isDecided ? moment : null}, ${status === 'denied' ? 'No' : null},
                ${status === 'paid' ? moment : null}, ${isBack ? moment : null},
                ${isBack ? 'R01' : null}, ${status === 'ended' ? 'No' : null}) returning id`,
  );
  return row?.id ?? 0;
}

const PEOPLE = ['manager@demo.test', 'surrogate@demo.test'];
/** The recipients of each event, and the states of the request in which it is still true. */
const EVENTS: Record<DisbursementEvent, { to: string[]; is_news: readonly DisbursementStatus[] }> = {
  submitted: { to: ['parent@demo.test'], is_news: ['submitted', 'approved', 'denied', 'batched', 'paid', 'returned', 'ended'] },
  approved: {
    to: ['parent2@demo.test', 'parent@demo.test', 'surrogate@demo.test'],
    is_news: ['approved', 'denied', 'batched', 'paid', 'returned', 'ended'],
  },
  denied: {
    to: ['escrow@demo.test', 'manager@demo.test'],
    is_news: ['submitted', 'approved', 'denied', 'batched', 'paid', 'returned', 'ended'],
  },
  on_its_way: { to: PEOPLE, is_news: ['batched', 'paid'] },
  paid: { to: PEOPLE, is_news: ['paid'] },
  returned: { to: PEOPLE, is_news: ['returned'] },
  date_moved: {
    to: ['manager@demo.test', 'parent@demo.test', 'surrogate@demo.test'],
    is_news: ['submitted', 'approved', 'batched'],
  },
  ended: { to: ['manager@demo.test', 'parent2@demo.test', 'parent@demo.test', 'surrogate@demo.test'], is_news: ['ended'] },
};

const mailed = async (id: number, event: DisbursementEvent) => {
  const { rows } = await pool.query<{ recipient: string }>(
    `select recipient from delivery where channel = 'email' and delivery_key like $1 order by recipient`,
    [`disbursement:${id}:${event}:%`],
  );
  return rows.map(({ recipient }) => recipient);
};

for (const [name, { to, is_news }] of Object.entries(EVENTS)) {
  const event = name as DisbursementEvent;
  test(`[NOTIFY-9] the mail that a request was ${event} goes to the same people in every state in which that is true`, async () => {
    for (const status of DISBURSEMENT_STATUSES) {
      const id = await requestIn(status);
      await mailDisbursement(context, { disbursement_id: id, event, at: '2026-11-23T12:00:00.000Z' });
      assert.deepEqual(await mailed(id, event), is_news.includes(status) ? to : [], status);
    }
  });
}

test('[NOTIFY-9] an event is mailed once, and a later event or one of another request is mailed separately', async () => {
  const [id, other] = [await requestIn('submitted'), await requestIn('submitted')];
  const notify = (disbursement_id: number, at: string) => mailDisbursement(context, { disbursement_id, event: 'submitted', at });
  for (let times = 0; times < 2; times += 1) await notify(id, '2026-11-23T12:00:00.000Z');
  assert.equal((await mailed(id, 'submitted')).length, 1);
  await notify(id, '2026-11-23T12:00:00.001Z');
  assert.equal((await mailed(id, 'submitted')).length, 2);
  assert.deepEqual(await mailed(other, 'submitted'), []);
  await notify(other, '2026-11-23T12:00:00.000Z');
  assert.equal((await mailed(other, 'submitted')).length, 1);
});
