'use client';

import { acceptedFiles, isShownPicture, sizeLimitWords, sizeWords } from '@case-platform/words/files';
import { RECEIPTS_MAX } from '@case-platform/words/limits';
import { UPLOADS } from '@case-platform/words/uploads';
import { Camera, FileText, Paperclip, X } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import { FileChoice } from '../../uploads/file-choice.tsx';
import { FilePicture } from '../../uploads/file-picture.tsx';
import { fileProblem } from '../../uploads/file-problem.ts';

const RULES = UPLOADS.disbursement_receipt;

interface Props {
  files: readonly File[];
  /** The names of receipts that the draft already has. */
  attached: readonly string[];
  /** The problem of a file that was not uploaded. */
  problem: string | null;
  disabled: boolean;
  onChange: (files: File[]) => void;
}

/** The receipts of a request, which are uploaded when it is saved or sent. On a phone, the camera is the first choice. */
export function ReceiptField({ files, attached, problem, disabled, onChange }: Props) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const add = (chosen: readonly File[]) => {
    const reasons = chosen.map((file) => fileProblem(file, RULES));
    const admitted = chosen.filter((_, at) => reasons[at] === null);
    const room = Math.max(0, RECEIPTS_MAX - files.length - attached.length);
    const tooMany = admitted.length > room ? `A request can have up to ${RECEIPTS_MAX} receipts.` : undefined;
    setRefusal(tooMany ?? reasons.find((reason) => reason !== null) ?? null);
    onChange([...files, ...admitted.slice(0, room)]);
  };
  const addAll = (_: File, all: File[]) => add(all);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!disabled) add([...event.dataTransfer.files]);
  };
  const message = refusal ?? problem;
  return (
    <section
      className={`receipt-drop ${isOver ? 'is-over' : ''}`}
      aria-label="Receipt"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p className="field-label">Receipt</p>
      <p className="field-hint">A photo of the bill or a PDF helps to get a quick decision.</p>
      <ChosenReceipts files={files} attached={attached} disabled={disabled} onChange={onChange} />
      <div className="mt-3 flex flex-wrap gap-2">
        <span className="hidden pointer-coarse:contents">
          <FileChoice label="Take a photo of a receipt" accept="image/*" capture large disabled={disabled} onChoose={addAll}>
            <Camera size={18} aria-hidden="true" />
            Take a photo
          </FileChoice>
        </span>
        <FileChoice
          label="Choose a receipt"
          accept={acceptedFiles(RULES.extensions)}
          multiple
          large
          disabled={disabled}
          onChoose={addAll}
        >
          <Paperclip size={18} aria-hidden="true" />
          Choose a file
        </FileChoice>
      </div>
      <p className="field-hint mt-2">
        {RULES.inWords}, up to {sizeLimitWords(RULES.maxBytes)}.{' '}
        <span className="pointer-coarse:hidden">You can drop files here.</span>
      </p>
      {message !== null && (
        <p className="field-error mt-2" role="alert">
          {message}
        </p>
      )}
    </section>
  );
}

function ChosenReceipts({ files, attached, disabled, onChange }: Pick<Props, 'files' | 'attached' | 'disabled' | 'onChange'>) {
  if (files.length + attached.length === 0) return null;
  const picture = files.find(({ type }) => isShownPicture(type));
  return (
    <>
      <ReceiptNames files={files} attached={attached} disabled={disabled} onChange={onChange} />
      {picture !== undefined && (
        <div className="mt-3 max-lg:hidden">
          <FilePicture key={`${picture.name} ${picture.lastModified}`} file={picture} large />
        </div>
      )}
    </>
  );
}

function ReceiptNames({ files, attached, disabled, onChange }: Pick<Props, 'files' | 'attached' | 'disabled' | 'onChange'>) {
  return (
    <ul className="mt-3 flex flex-col gap-2" aria-label="Receipts of this request">
      {attached.map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two receipts may have the same name, and their order does not change.
        <li key={at} className="receipt-row">
          <FileText size={20} className="quiet flex-none" aria-hidden="true" />
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <span className="quiet text-small">added</span>
        </li>
      ))}
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file can be chosen twice.
        <li key={`${at} ${file.name}`} className="receipt-row">
          <FilePicture file={file} />
          <span className="min-w-0 flex-1 truncate">{file.name}</span>
          <span className="quiet text-small whitespace-nowrap">{sizeWords(file.size)}</span>
          <button
            type="button"
            className="btn btn-ghost btn-square btn-sm"
            aria-label={`Remove ${file.name}`}
            title="Remove"
            disabled={disabled}
            onClick={() => onChange(files.filter((one) => one !== file))}
          >
            <X size={16} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}
