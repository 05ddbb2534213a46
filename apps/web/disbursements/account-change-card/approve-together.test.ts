import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EVERY_STATUS, startSink } from '../../../../test/support/sink.ts';
import type { Disbursement } from '../../api/api-shapes.ts';
import { approveTogether } from './approve-together.ts';

const sink = await startSink({ status: 200, body: {} });
/** These tests share their process with others. */
const { fetch, sessionStorage, location } = globalThis;
const before = { fetch, sessionStorage, location };
Object.assign(globalThis, {
  fetch: (path: string, init: RequestInit) => before.fetch(new URL(path, sink.origin), init),
  sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
  location: { href: `${sink.origin}/`, pathname: '/', search: '', assign() {} },
});
after(() => Object.assign(globalThis, before));

const payments = [1, 2, 3].map((id) => ({ id, version: `v${id}`, payee_account: { version: `a${id}` } }) as Disbursement);
const pathOf = (id: number) => `/api/disbursements/${id}/approve`;

/** Approves three payments, of which the second gets this answer. */
async function approve(second: number | 'drop') {
  sink.received.length = 0;
  sink.answers.set(pathOf(2), second === 'drop' ? 'drop' : { status: second, body: { message: 'Words.' } });
  const steps: number[] = [];
  const { approved, refused } = await approveTogether(payments, (tried) => steps.push(tried));
  return {
    sent: sink.received.filter(({ path }) => path.endsWith('/approve')).map(({ path }) => path),
    approved: approved.map(({ id }) => id),
    refused: refused.map(({ payment }) => payment.id),
    steps,
  };
}

test('[BANK-9] only an answer after which the next payment would fail as well ends an approval of several', async () => {
  const all = [1, 2, 3].map(pathOf);
  for (const status of [...EVERY_STATUS.filter((one) => one !== 204), 'drop' as const]) {
    const result = await approve(status);
    const ends = status === 'drop' || status === 401 || status === 429;
    if (typeof status === 'number' && status < 300)
      assert.deepEqual(result, { sent: all, approved: [1, 2, 3], refused: [], steps: [1, 2, 3] }, String(status));
    else if (ends)
      assert.deepEqual(result, { sent: all.slice(0, 2), approved: [1], refused: [2, 3], steps: [1] }, String(status));
    else assert.deepEqual(result, { sent: all, approved: [1, 3], refused: [2], steps: [1, 2, 3] }, String(status));
  }
});

test('[BANK-9, REQUEST-9] each payment is approved as it was shown, for the account that was shown', async () => {
  await approve(200);
  const bodies = sink.received.map(({ body }) => JSON.parse(body.toString()));
  assert.deepEqual(
    bodies,
    payments.map(({ id }) => ({ version: `v${id}`, over_by_cents: 0, account_seen: `a${id}` })),
  );
});
