import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import type { SqlParameter } from '@case-platform/lib/sql';
import { warnOfShortfalls } from '@case-platform/modules/banking';
import {
  announceName,
  mailLastScheduledPayment,
  mailNameChange,
  mailPregnancyFunding,
  remindOfClosing,
} from '@case-platform/modules/cases';
import { mailDisbursement, pushDisbursement, reassignApprovalsOf } from '@case-platform/modules/disbursements';
import { announceMessage, emailGathered } from '@case-platform/modules/messaging';
import type { Command } from './command.ts';
import { NOW, type Twins } from './seed-twins.ts';

const URLS = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
const run = (tx: Transaction, text: string, ...values: SqlParameter[]) => tx.query({ text, values });
const crowdCase = ({ id }: Twins) => id('case_file', 'Crowd');
const person = ({ id }: Twins, name: string) => id('user_account', name);

async function addRow(tx: Transaction, text: string, ...values: SqlParameter[]): Promise<number> {
  const { rows } = await run(tx, `${text} returning id`, ...values);
  return Number((rows[0] as { id: number }).id);
}

interface Roles {
  maker: string;
  submitter: string | null;
  payee: string;
  approver: string | null;
}

const addRequest = (tx: Transaction, twins: Twins, status: string, { maker, submitter, payee, approver }: Roles) =>
  addRow(
    tx,
    `insert into disbursement_request (case_id, status, amount_cents, category, description, created_by, submitted_by, payee_id,
       approver_id, submitted_at, decided_at, decision_reason, bank_date, paid_at, returned_at, return_code, end_reason)
     values ($1, $2, 1234, 'Travel', 'Train', $3, $4, $5, $6, $7, $7, 'Because', '2041-01-02', $7, $7, 'R02', 'Paid by check')`,
    crowdCase(twins),
    status,
    person(twins, maker),
    submitter === null ? null : person(twins, submitter),
    person(twins, payee),
    approver === null ? null : person(twins, approver),
    NOW,
  );

/** Sends the mails and pushes of an event about a request of the case of the crowd. */
const announce = (event: string, status: string, roles: Roles): Command => ({
  name: `a request: ${event}, made by ${roles.submitter}, paid to ${roles.payee}, approved by ${roles.approver}`,
  work: async (tx, twins) => {
    const disbursement_id = await addRequest(tx, twins, status, roles);
    const news = { disbursement_id, event, at: NOW.toISOString() } as Parameters<typeof mailDisbursement>[1];
    await mailDisbursement({ db: tx, ...URLS }, news, NOW);
    await pushDisbursement({ db: tx }, news);
  },
});
/** A case manager sees the cases of their agency, so this payee does not see the case. */
const USUAL = { maker: 'cm in', submitter: 'surrogate in', payee: 'cm in', approver: 'ip in' };
const EVENTS = [
  ['submitted', 'submitted'],
  ['approved', 'approved'],
  ['denied', 'denied'],
  ['on_its_way', 'batched'],
  ['paid', 'paid'],
  ['returned', 'returned'],
  ['ended', 'ended'],
] as const;
const REQUESTS: Command[] = EVENTS.flatMap(([event, status]) => [
  announce(event, status, USUAL),
  announce(event, status, { ...USUAL, submitter: 'surrogate left', payee: 'ip in', approver: 'judge in' }),
  announce(event, status, { ...USUAL, submitter: 'surrogate closed', payee: 'cm closed', approver: 'ip closed' }),
  announce(event, status, { ...USUAL, submitter: 'ip invited', payee: 'surrogate left', approver: 'judge other' }),
]);

const addName = (name: string): Command => ({
  name: `announcing a new name of ${name}`,
  work: async (tx, twins) => {
    const user = twins.crowd.get(name);
    if (user === undefined) throw new Error(name);
    await announceName(tx, { ...user, first_name: 'New' }, { before: 'Old name' }, { actor: twins.people.eve, origin: SYSTEM });
  },
});
const addMessage = (from: string): Command => ({
  name: `mailing and pushing a message from ${from}`,
  work: async (tx, { id }) => {
    const message_id = id('message', `from ${from}`);
    await announceMessage({ db: tx, ...URLS }, { message_id });
  },
  runs: 2,
});

export const TASK_COMMANDS: Command[] = [
  {
    name: 'the deposit that a pregnancy needs',
    work: async (tx, twins) => {
      const milestone_id = await addRow(
        tx,
        `insert into case_milestone (case_id, kind, happened_on, funding_required_cents, created_by)
         values ($1, 'pregnancy_confirmed', '2026-11-01', 123456, $2)`,
        crowdCase(twins),
        person(twins, 'admin lead'),
      );
      await mailPregnancyFunding({ db: tx, ...URLS }, { milestone_id });
    },
  },
  {
    name: 'the last scheduled payment of a case with a team, then without an active one, twice',
    prepare: (tx, twins) =>
      run(
        tx,
        `insert into scheduled_payment (case_id, category, due_date, amount_cents) values ($1, 'Travel', '2041-01-02', 5)`,
        crowdCase(twins),
      ),
    work: async (tx, twins, round) => {
      if (round > 0) await run(tx, `update user_account set status = 'invited' where email_address like '%@crowd.test'`);
      const { rows } = await run(tx, 'select id from scheduled_payment where case_id = $1', crowdCase(twins));
      const scheduled_payment_id = Number((rows[0] as { id: number }).id);
      await mailLastScheduledPayment({ db: tx, ...URLS }, { scheduled_payment_id, at: `round ${round}` });
    },
    runs: 2,
  },
  {
    name: 'reminding of cases to be closed: in eight days, in seven, again, with another day, and after they ended',
    work: async (tx, twins, round) => {
      const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000).toISOString().slice(0, 10);
      const one = crowdCase(twins);
      if (round < 2) await run(tx, 'update case_file set close_due_on = $1 where id = $2', inDays(8 - round), one);
      if (round > 2) await run(tx, 'update case_file set close_due_on = $1 where id = $2', inDays(-round), one);
      if (round > 3) await run(tx, 'update case_file set status = $1 where id = $2', round === 4 ? 'closed' : 'cancelled', one);
      await remindOfClosing({ db: tx, ...URLS }, NOW);
    },
    runs: 6,
  },
  ...(['admin lead', 'admin in', null] as const).map((by) => ({
    name: `mailing a new name that ${by ?? 'the platform'} gave`,
    work: (tx: Transaction, twins: Twins) =>
      mailNameChange(
        { db: tx, ...URLS },
        {
          change_id: 'one',
          case_id: crowdCase(twins),
          user_id: person(twins, 'ip in'),
          changed_by: by === null ? null : person(twins, by),
          before: 'Old name',
          after: 'New name',
        },
      ),
  })),
  {
    name: 'a new name whose specialist’s account is closed',
    prepare: (tx, twins) => run(tx, `update user_account set status = 'deactivated' where id = $1`, person(twins, 'admin lead')),
    work: (tx, twins) =>
      mailNameChange(
        { db: tx, ...URLS },
        {
          change_id: 'one',
          case_id: crowdCase(twins),
          user_id: person(twins, 'ip in'),
          changed_by: null,
          before: 'A',
          after: 'B',
        },
      ),
  },
  addName('ip in'),
  addName('ip left'),
  addName('cm other'),
  addName('admin in'),
  addMessage('ip in'),
  addMessage('admin lead'),
  {
    name: 'mailing gathered messages to people in each state',
    prepare: (tx, { id }) =>
      run(
        tx,
        `insert into message_mail (chain_id, user_id, mailed_at, up_to_message_id)
         select $1, id, now() - interval '1 day', 0 from user_account where email_address like '%@crowd.test'`,
        id('message_chain', 'Crowd'),
      ),
    work: async (tx, { crowd, id }) => {
      for (const { id: user_id } of crowd.values())
        await emailGathered({ db: tx, ...URLS }, { chain_id: id('message_chain', 'Crowd'), user_id });
    },
    runs: 2,
  },
  {
    name: 'warning of a case that will be short of funds, twice in one month',
    prepare: (tx, twins) =>
      run(
        tx,
        `insert into scheduled_payment (case_id, category, due_date, amount_cents)
         select id, 'Travel', ((now() at time zone 'America/New_York')::date + 40), 5000 from case_file where id = any($1)`,
        [crowdCase(twins), twins.id('case_file', 'Other')],
      ),
    work: (tx) => warnOfShortfalls({ db: tx, ...URLS }, NOW),
    runs: 2,
  },
  ...REQUESTS,
  announce('submitted', 'submitted', { ...USUAL, approver: null }),
  announce('submitted', 'submitted', { ...USUAL, submitter: 'judge in', approver: null }),
  ...(['ip left', 'ip closed', 'ip in'] as const).map((approver) => ({
    name: `handing on requests that wait for ${approver}`,
    prepare: async (tx: Transaction, twins: Twins) => {
      for (const status of ['submitted', 'submitted', 'approved']) await addRequest(tx, twins, status, { ...USUAL, approver });
    },
    work: (tx: Transaction, twins: Twins) => reassignApprovalsOf({ db: tx }, { user_id: person(twins, approver) }, NOW),
    runs: 2,
  })),
];
