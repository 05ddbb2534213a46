'use client';

import { acceptedFiles, isShownPicture, sizeLimitWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import { Paperclip } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useCallback, useState } from 'react';
import type { Disbursement, Receipt } from '../../api/api-shapes.ts';
import { ConfirmDialog } from '../../look/confirm-dialog.tsx';
import { DirectUploadState } from '../../uploads/direct-upload-state.tsx';
import { FileChoice } from '../../uploads/file-choice.tsx';
import { FileFacts } from '../../uploads/file-facts.tsx';
import { fileProblem } from '../../uploads/file-problem.ts';
import { useDirectUpload } from '../../uploads/use-direct-upload.ts';
import { useDisbursementChange } from '../use-disbursement-change.ts';
import { ReceiptPdf } from './receipt-pdf.tsx';
import { ReceiptPicture } from './receipt-picture.tsx';

const RULES = UPLOADS.disbursement_receipt;

interface Props {
  disbursement: Disbursement;
  /** True for the maker until the decision (REQUEST-12). */
  mayAdd: boolean;
  mayRemove: boolean;
}

/** Lists the receipts of a disbursement and uploads new ones straight to the storage (UPLOAD-1). */
export function DisbursementReceipts({ disbursement, mayAdd, mayRemove }: Props) {
  const router = useRouter();
  const { change, busy, problem } = useDisbursementChange(disbursement.id);
  const [refusal, setRefusal] = useState<string | null>(null);
  const upload = useDirectUpload<Disbursement>(
    `/api/disbursements/${disbursement.id}/files`,
    useCallback(() => router.refresh(), [router]),
  );
  const choose = (file: File) => {
    const words = fileProblem(file, RULES);
    setRefusal(words);
    if (words === null) void upload.start(file);
  };
  const message = refusal ?? problem;
  return (
    <section className="mb-6" aria-label="Receipts">
      <h2 className="section-title">Receipts</h2>
      <div className="panel p-4">
        {disbursement.files.length === 0 ? (
          <p className={`quiet text-small ${mayAdd ? 'mb-3' : ''}`}>
            {mayAdd ? 'Add a photo of the bill or a PDF. It helps to get a quick decision.' : 'No receipt was added.'}
          </p>
        ) : (
          <ul className={`divide-y divide-(--hairline) ${mayAdd ? 'mb-3' : ''}`}>
            {disbursement.files.map((file) => (
              <ReceiptRow
                key={file.id}
                file={file}
                busy={busy}
                onRemove={mayRemove ? () => change(`/files/${file.id}`, { method: 'DELETE' }) : undefined}
              />
            ))}
          </ul>
        )}
        {mayAdd && (
          <div className="flex flex-wrap items-center gap-2">
            <FileChoice
              label="Choose a receipt"
              accept={acceptedFiles(RULES.extensions)}
              disabled={upload.state.step === 'sending'}
              onChoose={choose}
            >
              <Paperclip size={16} aria-hidden="true" />
              Add a receipt
            </FileChoice>
            <span className="quiet text-small">
              {RULES.inWords}, up to {sizeLimitWords(RULES.maxBytes)}.
            </span>
          </div>
        )}
        {message !== null && (
          <p className="field-error mt-3" role="alert">
            {message}
          </p>
        )}
        <DirectUploadState {...upload} />
      </div>
    </section>
  );
}

interface RowProps {
  file: Receipt;
  busy: boolean;
  onRemove?: (() => Promise<unknown>) | undefined;
}

function ReceiptRow({ file, busy, onRemove }: RowProps) {
  const [asking, setAsking] = useState(false);
  const { filename, content_type, url } = file;
  const confirm = async () => {
    await onRemove?.();
    setAsking(false);
  };
  return (
    <li className="py-3 first:pt-0">
      <div className="flex items-start gap-3">
        <FileFacts file={file} />
        {onRemove !== undefined && (
          <button
            type="button"
            className="btn btn-ghost btn-xs"
            aria-label={`Remove ${filename}`}
            disabled={busy}
            onClick={() => setAsking(true)}
          >
            Remove
          </button>
        )}
      </div>
      {url !== null && isShownPicture(content_type) && (
        <div className="mt-3">
          <ReceiptPicture file={file} />
        </div>
      )}
      {url !== null && content_type === 'application/pdf' && (
        <div className="mt-3">
          <ReceiptPdf url={url} filename={filename} />
        </div>
      )}
      {asking && (
        <ConfirmDialog
          title="Remove this receipt?"
          action="Remove it"
          doing="Removing…"
          keep="Cancel"
          busy={busy}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>“{filename}” will be removed. You can’t undo this.</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
