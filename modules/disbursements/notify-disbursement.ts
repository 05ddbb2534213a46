import type { Database } from '@case-platform/lib/database';
import { queueEmail, triggerPush } from '@case-platform/modules/notifications';
import { moneyWords } from '@case-platform/words/money';
import {
  type AnnouncedDisbursement,
  type DisbursementEvent,
  type DisbursementNews,
  findAnnounced,
  listTold,
} from './announce-disbursement.ts';

interface NotifyContext {
  db: Database;
  /** Where people read about requests: the web frontend, and the server-rendered application for staff. */
  webUrl: string;
  adminUrl: string;
}

type Mailed = Exclude<DisbursementEvent, 'paid' | 'returned'>;
const MAILS = {
  submitted: { subject: 'A request is waiting for your approval', template_name: 'disbursement_submitted.html' },
  approved: { subject: 'A request was approved', template_name: 'disbursement_approved.html' },
  denied: { subject: 'A request was denied', template_name: 'disbursement_denied.html' },
  sent_back: { subject: 'Please send your request again', template_name: 'disbursement_sent_back.html' },
} as const satisfies Record<Mailed, object>;

/** The mails of the specification's table: request for approval, confirmation, denial notice. */
export async function mailDisbursement({ db, webUrl, adminUrl }: NotifyContext, news: DisbursementNews): Promise<void> {
  const about = await findAnnounced(db, news);
  const { event } = news;
  if (about === null || event === 'paid' || event === 'returned') return;
  for (const person of await listTold(db, about, event)) {
    const base = person.user_type === 'admin' ? adminUrl : webUrl;
    await db.transaction((tx) =>
      queueEmail(tx, {
        ...MAILS[event],
        key: keyOf(news),
        event: `disbursement_${event}`,
        to: person,
        thread: `request-${about.id}`,
        template_context: {
          first_name: person.first_name,
          ...contextOf(about),
          url: `${base}/disbursements/${about.id}`,
        },
      }),
    );
  }
}

function contextOf({
  amount_cents,
  category,
  case_name,
  maker_name,
  payee_name,
  decision_reason,
}: AnnouncedDisbursement) {
  return {
    ...{ amount: moneyWords(amount_cents), category, case_name, maker_name, payee_name },
    reason: decision_reason ?? '',
  };
}

/** What a lock screen shows: that something happened, not how much money it is about. */
const PUSHES: Record<DisbursementEvent, { title: string; body: string }> = {
  submitted: { title: 'Approval needed', body: 'A request is waiting for your approval.' },
  approved: { title: 'Request approved', body: 'A request of your case was approved.' },
  denied: { title: 'Request denied', body: 'A request was denied. The reason is inside.' },
  sent_back: { title: 'Request sent back', body: 'Please check one of your requests and send it again.' },
  paid: { title: 'Payment on its way', body: 'A request was paid.' },
  returned: { title: 'Payment came back', body: 'The bank has returned a payment.' },
};

/**
 * Push for approvals and payment confirmations, to those who are waiting for them: by the function that answers
 * POST /internal/notification/send (specification, 'Push notifications').
 */
export async function pushDisbursement({ db }: Pick<NotifyContext, 'db'>, news: DisbursementNews): Promise<void> {
  const about = await findAnnounced(db, news);
  if (about === null) return;
  const told = await listTold(db, about, news.event);
  const push = {
    key: keyOf(news),
    event: `disbursement_${news.event}` as const,
    recipients: told.map(({ id, user_type }) => ({ user_id: id, user_type })),
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
