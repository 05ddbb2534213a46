import { openEventStream } from '@case-platform/lib/http/event-stream';
import { rateLimitHeaders } from '@case-platform/lib/http/rate-limit-headers';
import type { LiveEvent } from '@case-platform/modules/live';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { tokenEndsAt, webSessionOf } from '../guards/guards.ts';
import { toMessageOut } from './message-schemas.ts';

/**
 * Live updates as server-sent events (LIVE-1). A stream ends with the token and the web session that opened it (LIVE-3). A page
 * says how many milliseconds ago it was requested (LIVE-8).
 */
export function liveRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_messages'] });
  app.get(
    '/api/messages/events',
    {
      config: { guard },
      schema: {
        tags: ['messages'],
        summary:
          'Follow changes as server-sent events: message, unread, chain, case, resync (read everything again), and current',
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 64 })) }),
        querystring: Type.Object({ page_age: Type.Optional(Type.Integer({ minimum: 0 })) }),
        produces: ['text/event-stream'],
      },
    },
    (request, reply) => {
      const user = guard.actor(request);
      const since = request.headers['last-event-id'];
      const session = webSessionOf(request);
      // `join` may throw, which is still an ordinary answer. It sends nothing before this function returns.
      const leave = context.live.join(user, {
        ...(since === undefined || since === '' ? {} : { since }),
        pageAge: request.query.page_age,
        send: (event) => stream.send(toEventOut(event)),
        close: () => stream.close(),
        tokenAddress: user.email_address,
        ...(session === null ? {} : { webSession: session }),
      });
      const stream = openEventStream(reply.headers(rateLimitHeaders(request)));
      const end = setTimeout(() => stream.close(), tokenEndsAt(request) - context.now().getTime());
      void stream.closed.then(() => {
        clearTimeout(end);
        leave();
      });
    },
  );
}

/** The data of messages that were sent. Readers who see the same share one object, and so one JSON text. */
const messagesOut = new WeakMap<object, object>();

function toEventOut(event: LiveEvent) {
  if (event.event !== 'message') return event;
  const { chain_id, message } = event.data;
  const data = messagesOut.get(message) ?? { chain_id, message: toMessageOut(message) };
  messagesOut.set(message, data);
  return { ...event, data };
}
