import { PERSON_NAME_MAX } from '@case-platform/words/limits';
import { waitWords } from '@case-platform/words/times';
import { ApiError } from './api-error.ts';

/** The password rules, as they are shown before a password is typed (PASSWORD-1). */
export function passwordRule(minimum: number): string {
  return `At least ${minimum} characters. A few words in a row are easy to remember and hard to guess.`;
}

const WORDS: Record<string, string> = {
  wrong_password: 'That’s not your current password.',
  wrong_code: 'That code isn’t right. Check it and enter it again. Each code works once.',
  challenge_ended: 'This code has expired. Go back and start again to get a new one.',
};

const NAME_IS_WRONG = `Enter a name of up to ${PERSON_NAME_MAX} characters.`;

const FIELD_WORDS: Record<string, string> = {
  first_name: NAME_IS_WRONG,
  last_name: NAME_IS_WRONG,
  phone: 'Enter the full number with its country code, like +1 202 555 0143.',
  timezone: 'Choose a time zone from the list.',
  email_address: 'Enter a full email address, like name@example.com.',
};

/** Whether the change may have been made although it failed here, because only the answer was lost. */
export function isAnswerLost(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}

/** Says why a change of one's own account failed and what to do about it. */
export function accountProblem(error: unknown): string {
  if (!(error instanceof ApiError) || isAnswerLost(error)) {
    return 'We can’t reach our servers right now, so we don’t know whether that was saved. Reload the page to see.';
  }
  if (error.status === 429)
    return `Too many attempts. For your security, wait ${waitWords(error.retryAfter ?? 60)}, then try again.`;
  return (error.code === undefined ? undefined : WORDS[error.code]) ?? error.message;
}

/** Says what is wrong with each field that the API names, in the API's words where we have none of our own. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(Object.entries(error.fields).map(([field, words]) => [field, FIELD_WORDS[field] ?? words]));
}
