import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const folder = mkdtempSync(join(tmpdir(), 'system-packages-'));
after(() => rmSync(folder, { recursive: true }));

/** Like Debian's, it fails while another program has its lock. It runs until the file `go` exists, and installs a file. */
const APT_GET = `#!/bin/sh
echo "$1" >> "$MACHINE/asked"
if ! mkdir "$MACHINE/lock-$1" 2>> "$MACHINE/refused"; then
  echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)" >&2
  exit 100
fi
echo "$*" >> "$MACHINE/done"
while [ ! -e "$MACHINE/go" ]; do sleep 0.05; done
if [ "$1" = install ]; then touch "$MACHINE/program"; fi
rmdir "$MACHINE/lock-$1"
`;

const INSTALL = `
  const { existsSync } = await import('node:fs');
  const { installPackages } = await import(${JSON.stringify(new URL('./system-packages.mjs', import.meta.url).href)});
  const isThere = async () => existsSync(process.env.MACHINE + '/program');
  await installPackages({ packages: ['nginx', 'openssl'] }, isThere, process.env.MACHINE + '/runs');
  console.log('ready: ' + (await isThere()));`;

/** @param {string} name */
function newMachine(name) {
  const machine = join(folder, name);
  mkdirSync(machine);
  writeFileSync(join(machine, 'apt-get'), APT_GET);
  chmodSync(join(machine, 'apt-get'), 0o755);
  return machine;
}

/** @param {string} machine */
function run(machine) {
  const env = { ...process.env, MACHINE: machine, PATH: `${machine}:${process.env.PATH}` };
  const child = spawn(process.execPath, ['--input-type=module', '-e', INSTALL], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  return { said: () => said, ended: once(child, 'close').then(() => said) };
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  const deadline = performance.now() + 60_000;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, `never: ${isSo}`);
    await sleep(20);
  }
}

/** @param {string} file */
const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
const BOTH = ['update', 'install -y --no-install-recommends nginx openssl'];

test('[START-5] of two runs that need a system package at once, one installs it and the other waits', async () => {
  const machine = newMachine('two-runs');
  const first = run(machine);
  await until(() => linesOf(join(machine, 'done')).length > 0);
  const second = run(machine);
  await until(() => second.said() !== '');
  writeFileSync(join(machine, 'go'), '');
  assert.match(await first.ended, /ready: true/);
  assert.match(await second.ended, /waiting for another run.*ready: true/s);
  assert.deepEqual(linesOf(join(machine, 'asked')), ['update', 'install']);
  assert.deepEqual(linesOf(join(machine, 'done')), BOTH);
});

for (const step of ['update', 'install']) {
  test(`[START-5] a run waits for another program that locks the packages: ${step}`, async () => {
    const machine = newMachine(`held-${step}`);
    writeFileSync(join(machine, 'go'), '');
    mkdirSync(join(machine, `lock-${step}`));
    const { ended } = run(machine);
    await until(() => linesOf(join(machine, 'refused')).length > 0);
    rmdirSync(join(machine, `lock-${step}`));
    assert.match(await ended, /ready: true/);
    assert.deepEqual(linesOf(join(machine, 'done')), BOTH);
  });
}
