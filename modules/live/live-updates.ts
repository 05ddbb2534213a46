import type { Listening } from '@case-platform/lib/database/listen';
import { TooManyRequestsError, UnavailableError } from '@case-platform/lib/errors';
import { followOutbox } from '@case-platform/lib/outbox/follow-outbox';
import type { User } from '@case-platform/modules/accounts';
import type { Announcement } from '@case-platform/modules/messaging';
import { catchUp } from './catch-up.ts';
import { type Delivering, type Delivery, deliver, dropEnded, sendCounts } from './deliver.ts';
import { findAudiences } from './find-audiences.ts';
import { LagProbe, type LiveLag } from './lag-probe.ts';
import type { LiveChange, LiveContext, ReaderOptions } from './live-event.ts';
import { type Reader, ReaderSet } from './reader-set.ts';
import { RecentChanges } from './recent-changes.ts';

/** One person's open streams, such as a few tabs and a phone. */
const READERS_MAX = 8;
const CHECK_EVERY_MS = 20_000;
/** Readers who catch up together, and groups that do so at the same time. */
const GROUP_MAX = 200;
const GROUPS_MAX = 4;
/** More readers who wait to catch up are rejected for a moment: after a restart, everyone comes back at once. */
const CATCHING_UP_MAX = 1000;
const LONGEST_REJECTION_SECONDS = 5;
/** Events that are sent together. */
const BATCH_MAX = 500;

/**
 * The live updates of one process. Who may see an event was found when it was published, so that one that commits after someone
 * lost access never reaches them (LIVE-2); this process finds which of them have a stream, and whether it has ended. A reader who
 * comes back with the id of their last event receives everything since (LIVE-1).
 */
export class LiveUpdates {
  readonly #context: LiveContext;
  readonly #readers = new ReaderSet();
  /** Readers who wait to catch up, and the number of groups that are doing so. */
  #joined: Reader[] = [];
  #groups = 0;
  readonly #delivering: Delivering;
  #announced: LiveChange[] = [];
  readonly #recent = new RecentChanges();
  #sending: Promise<void> | null = null;
  #listening: Listening | null = null;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | null = null;
  #connected = false;
  readonly #lag: LagProbe;

  constructor(context: LiveContext) {
    this.#context = context;
    this.#lag = new LagProbe(context.db);
    this.#delivering = { context, readers: this.#readers, leave: (reader) => this.#leave(reader) };
  }

  /** The number of open streams. */
  get connections(): number {
    return this.#readers.size;
  }

  /** Measures the current delay of live updates; takes at most a second. */
  measureLag(): Promise<LiveLag> {
    return this.#lag.measure();
  }

  start(): void {
    const { url, redis, log, checkEveryMs = CHECK_EVERY_MS } = this.#context;
    this.#listening = followOutbox({
      url,
      redis,
      onEvents: (events) => this.#receive(events as readonly Announcement[]),
      onUnreadable: (error) => log.warn({ err: error }, 'an announcement could not be read'),
      onMissed: () => {
        log.warn('live updates missed some events');
        this.#recent.begin();
        this.#closeAll();
      },
      onConnected: () => this.#connect(),
      onLost: (error) => {
        log.warn({ err: error }, 'live updates lost their database connection');
        this.#connected = false;
        this.#recent.end();
        this.#closeAll();
      },
    });
    this.#timer = setInterval(() => void this.#endAllExpired(), checkEveryMs);
  }

  /** Ends all streams, rejects new ones, and stops listening. */
  async stop(): Promise<void> {
    const listening = this.#listening;
    this.#listening = null;
    clearInterval(this.#timer);
    this.#closeAll();
    await listening?.stop();
    await this.#sending;
  }

  /**
   * Opens a stream for a user: first what they missed, then new events.
   * @returns a function that ends it.
   * @throws {TooManyRequestsError} if this user has eight streams open.
   * @throws {UnavailableError} while this process is stopping, so that the client connects to another one, and while many others
   *   are catching up.
   */
  join(user: User, options: ReaderOptions): () => void {
    if (this.#listening === null) throw new UnavailableError(1);
    if (this.#readers.of(user.id).length >= READERS_MAX)
      throw new TooManyRequestsError(30, 'You have too many pages open. Close one and try again.');
    if (this.#joined.length >= CATCHING_UP_MAX)
      throw new UnavailableError(1 + Math.floor(Math.random() * LONGEST_REJECTION_SECONDS));
    const { since, pageAge } = options;
    const missed = since === undefined && pageAge !== undefined ? this.#recent.findMissed(user.id, pageAge) : null;
    const reader: Reader = { ...options, user, place: '0', waiting: [], caughtUp: new Set(), missed };
    this.#readers.add(reader);
    // Without a connection no events arrive, so the reader waits for it.
    if (this.#connected) this.#begin([reader]);
    return () => this.#readers.delete(reader);
  }

  #connect(): void {
    this.#connected = true;
    this.#recent.begin();
    const waiting = this.#readers.all();
    // They may have lost access while they waited for this connection.
    void this.#endAllExpired().then(() => this.#begin(waiting));
  }

  /** Lets readers catch up, those who come at the same time together. */
  #begin(readers: readonly Reader[]): void {
    this.#joined.push(...readers);
    setImmediate(() => this.#startGroups());
  }

  #startGroups(): void {
    while (this.#groups < GROUPS_MAX && this.#joined.length > 0) {
      const group = this.#joined.splice(0, GROUP_MAX).filter((reader) => this.#readers.has(reader));
      this.#groups += 1;
      void catchUp(this.#delivering, group)
        .catch((error) => {
          this.#context.log.warn({ err: error }, 'live readers could not catch up');
          for (const reader of group) this.#leave(reader);
        })
        .finally(() => {
          this.#groups -= 1;
          this.#startGroups();
        });
    }
  }

  #receive(events: readonly Announcement[]): void {
    const probes: string[] = [];
    for (const announced of events) {
      if (announced.kind === 'session_end') this.#endExpiredOf(announced.user_id);
      else if (announced.kind === 'lag_probe') probes.push(announced.probe);
      else if (this.#recent.add(announced)) this.#announced.push(announced);
    }
    this.#startSending();
    for (const probe of probes) void this.#lag.hear(probe, async () => this.#sending);
  }

  /** Sends events one after the other, in the order of their commits. */
  #startSending(): void {
    this.#sending ??= this.#sendAll()
      .catch((error) => {
        this.#context.log.warn({ err: error }, 'live updates could not be sent');
        this.#closeAll();
      })
      .finally(() => {
        this.#sending = null;
        if (this.#announced.length > 0) this.#startSending();
      });
  }

  async #sendAll(): Promise<void> {
    while (this.#announced.length > 0) await this.#sendBatch(this.#announced.splice(0, BATCH_MAX));
  }

  async #sendBatch(batch: readonly LiveChange[]): Promise<void> {
    if (this.#readers.size === 0) return;
    const open = batch.filter(({ audience }) => audience === undefined);
    const audiences = await findAudiences(this.#context.db, open);
    const foundFor = new Map(open.map((change, at) => [change, audiences[at]]));
    const deliveries: Delivery[] = [];
    for (const change of batch) {
      for (const userId of foundFor.get(change) ?? change.audience ?? []) {
        for (const reader of this.#readers.of(userId)) {
          if (change.kind === 'message' && reader.caughtUp.delete(change.message_id)) continue;
          // For readers who are catching up, the event waits until they have.
          if (reader.waiting === null) deliveries.push({ reader, change });
          else reader.waiting.push(change);
        }
      }
    }
    await sendCounts(this.#delivering, await deliver(this.#delivering, deliveries));
  }

  #endExpiredOf(userId: number): void {
    this.#endExpired(this.#readers.of(userId)).catch(() => this.#closeAll());
  }

  /** Only one check runs at a time, however slow the database is. */
  #endAllExpired(): Promise<void> {
    this.#checking ??= this.#endExpired(this.#readers.all())
      .catch(() => this.#closeAll())
      .finally(() => {
        this.#checking = null;
      });
    return this.#checking;
  }

  /** Ends streams whose account, permission, token, or session has ended (LIVE-3). */
  async #endExpired(readers: readonly Reader[]): Promise<void> {
    await dropEnded(this.#delivering, readers);
    for (const reader of readers) if (this.#readers.has(reader) && (await reader.canStay?.()) === false) this.#leave(reader);
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    reader.close();
  }

  /** Browsers reconnect by themselves, with the id of their last event (LIVE-4). */
  #closeAll(): void {
    this.#announced = [];
    for (const reader of this.#readers.all()) this.#leave(reader);
  }
}
