import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_STATUSES, type BatchStatus } from '@case-platform/modules/banking';
import { BANK, gather, openDesk, sign, step } from './batches-desk.ts';

const { api, surrogate, root, finance, putAccount, approved } = await openDesk();
await putAccount(surrogate);
assert.equal((await root.post('/batches/bank', BANK)).status, 303);

/** The steps from a draft to each state. */
const TO_BANK = ['approve', 'generate', 'sign', 'hand-out', 'accept', 'settle'];
const WAYS: Record<BatchStatus, string[]> = {
  draft: [],
  approved: TO_BANK.slice(0, 1),
  generated: TO_BANK.slice(0, 2),
  outcome_unknown: TO_BANK.slice(0, 4),
  transmitted: TO_BANK.slice(0, 5),
  settled: TO_BANK,
  cancelled: ['cancel'],
};

async function walk(path: string, name: string): Promise<void> {
  if (name === 'sign') for (const who of [finance, root]) await sign(who, path);
  else if (name === 'accept') await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmed' });
  else if (name === 'cancel') await step(root, path, 'cancel', { reason: 'Entered twice' });
  else await step(name === 'generate' ? finance : root, path, name);
}

/** The states in which each command is possible. In every other state it is a conflict (BATCH-1). */
const POSSIBLE: Record<string, { in: BatchStatus[]; fields: (id: number) => Record<string, string> }> = {
  approve: { in: ['draft'], fields: () => ({ sha256: '0'.repeat(64) }) },
  remove: { in: ['draft'], fields: (id) => ({ disbursement_id: String(id) }) },
  unblock: {
    in: ['draft', 'approved', 'generated'],
    fields: (id) => ({ sha256: '0'.repeat(64), disbursement_ids: String(id) }),
  },
  cancel: { in: ['draft', 'approved', 'generated'], fields: () => ({ reason: 'Entered twice' }) },
  generate: { in: ['approved'], fields: () => ({ sha256: '0'.repeat(64) }) },
  sign: { in: ['generated'], fields: () => ({ sha256: '0'.repeat(64) }) },
  'hand-out': { in: ['generated'], fields: () => ({ sha256: '0'.repeat(64) }) },
  outcome: {
    in: ['outcome_unknown'],
    fields: () => ({ outcome: 'accepted', note: 'Confirmed', sha256: '0'.repeat(64) }),
  },
  settle: { in: ['transmitted'], fields: () => ({ sha256: '0'.repeat(64) }) },
};

for (const status of BATCH_STATUSES) {
  test(`[BATCH-1] a batch that is ${status} rejects every other step with a conflict, and nothing is written`, async () => {
    const id = await approved();
    const path = await gather(finance, [id, await approved()]);
    for (const name of WAYS[status]) await walk(path, name);
    const batchId = path.split('/')[2];
    const stateNow = async () =>
      (
        await api.pool.query(
          `select b.status, d.status as request, (select count(*)::int from audit_entry) as entries,
                  (select count(*)::int from ledger_transaction) as movements
             from banking_batch b, disbursement_request d where b.id = $1 and d.id = $2`,
          [batchId, id],
        )
      ).rows[0];
    const before = await stateNow();
    assert.equal(before.status, status);
    for (const [name, command] of Object.entries(POSSIBLE)) {
      if (command.in.includes(status)) continue;
      const answer = await root.post(`${path}/${name}`, command.fields(id));
      assert.equal(answer.status, 409, name);
      assert.deepEqual(await stateNow(), before, name);
    }
  });
}
