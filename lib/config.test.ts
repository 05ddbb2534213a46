import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { environmentOf, isSetting, type ProcessName, SETTINGS } from './config/settings-of-processes.mjs';
import { ConfigError, loadConfig, loadConfigWithDatabase } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
after(() => rmSync(folder, { recursive: true }));

const secret = () => randomBytes(32).toString('hex');
/** Everything that production requires, for all processes. */
const PRODUCTION = {
  NODE_ENV: 'production',
  TRUST_PROXY: 'none',
  DATABASE_URL: 'postgres://u:p@db.test/x',
  WEB_URL: 'https://web.test',
  API_URL: 'https://api.test',
  ADMIN_URL: 'https://staff.test',
  JWT_SECRET: secret(),
  AUTH_SECRET: secret(),
  ENCRYPTION_KEY: secret(),
  MASTER_API_KEY: secret(),
  VAPID_PUBLIC_KEY: secret(),
  VAPID_PRIVATE_KEY: secret(),
  VAPID_SUBJECT: 'mailto:push@web.test',
  S3_ENDPOINT: 'https://s3.test',
  S3_ACCESS_KEY_ID: 'AKIA5TUWVQXYZ',
  S3_SECRET_ACCESS_KEY: secret(),
  SENDGRID_API_KEY: 'SG.x',
  EMAIL_FROM: 'Case Platform <no-reply@web.test>',
};
const SERVING = ['web', 'api', 'admin', 'worker'] as const;
const ALL: readonly ProcessName[] = ['prepare', ...SERVING];

/** The least and the greatest value of each number. */
const RANGES: Record<string, [number, number]> = {
  ACCESS_TOKEN_TTL: [1, 86_400],
  REFRESH_TOKEN_TTL: [1, 2_592_000],
  SESSION_IDLE_TTL: [1, 43_200],
  DRAIN_SECONDS: [0, 300],
  WEB_PORT: [0, 65_535],
  API_PORT: [0, 65_535],
  ADMIN_PORT: [0, 65_535],
  STORAGE_PORT: [0, 65_535],
  WORKER_INTERNAL_PORT: [0, 65_535],
  LIMIT_LOGINS: [1, 1_000_000_000],
  LIMIT_MAILS: [1, 1_000_000_000],
  KEEP_IDEMPOTENCY_KEYS: [1, 30],
  KEEP_THROTTLES: [1, 30],
  KEEP_CHALLENGES: [1, 400],
  KEEP_LINKS: [90, 3650],
  KEEP_SIGN_INS: [90, 3650],
  KEEP_SESSIONS: [1, 400],
  KEEP_ENDED_SESSIONS: [32, 400],
  KEEP_DELIVERIES: [30, 3650],
  KEEP_AGENCY_EVENTS: [30, 3650],
  KEEP_REPORTS: [10, 400],
};

/** The configuration of all processes if nothing is set, in development. */
const DEFAULTS = {
  production: false,
  offersDemoPeople: false,
  dataDir: 'generated',
  host: '127.0.0.1',
  internalHost: '127.0.0.1',
  internalPorts: {},
  accessLog: false,
  drainSeconds: 0,
  logLevel: 'info',
  databaseUrl: '',
  databaseDirectUrl: '',
  isPooled: false,
  roleUrls: {},
  webPort: 3000,
  apiPort: 4000,
  adminPort: 4001,
  storagePort: 4002,
  apiUrl: 'http://localhost:4000',
  apiInternalUrl: 'http://localhost:4000',
  webUrl: 'http://localhost:3000',
  adminUrl: 'http://localhost:4001',
  storageUrl: 'http://localhost:4002',
  staffSignInUrl: 'http://localhost:4001/login',
  jwtSecret: 'generated',
  authSecret: 'generated',
  encryptionKey: 'generated',
  encryptionKeys: 'generated',
  masterApiKey: 'generated',
  accessTokenTtl: 1800,
  refreshTokenTtl: 86400,
  sessionIdleTtl: 3600,
  strictPageGuard: false,
  limits: {
    login: 10,
    login_address: 30,
    login_account: 100,
    reset_address: 20,
    proof_code: 20,
    calls_person: 600,
    calls_address: 1200,
    messages: 30,
    mails: 30,
  },
  retention: {
    idempotency_keys: 2,
    throttles: 1,
    challenges: 30,
    links: 400,
    sign_ins: 400,
    sessions: 2,
    ended_sessions: 32,
    deliveries: 400,
    agency_events: 400,
    reports: 10,
  },
  vapid: {
    publicKey: 'generated',
    privateKey: 'generated',
    subject: 'mailto:push@demo.test',
  },
  pushAllowedHosts: [
    'fcm.googleapis.com',
    'jmt17.google.com',
    'updates.push.services.mozilla.com',
    '*.push.services.mozilla.com',
    '*.push.apple.com',
    '*.notify.windows.com',
  ],
  emailFrom: 'Case Platform <no-reply@demo.test>',
  sendgrid: {
    templates: {},
  },
  twilio: {},
  storageOrigin: 'http://localhost:4002',
  s3: {
    endpoint: 'http://localhost:4002',
    region: 'us-east-1',
    bucket: 'case-platform',
    accessKeyId: 'generated',
    secretAccessKey: 'generated',
    forcePathStyle: true,
  },
};

type Changes = Record<string, string | undefined>;

function problems(of: ProcessName | readonly ProcessName[], environment: Changes): string[] {
  try {
    loadConfig(of, environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems;
  }
}

describe('[SETTING-4] each process needs its own settings only', () => {
  const needed: Record<(typeof ALL)[number], string[]> = {
    web: ['API_URL', 'AUTH_SECRET', 'TRUST_PROXY', 'WEB_URL'],
    api: [
      'ADMIN_URL',
      'API_URL',
      'DATABASE_URL',
      'ENCRYPTION_KEY',
      'JWT_SECRET',
      'MASTER_API_KEY',
      'S3_ACCESS_KEY_ID',
      'S3_ENDPOINT',
      'S3_SECRET_ACCESS_KEY',
      'TRUST_PROXY',
      'VAPID_PRIVATE_KEY',
      'VAPID_PUBLIC_KEY',
      'VAPID_SUBJECT',
      'WEB_URL',
    ],
    admin: [
      'ADMIN_URL',
      'DATABASE_URL',
      'ENCRYPTION_KEY',
      'S3_ACCESS_KEY_ID',
      'S3_ENDPOINT',
      'S3_SECRET_ACCESS_KEY',
      'TRUST_PROXY',
      'WEB_URL',
    ],
    worker: [
      'ADMIN_URL',
      'API_URL',
      'DATABASE_URL',
      'EMAIL_FROM',
      'MASTER_API_KEY',
      'S3_ACCESS_KEY_ID',
      'S3_ENDPOINT',
      'S3_SECRET_ACCESS_KEY',
      'SENDGRID_API_KEY',
      'VAPID_PRIVATE_KEY',
      'VAPID_PUBLIC_KEY',
      'VAPID_SUBJECT',
      'WEB_URL',
    ],
    prepare: ['DATABASE_URL'],
    'create-admin': ['ADMIN_URL', 'DATABASE_URL', 'WEB_URL'],
    backup: ['DATABASE_URL', 'S3_ACCESS_KEY_ID', 'S3_ENDPOINT', 'S3_SECRET_ACCESS_KEY'],
    restore: ['DATABASE_URL', 'S3_ACCESS_KEY_ID', 'S3_ENDPOINT', 'S3_SECRET_ACCESS_KEY'],
    'erase-person': ['DATABASE_URL'],
    'export-person': ['DATABASE_URL', 'ENCRYPTION_KEY', 'S3_ACCESS_KEY_ID', 'S3_ENDPOINT', 'S3_SECRET_ACCESS_KEY'],
    'rotate-encryption': ['DATABASE_URL', 'ENCRYPTION_KEY'],
    storage: [],
  };
  for (const process of ALL) {
    test(`${process}: production starts with these, and names each that is missing`, () => {
      const names = needed[process];
      const own = Object.fromEntries(Object.entries(PRODUCTION).filter(([name]) => names.includes(name)));
      assert.deepEqual(problems(process, { NODE_ENV: 'production', ...own }), []);
      const named = problems(process, { NODE_ENV: 'production' }).map((text) => text.split(' ', 1)[0] ?? '');
      assert.deepEqual([...new Set(named)].sort(), names);
    });
  }

  test('settings of other processes count as unset, and npm start does not pass them on', () => {
    const config = loadConfig('web', { ...PRODUCTION, NODE_ENV: 'production' });
    assert.deepEqual(
      [config.databaseUrl, config.encryptionKey, config.masterApiKey, config.jwtSecret, config.s3.secretAccessKey],
      ['', '', '', '', ''],
    );
    const handed = environmentOf('web', { ...PRODUCTION, PATH: '/bin', ENCRYPTION_KEY_FILE: '/x', WEB_URL_FILE: '/y' });
    for (const name of ['DATABASE_URL', 'ENCRYPTION_KEY', 'ENCRYPTION_KEY_FILE', 'MASTER_API_KEY', 'JWT_SECRET']) {
      assert.ok(!(name in handed), name);
    }
    for (const name of ['PATH', 'AUTH_SECRET', 'WEB_URL', 'WEB_URL_FILE', 'API_URL']) assert.ok(name in handed, name);
    for (const process of ALL) assert.ok(!('SESSION_SECRET' in environmentOf(process, { SESSION_SECRET: 'x' })));
  });

  test('[SETTING-5] the processes of a machine call each other at the host that they listen on', () => {
    const addresses = (HOST: string) => {
      const { apiInternalUrl, webUrl, storageUrl } = loadConfig('web', { DATA_DIR: folder, HOST, WEB_PORT: '80' });
      return [apiInternalUrl, webUrl, storageUrl];
    };
    const at = (host: string) => [`http://${host}:4000`, `http://${host}:80`, `http://${host}:4002`];
    for (const host of ['127.0.0.1', '0.0.0.0', '::']) assert.deepEqual(addresses(host), at('localhost'), host);
    assert.deepEqual(addresses('::1'), at('[::1]'));
    assert.deepEqual(addresses('10.1.2.3'), at('10.1.2.3'));
  });

  test('[DATABASE-5] npm start gives a process the address of its own database role under the name that it reads', () => {
    const shared = { DATABASE_URL: 'all', DATABASE_DIRECT_URL: 'direct', MIGRATION_DATABASE_URL: 'owner' };
    const own = { API_DATABASE_URL: 'api', WORKER_DATABASE_URL_FILE: '/worker' };
    assert.deepEqual(environmentOf('api', { ...shared, ...own }), { DATABASE_URL: 'api' });
    assert.deepEqual(environmentOf('worker', { ...shared, ...own }), { DATABASE_URL_FILE: '/worker' });
    const { MIGRATION_DATABASE_URL: _, ...withoutOwner } = shared;
    assert.deepEqual(environmentOf('admin', { ...shared, ...own }), withoutOwner);
    assert.deepEqual(environmentOf('web', { ...shared, ...own }), {});
  });

  test('[RATE-3] limits have their defaults where none is set, and are whole numbers from 1', () => {
    const limitsOf = (settings: Changes) => loadConfig('api', { DATA_DIR: folder, ...settings }).limits;
    assert.deepEqual(limitsOf({}), {
      login: 10,
      login_address: 30,
      login_account: 100,
      reset_address: 20,
      proof_code: 20,
      calls_person: 600,
      calls_address: 1200,
      messages: 30,
      mails: 30,
    });
    assert.equal(limitsOf({ LIMIT_CALLS: '1' }).calls_person, 1);
    for (const wrong of ['0', '-1', '1.5', 'none', '1000000001']) {
      assert.deepEqual(problems('api', { DATA_DIR: folder, LIMIT_MESSAGES: wrong }), [
        'LIMIT_MESSAGES must be a whole number from 1 to 1000000000.',
      ]);
    }
  });

  test('operations.md has a row for every setting, and for no other', () => {
    const text = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
    const table = text.split('## Settings')[1]?.split('\n## ')[0] ?? '';
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((line) => line.split('|')[1]?.match(/[A-Z0-9_]{4,}/g) ?? []);
    const settings = new Set(Object.values(SETTINGS).flat());
    assert.deepEqual(
      [...settings].filter((name) => !named.includes(name)),
      [],
    );
    for (const name of named) assert.ok(isSetting(name), name);
  });
});

describe('[SETTING-1] what is rejected everywhere', () => {
  const rows: [changes: Changes, named: string][] = [
    [{ NODE_ENV: 'Production' }, 'NODE_ENV'],
    [{ NODE_ENV: 'prod' }, 'NODE_ENV'],
    [{ MASTER_API_KEY: 'x'.repeat(201) }, 'MASTER_API_KEY'],
    [{ STRICT_PAGE_GUARD: 'on' }, 'STRICT_PAGE_GUARD'],
    [{ S3_FORCE_PATH_STYLE: 'yep' }, 'S3_FORCE_PATH_STYLE'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ API_PORT: '65536' }, 'API_PORT'],
    [{ ACCESS_TOKEN_TTL: '0' }, 'ACCESS_TOKEN_TTL'],
    [{ REFRESH_TOKEN_TTL: '-1' }, 'REFRESH_TOKEN_TTL'],
    [{ SESSION_IDLE_TTL: '43201' }, 'SESSION_IDLE_TTL'],
    [{ WEB_URL: 'ftp://web.test' }, 'WEB_URL'],
    [{ MAILPIT_URL: 'localhost:8025' }, 'MAILPIT_URL'],
    [{ SENDGRID_TEMPLATES: 'd-1' }, 'SENDGRID_TEMPLATES'],
    [{ SENDGRID_TEMPLATES: '["d-1"]' }, 'SENDGRID_TEMPLATES'],
    [{ SENDGRID_TEMPLATES: '{"invitation": 1}' }, 'SENDGRID_TEMPLATES'],
    [{ TWILIO_FROM: '+12025550100' }, 'Twilio'],
    [{ DATABASE_URL: 'mysql://h/d' }, 'DATABASE_URL'],
    [{ MIGRATION_DATABASE_URL: 'postgres://h:0/d' }, 'MIGRATION_DATABASE_URL'],
    [{ DATABASE_DIRECT_URL: 'postgres://h/d?sslmode=prefer' }, 'DATABASE_DIRECT_URL'],
    [{ DATABASE_URL: 'postgres://h/d', DATABASE_DIRECT_URL: 'postgres://h/d' }, 'DATABASE_DIRECT_URL'],
    [{ VAPID_PUBLIC_KEY_PREVIOUS: 'x' }, 'VAPID_PUBLIC_KEY_PREVIOUS'],
    [{ JWT_SECRET_FILE: join(folder, 'not-there') }, 'JWT_SECRET_FILE'],
  ];
  for (const [changes, named] of rows) {
    test(`${JSON.stringify(changes).slice(0, 60)}`, () => {
      const messages = problems(ALL, { DATA_DIR: folder, ...changes });
      assert.deepEqual(
        messages.map((text) => text.split(' ', 1)[0]),
        [named],
        messages.join('\n'),
      );
    });
  }
});

describe('[SETTING-3] in development', () => {
  test('unset secrets are created once, readable by their owner only, and all different', () => {
    const first = loadConfig(ALL, { DATA_DIR: folder });
    const again = loadConfig(ALL, { DATA_DIR: folder });
    const made = [first.jwtSecret, first.authSecret, first.encryptionKey, first.masterApiKey, first.s3.secretAccessKey];
    assert.equal(new Set(made).size, made.length);
    for (const value of made) assert.ok(Buffer.byteLength(value) >= 32);
    assert.deepEqual([again.jwtSecret, again.vapid], [first.jwtSecret, first.vapid]);
    assert.equal(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
  });

  test('a value may come from a file and is trimmed, and an empty value counts as unset', () => {
    const file = join(folder, 'jwt');
    writeFileSync(file, '  from the file \n');
    assert.equal(
      loadConfig('api', { DATA_DIR: folder, JWT_SECRET_FILE: file, JWT_SECRET: 'not this' }).jwtSecret,
      'from the file',
    );
    assert.equal(loadConfig('web', { DATA_DIR: folder, HOST: ' ', WEB_URL: '' }).host, '127.0.0.1');
  });

  test('[START-6, TOKEN-5] the default addresses, host, and lifetimes', () => {
    const config = loadConfig(ALL, { DATA_DIR: folder });
    assert.deepEqual(
      [config.webUrl, config.apiUrl, config.adminUrl, config.storageUrl, config.apiInternalUrl],
      ['http://localhost:3000', 'http://localhost:4000', 'http://localhost:4001', 'http://localhost:4002', config.apiUrl],
    );
    assert.deepEqual([config.accessTokenTtl, config.refreshTokenTtl, config.sessionIdleTtl], [1800, 86_400, 3600]);
    assert.deepEqual([config.host, config.strictPageGuard, config.trustProxy], ['127.0.0.1', false, undefined]);
  });

  test('[START-6] what a process starts with if nothing is set', () => {
    const generated =
      /^(jwtSecret|authSecret|encryptionKeys?|masterApiKey|publicKey|privateKey|accessKeyId|secretAccessKey|dataDir)$/;
    const settled = JSON.stringify(loadConfig(ALL, { DATA_DIR: folder }), (key, value) =>
      generated.test(key) ? 'generated' : value,
    );
    assert.deepEqual(JSON.parse(settled), DEFAULTS);
  });

  test('[SETTING-4] each number is accepted up to both ends of its range, and rejected beyond them', () => {
    for (const [name, [least, most]] of Object.entries(RANGES)) {
      const isAccepted = (value: number) =>
        !problems(ALL, { DATA_DIR: folder, [name]: String(value) }).some((one) => one.startsWith(name));
      assert.deepEqual([least - 1, least, most, most + 1].map(isAccepted), [false, true, true, false], name);
    }
  });

  test('[EDGE-5] a range of proxies has as many bits as its kind of address, at most', () => {
    const isAccepted = (TRUST_PROXY: string) => problems('api', { DATA_DIR: folder, TRUST_PROXY }).length === 0;
    for (const proxies of ['10.0.0.0/0', '10.0.0.1/32', '::/0', '::1/128', '10.0.0.1, ::1', 'loopback', 'none'])
      assert.ok(isAccepted(proxies), proxies);
    for (const proxies of ['10.0.0.1/33', '::1/129', '10.0.0.1/', '10.0.0.1/-1', 'everything', '10.0.0.1,'])
      assert.ok(!isAccepted(proxies), proxies);
  });

  test('the address that the web server calls may differ from the public one', () => {
    const config = loadConfig('web', {
      DATA_DIR: folder,
      API_URL: 'https://api.test/',
      API_INTERNAL_URL: 'http://api:4000/',
    });
    assert.deepEqual([config.apiUrl, config.apiInternalUrl], ['https://api.test', 'http://api:4000']);
  });

  test('a database counts as pooled if it also has a direct address', () => {
    const direct = 'postgres://u:p@db:5432/x';
    const plain = loadConfig('api', { DATA_DIR: folder, DATABASE_URL: direct });
    assert.deepEqual([plain.isPooled, plain.databaseDirectUrl], [false, direct]);
    const pooled = loadConfig('api', {
      DATA_DIR: folder,
      DATABASE_URL: 'postgres://u:p@pool:6432/x',
      DATABASE_DIRECT_URL: direct,
    });
    assert.deepEqual([pooled.isPooled, pooled.databaseDirectUrl], [true, direct]);
  });

  test('a process that needs the database names the missing setting', () => {
    assert.throws(() => loadConfigWithDatabase('api', { DATA_DIR: folder }), { message: /^DATABASE_URL is not set/ });
  });
});

test('only names that a process declares are settings', () => {
  assert.ok(!isSetting('SOMETHING_ELSE'));
  assert.ok(isSetting('LIMIT_LOGINS') && !isSetting('LIMIT_LOGIN'));
  assert.ok(isSetting('DATABASE_URL_FILE'));
});
