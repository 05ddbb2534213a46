import { NotFoundError } from '@case-platform/lib/errors';
import { listCaseNames } from '@case-platform/modules/cases';
import {
  countUnread,
  findChain,
  listChains,
  listMessages,
  markViewed,
  replyToChain,
} from '@case-platform/modules/messaging';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readFrame } from '../frame.ts';
import { isInFlight, problemToMend } from '../problem-to-mend.ts';
import { readFormWithFiles, uploadedFiles } from '../read-form.ts';
import { Cursor, Id, IdempotencyKey, MessageText } from '../schemas.ts';
import { sendPage } from '../send-page.ts';
import { type ChainListQuery, chainListPage } from '../views/chain-list.ts';
import { chainPage, newerMessages } from '../views/chain-page.ts';
import { unreadBadge } from '../views/unread-badge.ts';
import type { StaffActor } from '../visitors.ts';

const MESSAGES_A_PAGE = 50;

const ChainId = Type.Object({ chain_id: Id });
const ListQuery = Type.Object({
  show: Type.Unsafe<'all' | 'unread'>({ type: 'string', enum: ['all', 'unread'], default: 'all' }),
  status: Type.Optional(Type.Unsafe<'open' | 'closed'>({ type: 'string', enum: ['open', 'closed'] })),
  q: Type.Optional(Type.String({ maxLength: 200 })),
  case_id: Type.Optional(Id),
  cursor: Type.Optional(Cursor),
});

/** The inbox and its chains (decisions, section 9). */
export function messageRoutes(server: AdminServer): void {
  readingRoutes(server);
  fragmentRoutes(server);
  writingRoutes(server);
}

function readingRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  const config = { guard };

  app.get('/messages', { config, schema: { querystring: ListQuery } }, async (request, reply) => {
    const actor = guard.actor(request);
    const query: ChainListQuery = request.query;
    const { show, ...filter } = query;
    const unread = show === 'unread' ? true : undefined;
    const { data, next_cursor } = await listChains(db, actor.user, { ...filter, unread });
    const caseIds = [...data.map((chain) => chain.case_id), query.case_id ?? null].filter((id) => id !== null);
    const caseNames = await listCaseNames(db, caseIds);
    const frame = await readFrame(context, request, actor);
    return sendPage(reply, chainListPage(frame, { chains: data, next_cursor, caseNames, query }));
  });

  app.get(
    '/messages/:chain_id',
    { config, schema: { params: ChainId, querystring: Type.Object({ cursor: Type.Optional(Cursor) }) } },
    async (request, reply) => {
      const { params, query } = request;
      return sendPage(reply, await drawChain(server, request, guard.actor(request), { ...params, ...query }));
    },
  );
}

/** What an open page asks for by itself. */
function fragmentRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const forStaff = guards.apiGuard({ user_types: ['admin'] });
  const forReaders = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });

  app.get('/messages/unread-badge', { config: { guard: forStaff } }, async (request, reply) => {
    const { unread_count } = await countUnread(db, forStaff.actor(request).user);
    return sendPage(reply, unreadBadge(unread_count));
  });

  app.get(
    '/messages/:chain_id/newer',
    { config: { guard: forReaders }, schema: { params: ChainId, querystring: Type.Object({ after: Id }) } },
    async (request, reply) => {
      const { user } = forReaders.actor(request);
      const chain = await findChain(db, user, request.params.chain_id);
      if (chain === null) throw new NotFoundError();
      const { after } = request.query;
      const [newest] = (await listMessages(context, user, chain.id, { limit: 1 })).data;
      const from = newest !== undefined && newest.id > after ? newest.from_name : undefined;
      return sendPage(reply, newerMessages(chain.id, after, from));
    },
  );

  app.post(
    '/messages/:chain_id/viewed',
    {
      config: { guard: forReaders },
      schema: { params: ChainId, body: Type.Object({ up_to_message_id: Type.String({ pattern: '^[0-9]{1,15}$' }) }) },
    },
    async (request, reply) => {
      const { chain_id } = request.params;
      await markViewed(db, forReaders.actor(request).user, chain_id, Number(request.body.up_to_message_id));
      if (request.headers['hx-request'] === undefined) return reply.redirect(`/messages/${chain_id}`, 303);
      return reply.code(204).header('hx-trigger', 'viewed').send();
    },
  );
}

function writingRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  const config = { guard };

  app.post(
    '/messages/:chain_id',
    {
      config,
      preValidation: readFormWithFiles({ csrfToken: (request) => guard.actor(request).session.csrf_token }),
      schema: { params: ChainId, body: Type.Object({ message: MessageText, idempotency_key: IdempotencyKey }) },
    },
    async (request, reply) => {
      const actor = guard.actor(request);
      const { chain_id } = request.params;
      const { message, idempotency_key: idempotencyKey } = request.body;
      await using upload = uploadedFiles(request);
      try {
        if (upload.problem !== undefined) throw upload.problem;
        const sent = await replyToChain(context, actor.user, chain_id, {
          message,
          files: upload.files,
          idempotencyKey,
        });
        return reply.redirect(`/messages/${chain_id}#message-${sent.message_id}`, 303);
      } catch (error) {
        if (isInFlight(error)) return reply.redirect(`/messages/${chain_id}`, 303);
        const { status, words } = problemToMend(error, upload);
        const failed = { text: message, problem: words };
        return sendPage(reply.code(status), await drawChain(server, request, actor, { chain_id, failed }));
      }
    },
  );
}

interface ChainToDraw {
  chain_id: number;
  cursor?: string | undefined;
  failed?: { text: string; problem: string } | undefined;
}

/** @throws {NotFoundError} for a chain that the reader does not see. */
async function drawChain({ context }: AdminServer, request: FastifyRequest, actor: StaffActor, wanted: ChainToDraw) {
  const { db } = context;
  const chain = await findChain(db, actor.user, wanted.chain_id);
  if (chain === null) throw new NotFoundError();
  const { cursor, failed } = wanted;
  const { data, next_cursor } = await listMessages(context, actor.user, chain.id, { limit: MESSAGES_A_PAGE, cursor });
  const names = await listCaseNames(db, chain.case_id === null ? [] : [chain.case_id]);
  const caseName = chain.case_id === null ? undefined : names.get(chain.case_id);
  const frame = await readFrame(context, request, actor);
  return chainPage(frame, { chain, messages: data, next_cursor, newest: cursor === undefined, caseName, failed });
}
