import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.mjs';

const MODULE = new URL('free-ports.mjs', import.meta.url).href;

test('[START-5] no other test gets the same free port, in this process or another one', async () => {
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
