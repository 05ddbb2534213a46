import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions } from '../../../../session/auth-options.ts';

interface Context {
  params: Promise<{ nextauth: string[] }>;
}

/** What next-auth does here; it fails at a GET of the callback, and at providers that there are none of. */
const ACTIONS: Record<string, readonly string[]> = {
  GET: ['csrf', 'providers', 'session', 'signin', 'signout', 'error'],
  POST: ['callback/credentials', 'signin/credentials', 'signout', 'session', '_log'],
};

/** next-auth's own endpoints. The options are made per request because the environment is read at run time. */
async function handle(request: NextRequest, context: Context): Promise<Response> {
  const action = (await context.params).nextauth.join('/');
  if (!ACTIONS[request.method]?.includes(action)) {
    const isKnown = Object.values(ACTIONS).some((actions) => actions.includes(action));
    return new Response(null, { status: isKnown ? 405 : 404 });
  }
  return NextAuth(request, context, authOptions());
}

export { handle as GET, handle as POST };
