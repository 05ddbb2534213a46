import { beginCaseDocument, confirmCaseDocument, removeCaseDocument } from '@case-platform/modules/cases';
import {
  beginReceipt,
  confirmReceipt,
  findDisbursementCase,
  removeReceipt,
} from '@case-platform/modules/disbursements';
import { FILENAME_MAX } from '@case-platform/words/limits';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { drawDisbursement } from '../disbursements/draw-disbursement.ts';
import { changedBy } from '../guards/changed-by.ts';
import { changedByStaff } from '../guards/changed-by-staff.ts';
import { idInParams } from '../guards/guards.ts';
import { sendPage } from '../page/send-page.ts';
import { markRefused, refusalOf } from './refusal.ts';
import { Id } from './schemas.ts';

/** As forms send them: a browser that does not know a type says nothing. */
const NewFile = Type.Object({
  filename: Type.String({ minLength: 1, maxLength: FILENAME_MAX }),
  content_type: Type.String({ maxLength: 255, default: '' }),
  size: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
});
const readFile = ({ size, ...file }: Static<typeof NewFile>) => ({ ...file, size: Number(size) });
const SentFile = Type.Object({ file_key: Type.String({ minLength: 1, maxLength: 200 }) });

/** Files that staff add, sent straight to the storage (specification, 'Direct upload endpoints'), and taken away again. */
export function directUploadRoutes(server: AdminServer): void {
  documentRoutes(server);
  receiptRoutes(server);
}

function documentRoutes({ app, context, guards }: AdminServer): void {
  const { now = () => new Date() } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });
  const config = { guard };
  const params = Type.Object({ case_id: Id });

  app.post('/cases/:case_id/documents/upload-url', { config, schema: { params, body: NewFile } }, (request) =>
    beginCaseDocument(context, guard.actor(request).user, request.params.case_id, readFile(request.body), now()),
  );

  app.post('/cases/:case_id/documents/confirm', { config, schema: { params, body: SentFile } }, async (request) => {
    const { user } = guard.actor(request);
    const { id } = await confirmCaseDocument(context, user, request.params.case_id, request.body, now());
    return { id };
  });

  app.post(
    '/cases/:case_id/documents/:document_id/remove',
    { config, schema: { params: Type.Object({ case_id: Id, document_id: Id }) } },
    async (request, reply) => {
      const actor = guard.actor(request);
      const { case_id: caseId, document_id: documentId } = request.params;
      await removeCaseDocument(context, actor.user, { caseId, documentId }, changedBy(request, actor));
      return reply.redirect(`/cases/${caseId}?done=file-removed`, 303);
    },
  );
}

function receiptRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, storage, now = () => new Date() } = context;
  const module = { db, storage, now };
  const case_id = async (request: FastifyRequest) => {
    const id = idInParams(request, 'disbursement_id');
    return id === null ? null : findDisbursementCase(db, id);
  };
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_drs', 'edit_drs'], case_id });
  const config = { guard };
  const params = Type.Object({ disbursement_id: Id });

  app.post(
    '/disbursements/:disbursement_id/files/upload-url',
    { config, schema: { params, body: NewFile } },
    (request) =>
      beginReceipt(
        module,
        request.params.disbursement_id,
        readFile(request.body),
        changedByStaff(request, guard.actor(request)),
      ),
  );

  app.post('/disbursements/:disbursement_id/files/confirm', { config, schema: { params, body: SentFile } }, (request) =>
    confirmReceipt(module, request.params.disbursement_id, request.body, changedByStaff(request, guard.actor(request))),
  );

  app.post(
    '/disbursements/:disbursement_id/files/:file_id/remove',
    { config, schema: { params: Type.Object({ disbursement_id: Id, file_id: Id }) } },
    async (request, reply) => {
      const actor = guard.actor(request);
      const { disbursement_id: id, file_id: fileId } = request.params;
      try {
        await removeReceipt(module, { id, fileId }, changedByStaff(request, actor));
        return reply.redirect(`/disbursements/${id}?done=file-removed`, 303);
      } catch (error) {
        const refusal = refusalOf(error);
        const page = await drawDisbursement(server, request, actor, { disbursement_id: id, problem: refusal.words });
        return sendPage(markRefused(reply, refusal), page);
      }
    },
  );
}
