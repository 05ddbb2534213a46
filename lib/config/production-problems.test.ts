import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ConfigError, loadConfig } from '../config.ts';
import type { ProcessName } from './settings-of-processes.mjs';

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
