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
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Done, Id } from '../form/schemas.ts';
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
 * Retrying failed deliveries and jobs, and lifting suppressions. Everyone who can view deliveries may do so, because it only
 * decides whether a message reaches its recipient. Each change is in the audit log.
 */
export function deliveryChangeRoutes(server: AdminServer): void {
  retryRoutes(server);
  suppressionRoutes(server);
  deadJobRoutes(server);
}

function retryRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
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

  const page: FormPage<Static<typeof params>> = {
    path: ({ delivery_id }) => `/deliveries/${delivery_id}`,
    readRefused: ({ request, actor, params: { delivery_id } }, refused) =>
      readDeliveryPage(request, actor, delivery_id, { refused }),
  };
  formRoute(server, page, '/deliveries/:delivery_id/retry', {
    guard: changing,
    params,
    done: 'retried',
    run: ({ params: { delivery_id }, by }) => retryDelivery(db, delivery_id, by),
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

function suppressionRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const changing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const querystring = Type.Object({ before: Type.Optional(Id), done: Done });

  app.get('/deliveries/suppressions', { config: { guard: reading }, schema: { querystring } }, async (request, reply) =>
    sendPage(reply, await readSuppressionPage(request, reading.actor(request), request.query)),
  );

  const page: FormPage<unknown> = {
    path: () => '/deliveries/suppressions',
    readRefused: ({ request, actor }, refused) => readSuppressionPage(request, actor, { refused }),
  };
  formRoute(server, page, '/deliveries/suppressions/:suppression_id/lift', {
    guard: changing,
    params: Type.Object({ suppression_id: Id }),
    done: '1',
    run: ({ params, by }) => liftSuppression(db, params.suppression_id, by),
  });

  async function readSuppressionPage(
    request: FastifyRequest,
    actor: StaffActor,
    { before, done, refused }: Shown & { before?: number },
  ): Promise<Html> {
    const frame = await readFrame(context, request, actor);
    const page = await listSuppressions(db, before === undefined ? {} : { before });
    const words = 'New messages will go to this address again.';
    return suppressionsPage(frame, { ...page, before, done: done === undefined ? undefined : words, refused });
  }
}

function deadJobRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });
  const changing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_deliveries' });

  app.get(
    '/deliveries/jobs',
    { config: { guard: reading }, schema: { querystring: Type.Object({ done: Done }) } },
    async (request, reply) => sendPage(reply, await readDeadJobsPage(request, reading.actor(request), request.query)),
  );

  const page: FormPage<unknown> = {
    path: () => '/deliveries/jobs',
    readRefused: ({ request, actor }, refused) => readDeadJobsPage(request, actor, { refused }),
  };
  formRoute(server, page, '/deliveries/jobs/:job_id/retry', {
    guard: changing,
    params: Type.Object({ job_id: Id }),
    done: '1',
    run: async ({ params, by }) => {
      const job = (await listDeadJobs(db)).find(({ id }) => id === params.job_id);
      if (job === undefined) throw new NotFoundError('This job is no longer waiting.');
      return retryDeadJob(db, job, by);
    },
  });

  async function readDeadJobsPage(request: FastifyRequest, actor: StaffActor, { done, refused }: Shown): Promise<Html> {
    const [jobs, frame] = await Promise.all([listDeadJobs(db), readFrame(context, request, actor)]);
    return deadJobsPage(frame, {
      jobs,
      done: done === undefined ? undefined : 'We’re trying the job again now.',
      refused,
    });
  }
}
