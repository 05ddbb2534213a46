import { invalid } from '@case-platform/lib/errors';
import { addBenefit, BENEFIT_PERIODS, changeBenefit, removeBenefit } from '@case-platform/modules/disbursements';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { readAmount } from '../form/read-amount.ts';
import { FieldText, Id } from '../form/schemas.ts';
import { readCasePage } from './read-case-page.ts';

const params = Type.Object({ case_id: Id });
const BenefitForm = Type.Object({
  category: FieldText,
  cap: FieldText,
  period: FieldText,
  note: Type.String({ maxLength: 20_000, default: '' }),
  compensation: Type.Optional(Type.Literal('yes')),
});

/** Sets the contract limits of a case (CONTRACT-1). */
export function caseBenefitRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_benefits', case_id: 'case_id' });
  const page: FormPage<Static<typeof params>> = {
    path: ({ case_id }) => `/cases/${case_id}`,
    readRefused: ({ request, actor, params: { case_id } }, refused) => readCasePage(server, request, actor, { case_id, refused }),
  };

  formRoute(server, page, '/cases/:case_id/benefits', {
    guard,
    params,
    body: BenefitForm,
    done: 'benefit',
    run: ({ params: { case_id }, body, by }) => addBenefit(db, case_id, readBenefit(body), by),
  });

  formRoute(server, page, '/cases/:case_id/benefits/change', {
    guard,
    params,
    body: BenefitForm,
    done: 'benefit',
    run: ({ params: { case_id }, body, by }) => changeBenefit(db, case_id, readBenefit(body), by),
  });

  formRoute(server, page, '/cases/:case_id/benefits/remove', {
    guard,
    params,
    body: Type.Object({ category: FieldText }),
    done: 'benefit-removed',
    run: ({ params: { case_id }, body, by }) => removeBenefit(db, case_id, body.category, by),
  });
}

/** @throws {InvalidInputError} for an amount or a period that the form does not offer. */
function readBenefit({ category, cap, period: text, note, compensation }: Static<typeof BenefitForm>) {
  const period = BENEFIT_PERIODS.find((one) => one === text);
  if (period === undefined) throw invalid('period', 'Choose what the cap is for.');
  return { category, cap_cents: readAmount('cap', cap), period, note, compensation: compensation === 'yes' };
}
