import { normalizeEmail } from '@case-platform/lib/text/email-address';
import { findUser, findUserByPair, type UserRecord } from '@case-platform/modules/accounts';
import { EMAIL_MAX } from '@case-platform/words/limits';
import { USER_TYPES, type UserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { accessPage } from './access-page.ts';
import { explainAccess } from './explain-access.ts';

const Query = Type.Object({
  email: Type.Optional(Type.String({ maxLength: EMAIL_MAX })),
  /** For those who may not look for people by their address. */
  user_id: Type.Optional(Id),
  user_type: Type.Optional(Type.Unsafe<UserType>({ type: 'string', enum: [...USER_TYPES] })),
  case_id: Type.Optional(Id),
  action: Type.Optional(Type.String({ maxLength: 300 })),
});

interface Asked {
  email?: string;
  user_id?: number;
  user_type: UserType;
  byAddress: boolean;
}

/** Explains whether a person may do an action on a case, with the guards' own function. */
export function accessRoutes({ app, context, guards }: AdminServer): void {
  const reading = guards.pageGuard({
    user_types: ['admin'],
    perm_check: ['manage_roles', 'view_users'],
    closed: 'access',
  });

  app.get('/access', { config: { guard: reading }, schema: { querystring: Query } }, async (request, reply) => {
    const actor = reading.actor(request);
    const frame = await readFrame(context, request, actor);
    const { query } = request;
    const { user_type = 'admin', case_id } = query;
    const byAddress = maySeeContacts(actor);
    const actions = app.guardedRoutes.filter(({ guard }) => guards.ruleOf(guard) !== undefined);
    const action = actions.find(({ method, url }) => `${method} ${url}` === query.action);
    const rule = guards.ruleOf(action?.guard ?? '');
    const person = await findPerson({ ...query, user_type, byAddress });
    const needsCase = rule?.options.case_id !== undefined && case_id === undefined;
    const explanation =
      person === null || rule === undefined || needsCase
        ? null
        : await explainAccess(context, rule, { user_id: person.id, case_id });
    const names = actions.map(({ method, url }) => `${method} ${url}`).sort();
    return sendPage(
      reply,
      accessPage(frame, { query: { ...query, user_type }, byAddress, actions: names, person, needsCase, explanation }),
    );
  });

  /** People who may not see addresses cannot find anyone by one. */
  async function findPerson({ email, user_id, user_type, byAddress }: Asked): Promise<UserRecord | null> {
    if (!byAddress) return user_id === undefined ? null : findUser(context.db, user_id);
    if (email === undefined) return null;
    return findUserByPair(context.db, { email_address: normalizeEmail(email), user_type });
  }
}
