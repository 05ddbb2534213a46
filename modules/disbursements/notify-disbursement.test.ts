import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import { fullDayWords } from '@case-platform/words/day-words';
import type { UserType } from '@case-platform/words/user-types';
import { movedInWords } from '@case-platform/words/whereabouts';
import { createTestDatabase } from '../../test/support/database.ts';
import { DISBURSEMENT_STATUSES, type DisbursementEvent, type DisbursementStatus } from './disbursement-states.ts';
import { mailDisbursement } from './notify-disbursement.ts';
import { mailStoppedPayments, movedContext } from './payee-account/notify-stopped.ts';
import { listMoves, mailMovedDates } from './whereabouts/notify-moves.ts';

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
      await mailDisbursement(context, { disbursement_id: id, event, at: '2026-11-23T12:00:00.000Z' }, new Date());
      assert.deepEqual(await mailed(id, event), is_news.includes(status) ? to : [], status);
    }
  });
}

test('[LOCALE-2] a mail writes amounts in the locale of the recipient’s last sign-in', async () => {
  for (const locale of ['es-MX', 'de-DE'])
    await pool.query("insert into sign_in (user_id, layer, user_agent, locale, signed_in_at) values ($1, 'api', '', $2, now())", [
      surrogate.id,
      locale,
    ]);
  const id = await requestIn('paid');
  await mailDisbursement(context, { disbursement_id: id, event: 'paid', at: '2026-11-23T12:00:00.000Z' }, new Date());
  const { rows } = await pool.query<{ to: string; context: string }>(
    `select payload->>'to' as to, payload->>'template_context' as context from graphile_worker._private_jobs
      where payload->>'template_context' like $1 order by 1`,
    [`%/disbursements/${id}"%`],
  );
  assert.deepEqual(
    rows.map(({ to, context }) => [to, /1[.,]00\s\$|\$1\.00/.exec(context)?.[0].replace(/\s/, ' ')]),
    [
      ['manager@demo.test', '$1.00'],
      ['surrogate@demo.test', '1,00 $'],
    ],
  );
  await pool.query('delete from sign_in where user_id = $1', [surrogate.id]);
  await pool.query('delete from last_sign_in where user_id = $1', [surrogate.id]);
});

test('[WHERE-1] the mail about an approval names the day on which the money should arrive, as the page of the request does', async () => {
  const [approved, batched] = [await requestIn('approved'), await requestIn('batched')];
  const now = new Date('2026-11-23T16:05:00Z');
  const arrivals = async (disbursement_id: number) => {
    await mailDisbursement(context, { disbursement_id, event: 'approved', at: '2026-11-01T00:00:00.000Z' }, now);
    const { rows } = await pool.query<{ arrival: string }>(
      `select distinct j.payload #>> '{template_context,arrival}' as arrival
         from delivery d join graphile_worker._private_jobs j on (j.payload ->> 'delivery_id')::bigint = d.id
        where d.delivery_key like $1`,
      [`disbursement:${disbursement_id}:approved:%`],
    );
    return rows.map(({ arrival }) => arrival);
  };
  const would =
    'Sarah Lindgren hasn’t added a bank account yet. It would arrive on Tuesday, November 24, 2026 if Sarah Lindgren adds a bank account by 2 PM in New York on November 23, 2026.';
  assert.deepEqual(await arrivals(approved), [would]);
  await pool.query(
    `insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                     created_by, created_at, usable_from)
     values ($1, 'Sam', 'person', '021000021', 'x', '1234', 'checking', $1, '2026-01-01', '2026-01-01')`,
    [surrogate.id],
  );
  const again = await requestIn('approved');
  assert.deepEqual(await arrivals(again), ['It should arrive on Tuesday, November 24, 2026.']);
  assert.deepEqual(await arrivals(batched), ['It should arrive on Tuesday, November 24, 2026.']);
});

test('[WHERE-3, BANK-11] each person gets one mail about all days that one cause moved, in a mail about stopped payments too', async () => {
  const [submitted, approved, paid] = [await requestIn('submitted'), await requestIn('approved'), await requestIn('paid')];
  const move = (disbursement_id: number, to: string | null) =>
    ({ disbursement_id, from: '2026-11-24', to, because: 'not_sent' }) as const;
  const news = { notice: 'a', moves: [move(submitted, '2026-11-25'), move(approved, null), move(paid, '2026-11-25')] };
  for (let run = 0; run < 2; run += 1) await mailMovedDates(context, news);
  const sent = async (key: string) =>
    (
      await pool.query(
        `select d.recipient, d.subject, j.payload #> '{template_context,moves}' as moves
           from delivery d join graphile_worker._private_jobs j on (j.payload ->> 'delivery_id')::bigint = d.id
          where d.delivery_key like $1 order by d.recipient`,
        [`${key}%`],
      )
    ).rows;
  const about = {
    amount: '$1.00',
    category: 'Travel',
    case_name: 'Case 1',
    why: 'It didn’t go to the bank in time for the earlier day.',
  };
  const days = [
    'It should now arrive on Wednesday, November 25, 2026 instead of Tuesday, November 24, 2026. It still has to be approved in time for that.',
    'It has no arrival day for now. It was Tuesday, November 24, 2026.',
  ];
  const listed = (payee: string) => days.map((day) => ({ ...about, payee, day }));
  const subject = 'The arrival days of 2 payments changed';
  const toSurrogate = { recipient: 'surrogate@demo.test', subject, moves: listed('you') };
  assert.deepEqual(await sent('payment_date_moved:a'), [
    { recipient: 'manager@demo.test', subject, moves: listed('Sarah Lindgren') },
    { recipient: 'parent@demo.test', subject, moves: listed('Sarah Lindgren') },
    toSurrogate,
  ]);
  const stopped = {
    amount_cents: 100,
    category: 'Travel',
    next: 'draft',
    maker_id: surrogate.id,
    approved_by: null,
    approver_id: null,
  };
  const payments = [{ ...stopped, next: 'draft' as const, disbursement_id: await requestIn('draft') }];
  const both = { ...news, notice: 'b', payee_id: surrogate.id, changed_at: '2026-11-23T12:00:00Z', payments };
  await mailStoppedPayments(context, both);
  const mails = await sent('%:b');
  assert.deepEqual(
    mails.map(({ recipient }) => recipient),
    ['escrow@demo.test', 'manager@demo.test', 'parent@demo.test', 'surrogate@demo.test'],
  );
  assert.deepEqual(
    mails.map(({ moves }) => moves.length),
    [0, 2, 2, 2],
  );
  assert.deepEqual(mails.at(-1), { ...toSurrogate, subject: '1 payment to you was stopped' });
});

test('[WHERE-3, BANK-11] each payment in a mail has its own day and reason, for any order of moves and any reader', async () => {
  const ids = [
    await requestIn('approved'),
    await requestIn('submitted'),
    await requestIn('approved'),
    await requestIn('approved'),
  ];
  const parent2 = await person('parent2@demo.test', 'ip');
  const setParts = (at: number, payee: User, maker: User, approver: User) =>
    pool.query(
      `update disbursement_request set amount_cents = $2, payee_id = $3, created_by = $4, submitted_by = $4, approver_id = $5
        where id = $1`,
      [ids[at], 100 * (at + 1), payee.id, maker.id, approver.id],
    );
  await setParts(0, surrogate, manager, parent);
  await setParts(1, manager, manager, parent2);
  await setParts(2, surrogate, surrogate, parent2);
  await setParts(3, manager, surrogate, parent);
  const [late, stopped, account, resumed] = [
    { because: 'late_file', to: '2026-11-25' },
    { because: 'stopped', to: null },
    { because: 'account_changed', to: '2026-11-27' },
    { because: 'resumed', to: '2026-11-30' },
  ] as const;
  const MOVED = [late, stopped, account, resumed];
  /** For each person, their payments by place above. */
  const PARTS = {
    'manager@demo.test': [0, 1, 3],
    'parent2@demo.test': [1, 2],
    'parent@demo.test': [0, 3],
    'surrogate@demo.test': [0, 2, 3],
  };
  const words = (at: number) => {
    const { to, because } = MOVED[at] ?? late;
    return [`$${at + 1}.00`, to === null ? 'no arrival day' : fullDayWords(to), movedInWords(because)];
  };
  const listedIn = async (key: string) => {
    const { rows } = await pool.query<{ recipient: string; moves: { amount: string; day: string; why: string }[] }>(
      `select d.recipient, j.payload #> '{template_context,moves}' as moves
         from delivery d join graphile_worker._private_jobs j on (j.payload ->> 'delivery_id')::bigint = d.id
        where d.delivery_key like $1`,
      [key],
    );
    const dayOf = (day: string) => /no arrival day|(?<=arrive on )\w+, \w+ \d+, \d+/.exec(day)?.[0];
    return Object.fromEntries(
      rows.map(({ recipient, moves }) => [recipient, moves.map(({ amount, day, why }) => [amount, dayOf(day), why])]),
    );
  };
  const expected = Object.fromEntries(Object.entries(PARTS).map(([who, places]) => [who, places.map(words)]));
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
  ];
  const payment = { disbursement_id: await requestIn('draft'), amount_cents: 100, category: 'Travel', next: 'draft' as const };
  const payments = [{ ...payment, maker_id: surrogate.id, approved_by: null, approver_id: null }];
  for (const order of orders) {
    const moves = order.map((at) => ({ disbursement_id: ids[at] ?? 0, from: '2026-11-24', ...(MOVED[at] ?? late) }));
    const notice = `order-${order.join('')}`;
    await mailMovedDates(context, { notice, moves });
    assert.deepEqual(await listedIn(`payment_date_moved:${notice}%`), expected, notice);
    const both = { notice: `both-${notice}`, moves, payee_id: surrogate.id, changed_at: '2026-11-23T12:00:00Z', payments };
    await mailStoppedPayments(context, both);
    assert.deepEqual(await listedIn(`%:both-${notice}%`), { ...expected, 'escrow@demo.test': [] }, notice);
  }
});

test('[NOTIFY-9] an event is mailed once, and a later event or one of another request is mailed separately', async () => {
  const [id, other] = [await requestIn('submitted'), await requestIn('submitted')];
  const notify = (disbursement_id: number, at: string) =>
    mailDisbursement(context, { disbursement_id, event: 'submitted', at }, new Date());
  for (let times = 0; times < 2; times += 1) await notify(id, '2026-11-23T12:00:00.000Z');
  assert.equal((await mailed(id, 'submitted')).length, 1);
  await notify(id, '2026-11-23T12:00:00.001Z');
  assert.equal((await mailed(id, 'submitted')).length, 2);
  assert.deepEqual(await mailed(other, 'submitted'), []);
  await notify(other, '2026-11-23T12:00:00.000Z');
  assert.equal((await mailed(other, 'submitted')).length, 1);
});

test('[REQUEST-19, NOTIFY-9] an approval that was undone and given again is mailed with its last time only', async () => {
  const id = await requestIn('approved');
  await pool.query("update disbursement_request set decided_at = '2026-11-23T12:00:10Z' where id = $1", [id]);
  const mailsOf = async (at: string) => {
    await mailDisbursement(context, { disbursement_id: id, event: 'approved', at }, new Date());
    return (await mailed(id, 'approved')).length;
  };
  assert.equal(await mailsOf('2026-11-23T12:00:00.000Z'), 0, 'the approval that was undone');
  assert.equal(await mailsOf('2026-11-23T12:00:10.000Z'), 3);
  await pool.query("update disbursement_request set decided_at = null, status = 'submitted' where id = $1", [id]);
  assert.equal(await mailsOf('2026-11-23T12:00:20.000Z'), 3, 'undone and not given again');
});

test('[WHERE-3, BANK-11] a mail about moved days lists fifty of them, and counts the rest', () => {
  const moved = (count: number) => {
    const payment = {
      status: 'approved',
      amount_cents: 100,
      category: 'Travel',
      case_name: 'One',
      payee_id: 2,
      payee_name: 'Sam',
    } as const;
    const payments = Array.from({ length: count }, (_, at) => ({ ...payment, disbursement_id: at + 1 }));
    const moves = payments.map(
      ({ disbursement_id }) => ({ disbursement_id, from: '2026-11-24', to: null, because: 'stopped' }) as const,
    );
    const person = { id: 1, user_type: 'ip', email_address: 'x@demo.test', first_name: 'Ann', payments } as const;
    const { moves: listed, more } = listMoves({ ...person, payments }, moves);
    return [listed.length, more, movedContext({ ...person, payments }, { moves }).moved];
  };
  assert.deepEqual(
    [moved(1), moved(50), moved(51), moved(52)],
    [
      [1, '', 'The arrival day of one more payment changed:'],
      [50, '', 'The arrival days of 50 more payments changed:'],
      [50, 'And 1 more payment.', 'The arrival days of 51 more payments changed. These are the first 50:'],
      [50, 'And 2 more payments.', 'The arrival days of 52 more payments changed. These are the first 50:'],
    ],
  );
});

test('[WHERE-3] a moved day names the day before, if it was another one, and what is left to do', () => {
  const line = (status: 'submitted' | 'approved', from: string | null, to: string | null) => {
    const payment = {
      status,
      amount_cents: 100,
      category: 'Travel',
      case_name: 'One',
      payee_id: 1,
      payee_name: 'Ann',
      disbursement_id: 1,
    };
    const person = {
      id: 1,
      user_type: 'surrogate',
      email_address: 'x@demo.test',
      first_name: 'Ann',
      payments: [payment],
    } as const;
    const [shown] = listMoves({ ...person, payments: [payment] }, [{ disbursement_id: 1, from, to, because: 'not_sent' }]).moves;
    return [shown?.payee, shown?.day];
  };
  const [monday, tuesday] = ['2026-11-23', '2026-11-24'];
  const approve = ' It still has to be approved in time for that.';
  const days = {
    moved: line('approved', monday, tuesday),
    again: line('approved', tuesday, tuesday),
    first: line('submitted', null, tuesday),
    none: line('submitted', monday, null),
    neither: line('approved', null, null),
  };
  assert.deepEqual(days, {
    moved: ['you', 'It should now arrive on Tuesday, November 24, 2026 instead of Monday, November 23, 2026.'],
    again: ['you', 'It should now arrive on Tuesday, November 24, 2026.'],
    first: ['you', `It should now arrive on Tuesday, November 24, 2026.${approve}`],
    none: ['you', 'It has no arrival day for now. It was Monday, November 23, 2026.'],
    neither: ['you', 'It has no arrival day for now.'],
  });
});
