import { ForbiddenError } from '@case-platform/lib/errors';
import type { AdminServer } from '../admin-server.ts';
import { closedPage } from './closed-page.ts';
import { readFrame } from './frame.ts';
import { sendPage } from './send-page.ts';

/**
 * Shows a closed page to admins whom a page guard with `closed` lets in although its check fails. The page's own handler does
 * not run then, so it cannot forget to hide something.
 */
export function closePages({ app, context, guards, visitors }: AdminServer): void {
  app.addHook('preHandler', async (request, reply) => {
    const subject = guards.closedSubject(request);
    if (subject === undefined) return;
    const actor = await visitors.find(request);
    if (actor === null) throw new ForbiddenError();
    return sendPage(reply, closedPage(await readFrame(context, request, actor), subject));
  });
}
