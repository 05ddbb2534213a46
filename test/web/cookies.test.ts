import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('[WEB-1] cookies are written only in the listed files, which name them', () => {
  const folders = ['apps/web', 'apps/admin', 'apps/api', 'lib'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const code = files.filter(
    (file) => /\.(ts|tsx|js|mjs)$/.test(file) && !/\.test\.ts$|node_modules|\.next|api-types|\/vendor\//.test(file),
  );
  const writing = code.filter((file) =>
    /document\.cookie = |cookieStore|\.setCookie\(|cookies\.set\(|jar\.set\(|set-cookie'\] =|cookies\(\)\)\.set\(/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  );
  assert.deepEqual(writing.sort(), [
    'apps/admin/browser/app.ts',
    'apps/admin/guards/open-forms.ts',
    'apps/admin/guards/visitors.ts',
    'apps/admin/sign-in/begin-session.ts',
    'apps/admin/sign-in/challenge-cookie.ts',
    'apps/web/look/preferences.ts',
    'apps/web/proxy.ts',
    'apps/web/server/forward-call.ts',
    'apps/web/session/two-factor-cookie.ts',
  ]);
});
