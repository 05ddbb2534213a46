import { invalid, TooLargeError } from '@case-platform/lib/errors';
import {
  confirmReturnFile,
  getReturnFile,
  listReturnFiles,
  refuseReturnFile,
  type SeenReturnFile,
  takeInReturnFile,
} from '@case-platform/modules/banking';
import type { ChangedByUser } from '@case-platform/modules/cases';
import type { IncomingFile } from '@case-platform/modules/messaging';
import { sizeLimitWords } from '@case-platform/words/files';
import { RETURN_FILE_MAX_BYTES } from '@case-platform/words/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readFormWithFiles, uploadedFiles } from '../form/read-form.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { FieldText } from '../form/user-form-fields.ts';
import { changedByStaff } from '../guards/changed-by-staff.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { returnFilePage } from './bank-return-page.ts';
import { bankReturnsPage } from './bank-returns-page.ts';

/** More than any bank sends in a day. */
const params = Type.Object({ file_id: Id });
const querystring = Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) });
const DecisionForm = Type.Object({
  /** What was seen is what is decided (decisions, section 11). */
  version: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  reason: FieldText,
});
const DONE = new Map([
  ['read', 'The file is uploaded. Nothing changes until a second person confirms it.'],
  ['confirmed', 'Confirmed. Every entry in the file has been applied.'],
  ['refused', 'Refused. Nothing was changed.'],
]);

/** What came back from the bank: taken in by one person, confirmed by another. */
export function bankReturnRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'make_payments' });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });

  app.get('/batches/returns', { config: { guard: reading } }, async (request, reply) =>
    sendPage(reply, await drawFiles(server, request, reading.actor(request))),
  );

  app.get(
    '/batches/returns/:file_id',
    { config: { guard: reading }, schema: { params, querystring } },
    async (request, reply) => {
      const said = { ...request.params, done: DONE.get(request.query.done ?? '') };
      return sendPage(reply, await drawFile(server, request, reading.actor(request), said));
    },
  );

  app.post(
    '/batches/returns',
    {
      config: { guard: paying },
      preValidation: readFormWithFiles({ csrfToken: (request) => paying.actor(request).session.csrf_token }),
      schema: { body: Type.Object({}) },
    },
    (request, reply) => takeIn(server, request, reply, paying.actor(request)),
  );
  decisionRoutes(server);
}

function decisionRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { now = () => new Date() } = context;
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });
  const decide = (
    path: string,
    done: string,
    work: (seen: SeenReturnFile & { reason: string }, by: ChangedByUser) => Promise<void>,
  ) =>
    app.post(
      `/batches/returns/:file_id/${path}`,
      { config: { guard: paying }, schema: { params, body: DecisionForm } },
      async (request, reply) => {
        const actor = paying.actor(request);
        const { file_id } = request.params;
        try {
          await work({ id: file_id, ...request.body }, changedByStaff(request, actor));
          return reply.redirect(`/batches/returns/${file_id}?done=${done}`, 303);
        } catch (error) {
          const refusal = refusalOf(error);
          const page = await drawFile(server, request, actor, { file_id, problem: refusal.words });
          return sendPage(markRefused(reply, refusal), page);
        }
      },
    );
  decide('confirm', 'confirmed', (seen, by) => confirmReturnFile(context, seen, { by, now: now() }));
  decide('refuse', 'refused', (seen, by) => refuseReturnFile(context, seen, by));
}

async function takeIn(
  server: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  actor: StaffActor,
): Promise<FastifyReply> {
  await using upload = uploadedFiles(request);
  try {
    if (upload.problem !== undefined) throw upload.problem;
    const id = await takeInReturnFile(server.context, await readFile(upload.files), changedByStaff(request, actor));
    return reply.redirect(`/batches/returns/${id}?done=read`, 303);
  } catch (error) {
    const refusal = error instanceof TooLargeError ? { status: error.status, words: error.message } : refusalOf(error);
    return sendPage(markRefused(reply, refusal), await drawFiles(server, request, actor, refusal.words));
  }
}

async function drawFiles(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  problem?: string,
): Promise<string> {
  const [files, frame] = await Promise.all([
    actor.admin.can('make_payments') ? listReturnFiles(context.db, actor.user) : [],
    readFrame(context, request, actor),
  ]);
  return bankReturnsPage(frame, { files, problem });
}

type FileToDraw = { file_id: number; done?: string | undefined; problem?: string };

/** @throws {NotFoundError} */
async function drawFile(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { file_id, ...said }: FileToDraw,
): Promise<string> {
  const [file, frame] = await Promise.all([
    getReturnFile(context, actor.user, file_id),
    readFrame(context, request, actor),
  ]);
  return returnFilePage(frame, { file, ...said });
}

/** Read byte by byte: a NACHA file is ASCII, and anything else is refused as no such file. */
async function readFile([file]: readonly IncomingFile[]): Promise<{ filename: string; text: string }> {
  if (file === undefined) throw invalid('files', 'Choose the file that the bank has given.');
  if (file.content.size > RETURN_FILE_MAX_BYTES)
    throw new TooLargeError(`A return file may have at most ${sizeLimitWords(RETURN_FILE_MAX_BYTES)}.`);
  const chunks: Buffer[] = [];
  for await (const chunk of file.content.open()) chunks.push(chunk as Buffer);
  return { filename: file.filename, text: Buffer.concat(chunks).toString('latin1') };
}
