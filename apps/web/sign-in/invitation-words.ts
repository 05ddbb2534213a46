import { PASSWORD_MIN, PASSWORD_MIN_WITH_TWO_FACTOR } from '@case-platform/words/limits';
/** Who was invited: staff sign in to the server-rendered application, everyone else here. */
export type Invitation = 'staff' | 'member';

/** What the link's `invitation` says; null for a reset. */
export function invitationOf(parameter: string | string[] | undefined): Invitation | null {
  if (parameter === undefined) return null;
  return parameter === 'staff' ? 'staff' : 'member';
}

/** What the page says where a new password is chosen, and where its link does not work. */
export function passwordWords(invitation: Invitation | null) {
  if (invitation === null) {
    return {
      title: 'Choose a new password',
      lead: 'A few words in a row are easy to remember and hard to guess.',
      label: 'New password',
      hint: `At least ${PASSWORD_MIN} characters, or ${PASSWORD_MIN_WITH_TWO_FACTOR} if you also sign in with a code.`,
      ended: 'It has been used already, or its 30 minutes are over. Nothing was changed just now.',
      broken: 'Open the link in your mail once more, or ask for a new one.',
    };
  }
  return {
    title: 'Welcome. Choose a password',
    lead: 'It makes your account ready. A few words in a row are easy to remember and hard to guess.',
    label: 'Password',
    hint: `At least ${PASSWORD_MIN} characters.`,
    ended:
      'It has been used already, or its 7 days are over. If you have chosen your password, sign in. Otherwise write to whoever invited you: they can send the invitation again.',
    broken: 'Open the link in your mail once more. If that does not help, ask whoever invited you to send it again.',
  };
}
