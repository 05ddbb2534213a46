import { parseRetryAfter } from '@case-platform/words/retry-after';
import { fromApiUserType } from '@case-platform/words/user-types';
import type { Profile, Tokens, TwoFactorChallenge } from '../api/api-shapes.ts';
import { callApi } from '../api/call-api.ts';
import { sessionHeaders, type Visitor } from '../api/visitor.ts';
import { codeField } from './code-field.ts';
import { type RefreshedSession, type RefreshReply, refreshSession, refreshTime } from './refresh-session.ts';
import type { SessionToken } from './session-shapes.ts';
import { isChallenge } from './two-factor-challenge.ts';

const WITHIN_MS = 10_000;

/** proxy.ts and the routes are separate bundles of one process. The symbol lets them share running refreshes. */
const KEY = Symbol.for('case-platform.refreshes');
type Shared = typeof globalThis & { [KEY]?: Map<string, Promise<RefreshReply>> };

/** The result of an authentication call: a success, a rejection with its reason, or no usable answer. */
export type AuthReply<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'refused'; status: number; code: string | undefined; retryAfter: number | null }
  | { kind: 'unavailable' };

/** Sends the first step of a sign-in (SIGN-IN-1). */
export function postLogin(body: { email_address: string; user_type: string; pass_hash: string }, visitor: Visitor) {
  const isAnswer = (value: unknown) => areTokens(value) || isChallenge(value);
  return post<Tokens | TwoFactorChallenge>('login', body, visitor, { repeats: true, isAnswer });
}

/** Sends the second step of a sign-in: six digits or a backup code (TWO-FACTOR-9). */
export function postCode({ tfa_token, code }: { tfa_token: string; code: string }, visitor: Visitor) {
  return post<Tokens>('verify-totp', { tfa_token, ...codeField(code) }, visitor, { isAnswer: areTokens });
}

/** Requests another code by email or text message (TWO-FACTOR-7). */
export function postResend(body: { tfa_token: string }, visitor: Visitor) {
  return post<{ message: string }>('resend-otp', body, visitor);
}

/** Returns the session with a usable access token, refreshed once for all requests that need it (WEB-6). */
export function ensureFreshSession(token: SessionToken, visitor: Visitor): Promise<RefreshedSession> {
  const shared: Shared = globalThis;
  shared[KEY] ??= new Map();
  const refresh = (session: SessionToken) => postRefresh(session, visitor);
  return refreshSession(token, { now: Date.now(), refresh, inFlight: shared[KEY] });
}

/** Gets a new access token, and reads the person's name and setup again with it. */
export async function postRefresh(session: SessionToken, visitor: Visitor): Promise<RefreshReply> {
  const headers = { ...visitor, 'x-web-session': session.sid };
  const options = { repeats: true, isAnswer: areTokens };
  const reply = await post<Tokens>('refresh', { refresh_token: session.refreshToken }, headers, options);
  if (reply.kind === 'refused') return { kind: [400, 401, 403].includes(reply.status) ? 'refused' : 'unavailable' };
  if (reply.kind === 'unavailable') return reply;
  const { access_token, refresh_token, expires_at } = reply.value;
  const profile = await readProfile({ accessToken: access_token, sid: session.sid }, visitor);
  if (profile === 'ended') return { kind: 'refused' };
  return {
    kind: 'refreshed',
    token: {
      accessToken: access_token,
      refreshToken: refresh_token,
      accessTokenExpires: Date.parse(expires_at),
      ...(profile === null ? {} : profileInSession(profile)),
    },
  };
}

function areTokens(value: unknown): value is Tokens {
  const { access_token, refresh_token, expires_at = '' }: Partial<Tokens> = value ?? {};
  const areStrings = typeof access_token === 'string' && typeof refresh_token === 'string';
  return areStrings && !Number.isNaN(Date.parse(expires_at));
}

/** Creates the session for newly issued tokens; null if the profile cannot be read. */
export async function sessionFromTokens(tokens: Tokens, visitor: Visitor): Promise<SessionToken | null> {
  if (!areTokens(tokens)) return null;
  const sid = crypto.randomUUID();
  const profile = await readProfile({ accessToken: tokens.access_token, sid }, visitor);
  if (profile === null || profile === 'ended') return null;
  const userType = fromApiUserType(profile.user_type);
  if (userType === undefined) return null;
  const expires = Date.parse(tokens.expires_at);
  return {
    sub: String(profile.id),
    ...profileInSession(profile),
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    accessTokenExpires: expires,
    refreshAt: refreshTime(Date.now(), expires),
    userType,
    sid,
  };
}

/** Reads the profile of the session's person; null if it cannot be read, 'ended' if the API no longer accepts the session. */
export async function readProfile(
  session: Pick<SessionToken, 'accessToken' | 'sid'>,
  visitor: Visitor,
): Promise<Profile | 'ended' | null> {
  try {
    const headers = { ...visitor, ...sessionHeaders(session) };
    const response = await callApi('/api/user/me', { headers }, { withinMs: WITHIN_MS, repeats: true });
    if (response.status === 401) return 'ended';
    return response.ok ? ((await response.json()) as Profile) : null;
  } catch (error) {
    reportNoAnswer('me', error);
    return null;
  }
}

/** Returns the part of the profile that the session contains, so that pages need no call for it. */
export function profileInSession(profile: Profile): Pick<SessionToken, 'name' | 'setup_status'> {
  return { name: displayName(profile), setup_status: profile.setup_status };
}

function displayName(profile: Profile): string {
  const name = [profile.first_name, profile.last_name].filter(Boolean).join(' ').trim();
  return (name || profile.email_address).slice(0, 200);
}

interface PostOptions {
  /** True if the call may reach the API twice. */
  repeats?: boolean;
  /** Checks the body of a success. */
  isAnswer?: (value: unknown) => boolean;
}

async function post<T>(
  call: string,
  body: object,
  visitor: Visitor,
  { repeats = false, isAnswer = () => true }: PostOptions = {},
): Promise<AuthReply<T>> {
  try {
    const headers = { 'content-type': 'application/json', ...visitor };
    const request: RequestInit = { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error' };
    const response = await callApi(`/api/user/auth/${call}`, request, { withinMs: WITHIN_MS, repeats });
    if (response.ok) {
      const value: unknown = await response.json();
      // A proxy's page or a broken answer is an outage. Otherwise there would be a session without a token.
      return isAnswer(value) ? { kind: 'ok', value: value as T } : { kind: 'unavailable' };
    }
    if (response.status >= 500) return { kind: 'unavailable' };
    const problem: { code?: string } | null = await response.json().catch(() => null);
    const retryAfter = parseRetryAfter(response.headers.get('retry-after'), Date.now());
    return { kind: 'refused', status: response.status, code: problem?.code, retryAfter };
  } catch (error) {
    reportNoAnswer(call, error);
    return { kind: 'unavailable' };
  }
}

/** Logs the reason for the operator. The person reads only that we cannot be reached. */
function reportNoAnswer(call: string, error: unknown): void {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? cause.message : message;
  process.stderr.write(`${JSON.stringify({ level: 'warn', name: 'web', code: 'NO_ANSWER', call, message: reason })}\n`);
}
