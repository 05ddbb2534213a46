import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { listDeadJobs } from '@case-platform/lib/jobs/dead-jobs';
import {
  findDelivery,
  liftSuppression,
  listSuppressions,
  retryDeadJob,
  retryDelivery,
} from '@case-platform/modules/notifications';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm, type RefusedForm } from '../form/answer-form.ts';
import { Done, Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { deadJobsPage } from './dead-jobs-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { suppressionsPage } from './suppressions-page.ts';

interface Shown {
  done?: string | undefined;
  refused?: RefusedForm;
}

/**
 * Trying again what failed, lifting suppressions, and the jobs that gave up, for everyone who may view deliveries: it changes
 * only whether something that was decided before reaches its recipient, and each time is in the audit log.
 */
export function deliveryChangeRoutes(server: AdminServer): void {
  retryRoutes(server);
  suppressionRoutes(server);
  deadJobRoutes(server);
}

function retryRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const params = Type.Object({ delivery_id: Id });
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const changing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });

  app.get(
    '/deliveries/:delivery_id',
    { config: { guard: reading }, schema: { params, querystring: Type.Object({ done: Done }) } },
    async (request, reply) => {
      const { delivery_id } = request.params;
      return sendPage(reply, await readDeliveryPage(request, reading.actor(request), delivery_id, request.query));
    },
  );

  app.post('/deliveries/:delivery_id/retry', { config: { guard: changing }, schema: { params } }, (request, reply) => {
    const actor = changing.actor(request);
    const { delivery_id } = request.params;
    return answerForm(request, reply, {
      run: async () => {
        await retryDelivery(db, delivery_id, changedBy(request, actor));
        return `/deliveries/${delivery_id}?done=retried`;
      },
      again: (refused) => readDeliveryPage(request, actor, delivery_id, { refused }),
    });
  });

  async function readDeliveryPage(
    request: FastifyRequest,
    actor: StaffActor,
    id: number,
    { done, refused }: Shown,
  ): Promise<Html> {
    const delivery = await findDelivery(db, id);
    if (delivery === null) throw new NotFoundError();
    const frame = await readFrame(context, request, actor);
    return deliveryPage(frame, { delivery, done: done === 'retried' ? 'We’re trying again now.' : undefined, refused });
  }
}

function suppressionRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const changing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const querystring = Type.Object({ before: Type.Optional(Id), done: Done });

  app.get('/deliveries/suppressions', { config: { guard: reading }, schema: { querystring } }, async (request, reply) =>
    sendPage(reply, await readSuppressionPage(request, reading.actor(request), request.query)),
  );

  app.post(
    '/deliveries/suppressions/:suppression_id/lift',
    { config: { guard: changing }, schema: { params: Type.Object({ suppression_id: Id }) } },
    (request, reply) => {
      const actor = changing.actor(request);
      return answerForm(request, reply, {
        run: async () => {
          await liftSuppression(db, request.params.suppression_id, changedBy(request, actor));
          return '/deliveries/suppressions?done=1';
        },
        again: (refused) => readSuppressionPage(request, actor, { refused }),
      });
    },
  );

  async function readSuppressionPage(
    request: FastifyRequest,
    actor: StaffActor,
    { before, done, refused }: Shown & { before?: number },
  ): Promise<Html> {
    const frame = await readFrame(context, request, actor);
    const page = await listSuppressions(db, before === undefined ? {} : { before });
    const words = 'New messages will go to this address again.';
    return suppressionsPage(frame, { ...page, done: done === undefined ? undefined : words, refused });
  }
}

function deadJobRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const changing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });

  app.get(
    '/deliveries/jobs',
    { config: { guard: reading }, schema: { querystring: Type.Object({ done: Done }) } },
    async (request, reply) => sendPage(reply, await readDeadJobsPage(request, reading.actor(request), request.query)),
  );

  app.post(
    '/deliveries/jobs/:job_id/retry',
    { config: { guard: changing }, schema: { params: Type.Object({ job_id: Id }) } },
    (request, reply) => {
      const actor = changing.actor(request);
      return answerForm(request, reply, {
        run: async () => {
          const job = (await listDeadJobs(db)).find(({ id }) => id === request.params.job_id);
          if (job === undefined) throw new NotFoundError('This job is no longer waiting.');
          await retryDeadJob(db, job, changedBy(request, actor));
          return '/deliveries/jobs?done=1';
        },
        again: (refused) => readDeadJobsPage(request, actor, { refused }),
      });
    },
  );

  async function readDeadJobsPage(request: FastifyRequest, actor: StaffActor, { done, refused }: Shown): Promise<Html> {
    const [jobs, frame] = await Promise.all([listDeadJobs(db), readFrame(context, request, actor)]);
    return deadJobsPage(frame, {
      jobs,
      done: done === undefined ? undefined : 'We’re trying the job again now.',
      refused,
    });
  }
}
