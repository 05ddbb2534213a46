'use client';

import { acceptedFiles, sizeLimitWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import { useState } from 'react';
import { errorMessage } from '../api/api-error.ts';
import type { CaseDocument, Page } from '../api/api-shapes.ts';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { DirectUploadState } from '../uploads/direct-upload-state.tsx';
import { FileChoice } from '../uploads/file-choice.tsx';
import { FileFacts } from '../uploads/file-facts.tsx';
import { fileProblem } from '../uploads/file-problem.ts';
import { useDirectUpload } from '../uploads/use-direct-upload.ts';
import { useCaseDocuments } from './use-case-documents.ts';

const RULES = UPLOADS.case_document;

interface Props {
  caseId: number;
  initial: Page<CaseDocument>;
}

/** Lists the documents of a case, adds new ones, and removes those that the reader may delete (UPLOAD-10). */
export function CaseDocuments({ caseId, initial }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const failed = (error: unknown) => setProblem(errorMessage(error));
  const { path, documents, hasMore, busy, more, remove, add } = useCaseDocuments(caseId, initial, failed);
  const upload = useDirectUpload<CaseDocument>(path, add);

  const choose = (file: File) => {
    const refusal = fileProblem(file, RULES);
    setProblem(refusal);
    if (refusal === null) void upload.start(file);
  };

  return (
    <section id="documents" className="scroll-mt-20" aria-label="Documents">
      <h2 className="section-title">Documents</h2>
      <div className="panel p-4">
        {documents.length === 0 ? (
          <p className="quiet mb-3 text-small">
            No documents yet. Add a contract, a statement or a scan, and everyone on this case can read it.
          </p>
        ) : (
          <ul className="mb-3 divide-y divide-base-300">
            {documents.map((document) => (
              <DocumentRow key={document.id} document={document} onRemove={() => remove(document.id)} />
            ))}
          </ul>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <FileChoice
            label="Choose a document"
            accept={acceptedFiles(RULES.extensions)}
            disabled={upload.state.step === 'sending'}
            onChoose={choose}
          >
            Add a document
          </FileChoice>
          {hasMore && (
            <button type="button" className="btn btn-ghost btn-sm" disabled={busy} data-busy={busy} onClick={more}>
              {busy ? 'Loading…' : 'Show older ones'}
            </button>
          )}
          <span className="quiet text-small">
            {RULES.inWords}, up to {sizeLimitWords(RULES.maxBytes)}.
          </span>
        </div>
        {problem !== null && (
          <p className="field-error mt-3" role="alert">
            {problem}
          </p>
        )}
        <DirectUploadState {...upload} />
      </div>
    </section>
  );
}

function DocumentRow({ document, onRemove }: { document: CaseDocument; onRemove: () => Promise<void> }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const { filename, can_delete } = document;
  const confirm = async () => {
    setBusy(true);
    await onRemove();
    setBusy(false);
    setAsking(false);
  };
  return (
    <li className="flex items-start gap-3 py-3 first:pt-0">
      <FileFacts file={document} />
      {can_delete && (
        <button type="button" className="btn btn-ghost btn-xs" aria-label={`Remove ${filename}`} onClick={() => setAsking(true)}>
          Remove
        </button>
      )}
      {asking && (
        <ConfirmDialog
          title="Remove this document?"
          action="Remove it"
          doing="Removing…"
          keep="Cancel"
          busy={busy}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>“{filename}” will be removed for everyone on this case. You can’t undo this.</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
