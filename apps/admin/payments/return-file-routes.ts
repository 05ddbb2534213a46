import { invalid, TooLargeError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import {
  confirmReturnFile,
  getReturnFile,
  listReturnFiles,
  refuseReturnFile,
  uploadReturnFile,
} from '@case-platform/modules/banking';
import type { IncomingFile } from '@case-platform/modules/messaging';
import { sizeLimitWords } from '@case-platform/words/files';
import { RETURN_FILE_MAX_BYTES } from '@case-platform/words/limits';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Done, FieldText, Id } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { returnFileListPage } from './return-file-list.ts';
import { returnFilePage } from './return-file-page.ts';

/** The file, and the form around it. A file that is a little too large is still read, so that the page can say so. */
const BODY_MAX_BYTES = 2 * RETURN_FILE_MAX_BYTES;
const params = Type.Object({ file_id: Id });
const querystring = Type.Object({ done: Done });
const DecisionForm = Type.Object({
  /** A decision names what was seen (PERSON-6, RETURN-2). */
  version: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  reason: FieldText,
});
const DONE = new Map([
  ['read', 'The file is uploaded. Nothing changes until a second person confirms it.'],
  ['confirmed', 'Confirmed. Every entry in the file has been applied.'],
  ['refused', 'Refused. Nothing was changed.'],
]);

/** Return files of the bank: uploaded by one person, confirmed by another. */
export function returnFileRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'make_payments', closed: 'return_files' });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });

  app.get('/batches/returns', { config: { guard: reading } }, async (request, reply) => {
    const actor = reading.actor(request);
    return sendPage(reply, await readListPage(request, actor));
  });

  app.get(
    '/batches/returns/:file_id',
    { config: { guard: reading }, schema: { params, querystring } },
    async (request, reply) => {
      const actor = reading.actor(request);
      return sendPage(reply, await readFilePage(server, request, actor, { ...request.params, ...request.query }));
    },
  );

  const page: FormPage<unknown> = {
    path: () => '/batches/returns',
    readRefused: ({ request, actor }, refused) => readListPage(request, actor, refused),
    names: { file: 'files' },
  };
  formRoute(server, page, '/batches/returns', {
    guard: paying,
    body: Type.Object({}),
    files: { bodyLimit: BODY_MAX_BYTES },
    run: async ({ files, by }) => uploadReturnFile(context, await readFile(files), by),
    next: (id) => `/batches/returns/${id}?done=read`,
  });
  decisionRoutes(server);

  async function readListPage(request: FastifyRequest, actor: StaffActor, refused?: RefusedForm): Promise<Html> {
    const [files, frame] = await Promise.all([listReturnFiles(context.db, actor.user), readFrame(context, request, actor)]);
    return returnFileListPage(frame, { files, refused });
  }
}

function decisionRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { now } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });
  const page: FormPage<Static<typeof params>> = {
    path: ({ file_id }) => `/batches/returns/${file_id}`,
    readRefused: ({ request, actor, params: { file_id } }, refused) => readFilePage(server, request, actor, { file_id, refused }),
  };

  formRoute(server, page, '/batches/returns/:file_id/confirm', {
    guard,
    mails: { payment_returned: 'payment-returned', payment_date_moved: 'payment-date-moved' },
    params,
    body: DecisionForm,
    done: 'confirmed',
    run: ({ params: { file_id: id }, body, by }) => confirmReturnFile(context, { id, ...body }, by, now()),
  });

  formRoute(server, page, '/batches/returns/:file_id/refuse', {
    guard,
    params,
    body: DecisionForm,
    done: 'refused',
    run: ({ params: { file_id: id }, body, by }) => refuseReturnFile(context, { id, ...body }, by),
  });
}

/** @throws {NotFoundError} */
async function readFilePage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { file_id, done, refused }: { file_id: number; done?: string | undefined; refused?: RefusedForm },
): Promise<Html> {
  const [file, frame] = await Promise.all([getReturnFile(context, actor.user, file_id), readFrame(context, request, actor)]);
  return returnFilePage(frame, { file, done: DONE.get(done ?? ''), refused });
}

/** Read byte by byte: a NACHA file is ASCII, and anything else is refused as no such file. */
async function readFile([file]: readonly IncomingFile[]): Promise<{ filename: string; text: string }> {
  if (file === undefined) throw invalid('files', 'Choose the file you got from the bank.');
  if (file.content.size > RETURN_FILE_MAX_BYTES)
    throw new TooLargeError(`A return file can be up to ${sizeLimitWords(RETURN_FILE_MAX_BYTES)}.`);
  const chunks: Buffer[] = [];
  for await (const chunk of file.content.open()) chunks.push(chunk as Buffer);
  return { filename: file.filename, text: Buffer.concat(chunks).toString('latin1') };
}
