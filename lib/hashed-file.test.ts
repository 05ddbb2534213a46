import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { after, test } from 'node:test';
import { hashFile, writeHashedFile } from './hashed-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'hashed-file-'));
after(() => rm(folder, { recursive: true }));
const piecesOf = (...sizes: number[]) => sizes.map((size, at) => Buffer.alloc(size, at + 1));

test('[BACKUP-2] a file has the size and hash of what was written, after it passed through other streams', async () => {
  for (const [at, pieces] of [piecesOf(), piecesOf(1), piecesOf(0, 3), piecesOf(70_000, 1, 200_000)].entries()) {
    const path = join(folder, `file-${at}`);
    const addOne = new Transform({
      transform: (piece: Buffer, _encoding, done) =>
        done(
          null,
          piece.map((byte) => byte + 1),
        ),
    });
    const written = await writeHashedFile(path, Readable.from(pieces), addOne);
    const expected = Buffer.concat(pieces).map((byte) => byte + 1);
    const sha256 = createHash('sha256').update(expected).digest('hex');
    assert.deepEqual(written, { size: expected.length, sha256 });
    assert.ok((await readFile(path)).equals(expected));
    assert.deepEqual(await hashFile(path), written, 'and a later reader gets the same');
    assert.equal((await stat(path)).mode & 0o777, 0o600, 'only its owner can read it');
    await writeFile(path, 'x', { flag: 'a' });
    assert.notDeepEqual(await hashFile(path), written, 'until it is changed');
  }
});

test('[BACKUP-2] a file that exists is never overwritten, and one whose source fails does not count', async () => {
  const path = join(folder, 'taken');
  await writeFile(path, 'the first');
  await assert.rejects(writeHashedFile(path, Readable.from([Buffer.from('the second')])), { code: 'EEXIST' });
  assert.equal(await readFile(path, 'utf8'), 'the first');
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('half');
      throw new Error('the source broke off');
    })(),
  );
  await assert.rejects(writeHashedFile(join(folder, 'half'), broken), /broke off/);
  await assert.rejects(hashFile(join(folder, 'nothing')), { code: 'ENOENT' });
});
