import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { findActiveUserById } from '@case-platform/modules/accounts';
import { findBankAccount, findCorrection, setBankAccount, useCorrection } from '@case-platform/modules/banking';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { requireRecentProof } from '../form/recent-proof.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Done, Id } from '../form/schemas.ts';
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
export function bankAccountRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now } = context;
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

  const page: FormPage<Static<typeof params>> = {
    path: ({ user_id }) => `/bank-accounts/${user_id}`,
    readRefused: ({ request, actor, params: { user_id } }, refused) => readAccountPage(request, actor, { user_id, refused }),
  };
  formRoute(server, page, '/bank-accounts/:user_id', {
    guard: editing,
    mails: {
      bank_account_changed: 'bank-account-changed',
      disbursement_submitted: 'request-submitted',
      payments_stopped: 'payments-stopped',
      payment_date_moved: 'payment-date-moved',
    },
    params,
    body: AccountForm,
    done: 'set',
    run: async ({ actor, params: { user_id }, body, by }) => {
      const change = { by, now: now(), version: body.version };
      requireRecentProof(actor, change.now);
      await setBankAccount(context, user_id, body, change);
    },
  });

  formRoute(server, page, '/bank-accounts/:user_id/correction', {
    guard: editing,
    mails: {
      bank_account_changed: 'bank-account-changed',
      disbursement_submitted: 'request-submitted',
      payments_stopped: 'payments-stopped',
      payment_date_moved: 'payment-date-moved',
    },
    params,
    body: Type.Object({ version: Version }),
    done: 'set',
    needsRecentProof: true,
    run: ({ params: { user_id }, body: { version }, by }) => useCorrection(context, user_id, { by, now: now(), version }),
  });

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
