import { invalid, UnauthenticatedError } from '@case-platform/lib/errors';

/** For somebody who is signed in, a wrong password or code is a wrong field of the form, not the end of the session. */
export async function asWrongField<Result>(field: string, prove: () => Promise<Result>): Promise<Result> {
  try {
    return await prove();
  } catch (error) {
    if (!(error instanceof UnauthenticatedError)) throw error;
    const hasEnded = error.code === 'challenge_ended';
    throw invalid(field, hasEnded ? 'This code has expired. Start again to get a new one.' : error.message);
  }
}
