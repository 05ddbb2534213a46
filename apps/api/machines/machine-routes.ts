import { invalid } from '@case-platform/lib/errors';
import { receiveAgencyEvent } from '@case-platform/modules/accounts';
import { sendPushNow } from '@case-platform/modules/notifications';
import { PUSH_BODY_MAX, PUSH_TITLE_MAX } from '@case-platform/words/limits';
import { fromApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { ApiUserTypeIn, Id } from '../schemas.ts';

/** A path inside the application: one slash, and nothing that a browser would read as another host. */
const AppPath = Type.String({ pattern: '^/(?![/\\\\])', maxLength: 500 });
const Recipient = Type.Object({ user_type: ApiUserTypeIn, user_id: Id });
const Notification = {
  title: Type.String({ minLength: 1, maxLength: PUSH_TITLE_MAX }),
  body: Type.String({ minLength: 1, maxLength: PUSH_BODY_MAX }),
  url: Type.Optional(AppPath),
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
        summary: 'Takes an event of the calling agency; the same id is processed once',
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
        summary: "Sends a push to all of the recipients' devices",
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
      const { user_type, user_id, recipients, ...notification } = request.body;
      const one = user_type === undefined || user_id === undefined ? [] : [{ user_type, user_id }];
      const named = recipients ?? one;
      if (named.length === 0) throw invalid('recipients', 'Name user_type and user_id, or recipients.');
      const to = named.map((person) => ({ ...person, user_type: fromApiUserType(person.user_type) ?? 'admin' }));
      return sendPushNow(context, { recipients: to, notification });
    },
  );
}
