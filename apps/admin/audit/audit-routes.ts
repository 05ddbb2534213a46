import type { Executor } from '@case-platform/lib/database';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { normalizeEmail } from '@case-platform/lib/text/email-address';
import { type AuditFilter, findActorIds, findAuditEntry, listAudit, listAuditActions } from '@case-platform/modules/audit';
import { startOfDay } from '@case-platform/words/days';
import { EMAIL_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { type AuditQuery, auditListPage } from './audit-list.ts';
import { auditPage } from './audit-page.ts';
import { hideByRole } from './hide-by-role.ts';
import { hideDrafts } from './hide-drafts.ts';

const DAY_MS = 86_400_000;
const Day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' });
const ListQuery = Type.Object({
  who: Type.Optional(Type.String({ maxLength: EMAIL_MAX })),
  action: Type.Optional(Type.String({ maxLength: 64, pattern: '^[a-z_]+\\.[a-z_]+$' })),
  kind: Type.Optional(Type.String({ maxLength: 64, pattern: '^[a-z_]+$' })),
  subject_id: Type.Optional(Id),
  case_id: Type.Optional(Id),
  visit: Type.Optional(Type.String({ format: 'uuid' })),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  before: Type.Optional(Id),
});

/** The audit log. Its pages open to every admin (SHOWN-1), its entries to those with `view_audit_log` (AUDIT-1). */
export function auditRoutes({ app, context, guards }: AdminServer): void {
  const { db, readLagging } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_audit_log', closed: 'audit' });
  const config = { guard: reading };

  app.get('/audit', { config, schema: { querystring: ListQuery } }, async (request, reply) => {
    const actor = reading.actor(request);
    const frame = await readFrame(context, request, actor);
    // Looking for somebody's changes by their address would tell whose it is.
    const { who, ...others } = request.query;
    const query = maySeeContacts(actor) ? request.query : others;
    const [{ data, next_before }, actions] = await Promise.all([
      readLagging(async (replica) => listAudit(replica, await filterOf(replica, query, frame.clock.zone))),
      readLagging(listAuditActions),
    ]);
    // The primary knows which requests are drafts now.
    const entries = hideByRole(actor, await hideDrafts(db, actor.user, data));
    return sendPage(reply, auditListPage(frame, { entries, next_before, actions, query }));
  });

  app.get('/audit/:entry_id', { config, schema: { params: Type.Object({ entry_id: Id }) } }, async (request, reply) => {
    const actor = reading.actor(request);
    const frame = await readFrame(context, request, actor);
    const entry = await readLagging(async (replica) => {
      const record = await findAuditEntry(replica, request.params.entry_id);
      if (record === null) throw new NotFoundError();
      return record;
    });
    const [record = entry] = hideByRole(actor, await hideDrafts(db, actor.user, [entry]));
    return sendPage(reply, auditPage(frame, record));
  });

  async function filterOf(replica: Executor, { who, kind, from, to, ...query }: AuditQuery, zone: string): Promise<AuditFilter> {
    return {
      ...query,
      subject_type: kind,
      actor_ids: who === undefined ? undefined : await findActorIds(replica, normalizeEmail(who)),
      from: from === undefined ? undefined : dayStart('from', from, zone),
      until: to === undefined ? undefined : dayEnd(to, zone),
    };
  }
}

/** @throws {InvalidInputError} for a day that is in no calendar. */
function dayStart(field: string, day: string, zone: string): Date {
  const start = startOfDay(day, zone);
  if (start === undefined) throw invalid(field, 'This date doesn’t exist.');
  return start;
}

function dayEnd(day: string, zone: string): Date {
  dayStart('to', day, zone);
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return startOfDay(next, zone) ?? new Date(`${day}T23:59:59Z`);
}
