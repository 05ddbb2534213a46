import { type Html, html } from '@case-platform/lib/html';
import type { CaseDocument } from '@case-platform/modules/cases';
import { sizeWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { uploadForm } from '../form/upload-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { emptyState } from '../page/notice.ts';
import { timeElement } from '../page/times.ts';

/** The case's newest documents, for those who may edit the case with buttons to add and remove them. */
export function caseDocuments(frame: Frame<StaffActor>, caseId: number, documents: readonly CaseDocument[]): Html {
  const list =
    documents.length === 0
      ? emptyState('file-text', 'No documents', 'Contracts and other papers appear here.')
      : html`<ul class="row-list">${documents.map((document) => row(frame, document))}</ul>`;
  const path = `/cases/${caseId}/documents`;
  const add = frame.actor.admin.can('edit_case_details')
    ? uploadForm(frame, {
        id: 'new-document',
        label: 'Add documents',
        path,
        next: `/cases/${caseId}?done=file`,
        maxBytes: UPLOADS.case_document.maxBytes,
      })
    : '';
  return html`<section aria-labelledby="documents">
    <h2 class="section-title" id="documents">Documents</h2>
    <div class="panel">${list}</div>
    ${add}
  </section>`;
}

function row(
  frame: Frame<StaffActor>,
  { id, case_id, can_delete, filename, size, url, uploaded_by, created_at }: CaseDocument,
): Html {
  const name = url === null ? filename : html`<a class="link" href="${url}">${filename}</a>`;
  const note = url === null ? 'Being checked' : sizeWords(size);
  const remove =
    can_delete && frame.actor.admin.can('edit_case_details')
      ? confirmDialog(frame, {
          id: `remove-document-${id}`,
          button: 'Remove',
          yes: 'Remove it',
          no: 'Cancel',
          look: 'btn btn-xs btn-ghost',
          title: `Remove ${filename}?`,
          text: 'It will be removed for everyone on the case. You can’t undo this.',
          action: `/cases/${case_id}/documents/${id}/remove`,
        })
      : '';
  return html`<li class="list-row is-plain">
    <span class="row-who">${name}</span>
    <span class="row-when">${timeElement(created_at, frame.clock)}</span>
    <span class="row-what quiet">${uploaded_by.name}, ${note}</span>
    <span class="row-state">${remove}</span>
  </li>`;
}
