import { invalid, NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { findCaseOutline, listCaseCategories, listCasePeople } from '@case-platform/modules/cases';
import {
  createDisbursement,
  findDisbursementCase,
  getDisbursement,
  listBenefits,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import { dollarsField } from '@case-platform/words/money';
import { USER_TYPES } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { readAmount } from '../form/read-amount.ts';
import { FieldText, Id, IdempotencyKey } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { caseOfDisbursement } from './case-of-disbursement.ts';
import { type DisbursementForm, disbursementFormPage } from './disbursement-form.ts';

const LongText = Type.String({ maxLength: 20_000, default: '' });
const Form = Type.Object({ amount: FieldText, category: FieldText, description: LongText, payee: FieldText });
const NewForm = Type.Object({ ...Form.properties, idempotency_key: IdempotencyKey });
const inCase = Type.Object({ case_id: Id });
const params = Type.Object({ disbursement_id: Id });

/** Requesting a disbursement for somebody on a case, and editing one. */
export function disbursementFormRoutes(server: AdminServer): void {
  newDisbursementRoutes(server);
  editRoutes(server);
}

function newDisbursementRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const options = { user_types: ['admin'], perm_check: 'create_drs', case_id: 'case_id' } as const;
  const reading = guards.pageGuard({ ...options, closed: 'disbursement_form' });
  const writing = guards.apiGuard(options);

  app.get(
    '/cases/:case_id/disbursements/new',
    { config: { guard: reading }, schema: { params: inCase } },
    async (request, reply) => {
      const actor = reading.actor(request);
      return sendPage(reply, await readFormPage(server, request, actor, { caseId: request.params.case_id }));
    },
  );

  const page: FormPage<Static<typeof inCase>> = {
    path: ({ case_id }) => `/cases/${case_id}/disbursements/new`,
    readRefused: ({ request, actor, params: { case_id: caseId } }, refused) =>
      readFormPage(server, request, actor, { caseId, refused }),
  };
  formRoute(server, page, '/cases/:case_id/disbursements', {
    guard: writing,
    params: inCase,
    body: NewForm,
    run: async ({ params: { case_id: caseId }, body: { idempotency_key: idempotencyKey, ...fields }, by }) =>
      createDisbursement(context, caseId, { ...parseFields(fields), idempotencyKey }, by),
    next: ({ id }) => `/disbursements/${id}?done=created`,
  });
}

function editRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now } = context;
  const case_id = caseOfDisbursement(context);
  const reading = guards.pageGuard({
    user_types: ['admin'],
    perm_check: 'edit_drs',
    case_id,
    closed: 'disbursement_form',
  });
  const writing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_drs', case_id });

  app.get('/disbursements/:disbursement_id/edit', { config: { guard: reading }, schema: { params } }, async (request, reply) => {
    const actor = reading.actor(request);
    const disbursement = await getDisbursement(db, actor.user, request.params.disbursement_id, now());
    // A form must not show what its reader may not see; the request's page says whose it is.
    if (!disbursement.has_content) return reply.redirect(`/disbursements/${disbursement.id}`);
    const { id: disbursementId, case_id: caseId, amount_cents, category, description, payee } = disbursement;
    const values = {
      amount: dollarsField(amount_cents),
      category,
      description,
      payee: `${payee.user_type}:${payee.user_id}`,
    };
    return sendPage(reply, await readFormPage(server, request, actor, { caseId, disbursementId, values }));
  });

  const page: FormPage<Static<typeof params>> = {
    path: ({ disbursement_id }) => `/disbursements/${disbursement_id}/edit`,
    readRefused: async ({ request, actor, params: { disbursement_id: disbursementId } }, refused) => {
      const caseId = await findDisbursementCase(db, disbursementId);
      if (caseId === null) throw new NotFoundError();
      return readFormPage(server, request, actor, { caseId, disbursementId, refused });
    },
  };
  formRoute(server, page, '/disbursements/:disbursement_id', {
    guard: writing,
    params,
    body: Form,
    run: async ({ params: { disbursement_id }, body, by }) => updateDisbursement(context, disbursement_id, parseFields(body), by),
    next: (_, { params: { disbursement_id } }) => `/disbursements/${disbursement_id}?done=changed`,
  });
}

/** @throws {NotFoundError} for a case that does not exist. */
async function readFormPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { caseId, ...form }: { caseId: number } & Pick<DisbursementForm, 'disbursementId' | 'values' | 'refused'>,
): Promise<Html> {
  const { db, now } = context;
  const [frame, outline, people, benefits, categories] = await Promise.all([
    readFrame(context, request, actor),
    findCaseOutline(db, caseId),
    listCasePeople(db, caseId),
    listBenefits(db, caseId, now()),
    listCaseCategories(db, caseId),
  ]);
  if (outline === null) throw new NotFoundError();
  return disbursementFormPage(frame, { outline, people, benefits, categories, ...form });
}

function parseFields({ amount, category, description, payee }: Static<typeof Form>) {
  const amount_cents = readAmount('amount', amount);
  const [, type, id] = /^(\w+):([1-9]\d{0,14})$/.exec(payee) ?? [];
  const user_type = USER_TYPES.find((one) => one === type);
  if (user_type === undefined) throw invalid('payee', 'Choose who gets paid.');
  return { amount_cents, category, description, payee: { user_type, user_id: Number(id) } };
}
