import { beginCaseDocument, confirmCaseDocument, removeCaseDocument } from '@case-platform/modules/cases';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { Id } from '../form/schemas.ts';
import { NewFile, readNewFile, SentFile } from '../form/upload-schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { readCasePage } from './read-case-page.ts';

/** Documents that staff upload straight to the storage (UPLOAD-1, UPLOAD-10), and remove again. */
export function caseDocumentRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { now = () => new Date() } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });
  const config = { guard };
  const params = Type.Object({ case_id: Id });

  app.post('/cases/:case_id/documents/upload-url', { config, schema: { params, body: NewFile } }, (request) =>
    beginCaseDocument(context, guard.actor(request).user, request.params.case_id, readNewFile(request.body), now()),
  );

  app.post('/cases/:case_id/documents/confirm', { config, schema: { params, body: SentFile } }, async (request) => {
    const { user } = guard.actor(request);
    const { id } = await confirmCaseDocument(context, user, request.params.case_id, request.body, now());
    return { id };
  });

  app.post(
    '/cases/:case_id/documents/:document_id/remove',
    { config, schema: { params: Type.Object({ case_id: Id, document_id: Id }) } },
    (request, reply) => {
      const actor = guard.actor(request);
      const { case_id, document_id: documentId } = request.params;
      return answerForm(request, reply, {
        run: async () => {
          await removeCaseDocument(context, actor.user, { caseId: case_id, documentId }, changedBy(request, actor));
          return `/cases/${case_id}?done=file-removed`;
        },
        again: (refused) => readCasePage(server, request, actor, { case_id, refused }),
      });
    },
  );
}
