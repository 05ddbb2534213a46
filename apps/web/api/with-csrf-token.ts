import 'client-only';

/** More tries than a browser has pages that start at the same moment. A browser without cookies fails all of them. */
const TRIES = 4;

/** The answer of next-auth's browser code: the page to go to. */
type Answer = { url: string | null } | undefined;

/** Every token was rejected, as happens in a browser without cookies. */
export class TokenRejectedError extends Error {
  override name = 'TokenRefused';
}

/**
 * Makes a call to next-auth that needs its CSRF token. When several pages of a browser without a token call at the same moment,
 * each gets its own and the browser stores only the last one, so a rejected call is repeated with the stored token.
 * @throws {TokenRejectedError} when every try is rejected.
 */
export async function withCsrfToken<T extends Answer>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await ask();
    if (!isRefused(answer)) return answer;
  }
  throw new TokenRejectedError('next-auth has refused its own token.');
}

/** Whether next-auth rejected the token, which it does by sending the browser to its own sign-in or sign-out page. */
function isRefused(answer: Answer): boolean {
  const { pathname, searchParams } = new URL(answer?.url ?? '/', 'http://localhost');
  return pathname.startsWith('/api/auth/') && searchParams.has('csrf');
}
