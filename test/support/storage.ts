import { listen } from '@case-platform/lib/http-server';
import type { Log } from '@case-platform/lib/log';
import { closeStorage, createStorage, type Storage } from '@case-platform/modules/storage';
import { createStorageServer } from '../../apps/storage/server.ts';

/** Settings of a store whose client a test replaces, so that nothing is called. */
export const IMITATED_STORE = {
  endpoint: 'http://store.test',
  region: 'r',
  bucket: 'b',
  accessKeyId: 'k',
  secretAccessKey: 's',
  forcePathStyle: true,
};

/** Starts the development object store on a free port. @param origins whose pages may send files; may be filled later. */
export async function openStorage(
  folder: string,
  log: Log,
  origins: readonly string[] = [],
): Promise<{ storage: Storage; close: () => Promise<void> }> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'secret-of-the-tests', region: 'us-east-1' };
  const app = await createStorageServer({
    log,
    folder,
    bucket: 'case-platform',
    credentials,
    origins,
    now: () => new Date(),
  });
  const port = await listen(app, '127.0.0.1', 0);
  const storage = createStorage({
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'case-platform',
    ...credentials,
    forcePathStyle: true,
  });
  const close = async () => {
    closeStorage(storage);
    await app.close();
  };
  return { storage, close };
}
