import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { transformSync } from 'esbuild';

/**
 * Lets a test import the components of this application, which Node.js cannot: it compiles `.tsx` files, finds the modules of Next.js
 * that its bundler finds, and puts a plain element in the place of what needs a whole browser.
 */
const PLAIN: Record<string, string> = {
  'server-only': '',
  'next/headers': `export const cookies = async () => globalThis.testRequest.cookies;
    export const headers = async () => globalThis.testRequest.headers;`,
  'next/font/local': "export default () => ({ variable: 'font' });",
  'next-auth': "export default () => new Response('next-auth');",
  'next-auth/providers/credentials': 'export default (options) => options;',
  'next/link': `import { createElement } from 'react';
    export default ({ prefetch, onNavigate, ...rest }) => createElement('a', rest);`,
  '@base-ui/react/otp-field': `import { createElement } from 'react';
    export const OTPField = {
      Input: () => null,
      Root: ({ length, onValueChange, onValueComplete, children, ...rest }) => createElement('input', {
        ...rest,
        onChange: ({ target }) => {
          onValueChange(target.value);
          if (target.value.length === length) onValueComplete(target.value);
        },
      }),
    };`,
};
const MODULES: Record<string, string> = {
  'next/navigation': 'next/navigation.js',
  'next/server': 'next/server.js',
  'next/dynamic': 'next/dist/shared/lib/app-dynamic.js',
  // One file instead of one for each icon.
  'lucide-react': import.meta.resolve('lucide-react').replace(/esm\/.*$/, 'cjs/lucide-react.js'),
};

registerHooks({
  resolve(specifier, context, next) {
    const plain = PLAIN[specifier];
    if (plain !== undefined) return { url: `plain:${specifier}`, shortCircuit: true };
    if (context.parentURL?.startsWith('plain:')) return next(specifier, { ...context, parentURL: import.meta.url });
    return next(MODULES[specifier] ?? specifier, context);
  },
  load(url, context, next) {
    if (url.startsWith('plain:')) return { format: 'module', source: PLAIN[url.slice(6)] ?? '', shortCircuit: true };
    if (!url.endsWith('.tsx')) return next(url, context);
    const source = readFileSync(new URL(url), 'utf8');
    const { code } = transformSync(source, { loader: 'tsx', format: 'esm', jsx: 'automatic', sourcemap: 'inline' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
