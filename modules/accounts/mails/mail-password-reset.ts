import { type EmailContext, sendEmail } from '@case-platform/modules/notifications';
import { toApiUserType, type UserType, userTypeInWords } from '@case-platform/words/user-types';
import { createPasswordReset } from '../password/password-reset.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    mail_password_reset: { email_address: string; user_type: UserType; request_id: string };
  }
}

/**
 * Mails a reset link that names the role, because one address can have several records. This already runs in the background, so
 * the mail is sent at once (EMAIL-10). A job that runs again creates another link, which is not mailed.
 */
export async function mailPasswordReset(
  context: EmailContext & { now: Date },
  job: { email_address: string; user_type: UserType; request_id: string },
): Promise<void> {
  const { db, webUrl, now } = context;
  const reset = await db.transaction((tx) => createPasswordReset(tx, job, now));
  if (reset === null) return;
  const { user, token } = reset;
  await sendEmail(context, {
    key: `reset:${job.request_id}`,
    event: 'password_reset',
    to: user,
    subject: 'Set a new password',
    template_name: 'password_reset.html',
    template_context: {
      first_name: user.first_name,
      role: userTypeInWords(user.user_type),
      url: `${webUrl}/password-reset/confirm?role=${toApiUserType(user.user_type)}#token=${token}`,
    },
    run_in_background: false,
  });
}
