import { askQuestion, clearStop } from '@case-platform/modules/disbursements';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id, IdempotencyKey, MessageText } from '../form/schemas.ts';
import { caseOfDisbursement } from './case-of-disbursement.ts';
import { readDisbursementPage } from './read-disbursement-page.ts';

const params = Type.Object({ disbursement_id: Id });
const QuestionForm = Type.Object({ text: MessageText, idempotency_key: IdempotencyKey });
const ClearForm = Type.Object({
  stop_id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  reason: Type.String({ maxLength: 8000, default: '' }),
});

/** Questions about a request, alarms that stop all payments to its payee, and the form that clears them (BANK-10). */
export function paymentStopRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const case_id = caseOfDisbursement(context);
  const deciding = guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_drs', case_id });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_drs', case_id });
  const page: FormPage<Static<typeof params>> = {
    path: ({ disbursement_id }) => `/disbursements/${disbursement_id}`,
    readRefused: ({ request, actor, params: { disbursement_id } }, refused) =>
      readDisbursementPage(server, request, actor, { disbursement_id, refused }),
  };

  for (const name of ['question', 'alarm'] as const)
    formRoute(server, page, `/disbursements/:disbursement_id/${name}`, {
      guard: deciding,
      mails: { new_message: 'new-message', payment_alarm: 'payment-alarm', payment_date_moved: 'payment-date-moved' },
      params,
      body: QuestionForm,
      done: name,
      run: async ({ params: { disbursement_id }, body: { text, idempotency_key: idempotencyKey }, actor, by }) => {
        await context.callLimits.count('messages', String(actor.user.id));
        await askQuestion(context, disbursement_id, { text, alarm: name === 'alarm', idempotencyKey }, by);
      },
    });

  formRoute(server, page, '/disbursements/:disbursement_id/clear-payments', {
    guard: editing,
    mails: { payment_alarm_cleared: 'payment-alarm-cleared', payment_date_moved: 'payment-date-moved' },
    params,
    body: ClearForm,
    done: 'clear-payments',
    run: ({ params: { disbursement_id }, body: { stop_id, reason }, by }) =>
      clearStop(context, disbursement_id, { stop_id: Number(stop_id), reason }, by),
  });
}
