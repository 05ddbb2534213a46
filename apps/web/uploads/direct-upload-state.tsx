'use client';

import { Notice } from '../look/notice.tsx';
import { UploadProgress } from './upload-progress.tsx';
import type { useDirectUpload } from './use-direct-upload.ts';

type Props = Pick<ReturnType<typeof useDirectUpload>, 'state' | 'cancel' | 'retry' | 'dismiss'>;

export function DirectUploadState({ state, cancel, retry, dismiss }: Props) {
  if (state.step === 'idle') return null;
  if (state.step === 'sending') {
    return (
      <div className="mt-3">
        <p className="quiet mb-1 text-small wrap-anywhere">Sending {state.name}</p>
        <UploadProgress share={state.share} onCancel={cancel} />
      </div>
    );
  }
  return (
    <Notice kind="error" title={`“${state.name}” wasn’t uploaded`} className="mt-3">
      <p>{state.words}</p>
      <p className="mt-2 flex gap-2">
        <button type="button" className="btn btn-sm" onClick={retry}>
          Try again
        </button>
        <button type="button" className="btn btn-ghost btn-sm" onClick={dismiss}>
          Leave it
        </button>
      </p>
    </Notice>
  );
}
