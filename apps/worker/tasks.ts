import { DEFAULT_RETENTION, type Retention } from '@case-platform/lib/config/read-retention';
import type { Database } from '@case-platform/lib/database';
import type { TaskName, TaskPayloads } from '@case-platform/lib/jobs';
import { mailPasswordReset } from '@case-platform/modules/accounts';
import { warnOfShortfalls } from '@case-platform/modules/banking';
import { mailLastScheduledPayment, mailNameChange, mailPregnancyFunding, remindOfClosing } from '@case-platform/modules/cases';
import {
  mailDisbursement,
  mailMovedDates,
  mailPaymentStop,
  mailStoppedPayments,
  movePassedDates,
  pushDisbursement,
  pushMovedDates,
  pushPaymentStop,
  pushStoppedPayments,
  reassignApprovalsOf,
} from '@case-platform/modules/disbursements';
import { announceMessage, emailGathered, mayStillRead, reassignChains } from '@case-platform/modules/messaging';
import {
  claimMailTurn,
  deliverEmail,
  deliverPush,
  deliverSms,
  type EmailProvider,
  type InternalApi,
  type PushSettings,
  postPlatformPush,
  type SmsProvider,
} from '@case-platform/modules/notifications';
import { cleanPicture, removeObjects, type Storage, sweepObjects } from '@case-platform/modules/storage';
import { indexWords } from './index-words.ts';
import { removeOldRows } from './remove-old-rows.ts';

export interface WorkerContext {
  db: Database;
  storage: Storage;
  email: EmailProvider | null;
  sms: SmsProvider | null;
  /** Mails to one address per hour; unlimited if unset (EMAIL-15). */
  mailsPerHour?: number | undefined;
  retention?: Retention;
  /** Development keeps the content of undelivered notifications for `/deliveries` (NOTIFY-2). */
  keepsContent: boolean;
  push: PushSettings;
  /** Where platform events are pushed (NOTIFY-4). */
  internalApi: InternalApi;
  webUrl: string;
  apiUrl: string;
  adminUrl: string;
}

/** Has a function for every task that a module declares. */
type Tasks = { [Name in TaskName]: (payload: TaskPayloads[Name], attempt: { lastAttempt: boolean }) => Promise<void> };

export function createTasks(context: WorkerContext): Tasks {
  return {
    announce_message: (payload) => announceMessage(context, payload),
    email_gathered: (payload) => emailGathered(context, payload),
    mail_disbursement: (payload) => mailDisbursement(context, payload, new Date()),
    push_disbursement: (payload) => pushDisbursement(context, payload),
    mail_moved_dates: (payload) => mailMovedDates(context, payload),
    push_moved_dates: (payload) => pushMovedDates(context, payload),
    mail_payment_stop: (payload) => mailPaymentStop(context, payload),
    push_payment_stop: (payload) => pushPaymentStop(context, payload),
    mail_stopped_payments: (payload) => mailStoppedPayments(context, payload),
    push_stopped_payments: (payload) => pushStoppedPayments(context, payload),
    reassign_approvals: (payload) => reassignApprovalsOf(context, payload, new Date()),
    move_dates: (payload) => movePassedDates(context, payload, new Date()),
    reassign_chains: () => reassignChains(context),
    mail_pregnancy_funding: (payload) => mailPregnancyFunding(context, payload),
    mail_last_scheduled_payment: (payload) => mailLastScheduledPayment(context, payload),
    mail_name_change: (payload) => mailNameChange(context, payload),
    remind_of_closing: () => remindOfClosing(context, new Date()),
    warn_of_shortfalls: () => warnOfShortfalls(context, new Date()),
    mail_password_reset: (payload) => mailPasswordReset({ ...context, now: new Date() }, payload),
    deliver_email: async (payload, attempt) => {
      if (await claimMailTurn(context, payload)) await deliverEmail({ ...context, ...attempt }, payload, mayStillRead(payload));
    },
    deliver_sms: (payload, attempt) => deliverSms({ ...context, ...attempt }, payload),
    deliver_push: async (payload, attempt) => {
      await deliverPush({ ...context, ...attempt }, payload, mayStillRead(payload));
    },
    post_platform_push: (payload) => postPlatformPush(context, payload),
    clean_picture: (payload) => cleanPicture(context, payload, new Date()),
    delete_objects: (payload) => removeObjects(context, payload, new Date()),
    index_words: () => indexWords(context.db),
    remove_old_rows: () => removeOldRows(context.db, context.retention ?? DEFAULT_RETENTION, new Date()),
    sweep_objects: async () => void (await sweepObjects(context, new Date())),
  };
}
