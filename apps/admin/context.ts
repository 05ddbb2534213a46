import type { Database } from '@case-platform/db';
import type { Config } from '@case-platform/lib/config';
import type { Log } from '@case-platform/lib/log';
import type { Throttle } from '@case-platform/modules/accounts';
import type { Storage } from '@case-platform/modules/storage';

/** Everything that the server-rendered application works with. */
export interface AdminContext {
  config: Pick<Config, 'production' | 'adminUrl' | 'webUrl' | 'sessionIdleTtl' | 'strictPageGuard' | 'trustProxy'>;
  db: Database;
  storage: Storage;
  throttle: Throttle;
  log: Log;
  /** The present, for tests that cannot wait an hour. */
  now?: () => Date;
}
