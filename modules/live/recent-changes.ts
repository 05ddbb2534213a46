import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { CaseAnnouncement } from '@case-platform/modules/messaging';
import { isInSnapshot, parseSnapshot } from '@case-platform/words/live/snapshots';

/** A minute or two of a busy platform; a page opens its stream seconds after it was rendered. */
const KEPT_MAX = 1_000;

/** What is read from now on shows at least this (`words/live/snapshots.ts`). */
export async function findSnapshot(db: Executor): Promise<string> {
  const [row] = await query<{ snapshot: string }>(
    db,
    sql`select database_mark() || '-' || pg_current_snapshot() as snapshot`,
  );
  if (row === undefined) throw new Error('the database has no snapshot');
  return row.snapshot;
}

/**
 * The last changes of cases that were heard of on one connection, for pages that were rendered before their stream was opened:
 * nothing in the database says when a case was changed last.
 */
export class RecentChanges {
  readonly #heard: CaseAnnouncement[] = [];
  /** Every change by this transaction or a later one was heard and is kept; null before that is known. */
  #from: bigint | null = null;

  /** Begins with a connection that listens from now on. Where the database does not answer, the first who asks finds out. */
  static since(db: Executor): RecentChanges {
    const recent = new RecentChanges();
    findSnapshot(db).then(
      (text) => {
        recent.#from ??= parseSnapshot(text)?.end ?? null;
      },
      () => {},
    );
    return recent;
  }

  note(change: CaseAnnouncement): void {
    this.#heard.push(change);
    if (this.#heard.length <= KEPT_MAX) return;
    const after = BigInt(this.#heard.shift()?.transaction ?? 0) + 1n;
    if (this.#from !== null && after > this.#from) this.#from = after;
  }

  /**
   * What a page does not show that was rendered as of a snapshot; nothing for whoever says none.
   * @returns null where nobody knows: it was rendered before the connection stood, or long ago, or from another database.
   */
  async listMissed(db: Executor, rendered: string | undefined): Promise<CaseAnnouncement[] | null> {
    if (rendered === undefined) return [];
    const page = parseSnapshot(rendered);
    const now = parseSnapshot(await findSnapshot(db));
    if (page === null || now === null || page.mark !== now.mark) return null;
    this.#from ??= now.end;
    if (page.begin < this.#from) return null;
    return this.#heard.filter(({ transaction }) => !isInSnapshot(BigInt(transaction), page));
  }
}
