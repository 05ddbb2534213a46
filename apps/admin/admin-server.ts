import type { HttpServer } from '@case-platform/lib/http-server';
import type { AdminContext } from './context.ts';
import type { Guards } from './guards/guards.ts';
import type { Visitors } from './guards/visitors.ts';

/** Everything that a file of routes works with. */
export interface AdminServer {
  app: HttpServer;
  context: AdminContext;
  guards: Guards;
  visitors: Visitors;
}
