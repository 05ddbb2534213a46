import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBatch, listBatches } from '@case-platform/modules/banking';
import { type NotPayableReason, requirePayable } from '@case-platform/modules/disbursements';
import { CASE_1 } from '../../support/cast.ts';
import { eventually } from '../../support/eventually.ts';
import { BANK as AS_BANK, asBank, bringTo, decide } from '../../support/money.ts';
import { BANK, gather, MONDAY, openDesk, press, sign, step } from './batches-desk.ts';

let now = MONDAY;
const desk = await openDesk({ now: () => now });
const { api, admin, surrogate, parent, root, finance, escrow, approved, putAccount } = desk;
const specialist = await api.as('escrow');
const run = (text: string, values: unknown[] = []) => api.pool.query(text, values);
await putAccount(surrogate);
await run('update payee_bank_account set usable_from = created_at');
await root.post('/batches/bank', BANK);
await run(
  `insert into admin_role_permission
   select admin_role_id, unnest(array['approve_nacha', 'create_nacha', 'make_payments']) from user_account
    where email_address = 'finance@demo.test' on conflict do nothing`,
);

/** The day of the files that are made on Monday. */
const TUESDAY = new Date('2026-11-24T16:05:00Z');

/** Creates requests of one payee, one right before each step. */
async function standBeforeEachStep() {
  const submitted = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
  const ready = await approved();
  const returned = await approved();
  for (const move of ['batch', 'pay'] as const) await asBank(api, async (tx) => void (await AS_BANK[move](tx, returned)));
  await asBank(api, (tx) => AS_BANK.return(tx, returned));
  const [draft, checked, generated, signed] = [
    await gather(finance, [await approved(), await approved()]),
    await gather(finance, [await approved()]),
    await gather(finance, [await approved()]),
    await gather(finance, [await approved()]),
  ];
  for (const path of [checked, generated, signed]) await step(root, path, 'approve');
  for (const path of [generated, signed]) await step(finance, path, 'generate');
  for (const who of [root, finance]) await sign(who, signed);
  return { submitted, ready, returned, draft, checked, generated, signed };
}
const stand = await standBeforeEachStep();

/** Takes each step as people do. The result has the status and the text that they read. */
const STEPS = {
  approve: async () => {
    const answer = await decide(parent, stand.submitted, 'approve');
    return { status: answer.status, text: answer.body.message ?? '' };
  },
  'approve by staff': async () => {
    const { version } = (await specialist.get(`/api/disbursements/${stand.submitted}`)).body;
    return root.post(`/disbursements/${stand.submitted}/approve`, { version, over_by_cents: '0' });
  },
  gather: () => finance.post('/batches', { disbursement_ids: [String(stand.ready)] }),
  'approve batch': () => press(api, root, stand.draft, 'approve'),
  generate: () => press(api, finance, stand.checked, 'generate'),
  sign: () => press(api, root, stand.generated, 'sign'),
  release: () => press(api, root, stand.signed, 'hand-out'),
  retry: async () => {
    const answer = await specialist.post(`/api/disbursements/${stand.returned}/retry`, { reason: 'Cleared' });
    return { status: answer.status, text: answer.body.message ?? '' };
  },
} satisfies Record<string, () => Promise<{ status: number; text: string }>>;
type StepName = keyof typeof STEPS;

const OF_A_BATCH: StepName[] = ['approve batch', 'generate', 'sign', 'release'];
const ALL = Object.keys(STEPS) as StepName[];

/** For each reason: the statements that cause and undo it, and the text that people read. */
const REASONS: Record<NotPayableReason, { cause: string; undo: string; words: RegExp; stops: StepName[] }> = {
  payee_inactive: {
    cause: `update user_account set status = 'deactivated' where id = $1`,
    undo: `update user_account set status = 'active' where id = $1`,
    words: /sign-in isn’t active/,
    stops: ALL,
  },
  payee_left: {
    cause: 'update case_participant set left_at = now() where user_id = $1',
    undo: 'update case_participant set left_at = null where user_id = $1',
    words: /no longer on this case/,
    stops: ALL,
  },
  case_ended: {
    cause: `update case_file set status = 'closed' where id = ${CASE_1} and $1 > 0`,
    undo: `update case_file set status = 'active' where id = ${CASE_1} and $1 > 0`,
    words: /The case is closed/,
    stops: ALL,
  },
  under_review: {
    cause: `insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason)
            select $1, case_id, id, approver_id, now(), 'Odd' from disbursement_request
             where payee_id = $1 and approver_id is not null order by id limit 1`,
    undo: `delete from payment_stop where payee_id = $1`,
    words: /Our team is checking this payment|ll payments to Sarah Lindgren/,
    stops: ALL,
  },
  account_waits: {
    cause: `update payee_bank_account set usable_from = '2026-11-30' where user_id = $1`,
    undo: 'update payee_bank_account set usable_from = created_at where user_id = $1',
    words: /can’t use it yet/,
    stops: ['gather', ...OF_A_BATCH],
  },
  account_closed: {
    cause: `update payee_bank_account set flag_code = 'R02', flagged_at = now() where user_id = $1`,
    undo: 'update payee_bank_account set flag_code = null, flagged_at = null where user_id = $1',
    words: /needs to add another bank account/,
    stops: ['gather', ...OF_A_BATCH, 'retry'],
  },
  account_changed: {
    cause: 'update payee_bank_account set replaced_at = now() where user_id = $1',
    undo: 'update payee_bank_account set replaced_at = null where user_id = $1',
    words: /bank account was changed/,
    stops: OF_A_BATCH,
  },
  no_account: {
    cause: 'update payee_bank_account set replaced_at = now() where user_id = $1',
    undo: 'update payee_bank_account set replaced_at = null where user_id = $1',
    words: /hasn’t added a bank account/,
    stops: ['gather'],
  },
};

for (const [reason, { cause, undo, words, stops }] of Object.entries(REASONS)) {
  test(`[PAYABLE-1, PAYABLE-2] a payment that cannot be made is stopped at every step: ${reason}`, async () => {
    await run(cause, [surrogate.userId]);
    try {
      for (const name of stops) {
        const { status, text } = await STEPS[name]();
        assert.equal(status, 409, `${name}: ${text.slice(0, 300)}`);
        assert.match(text, words, name);
        if (name === 'approve' && reason !== 'case_ended') assert.match(text, /Deny the request, or ask|You can approve it once/);
        if (OF_A_BATCH.includes(name)) assert.match(text, /to Sarah Lindgren\) can’t be sent: .*Remove what can’t be sent first/);
      }
      await seesBefore(reason as NotPayableReason, words, stops);
    } finally {
      await run(undo, [surrogate.userId]);
    }
  });
}

test('[BATCH-10] all reasons that block a batch at once are shown, and payments can be removed', async (t) => {
  t.after(async () => {
    now = MONDAY;
    for (const { undo } of Object.values(REASONS)) for (const { userId } of [surrogate, parent]) await run(undo, [userId]);
  });
  await putAccount(parent, { account_number: '55667788' });
  await run('update payee_bank_account set usable_from = created_at');
  const toParent = { amount_cents: 2500, payee: { user_type: 'intended_parent', user_id: parent.userId } };
  const maker = { maker: surrogate, checker: await api.as('parent2') };
  const ids = [await approved(), await bringTo(api, maker, 'approved', toParent)];
  const path = await gather(finance, ids);
  await step(root, path, 'approve');
  await step(finance, path, 'generate');
  const batchId = Number(path.split('/')[2]);
  // Once the case has ended, that is the reason of both.
  const OF_ONE = (
    ['payee_inactive', 'payee_left', 'under_review', 'account_waits', 'account_closed', 'account_changed'] as const
  ).map((reason) => ({ reason, ...REASONS[reason] }));
  const blockage = async (at: Date) => {
    const [batch, page] = [await getBatch(api.db, batchId, at), await listBatches(api.db, {}, at)];
    const problems = ids.map((id) => batch.entries.find(({ disbursement_id }) => disbursement_id === id)?.problem?.reason);
    const listed = page.data.find(({ id }) => id === batchId)?.is_blocked;
    return { problems, is_late: batch.is_late, is_blocked: [batch.is_blocked, listed] };
  };
  for (const own of [undefined, ...OF_ONE])
    for (const theirs of [undefined, ...OF_ONE]) {
      if (own !== undefined) await run(own.cause, [surrogate.userId]);
      if (theirs !== undefined) await run(theirs.cause, [parent.userId]);
      for (const is_late of [false, true]) {
        const isBlocked = is_late || own !== undefined || theirs !== undefined;
        const problems = [own?.reason, theirs?.reason];
        assert.deepEqual(await blockage(is_late ? TUESDAY : MONDAY), { problems, is_late, is_blocked: [isBlocked, isBlocked] });
      }
      if (own !== undefined) await run(own.undo, [surrogate.userId]);
      if (theirs !== undefined) await run(theirs.undo, [parent.userId]);
    }
  const [first, second] = [REASONS.account_closed, REASONS.payee_left];
  await run(first.cause, [surrogate.userId]);
  await run(second.cause, [parent.userId]);
  now = TUESDAY;
  const page = await (await admin.as('root')).get(path);
  now = MONDAY;
  await run(first.undo, [surrogate.userId]);
  await run(second.undo, [parent.userId]);
  for (const words of [first.words, second.words, /Blocked: 2 payments stop this batch/, /because that day has come/])
    assert.match(page.text, words);
  const removed = [...page.text.matchAll(/name="disbursement_ids" value="(\d+)"/g)].map(([, id]) => Number(id));
  assert.deepEqual(removed, ids);
});

/** Checks what people see before they press a button. */
async function seesBefore(reason: NotPayableReason, words: RegExp, stops: StepName[]): Promise<void> {
  const shown = async (id: number) => (await parent.get(`/api/disbursements/${id}`)).body.not_payable?.reason ?? null;
  assert.equal(await shown(stand.submitted), stops.includes('approve') ? reason : null, 'the approver');
  if (stops.includes('approve by staff'))
    assert.match((await escrow.get(`/disbursements/${stand.submitted}`)).text, words, 'an approver of the staff');
  if (stops.includes('gather')) {
    assert.equal(await shown(stand.ready), reason, 'who waits for the payment');
    assert.match((await finance.get('/batches/new')).text, words, 'who makes batches');
    assert.match((await escrow.get(`/disbursements/${stand.ready}`)).text, words, 'the specialist');
  }
  if (!stops.includes('approve batch')) return;
  for (const path of [stand.draft, stand.checked, stand.generated, stand.signed])
    assert.match((await root.get(path)).text, words, path);
}

test('[PAYABLE-2] an account that cannot be paid yet stops only the batch: the request is approved', async () => {
  const { cause, undo } = REASONS.account_waits;
  await run(cause, [surrogate.userId]);
  const id = await approved();
  await run(undo, [surrogate.userId]);
  assert.equal(await desk.statusOf(id), 'approved');
});

const BLOCKED = 'select distinct pid from pg_locks where not granted';
const isBlocked = (what: string) => eventually(what, async () => ((await run(BLOCKED)).rowCount ?? 0) > 0);

/** Changes during another person's step, with the locks that the platform's own commands take. */
const MEANWHILE = [
  { ...REASONS.payee_inactive, lock: 'select' },
  { ...REASONS.payee_left, lock: `select from case_file where id = ${CASE_1} for update` },
  { ...REASONS.under_review, lock: `select from user_account where id = ${surrogate.userId} for no key update` },
];

for (const { words, cause, undo, lock } of MEANWHILE) {
  test(`[PAYABLE-3] a change of a payee while a step waits for it stops the step: ${words.source}`, async () => {
    for (const name of ALL) {
      const other = await api.pool.connect();
      try {
        await other.query('begin');
        await other.query(lock);
        await other.query(cause, [surrogate.userId]);
        const answer = STEPS[name]();
        await isBlocked(name);
        await other.query('commit');
        assert.equal((await answer).status, 409, name);
      } finally {
        await other.query('rollback');
        other.release();
        await run(undo, [surrogate.userId]);
      }
    }
  });

  test(`[PAYABLE-3] a change of a payee waits for a step that has checked them: ${words.source}`, async () => {
    const order: string[] = [];
    let later: Promise<unknown> = Promise.resolve();
    await api.db.transaction(async (tx) => {
      await requirePayable(tx, [stand.ready], { step: 'send', now: MONDAY });
      later = run(lock === 'select' ? `${undo.replace('$1', String(surrogate.userId))}` : lock).then(() => order.push('changed'));
      await isBlocked('the change waits');
      order.push('checked');
    });
    await later;
    assert.deepEqual(order, ['checked', 'changed']);
  });
}

test('[PAYABLE-1] every step goes ahead when nothing is wrong with the payee', async () => {
  for (const name of ALL.filter((one) => one !== 'approve by staff')) {
    const { status, text } = await STEPS[name]();
    assert.ok(status === 200 || status === 303, `${name}: ${status} ${text.slice(0, 300)}`);
  }
});
