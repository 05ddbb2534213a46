import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions } from '../../../../lib/auth-options.ts';

interface Context {
  params: Promise<{ nextauth: string[] }>;
}

/** next-auth's own endpoints. The options are made per request because the environment is read at run time. */
function handle(request: NextRequest, context: Context): Promise<Response> {
  return NextAuth(request, context, authOptions());
}

export { handle as GET, handle as POST };
