import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { DomainError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { createTestDatabase } from '../../test/support/database.ts';
import { fundCase } from '../../test/support/money.ts';
import { approveDisbursement, cancelDisbursement, denyDisbursement } from './approval/approve-disbursement.ts';
import { undoApproval } from './approval/undo-approval.ts';
import { createDisbursement } from './create-disbursement.ts';
import {
  COMMANDS,
  DISBURSEMENT_STATUSES,
  type DisbursementCommand,
  type DisbursementStatus,
  getMove,
} from './disbursement-states.ts';
import { endDisbursement } from './end-disbursement.ts';
import { getDisbursement } from './list-disbursements.ts';
import { lockDisbursements } from './lock-disbursement.ts';
import { retryDisbursement } from './retry-disbursement.ts';
import {
  batchDisbursements,
  payDisbursements,
  returnDisbursement,
  sendDisbursements,
  unbatchDisbursements,
} from './settle-disbursements.ts';
import { submitDisbursement } from './submit-disbursement.ts';
import { reviseDisbursement, updateDisbursement } from './update-disbursement.ts';

/** REQUEST-1 as a table, written by hand: a row for each state and a column for each command; `-` means rejected. */
const TABLE = `
            submit     approve   undo_approval  deny    cancel     revise  remove_approval  batch    unbatch   send     pay   return    retry     end
draft       submitted  -         -              -       cancelled  draft   -                -        -         -        -     -         -         -
submitted   -          approved  -              denied  cancelled  draft   -                -        -         -        -     -         -         -
approved    -          -         submitted      -       -          draft   draft            batched  -         -        -     -         -         -
denied      -          -         -              -       -          -       -                -        -         -        -     -         -         -
batched     -          -         -              -       -          -       -                -        approved  batched  paid  returned  -         -
paid        -          -         -              -       -          -       -                -        -         -        -     returned  -         -
returned    -          -         -              -       -          -       -                -        -         -        -     -         approved  ended
cancelled   -          -         -              -       -          -       -                -        -         -        -     -         -         -
ended       -          -         -              -       -          -       -                -        -         -        -     -         -         -`;

const names = Object.keys(COMMANDS) as DisbursementCommand[];
const nextOf = (command: DisbursementCommand, status: DisbursementStatus) => {
  try {
    return getMove(command, status);
  } catch {
    return null;
  }
};

test('[REQUEST-1] each command leads from each state to the state of the table, or is rejected', () => {
  const [header = '', ...rows] = TABLE.trim().split('\n');
  const commands = header.trim().split(/\s+/);
  assert.deepEqual(commands.toSorted(), names.toSorted());
  const states = rows.map((row) => row.split(/\s+/)[0]);
  assert.deepEqual(states, [...DISBURSEMENT_STATUSES]);
  const generated = DISBURSEMENT_STATUSES.map((status) => [
    status,
    ...commands.map((command) => nextOf(command as DisbursementCommand, status)?.to ?? '-'),
  ]);
  assert.deepEqual(
    generated,
    rows.map((row) => row.split(/\s+/)),
  );
});

const { db } = await createTestDatabase();
const context = { db, now: () => new Date() };
const by = (actor: User) => ({ actor, origin: SYSTEM });
const person = async (email_address: string, user_type: UserType) => {
  const user = await findActiveUser(db, { email_address, user_type });
  assert.ok(user);
  return user;
};
const [surrogate, parent, root] = [
  await person('surrogate@demo.test', 'surrogate'),
  await person('parent@demo.test', 'ip'),
  await person('root@demo.test', 'admin'),
];
const BANK = { actor: null, origin: SYSTEM };
await fundCase({ db }, 1, 100_000_00);

const seen = async (id: number) => ({ version: (await getDisbursement(db, parent, id, new Date())).version });
let amount = 10_000;
/** Every command as people and the bank give it. */
const PERFORM: Record<DisbursementCommand, (id: number) => Promise<unknown>> = {
  submit: (id) => submitDisbursement(context, id, by(surrogate)),
  approve: async (id) => approveDisbursement(context, id, { ...(await seen(id)), undoable: true }, by(parent)),
  undo_approval: (id) => undoApproval(context, id, by(parent)),
  deny: async (id) => denyDisbursement(context, id, { ...(await seen(id)), reason: 'No' }, by(parent)),
  cancel: (id) => cancelDisbursement(context, id, by(surrogate)),
  revise: (id) => {
    amount += 1;
    return updateDisbursement(context, id, { amount_cents: amount }, by(surrogate));
  },
  remove_approval: (id) =>
    db.transaction(async (tx) => {
      for (const locked of await lockDisbursements(tx, [id]))
        await reviseDisbursement(tx, locked, 'remove_approval', { by: BANK, now: new Date() });
    }),
  batch: (id) => db.transaction((tx) => batchDisbursements(tx, [id], BANK, new Date())),
  unbatch: (id) => db.transaction((tx) => unbatchDisbursements(tx, [id], BANK, new Date())),
  send: (id) => db.transaction((tx) => sendDisbursements(tx, [id], BANK, new Date())),
  pay: (id) => db.transaction((tx) => payDisbursements(tx, [id], BANK, new Date())),
  return: (id) => db.transaction((tx) => returnDisbursement(tx, id, 'R01', BANK, new Date())),
  retry: (id) => retryDisbursement(context, id, { reason: 'The bank has cleared it' }, by(root)),
  end: (id) => endDisbursement(context, id, { reason: 'Paid in cash' }, by(root)),
};

/** The shortest way from a draft to a state, by the table itself. */
function wayTo(state: DisbursementStatus): DisbursementCommand[] {
  const ways = new Map<DisbursementStatus, DisbursementCommand[]>([['draft', []]]);
  for (const [from, way] of ways) {
    for (const command of names) {
      const move = nextOf(command, from);
      if (move !== null && !ways.has(move.to)) ways.set(move.to, [...way, command]);
    }
  }
  const way = ways.get(state);
  assert.ok(way, state);
  return way;
}

async function requestIn(state: DisbursementStatus): Promise<number> {
  const wish = { amount_cents: 10_000, category: 'Travel', description: 'Train' };
  const { id } = await createDisbursement(context, 1, wish, by(surrogate));
  for (const command of wayTo(state)) await PERFORM[command](id);
  return id;
}

/** The state of a request, the kinds of its postings, and the events that people are notified of. */
async function lifeOf(id: number): Promise<{ status: string; posted: string[]; notified: string[] }> {
  const [row] = await query<{ status: string; posted: string[]; notified: string[] }>(
    db,
    sql`select d.status,
               array(select t.kind from ledger_transaction t where t.disbursement_id = d.id order by t.id) as posted,
               array(select j.payload ->> 'event' from graphile_worker._private_jobs j
                       join graphile_worker._private_tasks k on k.id = j.task_id and k.identifier = 'mail_disbursement'
                      where (j.payload ->> 'disbursement_id')::bigint = d.id order by j.id) as notified
          from disbursement_request d where d.id = ${id}`,
  );
  assert.ok(row);
  return row;
}

for (const state of DISBURSEMENT_STATUSES) {
  test(`[REQUEST-1, LEDGER-1, NOTIFY-9] a ${state} request takes the steps of the table, with their postings and notices`, async () => {
    const untouched = await requestIn(state);
    const before = await lifeOf(untouched);
    assert.equal(before.status, state);
    for (const command of names) {
      const move = nextOf(command, state);
      if (move === null) {
        await assert.rejects(
          PERFORM[command](untouched),
          (error) => error instanceof DomainError && error.status !== 422,
          command,
        );
        assert.deepEqual(await lifeOf(untouched), before, command);
        continue;
      }
      const id = await requestIn(state);
      await PERFORM[command](id);
      const expected = {
        status: move.to,
        posted: [...before.posted, ...(move.posts === undefined ? [] : [move.posts])],
        notified: [...before.notified, ...(move.notifies === undefined ? [] : [move.notifies])],
      };
      assert.deepEqual(await lifeOf(id), expected, command);
    }
  });
}
