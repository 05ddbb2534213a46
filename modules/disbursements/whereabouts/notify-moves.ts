import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { fullName, runForRecipient, type User } from '@case-platform/modules/accounts';
import { caseIsVisibleToUser } from '@case-platform/modules/cases';
import { queueEmail, triggerPush } from '@case-platform/modules/notifications';
import { counted } from '@case-platform/words/counts';
import { fullDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { movedInWords } from '@case-platform/words/whereabouts';
import type { DisbursementStatus } from '../disbursement-states.ts';
import type { MovedDate, MovesNews } from './announce-moves.ts';

/** A person who is notified, with the moved payments in which they have a part. */
export type Mover = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'> & { payments: MovedPayment[] };

interface MovedPayment {
  disbursement_id: number;
  status: DisbursementStatus;
  amount_cents: number;
  category: string;
  case_name: string;
  payee_id: number;
  payee_name: string;
}

/** Mails list this many payments, because Gmail cuts off large ones. */
const SHOWN = 50;

/**
 * Mails the payee, and the maker and approver as long as they see the case, once about all their payments whose arrival day moved
 * (WHERE-3). A job that runs again sends nothing twice.
 */
export async function mailMovedDates(
  { db, webUrl, adminUrl }: { db: Database; webUrl: string; adminUrl: string },
  news: MovesNews,
): Promise<void> {
  await mailMovers({ db, webUrl, adminUrl }, news, await listMovers(db, news.moves));
}

/** Mails these people, who are a part of those concerned; see `mailMovedDates`. */
export async function mailMovers(
  { db, webUrl, adminUrl }: { db: Database; webUrl: string; adminUrl: string },
  news: MovesNews,
  people: readonly Mover[],
): Promise<void> {
  for (const person of people) {
    await runForRecipient(db, person.id, async () => {
      const { payments, first_name } = person;
      const [first] = payments;
      const isOne = payments.length === 1;
      const base = person.user_type === 'admin' ? adminUrl : webUrl;
      const headline = headlineFor(movesOf(person, news.moves));
      const url = `${base}/disbursements${isOne ? `/${first?.disbursement_id}` : ''}`;
      const template_context = { first_name, headline, url, ...listMoves(person, news.moves) };
      const mail = { subject: headline, template_name: 'payment_date_moved.html', template_context } as const;
      const thread = isOne ? { thread: `request-${first?.disbursement_id}` } : {};
      await db.transaction((tx) =>
        queueEmail(tx, { ...mail, ...thread, key: keyOf(news), event: 'payment_date_moved', to: person }),
      );
    });
  }
}

/** Pushes to the people who are mailed, once each and without any amount or name. */
export async function pushMovedDates({ db }: { db: Database }, news: MovesNews): Promise<void> {
  await pushToMovers({ db }, news, await listMovers(db, news.moves));
}

/** Pushes to these people, who are a part of those concerned. */
export async function pushToMovers({ db }: { db: Database }, news: MovesNews, people: readonly Mover[]): Promise<void> {
  if (people.length === 0) return;
  const [first] = news.moves;
  const isOne = news.moves.length === 1;
  const push = {
    key: keyOf(news),
    event: 'payment_date_moved',
    recipients: people.map(({ id, user_type }) => ({ user_id: id, user_type })),
    notification: {
      title: isOne ? 'Payment date moved' : 'Payment dates moved',
      body: `The arrival ${isOne ? 'day of a payment' : 'days of payments'} changed. See the new ${isOne ? 'one' : 'ones'}, and why.`,
      url: isOne ? `/disbursements/${first?.disbursement_id}` : '/disbursements',
      tag: `payment-dates-${news.notice}`,
    },
  } as const;
  await db.transaction((tx) => triggerPush(tx, push));
}

function keyOf({ notice }: MovesNews): string {
  return `payment_date_moved:${notice}`;
}

/** Lists the people concerned, each with their payments, without requests that have ended or were sent back meanwhile. */
export function listMovers(db: Database, moves: readonly MovedDate[]): Promise<Mover[]> {
  return query<Mover>(
    db,
    sql`select u.id, u.user_type, u.email_address, u.first_name,
               json_agg(json_build_object('disbursement_id', d.id, 'status', d.status, 'amount_cents', d.amount_cents,
                 'category', d.category, 'case_name', c.name, 'payee_id', d.payee_id,
                 'payee_name', ${fullName(sql`payee`)}) order by d.id) as payments
          from disbursement_request d join case_file c on c.id = d.case_id join user_account payee on payee.id = d.payee_id
          join user_account u on u.status = 'active' and (u.id = d.payee_id
            or u.id in (coalesce(d.submitted_by, d.created_by), d.approver_id) and ${caseIsVisibleToUser(sql`u`)})
         where d.id = any(${moves.map(({ disbursement_id }) => disbursement_id)}::bigint[])
           and d.status in ('submitted', 'approved', 'batched')
         group by u.id order by u.id`,
  );
}

function movesOf({ payments }: Mover, moves: readonly MovedDate[]): MovedDate[] {
  return moves.filter((move) => payments.some(({ disbursement_id }) => disbursement_id === move.disbursement_id));
}

function headlineFor(moves: readonly MovedDate[]): string {
  const one = moves.length === 1;
  if (moves.every(({ to }) => to === null))
    return one ? 'A payment has no arrival day for now' : `${counted(moves.length, 'payment')} have no arrival day for now`;
  return one ? 'A payment arrives on another day' : `The arrival days of ${counted(moves.length, 'payment')} changed`;
}

/** The payments in words, for the templates of mails. */
export function listMoves(person: Mover, moves: readonly MovedDate[]) {
  const byId = new Map(moves.map((move) => [move.disbursement_id, move]));
  const unlisted = person.payments.length - SHOWN;
  return {
    moves: person.payments.slice(0, SHOWN).map((payment) => {
      const { disbursement_id, amount_cents, category, case_name, payee_id, payee_name } = payment;
      const payee = payee_id === person.id ? 'you' : payee_name;
      const words = moveWords(payment, byId.get(disbursement_id));
      return { amount: moneyWords(amount_cents), category, case_name, payee, ...words };
    }),
    more: unlisted > 0 ? `And ${counted(unlisted, 'more payment')}.` : '',
  };
}

function moveWords({ status }: MovedPayment, move: MovedDate | undefined): { day: string; why: string } {
  const { from = null, to = null, because = 'stopped' } = move ?? {};
  const why = movedInWords(because);
  if (to === null) return { day: `It has no arrival day for now.${from === null ? '' : ` It was ${fullDayWords(from)}.`}`, why };
  const before = from === null || from === to ? '' : ` instead of ${fullDayWords(from)}`;
  const condition = status === 'submitted' ? ' It still has to be approved in time for that.' : '';
  return { day: `It should now arrive on ${fullDayWords(to)}${before}.${condition}`, why };
}
