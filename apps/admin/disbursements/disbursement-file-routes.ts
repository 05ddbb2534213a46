import { beginReceipt, confirmReceipt, removeReceipt } from '@case-platform/modules/disbursements';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';
import { NewFile, readNewFile, SentFile } from '../form/upload-schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { caseOfDisbursement } from './case-of-disbursement.ts';
import { readDisbursementPage } from './read-disbursement-page.ts';

const params = Type.Object({ disbursement_id: Id });

/** Receipts that staff upload straight to the storage (UPLOAD-1, REQUEST-12), and remove again. */
export function disbursementFileRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, storage, now } = context;
  const module = { db, storage, now };
  const case_id = caseOfDisbursement(context);
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_drs', 'edit_drs'], case_id });
  const config = { guard };
  const page: FormPage<Static<typeof params>> = {
    path: ({ disbursement_id }) => `/disbursements/${disbursement_id}`,
    readRefused: ({ request, actor, params: { disbursement_id } }, refused) =>
      readDisbursementPage(server, request, actor, { disbursement_id, refused }),
  };

  app.post('/disbursements/:disbursement_id/files/upload-url', { config, schema: { params, body: NewFile } }, (request) => {
    const by = changedBy(request, guard.actor(request));
    return beginReceipt(module, request.params.disbursement_id, readNewFile(request.body), by);
  });

  app.post('/disbursements/:disbursement_id/files/confirm', { config, schema: { params, body: SentFile } }, (request) => {
    const by = changedBy(request, guard.actor(request));
    return confirmReceipt(module, request.params.disbursement_id, request.body, by);
  });

  formRoute(server, page, '/disbursements/:disbursement_id/files/:file_id/remove', {
    guard,
    params: Type.Object({ disbursement_id: Id, file_id: Id }),
    done: 'file-removed',
    run: ({ params: { disbursement_id: id, file_id: fileId }, by }) => removeReceipt(module, { id, fileId }, by),
  });
}
