import { sayWriting } from '@case-platform/modules/live';
import {
  addNote,
  findChain,
  markUnread,
  removeFromChain,
  retractMessage,
  updateChain,
} from '@case-platform/modules/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { chosenId, Id, IdempotencyKey, MessageText } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { closedPage } from '../page/closed-page.ts';
import { readFrame } from '../page/frame.ts';
import { FOR_READERS, readChainPage } from './read-chain-page.ts';

const params = Type.Object({ chain_id: Id });
const NoteForm = Type.Object({ note: MessageText, idempotency_key: IdempotencyKey });
/** Empty gives the chain back to the queue. */
const AssignForm = Type.Object({ admin_id: Type.String({ pattern: '^([1-9][0-9]{0,14})?$' }) });
const StatusForm = Type.Object({
  status: Type.Unsafe<'open' | 'closed'>({ type: 'string', enum: ['open', 'closed'] }),
});
const WritingForm = Type.Object({
  writing: Type.Unsafe<'reply' | 'note'>({ type: 'string', enum: ['reply', 'note'] }),
});

/** What staff do with a chain besides answering it. */
export function chainChangeRoutes(server: AdminServer): void {
  ownershipRoutes(server);
  messageChangeRoutes(server);
  noteRoutes(server);
}

function ownershipRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const working = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  const assigning = guards.apiGuard({ user_types: ['admin'], perm_check: 'reassign_threads' });
  const removing = guards.apiGuard({
    user_types: ['admin'],
    perm_check: ['send_group_messages', 'reassign_threads'],
  });

  app.post(
    '/messages/:chain_id/assign',
    { config: { guard: assigning }, schema: { params, body: AssignForm } },
    (request, reply) => {
      const actor = assigning.actor(request);
      const { chain_id } = request.params;
      const { origin } = changedBy(request, actor);
      return answerChange(server, { request, reply, actor, chain_id }, () =>
        updateChain(db, actor.user, chain_id, { assigned_admin_id: chosenId(request.body.admin_id) }, origin),
      );
    },
  );

  app.post(
    '/messages/:chain_id/status',
    { config: { guard: working }, schema: { params, body: StatusForm } },
    (request, reply) => {
      const actor = working.actor(request);
      const { chain_id } = request.params;
      const { origin } = changedBy(request, actor);
      const { status } = request.body;
      return answerChange(server, { request, reply, actor, chain_id }, () =>
        updateChain(db, actor.user, chain_id, { status }, origin),
      );
    },
  );

  app.post(
    '/messages/:chain_id/people/:user_id/remove',
    { config: { guard: removing }, schema: { params: Type.Object({ chain_id: Id, user_id: Id }) } },
    (request, reply) => {
      const actor = removing.actor(request);
      const { origin } = changedBy(request, actor);
      return answerChange(server, { request, reply, actor, ...request.params }, () =>
        removeFromChain(db, actor.user, request.params, origin),
      );
    },
  );
}

function messageChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  const config = { guard };

  app.post(
    '/messages/:chain_id/messages/:message_id/retract',
    { config, schema: { params: Type.Object({ chain_id: Id, message_id: Id }) } },
    (request, reply) => {
      const actor = guard.actor(request);
      const { origin } = changedBy(request, actor);
      return answerChange(server, { request, reply, actor, ...request.params }, () =>
        retractMessage(db, actor.user, request.params, origin),
      );
    },
  );

  app.post('/messages/:chain_id/unread', { config, schema: { params } }, async (request, reply) => {
    await markUnread(db, guard.actor(request).user, request.params.chain_id);
    // Back to the list: the chain's own page would mark it as viewed again.
    return isByScript(request) ? reply.code(204).send() : reply.redirect('/messages?done=unread', 303);
  });
}

function noteRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  const config = { guard };

  app.post('/messages/:chain_id/notes', { config, schema: { params, body: NoteForm } }, (request, reply) => {
    const actor = guard.actor(request);
    const { chain_id } = request.params;
    const { note, idempotency_key: idempotencyKey } = request.body;
    return answerForm(request, reply, {
      run: async () => {
        const { id } = await addNote(db, actor.user, chain_id, { note, idempotencyKey });
        return `/messages/${chain_id}?write=note#note-${id}`;
      },
      again: (refused) => readChainPage(server, request, actor, { chain_id, mode: 'note', refused }),
    });
  });

  app.post('/messages/:chain_id/writing', { config, schema: { params, body: WritingForm } }, async (request, reply) => {
    await sayWriting(db, guard.actor(request).user, request.params.chain_id, request.body.writing);
    return reply.code(204).send();
  });
}

/** A script asks for the change alone; the page reads itself again. */
const isByScript = (request: FastifyRequest) => request.headers['hx-request'] !== undefined;

interface Change {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  chain_id: number;
}

/** All of these forms stand on the chain's page, and lead back to it, or to the inbox for those who no longer see the chain. */
async function answerChange(
  server: AdminServer,
  { request, reply, actor, chain_id }: Change,
  change: () => Promise<void>,
): Promise<FastifyReply> {
  const { context, guards } = server;
  const reading = guards.pageGuard(FOR_READERS);
  if (isByScript(request)) {
    await change();
    return reply.code(204).send();
  }
  return answerForm(request, reply, {
    run: async () => {
      await change();
      const isStillSeen = (await findChain(context.db, actor.user, chain_id)) !== null;
      return isStillSeen ? `/messages/${chain_id}` : '/messages?done=assigned';
    },
    again: async (refused) => {
      if (!reading.holds(request)) return closedPage(await readFrame(context, request, actor), 'messages');
      return readChainPage(server, request, actor, { chain_id, refused });
    },
    names: { assigned_admin_id: 'admin_id' },
  });
}
