import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import {
  BATCH_STATUSES,
  type BatchDetails,
  type BatchEntry,
  type BatchStatus,
  type ReadyRequest,
} from '@case-platform/modules/banking';
import { NOT_PAYABLE_REASONS, type NotPayableReason } from '@case-platform/modules/disbursements';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { batchPage } from './batch-page.ts';
import { newBatchPage } from './new-batch-page.ts';

/** Renders the page of a batch without a server, in every state of the batch and of its payments. */

const at = (minute: number) => new Date(Date.UTC(2026, 10, 23, 16) + minute * 60_000);

const frameOf = (userId: number, ...permissions: Permission[]) => staffFrame({ userId, permissions, now: at(59) });
const inNewYork = staffFrame({ permissions: [], now: at(59), zone: 'America/New_York' });

const ENTRY: BatchEntry = {
  disbursement_id: 31,
  case_id: 1,
  case_name: 'Case 1',
  category: 'travel',
  description: 'Flight to the clinic',
  payee_id: 6,
  payee_name: 'Sam Doe',
  holder_name: 'Sam Doe',
  last_four: '1234',
  account_kind: 'checking',
  amount_cents: 12_500,
  trace_number: null,
  return_code: null,
  noted_codes: [],
  place: null,
  released_at: null,
  problem: null,
  unusual: [],
};
const batchOf = (status: BatchStatus, more: Partial<BatchDetails> = {}): BatchDetails => ({
  id: 7,
  status,
  entry_count: 2,
  total_cents: 25_000,
  same_day: false,
  effective_date: '2026-11-24',
  file_sha256: null,
  created_by: 1,
  created_by_name: 'Felix Brandt',
  handed_out_by: null,
  created_at: at(0),
  signatures: 0,
  is_blocked: false,
  is_late: false,
  list_sha256: 'a'.repeat(64),
  steps: [],
  signers: [],
  earlier_signers: [],
  entries: [ENTRY, { ...ENTRY, disbursement_id: 32 }],
  ...more,
});
const EVERYTHING: Permission[] = ['create_nacha', 'approve_nacha', 'make_payments', 'view_drs', 'view_bank_accounts'];
const pageOf = (batch: BatchDetails, frame = frameOf(2, ...EVERYTHING)) =>
  tightMarkup(batchPage(frame, { batch, file: null, hasBank: true })).replaceAll(/\s+/g, ' ');
const pillsIn = (page: string) =>
  [...page.matchAll(/<td data-label="State"><span class="state-pill ?([\w-]*)">([^<]+)</g)].map(([, look, words]) =>
    `${words} ${look}`.trim(),
  );

test('[BATCH-9] each state of a batch is named, and has its place between made and paid', () => {
  const shown = BATCH_STATUSES.map((status) => {
    const page = pageOf(batchOf(status));
    const [, words] = /<p class="page-lead"><span class="state-pill [\w-]*">([^<]+)</.exec(page) ?? [];
    const steps = [...page.matchAll(/<li class="stepper-step (is-done)?" (aria-current="step")?>([^<]+)</g)];
    const done = steps.filter(([, isDone]) => isDone !== undefined).length;
    const now = steps.find(([, , isNow]) => isNow !== undefined)?.[3] ?? '-';
    return `${status}: ${words}, ${done} done, now ${now}`;
  });
  assert.deepEqual(shown, [
    'draft: Waiting for approval, 0 done, now Made',
    'approved: Approved, 1 done, now Approved',
    'generated: Waiting for signatures, 2 done, now File ready',
    'outcome_unknown: Not confirmed yet, 4 done, now Sent',
    'transmitted: At the bank, 5 done, now At the bank',
    'settled: Paid, 7 done, now -',
    'cancelled: Cancelled, 0 done, now -',
  ]);
});

test('[WHERE-2, BATCH-10] the day of a batch is certain once the bank has it, and a cancelled or blocked batch has none', () => {
  const day = (status: BatchStatus, is_blocked = false) => {
    const page = pageOf(batchOf(status, { effective_date: '2026-11-24', is_blocked }));
    const [lead = ''] = /<p class="page-lead">.*?<\/p>/.exec(page) ?? [];
    return /, ([a-z ]+) <time datetime="2026-11-24"/.exec(lead)?.[1] ?? null;
  };
  assert.deepEqual([day('generated'), day('outcome_unknown')], ['should arrive', 'should arrive']);
  assert.deepEqual([day('transmitted'), day('settled')], ['arrives', 'arrived']);
  assert.deepEqual([day('cancelled'), day('generated', true)], [null, null]);
});

test('[BATCH-9] a file shows how many people signed it, and that it is ready to send', () => {
  const shown = [0, 1, 2].map((signatures) => {
    const page = pageOf(batchOf('generated', { signatures }));
    const [, words] = /<p class="page-lead"><span class="state-pill [\w-]*">([^<]+)</.exec(page) ?? [];
    const [, step] = /aria-current="step">([^<]+)</.exec(page) ?? [];
    return `${words}, now ${step}`;
  });
  assert.deepEqual(shown, [
    'Waiting for signatures, now File ready',
    'Signed 1 of 2, now Signed 1 of 2',
    'Ready to send, now Signed 2 of 2',
  ]);
});

const PROBLEM_PILLS: Record<NotPayableReason, string> = {
  case_ended: 'Case closed',
  payee_left: 'Payee left the case',
  payee_inactive: 'Payee deactivated',
  under_review: 'Being checked',
  account_changed: 'Account changed',
  no_account: 'No account',
  account_waits: 'Account not usable yet',
  account_closed: 'Needs another account',
};
const REASONS = Object.keys(PROBLEM_PILLS) as NotPayableReason[];

test('[BATCH-9] each payment of a batch shows its own state', () => {
  const entries = [
    ENTRY,
    { ...ENTRY, released_at: at(1), return_code: null },
    { ...ENTRY, return_code: 'R02', place: 'paid' as const },
    ...REASONS.map((reason) => ({
      ...ENTRY,
      problem: { disbursement_id: 31, reason, sentence: 'Sam Doe can’t be paid.' },
    })),
    ENTRY,
  ];
  const shown = (status: BatchStatus) => pillsIn(pageOf(batchOf(status, { entries })));
  const always = ['Taken out', 'Sent back is-refused'];
  const problems = REASONS.map((reason) => `${PROBLEM_PILLS[reason]} is-refused`);
  for (const status of ['draft', 'approved', 'generated'] as const)
    assert.deepEqual(shown(status), ['In the batch', ...always, ...problems, 'In the batch'], status);
  const paid = 'Paid is-done';
  assert.deepEqual(shown('settled'), [paid, ...always, ...problems.map(() => paid), paid]);
  // The returned payment is listed above with its present state, because another batch may have paid it.
  const page = pageOf(batchOf('settled', { entries }));
  assert.match(page, /1 payment in this batch came back/);
  assert.match(
    page,
    /Flight to the clinic<\/a>, \$125\.00 to Sam Doe\. The account is closed\. <span class="state-pill is-done">Paid</,
  );
});

const STOPPED: BatchEntry = {
  ...ENTRY,
  disbursement_id: 32,
  amount_cents: 700,
  description: 'Bus',
  problem: { disbursement_id: 32, reason: 'payee_left', sentence: 'Sam Doe is no longer on this case.' },
};

test('[BATCH-10] a blocked batch says what stops it, offers one step, and hides all others', () => {
  const page = (status: BatchStatus, more: Partial<BatchDetails> = {}, frame = frameOf(2, ...EVERYTHING)) =>
    pageOf(batchOf(status, { entries: [ENTRY, STOPPED], is_blocked: true, effective_date: null, ...more }), frame);
  const file = { file_sha256: 'f'.repeat(64), effective_date: '2026-11-24', signers: [], signatures: 0 };
  const signed = { ...file, signers: [{ user_id: 5, name: 'Ann', signed_at: at(1) }], signatures: 1 };
  const late = { ...file, entries: [ENTRY], is_late: true, effective_date: '2026-11-23' };
  const shown: [page: string, button: string, words: RegExp][] = [
    [page('draft'), 'Remove this payment', /The other payment \(1 payment, \$125\.00\) stays in the batch\.</],
    [page('approved'), 'Remove this payment', /stays in the batch\. The batch then needs a new approval\.</],
    [
      page('generated', file),
      'Remove this payment and make the file again',
      /stays in the batch and still arrives .*Nov 24.* a new approval\.</,
    ],
    [page('generated', signed), 'Remove this payment and make the file again', /Signatures of the old file don’t count/],
    [page('generated', { ...file, effective_date: '2026-11-23' }), 'Remove this payment and make the file again', /instead of/],
    [page('generated', late), 'Make the file again', /The payment \(.*\) stays in the batch and arrives .*Nov 24.* instead of/],
    [
      page('draft', { entries: [STOPPED, { ...STOPPED, disbursement_id: 33 }] }),
      'Remove these payments and cancel the batch',
      /so it’s cancelled/,
    ],
  ];
  for (const [text, button, words] of shown) {
    const [, lead = ''] = /<p class="page-lead">(.*?)<\/p>/.exec(text) ?? [];
    assert.match(lead, /<span class="state-pill is-refused">Blocked</);
    assert.doesNotMatch(lead, /arrives/);
    const [, form = ''] = /<form method="post" action="\/batches\/7\/unblock"(.*?)<\/form>/.exec(text) ?? [];
    assert.ok(form.includes(`>${button}</button>`), `${button}: ${form}`);
    assert.match(text, words);
    assert.doesNotMatch(text, /Approve batch|Sign the file|Make the file<|Download bank file/);
    assert.match(text, /Cancel this batch/);
  }
  const [[text = ''] = []] = shown;
  assert.match(text, /Blocked: 1 payment stops this batch.*Bus<\/a>, \$7\.00\. Sam Doe is no longer on this case\./);
  assert.match(text, /name="disbursement_ids" value="32"/);
  assert.doesNotMatch(text, /name="disbursement_ids" value="31"/);
  const payer = page('draft', {}, frameOf(2, 'make_payments'));
  assert.match(payer, /Someone who makes or approves batches has to do this/);
  assert.doesNotMatch(payer, /\/unblock"/);
  assert.doesNotMatch(page('draft', {}, frameOf(2, 'view_drs')), /Sam Doe|Bus/);
});

test('[BATCH-11] reasons about an account are listed once, those about a payment each, and the table marks every payment', () => {
  const first = { kind: 'first_payment' as const, sentence: 'First payment to this account.' };
  const alike = { kind: 'alike' as const, sentence: 'Another payment of $125.00 to the same person: Bus.' };
  const entries = Array.from({ length: 12 }, (_, at) => ({ ...ENTRY, disbursement_id: 50 + at, unusual: [first] }));
  const page = pageOf(batchOf('draft', { entries: [ENTRY, ...entries] }));
  assert.match(page, /Check first: 12 payments are unusual/);
  assert.match(page, /<ul><li>Sam Doe, 12 payments, \$1,500\.00: First payment to this account\.<\/li><\/ul>/);
  assert.equal(page.match(/<span class="cell-note is-problem">First payment to this account\.</g)?.length, 12);
  const twins = pageOf(batchOf('draft', { entries: entries.map((entry) => ({ ...entry, unusual: [alike] })) }));
  assert.equal(twins.match(/Flight to the clinic<\/a>, \$125\.00 to Sam Doe: Another payment of \$125\.00/g)?.length, 10);
  assert.match(twins, /<li>More is marked in the list of payments\.<\/li>/);
  assert.match(pageOf(batchOf('draft')), /Nothing about these payments is unusual\./);
  assert.doesNotMatch(pageOf(batchOf('transmitted')), /unusual/);
});

test('[RETURN-6] only payments that were neither returned nor taken out are marked as paid', () => {
  const entries = [
    ENTRY,
    { ...ENTRY, amount_cents: 1, released_at: at(1) },
    { ...ENTRY, amount_cents: 20, return_code: 'R01' },
    { ...ENTRY, amount_cents: 300 },
  ];
  const page = pageOf(batchOf('transmitted', { entries }));
  assert.match(page, /2 requests are marked as paid/);
  assert.match(page, /Mark \$128\.00 as paid/);
  assert.match(pageOf(batchOf('transmitted', { entries: [ENTRY] })), /1 request is marked as paid/);
  assert.match(pageOf(batchOf('settled', { entries, entry_count: 2 })), /Everything is paid\./);
  assert.match(pageOf(batchOf('settled', { entries, entry_count: 3 })), /Everything else is paid\./);
  // From its day on in New York there is nothing early about it.
  const today = { ...frameOf(2, ...EVERYTHING), clock: { zone: 'UTC', now: new Date('2026-11-24T05:00:00Z') } };
  const before = { ...today, clock: { zone: 'UTC', now: new Date('2026-11-24T04:59:59Z') } };
  const isEarly = (frame: typeof today) => pageOf(batchOf('transmitted'), frame).includes('The bank paid early');
  assert.deepEqual([isEarly(before), isEarly(today)], [true, false]);
});

test('[BATCH-9] the history of a batch describes each step in its own words, also when it is repeated', () => {
  const step = (minute: number, status: BatchStatus, note = '') => ({
    status,
    name: 'Ruth',
    note,
    created_at: at(minute),
  });
  const steps = [
    step(0, 'draft'),
    step(1, 'draft', 'Took out “Train to the clinic” ($10.00 to Sam Doe).'),
    step(2, 'approved'),
    step(3, 'draft', 'A payee has changed the bank account.'),
    step(4, 'approved'),
    step(5, 'generated'),
    step(8, 'outcome_unknown'),
    step(9, 'generated', 'Upload broke off'),
    step(10, 'outcome_unknown'),
    step(10.1, 'generated', 'Broke off again'),
    step(10.2, 'draft', 'Removed 1 payment that can’t be sent.'),
    step(10.3, 'generated'),
    step(10.4, 'outcome_unknown'),
    step(11, 'transmitted'),
    step(12, 'settled'),
  ];
  const signers = [
    { user_id: 1, name: 'Ann', signed_at: at(6) },
    { user_id: 2, name: 'Bob', signed_at: at(7) },
  ];
  const earlier_signers = [{ user_id: 3, name: 'Eve', signed_at: at(4.5) }];
  const page = pageOf(batchOf('settled', { steps, signers, earlier_signers }));
  const lines = [...page.matchAll(/<span class="timeline-what">([^<]+)</g)].map(([, words]) => words);
  assert.deepEqual(lines, [
    'Made, by Ruth',
    'Changed, by Ruth',
    'Approved, by Ruth',
    'Changed, by Ruth',
    'Approved, by Ruth',
    'File signed, by Eve',
    'File made, by Ruth',
    'File signed, by Ann',
    'File signed, by Bob',
    'File downloaded, by Ruth',
    'The bank doesn’t have it, by Ruth',
    'File downloaded, by Ruth',
    'The bank doesn’t have it, by Ruth',
    'Changed, by Ruth',
    'Approved, by Ruth',
    'File downloaded, by Ruth',
    'The bank has it, by Ruth',
    'Paid, by Ruth',
  ]);
  assert.equal(page.match(/timeline-item is-now/g)?.length, 1);
  assert.match(page, /timeline-item is-now"><span class="timeline-what">Paid, by Ruth/);
});

test('[GUARD-9, CASE-2] each part of a batch’s page is shown to those whose role has it', () => {
  const text = (...permissions: Permission[]) => pageOf(batchOf('draft'), frameOf(2, ...permissions));
  for (const permission of ['create_nacha', 'approve_nacha', 'make_payments'] as const)
    assert.match(text(permission), /Sam Doe/, permission);
  for (const permission of ['view_case_details', 'view_drs'] as const) {
    assert.doesNotMatch(text(permission), /Sam Doe/, permission);
    assert.match(text(permission), /Your role can’t see who this batch pays/, permission);
  }
  assert.match(text('make_payments', 'view_bank_accounts'), /ending in <span class="mono">1234</);
  assert.doesNotMatch(text('make_payments'), /1234/);
  assert.match(text('approve_nacha'), /Approve batch/);
  assert.doesNotMatch(text('create_nacha', 'make_payments'), /Approve batch/);
  const ofMaker = pageOf(batchOf('draft'), frameOf(1, 'approve_nacha', 'create_nacha'));
  assert.doesNotMatch(ofMaker, /Approve batch/);
  assert.match(ofMaker, /You made this batch, so someone else has to approve it/);
  // Payments leave a draft that keeps another one.
  assert.match(text('create_nacha'), /Take out/);
  assert.doesNotMatch(pageOf(batchOf('draft', { entry_count: 1 })), /Take out/);
  assert.doesNotMatch(pageOf(batchOf('approved')), /Take out/);
});

test('[BATCH-7] only the person who downloaded the file gets it again, while it is not confirmed that the bank has it', () => {
  const again = (userId: number, batch: BatchDetails) =>
    pageOf(batch, frameOf(userId, ...EVERYTHING)).includes('href="/batches/7/file"');
  const sent = (status: BatchStatus) => batchOf(status, { handed_out_by: 2, file_sha256: 'b'.repeat(64) });
  assert.deepEqual([again(2, sent('outcome_unknown')), again(3, sent('outcome_unknown'))], [true, false]);
  for (const status of BATCH_STATUSES) if (status !== 'outcome_unknown') assert.equal(again(2, sent(status)), false, status);
});

test('[BATCH-6] a batch is canceled until its file is out, by those who make or approve batches', () => {
  const offers = (status: BatchStatus, ...permissions: Permission[]) =>
    pageOf(batchOf(status), frameOf(2, ...permissions)).includes('action="/batches/7/cancel"');
  for (const status of BATCH_STATUSES) {
    const isPossible = ['draft', 'approved', 'generated'].includes(status);
    for (const permission of ['create_nacha', 'approve_nacha'] as const)
      assert.equal(offers(status, permission), isPossible, status);
    assert.equal(offers(status, 'make_payments'), false, status);
  }
});

const READY: ReadyRequest = {
  id: 31,
  case_id: 1,
  case_name: 'Case 1',
  category: 'travel',
  description: 'Flight to the clinic',
  amount_cents: 12_500,
  is_compensation: false,
  payee_id: 6,
  payee_name: 'Sam Doe',
  decided_at: at(0),
  last_four: '1234',
  usable_from: new Date('2026-11-25T20:00:00Z'),
  problem: null,
};
const newPageOf = (more: Partial<Parameters<typeof newBatchPage>[1]>, frame = frameOf(2, ...EVERYTHING)) =>
  tightMarkup(newBatchPage(frame, { ready: [READY], choices: undefined, same_day: false, refused: undefined, ...more }));

test('[BATCH-12] what is left out of a new batch says how each reason is resolved, by whom', () => {
  const reason = (reason: NotPayableReason, more: Partial<ReadyRequest> = {}, ...permissions: Permission[]) => {
    const payment = { ...READY, problem: { disbursement_id: 31, reason, sentence: 'Why.' }, ...more };
    const page = newPageOf({ ready: [payment] }, frameOf(2, ...permissions));
    const [, why = ''] = /data-label="Why"[^>]*>([\s\S]*?)<\/td>/.exec(page) ?? [];
    const words = why
      .replaceAll(/<span class="sr-only">[^<]*<\/span>|<(?!a)[^>]+>/g, '')
      .replaceAll(/<a [^>]*href="([^"]+)">/g, '$1 ');
    return words
      .replaceAll(/<\/a>|^Why\./g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replace(/^Why\. ?/, '');
  };
  const ways: Record<NotPayableReason, string> = {
    case_ended: 'Open the case again to send it.',
    payee_left: 'Add them to the case again, or change who is paid.',
    payee_inactive: 'Reactivate their sign-in, or change who is paid.',
    under_review: 'The case’s escrow specialist clears it on the request’s page.',
    account_changed: 'It needs a new approval for the new account.',
    no_account: 'They add one in their profile, or /bank-accounts/6 enter it for them.',
    account_waits: 'It can be sent on Wed, Nov 25.',
    account_closed: 'They enter another one in their profile, or /bank-accounts/6 enter it for them.',
  };
  for (const one of NOT_PAYABLE_REASONS) assert.equal(reason(one, {}, 'edit_bank_accounts'), ways[one], one);
  assert.equal(
    reason('no_account', {}, 'view_bank_accounts'),
    'They add one in their profile, or a colleague enters it for them.',
  );
  assert.equal(reason('account_waits', { usable_from: null }), '');
  const waiting = { ...READY, usable_from: new Date('2026-11-26T03:00:00Z') };
  const problem = { disbursement_id: 31, reason: 'account_waits', sentence: 'Why.' } as const;
  assert.match(newPageOf({ ready: [{ ...waiting, problem }] }, inNewYork), /It can be sent [\s\S]{0,200}>on Wed, Nov 25</);
});

test('[BATCH-12, BANK-5] the form of a new batch keeps what was chosen, and shows accounts to those who may see them', () => {
  const other = { ...READY, id: 32 };
  const shown = (more: Parameters<typeof newPageOf>[0]) => {
    const page = newPageOf({ ready: [READY, other], ...more });
    const boxes = [...page.matchAll(/<input type="checkbox"([^>]*)>/g)].map(([, attributes = '']) => attributes);
    return boxes.map((one) => `${/value="(\w+)"/.exec(one)?.[1]}${/\schecked/.test(one) ? '*' : ''}`);
  };
  assert.deepEqual(shown({}), ['31*', '32*', 'yes']);
  assert.deepEqual(shown({ same_day: true }), ['31*', '32*', 'yes*']);
  const ids = new Set([32]);
  assert.deepEqual(shown({ same_day: true, choices: { ids, same_day: false } }), ['31', '32*', 'yes']);
  assert.deepEqual(shown({ same_day: false, choices: { ids, same_day: true } }), ['31', '32*', 'yes*']);
  const digits = (...permissions: Permission[]) => newPageOf({}, frameOf(2, ...permissions)).includes('1234');
  assert.deepEqual([digits('create_nacha', 'view_bank_accounts'), digits('create_nacha', 'edit_bank_accounts')], [true, false]);
});

test('[BATCH-11] reasons about the accounts of two people with the same name are two lines', () => {
  const unusual: BatchEntry['unusual'] = [{ kind: 'first_payment', sentence: 'First payment to this account.' }];
  const entries = [6, 9, 6].map((payee_id, at) => ({ ...ENTRY, payee_id, disbursement_id: 50 + at, unusual }));
  const items = pageOf(batchOf('draft', { entries })).match(/<li>Sam Doe, [^<]+<\/li>/g);
  assert.deepEqual(items, [
    '<li>Sam Doe, 2 payments, $250.00: First payment to this account.</li>',
    '<li>Sam Doe, 1 payment, $125.00: First payment to this account.</li>',
  ]);
});

test('[BATCH-11] a check before money leaves lists ten reasons, and says that the table has the others', () => {
  const reason = (id: number) =>
    ({ ...ENTRY, disbursement_id: id, unusual: [{ kind: 'larger_than_usual', sentence: `Reason ${id}.` }] }) as never;
  const shown = (count: number) => {
    const page = pageOf(batchOf('draft', { entries: Array.from({ length: count }, (_, id) => reason(id)) }));
    const [part = ''] = /<div class="check-first">[\s\S]*?<\/ul>/.exec(page) ?? [];
    return [part.match(/Reason \d+\./g)?.length, part.includes('More is marked'), /Check first: ([^<]+)/.exec(part)?.[1]];
  };
  assert.deepEqual(shown(1), [1, false, '1 payment is unusual']);
  assert.deepEqual(shown(10), [10, false, '10 payments are unusual']);
  assert.deepEqual(shown(11), [10, true, '11 payments are unusual']);
});
