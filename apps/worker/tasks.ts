import type { Retention } from '@case-platform/lib/config/read-retention';
import type { Database } from '@case-platform/lib/database';
import type { TaskName, TaskPayloads } from '@case-platform/lib/jobs';
import { mailPasswordReset } from '@case-platform/modules/accounts';
import { warnOfShortfalls } from '@case-platform/modules/banking';
import {
  mailLastScheduledPayment,
  mailNameChange,
  mailPregnancyFunding,
  remindOfClosing,
} from '@case-platform/modules/cases';
import { mailDisbursement, pushDisbursement, reassignApprovalsOf } from '@case-platform/modules/disbursements';
import { emailGathered, emailMessage, handOnChains, mayGoOut, pushMessage } from '@case-platform/modules/messaging';
import {
  claimMailTurn,
  deliverEmail,
  deliverPush,
  deliverSms,
  type EmailProvider,
  type PushSettings,
  type SmsProvider,
} from '@case-platform/modules/notifications';
import { cleanPicture, removeObjects, type Storage, sweepObjects } from '@case-platform/modules/storage';
import { removeOldRows } from './remove-old-rows.ts';

/** Everything that tasks work with. */
export interface WorkerContext {
  db: Database;
  storage: Storage;
  email: EmailProvider | null;
  sms: SmsProvider | null;
  /** Mails to one address in an hour; without it none is held back. */
  mailsPerHour?: number | undefined;
  /** For how long what is only needed for a time is kept, where it is not the usual. */
  keptDays?: Retention;
  /** Whether what no provider took is kept to be read: in development. */
  keepsContent: boolean;
  push: PushSettings;
  webUrl: string;
  apiUrl: string;
  adminUrl: string;
}

/** What the queue says about this run of a job. */
interface Attempt {
  lastAttempt: boolean;
}

type Tasks = { [Name in TaskName]: (payload: TaskPayloads[Name], attempt: Attempt) => Promise<void> };

/** Every task has its function: one that a module declares and that is missing here does not compile. */
export function createTasks(context: WorkerContext): Tasks {
  return {
    email_message: (payload) => emailMessage(context, payload),
    email_gathered: (payload) => emailGathered(context, payload),
    push_message: (payload) => pushMessage(context, payload),
    mail_disbursement: (payload) => mailDisbursement(context, payload),
    push_disbursement: (payload) => pushDisbursement(context, payload),
    hand_on_approvals: (payload) => reassignApprovalsOf(context, payload, new Date()),
    hand_on_chains: () => handOnChains(context),
    mail_pregnancy_funding: (payload) => mailPregnancyFunding(context, payload),
    mail_last_scheduled_payment: (payload) => mailLastScheduledPayment(context, payload),
    mail_name_change: (payload) => mailNameChange(context, payload),
    remind_of_closing: () => remindOfClosing(context, new Date()),
    warn_of_shortfalls: () => warnOfShortfalls(context, new Date()),
    mail_password_reset: (payload) => mailPasswordReset({ ...context, now: new Date() }, payload),
    deliver_email: async (payload, attempt) => {
      if ((await mayGoOut(context, payload)) && (await claimMailTurn(context, payload)))
        await deliverEmail({ ...context, ...attempt }, payload);
    },
    deliver_sms: (payload, attempt) => deliverSms({ ...context, ...attempt }, payload),
    deliver_push: async (payload, attempt) => {
      if (await mayGoOut(context, payload)) await deliverPush({ ...context, ...attempt }, payload);
    },
    clean_picture: (payload) => cleanPicture(context, payload),
    delete_objects: (payload) => removeObjects(context, payload, new Date()),
    remove_old_rows: () => removeOldRows(context.db, new Date(), context.keptDays),
    sweep_agency_events: () => removeOldRows(context.db, new Date(), context.keptDays),
    sweep_provider_reports: () => removeOldRows(context.db, new Date(), context.keptDays),
    sweep_objects: async () => void (await sweepObjects(context, new Date())),
  };
}
