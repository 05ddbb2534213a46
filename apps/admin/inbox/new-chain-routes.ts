import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { findCase, listCases } from '@case-platform/modules/cases';
import { listRecipients, startChain } from '@case-platform/modules/messaging';
import { RECIPIENTS_MAX } from '@case-platform/words/limits';
import { isUserType } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { isInFlight, problemToMend } from '../form/problem-to-mend.ts';
import { readFormWithFiles, uploadedFiles } from '../form/read-form.ts';
import { markRefused } from '../form/refusal.ts';
import { Id, IdempotencyKey, MessageText } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { newChainPage } from './new-chain-page.ts';

/** Cases that the form offers: the newest. A case's own page leads here for any other. */
const CASES_OFFERED = 100;

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
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_messages' });
  const writing = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_messages' });

  app.get(
    '/messages/new',
    { config: { guard: reading }, schema: { querystring: Type.Object({ case_id: Type.Optional(Id) }) } },
    async (request, reply) => {
      return sendPage(reply, await drawForm(server, request, reading.actor(request), request.query.case_id));
    },
  );

  app.post(
    '/messages',
    {
      config: { guard: writing },
      preValidation: readFormWithFiles({
        csrfToken: (request) => writing.actor(request).session.csrf_token,
        lists: ['recipients'],
      }),
      schema: { body: NewChainForm },
    },
    async (request, reply) => {
      const actor = writing.actor(request);
      await using upload = uploadedFiles(request);
      try {
        if (upload.problem !== undefined) throw upload.problem;
        await context.calls.take('messages', String(actor.user.id));
        const input = { ...readInput(request.body), files: upload.files };
        const { chain_id } = await startChain(context, actor.user, input);
        return reply.redirect(`/messages/${chain_id}`, 303);
      } catch (error) {
        if (isInFlight(error)) return reply.redirect('/messages', 303);
        const refusal = problemToMend(error, upload);
        const { case_id, subject, message: text, recipients } = request.body;
        const failed = { subject, text, recipients, problem: refusal.words };
        return sendPage(markRefused(reply, refusal), await drawForm(server, request, actor, Number(case_id), failed));
      }
    },
  );
}

function readInput({ case_id, subject, message, recipients, idempotency_key }: Static<typeof NewChainForm>) {
  const people = recipients.map((value) => {
    const [, type, id] = /^(\w+):([1-9]\d{0,14})$/.exec(value) ?? [];
    if (!isUserType(type)) throw invalid('recipients', 'Choose the people from the list.');
    return { user_type: type, user_id: Number(id) };
  });
  return { case_id: Number(case_id), subject, message, recipients: people, idempotencyKey: idempotency_key };
}

type Failed = Parameters<typeof newChainPage>[1]['failed'];

async function drawForm(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  caseId: number | undefined,
  failed?: Failed,
): Promise<string> {
  const { db } = context;
  const { data: cases } = await listCases(db, actor.user, { limit: CASES_OFFERED });
  const found = caseId === undefined ? null : await findCase(db, actor.user, caseId);
  if (caseId !== undefined && found === null) throw new NotFoundError();
  const chosen = found === null ? undefined : { ...found, people: await listRecipients(db, actor.user, found.id) };
  return newChainPage(await readFrame(context, request, actor), { cases, chosen, failed });
}
