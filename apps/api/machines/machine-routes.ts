import { invalid } from '@case-platform/lib/errors';
import { receiveAgencyEvent } from '@case-platform/modules/accounts';
import { PLATFORM_PUSH_EVENTS, sendPushNow } from '@case-platform/modules/notifications';
import { PUSH_BODY_MAX, PUSH_TITLE_MAX } from '@case-platform/words/limits';
import { fromApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { ApiUserTypeIn, Id, IdempotencyHeaders } from '../schemas.ts';

/** A path inside the application: one slash, and nothing that a browser would read as another host. */
const AppPath = Type.String({ pattern: '^/(?![/\\\\])', maxLength: 500 });
const Recipient = Type.Object({ user_type: ApiUserTypeIn, user_id: Id });
const Notification = {
  title: Type.String({ minLength: 1, maxLength: PUSH_TITLE_MAX }),
  body: Type.String({ minLength: 1, maxLength: PUSH_BODY_MAX }),
  url: Type.Optional(AppPath),
  data: Type.Optional(Type.Object({ url: AppPath }, { description: 'Another place for `url`, as in the payload.' })),
  event: Type.Optional(
    Type.Unsafe<(typeof PLATFORM_PUSH_EVENTS)[number]>({
      type: 'string',
      enum: PLATFORM_PUSH_EVENTS,
      default: 'internal',
      description: 'What happened. People who turned off pushes of this event get none.',
    }),
  ),
  icon: Type.Optional(AppPath),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  requireInteraction: Type.Optional(Type.Boolean()),
  vibrate: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 10_000 }), { maxItems: 20 })),
};

/** An agency's event may contain any data of its system. */
const EVENT_MAX_BYTES = 1024 * 1024;

/** Calls of other machines: agencies' systems with their key, and the platform's own triggers with the master key. */
export function machineRoutes({ app, context, guards }: ApiServer): void {
  const agency = guards.agencyKey();
  app.post(
    '/webhook',
    {
      config: { guard: agency },
      bodyLimit: EVENT_MAX_BYTES,
      schema: {
        tags: ['agencies'],
        summary: 'Send an event of your agency; the same id is processed once',
        body: Type.Object({
          id: Type.String({ minLength: 1, maxLength: 255 }),
          type: Type.String({ minLength: 1, maxLength: 100 }),
          case_id: Type.Optional(Id),
          data: Type.Optional(Type.Unknown()),
        }),
        response: {
          202: Type.Object({
            agency: Type.Object({ id: Id, name: Type.String() }),
            id: Type.String(),
            duplicate: Type.Boolean(),
          }),
        },
      },
    },
    async (request, reply) => {
      const caller = agency.actor(request);
      const duplicate = await receiveAgencyEvent(context.db, caller.id, request.body);
      return reply.code(202).send({ agency: caller, id: request.body.id, duplicate });
    },
  );

  app.post(
    '/internal/notification/send',
    {
      config: { guard: guards.masterKey(), isUncounted: true },
      schema: {
        tags: ['internal'],
        summary: 'Send a push to all devices of the recipients',
        description:
          '`failed` counts devices that did not get it: if their push service could not be reached or was busy, they are tried ' +
          'again later.',
        headers: IdempotencyHeaders,
        body: Type.Object({
          user_type: Type.Optional(ApiUserTypeIn),
          user_id: Type.Optional(Id),
          recipients: Type.Optional(Type.Array(Recipient, { minItems: 1, maxItems: 1000 })),
          ...Notification,
        }),
        response: {
          200: Type.Object({ sent: Type.Integer(), failed: Type.Integer(), removed: Type.Integer() }),
        },
      },
    },
    (request) => {
      const { user_type, user_id, recipients, event = 'internal', data, url = data?.url, ...content } = request.body;
      const one = user_type === undefined || user_id === undefined ? [] : [{ user_type, user_id }];
      const people = recipients ?? one;
      if (people.length === 0) throw invalid('recipients', 'Name user_type and user_id, or recipients.');
      if (data !== undefined && data.url !== url) throw invalid('data.url', 'url and data.url name different addresses.');
      const to = people.map((person) => ({ ...person, user_type: fromApiUserType(person.user_type) ?? 'admin' }));
      const idempotencyKey = request.headers['idempotency-key'];
      return sendPushNow(context, { event, recipients: to, notification: { ...content, url }, idempotencyKey });
    },
  );
}
