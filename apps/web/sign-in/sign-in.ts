import 'client-only';
import { signIn } from 'next-auth/react';
import { TokenRejectedError, withCsrfToken } from '../api/with-csrf-token.ts';
import { readSignInProblem, type SignInProblem } from '../session/sign-in-errors.ts';

type Credentials = { email_address: string; user_type: string; pass_hash: string } | { code: string };

/** Takes one step of signing in. Returns the problem, or null if the person is signed in. Never throws. */
export async function attemptSignIn(credentials: Credentials): Promise<SignInProblem | null> {
  try {
    const answer = await withCsrfToken(() => signIn('credentials', { ...credentials, redirect: false }));
    if (answer?.ok) return null;
    return readSignInProblem(answer?.error ?? '');
  } catch (error) {
    return { code: error instanceof TokenRejectedError ? 'no_cookies' : 'unavailable' };
  }
}
