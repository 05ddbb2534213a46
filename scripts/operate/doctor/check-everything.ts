import { readConfig } from '@case-platform/lib/config';
import { checkDatabase } from './database-checks.ts';
import { type Finding, fail, ok } from './finding.ts';
import { checkPorts, checkProxy } from './place-checks.ts';
import { checkMail, checkSms, checkVapid } from './provider-checks.ts';
import { checkRedis } from './redis-check.ts';
import { checkStorage } from './storage-checks.ts';

/**
 * Checks the settings and everything that they name.
 * @param processes of each layer that run at the same time
 */
export async function checkEverything(processes: number, environment = process.env): Promise<Finding[]> {
  const { config, problems } = readConfig(['web', 'api', 'admin', 'worker', 'prepare'], environment);
  const advice = 'See "Settings" and "Production" in docs/operations.md.';
  const settings =
    problems.length === 0
      ? [ok('settings', 'Nothing is missing, malformed, or unsafe.')]
      : problems.map((problem) => fail('settings', problem, advice));
  const others = [
    checkRedis(config),
    checkMail(config),
    checkSms(config),
    checkVapid(config),
    checkProxy(config),
    checkPorts(config),
  ];
  const [database, storage, ...rest] = await Promise.all([checkDatabase(config, processes), checkStorage(config), ...others]);
  return [...settings, ...database, ...storage, ...rest];
}
