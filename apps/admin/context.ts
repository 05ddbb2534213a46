import type { Config } from '@case-platform/lib/config';
import type { ReadLagging } from '@case-platform/lib/database/replica-reads';
import type { RequestFollowers } from '@case-platform/lib/http/follow-requests';
import type { CallLimits, ChallengeContext } from '@case-platform/modules/accounts';
import type { LiveUpdates } from '@case-platform/modules/live';
import type { Storage } from '@case-platform/modules/storage';

/** Everything that the server-rendered application works with. */
export interface AdminContext extends ChallengeContext, RequestFollowers {
  config: Pick<
    Config,
    'production' | 'offersDemoPeople' | 'adminUrl' | 'webUrl' | 'sessionIdleTtl' | 'strictPageGuard' | 'trustProxy'
  >;
  /** Counts calls and messages per minute. */
  callLimits: CallLimits;
  /** For reads that may lag (SCALE-5); `db` reads what was just written. */
  readLagging: ReadLagging;
  storage: Storage;
  live: LiveUpdates;
  /** Rejects while something that a request may need is unavailable. */
  ready: () => Promise<void>;
  /** Rejects until the migrations of this version have run. */
  requirePrepared?: () => Promise<void>;
  /** The current time, for tests that cannot wait an hour. */
  now: () => Date;
}
