import type { Html } from '@case-platform/lib/html';
import {
  beginTwoFactor,
  confirmTwoFactor,
  disableTwoFactor,
  findPendingTwoFactor,
  findTwoFactorMethod,
  getProfile,
  isRecentProof,
  type TwoFactorMethod,
} from '@case-platform/modules/accounts';
import { USER_TYPES } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { parseCode } from '../form/parse-code.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { CodeText } from '../form/schemas.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { Actor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { backupCodesPage, twoFactorPage } from './two-factor-page.ts';
import { asWrongField } from './wrong-proof.ts';

const MethodForm = Type.Object({
  method: Type.Unsafe<TwoFactorMethod>({ type: 'string', enum: ['app', 'email', 'sms'] }),
});
const CodeForm = Type.Object({ code: CodeText });
const PAGE = '/account/two-factor';

/** Turning two-factor on and off, for every type of user. */
export function twoFactorRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { now } = context;
  const guard = guards.pageGuard({ user_types: USER_TYPES });
  const config = { guard };

  app.get(
    PAGE,
    { config, schema: { querystring: Type.Object({ choose: Type.Optional(Type.String({ maxLength: 1 })) }) } },
    async (request, reply) => {
      const choosing = request.query.choose !== undefined;
      return sendPage(reply, await readTwoFactorPage(server, request, guard.actor(request), { choosing }));
    },
  );

  const page: FormPage<unknown, unknown, Actor> = {
    path: () => PAGE,
    readRefused: ({ request, actor }, refused) => readTwoFactorPage(server, request, actor, { refused }),
  };

  // Also sends the code that is needed to turn the method off.
  formRoute(server, page, PAGE, {
    guard,
    mails: { two_factor_code: 'sign-in-code' },
    body: MethodForm,
    run: async ({ actor: { user, session }, body: { method } }) => {
      const isOn = (await findTwoFactorMethod(context.db, user)) === method;
      if (!isOn && !isRecentProof(session.confirmed_at, now())) return confirmPath(PAGE);
      await beginTwoFactor(context, user, method, now());
      return PAGE;
    },
    next: (path) => path,
  });

  formRoute(server, page, `${PAGE}/confirm`, {
    guard,
    mails: { two_factor_changed: 'two-factor-changed' },
    body: CodeForm,
    run: ({ body: { code }, by }) => asWrongField('code', () => confirmTwoFactor(context, parseCode(code, 'app'), by, now())),
    next: async (on, { request, reply, actor }) => {
      if (on.method !== 'app') return '/account?done=two-factor-on';
      // Only this answer contains the codes, and no cache may store it.
      reply.header('cache-control', 'no-store');
      return sendPage(reply, backupCodesPage(await readFrame(context, request, actor), on.backup_codes));
    },
  });

  formRoute(server, page, `${PAGE}/off`, {
    guard,
    mails: { two_factor_changed: 'two-factor-changed' },
    body: CodeForm,
    run: ({ body: { code }, by }) => asWrongField('code', () => disableTwoFactor(context, parseCode(code, 'app'), by, now())),
    next: () => '/account?done=two-factor-off',
  });
}

async function readTwoFactorPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: Actor,
  { choosing = false, refused }: { choosing?: boolean; refused?: RefusedForm },
): Promise<Html> {
  const { db, now } = context;
  const [profile, pending, frame] = await Promise.all([
    getProfile(db, actor.user.id),
    choosing ? null : findPendingTwoFactor(context, actor.user, now()),
    readFrame(context, request, actor),
  ]);
  const two_factor_method = profile.two_factor_method as TwoFactorMethod | null;
  return twoFactorPage(frame, { profile: { ...profile, two_factor_method }, pending, refused });
}
