import 'client-only';

/** As often as pages of one browser may be given a token right after one another; a browser that keeps none is refused each time. */
const TRIES = 4;

/** What next-auth's browser part answers: the page to go to. */
type Answer = { url: string | null } | undefined;

/** Every token was refused, as to a browser that keeps no cookies. */
export class TokenRefused extends Error {
  override name = 'TokenRefused';
}

/**
 * Asks next-auth for something that takes its CSRF token. Pages of a browser that has none yet, and ask at the same moment, are given
 * one each, of which the browser keeps the last: where another page's was kept, the next question is given that one.
 * @throws {TokenRefused} when it is refused time after time.
 */
export async function withCsrfToken<T extends Answer>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await ask();
    if (!isRefused(answer)) return answer;
  }
  throw new TokenRefused('next-auth has refused its own token.');
}

/** Whether the answer leads to next-auth's own page, where it asks again by a form. */
function isRefused(answer: Answer): boolean {
  const { pathname, searchParams } = new URL(answer?.url ?? '/', 'http://localhost');
  return pathname.startsWith('/api/auth/') && searchParams.has('csrf');
}
