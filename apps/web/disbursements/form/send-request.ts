import 'client-only';
import { apiBrowser } from '../../api/api-browser.ts';
import { errorMessage } from '../../api/api-error.ts';
import type { Disbursement } from '../../api/api-shapes.ts';
import { type DisbursementFields, type SaveTarget, saveDisbursement } from './save-disbursement.ts';

/** How far the attempts to send a request have come. Another attempt continues from here. */
export interface SendState {
  /** The id of the saved draft; null before it is saved. */
  id: number | null;
  /** The receipts that have been uploaded. */
  uploaded: Set<File>;
}

interface Sending {
  files: readonly File[];
  state: SendState;
  /** True to send the request for approval; false to save it as a draft. */
  submits: boolean;
  signal: AbortSignal;
  /** Gets what is being done, in words. */
  onStep: (words: string) => void;
}

/** A receipt that was not uploaded, although the request itself is saved. */
export class ReceiptError extends Error {
  override name = 'ReceiptError';
  readonly file: File;
  constructor(file: File, cause: unknown) {
    super(errorMessage(cause), { cause });
    this.file = file;
  }
}

/**
 * Saves a request, uploads its receipts, and sends it, in this order, so that the approver never sees it without them. After a
 * failure the next call repeats only what is missing.
 * @throws {ApiError} @throws {ReceiptError}
 */
export async function sendRequest(
  fields: DisbursementFields,
  target: SaveTarget,
  { files, state, submits, signal, onStep }: Sending,
): Promise<Disbursement> {
  onStep('Saving…');
  const saved = await saveDisbursement(fields, state.id === null ? target : { ...target, draft: { id: state.id } });
  state.id = saved.id;
  for (const file of files) if (!state.uploaded.has(file)) await uploadReceipt(saved.id, file, { state, signal, onStep });
  // An earlier attempt may have sent it although its answer was lost.
  if (!submits || saved.status !== 'draft') return saved;
  onStep('Sending…');
  return apiBrowser<Disbursement>(`/api/disbursements/${saved.id}/submit`, { method: 'POST' });
}

async function uploadReceipt(id: number, file: File, { state, signal, onStep }: Pick<Sending, 'state' | 'signal' | 'onStep'>) {
  const onProgress = (share: number) => onStep(`Uploading ${file.name}, ${Math.round(share * 100)}%`);
  onProgress(0);
  try {
    // Loaded with the first file, because some requests have no receipt.
    const { uploadDirectly } = await import('../../uploads/direct-upload.ts');
    await uploadDirectly(file, { path: `/api/disbursements/${id}/files`, signal, onProgress });
  } catch (error) {
    throw new ReceiptError(file, error);
  }
  state.uploaded.add(file);
}
