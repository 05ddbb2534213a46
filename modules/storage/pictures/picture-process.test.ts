import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { UnavailableError } from '@case-platform/lib/errors';
import { runPictureProcess } from './picture-process.ts';
import { READY } from './process-answer.ts';

const folder = await mkdtemp(join(tmpdir(), 'picture-process-'));
after(() => rm(folder, { recursive: true }));

/** Runs a program with these statements, limited to about 60 MiB and one second of CPU time. */
async function run(statements: string, name: string) {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, `import { writeSync } from 'node:fs';\n${statements}`);
  return runPictureProcess({ path, args: ['argument'], files: [], dataMiB: 640, cpuSeconds: 1 }, { owner: name });
}
const ready = `writeSync(1, ${JSON.stringify(READY)});`;

describe('a picture process', () => {
  test('[PICTURE-2] the picture process gets none of our environment, and its output is returned', async () => {
    process.env.SECRET_OF_OURS = 'secret';
    const { output, failure } = await run(`${ready} writeSync(1, JSON.stringify([process.argv[2], process.env]));`, 'a');
    delete process.env.SECRET_OF_OURS;
    const [argument, environment] = JSON.parse(output.toString());
    assert.deepEqual([argument, failure], ['argument', null]);
    assert.ok(!Object.hasOwn(environment, 'SECRET_OF_OURS') && !Object.hasOwn(environment, 'HOME'));
  });

  test('[PICTURE-2, PICTURE-4] a picture process has a lower priority than requests, and leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const { output } = await run(`${ready} const os = await import('node:os'); writeSync(1, String(os.getPriority()));`, 'g');
    assert.equal(timers(), before);
    assert.equal(Number(output), Math.min(19, getPriority() + 10));
  });

  test('[PICTURE-2] a process that writes more than any right answer is ended, and its picture is too large', async () => {
    const pour = `for (let piece = 0; piece < 64; piece += 1) for (let at = 0; at < 131072; ) at += writeSync(1, bytes, at);`;
    const { output, failure } = await run(`${ready} const bytes = Buffer.alloc(131072); ${pour}`, 'h');
    assert.deepEqual([failure, output.length <= 4 * 1024 * 1024], ['too_large', true]);
  });

  test('[PICTURE-2] a picture whose process crashes is damaged', async () => {
    assert.equal((await run(`${ready} throw new RangeError('oops');`, 'b')).failure, 'damaged');
  });

  if (process.platform === 'linux') {
    test('[PICTURE-2] a process that needs more memory than it may use is ended by the system', async () => {
      const grow = 'const held = []; for (;;) held.push(Buffer.alloc(1024 * 1024, 1));';
      assert.equal((await run(`${ready} ${grow}`, 'c')).failure, 'too_large');
    });

    test('[PICTURE-2] a process that needs more CPU time than it may use is ended by the system', async () => {
      assert.equal((await run(`${ready} for (;;);`, 'd')).failure, 'too_slow');
    });
  }

  test('[PICTURE-2] a process that could not start, or was stopped from outside, does not mark its picture as failed', async () => {
    await assert.rejects(run('process.exit(1);', 'e'), UnavailableError);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
      await assert.rejects(run(`${ready} process.kill(process.pid, '${signal}'); for (;;);`, 'f'), UnavailableError, signal);
  });
});
