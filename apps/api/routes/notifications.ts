import { subscribe, unsubscribeAll } from '@case-platform/modules/notifications';
import { Type } from 'typebox';
import { Id } from '../schemas.ts';
import type { ApiServer } from '../server.ts';

const Subscribe = Type.Object({
  enabled: Type.Literal(true),
  endpoint: Type.String({ minLength: 1, maxLength: 2048 }),
  keys: Type.Object({
    p256dh: Type.String({ minLength: 1, maxLength: 200 }),
    auth: Type.String({ minLength: 1, maxLength: 100 }),
  }),
});

/** Push subscriptions (decisions, section 7). */
export function notificationRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };

  app.get(
    '/api/notifications/vapid-key',
    {
      config,
      schema: {
        tags: ['notifications'],
        summary: 'The VAPID public key to subscribe with',
        response: { 200: Type.Object({ public_key: Type.String() }) },
      },
    },
    () => ({ public_key: context.push.publicKey }),
  );

  app.post(
    '/api/notifications/subscribe',
    {
      config,
      schema: {
        tags: ['notifications'],
        summary: "Registers this device, or deletes all of the caller's subscriptions",
        body: Type.Union([Subscribe, Type.Object({ enabled: Type.Literal(false) })]),
        response: {
          200: Type.Union([
            Type.Object({ enabled: Type.Literal(true), subscription_id: Id }),
            Type.Object({ enabled: Type.Literal(false), deleted: Type.Integer() }),
          ]),
        },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const { body } = request;
      if (!body.enabled) return { enabled: false as const, deleted: await unsubscribeAll(context.db, user) };
      const subscription_id = await subscribe(context, user, body);
      return { enabled: true as const, subscription_id };
    },
  );
}
