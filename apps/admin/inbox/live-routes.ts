import { openEventStream } from '@case-platform/lib/http/event-stream';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';

/**
 * Live updates for open pages, as server-sent events: which chain has something new, and the unread count. The page then
 * requests the content. A stream does not keep its session alive, and ends with it.
 */
export function liveRoutes({ app, context, guards, visitors }: AdminServer): void {
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  app.get(
    '/messages/events',
    {
      config: { guard, background: true },
      schema: {
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 64 })) }),
        querystring: Type.Object({ page_age: Type.Optional(Type.Integer({ minimum: 0 })) }),
      },
    },
    (request, reply) => {
      const { user } = guard.actor(request);
      const since = request.headers['last-event-id'];
      // `join` may throw, which is still an ordinary answer; it sends nothing before this function has returned.
      const leave = context.live.join(user, {
        ...(since === undefined || since === '' ? {} : { since }),
        pageAge: request.query.page_age,
        send: ({ event, id, data }) =>
          stream.send({
            event,
            id,
            data: 'message' in data ? { chain_id: data.chain_id, from_id: data.message.from_id } : data,
          }),
        close: () => stream.close(),
        staffSession: visitors.sessionId(request),
        canStay: () => visitors.isSignedIn(request),
      });
      const stream = openEventStream(reply);
      void stream.closed.then(leave);
    },
  );
}
