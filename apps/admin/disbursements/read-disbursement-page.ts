import type { Html } from '@case-platform/lib/html';
import { listAudit } from '@case-platform/modules/audit';
import { findBankAccount, findBatchEntry } from '@case-platform/modules/banking';
import { canAccessCase } from '@case-platform/modules/cases';
import {
  getDisbursement,
  listDisbursementFiles,
  listPaymentStops,
  listRequestBenefits,
} from '@case-platform/modules/disbursements';
import { listMovements } from '@case-platform/modules/ledger';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { disbursementPage } from './disbursement-page.ts';
import { draftPage } from './draft-page.ts';

const DONE = new Map([
  ['created', 'Draft saved. Send it for approval when it’s complete.'],
  ['changed', 'Changes saved.'],
  ['file', 'The receipt was added.'],
  ['file-removed', 'The receipt was removed.'],
  ['submit', 'The request was sent for approval.'],
  ['approve', 'Approved. The money is set aside.'],
  ['deny', 'Denied. We’re telling the person who asked and the escrow specialist.'],
  ['retry', 'The payment goes out again with the next batch.'],
  ['end', 'Ended. The payee, the parents, and everyone who dealt with it are notified.'],
  ['cancel', 'The request was cancelled.'],
  ['question', 'Your question was sent. The answer appears in the conversation.'],
  ['alarm', 'All payments to the payee are stopped until the escrow specialist clears them.'],
  ['clear-payments', 'Payments to the payee continue.'],
]);

interface Shown {
  disbursement_id: number;
  /** For a reader who may not read requests, and sees only what a payment needs (CASE-2). */
  onlyPays?: boolean;
  done?: string | undefined;
  refused?: RefusedForm;
}

/** Reads the page of a disbursement. @throws {NotFoundError} also for one that the reader does not see. */
export async function readDisbursementPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { disbursement_id: id, onlyPays = false, done, refused }: Shown,
): Promise<Html> {
  const { db, storage, now } = context;
  const frame = await readFrame(context, request, actor);
  const disbursement = await getDisbursement(db, actor.user, id, now(), { onlyPays });
  const shown = { done: DONE.get(done ?? ''), refused };
  const [stop = null] = onlyPays ? [] : await listPaymentStops(db, actor.user, { about: id });
  if (!disbursement.has_content) return draftPage(frame, { draft: disbursement, stop, ...shown });
  const onCase = !onlyPays && (await canAccessCase(db, actor.user, disbursement.case_id));
  const [files, benefits, history, movements, batch, account] = await Promise.all([
    listDisbursementFiles({ db, storage, now }, actor.user, [id]),
    onlyPays ? new Map() : listRequestBenefits(db, actor.user, [id], now()),
    // Someone who only pays the request sees nothing else of its case (CASE-2).
    onCase ? listAudit(db, { subject_type: 'disbursement', subject_id: id, limit: 100 }) : { data: [] },
    onCase ? listMovements(db, id) : [],
    findBatchEntry(db, id),
    actor.admin.can('view_bank_accounts') ? findBankAccount(db, disbursement.payee.user_id) : null,
  ]);
  return disbursementPage(frame, {
    disbursement,
    benefit: benefits.get(id) ?? null,
    files: files.get(id) ?? [],
    history: history.data,
    movements,
    batch,
    account,
    stop,
    onCase,
    ...shown,
  });
}
