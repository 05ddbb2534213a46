import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import tls from 'node:tls';
import { ROOT } from '../../scripts/checkout/checkout.mjs';
import { runCommand } from '../../scripts/checkout/run-command.mjs';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { findNginx } from '../../scripts/test/nginx.mjs';
import { eventually } from './eventually.ts';

const FOLDER = join(ROOT, 'deploy', 'nginx');
/** The ports of the example's upstreams. */
const EXAMPLE = { web: [3000, 3010], api: [4000, 4010], admin: [4001, 4011], files: [7070] };

type Upstreams = Record<keyof typeof EXAMPLE, { port: number }[]>;
type Listening = Record<'web' | 'api' | 'admin' | 'files' | 'plain' | 'apiInside', number>;

export interface RunningNginx {
  /** The example's own access log. */
  log: string;
  /** The access log of Debian's nginx.conf, for servers that set none. */
  defaultLog: string;
  /** All error logs so far. */
  errors(): string;
}

/** Free ports for the servers of the example, which all have the name localhost here. */
export async function freeNginxPorts(): Promise<Listening> {
  const [web = 0, api = 0, admin = 0, files = 0, plain = 0, apiInside = 0] = await freePorts(6);
  return { web, api, admin, files, plain, apiInside };
}

/**
 * Creates a self-signed certificate in `folder`, which this process then trusts. Returns its path, so that other processes can
 * trust it, too.
 */
export async function makeCertificate(folder: string): Promise<string> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'fullchain.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const args = ['req', ...kind, ...subject, '-keyout', key, '-out', certificate];
  const { code, output } = await runCommand('openssl', args);
  if (code !== 0 || !existsSync(certificate)) throw new Error(`openssl makes no certificate: ${output}`);
  tls.setDefaultCACertificates([...tls.getCACertificates(), readFileSync(certificate, 'utf8')]);
  return certificate;
}

/**
 * Runs nginx with the files of deploy/nginx, included like in Debian's nginx.conf. Only ports, names, folders, and the
 * certificate differ. `folder` has the certificate (see makeCertificate). nginx is stopped after the tests of the file.
 */
export async function startNginx(given: { folder: string; listening: Listening; behind: Upstreams }): Promise<RunningNginx> {
  const { folder, listening } = given;
  const [log, defaultLog, errorLog] = ['access.log', 'default.log', 'error.log'].map((name) => join(folder, name));
  const files = { log: log ?? '', errorLog: errorLog ?? '' };
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  const outer = ['daemon off;', 'worker_processes 1;', `pid ${folder}/nginx.pid;`, 'events {}'];
  if (process.getuid?.() === 0) outer.push('user root;');
  const http = ['http {', ...temporary, `access_log ${defaultLog};`, adaptExample({ ...given, ...files }), '}'];
  writeFileSync(join(folder, 'nginx.conf'), [...outer, ...http].join('\n'));
  mkdirSync(join(folder, 'logs'));
  const child = spawn(await findNginx(), ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'exit');
  after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await eventually('nginx listens', async () => {
    if (child.exitCode !== null) throw new Error(`nginx has ended: ${output}`);
    const answer = await fetch(`http://127.0.0.1:${listening.plain}/`).catch(() => null);
    return answer?.status === 421;
  });
  const errors = () => output + (existsSync(files.errorLog) ? readFileSync(files.errorLog, 'utf8') : '');
  return { log: files.log, defaultLog: defaultLog ?? '', errors };
}

interface Adaptation {
  folder: string;
  log: string;
  errorLog: string;
  listening: Listening;
  behind: Upstreams;
}

function adaptExample({ folder, log, errorLog, listening, behind }: Adaptation): string {
  const { web, api, admin: staff, files, plain, apiInside } = listening;
  let text = ['upstreams.conf', 'case-platform.conf', 'files.conf']
    .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
    .join('\n');
  for (const [name, port] of Object.entries({ app: web, api, staff, files }))
    text = text.replace(
      `443 ssl http2;\n    server_name ${name}.example.com`,
      `127.0.0.1:${port} ssl http2;\n    server_name localhost`,
    );
  const everyPort = [web, api, staff, files].map((port) => `listen 127.0.0.1:${port} ssl http2 default_server;`);
  return text
    .replace('listen 443 ssl http2 default_server;', everyPort.join('\n'))
    .replace('listen 80 ', `listen 127.0.0.1:${plain} `)
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('app.example.com api.example.com staff.example.com', 'localhost')
    .replace('127.0.0.1:4080', `127.0.0.1:${apiInside}`)
    .replaceAll('/etc/case-platform/tls', folder)
    .replaceAll('/var/log/nginx/case-platform.log', log)
    .replaceAll('/var/log/nginx/error.log', errorLog)
    .replaceAll(/server 127\.0\.0\.1:(\d+)/g, (_, port) => {
      const [name = 'files', ports = []] = Object.entries(EXAMPLE).find(([, ports]) => ports.includes(Number(port))) ?? [];
      return `server 127.0.0.1:${behind[name as keyof Upstreams][ports.indexOf(Number(port))]?.port}`;
    });
}
