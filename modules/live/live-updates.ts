import { type Listening, listenTo } from '@case-platform/lib/database/listen';
import { TooManyRequestsError, UnavailableError } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import {
  type Announcement,
  type CaseAnnouncement,
  CHAIN_EVENTS,
  countUnread,
  getMessage,
} from '@case-platform/modules/messaging';
import { findAudience } from './find-audience.ts';
import { findCaseAudience } from './find-case-audience.ts';
import { findEnded } from './find-ended.ts';
import { LagProbe, type LiveLag } from './lag-probe.ts';
import type { LiveChange, LiveContext, ReaderOptions } from './live-event.ts';
import { findPlace, isPlace, listMissed } from './missed-messages.ts';
import { RecentChanges } from './recent-changes.ts';

interface Reader extends ReaderOptions {
  user: User;
  place: string;
  /** Events that arrive while the reader catches up; null once they have caught up. */
  waiting: LiveChange[] | null;
  /** Changes that the reader's page may not show, or null if it may have missed more than these. */
  missed: LiveChange[] | null;
}

/** One person's open streams, such as a few tabs and a phone. */
const READERS_MAX = 8;
const CHECK_EVERY_MS = 20_000;

/**
 * The live updates of one process. Each event is checked against the database for all readers, so that an event that commits
 * after someone lost access never reaches them (LIVE-2). A reader who comes back with the id of their last event receives
 * everything since (LIVE-1).
 */
export class LiveUpdates {
  readonly #context: LiveContext;
  readonly #readers = new Set<Reader>();
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
    const { url, log, checkEveryMs = CHECK_EVERY_MS } = this.#context;
    this.#listening = listenTo({
      url,
      channels: [CHAIN_EVENTS],
      onNotification: (payload) => this.#receive(payload),
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
   * @throws {UnavailableError} while this process is stopping, so that the client connects to another one.
   */
  join(user: User, options: ReaderOptions): () => void {
    if (this.#listening === null) throw new UnavailableError(1);
    const open = [...this.#readers].filter((reader) => reader.user.id === user.id);
    if (open.length >= READERS_MAX) throw new TooManyRequestsError(30, 'You have too many pages open. Close one and try again.');
    const { since, pageAge } = options;
    const missed = since === undefined && pageAge !== undefined ? this.#recent.findMissed(pageAge) : null;
    const reader: Reader = { ...options, user, place: '0', waiting: [], missed };
    this.#readers.add(reader);
    // Without a connection no events arrive, so the reader waits for it.
    if (this.#connected) this.#begin(reader);
    return () => void this.#readers.delete(reader);
  }

  #connect(): void {
    this.#connected = true;
    this.#recent.begin();
    const waiting = [...this.#readers];
    // They may have lost access while they waited for this connection.
    void this.#endAllExpired().then(() => {
      for (const reader of waiting) if (this.#readers.has(reader)) this.#begin(reader);
    });
  }

  #begin(reader: Reader): void {
    this.#catchUp(reader).catch((error) => {
      this.#context.log.warn({ err: error }, 'a live reader could not catch up');
      this.#leave(reader);
    });
  }

  async #catchUp(reader: Reader): Promise<void> {
    const { db } = this.#context;
    const { user, since } = reader;
    reader.place = await findPlace(db);
    const sentIds = new Set<number>();
    if (since !== undefined) {
      const messages = isPlace(since) ? await listMissed(db, user, since) : null;
      if (messages === null) reader.send({ event: 'resync', id: reader.place, data: {} });
      for (const { message_id } of messages ?? []) {
        sentIds.add(message_id);
        await this.#sendMessage([reader], message_id);
      }
    }
    if (reader.missed !== null) {
      reader.send({ event: 'current', id: reader.place, data: {} });
      const cases = reader.missed.filter((change) => change.kind === 'case');
      await this.#sendCaseChanges(cases, [reader]);
      for (const change of reader.missed.splice(0)) if (change.kind !== 'case') await this.#sendOne(change, [reader]);
    }
    for (let event = reader.waiting?.shift(); event !== undefined; event = reader.waiting?.shift()) {
      if (event.kind !== 'message' || !sentIds.has(event.message_id)) await this.#sendOne(event, [reader]);
    }
    reader.waiting = null;
    const unread = await countUnread(db, user);
    if (this.#readers.has(reader)) reader.send({ event: 'unread', id: reader.place, data: unread });
  }

  /** @param payload a batch of events, as a publisher announces them. */
  #receive(payload: string): void {
    const probes: string[] = [];
    try {
      for (const announced of JSON.parse(payload) as Announcement[]) {
        if (announced.kind === 'session_end') this.#endExpiredOf(announced.user_id);
        else if (announced.kind === 'lag_probe') probes.push(announced.probe);
        else {
          this.#announced.push(announced);
          this.#recent.add(announced);
        }
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, 'an announcement could not be read');
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
    const toCount = new Map<Reader, string>();
    const cases: CaseAnnouncement[] = [];
    const sendCases = () =>
      this.#sendCaseChanges(
        cases.splice(0),
        [...this.#readers].filter(({ waiting }) => waiting === null),
      );
    for (let event = this.#announced.shift(); event !== undefined; event = this.#announced.shift()) {
      const ready = this.#ready(event);
      if (event.kind === 'case') {
        cases.push(event);
        continue;
      }
      await sendCases();
      for (const reader of await this.#sendOne(event, ready)) toCount.set(reader, event.since);
    }
    await sendCases();
    const counted = [...toCount.keys()].filter((reader) => this.#readers.has(reader));
    for (const readers of Map.groupBy(counted, (reader) => reader.user.id).values()) {
      const [first] = readers;
      if (first === undefined) continue;
      const data = await countUnread(this.#context.db, first.user);
      for (const reader of readers) reader.send({ event: 'unread', id: toCount.get(reader) ?? reader.place, data });
    }
  }

  /** Returns the readers who have caught up; for the others the event is stored until they have. */
  #ready(event: LiveChange): Reader[] {
    const ready: Reader[] = [];
    for (const reader of this.#readers) {
      if (reader.waiting === null) ready.push(reader);
      else reader.waiting.push(event);
    }
    return ready;
  }

  /** A batch of payments changes thousands of cases at once, so one query finds who sees which. */
  async #sendCaseChanges(changes: readonly CaseAnnouncement[], readers: readonly Reader[]): Promise<void> {
    if (changes.length === 0 || readers.length === 0) return;
    const people = [...new Map(readers.map(({ user }) => [user.id, user])).values()];
    const seen = await findCaseAudience(this.#context.db, [...new Set(changes.map(({ case_id }) => case_id))], people);
    const changesFor = ({ user }: Reader) =>
      changes.filter(({ case_id, user_id }) => seen.get(user.id)?.has(case_id) && (user_id === null || user_id === user.id));
    const concerned = readers.filter((reader) => changesFor(reader).length > 0);
    for (const reader of await this.#dropEnded(concerned)) {
      const lastOfCase = new Map(changesFor(reader).map((change) => [change.case_id, change]));
      for (const { case_id, since } of lastOfCase.values()) reader.send({ event: 'case', id: since, data: { case_id } });
    }
  }

  /** Sends an event to those who see its chain now. @returns the readers whose unread count may have changed. */
  async #sendOne(event: LiveChange, readers: Reader[]): Promise<Reader[]> {
    if (readers.length === 0) return [];
    if (event.kind === 'case') {
      await this.#sendCaseChanges([event], readers);
      return [];
    }
    const { chain_id, kind, since } = event;
    if (kind === 'marks' && event.user_id !== null)
      return this.#dropEnded(readers.filter(({ user }) => user.id === event.user_id));
    const noLonger = kind === 'chain' ? event.no_longer : undefined;
    const { receive, ended } = await findAudience(this.#context.db, chain_id, readers, noLonger);
    for (const reader of ended) this.#leave(reader);
    const staff = receive.filter(({ user }) => user.user_type === 'admin');
    if (kind === 'message') await this.#sendMessage(receive, event.message_id, since);
    if (kind === 'chain') for (const { send } of receive) send({ event: 'chain', id: since, data: { chain_id } });
    if (kind === 'note') for (const { send } of staff) send({ event: 'chain', id: since, data: { chain_id } });
    if (kind === 'writing') {
      const { name, writing } = event;
      const others = staff.filter(({ user }) => user.id !== event.user_id);
      for (const { send } of others) send({ event: 'writing', id: since, data: { chain_id, name, writing } });
    }
    if (kind === 'note' || kind === 'writing') return [];
    return kind === 'marks' ? staff : receive;
  }

  /** Each reader gets the message with their own `viewed` mark. */
  async #sendMessage(readers: Reader[], messageId: number, id?: string): Promise<void> {
    for (const same of Map.groupBy(readers, (reader) => reader.user.id).values()) {
      const [first] = same;
      if (first === undefined) continue;
      const message = await getMessage(this.#context, first.user, messageId);
      const data = { chain_id: message.chain_id, message };
      for (const { send, place } of same) send({ event: 'message', id: id ?? place, data });
    }
  }

  #endExpiredOf(userId: number): void {
    const own = [...this.#readers].filter(({ user }) => user.id === userId);
    this.#endExpired(own).catch(() => this.#closeAll());
  }

  /** Only one check runs at a time, however slow the database is. */
  #endAllExpired(): Promise<void> {
    this.#checking ??= this.#endExpired([...this.#readers])
      .catch(() => this.#closeAll())
      .finally(() => {
        this.#checking = null;
      });
    return this.#checking;
  }

  /** Ends streams whose account, permission, token, or session has ended (LIVE-3). */
  async #endExpired(readers: readonly Reader[]): Promise<void> {
    for (const reader of await this.#dropEnded(readers)) if ((await reader.canStay?.()) === false) this.#leave(reader);
  }

  /** Ends streams of readers who may no longer receive events. @returns the remaining readers. */
  async #dropEnded(readers: readonly Reader[]): Promise<Reader[]> {
    for (const reader of await findEnded(this.#context.db, readers)) this.#leave(reader);
    return readers.filter((reader) => this.#readers.has(reader));
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    reader.close();
  }

  /** Browsers reconnect by themselves, with the id of their last event (LIVE-4). */
  #closeAll(): void {
    this.#announced = [];
    for (const reader of this.#readers) this.#leave(reader);
  }
}
