import type { Html } from '@case-platform/lib/html';
import {
  changePassword,
  closeSessionsOf,
  getProfile,
  listOpenSessions,
  listSignIns,
  type TwoFactorMethod,
} from '@case-platform/modules/accounts';
import { USER_TYPES } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Done } from '../form/schemas.ts';
import type { Actor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { accountPage } from './account-page.ts';
import { asWrongField } from './wrong-proof.ts';

const PasswordForm = Type.Object({
  current_password: Type.String({ maxLength: 4000 }),
  new_password: Type.String({ maxLength: 4000 }),
});

const DONE = new Map([
  ['password', 'Your password was changed. You were signed out of the staff application everywhere else.'],
  ['two-factor-on', 'Two-factor sign-in is on. From now on, we’ll ask for a code after your password.'],
  ['two-factor-off', 'Two-factor sign-in is off. You now sign in with your password alone.'],
  ['sessions', 'You were signed out everywhere else.'],
]);

/** One's own account, for every type of user: a change here needs no admin context. */
export function accountRoutes(server: AdminServer): void {
  const { app, context, guards, visitors } = server;
  const { db, now } = context;
  const guard = guards.pageGuard({ user_types: USER_TYPES });
  const config = { guard };

  app.get('/account', { config, schema: { querystring: Type.Object({ done: Done }) } }, async (request, reply) =>
    sendPage(reply, await readAccountPage(server, request, guard.actor(request), request.query)),
  );

  const page: FormPage<unknown, unknown, Actor> = {
    path: () => '/account',
    readRefused: ({ request, actor }, refused) => readAccountPage(server, request, actor, { refused }),
    names: { new_pass_hash: 'new_password' },
  };
  formRoute(server, page, '/account/password', {
    guard,
    mails: { password_changed: 'password-changed' },
    body: PasswordForm,
    done: 'password',
    run: ({ request, actor: { session }, body: { current_password: current, new_password: next }, by }) => {
      const keepSession = visitors.sessionId(request);
      const { signed_in_at: signedInAt } = session;
      const change = { proof: { pass_hash: current }, signedInAt, next, keepSession };
      return asWrongField('current_password', () => changePassword(context, change, by, now()));
    },
  });

  app.post('/account/sessions/close-others', { config }, async (request, reply) => {
    await closeSessionsOf(db, guard.actor(request).user.id, visitors.sessionId(request));
    return reply.redirect('/account?done=sessions', 303);
  });
}

async function readAccountPage(
  { context, visitors }: AdminServer,
  request: FastifyRequest,
  actor: Actor,
  { done, refused }: { done?: string | undefined; refused?: RefusedForm },
): Promise<Html> {
  const { db, config, now } = context;
  const { id } = actor.user;
  const [profile, sessions, signIns, frame] = await Promise.all([
    getProfile(db, id),
    listOpenSessions(
      db,
      id,
      {
        currentId: visitors.sessionId(request),
        idleSeconds: config.sessionIdleTtl,
      },
      now(),
    ),
    listSignIns(db, id),
    readFrame(context, request, actor),
  ]);
  const two_factor_method = profile.two_factor_method as TwoFactorMethod | null;
  return accountPage(frame, {
    profile: { ...profile, two_factor_method },
    sessions,
    signIns,
    done: DONE.get(done ?? ''),
    refused,
  });
}
