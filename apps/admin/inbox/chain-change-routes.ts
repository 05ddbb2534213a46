import { announceWriting } from '@case-platform/modules/live';
import { addNote, findChain, markUnread, removeFromChain, retractMessage, updateChain } from '@case-platform/modules/messaging';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import type { AdminContext } from '../context.ts';
import { type FormPage, formRoute, isByScript, type SentForm } from '../form/form-route.ts';
import { chosenId, Id, IdempotencyKey, MessageText } from '../form/schemas.ts';
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

/** Changes that staff make to a chain, other than answering it. */
export function chainChangeRoutes(server: AdminServer): void {
  ownershipRoutes(server);
  messageChangeRoutes(server);
  noteRoutes(server);
}

/** The page of a chain, which all of these forms are on. */
function chainPage(server: AdminServer): FormPage<Static<typeof params>> {
  const { context, guards } = server;
  const reading = guards.pageGuard(FOR_READERS);
  return {
    path: ({ chain_id }) => `/messages/${chain_id}`,
    readRefused: async ({ request, actor, params: { chain_id } }, refused) => {
      if (!reading.holds(request)) return closedPage(await readFrame(context, request, actor), 'messages');
      return readChainPage(server, request, actor, { chain_id, refused });
    },
    names: { assigned_admin_id: 'admin_id' },
    isForScripts: true,
  };
}

/** Returns to the chain, or to the inbox for someone who no longer sees the chain. */
function afterChange({ db }: Pick<AdminContext, 'db'>) {
  return async (_: unknown, { actor, params: { chain_id } }: SentForm<Static<typeof params>>): Promise<string> => {
    const isStillSeen = (await findChain(db, actor.user, chain_id)) !== null;
    return isStillSeen ? `/messages/${chain_id}` : '/messages?done=assigned';
  };
}

function ownershipRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const working = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  const assigning = guards.apiGuard({ user_types: ['admin'], perm_check: 'reassign_threads' });
  const removing = guards.apiGuard({
    user_types: ['admin'],
    perm_check: ['send_group_messages', 'reassign_threads'],
  });
  const page = chainPage(server);
  const next = afterChange(context);

  formRoute(server, page, '/messages/:chain_id/assign', {
    guard: assigning,
    params,
    body: AssignForm,
    run: ({ params: { chain_id }, body, by }) => updateChain(db, chain_id, { assigned_admin_id: chosenId(body.admin_id) }, by),
    next,
  });

  formRoute(server, page, '/messages/:chain_id/status', {
    guard: working,
    params,
    body: StatusForm,
    run: ({ params: { chain_id }, body: { status }, by }) => updateChain(db, chain_id, { status }, by),
    next,
  });

  formRoute(server, page, '/messages/:chain_id/people/:user_id/remove', {
    guard: removing,
    params: Type.Object({ chain_id: Id, user_id: Id }),
    run: ({ params, by }) => removeFromChain(db, params, by),
    next,
  });
}

function messageChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });

  formRoute(server, chainPage(server), '/messages/:chain_id/messages/:message_id/retract', {
    guard,
    params: Type.Object({ chain_id: Id, message_id: Id }),
    run: ({ params, by }) => retractMessage(db, params, by),
    next: afterChange(context),
  });

  app.post('/messages/:chain_id/unread', { config: { guard }, schema: { params } }, async (request, reply) => {
    await markUnread(db, guard.actor(request).user, request.params.chain_id);
    // Back to the list: the chain's own page would mark it as viewed again.
    return isByScript(request) ? reply.code(204).send() : reply.redirect('/messages?done=unread', 303);
  });
}

function noteRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });

  const page: FormPage<Static<typeof params>> = {
    path: ({ chain_id }) => `/messages/${chain_id}`,
    readRefused: ({ request, actor, params: { chain_id } }, refused) =>
      readChainPage(server, request, actor, { chain_id, mode: 'note', refused }),
  };
  formRoute(server, page, '/messages/:chain_id/notes', {
    guard,
    params,
    body: NoteForm,
    run: ({ actor, params: { chain_id }, body: { note, idempotency_key: idempotencyKey } }) =>
      addNote(db, actor.user, chain_id, { note, idempotencyKey }),
    next: ({ id }, { params: { chain_id } }) => `/messages/${chain_id}?write=note#note-${id}`,
  });

  app.post(
    '/messages/:chain_id/writing',
    { config: { guard }, schema: { params, body: WritingForm } },
    async (request, reply) => {
      await announceWriting(db, guard.actor(request).user, request.params.chain_id, request.body.writing);
      return reply.code(204).send();
    },
  );
}
