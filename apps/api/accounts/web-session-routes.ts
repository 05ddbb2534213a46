import { invalid } from '@case-platform/lib/errors';
import { endWebSession } from '@case-platform/modules/accounts';
import { announce } from '@case-platform/modules/messaging';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { webSessionOf } from '../guards/guards.ts';

/** Receives the ends of sessions that the web frontend reports (WEB-11). */
export function webSessionRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  app.delete(
    '/api/user/me/web-session',
    {
      config: { guard },
      schema: {
        tags: ['me'],
        summary: 'End the web session in X-Web-Session and its live updates; tokens stay valid',
        headers: Type.Object({ 'x-web-session': Type.String({ minLength: 16, maxLength: 100 }) }),
        response: { 204: Type.Null({ description: 'It has ended.' }) },
      },
    },
    async (request, reply) => {
      const { id: user_id } = guard.actor(request);
      const session = webSessionOf(request);
      if (session === null) throw invalid('x-web-session', 'Name the session in X-Web-Session.');
      await context.db.transaction(async (tx) => {
        await endWebSession(tx, user_id, session);
        await announce(tx, { kind: 'session_end', user_id });
      });
      return reply.code(204).send(null);
    },
  );
}
