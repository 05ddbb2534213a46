import { NotFoundError } from '@case-platform/lib/errors';
import {
  addNote,
  findChain,
  getChain,
  getMessage,
  listNotes,
  markUnread,
  retractMessage,
  updateChain,
} from '@case-platform/modules/messaging';
import { NOTE_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { Id, IdempotencyHeaders, NullableId, Time } from '../schemas.ts';
import { ChainId, ChainOut, ChainStatus, MessageId, MessageOut, toChainOut, toMessageOut } from './message-schemas.ts';

const NoteOut = Type.Object(
  {
    id: Id,
    chain_id: Id,
    author_id: Id,
    author_name: Type.String(),
    note: Type.String(),
    created_at: Time,
  },
  { title: 'ChainNote' },
);

/** Changes of a conversation other than a new message: assignment, status, marks, retraction, and notes among staff. */
export function chainChangeRoutes(server: ApiServer): void {
  chainRoutes(server);
  noteRoutes(server);
}

function chainRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_messages'] });
  const config = { guard };
  const { db } = context;

  app.patch(
    '/api/messages/:chain_id',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'Assign, close, or reopen a conversation (staff; to assign, with reassign_threads)',
        params: ChainId,
        body: Type.Object(
          { assigned_admin_id: Type.Optional(NullableId), status: Type.Optional(ChainStatus) },
          { minProperties: 1 },
        ),
        response: { 200: Type.Object({ chain: ChainOut }) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const { chain_id } = request.params;
      const before = await findChain(db, user, chain_id);
      await updateChain(db, chain_id, request.body, changedBy(request, user));
      const after = (await findChain(db, user, chain_id)) ?? (before && { ...before, ...request.body });
      if (after === null) throw new NotFoundError();
      // A person who reassigns a conversation may no longer see it, but gets this last answer.
      return { chain: toChainOut(after) };
    },
  );

  app.post(
    '/api/messages/:chain_id/unread',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'Mark the newest message of a conversation as unread',
        params: ChainId,
        response: { 200: Type.Object({ unread_count: Type.Integer() }) },
      },
    },
    async (request) => ({ unread_count: await markUnread(db, guard.actor(request), request.params.chain_id) }),
  );

  app.delete(
    '/api/messages/:chain_id/:message_id',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'Take back your own message of the last 24 hours; its author and time stay',
        params: MessageId,
        response: { 200: Type.Object({ chain: ChainOut, message: MessageOut }) },
      },
    },
    (request) => {
      const user = guard.actor(request);
      const { chain_id, message_id } = request.params;
      // Read before the commit, because right afterwards someone else may close the conversation to the caller.
      return db.transaction(async (tx) => {
        await retractMessage(tx, { chain_id, message_id }, changedBy(request, user));
        const message = await getMessage({ ...context, db: tx }, user, message_id);
        return { chain: toChainOut(await getChain(tx, user, chain_id)), message: toMessageOut(message) };
      });
    },
  );
}

function noteRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ user_types: ['admin'], perm_check: ['view_messages'] });
  const config = { guard };
  const { db } = context;

  app.get(
    '/api/messages/:chain_id/notes',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'List the internal notes of a conversation (staff), oldest first',
        params: ChainId,
        response: { 200: Type.Object({ data: Type.Array(NoteOut) }) },
      },
    },
    async (request) => ({ data: await listNotes(db, guard.actor(request), request.params.chain_id) }),
  );

  app.post(
    '/api/messages/:chain_id/notes',
    {
      config,
      schema: {
        tags: ['messages'],
        summary: 'Add a note that only staff see',
        params: ChainId,
        headers: IdempotencyHeaders,
        body: Type.Object({ note: Type.String({ minLength: 1, maxLength: NOTE_MAX }) }),
        response: { 201: NoteOut },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      const idempotencyKey = request.headers['idempotency-key'];
      const note = await addNote(db, user, request.params.chain_id, { note: request.body.note, idempotencyKey });
      return reply.code(201).send(note);
    },
  );
}
