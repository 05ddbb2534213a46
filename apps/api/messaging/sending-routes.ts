import { NotFoundError } from '@case-platform/lib/errors';
import { noteLimitUse } from '@case-platform/lib/http/rate-limit-headers';
import { untilClientLeaves } from '@case-platform/lib/http/until-client-leaves';
import { findChain, getMessage, replyToChain, startChain } from '@case-platform/modules/messaging';
import { MESSAGE_BODY_MAX_BYTES } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { IdempotencyHeaders } from '../schemas.ts';
import { readMessageForm } from './message-form.ts';
import { ChainId, ChainOut, MessageOut, ReplyForm, StartForm, toChainOut, toMessageOut } from './message-schemas.ts';

/** Starts a conversation, and replies to one (MESSAGE-1, MESSAGE-2). */
export function sendingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_messages'] });
  const config = { guard };
  const { db, callLimits } = context;

  app.post(
    '/api/messages',
    {
      config,
      bodyLimit: MESSAGE_BODY_MAX_BYTES,
      schema: {
        tags: ['messages'],
        summary: 'Start a conversation',
        consumes: ['multipart/form-data'],
        headers: IdempotencyHeaders,
        body: StartForm,
        response: { 201: Type.Object({ chain: ChainOut, message: MessageOut }) },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      noteLimitUse(request, await callLimits.count('messages', String(user.id)));
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
        summary: 'Reply in a conversation',
        consumes: ['multipart/form-data'],
        params: ChainId,
        headers: IdempotencyHeaders,
        body: ReplyForm,
        response: { 201: Type.Object({ message: MessageOut }) },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      noteLimitUse(request, await callLimits.count('messages', String(user.id)));
      await using form = await readMessageForm(request);
      const { message, files } = form;
      const { 'idempotency-key': idempotencyKey } = request.headers;
      const written = { message, files, idempotencyKey, signal: untilClientLeaves(reply.raw) };
      const sent = await replyToChain(context, user, request.params.chain_id, written);
      const stored = await getMessage(context, user, sent.message_id);
      return reply.code(201).send({ message: toMessageOut(stored) });
    },
  );
}
