import { type EmailContext, sendEmail } from '@case-platform/modules/notifications';
import { type UserType, userTypeInWords } from '@case-platform/words/user-types';
import { createPasswordReset } from '../password/password-reset.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Makes and mails a reset link, if there is such an account. */
    mail_password_reset: { email_address: string; user_type: UserType; request_id: string };
  }
}

/**
 * Mails a reset link that names the role, because one address may stand on several records. Sent at once (EMAIL-10):
 * somebody sits in front of a page and waits for it, and this runs in the background already. A job that runs again
 * makes another link, of which nobody hears.
 */
export async function mailPasswordReset(
  context: EmailContext & { now: Date },
  job: { email_address: string; user_type: UserType; request_id: string },
): Promise<void> {
  const { db, webUrl, now } = context;
  const made = await db.transaction((tx) => createPasswordReset(tx, job, now));
  if (made === null) return;
  const { user, token } = made;
  await sendEmail(context, {
    key: `reset:${job.request_id}`,
    event: 'password_reset',
    to: user,
    subject: 'Set a new password',
    template_name: 'password_reset.html',
    template_context: {
      first_name: user.first_name,
      role: userTypeInWords(user.user_type),
      url: `${webUrl}/password-reset/confirm#token=${token}`,
    },
    run_in_background: false,
  });
}
