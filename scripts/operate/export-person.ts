import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createPool } from '@case-platform/lib/database';
import { exitWithError } from '@case-platform/lib/process';
import { closeStorage, createStorage, readObject, type Storage } from '@case-platform/modules/storage';
import { findRecords, readUserId } from './person/find-records.ts';
import { openLaggingReads } from './person/open-lagging-reads.ts';
import { readPerson } from './person/read-person.ts';
import { writeZip } from './person/write-zip.ts';

const USAGE = 'npm run export-person -- --user ID --to FILE.zip';
const READ_WITHIN_MS = 600_000;

/** `npm run export-person`: writes everything that the platform has about a person, with their files (PRIVACY-1). */
try {
  const { userId, to } = readArguments();
  if (existsSync(to)) throw new Error(`${to} already exists.`);
  const config = loadConfigWithDatabase('export-person');
  const pool = createPool({ url: config.databaseDirectUrl, name: 'export-person', max: 2, limitMs: READ_WITHIN_MS });
  const { read, close } = await openLaggingReads(config, pool, READ_WITHIN_MS);
  const storage = createStorage(config.s3);
  try {
    const person = await read((db) =>
      db.transaction(async (tx) => {
        const records = await findRecords(tx, userId);
        return readPerson(
          tx,
          records.map(({ id }) => id),
          config.encryptionKeys,
        );
      }),
    );
    const missing: string[] = [];
    const draft = `${to}.unfinished`;
    await rm(draft, { force: true });
    const { count } = await writeZip(draft, contentOf(person, storage, missing));
    await rename(draft, to);
    const lost = missing.length > 0 ? ` Not in the bucket: ${missing.join(', ')}.` : '';
    process.stdout.write(`${to} contains person.json and ${count - 1} files.${lost}\n`);
  } finally {
    closeStorage(storage);
    await close();
    await pool.end();
  }
} catch (error) {
  exitWithError(error);
}

async function* contentOf(
  { subjects, files }: Awaited<ReturnType<typeof readPerson>>,
  storage: Storage,
  missing: string[],
): AsyncGenerator<{ name: string; content: Readable }> {
  const listed = files.map(({ name }) => name);
  const text = JSON.stringify({ format: 1, ...subjects, files: listed }, null, 2);
  yield { name: 'person.json', content: Readable.from([Buffer.from(`${text}\n`)]) };
  for (const { name, storage_key } of files) {
    const content = await readObject(storage, storage_key);
    if (content === null) missing.push(name);
    else yield { name, content };
  }
}

function readArguments(): { userId: number; to: string } {
  try {
    const { user, to } = parseArgs({ options: { user: { type: 'string' }, to: { type: 'string' } } }).values;
    if (to !== undefined && to !== '') return { userId: readUserId(user, USAGE), to };
  } catch {
    // The usage below answers unknown arguments and missing values.
  }
  throw new Error(`Use: ${USAGE}`);
}
