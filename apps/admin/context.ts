import type { Config } from '@case-platform/lib/config';
import type { Log } from '@case-platform/lib/log';
import type { Calls, ChallengeContext } from '@case-platform/modules/accounts';
import type { LiveUpdates } from '@case-platform/modules/messaging';
import type { Storage } from '@case-platform/modules/storage';

/** Everything that the server-rendered application works with. */
export interface AdminContext extends ChallengeContext {
  config: Pick<Config, 'production' | 'adminUrl' | 'webUrl' | 'sessionIdleTtl' | 'strictPageGuard' | 'trustProxy'>;
  /** Counts calls and messages a minute. */
  calls: Calls;
  storage: Storage;
  live: LiveUpdates;
  /** Rejects while something is away that a request may need. */
  ready: () => Promise<void>;
  log: Log;
  /** The present, for tests that cannot wait an hour. */
  now?: () => Date;
}
