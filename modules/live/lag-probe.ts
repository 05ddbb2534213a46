import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** A channel of its own, so that a probe is never read as an event. */
export const LAG_PROBES = 'live_lag_probe';

/** In seconds. While a probe is under way: how long already. */
export interface LiveLag {
  /** From an announcement in the database to its being heard by this process. */
  heard: number;
  /** From there on until everybody who is connected has been told all that was announced before. */
  delivered: number;
}

interface Probe {
  id: string;
  sentAt: number;
  heardAt?: number;
  deliveredAt?: number;
}

const ANSWER_WITHIN_MS = 1000;
const LOOK_EVERY_MS = 20;

/** Measures how late live updates are by announcing something that is nobody's news. */
export class LagProbe {
  readonly #db: Executor;
  #probe: Probe | null = null;

  constructor(db: Executor) {
    this.#db = db;
  }

  /** Sends a probe, or the one that was not answered yet once more: a lag grows for as long as nothing is heard. */
  async measure(): Promise<LiveLag> {
    this.#probe ??= { id: randomUUID(), sentAt: performance.now() };
    const probe = this.#probe;
    const giveUpAt = performance.now() + ANSWER_WITHIN_MS;
    await query(this.#db, sql`select pg_notify(${LAG_PROBES}, ${probe.id})`).catch(() => {});
    while (probe.deliveredAt === undefined && performance.now() < giveUpAt) await sleep(LOOK_EVERY_MS);
    if (probe.deliveredAt !== undefined && this.#probe === probe) this.#probe = null;
    const now = performance.now();
    const { sentAt, heardAt = now, deliveredAt = now } = probe;
    return { heard: (heardAt - sentAt) / 1000, delivered: (deliveredAt - heardAt) / 1000 };
  }

  /** Takes a probe as it arrives. @param allDelivered settles once everybody has been told what came before it. */
  async hear(id: string, allDelivered: () => Promise<unknown>): Promise<void> {
    const probe = this.#probe;
    if (probe === null || probe.id !== id) return;
    probe.heardAt ??= performance.now();
    await allDelivered();
    probe.deliveredAt ??= performance.now();
  }
}
