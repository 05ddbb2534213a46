import { invalid } from '@case-platform/lib/errors';
import type { ChangedByUser } from '@case-platform/modules/cases';
import { addBenefit, BENEFIT_PERIODS, changeBenefit, removeBenefit } from '@case-platform/modules/disbursements';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { readAmount } from '../form/read-amount.ts';
import { FieldText, Id } from '../form/schemas.ts';
import { changedByStaff } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readCasePage } from './read-case-page.ts';

const params = Type.Object({ case_id: Id });
const BenefitForm = Type.Object({
  ...{ category: FieldText, cap: FieldText, period: FieldText },
  note: Type.String({ maxLength: 20_000, default: '' }),
});

/** Sets the contract limits of a case (CONTRACT-1). */
export function caseBenefitRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_benefits', case_id: 'case_id' });
  const config = { guard };

  app.post('/cases/:case_id/benefits', { config, schema: { params, body: BenefitForm } }, (request, reply) => {
    const change = { request, reply, actor: guard.actor(request), ...request.params, done: 'benefit' };
    return answerChange(server, change, (caseId, by) => addBenefit(db, caseId, readBenefit(request.body), by));
  });

  app.post('/cases/:case_id/benefits/change', { config, schema: { params, body: BenefitForm } }, (request, reply) => {
    const change = { request, reply, actor: guard.actor(request), ...request.params, done: 'benefit' };
    return answerChange(server, change, (caseId, by) => changeBenefit(db, caseId, readBenefit(request.body), by));
  });

  app.post(
    '/cases/:case_id/benefits/remove',
    { config, schema: { params, body: Type.Object({ category: FieldText }) } },
    (request, reply) => {
      const change = { request, reply, actor: guard.actor(request), ...request.params, done: 'benefit-removed' };
      return answerChange(server, change, (caseId, by) => removeBenefit(db, caseId, request.body.category, by));
    },
  );
}

interface Change {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  case_id: number;
  done: string;
}

/** These forms stand on the page of a case, and lead back to it. */
function answerChange(
  server: AdminServer,
  { request, reply, actor, case_id, done }: Change,
  change: (caseId: number, by: ChangedByUser) => Promise<void>,
): Promise<FastifyReply> {
  return answerForm(request, reply, {
    run: async () => {
      await change(case_id, changedByStaff(request, actor));
      return `/cases/${case_id}?done=${done}`;
    },
    again: (refused) => readCasePage(server, request, actor, { case_id, refused }),
  });
}

function readBenefit({ category, cap, period: text, note }: Static<typeof BenefitForm>) {
  const period = BENEFIT_PERIODS.find((known) => known === text);
  if (period === undefined) throw invalid('period', 'Choose what the cap is for.');
  return { category, cap_cents: readAmount('cap', cap), period, note };
}
