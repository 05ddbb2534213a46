/** The parts of an OpenAPI document that are read here. */
interface Description {
  paths?: Record<string, Record<string, unknown> | undefined>;
}

/**
 * Calls that take or give a token: the web frontend's session layer alone makes them, and a browser never sees what they
 * answer. A test holds that no other call has a token in it.
 */
const SESSION_CALLS = new Set([
  '/api/user/auth/login',
  '/api/user/auth/refresh',
  '/api/user/auth/resend-otp',
  '/api/user/auth/verify-totp',
]);
/** What mailboxes and whoever reads a mail open without a session, at the API itself. */
const WITHOUT_SESSION = new Set(['/api/notifications/unsubscribe']);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The list of what the web frontend passes on from the browser to the API, as a source file of its own. */
export function describeForwardedPaths({ paths = {} }: Description): string {
  const lines = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/') && !SESSION_CALLS.has(path) && !WITHOUT_SESSION.has(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, item]) => {
      const methods = METHODS.filter((method) => item?.[method] !== undefined).map((method) => method.toUpperCase());
      return `  '${path}': [${methods.map((method) => `'${method}'`).join(', ')}],`;
    });
  return `// Made by \`npm run generate\` from apps/api/openapi.json. A line here opens a call to every browser that is signed in.

/** What the browser may call through the web server: the API's paths with their methods, but for those that carry tokens. */
export const FORWARDED_PATHS: Readonly<Record<string, readonly string[]>> = {
${lines.join('\n')}
};
`;
}
