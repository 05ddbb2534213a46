import { displayName, findUser, listStaff, listUsers, type UserRecord, type UserSummary } from '@case-platform/modules/accounts';
import { findCaseOutline, listCases } from '@case-platform/modules/cases';
import { CASE_NAME_MAX, SEARCH_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { accessPage } from './access-page.ts';
import { explainAccess } from './explain-access.ts';

/** A person or a case is named by its number or by words. */
const Query = Type.Object({
  person: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
  action: Type.Optional(Type.String({ maxLength: 300 })),
  case: Type.Optional(Type.String({ maxLength: CASE_NAME_MAX })),
});

const SUGGESTED_CASES = 50;
const MATCHES_SHOWN = 8;

/** Explains whether a person may do an action on a case, with the guards' own function. */
export function accessRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const reading = guards.pageGuard({
    user_types: ['admin'],
    perm_check: ['manage_roles', 'view_users'],
    closed: 'access',
  });

  app.get('/access', { config: { guard: reading }, schema: { querystring: Query } }, async (request, reply) => {
    const actor = reading.actor(request);
    const { query } = request;
    const action = app.guardedRoutes.find(({ method, url }) => `${method} ${url}` === query.action);
    const rule = guards.ruleOf(action?.guard ?? '');
    const [frame, staff, cases, search, onCase] = await Promise.all([
      readFrame(context, request, actor),
      listStaff(db),
      listCases(db, actor.user, { limit: SUGGESTED_CASES }),
      findPeople(actor, query.person),
      findCases(actor, query.case),
    ]);
    const { person, people } = search;
    const { case_id } = onCase;
    const needsCase = rule?.options.case_id !== undefined && case_id === undefined;
    const explanation =
      person === null || rule === undefined || needsCase ? null : await explainAccess(context, rule, { person, case_id });
    const view = {
      query: {
        ...query,
        ...(person === null ? {} : { person: displayName(person) }),
        ...(onCase.name === '' ? {} : { case: onCase.name }),
      },
      staff: staff.map(({ name }) => name),
      cases: cases.data.map(({ name }) => name),
    };
    return sendPage(reply, accessPage(frame, { ...view, person, people, matchingCases: onCase.cases, needsCase, explanation }));
  });

  /** Finds one person, or those who match. Addresses find no one for readers who may not see them (SHOWN-3). */
  async function findPeople(
    actor: StaffActor,
    text: string | undefined,
  ): Promise<{ person: UserRecord | null; people: UserSummary[] }> {
    if (text === undefined) return { person: null, people: [] };
    if (isNumber(text)) return { person: await findUser(db, Number(text)), people: [] };
    const { data } = await listUsers(db, { q: text, byAddress: maySeeContacts(actor), limit: MATCHES_SHOWN });
    const only = onlyMatch(data, text, displayName);
    return only === undefined ? { person: null, people: data } : { person: await findUser(db, only.id), people: [] };
  }

  /** Finds one case, or those that match. Any admin may know that a case exists (SHOWN-2), but only finds those they see. */
  async function findCases(actor: StaffActor, text: string | undefined) {
    if (text === undefined) return { case_id: undefined, name: '', cases: [] };
    if (isNumber(text)) {
      const outline = await findCaseOutline(db, Number(text));
      return { case_id: outline?.id, name: outline?.name ?? '', cases: [] };
    }
    const { data } = await listCases(db, actor.user, { q: text, limit: MATCHES_SHOWN });
    const only = onlyMatch(data, text, ({ name }) => name);
    return { case_id: only?.id, name: only?.name ?? '', cases: data };
  }
}

function isNumber(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text.trim());
}

/** The only match, or the only one that is called exactly this. */
function onlyMatch<Row>(rows: readonly Row[], text: string, nameOf: (row: Row) => string): Row | undefined {
  const exact = rows.filter((row) => nameOf(row).toLowerCase() === text.trim().toLowerCase());
  if (exact.length === 1) return exact[0];
  return rows.length === 1 ? rows[0] : undefined;
}
