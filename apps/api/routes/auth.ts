import { invalid } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import { fromApiUserType, refreshTokens, signIn } from '@case-platform/modules/accounts';
import { Type } from 'typebox';
import { ApiUserTypeIn } from '../schemas.ts';
import type { ApiServer } from '../server.ts';

const TokenPair = Type.Object({
  access_token: Type.String(),
  refresh_token: Type.String(),
  expires_at: Type.String({ format: 'date-time', description: 'When the access token ends.' }),
  token_type: Type.Literal('Bearer'),
});

const TwoFactorRequired = Type.Object({
  tfa_required: Type.Literal(true),
  tfa_type: Type.Unsafe<'totp' | 'otp'>({ type: 'string', enum: ['totp', 'otp'] }),
  tfa_method: Type.Unsafe<'app' | 'email' | 'sms'>({ type: 'string', enum: ['app', 'email', 'sms'] }),
  tfa_token: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
});

/** Login and refresh (decisions, section 5). */
export function authRoutes({ app, context }: ApiServer): void {
  app.post(
    '/api/user/auth/login',
    {
      config: { guard: publicRoute('signing in') },
      schema: {
        tags: ['auth'],
        summary: 'Sign in with email address, user type and password',
        body: Type.Object({
          email_address: Type.String({ minLength: 3, maxLength: 254 }),
          user_type: ApiUserTypeIn,
          pass_hash: Type.String({
            minLength: 1,
            maxLength: 256,
            description: 'The password as typed; the name is historical.',
          }),
        }),
        response: { 200: Type.Union([TokenPair, TwoFactorRequired]) },
      },
    },
    async (request) => {
      const { email_address, pass_hash } = request.body;
      const user_type = fromApiUserType(request.body.user_type);
      if (user_type === undefined) throw invalid('user_type', 'user_type is not known.');
      return signIn(context.db, context.tokenKeys, { email_address, user_type, password: pass_hash });
    },
  );

  app.post(
    '/api/user/auth/refresh',
    {
      config: { guard: publicRoute('the refresh token is the proof') },
      schema: {
        tags: ['auth'],
        summary: 'A new access token; the refresh token comes back unchanged',
        body: Type.Object({ refresh_token: Type.String({ minLength: 1, maxLength: 4096 }) }),
        response: { 200: TokenPair },
      },
    },
    (request) => refreshTokens(context.db, context.tokenKeys, request.body.refresh_token),
  );
}
