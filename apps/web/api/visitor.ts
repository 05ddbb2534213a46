import { serverEnvironment } from './server-environment.ts';

/** Headers that say who is behind a call to the API. */
export type Visitor = Record<string, string>;

/** What is handed on of a request: its address, its browser, the visit that it belongs to, and its own name (main.ts). */
const NAMES = ['x-forwarded-for', 'user-agent', 'x-visit-id', 'x-request-id', 'traceparent'];

/**
 * Who is behind this call: the address for the API's throttles and audit log (main.ts has replaced whatever the visitor
 * claimed), and the browser for the list of sign-ins that people are shown. The secret proves to the API that it was us.
 */
export function visitorIn(headers: { get(name: string): string | null }): Visitor {
  const { forwardingSecret } = serverEnvironment();
  const known = NAMES.map((name) => [name, headers.get(name)] as const);
  const visitor = Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== null));
  return forwardingSecret === undefined ? visitor : { ...visitor, 'x-forwarding-secret': forwardingSecret };
}

/**
 * By whom a session's calls authenticate: its token, and its own name, since a person may have ended this sign-in at another
 * process meanwhile (WEB-11). Only the API knows of all of them.
 */
export function sessionHeaders({ accessToken, sid }: { accessToken: string; sid: string }): Record<string, string> {
  return { authorization: `Bearer ${accessToken}`, 'x-web-session': sid };
}
