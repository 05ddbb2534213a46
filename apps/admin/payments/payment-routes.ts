import type { Permission } from '@case-platform/modules/accounts';
import { listDuePayments, listPaidRequests, PAYMENT_STATES, type PaymentState } from '@case-platform/modules/banking';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Cursor } from '../form/schemas.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { paymentListPage } from './payment-list.ts';

const ListQuery = Type.Object({
  state: Type.Optional(Type.Unsafe<PaymentState>({ type: 'string', enum: [...PAYMENT_STATES] })),
  cursor: Type.Optional(Cursor),
});

/** Those who see the payments of all cases. */
const PAYMENT_READERS: readonly Permission[] = [...BATCH_WORKERS, 'view_drs'];

/** Scheduled payments of all cases, and payments that were made (PLAN-1). */
export function paymentRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: PAYMENT_READERS, closed: 'payments' });

  app.get('/payments', { config: { guard: reading }, schema: { querystring: ListQuery } }, async (request, reply) => {
    const { query } = request;
    const actor = reading.actor(request);
    const frame = await readFrame(context, request, actor);
    const [{ data, next_cursor }, paid] = await Promise.all([
      listDuePayments(db, actor.user, query),
      listPaidRequests(db, actor.user),
    ]);
    return sendPage(reply, paymentListPage(frame, { due: data, next_cursor, paid, query }));
  });
}
