import type { ApiDescription } from './api-description.ts';

/**
 * Calls with a token in the request or response. Only the session layer of the web frontend makes them, and browsers never see
 * the responses. A test checks that no other call contains a token.
 */
const SESSION_CALLS = new Set([
  '/api/user/auth/login',
  '/api/user/auth/refresh',
  '/api/user/auth/resend-otp',
  '/api/user/auth/verify-totp',
]);
/** Paths that mail programs and readers of a mail open at the API, without a session. */
const WITHOUT_SESSION = new Set(['/api/notifications/unsubscribe']);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Makes the source file with the paths that the web frontend forwards from browsers to the API. */
export function describeForwardedPaths({ paths }: ApiDescription<object, object>): string {
  const lines = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/') && !SESSION_CALLS.has(path) && !WITHOUT_SESSION.has(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, item]) => {
      const methods = METHODS.filter((method) => item[method] !== undefined).map((method) => method.toUpperCase());
      return `  '${path}': [${methods.map((method) => `'${method}'`).join(', ')}],`;
    });
  return `// Made by \`npm run generate\` from the routes of the API. A line here opens a call to every browser that is signed in.

/** The API's paths and methods that browsers may call through the web server: all except those with tokens. */
export const FORWARDED_PATHS: Readonly<Record<string, readonly string[]>> = {
${lines.join('\n')}
};
`;
}
