'use client';

import { acceptedFiles, sizeLimitWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { Profile } from '../api/api-shapes.ts';
import { Avatar } from '../look/person.tsx';
import { DirectUploadState } from '../uploads/direct-upload-state.tsx';
import { FileChoice } from '../uploads/file-choice.tsx';
import { fileProblem } from '../uploads/file-problem.ts';
import { useDirectUpload } from '../uploads/use-direct-upload.ts';

/** Loaded once a picture was chosen. */
const PictureCrop = dynamic(() => import('./picture-crop.tsx').then((module) => module.PictureCrop));

const RULES = UPLOADS.profile_picture;

const PATH = '/api/user/me/profile-picture';
const READ_AGAIN_MS = 1500;

/** Lets a person choose, crop, and remove their profile picture (UPLOAD-8). */
export function PictureUpload({ profile, name }: { profile: Profile; name: string }) {
  const router = useRouter();
  const [shown, setShown] = useState(profile);
  const [picture, setPicture] = useState<ImageBitmap | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const showUploaded = useCallback(
    (saved: Profile) => {
      setShown(saved);
      router.refresh();
    },
    [router],
  );
  const upload = useDirectUpload<Profile>(PATH, showUploaded);
  useSmallVersion(shown, setShown);

  const choose = async (file: File) => {
    setProblem(fileProblem(file, RULES));
    if (fileProblem(file, RULES) !== null) return;
    try {
      setPicture(await createImageBitmap(file));
    } catch {
      setProblem(`We can’t read “${file.name}” as a picture. Choose another one.`);
    }
  };
  const remove = async () => {
    setProblem(null);
    await apiBrowser<Profile>(PATH, { method: 'DELETE', body: {} }).then(showUploaded, (error) =>
      setProblem(errorMessage(error)),
    );
  };

  const failed = shown.profile_picture_state === 'failed';
  const url = failed ? null : shown.profile_picture_url;
  return (
    <section className="panel mb-4 p-5" aria-label="Your picture">
      <div className="flex items-center gap-4">
        <ProfilePicture url={url} name={name} staff={shown.user_type === 'admin'} />
        <div className="min-w-0">
          <h2 className="font-semibold">Picture</h2>
          <p className="quiet mb-2 text-small">
            {RULES.inWords}, up to {sizeLimitWords(RULES.maxBytes)}. We remove its location.
          </p>
          <div className="flex flex-wrap gap-2">
            <FileChoice
              label="Choose a picture"
              accept={acceptedFiles(RULES.extensions)}
              disabled={upload.state.step === 'sending'}
              onChoose={choose}
            >
              {url === null ? 'Choose a picture' : 'Choose another'}
            </FileChoice>
            {url !== null && (
              <button type="button" className="btn btn-ghost btn-sm" onClick={remove}>
                Remove
              </button>
            )}
          </div>
        </div>
      </div>
      {failed && <p className="field-error mt-3">{shown.profile_picture_problem}</p>}
      {problem !== null && (
        <p className="field-error mt-3" role="alert">
          {problem}
        </p>
      )}
      <DirectUploadState {...upload} />
      {picture !== null && (
        <PictureCrop
          picture={picture}
          onClose={() => setPicture(null)}
          onUse={(file) => {
            setPicture(null);
            void upload.start(file);
          }}
        />
      )}
    </section>
  );
}

function ProfilePicture({ url, name, staff }: { url: string | null; name: string; staff: boolean }) {
  if (url === null) return <Avatar name={name} staff={staff} />;
  return (
    // biome-ignore lint/performance/noImgElement: a signed address of the object store must not pass through this server.
    <img src={url} alt={`Portrait of ${name}`} className="size-16 flex-none rounded-full bg-base-300 object-cover" />
  );
}

/** Reads the profile again until the worker has made the small version. */
function useSmallVersion(profile: Profile, onChange: (profile: Profile) => void): void {
  useEffect(() => {
    if (profile.profile_picture_state !== 'waiting') return;
    const timer = setTimeout(() => {
      // After a failure an equal profile lets it be read again.
      apiBrowser<Profile>('/api/user/me').then(onChange, () => onChange({ ...profile }));
    }, READ_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [profile, onChange]);
}
