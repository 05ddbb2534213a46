import { type Html, html } from '@case-platform/lib/html';
import type { Disbursement, DisbursementFile } from '@case-platform/modules/disbursements';
import { isShownPicture, sizeWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import { assetUrl } from '../assets/assets.ts';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { uploadForm } from '../form/upload-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { timeElement } from '../page/times.ts';

/** The receipts of a disbursement. Its writer adds receipts until it is decided. */
export function disbursementReceipts(
  frame: Frame<StaffActor>,
  { disbursement, files, mayAdd }: { disbursement: Disbursement; files: DisbursementFile[]; mayAdd: boolean },
): Html {
  const { id, status } = disbursement;
  const rows = files.map((file) => row(frame, file, mayAdd && status === 'draft' ? id : null));
  const list = rows.length === 0 ? html`<p class="quiet">No receipts yet.</p>` : html`<ul class="row-list panel">${rows}</ul>`;
  const path = `/disbursements/${id}/files`;
  const form =
    mayAdd && (status === 'draft' || status === 'submitted')
      ? uploadForm(frame, {
          id: 'new-receipt',
          label: 'Add receipts',
          path,
          next: `/disbursements/${id}?done=file`,
          maxBytes: UPLOADS.disbursement_receipt.maxBytes,
        })
      : '';
  return html`<section aria-labelledby="receipts"><h2 class="section-title" id="receipts">Receipts</h2>${list}${form}</section>`;
}

/** @param draftId the draft that the receipt can still be removed from; null if it stays. */
function row(frame: Frame<StaffActor>, file: DisbursementFile, draftId: number | null): Html {
  const { id, filename, url, content_type, size, uploaded_by, created_at } = file;
  const name = url === null ? html`${filename} (being checked)` : html`<a class="link" href="${url}">${filename}</a>`;
  const remove =
    draftId === null
      ? ''
      : confirmDialog(frame, {
          id: `remove-receipt-${id}`,
          button: 'Remove',
          yes: 'Remove it',
          no: 'Cancel',
          look: 'btn btn-xs btn-ghost',
          title: `Remove ${filename}?`,
          text: 'You can’t undo this. You can add another until the request is decided.',
          action: `/disbursements/${draftId}/files/${id}/remove`,
        });
  return html`<li class="list-row is-plain">
    <span class="row-who">${name}</span>
    <span class="row-when">${timeElement(created_at, frame.clock)}</span>
    <span class="row-what quiet">${sizeWords(size)}, from ${uploaded_by.name}</span>
    <span class="row-state">${remove}</span>
    ${url === null ? '' : preview({ url, filename, content_type })}
  </li>`;
}

/** A picture whole, the pages of a PDF drawn by `request.js`; of anything else there is the file to open. */
function preview({ url, filename, content_type }: { url: string; filename: string; content_type: string }): Html {
  if (isShownPicture(content_type)) {
    return html`<a class="receipt-preview" href="${url}" title="Open ${filename}">
      <img class="receipt-picture" src="${url}" alt="Receipt: ${filename}" loading="lazy">
    </a>`;
  }
  if (content_type !== 'application/pdf') return html``;
  return html`<div
    class="receipt-preview"
    data-pdf="${url}"
    data-pdf-script="${assetUrl('pdf.js')}"
    data-pdf-worker="${assetUrl('pdf-worker.js')}"
  ></div>`;
}
