import {
  isSharedDevice,
  listDevices,
  listPreferences,
  removeDevice,
  setPreferences,
  subscribe,
  unsubscribeAll,
} from '@case-platform/modules/notifications';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { visitorOf } from '../guards/visitor.ts';
import { Id, IdempotencyHeaders, Time } from '../schemas.ts';

const Subscribe = Type.Object({
  enabled: Type.Literal(true),
  endpoint: Type.String({ minLength: 1, maxLength: 2048 }),
  keys: Type.Object({
    p256dh: Type.String({ minLength: 1, maxLength: 200 }),
    auth: Type.String({ minLength: 1, maxLength: 100 }),
  }),
});

const DeviceOut = Type.Object(
  {
    id: Id,
    user_agent: Type.String({ description: 'What the browser called itself when it subscribed.' }),
    needs_renewal: Type.Boolean({ description: 'Gets nothing until it subscribes again: the VAPID key has changed.' }),
    current: Type.Boolean(),
    created_at: Time,
  },
  { title: 'Device' },
);

const Channel = Type.Unsafe<'email' | 'sms' | 'push'>({ type: 'string', enum: ['email', 'sms', 'push'] });
const PreferencesOut = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        event: Type.String(),
        title: Type.String({ description: 'What the event is called, for people.' }),
        channels: Type.Array(
          Type.Object({
            channel: Channel,
            enabled: Type.Boolean(),
            can_change: Type.Boolean({ description: 'False for what everyone must get.' }),
          }),
        ),
      }),
    ),
  },
  { title: 'Preferences' },
);
const PreferencesIn = Type.Object({
  preferences: Type.Array(
    Type.Object({
      event: Type.String({ minLength: 1, maxLength: 100 }),
      channel: Channel,
      enabled: Type.Boolean(),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

/** Push subscriptions, devices, and preferences (PUSH-1, PUSH-3, NOTIFY-5). */
export function notificationRoutes(server: ApiServer): void {
  subscriptionRoutes(server);
  deviceRoutes(server);
  preferenceRoutes(server);
}

function subscriptionRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };

  app.get(
    '/api/notifications/vapid-key',
    {
      config,
      schema: {
        tags: ['notifications'],
        summary: 'Get the VAPID public key to subscribe with',
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
        summary: 'Register a device for pushes, or remove all of yours',
        headers: IdempotencyHeaders,
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
      const idempotencyKey = request.headers['idempotency-key'];
      if (!body.enabled) {
        return { enabled: false as const, deleted: await unsubscribeAll(context.db, user, idempotencyKey) };
      }
      const { user_agent } = visitorOf(request);
      const subscription_id = await subscribe(context, user, { ...body, user_agent, idempotencyKey });
      return { enabled: true as const, subscription_id };
    },
  );
}

function deviceRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };

  app.get(
    '/api/notifications/subscriptions',
    {
      config,
      schema: {
        tags: ['notifications'],
        summary: 'List your devices that get pushes, newest first',
        querystring: Type.Object({
          current: Type.Optional(
            Type.String({
              pattern: '^[0-9a-fA-F]{64}$',
              description: "SHA-256, in hexadecimal, of this browser's endpoint: marks which of them it is.",
            }),
          ),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(DeviceOut),
            current_is_shared: Type.Boolean({
              description: 'Whether another account under the caller’s address gets its pushes in this browser too.',
            }),
          }),
        },
      },
    },
    async (request) => {
      const [user, { current = '' }] = [guard.actor(request), request.query];
      const data = await listDevices(context.db, user, current);
      return { data, current_is_shared: current !== '' && (await isSharedDevice(context.db, user, current)) };
    },
  );

  app.delete(
    '/api/notifications/subscriptions/:id',
    {
      config,
      schema: {
        tags: ['notifications'],
        summary: 'Remove one of your devices',
        params: Type.Object({ id: Id }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await removeDevice(context.db, guard.actor(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

function preferenceRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };

  app.get(
    '/api/notifications/preferences',
    {
      config,
      schema: {
        tags: ['notifications'],
        summary: 'Get what you are notified about, and how',
        response: { 200: PreferencesOut },
      },
    },
    async (request) => ({ data: await listPreferences(context.db, guard.actor(request)) }),
  );

  app.put(
    '/api/notifications/preferences',
    {
      config,
      schema: {
        tags: ['notifications'],
        summary: 'Turn notifications on or off: all changes are made, or none',
        body: PreferencesIn,
        response: { 200: PreferencesOut },
      },
    },
    async (request) => ({
      data: await setPreferences(context.db, guard.actor(request), request.body.preferences),
    }),
  );
}
