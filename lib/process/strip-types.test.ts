import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'strip-types-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const options = ['--import=./lib/process/strip-types.mjs', 'main.ts'];
const stripped = join(folder, 'node_modules', '.cache', 'stripped');

/** Starts a process, and returns what it says and whether it has loaded Node's code that strips types. */
function run(): { says: string; hasStripped: boolean } {
  const { stdout, stderr } = spawnSync(process.execPath, options, { cwd: folder, env: {}, encoding: 'utf8' });
  assert.equal(stderr, '', 'no warning and no error');
  return JSON.parse(stdout);
}

function writeSource(says: string): void {
  writeFileSync(
    join(folder, 'main.ts'),
    `const says: string = '${says}' as const;
     const hasStripped: boolean = process.moduleLoadList.some((name: string) => name.includes('amaro'));
     console.log(JSON.stringify({ says, hasStripped }));`,
  );
}

test('types are stripped by the first process, again after a change, and also where nothing can be written', () => {
  mkdirSync(join(folder, 'lib', 'process'), { recursive: true });
  copyFileSync(new URL('strip-types.mjs', import.meta.url), join(folder, 'lib', 'process', 'strip-types.mjs'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeSource('one');
  assert.deepEqual(
    [run(), run()],
    [
      { says: 'one', hasStripped: true },
      { says: 'one', hasStripped: false },
    ],
  );
  writeSource('two');
  assert.deepEqual(
    [run(), run()],
    [
      { says: 'two', hasStripped: true },
      { says: 'two', hasStripped: false },
    ],
  );
  assert.equal(readdirSync(stripped).length, 2, 'nothing unfinished is left behind');
  rmSync(stripped, { recursive: true });
  writeFileSync(stripped, 'not a folder');
  assert.deepEqual([run(), run()], Array(2).fill({ says: 'two', hasStripped: true }));
});
