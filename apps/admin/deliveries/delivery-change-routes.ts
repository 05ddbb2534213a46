import { NotFoundError } from '@case-platform/lib/errors';
import { listDeadJobs } from '@case-platform/lib/jobs/dead-jobs';
import { liftSuppression, listSuppressions, retryDeadJob, retryDelivery } from '@case-platform/modules/notifications';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { deadJobsPage } from './dead-jobs-page.ts';
import { suppressionsPage } from './suppressions-page.ts';

const Done = Type.Optional(Type.Literal('1'));

/**
 * Trying again what failed, lifting what is suppressed, and the jobs that gave up. Whoever may view deliveries may: it changes
 * nothing but whether what was decided before reaches its recipient, and each time stands in the audit log.
 */
export function deliveryChangeRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const changing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const config = { guard: changing };

  app.post(
    '/deliveries/:delivery_id/retry',
    { config, schema: { params: Type.Object({ delivery_id: Id }) } },
    async (request, reply) => {
      const { delivery_id } = request.params;
      await retryDelivery(db, delivery_id, changedBy(request, changing.actor(request)));
      return reply.redirect(`/deliveries/${delivery_id}?done=retried`, 303);
    },
  );

  app.get(
    '/deliveries/suppressions',
    {
      config: { guard: reading },
      schema: { querystring: Type.Object({ before: Type.Optional(Id), done: Done }) },
    },
    async (request, reply) => {
      const frame = await readFrame(context, request, reading.actor(request));
      const page = await listSuppressions(db, request.query);
      return sendPage(reply, suppressionsPage(frame, { ...page, done: request.query.done !== undefined }));
    },
  );

  app.post(
    '/deliveries/suppressions/:suppression_id/lift',
    { config, schema: { params: Type.Object({ suppression_id: Id }) } },
    async (request, reply) => {
      await liftSuppression(db, request.params.suppression_id, changedBy(request, changing.actor(request)));
      return reply.redirect('/deliveries/suppressions?done=1', 303);
    },
  );

  app.get(
    '/deliveries/jobs',
    { config: { guard: reading }, schema: { querystring: Type.Object({ done: Done }) } },
    async (request, reply) => {
      const frame = await readFrame(context, request, reading.actor(request));
      const jobs = await listDeadJobs(db);
      return sendPage(reply, deadJobsPage(frame, { jobs, done: request.query.done !== undefined }));
    },
  );

  app.post(
    '/deliveries/jobs/:job_id/retry',
    { config, schema: { params: Type.Object({ job_id: Id }) } },
    async (request, reply) => {
      const job = (await listDeadJobs(db)).find(({ id }) => id === request.params.job_id);
      if (job === undefined) throw new NotFoundError('This job waits for nobody any more.');
      await retryDeadJob(db, job, changedBy(request, changing.actor(request)));
      return reply.redirect('/deliveries/jobs?done=1', 303);
    },
  );
}
