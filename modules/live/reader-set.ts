import type { User } from '@case-platform/modules/accounts';
import type { LiveChange, ReaderOptions } from './live-event.ts';

/** An open stream. */
export interface Reader extends ReaderOptions {
  user: User;
  place: string;
  /** Events that arrive while the reader catches up; null once they have caught up. */
  waiting: LiveChange[] | null;
  /** Messages that were sent while the reader caught up, and may be announced after that. */
  caughtUp: Set<number>;
  /** Changes that the reader's page may not show, or null if it may have missed more than these. */
  missed: LiveChange[] | null;
}

/** The open streams of a process, found by person. */
export class ReaderSet {
  readonly #readers = new Map<number, Set<Reader>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(reader: Reader): void {
    const own = this.#readers.get(reader.user.id) ?? new Set();
    this.#readers.set(reader.user.id, own.add(reader));
    this.#size += 1;
  }

  delete(reader: Reader): void {
    const own = this.#readers.get(reader.user.id);
    if (own?.delete(reader) !== true) return;
    this.#size -= 1;
    if (own.size === 0) this.#readers.delete(reader.user.id);
  }

  has(reader: Reader): boolean {
    return this.#readers.get(reader.user.id)?.has(reader) === true;
  }

  /** The streams of one person. */
  of(userId: number): readonly Reader[] {
    return [...(this.#readers.get(userId) ?? [])];
  }

  all(): Reader[] {
    return [...this.#readers.values()].flatMap((own) => [...own]);
  }
}
