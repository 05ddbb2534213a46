import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { canBeSecondPerson, fullName, runForRecipient, type User } from '@case-platform/modules/accounts';
import { caseIsVisibleToUser, staffMayDecide } from '@case-platform/modules/cases';
import { queueEmail, triggerPush } from '@case-platform/modules/notifications';
import { counted } from '@case-platform/words/counts';
import { tableDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import { moneyWords } from '@case-platform/words/money';
import { MAKERS } from '../disbursement-access.ts';
import { listMovers, listMoves, type Mover, mailMovers, pushToMovers } from '../whereabouts/notify-moves.ts';
import type { StoppedNews, StoppedPayment } from './announce-stopped.ts';

interface MailContext {
  db: Database;
  webUrl: string;
  adminUrl: string;
}

/** A person to notify, and the payments in which they have a part. */
type Participant = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'> & {
  timezone: string;
  payee_name: string;
  payments: ListedPayment[];
};

interface ListedPayment extends StoppedPayment {
  case_name: string;
  maker_name: string;
  /** True if the person has to decide about it now. */
  decides: boolean;
}

/** Mails list this many payments, because Gmail cuts off large ones. The total includes all. */
const LISTED_MAX = 50;

/**
 * Mails each person concerned by a change of a bank account once, with all stopped payments in which they have a part and their
 * total (BANK-11). A job that runs again sends nothing twice.
 */
export async function mailStoppedPayments(context: MailContext, news: StoppedNews): Promise<void> {
  const { db } = context;
  const movers = new Map((await listMovers(db, news.moves)).map((mover) => [mover.id, mover]));
  for (const person of await listPeopleToNotify(db, news)) {
    const mover = movers.get(person.id);
    movers.delete(person.id);
    await runForRecipient(db, person.id, () => mailStopped(context, news, person, mover));
  }
  await mailMovers(context, news, [...movers.values()]);
}

async function mailStopped(
  { db, webUrl, adminUrl }: MailContext,
  news: StoppedNews,
  person: Participant,
  mover: Mover | undefined,
): Promise<void> {
  const { payments } = person;
  const headline = headlineFor(person, news);
  const unlisted = payments.length - LISTED_MAX;
  const template_context = {
    first_name: person.first_name,
    headline,
    sentence: sentenceFor(person, news),
    payments: payments.slice(0, LISTED_MAX).map((payment) => {
      const { amount_cents, category, case_name } = payment;
      return { amount: moneyWords(amount_cents), category, case_name, next: nextWords(payment, person) };
    }),
    more: unlisted > 0 ? `And ${counted(unlisted, 'more payment')}, included in the total.` : '',
    total: moneyWords(payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0)),
    ...movedContext(mover, news),
    advice: adviceFor(person, news),
    url: `${person.user_type === 'admin' ? adminUrl : webUrl}/disbursements`,
  };
  await db.transaction((tx) =>
    queueEmail(tx, {
      key: keyOf(news),
      event: 'payments_stopped',
      to: person,
      subject: headline,
      template_name: 'payments_stopped.html',
      template_context,
    }),
  );
}

/** Describes the payments that were not stopped but arrive on another day, or on no day for now. */
export function movedContext(mover: Mover | undefined, { moves }: Pick<StoppedNews, 'moves'>) {
  if (mover === undefined) return { moved: '', moves: [] };
  const { moves: listed, more } = listMoves(mover, moves);
  const count = mover.payments.length;
  const changed = count === 1 ? 'The arrival day of one more payment' : `The arrival days of ${counted(count, 'more payment')}`;
  return { moved: `${changed} changed${more === '' ? ':' : `. These are the first ${listed.length}:`}`, moves: listed };
}

/** Pushes to the people who are mailed, once each and without any amount or name. */
export async function pushStoppedPayments({ db }: { db: Database }, news: StoppedNews): Promise<void> {
  const people = await listPeopleToNotify(db, news);
  const push = {
    key: keyOf(news),
    event: 'payments_stopped',
    recipients: people.map(({ id, user_type }) => ({ user_id: id, user_type })),
    notification: {
      title: 'Payments stopped',
      body: 'A bank account was changed. See which payments need approval again.',
      url: '/disbursements',
      tag: `payments-stopped-${news.notice}`,
    },
  } as const;
  await db.transaction((tx) => triggerPush(tx, push));
  const hasNoPush = ({ id }: Mover) => people.every((person) => person.id !== id);
  await pushToMovers({ db }, news, (await listMovers(db, news.moves)).filter(hasNoPush));
}

function keyOf({ notice }: StoppedNews): string {
  return `payments_stopped:${notice}`;
}

/**
 * Lists the payee, and the maker, the approvers, and the escrow specialist of each payment as long as they see its case. For a
 * payment that staff have to decide about, adds the admins who may, except people with a part in the request (APPROVER-1).
 */
function listPeopleToNotify(db: Database, { payee_id, payments }: StoppedNews): Promise<Participant[]> {
  return query<Participant>(
    db,
    sql`with stopped as (
      select s.*, d.case_id, s.next = 'submitted' and s.approver_id is null as staff_decide
        from jsonb_to_recordset(${JSON.stringify(payments)}::jsonb) as s (disbursement_id bigint, amount_cents bigint, category text,
               next text, maker_id bigint, approved_by bigint, approver_id bigint)
        join disbursement_request d on d.id = s.disbursement_id
    ), part as (
      select s.disbursement_id, ${payee_id}::bigint as user_id, false as decides from stopped s
      union all
      select s.disbursement_id, u.id, u.id is not distinct from s.approver_id
        from stopped s join case_file c on c.id = s.case_id
        join user_account u on u.id in (s.maker_id, s.approved_by, s.approver_id, c.escrow_specialist_id)
       where ${caseIsVisibleToUser(sql`u`)}
      union all
      select s.disbursement_id, u.id, true
        from stopped s join case_file c on c.id = s.case_id join disbursement_request d on d.id = s.disbursement_id
        join user_account u on u.user_type = 'admin' and ${staffMayDecide(sql`u.id`)} and ${canBeSecondPerson(sql`u.id`, MAKERS)}
       where s.staff_decide
    ), own as (
      select user_id, disbursement_id, bool_or(decides) as decides from part group by user_id, disbursement_id
    )
    select u.id, u.user_type, u.email_address, u.first_name, u.timezone, ${fullName(sql`payee`)} as payee_name,
           json_agg(json_build_object('disbursement_id', s.disbursement_id, 'amount_cents', s.amount_cents, 'category', s.category,
             'next', s.next, 'maker_id', s.maker_id, 'approved_by', s.approved_by, 'approver_id', s.approver_id,
             'case_name', c.name, 'maker_name', ${fullName(sql`maker`)}, 'decides', own.decides) order by s.disbursement_id) as payments
      from own join stopped s on s.disbursement_id = own.disbursement_id
      join user_account u on u.id = own.user_id and u.status = 'active'
      join user_account payee on payee.id = ${payee_id}
      join user_account maker on maker.id = s.maker_id
      join case_file c on c.id = s.case_id
     group by u.id, payee.id order by u.id`,
  );
}

function headlineFor(person: Participant, { payee_id }: StoppedNews): string {
  const payments = counted(person.payments.length, 'payment');
  const verb = person.payments.length === 1 ? 'was' : 'were';
  return `${payments} to ${person.id === payee_id ? 'you' : person.payee_name} ${verb} stopped`;
}

function sentenceFor(person: Participant, { payee_id, changed_at }: StoppedNews): string {
  const owner = person.id === payee_id ? 'Your' : `${person.payee_name}’s`;
  const day = tableDayWords(dayOf(new Date(changed_at), person.timezone));
  const these = person.payments.length === 1 ? 'this payment was' : 'these payments were';
  return `${owner} bank account was changed on ${day}. Because ${these} approved for the previous account, nothing was paid.`;
}

function nextWords({ next, maker_id, maker_name, decides }: ListedPayment, { id }: Participant): string {
  const isMaker = maker_id === id;
  switch (next) {
    case 'submitted':
      return decides ? 'It’s waiting for your approval again.' : 'It was sent for approval again.';
    case 'draft':
      return isMaker ? 'You need to send it again.' : `${maker_name} needs to send it again.`;
    case 'file_then_submitted':
      return 'It’s in a bank file that we won’t send. Once our payments team has taken it out, it’s sent for approval again.';
    case 'file_then_draft':
      return `It’s in a bank file that we won’t send. Once our payments team has taken it out, ${isMaker ? 'you need' : `${maker_name} needs`} to send it again.`;
  }
}

function adviceFor({ id, payee_name, payments }: Participant, { payee_id }: StoppedNews): string {
  if (id === payee_id) return 'If you didn’t expect this change, call your escrow specialist right away.';
  if (payments.some(({ decides }) => decides))
    return `Before you approve, ask ${payee_name} about the change, and not by replying to a message that announced it.`;
  return `If you didn’t expect this change, ask ${payee_name} about it.`;
}
