import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions } from '../../../../session/auth-options.ts';

interface Context {
  params: Promise<{ nextauth: string[] }>;
}

/**
 * The calls that are passed to next-auth. It fails on a GET of the callback and on unknown providers, so neither is listed.
 * `_log` is not listed because next-auth writes everything that is posted there to our log.
 */
const ACTIONS: Record<string, readonly string[]> = {
  GET: ['csrf', 'providers', 'session', 'signin', 'signout', 'error'],
  POST: ['callback/credentials', 'signin/credentials', 'signout', 'session'],
};

/** The options are built for each request because the environment is read at run time. */
async function handle(request: NextRequest, context: Context): Promise<Response> {
  const action = (await context.params).nextauth.join('/');
  // next-auth's browser code reports its errors here. They are dropped unread.
  if (action === '_log' && request.method === 'POST') return new Response(null, { status: 204 });
  if (!ACTIONS[request.method]?.includes(action)) {
    const isKnown = Object.values(ACTIONS).some((actions) => actions.includes(action));
    return new Response(null, { status: isKnown ? 405 : 404 });
  }
  return NextAuth(request, context, authOptions());
}

export { handle as GET, handle as POST };
