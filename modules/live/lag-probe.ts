import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor } from '@case-platform/lib/database';
import { announce } from '@case-platform/modules/messaging';

/** In seconds. For a probe that is under way, the time so far. */
export interface LiveLag {
  /** The time from the commit of an event until this process receives it. */
  heard: number;
  /** The time from then until all earlier events were sent to every stream. */
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

/** Measures the delay of live updates by sending probes through the same path as events. */
export class LagProbe {
  readonly #db: Executor;
  #probe: Probe | null = null;

  constructor(db: Executor) {
    this.#db = db;
  }

  /** Sends a probe, or repeats one that was not received yet, so that the measured lag grows while nothing arrives. */
  async measure(): Promise<LiveLag> {
    this.#probe ??= { id: randomUUID(), sentAt: performance.now() };
    const probe = this.#probe;
    const giveUpAt = performance.now() + ANSWER_WITHIN_MS;
    await announce(this.#db, { kind: 'lag_probe', probe: probe.id }).catch(() => {});
    while (probe.deliveredAt === undefined && performance.now() < giveUpAt) await sleep(LOOK_EVERY_MS);
    if (probe.deliveredAt !== undefined && this.#probe === probe) this.#probe = null;
    const now = performance.now();
    const { sentAt, heardAt = now, deliveredAt = now } = probe;
    return { heard: (heardAt - sentAt) / 1000, delivered: (deliveredAt - heardAt) / 1000 };
  }

  /** Handles a probe that arrived. @param allDelivered settles once all events before it were sent. */
  async hear(id: string, allDelivered: () => Promise<unknown>): Promise<void> {
    const probe = this.#probe;
    if (probe === null || probe.id !== id) return;
    probe.heardAt ??= performance.now();
    await allDelivered();
    probe.deliveredAt ??= performance.now();
  }
}
