import type { HttpServer } from '@case-platform/lib/http-server';
import type { AdminContext } from './context.ts';
import type { Guards } from './guards/guards.ts';
import type { Visitors } from './guards/visitors.ts';

/** What every file of routes gets. */
export interface AdminServer {
  app: HttpServer;
  context: AdminContext;
  guards: Guards;
  visitors: Visitors;
}
