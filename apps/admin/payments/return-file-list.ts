import { type Html, html } from '@case-platform/lib/html';
import type { ReturnFileSummary } from '@case-platform/modules/banking';
import { sizeLimitWords } from '@case-platform/words/files';
import { RETURN_FILE_MAX_BYTES } from '@case-platform/words/limits';
import { formField, formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { returnFileState } from './return-file-page.ts';

interface ReturnFileList {
  /** The newest files, waiting ones first. */
  files: ReturnFileSummary[];
  refused: RefusedForm | undefined;
}

/** The bank's return files, and the form that uploads another one. */
export function returnFileListPage(frame: Frame<StaffActor>, { files, refused }: ReturnFileList): Html {
  const content = html`<div class="page">
    <header class="page-header">
      ${backLink('/batches', 'Back to all batches')}
      <h1 class="page-title">Return files</h1>
      <p class="page-lead">
        The bank’s file lists payments it sent back and accounts that need a correction. One person uploads it, and another
        confirms it.
      </p>
    </header>
    ${formNotices({ refused })}
    ${form(frame, refused)}
    ${list(frame, files)}
  </div>`;
  return shellPage(frame, { title: 'Return files', content });
}

function form(frame: Frame<StaffActor>, refused: RefusedForm | undefined): Html {
  const file = formField(
    {
      name: 'files',
      label: 'Return file from the bank',
      hint: `NACHA format, up to ${sizeLimitWords(RETURN_FILE_MAX_BYTES)}. Nothing changes until a second person confirms it.`,
      control: (attributes) => html`<input class="file-input" type="file" ${attributes} required>`,
    },
    refused,
  );
  return html`<form
    method="post"
    action="/batches/returns"
    enctype="multipart/form-data"
    class="panel padded mt-3"
    data-busy-words="Reading…"
  >
    ${csrfField(frame)}
    ${file}
    <div class="form-actions"><button class="btn btn-primary" type="submit">Upload file</button></div>
  </form>`;
}

function list(frame: Frame, files: ReturnFileSummary[]): Html {
  if (files.length === 0) return html``;
  const rows = files.map((file) => {
    const { id, filename, uploaded_by_name, uploaded_at } = file;
    return html`<li>
      <a class="list-row" href="/batches/returns/${id}">
        <span class="row-who">${filename}</span>
        <span class="row-when">${timeElement(uploaded_at, frame.clock)}</span>
        <span class="row-what quiet">Uploaded by ${uploaded_by_name}</span>
        <span class="row-state">${returnFileState(file)}</span>
      </a>
    </li>`;
  });
  return html`<section aria-labelledby="all-files">
    <h2 class="section-title" id="all-files">Files</h2>
    <ul class="row-list panel">${rows}</ul>
  </section>`;
}
