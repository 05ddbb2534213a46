import { waitWords } from '@case-platform/words/times';

/**
 * The reasons why a sign-in fails (WEB-15). next-auth passes a single string from the provider to the form, so a problem is
 * written as a word with details after colons, and never contains a token or the API's text. `no_cookies` comes from the form.
 */
export type SignInProblem =
  | { code: 'two_factor'; type: 'totp' | 'otp'; method: 'app' | 'email' | 'sms' }
  | { code: 'wrong' }
  | { code: 'wrong_code' }
  | { code: 'challenge_over' }
  | { code: 'invalid' }
  | { code: 'throttled'; seconds: number }
  | { code: 'unfamiliar' }
  | { code: 'no_cookies' }
  | { code: 'unavailable' };

/** Thrown by the Credentials provider; next-auth passes its message to the form. */
export class SignInError extends Error {
  override name = 'SignInError';
  constructor(problem: SignInProblem) {
    super(writeSignInProblem(problem));
  }
}

export function writeSignInProblem(problem: SignInProblem): string {
  if (problem.code === 'two_factor') return `two_factor:${problem.type}:${problem.method}`;
  return problem.code === 'throttled' ? `throttled:${problem.seconds}` : problem.code;
}

/** Parses a problem; any unknown string counts as an outage. */
export function readSignInProblem(text: string): SignInProblem {
  const [code, first, second] = text.split(':');
  if (code === 'two_factor' && (first === 'totp' || first === 'otp')) {
    if (second === 'app' || second === 'email' || second === 'sms') return { code, type: first, method: second };
  }
  if (code === 'throttled') return { code, seconds: Math.max(1, Number(first) || 60) };
  if (code === 'wrong' || code === 'wrong_code' || code === 'challenge_over' || code === 'invalid') return { code };
  if (code === 'unfamiliar') return { code };
  return { code: 'unavailable' };
}

/** Returns the words of the form: the problem, and what to do. */
export function signInProblemWords(problem: SignInProblem): { title: string; text: string } {
  switch (problem.code) {
    case 'wrong':
      return {
        title: 'We couldn’t sign you in',
        text: 'The email address, password, and role don’t match. Check all three.',
      };
    case 'wrong_code':
      return {
        title: 'That code isn’t right',
        text: 'Check it and enter it again. Each code works once, and a new code replaces the one before.',
      };
    case 'challenge_over':
      return {
        title: 'This sign-in has expired',
        text: 'For your security, a code works only for a short time and a few tries. Enter your password again.',
      };
    case 'invalid':
      return { title: 'Something is missing', text: 'Check the email address and the password, then try again.' };
    case 'unfamiliar':
      return {
        title: 'You are signing in from a new place',
        text: 'Someone tried many passwords for this account, so your password alone isn’t enough here. Choose “Forgot your password?” and set a new one with the link we email you.',
      };
    case 'no_cookies':
      return {
        title: 'Your browser isn’t keeping cookies',
        text: 'Signing in needs them. Allow cookies for this site in your browser’s settings, then try again.',
      };
    case 'throttled':
      return {
        title: 'Too many attempts',
        text: `For your security, wait ${waitWords(problem.seconds)}, then try again.`,
      };
    default:
      return {
        title: 'We can’t reach our servers right now',
        text: 'Nothing is wrong with your account. Try again in a minute.',
      };
  }
}
