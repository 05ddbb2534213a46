import { findUserByPair, normalizeEmail } from '@case-platform/modules/accounts';
import { EMAIL_MAX } from '@case-platform/words/limits';
import { USER_TYPES, type UserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';
import { closedPage } from '../page/closed-page.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { accessPage } from './access-page.ts';
import { explainAccess } from './explain-access.ts';

const Query = Type.Object({
  email: Type.Optional(Type.String({ maxLength: EMAIL_MAX })),
  user_type: Type.Optional(Type.Unsafe<UserType>({ type: 'string', enum: [...USER_TYPES] })),
  case_id: Type.Optional(Id),
  action: Type.Optional(Type.String({ maxLength: 300 })),
});

/** Who may do what, and why: for a person, a case and an action, decided by the guards' own function. */
export function accessRoutes({ app, context, guards }: AdminServer): void {
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: ['manage_roles', 'view_users'] });

  app.get('/access', { config: { guard: reading }, schema: { querystring: Query } }, async (request, reply) => {
    const actor = reading.actor(request);
    const frame = await readFrame(context, request, actor);
    if (!reading.holds(request)) return sendPage(reply, closedPage(frame, 'access'));
    const { query } = request;
    const { email, user_type = 'admin', case_id } = query;
    const actions = app.guardedRoutes.filter(({ guard }) => guards.ruleOf(guard) !== undefined);
    const asked = actions.find(({ method, url }) => `${method} ${url}` === query.action);
    const rule = guards.ruleOf(asked?.guard ?? '');
    const person =
      email === undefined
        ? null
        : await findUserByPair(context.db, { email_address: normalizeEmail(email), user_type });
    const needsCase = rule?.options.case_id !== undefined && case_id === undefined;
    const explanation =
      person === null || rule === undefined || needsCase
        ? null
        : await explainAccess(context, rule, { user_id: person.id, case_id });
    const names = actions.map(({ method, url }) => `${method} ${url}`).sort();
    return sendPage(
      reply,
      accessPage(frame, { query: { ...query, user_type }, actions: names, person, needsCase, explanation }),
    );
  });
}
