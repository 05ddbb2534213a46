import { STREAM_WITHIN_MS } from '@case-platform/lib/browser/page-age';
import type { LiveChange } from './live-event.ts';

/** Older pages are read again. */
const PAGE_AGE_MAX_MS = 30_000;
/** Each of them costs a few statements, so a page that may have missed more is read again. */
const CHAIN_CHANGES_MAX = 20;

/**
 * The changes of the last seconds, for pages that were requested before their stream began. Only durations are compared, and an
 * event arrives after its commit. So a change that is not on a page arrived here after that page was requested.
 */
export class RecentChanges {
  #changes: { at: number; change: LiveChange }[] = [];
  /** The messages among them. */
  readonly #messages = new Set<number>();
  #completeSince = Number.POSITIVE_INFINITY;

  /** From now on every change is added. */
  begin(): void {
    this.#changes = [];
    this.#messages.clear();
    this.#completeSince = performance.now();
  }

  /** Changes may be missed until the next `begin`. */
  end(): void {
    this.#completeSince = Number.POSITIVE_INFINITY;
  }

  /**
   * @returns false for a message that arrived before. The publisher may have ended when Redis had its events and they were not
   * committed, and then another one publishes them again (SCALE-1).
   */
  add(change: LiveChange): boolean {
    const now = performance.now();
    const first = this.#changes.findIndex(({ at }) => at >= now - PAGE_AGE_MAX_MS - STREAM_WITHIN_MS);
    const old = this.#changes.splice(0, first === -1 ? this.#changes.length : first);
    for (const { change: passed } of old) if (passed.kind === 'message') this.#messages.delete(passed.message_id);
    if (change.kind === 'message') {
      if (this.#messages.has(change.message_id)) return false;
      this.#messages.add(change.message_id);
    }
    this.#changes.push({ at: now, change });
    return true;
  }

  /**
   * The changes that a person's page may not show, oldest first. Null if they are unknown or too many. Some may be of others, and the
   * person may have lost access since.
   * @param pageAge the milliseconds between the request for the page and that for its stream
   */
  findMissed(userId: number, pageAge: number): LiveChange[] | null {
    const since = performance.now() - pageAge - STREAM_WITHIN_MS;
    if (pageAge > PAGE_AGE_MAX_MS || since < this.#completeSince) return null;
    const isShown = ({ kind, audience }: LiveChange) =>
      kind !== 'writing' && kind !== 'marks' && audience?.includes(userId) !== false;
    const missed = this.#changes.filter(({ at, change }) => at >= since && isShown(change));
    const ofChains = missed.filter(({ change }) => change.kind !== 'case');
    return ofChains.length > CHAIN_CHANGES_MAX ? null : missed.map(({ change }) => change);
  }
}
