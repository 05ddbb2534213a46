'use client';

import { acceptedFiles, sizeLimitWords, sizeWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import { useRouter } from 'next/navigation';
import { useCallback, useState } from 'react';
import type { Profile } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import { DirectUploadState } from '../uploads/direct-upload-state.tsx';
import { FileChoice } from '../uploads/file-choice.tsx';
import { fileProblem } from '../uploads/file-problem.ts';
import { useDirectUpload } from '../uploads/use-direct-upload.ts';

const RULES = UPLOADS.photo_id;

export function PhotoIdUpload({ profile }: { profile: Profile }) {
  const router = useRouter();
  const [sent, setSent] = useState(profile.photo_id);
  const [problem, setProblem] = useState<string | null>(null);
  const showUploaded = useCallback(
    (saved: Profile) => {
      setSent(saved.photo_id);
      router.refresh();
    },
    [router],
  );
  const upload = useDirectUpload<Profile>('/api/user/me/photo-id', showUploaded);
  const choose = (file: File) => {
    const refusal = fileProblem(file, RULES);
    setProblem(refusal);
    if (refusal === null) void upload.start(file);
  };
  const photoId = newerOf(profile.photo_id, sent);
  return (
    <section className="panel mb-4 p-5" aria-label="Your photo ID">
      <h2 className="font-semibold">Photo ID</h2>
      {photoId === null ? (
        <p className="quiet mb-3 text-small">
          A passport or driver’s license, so payments reach the right person. {RULES.inWords}, up to{' '}
          {sizeLimitWords(RULES.maxBytes)}. Only you and our staff see it.
        </p>
      ) : (
        <p className="mb-3 text-small wrap-anywhere">
          <a className="link" href={photoId.url} download={photoId.filename}>
            {photoId.filename}
          </a>{' '}
          <span className="quiet">
            {sizeWords(photoId.size)}, sent <Time at={photoId.uploaded_at} />
          </span>
        </p>
      )}
      <FileChoice
        label="Choose your photo ID"
        accept={acceptedFiles(RULES.extensions)}
        disabled={upload.state.step === 'sending'}
        onChoose={choose}
      >
        {photoId === null ? 'Choose a file' : 'Replace it'}
      </FileChoice>
      {photoId?.problem != null && <p className="field-error mt-3">{photoId.problem}</p>}
      {problem !== null && (
        <p className="field-error mt-3" role="alert">
          {problem}
        </p>
      )}
      <DirectUploadState {...upload} />
    </section>
  );
}

/** Returns the newer photo ID; of two equal ones the page's, whose signed URL is newer. */
function newerOf(rendered: Profile['photo_id'], upload: Profile['photo_id']): Profile['photo_id'] {
  if (rendered === null || upload === null) return rendered ?? upload;
  return upload.uploaded_at > rendered.uploaded_at ? upload : rendered;
}
