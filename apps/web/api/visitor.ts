import { serverEnvironment } from './server-environment.ts';

/** Headers that identify the person and browser behind a call to the API. */
export type Visitor = Record<string, string>;

/** The headers of a request that are passed on to the API. */
const NAMES = ['x-forwarded-for', 'user-agent', 'accept-language', 'x-visit-id', 'x-request-id', 'traceparent'];

/**
 * Picks the headers to pass on: the address for the API's rate limits and audit log (main.ts has replaced what the client
 * claimed), and the browser for the list of sign-ins. The secret proves to the API that this server sent them.
 */
export function visitorIn(headers: { get(name: string): string | null }): Visitor {
  const visitor: Visitor = {};
  for (const name of NAMES) {
    const value = headers.get(name);
    if (value !== null) visitor[name] = value;
  }
  const { forwardingSecret } = serverEnvironment();
  if (forwardingSecret !== undefined) visitor['x-forwarding-secret'] = forwardingSecret;
  return visitor;
}

/**
 * Headers that authenticate a session's calls: its token and its id, because the person may have signed out at another process,
 * which only the API knows (WEB-11).
 */
export function sessionHeaders({ accessToken, sid }: { accessToken: string; sid: string }): Record<string, string> {
  return { authorization: `Bearer ${accessToken}`, 'x-web-session': sid };
}
