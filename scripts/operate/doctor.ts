import { parseArgs } from 'node:util';
import { exitWithError } from '@case-platform/lib/process';
import { checkEverything } from './doctor/check-everything.ts';
import type { Finding } from './doctor/finding.ts';

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
