import {
  BENEFIT_PERIODS,
  type BenefitPeriod,
  listBenefits,
  requireCaseDisbursements,
  setBenefits,
} from '@case-platform/modules/disbursements';
import { BENEFITS_MAX, CATEGORY_MAX, DESCRIPTION_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { Cents, Id } from '../schemas.ts';

const params = Type.Object({ id: Id });
const fields = {
  category: Type.String({ minLength: 1, maxLength: CATEGORY_MAX }),
  cap_cents: Cents,
  period: Type.Unsafe<BenefitPeriod>({
    type: 'string',
    enum: [...BENEFIT_PERIODS],
    description: '`case`: the cap is for the whole case. `month`: for each month, that of New York.',
  }),
};
const compensation = Type.Boolean({
  description: 'Its payments are compensation, which bank files mark as PAYROLL. False unless given.',
});
const BenefitsIn = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          ...fields,
          note: Type.Optional(Type.String({ maxLength: DESCRIPTION_MAX })),
          compensation: Type.Optional(compensation),
        },
        { title: 'Benefit' },
      ),
      { maxItems: BENEFITS_MAX, description: 'All of them: what is not named is taken away.' },
    ),
  },
  { title: 'Benefits' },
);
const BenefitsOut = Type.Object({
  data: Type.Array(
    Type.Object(
      {
        ...fields,
        used_cents: Type.Integer({ description: 'Paid.' }),
        held_cents: Type.Integer({ description: 'Asked for, approved or in a batch, and not paid yet.' }),
        left_cents: Type.Integer({ description: 'Never below zero: more than the cap may be used.' }),
        note: Type.String(),
        compensation,
      },
      { title: 'BenefitNow' },
    ),
  ),
});

/** The contract limits of a case, by category, with what is left of each (CONTRACT-1, CONTRACT-2). */
export function benefitRoutes({ app, context, guards }: ApiServer): void {
  const reading = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  const editing = guards.user({ user_types: ['admin'], perm_check: ['edit_benefits'] });
  const { db } = context;

  app.get(
    '/api/cases/:id/benefits',
    {
      config: { guard: reading },
      schema: {
        tags: ['cases'],
        summary: 'List the contract limits of a case and what is left of each',
        params,
        response: { 200: BenefitsOut },
      },
    },
    async (request) => {
      const { id } = request.params;
      await requireCaseDisbursements(db, reading.actor(request), id);
      return { data: await listBenefits(db, id, context.now()) };
    },
  );

  app.put(
    '/api/cases/:id/benefits',
    {
      config: { guard: editing },
      schema: {
        tags: ['cases'],
        summary: 'Set the contract limits of a case (staff)',
        params,
        body: BenefitsIn,
        response: { 200: BenefitsOut },
      },
    },
    async (request) => {
      const user = editing.actor(request);
      const { id } = request.params;
      const benefits = request.body.data.map(({ note = '', compensation = false, ...benefit }) => ({
        ...benefit,
        note,
        compensation,
      }));
      await setBenefits(db, id, benefits, { ...changedBy(request, user), actor: user });
      return { data: await listBenefits(db, id, context.now()) };
    },
  );
}
