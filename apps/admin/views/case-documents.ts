import { html } from '@case-platform/lib/html';
import type { CaseDocument } from '@case-platform/modules/cases';
import type { Frame } from '../frame.ts';
import { emptyState } from './notice.ts';
import { timeElement } from './times.ts';
import { sizeWords } from './words.ts';

/** The case's newest documents; their addresses are signed for an hour. */
export function caseDocuments(frame: Frame, documents: readonly CaseDocument[]): string {
  const list =
    documents.length === 0
      ? emptyState('file-text', 'No documents', 'Contracts and papers that people of the case add show up here.')
      : html`<ul class="row-list">!${documents.map((document) => row(frame, document))}</ul>`;
  return html`<section aria-labelledby="documents"><h2 class="section-title" id="documents">Documents</h2><div class="panel">!${list}</div></section>`;
}

function row(frame: Frame, { filename, size, url, uploaded_by, created_at }: CaseDocument): string {
  const name = url === null ? html`${filename}` : html`<a class="link" href="${url}">${filename}</a>`;
  const note = url === null ? 'Is being prepared' : sizeWords(size);
  return html`<li class="list-row is-plain">
  <span class="row-who">!${name}</span><span class="row-when">!${timeElement(created_at, frame.clock)}</span>
  <span class="row-what quiet">${uploaded_by.name}, ${note}</span>
</li>`;
}
