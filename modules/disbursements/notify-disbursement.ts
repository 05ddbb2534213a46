import type { Database } from '@case-platform/lib/database';
import { runForRecipient } from '@case-platform/modules/accounts';
import { queueEmail, triggerPush } from '@case-platform/modules/notifications';
import { afterReturn, needsOtherAccount, reasonInWords } from '@case-platform/words/bank-reasons';
import { fullDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { arrivalSentences } from '@case-platform/words/whereabouts';
import {
  type AnnouncedDisbursement,
  type DisbursementNews,
  findAnnounced,
  listRecipients,
  type Recipient,
} from './announce-disbursement.ts';
import type { DisbursementEvent } from './disbursement-states.ts';
import { findDisbursement } from './list-disbursements.ts';

interface NotifyContext {
  db: Database;
  /** The applications in which people read requests: the web frontend, and the staff application. */
  webUrl: string;
  adminUrl: string;
}

const MAILS = {
  submitted: {
    event: 'disbursement_submitted',
    subject: 'A request is waiting for your approval',
    template_name: 'disbursement_submitted.html',
  },
  approved: {
    event: 'disbursement_approved',
    subject: 'A request was approved',
    template_name: 'disbursement_approved.html',
  },
  denied: { event: 'disbursement_denied', subject: 'A request was denied', template_name: 'disbursement_denied.html' },
  on_its_way: {
    event: 'payment_on_its_way',
    subject: 'A payment is on its way',
    template_name: 'payment_on_its_way.html',
  },
  paid: { event: 'payment_arrived', subject: 'A payment arrived', template_name: 'payment_arrived.html' },
  returned: { event: 'payment_returned', subject: 'A payment came back', template_name: 'payment_returned.html' },
  ended: { event: 'payment_ended', subject: 'A returned payment won’t be paid again', template_name: 'payment_ended.html' },
} as const satisfies Record<DisbursementEvent, object>;

/** Mails about a request (EMAIL-4, EMAIL-5, EMAIL-6) and its payment (PAYMENT-1). */
export async function mailDisbursement(
  { db, webUrl, adminUrl }: NotifyContext,
  news: DisbursementNews,
  now: Date,
): Promise<void> {
  const about = await findAnnounced(db, news);
  const { event } = news;
  if (about === null) return;
  for (const person of await listRecipients(db, about, event)) {
    const base = person.user_type === 'admin' ? adminUrl : webUrl;
    await runForRecipient(db, person.id, async () => {
      const arrival = event === 'approved' ? { arrival: await arrivalFor(db, person, about, now) } : {};
      const template_context = {
        first_name: person.first_name,
        ...contextOf(about),
        url: `${base}/disbursements/${about.id}`,
        ...paymentContext(about, { news, person, webUrl }),
        ...arrival,
      };
      const mail = { ...MAILS[event], key: keyOf(news), to: person, thread: `request-${about.id}`, template_context };
      await db.transaction((tx) => queueEmail(tx, mail));
    });
  }
}

/** Says when the payment arrives, as this person reads it on its page (WHERE-1). The recipients are the surrogate and the parents. */
async function arrivalFor(db: Database, { id, user_type }: Recipient, about: AnnouncedDisbursement, now: Date): Promise<string> {
  const request = await findDisbursement(db, { id, user_type, agency_id: null }, about.id, now);
  return request === null ? '' : arrivalSentences(request.whereabouts);
}

function contextOf({ amount_cents, category, case_name, maker_name, payee_name, decision_reason }: AnnouncedDisbursement) {
  return {
    amount: moneyWords(amount_cents),
    category,
    case_name,
    maker_name,
    payee_name,
    reason: decision_reason ?? '',
  };
}

function paymentContext(
  about: AnnouncedDisbursement,
  { news, person, webUrl }: { news: DisbursementNews; person: Recipient; webUrl: string },
): Record<string, string> {
  const { event } = news;
  const isPayee = person.id === about.payee_id;
  const payee = isPayee ? 'you' : about.payee_name;
  if (event === 'on_its_way') return { payee, day: about.bank_date === null ? '' : fullDayWords(about.bank_date) };
  if (event === 'paid') return { payee };
  if (event === 'ended') return { payee, reason: about.end_reason ?? '' };
  if (event !== 'returned' || about.return_code === null) return {};
  const { return_code: code, has_other_account: hasOtherAccount } = about;
  const { what_to_do } = afterReturn(code, { payee: isPayee ? null : payee, hasOtherAccount });
  const corrects = isPayee && needsOtherAccount(code) && !hasOtherAccount;
  const form = corrects ? { url: `${webUrl}/profile#bank-account` } : {};
  return { payee, reason: reasonInWords(code), what_to_do, ...form };
}

/** A lock screen shows what happened, without any amount. */
const PUSHES: Record<DisbursementEvent, { title: string; body: string }> = {
  submitted: { title: 'Approval needed', body: 'A request is waiting for your approval.' },
  approved: { title: 'Request approved', body: 'A request on your case was approved. See when the money arrives.' },
  denied: { title: 'Request denied', body: 'A request was denied. Open it to see why.' },
  on_its_way: { title: 'Payment on its way', body: 'The bank has a payment for your case. See when it arrives.' },
  paid: { title: 'Payment arrived', body: 'The bank made a payment for your case.' },
  returned: { title: 'Payment came back', body: 'The bank sent a payment back. See what to do next.' },
  ended: { title: 'Payment won’t be made again', body: 'A returned payment was ended. Open it to see why.' },
};

/** Queues a push to the people who are mailed (NOTIFY-3). */
export async function pushDisbursement({ db }: Pick<NotifyContext, 'db'>, news: DisbursementNews): Promise<void> {
  const about = await findAnnounced(db, news);
  if (about === null) return;
  const recipients = await listRecipients(db, about, news.event);
  const push = {
    key: keyOf(news),
    event: MAILS[news.event].event,
    recipients: recipients.map(({ id, user_type }) => ({ user_id: id, user_type })),
    notification: {
      ...PUSHES[news.event],
      url: `/disbursements/${about.id}`,
      tag: `disbursement-${about.id}-${news.event}`,
    },
  };
  await db.transaction((tx) => triggerPush(tx, push));
}

function keyOf({ disbursement_id, event, at }: DisbursementNews): string {
  return `disbursement:${disbursement_id}:${event}:${at}`;
}
