import { explainNachaFile, findBankProfile, getBatch, readBatchFile } from '@case-platform/modules/banking';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { type BatchView, batchPage } from './batch-page.ts';
import { BATCH_WORKERS } from './batch-words.ts';

type BatchToDraw = { batch_id: number } & Pick<BatchView, 'done' | 'problem'>;

/** Draws a batch's page; its file for those who have a part in batches. @throws {NotFoundError} */
export async function drawBatch(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { batch_id, ...said }: BatchToDraw,
): Promise<string> {
  const { db, encryptionKey } = context;
  const takesPart = BATCH_WORKERS.some((permission) => actor.admin.can(permission));
  const [batch, text, profile, frame] = await Promise.all([
    getBatch(db, batch_id),
    takesPart ? readBatchFile(db, encryptionKey, batch_id) : null,
    findBankProfile(db),
    readFrame(context, request, actor),
  ]);
  const file = text === null ? null : explainNachaFile(text, { last_four: actor.admin.can('view_bank_accounts') });
  return batchPage(frame, { batch, file, hasBank: profile !== null, ...said });
}
