import type { Html } from '@case-platform/lib/html';
import { explainNachaFile, findBankProfile, getBatch, readBatchFile } from '@case-platform/modules/banking';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { batchPage } from './batch-page.ts';

const HANDED_OUT = 'handed-out';
const DONE = new Map([
  ['created', 'The batch is ready. Someone else has to approve it.'],
  ['approved', 'You approved the batch.'],
  ['removed', 'The request was taken out. It will wait for another batch.'],
  ['cancelled', 'The batch was cancelled. Its requests will wait for another one.'],
  ['unblocked-removed', 'The payments were removed and wait for another batch. Someone has to approve this one again.'],
  ['unblocked-file_made', 'The file was made again for the rest. Someone has to approve it, then two people sign it.'],
  ['unblocked-cancelled', 'Nothing was left to pay, so the batch was cancelled. Its requests will wait for another one.'],
  ['generated', 'The file is ready. Two people have to check and sign it.'],
  ['signed', 'You signed the file.'],
  [HANDED_OUT, 'Your download has started. Send the file to the bank, then confirm here that the bank has it.'],
  ['confirmed', 'Thanks. We noted it.'],
  ['settled', 'The batch is paid, and so are its requests.'],
]);

interface Shown {
  batch_id: number;
  done?: string | undefined;
  refused?: RefusedForm;
}

/** Reads the page of a batch; people who work on batches also see its file. @throws {NotFoundError} */
export async function readBatchPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { batch_id, done, refused }: Shown,
): Promise<Html> {
  const { db, encryptionKey, now } = context;
  const seesFile = BATCH_WORKERS.some((permission) => actor.admin.can(permission));
  const [batch, text, profile, frame] = await Promise.all([
    getBatch(db, batch_id, now()),
    seesFile ? readBatchFile(db, encryptionKey, batch_id) : null,
    findBankProfile(db),
    readFrame(context, request, actor),
  ]);
  const file = text === null ? null : explainNachaFile(text, { last_four: actor.admin.can('view_bank_accounts') });
  const isSending = batch.status === 'outcome_unknown' && batch.handed_out_by === actor.user.id;
  const download = done === HANDED_OUT && isSending ? `/batches/${batch_id}/file` : undefined;
  return batchPage(frame, { batch, file, hasBank: profile !== null, done: DONE.get(done ?? ''), refused, download });
}
