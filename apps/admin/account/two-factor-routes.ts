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
import { answerForm, type RefusedForm } from '../form/answer-form.ts';
import { readCode } from '../form/read-code.ts';
import { CodeText } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
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
  const { now = () => new Date() } = context;
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

  // Also sends the code that is needed to turn the method off.
  app.post(PAGE, { config, schema: { body: MethodForm } }, (request, reply) => {
    const actor = guard.actor(request);
    const { method } = request.body;
    return answerForm(request, reply, {
      run: async () => {
        const isOn = (await findTwoFactorMethod(context.db, actor.user)) === method;
        if (!isOn && !isRecentProof(actor.session.confirmed_at, now())) return confirmPath(PAGE);
        await beginTwoFactor(context, actor.user, method, now());
        return PAGE;
      },
      again: (refused) => readTwoFactorPage(server, request, actor, { refused }),
    });
  });

  app.post(`${PAGE}/confirm`, { config, schema: { body: CodeForm } }, (request, reply) => {
    const actor = guard.actor(request);
    return answerForm(request, reply, {
      run: async () => {
        const answer = readCode(request.body.code, 'app');
        const on = await asWrongField('code', () => confirmTwoFactor(context, answer, changedBy(request, actor), now()));
        if (on.method !== 'app') return '/account?done=two-factor-on';
        // The codes are in this answer and nowhere else.
        reply.header('cache-control', 'no-store');
        return sendPage(reply, backupCodesPage(await readFrame(context, request, actor), on.backup_codes));
      },
      again: (refused) => readTwoFactorPage(server, request, actor, { refused }),
    });
  });

  app.post(`${PAGE}/off`, { config, schema: { body: CodeForm } }, (request, reply) => {
    const actor = guard.actor(request);
    return answerForm(request, reply, {
      run: async () => {
        const answer = readCode(request.body.code, 'app');
        await asWrongField('code', () => disableTwoFactor(context, answer, changedBy(request, actor), now()));
        return '/account?done=two-factor-off';
      },
      again: (refused) => readTwoFactorPage(server, request, actor, { refused }),
    });
  });
}

async function readTwoFactorPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: Actor,
  { choosing = false, refused }: { choosing?: boolean; refused?: RefusedForm },
): Promise<Html> {
  const { db, now = () => new Date() } = context;
  const [profile, pending, frame] = await Promise.all([
    getProfile(db, actor.user.id),
    choosing ? null : findPendingTwoFactor(context, actor.user, now()),
    readFrame(context, request, actor),
  ]);
  const two_factor_method = profile.two_factor_method as TwoFactorMethod | null;
  return twoFactorPage(frame, { profile: { ...profile, two_factor_method }, pending, refused });
}
