import { countUnread, getChain, listChains, listMessages, listRecipients, markViewed } from '@case-platform/modules/messaging';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { toApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { Id, OneOrMore, PageQuery, Person, pageOf, valuesOf } from '../schemas.ts';
import { CHAIN_STATUSES, ChainId, ChainOut, MessageOut, toChainOut, toMessageOut } from './message-schemas.ts';

const SEARCH_WORDS =
  'Words of subjects, messages, and file names, "phrases", -exclusions, and the operators ' +
  '`from:`, `case:`, `has:file`, `before:`, and `after:` (days).';

/** Reads conversations and messages (CHAIN-12, CHAIN-13). */
export function messageRoutes(server: ApiServer): void {
  const { app, context, guards } = server;
  const guard = guards.user({ perm_check: ['view_messages'] });
  const readerGuard = guards.reader({ perm_check: ['view_messages'] });

  app.get(
    '/api/messages',
    {
      config: { guard: readerGuard },
      schema: {
        tags: ['messages'],
        summary: 'List your conversations, newest activity first',
        querystring: Type.Object({
          case_id: Type.Optional(Id),
          unread: Type.Optional(Type.Boolean()),
          q: Type.Optional(Type.String({ maxLength: SEARCH_MAX, description: SEARCH_WORDS })),
          status: Type.Optional(OneOrMore(CHAIN_STATUSES)),
          ...PageQuery,
        }),
        response: { 200: pageOf(ChainOut) },
      },
    },
    async (request) => {
      const { db, reader } = readerGuard.actor(request);
      const page = await listChains(db, reader, {
        ...request.query,
        status: valuesOf(CHAIN_STATUSES, request.query.status),
      });
      return { data: page.data.map(toChainOut), next_cursor: page.next_cursor };
    },
  );

  app.get(
    '/api/messages/unread/count',
    {
      config: { guard: readerGuard },
      schema: {
        tags: ['messages'],
        summary: 'Count your unread messages and conversations',
        response: { 200: Type.Object({ unread_count: Type.Integer(), unread_chains: Type.Integer() }) },
      },
    },
    (request) => {
      const { db, reader } = readerGuard.actor(request);
      return countUnread(db, reader);
    },
  );

  app.get(
    '/api/messages/recipients',
    {
      config: { guard },
      schema: {
        tags: ['messages'],
        summary: 'List the people of a case to whom you can write',
        querystring: Type.Object({ case_id: Id }),
        response: { 200: Type.Object({ data: Type.Array(Person) }) },
      },
    },
    async (request) => {
      const people = await listRecipients(context.db, guard.actor(request), request.query.case_id);
      return { data: people.map((person) => ({ ...person, user_type: toApiUserType(person.user_type) })) };
    },
  );

  app.get(
    '/api/messages/:chain_id',
    {
      config: { guard: readerGuard },
      schema: {
        tags: ['messages'],
        summary: 'Get a conversation with its messages, newest first; nothing is marked as read',
        params: ChainId,
        querystring: Type.Object(PageQuery),
        response: { 200: Type.Object({ chain: ChainOut, messages: pageOf(MessageOut) }) },
      },
    },
    async (request) => {
      const { db, reader } = readerGuard.actor(request);
      const { chain_id } = request.params;
      // The messages of a conversation that the reader does not see are dropped with the first error.
      const [chain, { data, next_cursor }] = await Promise.all([
        getChain(db, reader, chain_id),
        listMessages({ ...context, db }, reader, chain_id, request.query),
      ]);
      return { chain: toChainOut(chain), messages: { data: data.map(toMessageOut), next_cursor } };
    },
  );
  viewedRoute(server);
}

/** Marks messages as viewed by the caller (UNREAD-2, UNREAD-3). */
function viewedRoute({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_messages'] });
  app.post(
    '/api/messages/:chain_id/viewed',
    {
      config: { guard },
      schema: {
        tags: ['messages'],
        summary: 'Mark messages of a conversation as read',
        params: ChainId,
        body: Type.Union([Type.Object({ up_to_message_id: Type.Optional(Id) }), Type.Null()]),
        response: { 200: Type.Object({ unread_count: Type.Integer() }) },
      },
    },
    async (request) => {
      const { chain_id } = request.params;
      return { unread_count: await markViewed(context.db, guard.actor(request), chain_id, request.body?.up_to_message_id) };
    },
  );
}
