import { isTemporary } from '@case-platform/words/retry-after';
import { serverEnvironment } from '../api/server-environment.ts';
import { sessionHeaders, type Visitor } from '../api/visitor.ts';
import { freshSession } from './api-auth.ts';
import { SESSION_MAX_AGE } from './session-cookie.ts';
import type { SessionToken } from './session-shapes.ts';
import { markSignedOut } from './sign-out-marks.ts';

const WITHIN_MS = 3000;
const AGAIN_AFTER_MS = 1000;
const AGAIN_AT_MOST_MS = 30_000;

/**
 * Ends a sign-in: here at once, everywhere else as soon as the API has noted it, which is asked for again until it has.
 * Nobody waits for more than one try: while the API is away, the session opens nothing anyway.
 */
export async function endSessionEverywhere(session: SessionToken, visitor: Visitor): Promise<void> {
  markSignedOut(session.sid, Date.now(), SESSION_MAX_AGE * 1000);
  const again = async (wait: number) => {
    if (await endAtApi(session, visitor)) return;
    setTimeout(() => void again(Math.min(wait * 2, AGAIN_AT_MOST_MS)), wait).unref();
  };
  await again(AGAIN_AFTER_MS);
}

/** Whether nothing is left to do: the API has noted it, or its tokens open nothing any more. */
async function endAtApi(session: SessionToken, visitor: Visitor): Promise<boolean> {
  const { token, state } = await freshSession(session, visitor);
  if (state !== 'fresh') return state === 'ended';
  try {
    const { status } = await fetch(`${serverEnvironment().apiUrl}/api/user/me/web-session`, {
      method: 'DELETE',
      headers: { ...visitor, ...sessionHeaders(token) },
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    return !isTemporary(status);
  } catch {
    return false;
  }
}
