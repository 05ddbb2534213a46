import { invalid, TooLargeError } from '@case-platform/lib/errors';
import { type AppliedReturn, applyReturns } from '@case-platform/modules/banking';
import type { IncomingFile } from '@case-platform/modules/messaging';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { changedBy } from '../changed-by.ts';
import { readFrame } from '../frame.ts';
import { readFormWithFiles, uploadedFiles } from '../read-form.ts';
import { markRefused, refusalOf } from '../refusal.ts';
import { sendPage } from '../send-page.ts';
import { bankReturnsPage } from '../views/bank-returns-page.ts';

/** More than any bank sends in a day. */
const RETURN_FILE_MAX_BYTES = 10 * 1024 * 1024;

/** Reading what came back from the bank. */
export function bankReturnRoutes({ app, context, guards }: AdminServer): void {
  const { now = () => new Date() } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'make_payments' });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });

  app.get('/batches/returns', { config: { guard: reading } }, async (request, reply) =>
    sendPage(reply, bankReturnsPage(await readFrame(context, request, reading.actor(request)), {})),
  );

  app.post(
    '/batches/returns',
    {
      config: { guard: paying },
      preValidation: readFormWithFiles({ csrfToken: (request) => paying.actor(request).session.csrf_token }),
      schema: { body: Type.Object({}) },
    },
    async (request, reply) => {
      const actor = paying.actor(request);
      const frame = await readFrame(context, request, actor);
      await using upload = uploadedFiles(request);
      try {
        if (upload.problem !== undefined) throw upload.problem;
        const file = await readFile(upload.files);
        const applied: AppliedReturn[] = await applyReturns(context, file, {
          by: changedBy(request, actor),
          now: now(),
        });
        return sendPage(reply, bankReturnsPage(frame, { applied, filename: file.filename }));
      } catch (error) {
        const refusal =
          error instanceof TooLargeError ? { status: error.status, words: error.message } : refusalOf(error);
        return sendPage(markRefused(reply, refusal), bankReturnsPage(frame, { problem: refusal.words }));
      }
    },
  );
}

/** Read byte by byte: a NACHA file is ASCII, and anything else is refused as no such file. */
async function readFile([file]: readonly IncomingFile[]): Promise<{ filename: string; text: string }> {
  if (file === undefined) throw invalid('files', 'Choose the file that the bank has given.');
  if (file.content.size > RETURN_FILE_MAX_BYTES) throw new TooLargeError('A return file may have at most 10 MiB.');
  const chunks: Buffer[] = [];
  for await (const chunk of file.content.open()) chunks.push(chunk as Buffer);
  return { filename: file.filename, text: Buffer.concat(chunks).toString('latin1') };
}
