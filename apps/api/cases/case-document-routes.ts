import {
  beginCaseDocument,
  type CaseDocument,
  confirmCaseDocument,
  listCaseDocuments,
  removeCaseDocument,
} from '@case-platform/modules/cases';
import { sizeLimitWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import { toApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import {
  ConfirmBody,
  Id,
  IdempotencyHeaders,
  PageQuery,
  Person,
  PictureState,
  pageOf,
  Time,
  UploadBody,
  UploadDescriptorOut,
} from '../schemas.ts';

const MOST = sizeLimitWords(UPLOADS.case_document.maxBytes);

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const CaseDocumentOut = Type.Object(
  {
    id: Id,
    case_id: Id,
    filename: Type.String(),
    content_type: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    uploaded_by: Person,
    created_at: Time,
    picture_state: PictureState,
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: "Signed on reading, for one hour. Null while another person's picture still holds its location.",
    }),
    url_expires_at: NullableText,
    can_delete: Type.Boolean(),
  },
  { title: 'CaseDocument' },
);
const CaseId = Type.Object({ id: Id });

function toCaseDocumentOut(document: CaseDocument) {
  const { uploaded_by } = document;
  return { ...document, uploaded_by: { ...uploaded_by, user_type: toApiUserType(uploaded_by.user_type) } };
}

/** The documents of a case, uploaded directly (UPLOAD-10). */
export function caseDocumentRoutes(server: ApiServer): void {
  readingRoutes(server);
  changingRoutes(server);
}

function readingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details'] });
  app.get(
    '/api/cases/:id/documents',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'List the documents of a case, newest first',
        params: CaseId,
        querystring: Type.Object(PageQuery),
        response: { 200: pageOf(CaseDocumentOut) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const page = await listCaseDocuments(context, user, request.params.id, request.query, context.now());
      return { data: page.data.map(toCaseDocumentOut), next_cursor: page.next_cursor };
    },
  );
}

function changingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['edit_case_details'] });
  const config = { guard };

  app.post(
    '/api/cases/:id/documents/upload-url',
    {
      config,
      schema: {
        tags: ['cases'],
        summary: `Begin to upload a document of up to ${MOST}: send the form to upload_url within five minutes`,
        params: CaseId,
        body: UploadBody,
        response: { 200: UploadDescriptorOut },
      },
    },
    (request) => beginCaseDocument(context, guard.actor(request), request.params.id, request.body, context.now()),
  );

  app.post(
    '/api/cases/:id/documents/confirm',
    {
      config,
      schema: {
        tags: ['cases'],
        summary: 'Add the uploaded document to the case; works once per upload',
        params: CaseId,
        headers: IdempotencyHeaders,
        body: ConfirmBody,
        response: { 200: CaseDocumentOut },
      },
    },
    async (request) => {
      const upload = { file_key: request.body.file_key, idempotencyKey: request.headers['idempotency-key'] };
      const user = guard.actor(request);
      const document = await confirmCaseDocument(context, user, request.params.id, upload, context.now());
      return toCaseDocumentOut(document);
    },
  );

  app.delete(
    '/api/cases/:id/documents/:document_id',
    {
      config,
      schema: {
        tags: ['cases'],
        summary: 'Remove a document for good (who uploaded it, or staff with edit_case_details)',
        params: Type.Object({ id: Id, document_id: Id }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: caseId, document_id: documentId } = request.params;
      const user = guard.actor(request);
      await removeCaseDocument(context, { caseId, documentId }, changedBy(request, user));
      return reply.code(204).send(null);
    },
  );
}
