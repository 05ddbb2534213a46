import { createServer } from 'node:net';
import type { Config } from '@case-platform/lib/config';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const ANSWER_WITHIN_MS = 5000;

/** Checks that a proxy is configured if the addresses are https, and that all public addresses answer. */
export async function checkProxy({ webUrl, apiUrl, adminUrl, trustProxy }: Config): Promise<Finding> {
  const addresses = [webUrl, apiUrl, adminUrl];
  if (addresses.some((url) => url.startsWith('https:')) && trustProxy === undefined)
    return warn(
      'proxy',
      'The addresses are https, but no proxy is named.',
      'Name the proxy in TRUST_PROXY. Otherwise all requests seem to come from its address.',
    );
  const silent: string[] = [];
  for (const url of addresses) {
    const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(reasonOf);
    if (typeof answer === 'string') silent.push(`${url} (${answer})`);
    else if (!answer.ok) silent.push(`${url} (${answer.status})`);
  }
  if (silent.length === 0) return ok('proxy', 'The public addresses answer.');
  return warn('proxy', `Not answering: ${silent.join(', ')}.`, 'This is expected before the first start.');
}

/** Checks that each port is free or in use by one of our processes. */
export async function checkPorts(config: Config): Promise<Finding> {
  const ports = { WEB_PORT: config.webPort, API_PORT: config.apiPort, ADMIN_PORT: config.adminPort };
  const taken: string[] = [];
  for (const [setting, port] of Object.entries(ports)) {
    const problem = await portProblem(config.host, port);
    if (problem !== null && !(await isOurs(config.host, port))) taken.push(`${setting} ${port} (${problem})`);
  }
  if (taken.length === 0) return ok('ports', 'Each is free or in use by one of our processes.');
  return fail('ports', `Not available: ${taken.join(', ')}.`, 'Stop the program that uses it, or set another port.');
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
