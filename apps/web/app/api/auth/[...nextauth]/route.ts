import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions } from '../../../../session/auth-options.ts';

interface Context {
  params: Promise<{ nextauth: string[] }>;
}

/**
 * The calls that next-auth answers; it fails at a GET of the callback and at providers that do not exist. `_log` is not among them,
 * because next-auth writes whatever anyone posts there to our log.
 */
const ACTIONS: Record<string, readonly string[]> = {
  GET: ['csrf', 'providers', 'session', 'signin', 'signout', 'error'],
  POST: ['callback/credentials', 'signin/credentials', 'signout', 'session'],
};

/** next-auth's own endpoints. The options are made per request because the environment is read at run time. */
async function handle(request: NextRequest, context: Context): Promise<Response> {
  const action = (await context.params).nextauth.join('/');
  // next-auth's code in the browser reports its errors there. They are dropped unread.
  if (action === '_log' && request.method === 'POST') return new Response(null, { status: 204 });
  if (!ACTIONS[request.method]?.includes(action)) {
    const isKnown = Object.values(ACTIONS).some((actions) => actions.includes(action));
    return new Response(null, { status: isKnown ? 405 : 404 });
  }
  return NextAuth(request, context, authOptions());
}

export { handle as GET, handle as POST };
