import { NotFoundError } from '@case-platform/lib/errors';
import {
  type Channel,
  type DeliveryState,
  findDelivery,
  listDeliveries,
  listDeliveryEvents,
} from '@case-platform/modules/notifications';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';
import { EMAIL_CONTENT_POLICY } from '../guards/security-headers.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { deliveryListPage } from './delivery-list.ts';
import { CHANNELS, DELIVERY_STATES } from './delivery-words.ts';

const ListQuery = Type.Object({
  channel: Type.Optional(Type.Unsafe<Channel>({ type: 'string', enum: CHANNELS })),
  state: Type.Optional(Type.Unsafe<DeliveryState>({ type: 'string', enum: DELIVERY_STATES })),
  event: Type.Optional(Type.String({ maxLength: 100 })),
  person: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
  user_id: Type.Optional(Id),
  before: Type.Optional(Id),
});

/** Lists deliveries: their recipients, channels, and results (NOTIFY-1). */
export function deliveryRoutes({ app, context, guards }: AdminServer): void {
  const { db, readLagging } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const content = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });

  app.get('/deliveries', { config: { guard: reading }, schema: { querystring: ListQuery } }, async (request, reply) => {
    const { person, user_id, ...rest } = request.query;
    // Searching for a person's deliveries would reveal their address.
    const query = maySeeContacts(reading.actor(request)) ? request.query : rest;
    const [{ data, next_before }, events, frame] = await Promise.all([
      readLagging((replica) => listDeliveries(replica, query)),
      readLagging(listDeliveryEvents),
      readFrame(context, request, reading.actor(request)),
    ]);
    return sendPage(reply, deliveryListPage(frame, { deliveries: data, next_before, events, query }));
  });

  // The email as it looks, for a frame of its own. It holds codes and links, so the API guard keeps out other admins, too.
  app.get(
    '/deliveries/:delivery_id/content',
    { config: { guard: content }, schema: { params: Type.Object({ delivery_id: Id }) } },
    async (request, reply) => {
      const markup = (await findDelivery(db, request.params.delivery_id))?.content?.html;
      if (markup === undefined) throw new NotFoundError();
      reply.header('content-security-policy', EMAIL_CONTENT_POLICY).header('x-frame-options', 'SAMEORIGIN');
      return reply.type('text/html; charset=utf-8').send(markup);
    },
  );
}
