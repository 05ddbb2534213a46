import {
  approveBatch,
  cancelBatch,
  confirmOutcome,
  GATHER_MAX,
  generateFile,
  releaseFile,
  removeFromBatch,
  settleBatch,
  signFile,
  unblockBatch,
} from '@case-platform/modules/banking';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import { readBatchPage } from './read-batch-page.ts';

/** The SHA-256 of the file, or of the list of payments, that was seen (BATCH-4). */
const Seen = Type.Object({ sha256: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }) });
const params = Type.Object({ batch_id: Id });
const Reason = Type.String({ maxLength: 1000, default: '' });
const RemoveForm = Type.Object({ disbursement_id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }) });
const IdText = Type.String({ pattern: '^[1-9][0-9]{0,14}$' });
/** The list of payments and the blocking ones among them, as they were seen. */
const UnblockForm = Type.Object({
  ...Seen.properties,
  disbursement_ids: Type.Union([IdText, Type.Array(IdText, { maxItems: GATHER_MAX })], { default: [] }),
});
const CancelForm = Type.Object({ reason: Reason });
const SettleForm = Type.Object({
  ...Seen.properties,
  before_bank_date: Type.Unsafe<'yes' | ''>({ type: 'string', enum: ['yes', ''], default: '' }),
  reason: Reason,
});
const OutcomeForm = Type.Object({
  ...Seen.properties,
  outcome: Type.Unsafe<'accepted' | 'refused'>({ type: 'string', enum: ['accepted', 'refused'] }),
  note: Reason,
});

/** The page of a batch, which all of these forms are on. */
const batchPage = (server: AdminServer): FormPage<Static<typeof params>> => ({
  path: ({ batch_id }) => `/batches/${batch_id}`,
  readRefused: ({ request, actor, params: { batch_id } }, refused) =>
    readBatchPage(server, request, actor, { batch_id, refused }),
});

/** Every step in the life of a batch, each with its permission. The module keeps the steps to different people. */
export function batchChangeRoutes(server: AdminServer): void {
  gatheringRoutes(server);
  fileRoutes(server);
}

/** Before there is a file: approving the list, removing from it, canceling the batch. */
function gatheringRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db, now } = context;
  const approving = guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_nacha' });
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const stopping = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_nacha', 'approve_nacha'] });
  const page = batchPage(server);

  formRoute(server, page, '/batches/:batch_id/approve', {
    guard: approving,
    params,
    body: Seen,
    needsRecentProof: true,
    done: 'approved',
    run: ({ params: { batch_id }, body, by }) => approveBatch(db, batch_id, body.sha256, by, now()),
  });

  formRoute(server, page, '/batches/:batch_id/remove', {
    guard: creating,
    mails: { payments_stopped: 'payments-stopped', payment_date_moved: 'payment-date-moved' },
    params,
    body: RemoveForm,
    done: 'removed',
    run: ({ params: { batch_id }, body, by }) => removeFromBatch(db, batch_id, Number(body.disbursement_id), by, now()),
  });

  // Those who may cancel a batch may also remove what blocks it.
  formRoute(server, page, '/batches/:batch_id/unblock', {
    guard: stopping,
    mails: { payments_stopped: 'payments-stopped', payment_date_moved: 'payment-date-moved' },
    params,
    body: UnblockForm,
    run: ({ params: { batch_id }, body: { sha256, disbursement_ids }, by }) => {
      const seen = { sha256, disbursement_ids: [disbursement_ids].flat().map(Number) };
      return unblockBatch(context, batch_id, seen, by, now());
    },
    done: (result) => `unblocked-${result}`,
  });

  formRoute(server, page, '/batches/:batch_id/cancel', {
    guard: stopping,
    mails: { payments_stopped: 'payments-stopped', payment_date_moved: 'payment-date-moved' },
    params,
    body: CancelForm,
    done: 'cancelled',
    run: ({ params: { batch_id }, body, by }) => cancelBatch(db, batch_id, body.reason, by, now()),
  });
}

/** The file: making, signing and downloading it, then recording what the bank said. */
function fileRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db, now } = context;
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const signing = guards.apiGuard({ user_types: ['admin'], perm_check: BATCH_WORKERS });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });
  const page = batchPage(server);

  formRoute(server, page, '/batches/:batch_id/generate', {
    guard: creating,
    mails: { payment_date_moved: 'payment-date-moved' },
    params,
    body: Seen,
    done: 'generated',
    run: ({ params: { batch_id }, body, by }) => generateFile(context, batch_id, body.sha256, by, now()),
  });

  formRoute(server, page, '/batches/:batch_id/sign', {
    guard: signing,
    params,
    body: Seen,
    needsRecentProof: true,
    done: 'signed',
    run: ({ params: { batch_id }, body, by }) => signFile(db, batch_id, body.sha256, by, now()),
  });

  formRoute(server, page, '/batches/:batch_id/hand-out', {
    guard: paying,
    params,
    body: Seen,
    needsRecentProof: true,
    done: 'handed-out',
    run: ({ params: { batch_id }, body, by }) => releaseFile(db, batch_id, body.sha256, by, now()),
  });

  formRoute(server, page, '/batches/:batch_id/outcome', {
    guard: paying,
    mails: { payment_on_its_way: 'payment-on-its-way' },
    params,
    body: OutcomeForm,
    done: 'confirmed',
    run: ({ params: { batch_id }, body, by }) => confirmOutcome(db, batch_id, body, by, now()),
  });

  formRoute(server, page, '/batches/:batch_id/settle', {
    guard: paying,
    mails: { payment_arrived: 'payment-arrived', last_scheduled_payment: 'last-scheduled-payment' },
    params,
    body: SettleForm,
    done: 'settled',
    run: ({ params: { batch_id }, body: { sha256, before_bank_date, reason }, by }) => {
      const early = before_bank_date === 'yes' ? { reason } : null;
      return settleBatch(db, batch_id, { sha256, early }, by, now());
    },
  });
}
