import { beginCaseDocument, confirmCaseDocument, removeCaseDocument } from '@case-platform/modules/cases';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';
import { NewFile, readNewFile, SentFile } from '../form/upload-schemas.ts';
import { readCasePage } from './read-case-page.ts';

const params = Type.Object({ case_id: Id });

/** Documents that staff upload straight to the storage (UPLOAD-1, UPLOAD-10), and remove again. */
export function caseDocumentRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { now } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });
  const config = { guard };
  const page: FormPage<Static<typeof params>> = {
    path: ({ case_id }) => `/cases/${case_id}`,
    readRefused: ({ request, actor, params: { case_id } }, refused) => readCasePage(server, request, actor, { case_id, refused }),
  };

  app.post('/cases/:case_id/documents/upload-url', { config, schema: { params, body: NewFile } }, (request) =>
    beginCaseDocument(context, guard.actor(request).user, request.params.case_id, readNewFile(request.body), now()),
  );

  app.post('/cases/:case_id/documents/confirm', { config, schema: { params, body: SentFile } }, async (request) => {
    const { user } = guard.actor(request);
    const { id } = await confirmCaseDocument(context, user, request.params.case_id, request.body, now());
    return { id };
  });

  formRoute(server, page, '/cases/:case_id/documents/:document_id/remove', {
    guard,
    params: Type.Object({ case_id: Id, document_id: Id }),
    done: 'file-removed',
    run: ({ params: { case_id: caseId, document_id: documentId }, by }) =>
      removeCaseDocument(context, { caseId, documentId }, by),
  });
}
