import { beginReceipt, confirmReceipt, removeReceipt } from '@case-platform/modules/disbursements';
import { sizeLimitWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { ConfirmBody, Id, IdempotencyHeaders, UploadBody, UploadDescriptorOut } from '../schemas.ts';
import { DisbursementOut } from './disbursement-schemas.ts';
import { changeAndShow, showDisbursement } from './show-disbursement.ts';

const MOST = sizeLimitWords(UPLOADS.disbursement_receipt.maxBytes);

const params = Type.Object({ id: Id });
const tags = ['disbursements'];

/** Receipts of disbursements, uploaded directly (REQUEST-12). */
export function disbursementFileRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['create_drs', 'edit_drs'] });
  const config = { guard };

  app.post(
    '/api/disbursements/:id/files/upload-url',
    {
      config,
      schema: {
        tags,
        summary: `Begin to upload a receipt of up to ${MOST}: send the form to upload_url within five minutes`,
        params,
        body: UploadBody,
        response: { 200: UploadDescriptorOut },
      },
    },
    (request) => {
      const user = guard.actor(request);
      return beginReceipt(context, request.params.id, request.body, changedBy(request, user));
    },
  );

  app.post(
    '/api/disbursements/:id/files/confirm',
    {
      config,
      schema: {
        tags,
        summary: 'Add the uploaded receipt; works once per upload',
        params,
        headers: IdempotencyHeaders,
        body: ConfirmBody,
        response: { 200: DisbursementOut },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const upload = { ...request.body, idempotencyKey: request.headers['idempotency-key'] };
      await confirmReceipt(context, request.params.id, upload, changedBy(request, user));
      return showDisbursement(context, user, request.params.id);
    },
  );

  app.delete(
    '/api/disbursements/:id/files/:file_id',
    {
      config,
      schema: {
        tags,
        summary: 'Remove a receipt of a draft',
        params: Type.Object({ id: Id, file_id: Id }),
        response: { 200: DisbursementOut },
      },
    },
    (request) => {
      const user = guard.actor(request);
      const { id, file_id: fileId } = request.params;
      const by = changedBy(request, user);
      return changeAndShow(context, user, id, (within) => removeReceipt(within, { id, fileId }, by));
    },
  );
}
