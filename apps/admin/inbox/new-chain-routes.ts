import { invalid, NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { untilClientLeaves } from '@case-platform/lib/http/until-client-leaves';
import { findCase, listCases } from '@case-platform/modules/cases';
import { listRecipients, startChain } from '@case-platform/modules/messaging';
import { RECIPIENTS_MAX, SUBJECT_MAX } from '@case-platform/words/limits';
import { isUserType } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { ATTACHMENTS_BODY_MAX_BYTES } from '../form/read-form.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Id, IdempotencyKey, MessageText } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { newChainPage } from './new-chain-page.ts';
import { FOR_READERS } from './read-chain-page.ts';

/** The form offers the newest cases. For any other, the case's own page has a link here. */
const CASES_OFFERED = 100;

const NewChainAddress = Type.Object({
  case_id: Type.Optional(Id),
  subject: Type.Optional(Type.String({ maxLength: SUBJECT_MAX })),
});

const NewChainForm = Type.Object({
  case_id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  subject: Type.String({ maxLength: 70_000, default: '' }),
  message: MessageText,
  recipients: Type.Array(Type.String({ maxLength: 40 }), { maxItems: RECIPIENTS_MAX, default: [] }),
  idempotency_key: IdempotencyKey,
});

/** Writing to people of a case. */
export function newChainRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const reading = guards.pageGuard(FOR_READERS);
  const writing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });

  app.get('/messages/new', { config: { guard: reading }, schema: { querystring: NewChainAddress } }, async (request, reply) => {
    const actor = reading.actor(request);
    const { case_id: caseId, subject } = request.query;
    return sendPage(reply, await readNewChainPage(server, request, actor, { caseId, subject }));
  });

  const page: FormPage<unknown, Static<typeof NewChainForm>> = {
    path: () => '/messages/new',
    readRefused: ({ request, actor, body }, refused) =>
      readNewChainPage(server, request, actor, { caseId: Number(body.case_id), refused }),
  };
  formRoute(server, page, '/messages', {
    guard: writing,
    mails: { new_message: 'new-message' },
    body: NewChainForm,
    files: { bodyLimit: ATTACHMENTS_BODY_MAX_BYTES, lists: ['recipients'] },
    run: async ({ reply, actor, body, files }) => {
      await context.callLimits.count('messages', String(actor.user.id));
      const signal = untilClientLeaves(reply.raw);
      return startChain(context, actor.user, { ...parseNewChain(body), files, signal });
    },
    next: ({ chain_id, message_id }) => `/messages/${chain_id}#message-${message_id}`,
    whileInFlight: () => '/messages',
  });
}

function parseNewChain({ case_id, subject, message, recipients, idempotency_key }: Static<typeof NewChainForm>) {
  const people = recipients.map((value) => {
    const [, type, id] = /^(\w+):([1-9]\d{0,14})$/.exec(value) ?? [];
    if (!isUserType(type)) throw invalid('recipients', 'Choose people from the list.');
    return { user_type: type, user_id: Number(id) };
  });
  return { case_id: Number(case_id), subject, message, recipients: people, idempotencyKey: idempotency_key };
}

/** @throws {NotFoundError} for a case that the reader does not see. */
async function readNewChainPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { caseId, subject, refused }: { caseId: number | undefined; subject?: string | undefined; refused?: RefusedForm },
): Promise<Html> {
  const { db } = context;
  const { data: cases } = await listCases(db, actor.user, { limit: CASES_OFFERED });
  const chosenCase = caseId === undefined ? null : await findCase(db, actor.user, caseId);
  if (caseId !== undefined && chosenCase === null) throw new NotFoundError();
  const chosen = chosenCase === null ? undefined : { ...chosenCase, people: await listRecipients(db, actor.user, chosenCase.id) };
  return newChainPage(await readFrame(context, request, actor), { cases, chosen, subject, refused });
}
