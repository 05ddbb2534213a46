import { NotFoundError } from '@case-platform/lib/errors';
import {
  findAgency,
  issueAgencyKey,
  listAgencies,
  listAgencyKeys,
  listAgencyPeople,
  revokeAgencyKey,
} from '@case-platform/modules/accounts';
import { listEventsOfAgency } from '@case-platform/modules/cases';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { agencyListPage } from './agency-list.ts';
import { type AgencyView, agencyPage } from './agency-page.ts';

const AgencyId = Type.Object({ agency_id: Id });
const KeyId = Type.Object({ agency_id: Id, key_id: Id });
const ListQuery = Type.Object({ after: Type.Optional(Id) });
const DONE = new Map([
  ['revoked', 'The key is revoked. Calls with it are refused from now on.'],
  ['created', 'The agency is added. Its systems reach us as soon as they have a key.'],
  ['renamed', 'The agency has its new name.'],
]);

/** Agencies and the keys of their systems (specification, 'JSON API' 4). */
export function agencyRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const reading = guards.pageGuard({
    user_types: ['admin'],
    // Who may change agencies may read them, whatever else becomes part of the category.
    category_check: 'Agencies',
    // Somebody else who follows a link to an agency is at home elsewhere, and reads there where.
    redirect_to: '/',
  });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_agencies' });

  app.get('/agencies', { config: { guard: reading }, schema: { querystring: ListQuery } }, async (request, reply) => {
    return sendPage(reply, await drawAgencies(server, request, reading.actor(request), request.query));
  });

  app.get(
    '/agencies/:agency_id',
    {
      config: { guard: reading },
      schema: { params: AgencyId, querystring: Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) }) },
    },
    async (request, reply) => {
      const done = DONE.get(request.query.done ?? '');
      return sendPage(reply, await drawAgency(server, request, reading.actor(request), { ...request.params, done }));
    },
  );

  // The key stands in this answer and nowhere else: no redirect, nothing that a cache or a log keeps.
  app.post(
    '/agencies/:agency_id/keys',
    { config: { guard: editing }, schema: { params: AgencyId } },
    async (request, reply) => {
      const { agency_id } = request.params;
      const actor = editing.actor(request);
      reply.header('cache-control', 'no-store');
      try {
        const issued = await issueAgencyKey(db, agency_id, changedBy(request, actor));
        return sendPage(reply, await drawAgency(server, request, actor, { agency_id, issued }));
      } catch (error) {
        const refusal = refusalOf(error);
        const page = await drawAgency(server, request, actor, { agency_id, problem: refusal.words });
        return sendPage(markRefused(reply, refusal), page);
      }
    },
  );

  app.post(
    '/agencies/:agency_id/keys/:key_id/revoke',
    { config: { guard: editing }, schema: { params: KeyId } },
    async (request, reply) => {
      const { agency_id, key_id } = request.params;
      await revokeAgencyKey(db, agency_id, key_id, changedBy(request, editing.actor(request)));
      return reply.redirect(`/agencies/${agency_id}?done=revoked`, 303);
    },
  );
}

/** The list, after the one with the id `after`; `failed` is what could not be added, and why. */
export async function drawAgencies(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { after, failed }: { after?: number; failed?: { name: string; problem: string } },
): Promise<string> {
  const [frame, page] = await Promise.all([
    readFrame(context, request, actor),
    listAgencies(context.db, after === undefined ? {} : { after }),
  ]);
  return agencyListPage(frame, { ...page, after, failed });
}

type AgencyToDraw = { agency_id: number } & Pick<AgencyView, 'issued' | 'done' | 'problem'>;

/** @throws {NotFoundError} for an agency that does not exist. */
export async function drawAgency(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { agency_id, ...said }: AgencyToDraw,
): Promise<string> {
  const { db } = context;
  const agency = await findAgency(db, agency_id);
  if (agency === null) throw new NotFoundError();
  const [keys, people, events, frame] = await Promise.all([
    listAgencyKeys(db, agency_id),
    listAgencyPeople(db, agency_id),
    actor.admin.can('view_agencies') ? listEventsOfAgency(db, actor.user, agency_id) : [],
    readFrame(context, request, actor),
  ]);
  return agencyPage(frame, { agency, keys, people, events, ...said });
}
