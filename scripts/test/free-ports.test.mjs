import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.mjs';

const MODULE = new URL('free-ports.mjs', import.meta.url).href;

test('[START-5] a port that a test was given is given to no other test before it listens, in this process or the next', async () => {
  const mine = await freePorts(300);
  assert.equal(new Set(mine).size, mine.length);
  const asksForAsMany = `import { freePorts } from ${JSON.stringify(MODULE)}; console.log(JSON.stringify(await freePorts(300)))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', asksForAsMany]);
  const others = new Set(JSON.parse(stdout));
  assert.deepEqual(
    mine.filter((port) => others.has(port)),
    [],
  );
});
