import { listPayees } from '@case-platform/modules/disbursements';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { Id, NullableTime, Person, toNullablePerson, toPerson } from '../schemas.ts';
import { Arrival } from './disbursement-schemas.ts';

const PayeeOut = Type.Object(
  {
    ...Person.properties,
    approver: Type.Union([Person, Type.Null()], {
      description: 'The person who would decide; null if any staff who can approve may decide.',
    }),
    arrives: Type.Union([Arrival, Type.Null()], {
      description: 'The date when the money would reach the payee’s bank, as in `whereabouts` of the request.',
    }),
    decide_by: Type.Unsafe<Date | null>({
      ...NullableTime,
      description: 'The last moment for the approval on which `arrives` depends.',
    }),
    needs_account: Type.Boolean({ description: '`arrives` also depends on a bank account, which the payee lacks.' }),
    why: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why nothing can be sent to the payee’s bank now.',
    }),
  },
  { title: 'Payee' },
);

/** The people whom a request can pay, for the form of a request (REQUEST-20). */
export function payeeRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['create_drs', 'edit_drs'] });
  app.get(
    '/api/cases/:id/payees',
    {
      config: { guard },
      schema: {
        tags: ['disbursements'],
        summary: 'List whom you can choose as payee, each with the approver and the day of arrival',
        params: Type.Object({ id: Id }),
        response: { 200: Type.Object({ data: Type.Array(PayeeOut) }) },
      },
    },
    async (request) => {
      const payees = await listPayees(context.db, guard.actor(request), request.params.id, context.now());
      return { data: payees.map((payee) => ({ ...payee, ...toPerson(payee), approver: toNullablePerson(payee.approver) })) };
    },
  );
}
