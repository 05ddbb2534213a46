import type { Database } from '@case-platform/db';
import type { TaskName, TaskPayloads } from '@case-platform/lib/jobs';
import { emailMessage, pushMessage } from '@case-platform/modules/messaging';
import { deliverEmail, deliverPush, type EmailProvider, type PushSettings } from '@case-platform/modules/notifications';

/** Everything that tasks work with. */
export interface WorkerContext {
  db: Database;
  email: EmailProvider | null;
  push: PushSettings;
  webUrl: string;
  adminUrl: string;
}

/** What the queue says about this run of a job. */
export interface Attempt {
  lastAttempt: boolean;
}

type Tasks = { [Name in TaskName]: (payload: TaskPayloads[Name], attempt: Attempt) => Promise<void> };

/** Every task has its function: one that a module declares and that is missing here does not compile. */
export function createTasks(context: WorkerContext): Tasks {
  return {
    email_message: (payload) => emailMessage(context, payload),
    push_message: (payload) => pushMessage(context, payload),
    deliver_email: (payload, attempt) => deliverEmail({ ...context, ...attempt }, payload),
    deliver_push: (payload, attempt) => deliverPush({ ...context, ...attempt }, payload),
  };
}
