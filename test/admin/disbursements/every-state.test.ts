import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISBURSEMENT_STATUSES, type DisbursementStatus } from '@case-platform/modules/disbursements';
import { bringTo } from '../../support/money.ts';
import type { Client } from '../../support/platform.ts';
import { openDesk } from '../batches/batches-desk.ts';

/** Every state of a request has a next step for somebody: who, on which page, in which words. */

const { api, surrogate, parent, root, finance, escrow, putAccount } = await openDesk();
await putAccount(surrogate);

interface NextStep {
  /** The API's line, which the web shows; null: it is at its end, and says so by its state. */
  waiting_for: RegExp | null;
  /** Whose page of the staff application has the step, its address, and the words on it. */
  staff: [who: typeof root, path: (id: number) => string, words: RegExp];
  /** Whom the web asks, and the command that they may give there; null: nothing is theirs to do. */
  web: [who: Client, command: string, body: (version: string) => object] | null;
}

const page = (id: number) => `/disbursements/${id}`;
const none = () => ({});
const NEXT: Record<DisbursementStatus, NextStep> = {
  draft: {
    waiting_for: /Sarah Lindgren to send it/,
    staff: [escrow, page, /Send request/],
    web: [surrogate, 'submit', none],
  },
  submitted: {
    waiting_for: /Paige Whitlock to approve it/,
    staff: [root, page, /Approve \$125\.00/],
    web: [parent, 'approve', (version) => ({ version })],
  },
  approved: {
    waiting_for: /our payments team to send it to the bank/,
    staff: [finance, () => '/batches/new', /Train to the clinic|Sarah Lindgren/],
    web: null,
  },
  batched: { waiting_for: /the bank to pay it/, staff: [root, page, /The money arrives/], web: null },
  paid: { waiting_for: null, staff: [root, page, /Paid/], web: null },
  returned: {
    waiting_for: /the escrow specialist to pay it again/,
    staff: [escrow, page, /Pay \$125\.00 again/],
    web: [await api.as('escrow'), 'retry', () => ({ reason: 'The bank has cleared it' })],
  },
  denied: { waiting_for: null, staff: [root, page, /Denied/], web: null },
  cancelled: { waiting_for: null, staff: [root, page, /Cancelled/], web: null },
};

for (const status of DISBURSEMENT_STATUSES) {
  test(`[decisions 14] a request that is ${status} has a next step for somebody, or says that it is at its end`, async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, status);
    const { waiting_for, staff, web } = NEXT[status];
    const request = (await surrogate.get(`/api/disbursements/${id}`)).body;
    if (waiting_for === null) assert.equal(request.waiting_for, null);
    else assert.match(request.waiting_for, waiting_for);
    const [who, path, words] = staff;
    const shown = await who.get(path(id));
    assert.equal(shown.status, 200);
    assert.match(shown.text, words);
    if (web === null) return;
    const [asked, command, body] = web;
    const { version } = (await asked.get(`/api/disbursements/${id}`)).body;
    const done = await asked.post(`/api/disbursements/${id}/${command}`, body(version ?? ''));
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.notEqual(done.body.status, status);
  });
}
