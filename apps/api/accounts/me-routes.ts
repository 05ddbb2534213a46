import {
  beginTwoFactor,
  changePassword,
  confirmTwoFactor,
  disableTwoFactor,
  findTwoFactorMethod,
  isNewPhone,
  listSignIns,
  requestOwnAddress,
  updateProfile,
} from '@case-platform/modules/accounts';
import { announceName } from '@case-platform/modules/cases';
import { EMAIL_MAX, PERSON_NAME_MAX, PHONE_FIELD_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { signedInAt } from '../guards/guards.ts';
import {
  CodeFields,
  fieldOf,
  IdentityFields,
  oneCode,
  requireIdentity,
  SixDigits,
  splitProof,
  withInputErrors,
} from '../guards/identity.ts';
import { Id, Time } from '../schemas.ts';
import { Confirmation, Password } from './account-schemas.ts';
import { Profile, profileOf } from './profile.ts';

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const Method = Type.Unsafe<'app' | 'email' | 'sms'>({ type: 'string', enum: ['app', 'email', 'sms'] });

export function meRoutes(server: ApiServer): void {
  profileRoutes(server);
  signInListRoutes(server);
  twoFactorRoutes(server);
}

function profileRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };
  const { db } = context;

  app.get(
    '/api/user/me',
    {
      config,
      schema: { tags: ['me'], summary: 'Get your profile, and what is missing from it', response: { 200: Profile } },
    },
    (request) => profileOf(context, guard.actor(request).id),
  );

  app.patch(
    '/api/user/me',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Change parts of your profile; a new phone number needs your password or a code',
        body: Type.Object({
          first_name: Type.Optional(Type.String({ maxLength: PERSON_NAME_MAX })),
          last_name: Type.Optional(Type.String({ maxLength: PERSON_NAME_MAX })),
          phone: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: PHONE_FIELD_MAX })),
          timezone: Type.Optional(Type.String({ maxLength: 64 })),
          ...IdentityFields,
        }),
        response: { 200: Profile },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const { proof, rest } = splitProof(request.body);
      if (await isNewPhone(db, user, rest)) await requireIdentity(context, request, user, proof);
      await updateProfile(context, rest, changedBy(request, user), announceName, context.now());
      return profileOf(context, user.id);
    },
  );

  app.post(
    '/api/user/me/password',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Change your password with the current one or a code; tokens stay valid until they expire',
        body: Type.Object({ ...IdentityFields, new_pass_hash: Password }),
        response: { 200: Confirmation },
      },
    },
    async (request) => {
      const { proof, rest } = splitProof(request.body);
      const user = guard.actor(request);
      const change = { proof, signedInAt: signedInAt(request), next: rest.new_pass_hash };
      const changing = changePassword(context, change, changedBy(request, user), context.now());
      await withInputErrors(fieldOf(proof), changing);
      return { message: 'Your password is changed.' };
    },
  );

  app.post(
    '/api/user/me/email',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Request another email address, which counts once its link is opened; needs your password or a code',
        body: Type.Object({ email_address: Type.String({ minLength: 3, maxLength: EMAIL_MAX }), ...IdentityFields }),
        response: { 202: Confirmation },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      const { proof, rest } = splitProof(request.body);
      await requireIdentity(context, request, user, proof);
      await requestOwnAddress(context, rest.email_address, changedBy(request, user), context, context.now());
      return reply.code(202).send({ message: 'If it can be used, a link is on its way to the new address.' });
    },
  );
}

function signInListRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  app.get(
    '/api/user/me/sign-ins',
    {
      config: { guard },
      schema: {
        tags: ['me'],
        summary: 'List your last sign-ins, newest first',
        response: {
          200: Type.Object({
            data: Type.Array(
              Type.Object({
                id: Id,
                layer: Type.String(),
                ip_address: NullableText,
                user_agent: Type.String(),
                signed_in_at: Time,
              }),
            ),
          }),
        },
      },
    },
    async (request) => ({ data: await listSignIns(context.db, guard.actor(request).id) }),
  );
}

function twoFactorRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };

  app.post(
    '/api/user/me/two-factor',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Begin to set up two-factor sign-in, or get the code to turn it off',
        body: Type.Object({ method: Method, ...IdentityFields }),
        response: {
          200: Type.Union([Type.Object({ secret: Type.String(), otpauth_url: Type.String() }), Confirmation]),
        },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const { proof, rest } = splitProof(request.body);
      // If this method is on, only its code is sent: the code is the proof of identity.
      const isOn = (await findTwoFactorMethod(context.db, user)) === rest.method;
      if (!isOn) await requireIdentity(context, request, user, proof);
      const setup = await beginTwoFactor(context, user, rest.method, context.now());
      return setup ?? { message: 'A code is on its way.' };
    },
  );

  app.post(
    '/api/user/me/two-factor/confirm',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Turn on the two-factor method that you began to set up',
        body: Type.Object({ code: SixDigits }),
        response: {
          200: Type.Object({
            enabled: Type.Literal(true),
            method: Method,
            backup_codes: Type.Array(Type.String(), { description: 'Shown once; each works once.' }),
          }),
        },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const answer = { code: request.body.code };
      const confirming = confirmTwoFactor(context, answer, changedBy(request, user), context.now());
      const on = await withInputErrors('code', confirming);
      return { enabled: true as const, ...on };
    },
  );

  app.delete(
    '/api/user/me/two-factor',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Turn two-factor sign-in off with a code or a backup code',
        body: Type.Object(CodeFields, { minProperties: 1 }),
        response: { 200: Type.Object({ enabled: Type.Literal(false) }) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const answer = oneCode(request.body);
      const disabling = disableTwoFactor(context, answer, changedBy(request, user), context.now());
      await withInputErrors(fieldOf(answer), disabling);
      return { enabled: false as const };
    },
  );
}
