import { isTemporary } from '@case-platform/words/retry-after';
import { serverEnvironment } from '../api/server-environment.ts';
import { sessionHeaders, type Visitor } from '../api/visitor.ts';
import { ensureFreshSession } from './api-auth.ts';
import { SESSION_MAX_AGE } from './session-cookie.ts';
import type { SessionToken } from './session-shapes.ts';
import { markSignedOut } from './sign-out-marks.ts';

const WITHIN_MS = 3000;
const AGAIN_AFTER_MS = 1000;
const AGAIN_AT_MOST_MS = 30_000;

/**
 * Ends a sign-in: in this process at once, and everywhere else as soon as the API has recorded it (WEB-11). The call is repeated
 * until then, but the caller waits for the first try only: while the API is down, the session is useless anyway.
 */
export async function endSessionEverywhere(session: SessionToken, visitor: Visitor): Promise<void> {
  markSignedOut(session.sid, Date.now(), SESSION_MAX_AGE * 1000);
  const again = async (wait: number) => {
    if (await endAtApi(session, visitor)) return;
    setTimeout(() => void again(Math.min(wait * 2, AGAIN_AT_MOST_MS)), wait).unref();
  };
  await again(AGAIN_AFTER_MS);
}

/** @returns true if nothing is left to do: the API has recorded the end, or no longer accepts the tokens. */
async function endAtApi(session: SessionToken, visitor: Visitor): Promise<boolean> {
  const { token, state } = await ensureFreshSession(session, visitor);
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
