import { beginReceipt, confirmReceipt, removeReceipt } from '@case-platform/modules/disbursements';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { Id } from '../form/schemas.ts';
import { NewFile, readNewFile, SentFile } from '../form/upload-schemas.ts';
import { changedByStaff } from '../guards/changed-by.ts';
import { caseOfDisbursement } from './case-of-disbursement.ts';
import { readDisbursementPage } from './read-disbursement-page.ts';

/** Receipts that staff upload straight to the storage (UPLOAD-1, REQUEST-12), and remove again. */
export function disbursementFileRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, storage, now = () => new Date() } = context;
  const module = { db, storage, now };
  const case_id = caseOfDisbursement(context);
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_drs', 'edit_drs'], case_id });
  const config = { guard };
  const params = Type.Object({ disbursement_id: Id });

  app.post('/disbursements/:disbursement_id/files/upload-url', { config, schema: { params, body: NewFile } }, (request) => {
    const by = changedByStaff(request, guard.actor(request));
    return beginReceipt(module, request.params.disbursement_id, readNewFile(request.body), by);
  });

  app.post('/disbursements/:disbursement_id/files/confirm', { config, schema: { params, body: SentFile } }, (request) => {
    const by = changedByStaff(request, guard.actor(request));
    return confirmReceipt(module, request.params.disbursement_id, request.body, by);
  });

  app.post(
    '/disbursements/:disbursement_id/files/:file_id/remove',
    { config, schema: { params: Type.Object({ disbursement_id: Id, file_id: Id }) } },
    (request, reply) => {
      const actor = guard.actor(request);
      const { disbursement_id, file_id: fileId } = request.params;
      return answerForm(request, reply, {
        run: async () => {
          await removeReceipt(module, { id: disbursement_id, fileId }, changedByStaff(request, actor));
          return `/disbursements/${disbursement_id}?done=file-removed`;
        },
        again: (refused) => readDisbursementPage(server, request, actor, { disbursement_id, refused }),
      });
    },
  );
}
