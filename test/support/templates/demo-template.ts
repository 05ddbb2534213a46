import { createDatabase } from '@case-platform/lib/database';
import { createLog } from '@case-platform/lib/log';
import { seedDemo } from '../../../scripts/demo/seed-demo.ts';
import { DEMO_TEMPLATE, demoFolder, TEST_SECRETS } from '../database.ts';
import { openStorage } from '../storage.ts';
import { makeTemplate } from './make-template.ts';

/** Makes the database and files of a platform with the demo, which each stack copies. It runs once before the tests. */
const { storage, close } = await openStorage(demoFolder(), createLog('template', 'silent'));
await makeTemplate(DEMO_TEMPLATE, (pool) => seedDemo(createDatabase(pool), storage, TEST_SECRETS.encryptionKey));
await close();
