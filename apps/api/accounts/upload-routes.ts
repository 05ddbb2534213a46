import { beginUpload, confirmOwnFile, type OwnFilePurpose, removeOwnFile } from '@case-platform/modules/storage';
import { sizeLimitWords } from '@case-platform/words/files';
import { UPLOADS } from '@case-platform/words/uploads';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { ConfirmBody, IdempotencyHeaders, UploadBody, UploadDescriptorOut } from '../schemas.ts';
import { Profile, profileOf } from './profile.ts';

const OWN_FILES: { path: string; purpose: OwnFilePurpose; name: string }[] = [
  { path: 'profile-picture', purpose: 'profile_picture', name: 'profile picture' },
  { path: 'photo-id', purpose: 'photo_id', name: 'photo ID' },
];

/** A person's own files, uploaded directly (UPLOAD-1, UPLOAD-8). */
export function uploadRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };
  for (const { path, purpose, name } of OWN_FILES) {
    app.post(
      `/api/user/me/${path}/upload-url`,
      {
        config,
        schema: {
          tags: ['me'],
          summary: `Begin to upload a ${name} (${limitsOf(purpose)}): send the form to upload_url within five minutes`,
          body: UploadBody,
          response: { 200: UploadDescriptorOut },
        },
      },
      (request) => {
        const { id } = guard.actor(request);
        const upload = { user_id: id, purpose, subject_id: id, ...request.body };
        return beginUpload(context.db, context.storage, upload, context.now());
      },
    );

    app.post(
      `/api/user/me/${path}/confirm`,
      {
        config,
        schema: {
          tags: ['me'],
          summary: 'Use the uploaded file from now on; works once per upload',
          headers: IdempotencyHeaders,
          body: ConfirmBody,
          response: { 200: Profile },
        },
      },
      async (request) => {
        const user = guard.actor(request);
        const idempotencyKey = request.headers['idempotency-key'];
        const upload = { user_id: user.id, purpose, file_key: request.body.file_key, idempotencyKey };
        await confirmOwnFile(context, upload, changedBy(request, user), context.now());
        return profileOf(context, user.id);
      },
    );
  }

  app.delete(
    '/api/user/me/profile-picture',
    { config, schema: { tags: ['me'], summary: 'Remove your profile picture', response: { 200: Profile } } },
    async (request) => {
      const user = guard.actor(request);
      const picture = { user_id: user.id, purpose: 'profile_picture' } as const;
      await removeOwnFile(context.db, picture, changedBy(request, user));
      return profileOf(context, user.id);
    },
  );
}

function limitsOf(purpose: OwnFilePurpose): string {
  const { inWords, maxBytes } = UPLOADS[purpose];
  return `${inWords}, up to ${sizeLimitWords(maxBytes)}`;
}
