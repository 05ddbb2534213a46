import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { CaseAnnouncement } from '@case-platform/modules/messaging';
import { isInSnapshot, parseSnapshot } from '@case-platform/words/live/snapshots';

/** One or two minutes of a busy platform; a page opens its stream seconds after it was rendered. */
const KEPT_MAX = 1_000;

/** Later reads see at least this snapshot (`words/live/snapshots.ts`). */
export async function findSnapshot(db: Executor): Promise<string> {
  const [row] = await query<{ snapshot: string }>(db, sql`select database_mark() || '-' || pg_current_snapshot() as snapshot`);
  if (row === undefined) throw new Error('the database returned no snapshot');
  return row.snapshot;
}

/**
 * The last case changes that arrived on one connection, for pages that were rendered before their stream opened. The database
 * itself does not store when a case last changed.
 */
export class RecentChanges {
  readonly #heard: CaseAnnouncement[] = [];
  /** All changes by this transaction or later ones have arrived and are kept; null until that is known. */
  #from: bigint | null = null;

  /**
   * Starts with a new connection. If the database does not answer now, the first call of `listMissed` finds out where it starts.
   */
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
   * Lists changes that a page does not show, given the snapshot with which it was rendered; empty without one.
   * @returns null if that is unknown, because the page was rendered before this connection, too long ago, or with another
   * database.
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
