import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { makeSecrets } from './config/development-secrets.ts';
import { environmentOf, isSetting, type ProcessName, SETTINGS } from './config/settings-of-processes.mjs';
import { ConfigError, loadConfig, loadConfigWithDatabase, readConfig } from './config.ts';

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
    const shared = {
      DATABASE_URL: 'all',
      DATABASE_DIRECT_URL: 'direct',
      DATABASE_REPLICA_URL: 'replica',
      MIGRATION_DATABASE_URL: 'owner',
    };
    const own = { API_DATABASE_URL: 'api', WORKER_DATABASE_URL_FILE: '/worker' };
    assert.deepEqual(environmentOf('api', { ...shared, ...own }), { DATABASE_URL: 'api' });
    assert.deepEqual(environmentOf('worker', { ...shared, ...own }), { DATABASE_URL_FILE: '/worker' });
    const { MIGRATION_DATABASE_URL: _, ...withoutOwner } = shared;
    assert.deepEqual(environmentOf('admin', { ...shared, ...own }), withoutOwner);
    assert.deepEqual(environmentOf('web', { ...shared, ...own }), {});
  });

  test('[RATE-3] limits are whole numbers from 1', () => {
    const limitsOf = (settings: Changes) => loadConfig('api', { DATA_DIR: folder, ...settings }).limits;
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
    [{ DATABASE_REPLICA_URL: 'postgres://a,b/d' }, 'DATABASE_REPLICA_URL'],
    [{ REDIS_URL: 'host:6379' }, 'REDIS_URL'],
    [{ REDIS_URL: 'https://host' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://' }, 'REDIS_URL'],
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

  test('[START-6, TOKEN-5, RATE-3] what a process starts with if nothing is set', () => {
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

  test('[SETTING-3] a setting is read in each spelling that it may have', () => {
    const flag = (STRICT_PAGE_GUARD: string) => loadConfig('admin', { DATA_DIR: folder, STRICT_PAGE_GUARD }).strictPageGuard;
    for (const yes of ['1', 'true', 'yes', 'TRUE', 'Yes', ' true ']) assert.equal(flag(yes), true, yes);
    for (const no of ['0', 'false', 'no', 'FALSE', 'No', '']) assert.equal(flag(no), false, no);
    for (const other of ['2', 'on', 'tru']) assert.throws(() => flag(other), /STRICT_PAGE_GUARD must be true or false/, other);
    const url = (API_URL: string) => loadConfig('web', { DATA_DIR: folder, API_URL }).apiUrl;
    for (const end of ['', '/', '//', '///']) assert.equal(url(`https://api.test/base${end}`), 'https://api.test/base');
    const hosts = loadConfig('worker', { DATA_DIR: folder, PUSH_ALLOWED_HOSTS: 'a.test, b.test ,*.c.test' }).pushAllowedHosts;
    assert.deepEqual(hosts, ['a.test', 'b.test', '*.c.test']);
    assert.equal(
      loadConfig('web', { DATA_DIR: folder, API_URL: 'https://api.test', API_URL_FILE: '' }).apiUrl,
      'https://api.test',
    );
  });

  test('[OPERATE-3] the current key comes first, and a previous one only decrypts', () => {
    const keysOf = (environment: Changes) => loadConfig('admin', { DATA_DIR: folder, ...environment }).encryptionKeys;
    assert.deepEqual(keysOf({ ENCRYPTION_KEY: 'current' }), ['current']);
    assert.deepEqual(keysOf({ ENCRYPTION_KEY: 'current', ENCRYPTION_KEY_PREVIOUS: 'previous' }), ['current', 'previous']);
  });

  test('[EMAIL-17] templates are an object of names and ids, none of which is empty', () => {
    const isAccepted = (SENDGRID_TEMPLATES: string) => problems('worker', { DATA_DIR: folder, SENDGRID_TEMPLATES }).length === 0;
    for (const text of ['{}', '{"a":"d-1"}', '{"a":"d-1","b":"d-2"}']) assert.ok(isAccepted(text), text);
    for (const text of ['{"a":""}', '{"a":"d-1","b":""}', '{"a":1}', '["d-1"]', 'null', '"d-1"', '{', 'd-1'])
      assert.ok(!isAccepted(text), text);
  });

  test('[PUSH-7] in production the contact for push services is at a public host', () => {
    const isAccepted = (VAPID_SUBJECT: string) => problems('api', { ...PRODUCTION, VAPID_SUBJECT }).length === 0;
    for (const contact of ['mailto:a@web.test', 'https://web.test/contact']) assert.ok(isAccepted(contact), contact);
    for (const host of ['localhost', 'web.localhost', 'web.local', 'web.INTERNAL', 'web'])
      for (const contact of [`mailto:a@${host}`, `https://${host}/`]) assert.ok(!isAccepted(contact), contact);
    for (const contact of ['http://web.test', 'mailto:', 'mailto:web.test', 'a@web.test', 'https:'])
      assert.ok(!isAccepted(contact), contact);
  });

  test('[DEMO-4] the people of the demo are offered where they are asked for, and never in production', () => {
    assert.equal(loadConfig('web', { DATA_DIR: folder, DEMO_PEOPLE: '1' }).offersDemoPeople, true);
    assert.equal(loadConfig('web', { DATA_DIR: folder }).offersDemoPeople, false);
    assert.equal(readConfig('web', { ...PRODUCTION, DEMO_PEOPLE: '1' }).config.offersDemoPeople, false);
  });

  test('[PROCESS-1] a process accepts work for five more seconds in production, where a load balancer has to notice, and for none elsewhere', () => {
    assert.deepEqual([loadConfig('api', PRODUCTION).drainSeconds, loadConfig('api', { DATA_DIR: folder }).drainSeconds], [5, 0]);
  });

  test('[PUSH-7] every generated secret is as long as production requires, and a private key has all of its bytes', () => {
    for (let turn = 0; turn < 400; turn += 1) {
      const { VAPID_PRIVATE_KEY = '', VAPID_PUBLIC_KEY = '', JWT_SECRET = '' } = makeSecrets();
      const bytes = [VAPID_PRIVATE_KEY, VAPID_PUBLIC_KEY, JWT_SECRET].map((text) => Buffer.from(text, 'base64url').length);
      assert.deepEqual(bytes, [32, 65, 32]);
    }
  });

  test('[EDGE-5] a range of proxies has as many bits as its kind of address, at most', () => {
    const isAccepted = (TRUST_PROXY: string) => problems('api', { DATA_DIR: folder, TRUST_PROXY }).length === 0;
    for (const proxies of ['10.0.0.0/0', '10.0.0.1/32', '::/0', '::1/128', '10.0.0.1, ::1', 'loopback', 'none'])
      assert.ok(isAccepted(proxies), proxies);
    for (const proxies of ['10.0.0.1/33', '::1/129', '10.0.0.1/', '10.0.0.1/-1', 'everything', '10.0.0.1,'])
      assert.ok(!isAccepted(proxies), proxies);
  });

  /** Each is the whole address, its origin, and its origin with the bucket in the host name; an IP address has no such name. */
  const ADDRESSES: [address: string, origin: string, withBucket: string][] = [
    ['https://a.test', 'https://a.test', 'https://case-platform.a.test'],
    ['http://a.test:80', 'http://a.test', 'http://case-platform.a.test'],
    ['https://a.test:9000', 'https://a.test:9000', 'https://case-platform.a.test:9000'],
    ['https://a.test:9000/base', 'https://a.test:9000', 'https://case-platform.a.test:9000'],
    ['https://u:p@a.test:9000/base', 'https://a.test:9000', 'https://case-platform.a.test:9000'],
    ['http://localhost:9000', 'http://localhost:9000', 'http://case-platform.localhost:9000'],
    ['http://10.0.0.5:9000', 'http://10.0.0.5:9000', 'http://10.0.0.5:9000'],
    ['http://[::1]:9000/base', 'http://[::1]:9000', 'http://[::1]:9000'],
  ];

  test('[SETTING-3, UPLOAD-1] browsers may reach the store at its own port, at each kind of address', () => {
    for (const [address, origin, withBucket] of ADDRESSES) {
      const originOf = (more: Changes) => {
        const environment = { DATA_DIR: folder, S3_ENDPOINT: address, ...more };
        const [web, api] = [loadConfig('web', environment), loadConfig('api', environment)];
        assert.equal(web.storageOrigin, api.storageOrigin, address);
        return web.storageOrigin;
      };
      assert.equal(originOf({ S3_FORCE_PATH_STYLE: 'true' }), origin, address);
      assert.equal(originOf({}), withBucket, address);
      assert.equal(originOf({ S3_BUCKET: 'files' }), withBucket.replace('case-platform', 'files'), address);
      const development = loadConfig('web', { DATA_DIR: folder, STORAGE_URL: address });
      assert.equal(development.storageOrigin, origin, address);
    }
  });

  test('[SETTING-3] each address keeps its port, path, and credentials', () => {
    const read: Record<string, (config: ReturnType<typeof loadConfig>) => string | undefined> = {
      API_URL: (config) => config.apiUrl,
      API_INTERNAL_URL: (config) => config.apiInternalUrl,
      WEB_URL: (config) => config.webUrl,
      ADMIN_URL: (config) => config.adminUrl,
      STORAGE_URL: (config) => config.storageUrl,
      S3_ENDPOINT: (config) => config.s3.endpoint,
      MAILPIT_URL: (config) => config.mailpitUrl,
      SENDGRID_BASE_URL: (config) => config.sendgrid.baseUrl,
      TWILIO_BASE_URL: (config) => config.twilio.baseUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: (config) => config.tracing?.endpoint,
    };
    const names = Object.values(SETTINGS).flat();
    const addresses = names.filter((name) => /(_URL|_ENDPOINT)$/.test(name) && !/DATABASE|REDIS/.test(name));
    assert.deepEqual(Object.keys(read).sort(), [...new Set(addresses)].sort(), 'every setting that is an address');
    for (const [name, addressIn] of Object.entries(read))
      for (const [address] of ADDRESSES)
        for (const end of ['', '/']) {
          const { config, problems } = readConfig(ALL, { DATA_DIR: folder, [name]: address + end });
          assert.equal(addressIn(config), address, name);
          assert.deepEqual(
            problems.filter((one) => one.startsWith(name) && one.includes('address')),
            [],
            name,
          );
        }
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

describe('[SETTING-1, SETTING-2] what production rejects, each by its name', () => {
  const reused = secret();
  type Row = [what: string, changes: Changes, named: string[]];
  const rows: Row[] = [
    ['nothing, when everything is right', {}, []],
    [
      'plain http addresses that a browser opens',
      { WEB_URL: 'http://web.test', ADMIN_URL: 'http://staff.test' },
      ['WEB_URL', 'ADMIN_URL'],
    ],
    ['a plain API_URL', { API_URL: 'http://api.test' }, ['API_URL']],
    ['a plain S3_ENDPOINT', { S3_ENDPOINT: 'http://s3.test' }, ['S3_ENDPOINT']],
    ['an S3_ENDPOINT that is not an address', { S3_ENDPOINT: 's3.test' }, ['S3_ENDPOINT']],
    ['a plain STORAGE_URL', { STORAGE_URL: 'http://s3.test' }, ['STORAGE_URL']],
    ['a plain SENDGRID_BASE_URL', { SENDGRID_BASE_URL: 'http://mail.test' }, ['SENDGRID_BASE_URL']],
    [
      'a plain TWILIO_BASE_URL',
      {
        TWILIO_BASE_URL: 'http://sms.test',
        TWILIO_ACCOUNT_SID: 'AC1',
        TWILIO_AUTH_TOKEN: 'x',
        TWILIO_FROM: '+12025550100',
      },
      ['TWILIO_BASE_URL'],
    ],
    ['a plain API_INTERNAL_URL, which is allowed', { API_INTERNAL_URL: 'http://api:4000' }, []],
    ...['JWT_SECRET', 'AUTH_SECRET', 'ENCRYPTION_KEY', 'MASTER_API_KEY'].map((name): (typeof rows)[number] => [
      `a previous ${name} that is short`,
      { [`${name}_PREVIOUS`]: 'a' },
      [`${name}_PREVIOUS`],
    ]),
    ['a previous secret that is guessable', { JWT_SECRET_PREVIOUS: 'change-me'.repeat(5) }, ['JWT_SECRET_PREVIOUS']],
    ['a previous secret that is also a current one', { JWT_SECRET_PREVIOUS: PRODUCTION.AUTH_SECRET }, ['JWT_SECRET_PREVIOUS']],
    ['a strong previous secret, which is allowed', { JWT_SECRET_PREVIOUS: secret() }, []],
    ['a forwarding secret that is short', { FORWARDING_SECRET: 'a' }, ['FORWARDING_SECRET']],
    ['secrets that are the same', { JWT_SECRET: reused, ENCRYPTION_KEY: reused }, ['ENCRYPTION_KEY']],
    ['a short secret', { ENCRYPTION_KEY: 'q'.repeat(16) + 'w'.repeat(15) }, ['ENCRYPTION_KEY']],
    ['one letter that is repeated', { ENCRYPTION_KEY: 'q'.repeat(64) }, ['ENCRYPTION_KEY']],
    [
      'the keys that MinIO ships with',
      { S3_ACCESS_KEY_ID: 'minioadmin', S3_SECRET_ACCESS_KEY: 'minioadmin' },
      ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ],
    [
      'the keys that Amazon’s documentation shows',
      { S3_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', S3_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ],
    ['no mail provider', { SENDGRID_API_KEY: undefined }, ['SENDGRID_API_KEY']],
    ['no sender', { EMAIL_FROM: undefined }, ['EMAIL_FROM']],
    [
      'no mail provider, set explicitly, which is allowed',
      { SENDGRID_API_KEY: undefined, EMAIL_FROM: undefined, EMAIL_PROVIDER: 'none' },
      [],
    ],
    ['both no mail provider and one', { EMAIL_PROVIDER: 'none' }, ['EMAIL_PROVIDER']],
    ['a mail provider that is unknown', { EMAIL_PROVIDER: 'pigeon' }, ['EMAIL_PROVIDER']],
    [
      'half a SendGrid',
      { SENDGRID_API_KEY: undefined, EMAIL_PROVIDER: 'none', SENDGRID_BASE_URL: 'https://mail.test' },
      ['SendGrid'],
    ],
    ['half a Twilio', { TWILIO_ACCOUNT_SID: 'AC1' }, ['Twilio']],
    ['another half', { TWILIO_AUTH_TOKEN: 'x', TWILIO_FROM: '+12025550100' }, ['Twilio']],
    ['an unset TRUST_PROXY', { TRUST_PROXY: undefined }, ['TRUST_PROXY']],
    ['every address as a proxy', { TRUST_PROXY: 'true' }, ['TRUST_PROXY']],
    ['a number of proxies', { TRUST_PROXY: '1' }, ['TRUST_PROXY']],
    ['an impossible range', { TRUST_PROXY: '10.0.0.0/40' }, ['TRUST_PROXY']],
    ['proxies by address, range and word, which is right', { TRUST_PROXY: 'loopback, 10.0.0.0/8, fd00::1' }, []],
    [
      'an http trace collector that receives a key',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://traces.test', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=x' },
      ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    ],
    [
      'an https trace collector that receives a key, which is allowed',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.test', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=x' },
      [],
    ],
    ['an http trace collector without a key, which is allowed', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, []],
    ['a Mailpit', { MAILPIT_URL: 'http://localhost:8025' }, ['MAILPIT_URL']],
    ['a demo', { DEMO_SEED: '1' }, ['DEMO_SEED']],
    ['people of the demo at sign-in', { DEMO_PEOPLE: '1' }, ['DEMO_PEOPLE']],
    ['a clock for tests', { TEST_CLOCK: '1' }, ['TEST_CLOCK']],
    ['a page as push contact, which is allowed', { VAPID_SUBJECT: 'https://web.test/contact' }, []],
    ['a sender without a name, which is allowed', { EMAIL_FROM: 'no-reply@web.test' }, []],
  ];
  const contacts = [
    'push@web.test',
    'mailto:',
    'mailto:ops@localhost',
    'mailto:ops',
    'https://localhost',
    'https://',
    'http://web.test',
  ];
  for (const VAPID_SUBJECT of contacts)
    rows.push([`${VAPID_SUBJECT} as push contact, which push services reject`, { VAPID_SUBJECT }, ['VAPID_SUBJECT']]);
  for (const EMAIL_FROM of ['Case Platform', 'Case Platform <>', 'no-reply@localhost', 'a@b@c.test', '<no-reply@web..test>'])
    rows.push([`${EMAIL_FROM} as sender`, { EMAIL_FROM }, ['EMAIL_FROM']]);
  for (const [what, changes, named] of rows) {
    test(what, () => {
      const messages = problems(ALL, { ...PRODUCTION, ...changes });
      const names = new Set(messages.map((text) => text.split(' ', 1)[0]));
      assert.deepEqual([...names].sort(), named.toSorted(), messages.join('\n'));
    });
  }

  test('each setting that production needs is named when it is missing', () => {
    for (const name of Object.keys(PRODUCTION).filter((one) => one !== 'NODE_ENV')) {
      const named = problems(ALL, { ...PRODUCTION, [name]: undefined }).map((text) => text.split(' ', 1)[0]);
      assert.ok(named.includes(name), `${name}: ${named}`);
    }
  });

  test('[SETTING-1, SETTING-2] each secret needs 32 bytes, however many characters these are', () => {
    const secrets = ['JWT_SECRET', 'AUTH_SECRET', 'ENCRYPTION_KEY', 'MASTER_API_KEY'];
    const names = [...secrets, ...secrets.map((name) => `${name}_PREVIOUS`), 'FORWARDING_SECRET', 'METRICS_TOKEN'];
    const ascii = secret();
    for (const name of names) {
      const complaints = (value: string) =>
        problems(ALL, { ...PRODUCTION, [name]: value }).filter((one) => one.startsWith(`${name} `));
      assert.deepEqual(complaints(ascii.slice(0, 31)), [`${name} is shorter than 32 bytes.`]);
      assert.deepEqual(complaints(ascii.slice(0, 32)), [], name);
      // Sixteen letters with accents, of two bytes each.
      const letters = [...ascii.slice(0, 16)].map((digit) => String.fromCharCode(0xe0 + Number.parseInt(digit, 16))).join('');
      assert.deepEqual(complaints(letters), [], name);
    }
  });

  test('[SETTING-1] the master key has up to the 200 characters that its guard reads', () => {
    const key = Array.from({ length: 7 }, secret).join('');
    const complaints = (length: number) => problems('api', { ...PRODUCTION, MASTER_API_KEY: key.slice(0, length) });
    assert.deepEqual([complaints(200), complaints(201)], [[], ['MASTER_API_KEY is longer than 200 characters.']]);
  });

  test('a well-known secret is rejected, with anything around the known part', () => {
    const [before, after] = ['k3Jx9Qm2TbWz7Lr5', 'Yp1Ks8Vn4Hd6Gc0Fa'];
    const words = ['changeme', 'change-me', 'CHANGE_ME', 'secret', 'Password', 'example', 'default', '0123456789', 'demo-'];
    for (const word of words)
      assert.deepEqual(
        problems(ALL, { ...PRODUCTION, ENCRYPTION_KEY: `${before}${word}${after}` }).map((text) => text.split(' ', 1)[0]),
        ['ENCRYPTION_KEY'],
        word,
      );
    assert.deepEqual(problems(ALL, { ...PRODUCTION, ENCRYPTION_KEY: `${before}${after}` }), []);
    for (const word of ['minio', 'admin', 'example', 'secret', 'password', 'access-key', 'accesskey', 'changeme'])
      assert.deepEqual(
        problems(ALL, { ...PRODUCTION, S3_ACCESS_KEY_ID: `AK${word}5TUW` }).map((text) => text.split(' ', 1)[0]),
        ['S3_ACCESS_KEY_ID'],
        word,
      );
  });

  test('a well-known key of the store is rejected; a random one may contain any four letters', () => {
    const isRejected = (key: string) => problems(ALL, { ...PRODUCTION, S3_SECRET_ACCESS_KEY: key }).length > 0;
    for (const key of ['demo', 'Demo123', 'demo-secret', 'case-platform-demo', 'my_demo_key', 'storeDEMO', 'test', 'aaaa'])
      assert.ok(isRejected(key), key);
    const random = ['k3Jx9Qm2Tb', 'Wz7Lr5Yp1Ks8Vn4Hd6Gc0Fa'];
    for (const word of ['demo', 'DeMo', 'test']) assert.ok(!isRejected(random.join(word)), word);
  });

  test('all problems are named at once, and never a value', () => {
    const hidden = {
      JWT_SECRET: 'hidden',
      S3_ENDPOINT: 'http://hidden',
      DATABASE_URL: 'mysql://hidden',
      API_PORT: 'hidden',
    };
    const more = { TRUST_PROXY: 'hidden', LOG_LEVEL: 'hidden', STRICT_PAGE_GUARD: 'hidden', EMAIL_PROVIDER: 'hidden' };
    const message = problems(ALL, { ...PRODUCTION, ...hidden, ...more }).join('\n');
    for (const name of Object.keys({ ...hidden, ...more })) assert.match(message, new RegExp(`\\b${name}\\b`));
    assert.doesNotMatch(message, /hidden/);
  });
});
