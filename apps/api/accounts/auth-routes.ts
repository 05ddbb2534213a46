import { randomUUID } from 'node:crypto';
import { invalid, TooManyRequestsError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import { networkOf } from '@case-platform/lib/http/network';
import { enqueue } from '@case-platform/lib/jobs';
import { normalizeEmail } from '@case-platform/lib/text/email-address';
import {
  confirmAddressChange,
  refreshTokens,
  resendTwoFactorCode,
  resetPassword,
  signIn,
  verifyTwoFactor,
} from '@case-platform/modules/accounts';
import { EMAIL_MAX } from '@case-platform/words/limits';
import { fromApiUserType, type UserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { webSessionOf } from '../guards/guards.ts';
import { CodeFields, oneCode } from '../guards/identity.ts';
import { visitorOf } from '../guards/visitor.ts';
import { ApiUserTypeIn } from '../schemas.ts';
import { Confirmation, Password } from './account-schemas.ts';

const TokenPair = Type.Object(
  {
    access_token: Type.String(),
    refresh_token: Type.String(),
    expires_at: Type.String({ format: 'date-time', description: 'When the access token ends.' }),
    token_type: Type.Literal('Bearer'),
  },
  { title: 'Tokens' },
);

const TwoFactorRequired = Type.Object(
  {
    tfa_required: Type.Literal(true),
    tfa_type: Type.Unsafe<'totp' | 'otp'>({ type: 'string', enum: ['totp', 'otp'] }),
    tfa_method: Type.Unsafe<'app' | 'email' | 'sms'>({ type: 'string', enum: ['app', 'email', 'sms'] }),
    tfa_token: Type.String(),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'TwoFactorChallenge' },
);

const EmailAddress = Type.String({ minLength: 3, maxLength: EMAIL_MAX });
const Token = Type.String({ minLength: 1, maxLength: 4096 });

/** Sign-in, two-factor, refresh, and password reset (SIGN-IN-1, TWO-FACTOR-2, TOKEN-6, PASSWORD-4). */
export function authRoutes(server: ApiServer): void {
  loginRoutes(server);
  resetRoutes(server);
  addressRoutes(server);
}

function loginRoutes({ app, context }: ApiServer): void {
  const { now } = context;
  const config = { guard: publicRoute('signing in') };

  app.post(
    '/api/user/auth/login',
    {
      config,
      schema: {
        tags: ['auth'],
        summary: 'Sign in with an email address, user type, and password',
        body: Type.Object({ email_address: EmailAddress, user_type: ApiUserTypeIn, pass_hash: Password }),
        response: { 200: Type.Union([TokenPair, TwoFactorRequired]) },
      },
    },
    (request) => {
      const { email_address, pass_hash: password } = request.body;
      const credentials = { email_address, user_type: toUserType(request.body.user_type), password };
      return signIn(context, credentials, visitorOf(request), now());
    },
  );

  app.post(
    '/api/user/auth/verify-totp',
    {
      config,
      schema: {
        tags: ['auth'],
        summary: 'Complete a two-factor sign-in with a code or a backup code',
        body: Type.Object({ tfa_token: Token, ...CodeFields }),
        response: { 200: TokenPair },
      },
    },
    (request) => {
      const { tfa_token: tfaToken, ...secondFactor } = request.body;
      return verifyTwoFactor(context, { tfaToken, answer: oneCode(secondFactor) }, visitorOf(request), now());
    },
  );

  app.post(
    '/api/user/auth/resend-otp',
    {
      config,
      schema: {
        tags: ['auth'],
        summary: 'Send another sign-in code, at most one a minute',
        body: Type.Object({ tfa_token: Token }),
        response: { 202: Confirmation },
      },
    },
    async (request, reply) => {
      await resendTwoFactorCode(context, request.body.tfa_token, now());
      return reply.code(202).send({ message: 'A new code is on its way.' });
    },
  );

  app.post(
    '/api/user/auth/refresh',
    {
      config: { guard: publicRoute('the refresh token is the proof') },
      schema: {
        tags: ['auth'],
        summary: 'Get a new access token; the refresh token stays the same',
        body: Type.Object({ refresh_token: Token }),
        response: { 200: TokenPair },
      },
    },
    (request) => refreshTokens(context, request.body.refresh_token, webSessionOf(request), now()),
  );
}

function resetRoutes({ app, context }: ApiServer): void {
  const config = { guard: publicRoute('resetting a password') };

  app.post(
    '/api/user/auth/password-reset/request',
    {
      config,
      schema: {
        tags: ['auth'],
        summary: 'Email a link to set a new password, if the account exists',
        body: Type.Object({ email_address: EmailAddress, user_type: ApiUserTypeIn }),
        response: { 202: Confirmation },
      },
    },
    async (request, reply) => {
      await context.throttle.consume('reset_address', networkOf(request.ip));
      const email_address = normalizeEmail(request.body.email_address);
      const user_type = toUserType(request.body.user_type);
      // The worker looks up the account, so that neither the answer nor its time reveals whether there is one.
      const limited = await context.throttle.consume('reset', JSON.stringify([email_address, user_type])).then(
        () => false,
        (error) => {
          if (error instanceof TooManyRequestsError) return true;
          throw error;
        },
      );
      if (!limited) {
        await enqueue(context.db, 'mail_password_reset', { email_address, user_type, request_id: randomUUID() });
      }
      return reply.code(202).send({ message: 'If there is such an account, a mail with a link is on its way.' });
    },
  );

  app.post(
    '/api/user/auth/password-reset/confirm',
    {
      config,
      schema: {
        tags: ['auth'],
        summary: 'Set a new password with the token from the email, which works once',
        body: Type.Object({ token: Token, pass_hash: Password }),
        response: { 200: Confirmation },
      },
    },
    async (request) => {
      const { token, pass_hash: password } = request.body;
      const { origin } = changedBy(request, null);
      await resetPassword(context.db, { token, password, origin }, context.now());
      return { message: 'Your new password is set. You can sign in with it now.' };
    },
  );
}

/** Completes a change of address (ADDRESS-1). */
function addressRoutes({ app, context }: ApiServer): void {
  app.post(
    '/api/user/auth/address/confirm',
    {
      config: { guard: publicRoute('the token of the mail is the proof') },
      schema: {
        tags: ['auth'],
        summary: 'Confirm a new email address with the token that was sent to it, which works once',
        body: Type.Object({ token: Token }),
        response: { 200: Confirmation },
      },
    },
    async (request) => {
      const { origin } = changedBy(request, null);
      await confirmAddressChange(context.db, { token: request.body.token, origin }, context.now());
      return { message: 'Your new email address counts from now on. You can sign in with it.' };
    },
  );
}

function toUserType(word: string): UserType {
  const type = fromApiUserType(word);
  if (type === undefined) throw invalid('user_type', 'user_type is not known.');
  return type;
}
