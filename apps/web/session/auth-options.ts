import 'server-only';
import { cookies, headers } from 'next/headers';
import type { NextAuthOptions, User } from 'next-auth';
import CredentialsProvider from 'next-auth/providers/credentials';
import type { Tokens } from '../api/api-shapes.ts';
import { serverEnvironment } from '../api/server-environment.ts';
import { type Visitor, visitorIn } from '../api/visitor.ts';
import { ownCookieName } from '../look/own-cookie.ts';
import {
  type AuthReply,
  ensureFreshSession,
  postCode,
  postLogin,
  profileInSession,
  readProfile,
  sessionFromTokens,
} from './api-auth.ts';
import { endSessionEverywhere } from './end-session.ts';
import { openSealed } from './open-sealed.ts';
import { isSessionToken, readSessionCookie, SESSION_MAX_AGE, sessionCookie } from './session-cookie.ts';
import type { BrowserSession, SessionToken } from './session-shapes.ts';
import { SignInError, type SignInProblem } from './sign-in-errors.ts';
import { codeProblem, passwordProblem, type Refusal } from './sign-in-refusals.ts';
import { isSignedOut } from './sign-out-marks.ts';
import { deleteChallenge, readChallenge, storeChallenge } from './two-factor-cookie.ts';

/** The user that `authorize` passes to the `jwt` callback. */
interface SignedIn extends User {
  session: SessionToken;
}

/** The options of next-auth. The Credentials provider delegates both steps of a sign-in to the JSON API (WEB-1). */
export function authOptions(): NextAuthOptions {
  const { name, options } = sessionCookie();
  return {
    secret: serverEnvironment().secret,
    session: { strategy: 'jwt', maxAge: SESSION_MAX_AGE },
    jwt: { decode: openSealed },
    pages: { signIn: '/login', signOut: '/login', error: '/login' },
    cookies: {
      sessionToken: { name, options },
      callbackUrl: { name: ownCookieName('next-auth.callback-url', options.secure), options },
    },
    useSecureCookies: options.secure,
    providers: [
      CredentialsProvider({
        credentials: { email_address: {}, user_type: {}, pass_hash: {}, code: {} },
        authorize: (fields) => (fields?.code === undefined ? firstStep(fields ?? {}) : secondStep(fields.code)),
      }),
    ],
    callbacks: {
      async jwt({ token, user }) {
        if (user !== undefined) return { ...(user as SignedIn).session };
        if (!isSessionToken(token) || isSignedOut(token.sid, Date.now())) throw new Error('This session has ended.');
        const visitor = visitorIn(await headers());
        const { token: fresh, state } = await ensureFreshSession(token, visitor);
        const current = state === 'fresh' ? await withProfile(fresh, visitor) : fresh;
        // The person may have signed out during the refresh, whose answer must not sign them in again.
        if (isSignedOut(token.sid, Date.now())) throw new Error('This session has ended.');
        return { ...current };
      },
      session({ session, token }) {
        return isSessionToken(token) ? browserSession(token, session.expires) : session;
      },
    },
    events: {
      async signOut({ token }) {
        if (isSessionToken(token)) await endSessionEverywhere(token, visitorIn(await headers()));
      },
    },
    logger: { error: reportError, warn() {}, debug() {} },
  };
}

/** Returns the part of a session that the browser may see (WEB-10). */
function browserSession(token: SessionToken, expires: string): BrowserSession {
  return {
    userType: token.userType,
    setup_status: token.setup_status,
    ...(token.tokenError === undefined ? {} : { tokenError: token.tokenError }),
    expires,
    user: { name: token.name },
  };
}

async function firstStep(fields: Partial<Record<'email_address' | 'user_type' | 'pass_hash', string>>): Promise<SignedIn> {
  const { email_address = '', user_type = '', pass_hash = '' } = fields;
  const visitor = visitorIn(await headers());
  const reply = await postLogin({ email_address: email_address.trim(), user_type, pass_hash }, visitor);
  if (reply.kind !== 'ok') throw signInError(reply, passwordProblem);
  if ('tfa_required' in reply.value) {
    await storeChallenge(reply.value);
    throw new SignInError({ code: 'two_factor', type: reply.value.tfa_type, method: reply.value.tfa_method });
  }
  return signedIn(reply.value, visitor);
}

async function secondStep(code: string): Promise<SignedIn> {
  const challenge = await readChallenge();
  if (challenge === null) throw new SignInError({ code: 'challenge_over' });
  const visitor = visitorIn(await headers());
  const reply = await postCode({ tfa_token: challenge.tfa_token, code: code.trim() }, visitor);
  if (reply.kind === 'refused' && codeProblem(reply).code === 'challenge_over') await deleteChallenge();
  if (reply.kind !== 'ok') throw signInError(reply, codeProblem);
  const user = await signedIn(reply.value, visitor);
  await deleteChallenge();
  return user;
}

async function signedIn(tokens: Tokens, visitor: Visitor): Promise<SignedIn> {
  const session = await sessionFromTokens(tokens, visitor);
  if (session === null) throw new SignInError({ code: 'unavailable' });
  // This replaces a person who was signed in before. Requests that still run for them must not restore their cookie.
  const before = await readSessionCookie(await cookies());
  if (before !== null) await endSessionEverywhere(before, visitor);
  return { id: session.sub, session };
}

/** Creates the error whose message tells the form why a step failed. */
function signInError(
  reply: Exclude<AuthReply<unknown>, { kind: 'ok' }>,
  problem: (refusal: Refusal) => SignInProblem,
): SignInError {
  return new SignInError(reply.kind === 'unavailable' ? { code: 'unavailable' } : problem(reply));
}

/** Logs every failure in next-auth except ended sessions, which are routine. */
function reportError(code: string, details: unknown): void {
  if (code === 'JWT_SESSION_ERROR') return;
  const message = details instanceof Error ? details.message : code;
  process.stderr.write(`${JSON.stringify({ level: 'error', name: 'web', code, message })}\n`);
}

/** @throws {Error} if the sign-in has ended in another process; the API knows about all of them (WEB-11). */
async function withProfile(token: SessionToken, visitor: Visitor): Promise<SessionToken> {
  const profile = await readProfile(token, visitor);
  if (profile === 'ended') throw new Error('This session has ended.');
  return profile === null ? token : { ...token, ...profileInSession(profile) };
}
