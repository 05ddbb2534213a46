import { parseRetryAfter } from '@case-platform/words/retry-after';
import { fromApiUserType } from '@case-platform/words/user-types';
import type { Profile, Tokens, TwoFactorChallenge } from '../api/api-shapes.ts';
import { askApi } from '../api/ask-api.ts';
import { sessionHeaders, type Visitor } from '../api/visitor.ts';
import { codeField } from './code-field.ts';
import { type RefreshedSession, type RefreshReply, refreshSession, refreshTime } from './refresh-session.ts';
import type { SessionToken } from './session-shapes.ts';
import { isChallenge } from './two-factor-challenge.ts';

const WITHIN_MS = 10_000;

/** proxy.ts and the routes are separate bundles of one process; the symbol lets them share what is under way. */
const KEY = Symbol.for('case-platform.refreshes');
type Shared = typeof globalThis & { [KEY]?: Map<string, Promise<RefreshReply>> };

/** How the API answered an authentication call: what it granted, why it refused, or that it didn't answer. */
export type AuthReply<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'refused'; status: number; code: string | undefined; retryAfter: number | null }
  | { kind: 'unavailable' };

/** First step of signing in. */
export function postLogin(body: { email_address: string; user_type: string; pass_hash: string }, visitor: Visitor) {
  const isAnswer = (value: unknown) => areTokens(value) || isChallenge(value);
  return post<Tokens | TwoFactorChallenge>('login', body, visitor, { repeats: true, isAnswer });
}

/** Second step: the six digits, or a backup code. */
export function postCode({ tfa_token, code }: { tfa_token: string; code: string }, visitor: Visitor) {
  return post<Tokens>('verify-totp', { tfa_token, ...codeField(code) }, visitor, { isAnswer: areTokens });
}

/** Another code by email or text message. */
export function postResend(body: { tfa_token: string }, visitor: Visitor) {
  return post<{ message: string }>('resend-otp', body, visitor);
}

/** The session with a usable access token, refreshed once for everybody who asks at the same time. */
export function freshSession(token: SessionToken, visitor: Visitor): Promise<RefreshedSession> {
  const shared: Shared = globalThis;
  shared[KEY] ??= new Map();
  const refresh = (session: SessionToken) => postRefresh(session, visitor);
  return refreshSession(token, { now: Date.now(), refresh, inFlight: shared[KEY] });
}

/** A new access token; the person's name and set-up are read again with it. */
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

/** The session for tokens that were just issued, or null when the API does not know their owner. */
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

/** The profile of a session's person; null when it cannot be read, 'ended' when the API no longer knows the session. */
export async function readProfile(
  session: Pick<SessionToken, 'accessToken' | 'sid'>,
  visitor: Visitor,
): Promise<Profile | 'ended' | null> {
  try {
    const headers = { ...visitor, ...sessionHeaders(session) };
    const response = await askApi('/api/user/me', { headers }, { withinMs: WITHIN_MS, repeats: true });
    if (response.status === 401) return 'ended';
    return response.ok ? ((await response.json()) as Profile) : null;
  } catch (error) {
    reportNoAnswer('me', error);
    return null;
  }
}

/** What a session repeats of the profile, so that no page has to ask for it. */
export function profileInSession(profile: Profile): Pick<SessionToken, 'name' | 'setup_status'> {
  return { name: displayName(profile), setup_status: profile.setup_status };
}

function displayName(profile: Profile): string {
  const name = [profile.first_name, profile.last_name].filter(Boolean).join(' ').trim();
  return (name || profile.email_address).slice(0, 200);
}

interface PostOptions {
  /** Whether it may reach the API twice. */
  repeats?: boolean;
  /** Whether a success says what it must. */
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
    const response = await askApi(`/api/user/auth/${call}`, request, { withinMs: WITHIN_MS, repeats });
    if (response.ok) {
      const value: unknown = await response.json();
      // A proxy's page or a broken answer is an outage: there would be a session without a token.
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

/** For the operator; the person only reads that we can’t be reached. */
function reportNoAnswer(call: string, error: unknown): void {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? cause.message : message;
  process.stderr.write(`${JSON.stringify({ level: 'warn', name: 'web', code: 'NO_ANSWER', call, message: reason })}\n`);
}
