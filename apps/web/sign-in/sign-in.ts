import 'client-only';
import { signIn } from 'next-auth/react';
import { TokenRefused, withCsrfToken } from '../api/with-csrf-token.ts';
import { readSignInProblem, type SignInProblem } from '../session/sign-in-errors.ts';

type Given = { email_address: string; user_type: string; pass_hash: string } | { code: string };

/** One step of signing in through the Credentials provider; null when the person is in. */
export async function attemptSignIn(given: Given): Promise<SignInProblem | null> {
  try {
    const answer = await withCsrfToken(() => signIn('credentials', { ...given, redirect: false }));
    if (answer?.ok) return null;
    return readSignInProblem(answer?.error ?? '');
  } catch (error) {
    return { code: error instanceof TokenRefused ? 'no_cookies' : 'unavailable' };
  }
}
