import { noteLimitUse } from '@case-platform/lib/http/rate-limit-headers';
import { untilClientLeaves } from '@case-platform/lib/http/until-client-leaves';
import { getChain, replyToChain, startChain } from '@case-platform/modules/messaging';
import { MESSAGE_BODY_MAX_BYTES } from '@case-platform/words/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { IdempotencyHeaders } from '../schemas.ts';
import { readMessageForm } from './message-form.ts';
import { ChainId, ChainOut, MessageOut, ReplyForm, StartForm, toChainOut, toMessageOut } from './message-schemas.ts';

/** Starts a conversation, and replies to one (MESSAGE-1, MESSAGE-2). */
export function sendingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_messages'] });
  const options = { config: { guard }, bodyLimit: MESSAGE_BODY_MAX_BYTES };
  const schema = { tags: ['messages'], consumes: ['multipart/form-data'], headers: IdempotencyHeaders };

  const readMessage = async (request: FastifyRequest & { headers: Static<typeof IdempotencyHeaders> }, reply: FastifyReply) => {
    noteLimitUse(request, await context.callLimits.count('messages', String(guard.actor(request).id)));
    const form = await readMessageForm(request);
    return { ...form, idempotencyKey: request.headers['idempotency-key'], signal: untilClientLeaves(reply.raw) };
  };

  app.post(
    '/api/messages',
    {
      ...options,
      schema: {
        ...schema,
        summary: 'Start a conversation',
        body: StartForm,
        response: { 201: Type.Object({ chain: ChainOut, message: MessageOut }) },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      await using input = await readMessage(request, reply);
      const { chain_id, message } = await startChain(context, user, input);
      const chain = await getChain(context.db, user, chain_id);
      return reply.code(201).send({ chain: toChainOut(chain), message: toMessageOut(message) });
    },
  );

  app.post(
    '/api/messages/:chain_id',
    {
      ...options,
      schema: {
        ...schema,
        summary: 'Reply in a conversation',
        params: ChainId,
        body: ReplyForm,
        response: { 201: Type.Object({ message: MessageOut }) },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      await using input = await readMessage(request, reply);
      const { message } = await replyToChain(context, user, request.params.chain_id, input);
      return reply.code(201).send({ message: toMessageOut(message) });
    },
  );
}
