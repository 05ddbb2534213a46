import { UnauthenticatedError } from '@case-platform/lib/errors';
import {
  beginTwoFactor,
  confirmTwoFactor,
  disableTwoFactor,
  findPendingTwoFactor,
  findTwoFactorMethod,
  getProfile,
  isFresh,
  type TwoFactorMethod,
} from '@case-platform/modules/accounts';
import { announceTwoFactorChange } from '@case-platform/modules/notifications';
import { USER_TYPES } from '@case-platform/words/user-types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readCode } from '../form/read-code.ts';
import { markRefused, refusalWhileSignedIn } from '../form/refusal.ts';
import { CodeText } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { Actor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { backupCodesPage, twoFactorPage } from './two-factor-page.ts';

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
      return sendPage(reply, await drawPage(server, request, guard.actor(request), { choosing }));
    },
  );

  // Also sends the code that turning the method off asks for.
  app.post(PAGE, { config, schema: { body: MethodForm } }, (request, reply) =>
    step(request, reply, async ({ user, session }) => {
      const { method } = request.body;
      const isOn = (await findTwoFactorMethod(context.db, user)) === method;
      if (!isOn && !isFresh(session.confirmed_at, now())) return reply.redirect(confirmPath(PAGE), 303);
      await beginTwoFactor(context, user, method, now());
      return reply.redirect(PAGE, 303);
    }),
  );

  app.post(`${PAGE}/confirm`, { config, schema: { body: CodeForm } }, (request, reply) =>
    step(request, reply, async (actor) => {
      const answer = readCode(request.body.code, 'app');
      const proof = { answer, origin: changedBy(request, actor).origin, now: now() };
      const on = await confirmTwoFactor(context, actor.user, proof, announceTwoFactorChange);
      if (on.method !== 'app') return reply.redirect('/account?done=two-factor-on', 303);
      // The codes stand in this answer and nowhere else.
      reply.header('cache-control', 'no-store');
      return sendPage(reply, backupCodesPage(await readFrame(context, request, actor), on.backup_codes));
    }),
  );

  app.post(`${PAGE}/off`, { config, schema: { body: CodeForm } }, (request, reply) =>
    step(request, reply, async (actor) => {
      const answer = readCode(request.body.code, 'app');
      const proof = { answer, origin: changedBy(request, actor).origin, now: now() };
      await disableTwoFactor(context, actor.user, proof, announceTwoFactorChange);
      return reply.redirect('/account?done=two-factor-off', 303);
    }),
  );

  /** Does a step, or shows the page as it stands with the reason why not. */
  async function step(
    request: FastifyRequest,
    reply: FastifyReply,
    act: (actor: Actor) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const actor = guard.actor(request);
    try {
      return await act(actor);
    } catch (error) {
      const refusal = refusalWhileSignedIn(error);
      const isOver = error instanceof UnauthenticatedError && error.code === 'challenge_ended';
      const problem = isOver ? 'This code has ended. Begin again to get a new one.' : refusal.words;
      const page = await drawPage(server, request, actor, { problem });
      return sendPage(markRefused(reply, refusal), page);
    }
  }
}

async function drawPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: Actor,
  { choosing = false, problem }: { choosing?: boolean; problem?: string },
): Promise<string> {
  const { db, now = () => new Date() } = context;
  const [profile, pending, frame] = await Promise.all([
    getProfile(db, actor.user.id),
    choosing ? null : findPendingTwoFactor(context, actor.user, now()),
    readFrame(context, request, actor),
  ]);
  const two_factor_method = profile.two_factor_method as TwoFactorMethod | null;
  return twoFactorPage(frame, { profile: { ...profile, two_factor_method }, pending, problem });
}
