import { PASSWORD_MIN, PASSWORD_MIN_WITH_TWO_FACTOR } from '@case-platform/words/limits';
/** The kind of invited person: staff sign in to the staff application, everyone else here. */
export type Invitation = 'staff' | 'member';

/** Reads the `invitation` parameter of a link; null for a password reset. */
export function invitationOf(parameter: string | string[] | undefined): Invitation | null {
  if (parameter === undefined) return null;
  return parameter === 'staff' ? 'staff' : 'member';
}

/** The words of the page on which a password is chosen, and of the one for a link that does not work. */
export function passwordWords(invitation: Invitation | null) {
  if (invitation === null) {
    return {
      title: 'Choose a new password',
      lead: 'A few words in a row are easy to remember and hard to guess.',
      label: 'New password',
      hint: `At least ${PASSWORD_MIN} characters, or ${PASSWORD_MIN_WITH_TWO_FACTOR} if you also sign in with a code.`,
      ended: 'It was already used, or its 30 minutes are over. Nothing has changed.',
      broken: 'Open the link in your email again, or ask for a new one.',
    };
  }
  return {
    title: 'Welcome. Choose a password',
    lead: 'Then your account is ready. A few words in a row are easy to remember and hard to guess.',
    label: 'Password',
    hint: `At least ${PASSWORD_MIN} characters.`,
    ended:
      'It was already used, or its 7 days are over. If you chose your password, sign in. If not, ask the person who invited you to send it again.',
    broken: 'Open the link in your email again. If that doesn’t help, ask the person who invited you to send it again.',
  };
}
