import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseTheme, readPreference, setPreference } from './preferences.ts';

/** These tests share their process with others. */
const before = Object.getOwnPropertyDescriptor(globalThis, 'location');
after(() => {
  Reflect.deleteProperty(globalThis, 'document');
  if (before === undefined) Reflect.deleteProperty(globalThis, 'location');
  else Object.defineProperty(globalThis, 'location', before);
});

/** Imitates the names and ages of a browser's cookies. `written` has every cookie as it was written. */
function browser(protocol: 'http:' | 'https:', cookiesAtStart: Record<string, string> = {}) {
  const jar = new Map(Object.entries(cookiesAtStart));
  const written: string[] = [];
  const document = {
    set cookie(text: string) {
      written.push(text);
      const [pair = ''] = text.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (text.includes('max-age=0')) jar.delete(name);
      else jar.set(name, value);
    },
  };
  Object.assign(globalThis, { location: { protocol }, document });
  const cookies = { get: (name: string) => (jar.has(name) ? { value: jar.get(name) ?? '' } : undefined) };
  return { written, cookies, jar };
}

const NAMES = ['theme', 'zone', 'chosen-zone', 'role'] as const;

test('[WEB-1] over https every preference is stored under a name that only this host can set', () => {
  const { written, jar } = browser('https:');
  for (const name of NAMES) setPreference(name, 'x');
  assert.equal(jar.size, NAMES.length);
  for (const cookie of written) {
    assert.match(cookie, /; path=\/(;|$)/);
    assert.match(cookie, /; secure(;|$)/);
    assert.doesNotMatch(cookie, /domain/i);
    assert.ok(cookie.startsWith('__Host-') || cookie.includes('max-age=0'), cookie);
  }
});

test('over http, in development, names have no prefix', () => {
  const { cookies, jar } = browser('http:');
  setPreference('theme', 'dark');
  assert.deepEqual([[...jar.keys()], readPreference(cookies, 'theme')], [['case-theme'], 'dark']);
});

test('a preference lasts a year, or ends at once when it is removed', () => {
  const { written } = browser('http:');
  setPreference('zone', 'Europe/Paris');
  setPreference('zone', null);
  assert.deepEqual(written, [
    'case-zone=Europe%2FParis; max-age=31536000; path=/; samesite=lax',
    'case-zone=; max-age=0; path=/; samesite=lax',
  ]);
});

test('a theme is light or dark, and anything else is the system’s', () => {
  assert.deepEqual(['light', 'dark', 'Light', '', undefined].map(parseTheme), ['light', 'dark', undefined, undefined, undefined]);
});
