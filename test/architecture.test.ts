import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Import, listImports } from '../scripts/test/import-graph.mjs';

/** Checks the rules of docs/architecture.md, "Who may import whom", in every file that git tracks or will track. */

const root = fileURLToPath(new URL('../', import.meta.url));
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  // Git still lists a file whose deletion is not committed yet.
  .filter((path) => existsSync(join(root, path)));
const files = listFiles(/\.(ts|tsx|mjs)$/);

/** A module may import only the modules before it in this list. */
const MODULES = [
  'notifications',
  'accounts',
  'audit',
  'storage',
  'cases',
  'messaging',
  'live',
  'ledger',
  'disbursements',
  'banking',
  'overview',
];

const imports = listImports();

/** Any form of a rejection, or a handler that returns when a permission is missing. */
const OWN_CHECK =
  /\bForbiddenError\b|\bnew UnauthenticatedError\b|\.(?:code|status)\((?:401|403)\)|if \([^\n]*\b(?:can|has)\([^\n]*\)\s*(?:\{\s*)?(?:throw|return (?:reply|sendPage|closed))/g;

const isTest = (file: string) => /\.test\.(ts|tsx|mjs)$/.test(file) || file.startsWith('test/');
const production = imports.filter(({ file }) => !isTest(file));
const appOf = (path: string) => /^apps\/(\w+)\//.exec(path)?.[1];
const moduleOf = (path: string) => /^modules\/(\w+)\//.exec(path)?.[1];
const wrong = (list: Import[]) => list.map(({ file, from }) => `${file} imports ${from}`);

describe('allowed imports', () => {
  test('lib imports nothing of ours', () => {
    const violations = production.filter(({ file, target }) => file.startsWith('lib/') && target && !target.startsWith('lib/'));
    assert.deepEqual(wrong(violations), []);
  });

  test('words imports nothing but itself: no library, nothing of Node.js', () => {
    const violations = production.filter(({ file, target }) => file.startsWith('words/') && !target?.startsWith('words/'));
    assert.deepEqual(wrong(violations), []);
  });

  test('a module imports lib, words, and the indexes of modules before it', () => {
    const violations = production.filter(({ file, target }) => {
      const own = moduleOf(file);
      if (own === undefined || target === undefined || /^(lib|words)\//.test(target)) return false;
      const other = moduleOf(target);
      if (other === own) return false;
      const before = other !== undefined && MODULES.indexOf(other) < MODULES.indexOf(own) && MODULES.includes(other);
      return !(before && target === `modules/${other}/index.ts`);
    });
    assert.deepEqual(wrong(violations), []);
  });

  test('modules never import Fastify and never read the environment', () => {
    const fastify = production.filter(
      ({ file, from }) => file.startsWith('modules/') && /fastify/.test(from) && from !== '@fastify/busboy',
    );
    assert.deepEqual(wrong(fastify), []);
    const reading = files.filter((file) => file.startsWith('modules/') && !isTest(file) && read(file).includes('process.env'));
    assert.deepEqual(reading, []);
  });

  test('applications import modules and lib, never each other', () => {
    const violations = production.filter(({ file, target }) => {
      const own = appOf(file);
      return own !== undefined && target !== undefined && appOf(target) !== undefined && appOf(target) !== own;
    });
    assert.deepEqual(wrong(violations), []);
  });

  test('an area of the API or the staff application imports another one only through its index', () => {
    const shared = new Set(['assets', 'form', 'guards', 'page']);
    const areaOf = (path: string) => /^apps\/(?:admin|api)\/([\w-]+)\//.exec(path)?.[1];
    const between = production.filter(({ file, target }) => {
      const [own, other] = [areaOf(file), target === undefined ? undefined : areaOf(target)];
      return own !== undefined && other !== undefined && own !== other && !shared.has(other);
    });
    // Shared code may not import an area.
    const violations = between.filter(({ file, target }) => shared.has(areaOf(file) ?? '') || !target?.endsWith('/index.ts'));
    assert.deepEqual(wrong(violations), []);
  });

  test('the web frontend imports words, lib/browser, and no server code, except in its main.ts', () => {
    const violations = production.filter(
      ({ file, target }) =>
        appOf(file) === 'web' &&
        file !== 'apps/web/main.ts' &&
        target &&
        appOf(target) !== 'web' &&
        !/^(words|lib\/browser)\//.test(target),
    );
    assert.deepEqual(wrong(violations), []);
  });

  test('a module is imported only through its index', () => {
    const violations = production.filter(
      ({ file, target }) =>
        target && moduleOf(target) && moduleOf(file) !== moduleOf(target) && !/^modules\/\w+\/index\.ts$/.test(target),
    );
    assert.deepEqual(wrong(violations), []);
  });

  test('an index has named re-exports only', () => {
    for (const file of files.filter((path) => /^(modules|apps\/(admin|api))\/[\w-]+\/index\.ts$/.test(path))) {
      const rest = read(file).replaceAll(/export (type )?\{[^}]*\} from '\.\/[\w/-]+\.ts';\s*/g, '');
      assert.equal(rest.trim(), '', file);
    }
  });

  test('[GUARD-7] no route and no view of the staff application rejects, redirects, or closes by itself', () => {
    const code = files.filter((file) => /^apps\/admin\/(?!guards\/|page\/|form\/)[\w-]+\//.test(file) && !isTest(file));
    const violations = code.flatMap((file) => [...read(file).matchAll(OWN_CHECK)].map(([text]) => `${file}: ${text.trim()}`));
    assert.deepEqual(violations, []);
    // A page must be closed by the check of its guard.
    for (const file of code) {
      const closes = [...read(file).matchAll(/closedPage\((?!frame: Frame)/g)].length;
      const asks = [...read(file).matchAll(/if \(!\w+\.holds\(request\)\)\s+return (?:sendPage\(reply, )?closedPage\(/g)].length;
      assert.equal(closes, asks, file);
    }
  });

  test('[WEB-5] the server client stays out of the browser, and the browser client out of server components', () => {
    const isBrowserCode = (file: string) => /^\s*(import )?['"](use client|client-only)['"]/.test(read(file));
    const web = production.filter(({ file }) => file.startsWith('apps/web/'));
    const serverCode = /\/(api-server|api-auth|forward-call|server-environment|session-cookie)\.ts$/;
    const inBrowser = web.filter(({ file, from }) => serverCode.test(from) && isBrowserCode(file));
    assert.deepEqual(wrong(inBrowser), []);
    const onServer = web.filter(
      ({ file, from }) => /\/api-browser\.ts$/.test(from) && /[/-](page|layout|route)\.tsx?$/.test(file) && !isBrowserCode(file),
    );
    assert.deepEqual(wrong(onServer), []);
  });

  test('no two folders of an application import each other, directly or through others', () => {
    const roomOf = (path = '') => /^apps\/[\w-]+\/[\w-]+(?=\/)/.exec(path)?.[0];
    const needs = new Map<string, Set<string>>();
    for (const { file, target } of production) {
      const [own, other] = [roomOf(file), roomOf(target)];
      if (own === undefined || other === undefined || own === other) continue;
      needs.set(own, (needs.get(own) ?? new Set()).add(other));
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(needs.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
    assert.deepEqual(
      [...needs.keys()].filter((room) => reaches(room, room)),
      [],
    );
  });

  test('only lib/http-server.ts calls fastify(), only lib/http/limited-server.ts makes a server, only main.ts files and scripts load the configuration', () => {
    const calls = files.filter(
      (file) => !isTest(file) && !file.startsWith('bench/') && /\bfastify\(\{?|\bFastify\(/.test(read(file)),
    );
    assert.deepEqual(calls, ['lib/http-server.ts']);
    const servers = files.filter(
      (file) => /^(apps|modules|lib)\//.test(file) && !isTest(file) && /\bcreateServer\(/.test(read(file)),
    );
    assert.deepEqual(servers, ['lib/http/limited-server.ts']);
    const loads = files.filter(
      (file) =>
        !isTest(file) &&
        !/(^apps\/\w+\/main\.ts|^lib\/config\.ts)$/.test(file) &&
        !/^(scripts|bench|chaos)\//.test(file) &&
        /\bloadConfig(WithDatabase)?\(/.test(read(file)),
    );
    assert.deepEqual(loads, []);
  });
});

test('no two subjects take the same advisory lock', () => {
  const places = new Map<string, Set<string>>();
  for (const file of listFiles(/^(apps|db|lib|modules)\/.*(?<!\.test)\.(ts|sql)$/).filter((path) => path !== 'db/schema.sql')) {
    for (const [number] of read(file).matchAll(/\b7_?214_?01\d_?\d{0,3}\b/g)) {
      const lock = number.replaceAll('_', '');
      // A migration repeats the number of a function that it replaces.
      const place = file.startsWith('db/migrations/') ? 'db/migrations/' : file;
      places.set(lock, (places.get(lock) ?? new Set()).add(place));
    }
  }
  assert.ok(places.size > 10);
  assert.deepEqual(
    [...places].filter(([, some]) => some.size > 1).map(([lock, some]) => [lock, ...some]),
    [],
  );
});

test('[DATABASE-6] the number of rows in a limit is part of the text, because plans know no parameters', () => {
  const statements = files.filter((file) => /^(modules|lib|apps)\//.test(file) && !isTest(file));
  assert.deepEqual(
    statements.filter((file) => /\blimit \$\{/.test(read(file)) && file !== 'lib/sql.ts'),
    [],
  );
});

test('[NOTIFY-3] only the message send flow queues pushes itself; every other event is triggered', () => {
  const queueing = files.filter((file) => !isTest(file) && /\bqueuePushes\(/.test(read(file)));
  assert.deepEqual(queueing.sort(), [
    'modules/messaging/announce-message.ts',
    'modules/notifications/push/queue-push.ts',
    'modules/notifications/push/send-push-now.ts',
  ]);
});

/** Packages of megabytes that few requests need, so each is loaded when it is first used (PROCESS-4). */
const SELDOM_USED = [
  'pdfkit',
  'fontkit',
  'pdfjs-dist',
  'sharp',
  'liquidjs',
  'web-push',
  'nodemailer',
  'twilio',
  '@sendgrid/mail',
  '@sendgrid/client',
  '@zxcvbn-ts/language-common',
  'libphonenumber-js',
];

test('[PROCESS-4] no process loads large and rarely used packages when it starts', () => {
  const statically = /^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;
  const targets = new Map(production.map(({ file, from, target }) => [`${file} ${from}`, target]));
  const loaded = new Set(['api', 'admin', 'worker', 'web', 'storage'].map((name) => `apps/${name}/main.ts`));
  const violations: string[] = [];
  for (const file of loaded)
    for (const [, named, alone] of read(file).matchAll(statically)) {
      const from = named ?? alone ?? '';
      const target = targets.get(`${file} ${from}`);
      if (target !== undefined) loaded.add(target);
      if (SELDOM_USED.some((name) => from === name || from.startsWith(`${name}/`))) violations.push(`${file} loads ${from}`);
    }
  assert.ok(loaded.size > 500);
  assert.deepEqual(violations, []);
});

test('[PROCESS-4] `npm start` keeps no compiler, because a process of its own builds the styles', () => {
  const compiler = /(?:from|import\() ?'(?:esbuild|postcss|@tailwindcss\/postcss)'/;
  const loading = listFiles(/\.mjs$/).filter((file) => file.startsWith('scripts/') && compiler.test(read(file)));
  assert.deepEqual(loading, ['scripts/checkout/build-styles.mjs']);
});

describe('words', () => {
  const outside = listFiles(/\.(ts|tsx|mjs|js)$/).filter((file) => !isTest(file) && !file.startsWith('words/'));

  test('[API-4] numbers, money, dates, and times are written in words/ only', () => {
    // A script of a page may look up the time zone of its device.
    const asksForZone = 'Intl.DateTimeFormat().resolvedOptions().timeZone';
    const violations = outside.filter((file) =>
      /\bIntl\.\w*Format\b|\.toLocale(Date|Time)?String\(|style: 'currency'/.test(read(file).replaceAll(asksForZone, '')),
    );
    assert.deepEqual(violations, []);
  });

  test('[BRAND-1] the name of the company comes from the settings', () => {
    const inText = listFiles(/\.(ts|tsx|js|html|txt)$/).filter((file) => /^(apps|modules|words)\//.test(file) && !isTest(file));
    const named = inText.filter((file) => read(file).includes('Case Platform'));
    // The title of the API's description, and the default of the setting in the web frontend.
    assert.deepEqual(named, ['apps/api/describe-api.ts', 'apps/web/api/server-environment.ts']);
  });

  test('[API-4] dollars are read, and cents written as dollars, in words/money.ts only', () => {
    // These are factors of a hundred, fractions, and decimal places by hand. `share * 100` is a percentage and not money.
    const counts = /\bparseFloat\(|[\w)\]] ?[*/] ?100\b|\.toFixed\(2\)|padEnd\(2, '0'\)/;
    const violations = outside.filter(
      (file) => /^(apps|modules)\//.test(file) && counts.test(read(file).replaceAll('share * 100', '')),
    );
    assert.deepEqual(violations, []);
    assert.match(read('words/money.ts'), counts);
  });

  test('a limit that more than one layer names is in words/limits.ts only', () => {
    const limits = [...read('words/limits.ts').matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
    const again = new RegExp(`\\bconst (${limits.join('|')})\\b`);
    // Codes and numbers with an exact format are not limits of what people write.
    const typed = /\bmax[lL]ength=[{"](?!(?:9|12|15|17|36)\b)\d|\bat most [\d,]{2,} (?:characters|files|people)/;
    const violations = outside.filter((file) => !file.startsWith('lib/') && (again.test(read(file)) || typed.test(read(file))));
    assert.deepEqual(violations, []);
  });

  test('[API-4, REQUEST-3] the largest amount is defined in one place', () => {
    const violations = outside.filter((file) => /9_?999_?999_?999\b/.test(read(file)));
    // An amount in a NACHA file has ten digits, which is a limit of that format.
    assert.deepEqual(violations, ['modules/banking/nacha/limits.ts']);
  });
});

describe('text', () => {
  test('typed text is cleaned in one place, and no module has its own rule', () => {
    const own = files.filter(
      (file) =>
        /^(modules|apps\/(api|admin|worker))\//.test(file) &&
        !file.endsWith('.test.ts') &&
        /\\p\{(Cc|C)\}|\\u202/.test(read(file)),
    );
    // These read an address, our own text messages, and the content of files.
    const others = ['modules/notifications/sms/gsm-text.ts', 'modules/storage/content/is-plain-text.ts'];
    assert.deepEqual(own, ['apps/admin/guards/safe-next.ts', ...others]);
  });
});

test('[START-8] a path becomes a URL and back only as Node.js does it, so that a folder may be named 100%, feature%2Fx, or a#b', () => {
  const sources = listFiles(/\.(m?[jt]sx?)$/).filter((file) => file !== 'test/architecture.test.ts');
  assert.deepEqual(
    sources.filter((file) => /file:\/\/\$\{|import\.meta\.url\)\.pathname|import\((resolve|join)\(/.test(read(file))),
    [],
  );
});

test('[PAGE-5] no page that is loaded whole is streamed behind a boundary, where React may render it a second time', () => {
  const pages = files.filter((file) => file.startsWith('apps/web/'));
  assert.ok(pages.includes('apps/web/app/layout.tsx'));
  assert.ok(!pages.some((file) => /\/loading\.(tsx|ts)$/.test(file)));
  // Parts that load after a tap have no fallback. A page shows its skeleton only to someone who comes from another page.
  const boundaries = pages.filter((file) => /<Suspense(?! fallback=\{null\}>)/.test(read(file)));
  assert.deepEqual(boundaries, ['apps/web/shell/page-boundary.tsx']);
  assert.match(read('apps/web/next.config.mjs'), /htmlLimitedBots: \/\.\*\//);
});

function listFiles(name: RegExp): string[] {
  return tracked.filter((path) => name.test(path) && !path.endsWith('.d.ts'));
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
