import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { findActiveUserById } from '@case-platform/modules/accounts';
import { findBankAccount, findCorrection, setBankAccount, useCorrection } from '@case-platform/modules/banking';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm, type RefusedForm } from '../form/answer-form.ts';
import { hasRecentProof, requireRecentProof } from '../form/recent-proof.ts';
import { Done, Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { bankAccountPage } from './bank-account-page.ts';
import { AccountKind, Line, Version } from './bank-schemas.ts';

const params = Type.Object({ user_id: Id });
const AccountForm = Type.Object({
  version: Version,
  holder_name: Line,
  routing_number: Line,
  account_number: Line,
  account_kind: AccountKind,
});
const DONE = new Map([
  ['set', 'The account was saved. If you changed it, we told the owner and start using it in 48 hours at the earliest.'],
]);

/** Bank accounts of the people who are paid. */
export function bankAccountRoutes({ app, context, guards }: AdminServer): void {
  const { db, now = () => new Date() } = context;
  const reading = guards.pageGuard({
    user_types: ['admin'],
    perm_check: ['view_bank_accounts', 'edit_bank_accounts'],
    closed: 'bank_account',
  });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_bank_accounts' });

  app.get(
    '/bank-accounts/:user_id',
    { config: { guard: reading }, schema: { params, querystring: Type.Object({ done: Done }) } },
    async (request, reply) => {
      const actor = reading.actor(request);
      return sendPage(reply, await readAccountPage(request, actor, { ...request.params, ...request.query }));
    },
  );

  app.post('/bank-accounts/:user_id', { config: { guard: editing }, schema: { params, body: AccountForm } }, (request, reply) => {
    const actor = editing.actor(request);
    const { user_id } = request.params;
    const change = { by: changedBy(request, actor), now: now(), version: request.body.version };
    return answerForm(request, reply, {
      run: async () => {
        requireRecentProof(actor, change.now);
        await setBankAccount(context, user_id, request.body, change);
        return `/bank-accounts/${user_id}?done=set`;
      },
      again: (refused) => readAccountPage(request, actor, { user_id, refused }),
    });
  });

  app.post(
    '/bank-accounts/:user_id/correction',
    { config: { guard: editing }, schema: { params, body: Type.Object({ version: Version }) } },
    async (request, reply) => {
      const actor = editing.actor(request);
      const { user_id } = request.params;
      const change = { by: changedBy(request, actor), now: now(), version: request.body.version };
      if (!hasRecentProof(actor, change.now)) return reply.redirect(confirmPath(`/bank-accounts/${user_id}`), 303);
      return answerForm(request, reply, {
        run: async () => {
          await useCorrection(context, user_id, change);
          return `/bank-accounts/${user_id}?done=set`;
        },
        again: (refused) => readAccountPage(request, actor, { user_id, refused }),
      });
    },
  );

  /** @throws {NotFoundError} for anyone who is never paid. */
  async function readAccountPage(
    request: FastifyRequest,
    actor: StaffActor,
    { user_id, done, refused }: { user_id: number; done?: string | undefined; refused?: RefusedForm },
  ): Promise<Html> {
    const mayView = actor.admin.can('view_bank_accounts');
    const [owner, account, correction, frame] = await Promise.all([
      findActiveUserById(db, user_id),
      findBankAccount(db, user_id),
      mayView ? findCorrection(context, user_id) : null,
      readFrame(context, request, actor),
    ]);
    if (owner === null || owner.user_type === 'admin') throw new NotFoundError();
    return bankAccountPage(frame, { owner, account, correction, done: DONE.get(done ?? ''), refused });
  }
}
