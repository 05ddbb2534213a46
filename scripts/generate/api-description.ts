import { createDatabase, createPool } from '@case-platform/lib/database';
import { readPrimary } from '@case-platform/lib/database/replica-reads';
import { formatRoutes } from '@case-platform/lib/http-server';
import { createLog } from '@case-platform/lib/log';
import { createCallLimits, createThrottle, createTokenKeys } from '@case-platform/modules/accounts';
import { LiveUpdates } from '@case-platform/modules/live';
import { createStorage } from '@case-platform/modules/storage';
import { createApiServer } from '../../apps/api/server.ts';

/** The OpenAPI description of the JSON API, which `/openapi.json` serves with examples and code. */
export interface ApiDescription<Operation, Schema> {
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: object; schemas: Record<string, Schema> };
}

/** Describes the JSON API from its routes, schemas, and guards, without a database. Callers name the parts that they read. */
export async function describeApi<Operation = object, Schema = object>(): Promise<{
  description: ApiDescription<Operation, Schema>;
  routes: string;
}> {
  const api = await createApiServer({
    ...unconnected(),
    tokenKeys: createTokenKeys({ secret: 'not used', accessTokenTtl: 1, refreshTokenTtl: 1 }),
    masterApiKey: '',
    webUrl: '',
    origins: [],
    push: { publicKey: '', privateKey: '', subject: '', allowedHosts: [], production: false },
    reportKeys: { apiUrl: 'http://localhost:4000' },
  });
  await api.ready();
  const description = JSON.parse(JSON.stringify(api.swagger())) as ApiDescription<Operation, Schema>;
  const routes = formatRoutes(api);
  await api.close();
  return { description, routes };
}

/** Returns what a server needs to be built. It would connect only for a request. */
export function unconnected() {
  const url = 'postgres://localhost';
  const pool = createPool({ url, name: 'describe', max: 1 });
  const db = createDatabase(pool);
  const log = createLog('describe', 'silent');
  const keys = { accessKeyId: 'x', secretAccessKey: 'x' };
  const storage = createStorage({ endpoint: 'http://localhost', region: 'x', bucket: 'x', forcePathStyle: true, ...keys });
  const limits = { calls_address: 1, calls_person: 1, messages: 1 };
  const now = () => new Date();
  return {
    db,
    readLagging: readPrimary(db),
    storage,
    live: new LiveUpdates({ db, storage, url, log }),
    throttle: createThrottle(pool),
    callLimits: createCallLimits({ pool, log, limits, now }),
    ready: async () => {},
    encryptionKey: '',
    now,
    log,
  };
}
