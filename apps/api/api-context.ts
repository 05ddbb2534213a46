import type { ReadLagging } from '@case-platform/lib/database/replica-reads';
import type { RequestFollowers } from '@case-platform/lib/http/follow-requests';
import type { HttpServer } from '@case-platform/lib/http-server';
import type { CallLimits, SignInContext } from '@case-platform/modules/accounts';
import type { LiveUpdates } from '@case-platform/modules/live';
import type { PushSettings } from '@case-platform/modules/notifications';
import type { Storage } from '@case-platform/modules/storage';
import type { Guards } from './guards/guards.ts';
import type { ReportKeys } from './guards/signature-guards.ts';

export interface ApiContext extends SignInContext, RequestFollowers {
  callLimits: CallLimits;
  /** For reads that may lag (SCALE-5); `db` reads what was just written. */
  readLagging: ReadLagging;
  storage: Storage;
  live: LiveUpdates;
  /** Rejects while something that a request may need is unavailable. */
  ready: () => Promise<void>;
  /** Rejects until the migrations of this version have run. */
  requirePrepared?: () => Promise<void>;
  masterApiKey: string;
  /** A previous or next key, which is accepted as well. */
  masterApiKeyPrevious?: string | undefined;
  /** Where mailed links lead. */
  webUrl: string;
  /** Origins of the web frontend and the server-rendered application. */
  origins: readonly string[];
  push: PushSettings;
  reportKeys: ReportKeys;
  /** The current time, which tests can set. */
  now: () => Date;
  trustProxy?: string | undefined;
  forwardingSecret?: string | undefined;
}

export interface ApiServer {
  app: HttpServer;
  context: ApiContext;
  guards: Guards;
}
