import {
  approveDisbursement,
  cancelDisbursement,
  denyDisbursement,
  endDisbursement,
  retryDisbursement,
  submitDisbursement,
} from '@case-platform/modules/disbursements';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';
import { caseOfDisbursement } from './case-of-disbursement.ts';
import { readDisbursementPage } from './read-disbursement-page.ts';

const params = Type.Object({ disbursement_id: Id });
/** A decision names the version that was seen (REQUEST-9). */
const SeenForm = Type.Object({ version: Type.String({ minLength: 1, maxLength: 200 }) });
/** Over what the contract allows, an approval says why, and how far over it was seen to go. */
const ApproveForm = Type.Object({
  ...SeenForm.properties,
  over_by_cents: Type.Optional(Type.String({ pattern: '^[0-9]{1,10}$' })),
  account_seen: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
  reason: Type.String({ maxLength: 8000, default: '' }),
});
const ReasonForm = Type.Object({ ...SeenForm.properties, reason: Type.String({ maxLength: 8000, default: '' }) });

/** The steps from one state of a disbursement to the next, for staff with access to its case (REQUEST-1). */
export function disbursementChangeRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db, now } = context;
  const case_id = caseOfDisbursement(context);
  const deciding = guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_drs', case_id });
  const writing = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_drs', 'edit_drs'], case_id });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_drs', case_id });
  const module = { db, now };
  const page: FormPage<Static<typeof params>> = {
    path: ({ disbursement_id }) => `/disbursements/${disbursement_id}`,
    readRefused: ({ request, actor, params: { disbursement_id } }, refused) =>
      readDisbursementPage(server, request, actor, { disbursement_id, refused }),
  };

  formRoute(server, page, '/disbursements/:disbursement_id/submit', {
    guard: writing,
    mails: { disbursement_submitted: 'request-submitted' },
    params,
    done: 'submit',
    run: ({ params: { disbursement_id }, by }) => submitDisbursement(module, disbursement_id, by),
  });

  formRoute(server, page, '/disbursements/:disbursement_id/cancel', {
    guard: writing,
    params,
    done: 'cancel',
    run: ({ params: { disbursement_id }, by }) => cancelDisbursement(module, disbursement_id, by),
  });

  formRoute(server, page, '/disbursements/:disbursement_id/approve', {
    guard: deciding,
    mails: { disbursement_approved: 'request-approved', payment_date_moved: 'payment-date-moved' },
    params,
    body: ApproveForm,
    done: 'approve',
    run: ({ params: { disbursement_id }, body: { over_by_cents: seen, ...approval }, by }) => {
      const over_by_cents = seen === undefined ? undefined : Number(seen);
      return approveDisbursement(module, disbursement_id, { ...approval, over_by_cents }, by);
    },
  });

  formRoute(server, page, '/disbursements/:disbursement_id/deny', {
    guard: deciding,
    mails: { disbursement_denied: 'request-denied' },
    params,
    body: ReasonForm,
    done: 'deny',
    run: ({ params: { disbursement_id }, body, by }) => denyDisbursement(module, disbursement_id, body, by),
  });

  formRoute(server, page, '/disbursements/:disbursement_id/retry', {
    guard: editing,
    params,
    body: ReasonForm,
    done: 'retry',
    run: ({ params: { disbursement_id }, body, by }) => retryDisbursement(module, disbursement_id, body, by),
  });

  formRoute(server, page, '/disbursements/:disbursement_id/end', {
    guard: editing,
    mails: { payment_ended: 'payment-ended' },
    params,
    body: ReasonForm,
    done: 'end',
    run: ({ params: { disbursement_id }, body, by }) => endDisbursement(module, disbursement_id, body, by),
  });
}
