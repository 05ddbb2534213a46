import type { Database } from '@case-platform/lib/database';
import { indexWords as indexTables } from '@case-platform/lib/database/index-words';
import { enqueue } from '@case-platform/lib/jobs';
import { SEARCHED_PEOPLE } from '@case-platform/modules/accounts';
import { SEARCHED_CASES } from '@case-platform/modules/cases';
import { SEARCHED_REQUESTS } from '@case-platform/modules/disbursements';
import { SEARCHED_CONVERSATIONS } from '@case-platform/modules/messaging';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Scheduled; graphile-worker adds its own fields to the payload. */
    index_words: Record<string, unknown>;
  }
}

/** Rewrites the words of rows that the previous release or SQL wrote, and queues another job when there are more. */
export async function indexWords(db: Database): Promise<void> {
  const tables = [SEARCHED_PEOPLE, SEARCHED_CASES, SEARCHED_REQUESTS, ...SEARCHED_CONVERSATIONS];
  if (await indexTables(db, tables)) await enqueue(db, 'index_words', {}, { jobKey: 'index_words' });
}
