import { NotFoundError } from '@case-platform/lib/errors';
import { untilClientLeaves } from '@case-platform/lib/http/until-client-leaves';
import {
  countUnread,
  findChain,
  getMessage,
  listChains,
  listMessages,
  listRecipients,
  markViewed,
  replyToChain,
  startChain,
} from '@case-platform/modules/messaging';
import { MESSAGE_BODY_MAX_BYTES, SEARCH_MAX } from '@case-platform/words/limits';
import { toApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { Id, IdempotencyHeaders, PageQuery, Person, pageOf } from '../schemas.ts';
import { readMessageForm } from './message-form.ts';
import {
  ChainId,
  ChainOut,
  ChainStatus,
  MessageOut,
  ReplyForm,
  StartForm,
  toChainOut,
  toMessageOut,
} from './message-schemas.ts';

/** Chains and messages (decisions, section 6). */
export function messageRoutes(server: ApiServer): void {
  readingRoutes(server);
  sendingRoutes(server);
}

function readingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_messages'] });
  const config = { guard };
  const { db } = context;

  app.get(
    '/api/messages',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'The chains that the caller sees, newest activity first',
        querystring: Type.Object({
          case_id: Type.Optional(Id),
          unread: Type.Optional(Type.Boolean()),
          q: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
          status: Type.Optional(ChainStatus),
          ...PageQuery,
        }),
        response: { 200: pageOf(ChainOut) },
      },
    },
    async (request) => {
      const page = await listChains(db, guard.actor(request), request.query);
      return { data: page.data.map(toChainOut), next_cursor: page.next_cursor };
    },
  );

  app.get(
    '/api/messages/unread/count',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'How much waits for the caller',
        response: { 200: Type.Object({ unread_count: Type.Integer(), unread_chains: Type.Integer() }) },
      },
    },
    (request) => countUnread(db, guard.actor(request)),
  );

  app.get(
    '/api/messages/recipients',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'The people of a case whom the caller may write to',
        querystring: Type.Object({ case_id: Id }),
        response: { 200: Type.Object({ data: Type.Array(Person) }) },
      },
    },
    async (request) => {
      const people = await listRecipients(db, guard.actor(request), request.query.case_id);
      return { data: people.map((person) => ({ ...person, user_type: toApiUserType(person.user_type) })) };
    },
  );

  app.get(
    '/api/messages/:chain_id',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'A chain with its messages, newest first; reading changes nothing',
        params: ChainId,
        querystring: Type.Object(PageQuery),
        response: { 200: Type.Object({ chain: ChainOut, messages: pageOf(MessageOut) }) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const chain = await findChain(db, user, request.params.chain_id);
      if (chain === null) throw new NotFoundError();
      const { data, next_cursor } = await listMessages(context, user, chain.id, request.query);
      return { chain: toChainOut(chain), messages: { data: data.map(toMessageOut), next_cursor } };
    },
  );
}

function sendingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_messages'] });
  const config = { guard };
  const { db, calls } = context;

  app.post(
    '/api/messages',
    {
      config,
      bodyLimit: MESSAGE_BODY_MAX_BYTES,
      schema: {
        tags: ['messages'],
        summary: 'Starts a chain',
        consumes: ['multipart/form-data'],
        headers: IdempotencyHeaders,
        body: StartForm,
        response: { 201: Type.Object({ chain: ChainOut, message: MessageOut }) },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      await calls.count('messages', String(user.id));
      await using form = await readMessageForm(request);
      const { 'idempotency-key': idempotencyKey } = request.headers;
      const sent = await startChain(context, user, { ...form, idempotencyKey, signal: untilClientLeaves(reply.raw) });
      const chain = await findChain(db, user, sent.chain_id);
      if (chain === null) throw new NotFoundError();
      const message = await getMessage(context, user, sent.message_id);
      return reply.code(201).send({ chain: toChainOut(chain), message: toMessageOut(message) });
    },
  );

  app.post(
    '/api/messages/:chain_id',
    {
      config,
      bodyLimit: MESSAGE_BODY_MAX_BYTES,
      schema: {
        tags: ['messages'],
        summary: 'Replies to a chain',
        consumes: ['multipart/form-data'],
        params: ChainId,
        headers: IdempotencyHeaders,
        body: ReplyForm,
        response: { 201: Type.Object({ message: MessageOut }) },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      await calls.count('messages', String(user.id));
      await using form = await readMessageForm(request);
      const { message, files } = form;
      const { 'idempotency-key': idempotencyKey } = request.headers;
      const written = { message, files, idempotencyKey, signal: untilClientLeaves(reply.raw) };
      const sent = await replyToChain(context, user, request.params.chain_id, written);
      const stored = await getMessage(context, user, sent.message_id);
      return reply.code(201).send({ message: toMessageOut(stored) });
    },
  );

  app.post(
    '/api/messages/:chain_id/viewed',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: "Marks a chain's messages as viewed by the caller",
        params: ChainId,
        body: Type.Union([Type.Object({ up_to_message_id: Type.Optional(Id) }), Type.Null()]),
        response: { 200: Type.Object({ unread_count: Type.Integer() }) },
      },
    },
    async (request) => {
      const { chain_id } = request.params;
      return { unread_count: await markViewed(db, guard.actor(request), chain_id, request.body?.up_to_message_id) };
    },
  );
}
