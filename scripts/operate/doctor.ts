import { parseArgs } from 'node:util';
import { readConfig } from '@case-platform/lib/config';
import { exitWithError } from '@case-platform/lib/process';
import { checkDatabase } from './doctor/database-checks.ts';
import { type Finding, fail, ok } from './doctor/finding.ts';
import { checkPorts, checkProxy } from './doctor/place-checks.ts';
import { checkMail, checkSms, checkVapid } from './doctor/provider-checks.ts';
import { checkStorage } from './doctor/storage-checks.ts';

const USAGE = 'npm run doctor -- [--of-each 2] [--json]';

/**
 * `npm run doctor`: checks everything that the platform needs, with one line for each, and exits with 1 on a failure (OPERATE-2).
 */
try {
  const { json, processes } = readArguments();
  const findings = await checkEverything(processes);
  const isWell = findings.every(({ state }) => state !== 'fail');
  process.stdout.write(json ? `${JSON.stringify({ ok: isWell, checks: findings })}\n` : findings.map(toLine).join(''));
  process.exitCode = isWell ? 0 : 1;
} catch (error) {
  exitWithError(error);
}

async function checkEverything(processes: number): Promise<Finding[]> {
  const { config, problems } = readConfig(['web', 'api', 'admin', 'worker', 'prepare']);
  const advice = 'See "Settings" and "Production" in docs/operations.md.';
  const settings =
    problems.length === 0
      ? [ok('settings', 'Nothing is missing, malformed, or unsafe.')]
      : problems.map((problem) => fail('settings', problem, advice));
  const others = [checkMail(config), checkSms(config), checkVapid(config), checkProxy(config), checkPorts(config)];
  const [database, storage, ...rest] = await Promise.all([checkDatabase(config, processes), checkStorage(config), ...others]);
  return [...settings, ...database, ...storage, ...rest];
}

function toLine({ check, state, found, advice }: Finding): string {
  return `${state.padEnd(5)} ${check.padEnd(15)} ${found}${advice === undefined ? '' : ` ${advice}`}\n`;
}

function readArguments(): { json: boolean; processes: number } {
  const options = { json: { type: 'boolean' }, 'of-each': { type: 'string' } } as const;
  try {
    const { json = false, 'of-each': ofEach = '1' } = parseArgs({ options }).values;
    if (/^[1-9]\d{0,2}$/.test(ofEach)) return { json, processes: Number(ofEach) };
  } catch {
    // The usage below answers unknown arguments and missing values.
  }
  throw new Error(`Use: ${USAGE}`);
}
