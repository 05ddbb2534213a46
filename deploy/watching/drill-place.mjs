import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../scripts/checkout/checkout.mjs';
import { runCommand } from '../../scripts/checkout/run-command.mjs';
import { startPostgres } from '../../scripts/postgres/postgres.mjs';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { NO_LIMITS } from '../../scripts/test/no-limits.mjs';

/** Where the drill takes place: a platform, what it needs, and what watches it; all of its own, on the loopback interface. */

const WITHIN_MS = 120_000;
const KINDS = ['web', 'api', 'admin', 'worker'];

const folder = mkdtempSync(join(tmpdir(), 'drill-'));
const [web, api, admin, storage, webIn, apiIn, adminIn, workerIn, prometheus, blackbox, node, https] =
  await freePorts(12);
export const apiUrl = `http://localhost:${api}`;
export const prometheusUrl = `http://127.0.0.1:${prometheus}`;
/** A small one, for filling it. */
export const disk = join(folder, 'disk');
mkdirSync(join(folder, 'database'), { mode: 0o711 });
const postgres = await startPostgres({ dataDir: join(folder, 'database'), mode: 'throwaway' });
export const databaseUrl = postgres.url;
/** The mail provider, which refuses our key. */
const provider = createServer((_, response) => response.writeHead(401).end('{}'));
await once(provider.listen(0, '127.0.0.1'), 'listening');
/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
/** @type {import('node:child_process').ChildProcess | undefined} */
let nginx;

export async function startPlatform() {
  const port = provider.address();
  const settings = {
    ...NO_LIMITS,
    ...{ DATA_DIR: join(folder, 'data'), DATABASE_URL: postgres.url },
    ...{ WEB_PORT: `${web}`, API_PORT: `${api}`, ADMIN_PORT: `${admin}`, STORAGE_PORT: `${storage}` },
    ...{
      WEB_URL: `http://localhost:${web}`,
      API_URL: apiUrl,
      ADMIN_URL: `http://localhost:${admin}`,
      STORAGE_URL: `http://localhost:${storage}`,
    },
    ...{
      WEB_INTERNAL_PORT: `${webIn}`,
      API_INTERNAL_PORT: `${apiIn}`,
      ADMIN_INTERNAL_PORT: `${adminIn}`,
      WORKER_INTERNAL_PORT: `${workerIn}`,
    },
    ...{
      SENDGRID_API_KEY: 'a-key',
      EMAIL_FROM: 'cases@example.com',
      SENDGRID_BASE_URL: `http://127.0.0.1:${typeof port === 'object' ? port?.port : 0}`,
    },
  };
  start(process.execPath, ['scripts/start.mjs'], { ...process.env, ...settings });
  for (const port of [webIn, apiIn, adminIn, workerIn])
    await until('the platform is ready', async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
}

export async function startWatching() {
  mkdirSync(disk);
  await runCommand('mount', ['-t', 'tmpfs', '-o', 'size=18m', 'drill', disk]);
  await serve(90);
  const modules = { modules: { any: { prober: 'http', http: { tls_config: { insecure_skip_verify: true } } } } };
  writeFileSync(join(folder, 'blackbox.yaml'), JSON.stringify(modules));
  const scraped = (/** @type {string} */ job, /** @type {number | undefined} */ port) => ({
    job_name: job,
    static_configs: [{ targets: [`127.0.0.1:${port}`] }],
  });
  const certificates = {
    ...scraped('addresses', blackbox),
    metrics_path: '/probe',
    params: { module: ['any'], target: [`https://localhost:${https}`] },
  };
  const config = {
    global: { scrape_interval: '6s', scrape_timeout: '6s', evaluation_interval: '1s' },
    rule_files: [join(folder, 'rules.yaml')],
    scrape_configs: [
      ...KINDS.map((kind, at) => scraped(`case-platform-${kind}`, [webIn, apiIn, adminIn, workerIn][at])),
      ...[scraped('machines', node), certificates],
    ],
  };
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const rules = readFileSync(join(ROOT, 'deploy/watching/alerts.yaml'), 'utf8')
    .replaceAll(/for: \d+m/g, 'for: 4s')
    .replaceAll(/\[\d+m\]/g, '[18s]')
    .replace('job_oldest_seconds) > 300', 'job_oldest_seconds) > 5')
    // The small disk of the drill lies in memory; no other one is looked at.
    .replace('{fstype!~"tmpfs|ramfs|squashfs|overlay"}', `{mountpoint="${disk}"}`);
  writeFileSync(join(folder, 'rules.yaml'), rules);
  start('prometheus-blackbox-exporter', [
    `--config.file=${folder}/blackbox.yaml`,
    `--web.listen-address=127.0.0.1:${blackbox}`,
    '--log.level=error',
  ]);
  start('prometheus-node-exporter', [
    '--collector.disable-defaults',
    '--collector.filesystem',
    `--web.listen-address=127.0.0.1:${node}`,
    '--log.level=error',
  ]);
  start('prometheus', [
    ...[`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/tsdb`],
    ...[`--web.listen-address=127.0.0.1:${prometheus}`, '--log.level=error'],
  ]);
  await until('Prometheus is ready', async () => (await fetch(`http://127.0.0.1:${prometheus}/-/ready`)).ok);
}

/**
 * Serves by https with a certificate for so many days.
 * @param {number} days
 */
export async function serve(days) {
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => join(folder, name));
  const kind = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-subj',
    '/CN=localhost',
  ];
  await runCommand('openssl', ['req', ...kind, '-days', `${days}`, '-keyout', `${key}`, '-out', `${certificate}`]);
  const server = `server { listen 127.0.0.1:${https} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key}; return 200; }`;
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; user root; pid ${folder}/nginx.pid; events {} http { access_log off; ${server} }`,
  );
  if (nginx?.exitCode === null && nginx.signalCode === null) nginx.kill('SIGHUP');
  else nginx = start('nginx', ['-e', 'stderr', '-c', join(folder, 'nginx.conf')]);
}

export function stopServing() {
  nginx?.kill('SIGTERM');
}

/**
 * @param {string} layer
 * @param {NodeJS.Signals} name
 */
export function signal(layer, name) {
  const read = (/** @type {string} */ pid, /** @type {string} */ file) => {
    try {
      return readFileSync(join('/proc', pid, file), 'utf8');
    } catch {
      // It has ended meanwhile.
      return '';
    }
  };
  const isLayer = (/** @type {string} */ pid) =>
    read(pid, 'cmdline').includes(`apps/${layer}/main.ts`) && read(pid, 'environ').includes(folder);
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find(isLayer);
  process.kill(Number(pid), name);
}

/**
 * @param {string} what
 * @param {() => Promise<boolean>} ask
 */
export async function until(what, ask) {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await ask().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`Never: ${what}.`);
    await sleep(500);
  }
}

/** Ends and removes everything. */
export async function end() {
  for (const child of started.reverse()) child.kill('SIGTERM');
  await runCommand('umount', [disk]);
  provider.close();
  await sleep(5000);
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function start(command, args, env = process.env) {
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
  started.push(child);
  return child;
}
