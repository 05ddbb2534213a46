import { createServer } from 'node:net';
import type { Config } from '@case-platform/lib/config';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const ANSWER_WITHIN_MS = 5000;

/** Whether who stands in front is named as the addresses let expect, and lets through what it should. */
export async function checkProxy({ webUrl, apiUrl, adminUrl, trustProxy }: Config): Promise<Finding> {
  const addresses = [webUrl, apiUrl, adminUrl];
  if (addresses.some((url) => url.startsWith('https:')) && trustProxy === undefined)
    return warn(
      'proxy',
      'The addresses are https, but no proxy is named.',
      'Somebody ends TLS in front: name them in TRUST_PROXY, or everybody has their address.',
    );
  const silent: string[] = [];
  for (const url of addresses) {
    const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(reasonOf);
    if (typeof answer === 'string') silent.push(`${url} (${answer})`);
    else if (!answer.ok) silent.push(`${url} (${answer.status})`);
  }
  if (silent.length === 0) return ok('proxy', 'The public addresses answer.');
  return warn('proxy', `Not answering: ${silent.join(', ')}.`, 'Before the first start that is as it should be.');
}

/** Whether each port is free, or one of ours has it. */
export async function checkPorts(config: Config): Promise<Finding> {
  const ports = { WEB_PORT: config.webPort, API_PORT: config.apiPort, ADMIN_PORT: config.adminPort };
  const taken: string[] = [];
  for (const [setting, port] of Object.entries(ports)) {
    const problem = await portProblem(config.host, port);
    if (problem !== null && !(await isOurs(config.host, port))) taken.push(`${setting} ${port} (${problem})`);
  }
  if (taken.length === 0) return ok('ports', 'Each is free, or has a process of ours.');
  return fail('ports', `Not to be had: ${taken.join(', ')}.`, 'Stop who has it, or set another one.');
}

function portProblem(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(reasonOf(error)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

async function isOurs(host: string, port: number): Promise<boolean> {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = name.includes(':') ? `[${name}]` : name;
  try {
    const answer = await fetch(`http://${address}:${port}/health/live`, {
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return (await answer.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}
