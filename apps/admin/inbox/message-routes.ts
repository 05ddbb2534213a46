import { ConflictError } from '@case-platform/lib/errors';
import { untilClientLeaves } from '@case-platform/lib/http/until-client-leaves';
import {
  countUnread,
  findCrossingReply,
  findSearchProblem,
  getChain,
  markViewed,
  replyToChain,
} from '@case-platform/modules/messaging';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { ATTACHMENTS_BODY_MAX_BYTES } from '../form/read-form.ts';
import { Cursor, Id, IdempotencyKey, MessageText } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { sendPage } from '../page/send-page.ts';
import { unreadBadge } from '../page/unread-badge.ts';
import type { ComposeMode } from './composer.ts';
import { FOR_READERS, readChainPage } from './read-chain-page.ts';
import { readInboxPage } from './read-inbox-page.ts';

const oneOf = <const Words extends string[]>(...words: Words) => Type.Unsafe<Words[number]>({ type: 'string', enum: words });
const ChainId = Type.Object({ chain_id: Id });
const MessageId = Type.String({ pattern: '^(0|[1-9][0-9]{0,14})$' });
const ListQuery = Type.Object({
  show: Type.Unsafe<'all' | 'unread'>({ type: 'string', enum: ['all', 'unread'], default: 'all' }),
  status: Type.Optional(oneOf('open', 'closed')),
  assigned: Type.Optional(oneOf('me', 'nobody')),
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
  case_id: Type.Optional(Id),
  cursor: Type.Optional(Cursor),
  done: Type.Optional(Type.String({ maxLength: 40 })),
});
const ChainQuery = Type.Object({
  cursor: Type.Optional(Cursor),
  write: Type.Optional(oneOf('reply', 'note') as ReturnType<typeof Type.Unsafe<ComposeMode>>),
});
const ReplyForm = Type.Object({
  message: MessageText,
  idempotency_key: IdempotencyKey,
  seen_message_id: Type.Optional(MessageId),
});

/** The inbox and its conversations (CHAIN-2, INBOX-1). */
export function messageRoutes(server: AdminServer): void {
  readingRoutes(server);
  markRoutes(server);
  replyRoute(server);
}

function readingRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const reading = guards.pageGuard(FOR_READERS);
  const config = { guard: reading };

  app.get('/messages', { config, schema: { querystring: ListQuery } }, async (request, reply) => {
    const actor = reading.actor(request);
    if (findSearchProblem(request.query.q) !== undefined) reply.code(422);
    return sendPage(reply, await readInboxPage(server, request, actor, request.query));
  });

  app.get('/messages/:chain_id', { config, schema: { params: ChainId, querystring: ChainQuery } }, async (request, reply) => {
    const actor = reading.actor(request);
    const { chain_id } = request.params;
    const { cursor, write: mode } = request.query;
    return sendPage(reply, await readChainPage(server, request, actor, { chain_id, cursor, mode }));
  });
}

/** Unread and viewed marks, also for the requests that an open page makes by itself. */
function markRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const forReaders = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });

  app.get('/messages/unread-badge', { config: { guard: forReaders } }, async (request, reply) => {
    const { unread_count } = await countUnread(db, forReaders.actor(request).user);
    return sendPage(reply, unreadBadge(unread_count));
  });

  app.post(
    '/messages/:chain_id/viewed',
    {
      config: { guard: forReaders },
      schema: { params: ChainId, body: Type.Object({ up_to_message_id: MessageId }) },
    },
    async (request, reply) => {
      const { chain_id } = request.params;
      await markViewed(db, forReaders.actor(request).user, chain_id, Number(request.body.up_to_message_id));
      if (request.headers['hx-request'] === undefined) return reply.redirect(`/messages/${chain_id}`, 303);
      return reply.code(204).header('hx-trigger', 'viewed').send();
    },
  );
}

function replyRoute(server: AdminServer): void {
  const { context, guards } = server;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });

  const page: FormPage<Static<typeof ChainId>> = {
    path: ({ chain_id }) => `/messages/${chain_id}`,
    readRefused: ({ request, actor, params: { chain_id } }, refused) =>
      readChainPage(server, request, actor, { chain_id, refused }),
  };
  formRoute(server, page, '/messages/:chain_id', {
    guard,
    mails: { new_message: 'new-message' },
    params: ChainId,
    body: ReplyForm,
    files: { bodyLimit: ATTACHMENTS_BODY_MAX_BYTES },
    run: async ({ reply, actor, params: { chain_id }, body, files }) => {
      const { message, idempotency_key: idempotencyKey, seen_message_id } = body;
      await context.callLimits.count('messages', String(actor.user.id));
      if (seen_message_id !== undefined)
        await requireNoCrossingReply(server, actor, chain_id, { seen: Number(seen_message_id), idempotencyKey });
      const signal = untilClientLeaves(reply.raw);
      return replyToChain(context, actor.user, chain_id, { message, files, idempotencyKey, signal });
    },
    next: ({ message_id }, { params: { chain_id } }) => `/messages/${chain_id}#message-${message_id}`,
    whileInFlight: page.path,
  });
}

/**
 * Returns a reply to its writer once if a colleague replied meanwhile, so that people do not get two answers by accident. A
 * repeated request was already sent, so its writer goes to the message instead of reading that it was not sent. It takes no lock,
 * so two replies in the same instant are both sent.
 * @throws {ConflictError} when another admin has replied after what the writer had seen.
 * @throws {NotFoundError} for a chain that the writer does not see.
 */
async function requireNoCrossingReply(
  { context: { db } }: AdminServer,
  { user }: StaffActor,
  chainId: number,
  writing: { seen: number; idempotencyKey: string | undefined },
): Promise<void> {
  await getChain(db, user, chainId);
  const crossing = await findCrossingReply(db, user, chainId, writing);
  if (crossing === undefined) return;
  const words = `${crossing.from_name} replied while you were writing. Read that first. Your reply is saved below and hasn’t been sent.`;
  throw new ConflictError(words, 'answered_meanwhile');
}
