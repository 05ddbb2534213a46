import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Outgoing } from '../../drafts/drafts.ts';
import {
  newEntry,
  type OutboxEffect,
  type OutboxEvent,
  type OutboxState,
  type Outcome,
  openOutbox,
  reduceOutbox,
  restoredEntry,
  type Step,
} from './outbox-reducer.ts';

const write = (key: string): OutboxEvent => ({ type: 'written', entry: newEntry(key, { text: ` ${key} `, files: [] }, 0) });
const retry = (key: string): OutboxEvent => ({ type: 'retried', key });
const cancel = (key: string): OutboxEvent => ({ type: 'cancelled', key });
const discard = (key: string): OutboxEvent => ({ type: 'discarded', key });
const end = (key: string, outcome: Outcome): OutboxEvent => ({ type: 'ended', key, outcome });
const show = (isShown: boolean): OutboxEvent => ({ type: 'shown', isShown });
const ONLINE: OutboxEvent = { type: 'online' };
const WOKEN: OutboxEvent = { type: 'woken' };

const DONE: Outcome = { kind: 'done' };
const OFFLINE: Outcome = { kind: 'waits', wait: { state: 'waiting', goesAt: null } };
const TOO_MANY: Outcome = { kind: 'waits', wait: { state: 'waiting', goesAt: 60_000 } };
const IN_FLIGHT: Outcome = { kind: 'waits', wait: { state: 'sending', goesAt: 2000 } };
const UNREACHABLE: Outcome = { kind: 'unreachable', error: 'No answer.', at: 5000 };
const REJECTED: Outcome = { kind: 'failed', error: 'Rejected.', resumes: false };
const ABORTED: Outcome = { kind: 'failed', error: null, resumes: false };
const SIGNED_OUT: Outcome = { kind: 'failed', error: 'Sign in again.', resumes: true };

function effectWords(effect: OutboxEffect): string {
  switch (effect.type) {
    case 'attempt':
      return `attempt ${effect.entry.key}`;
    case 'abort':
      return 'abort';
    case 'store':
      return `store ${effect.entry.key}${effect.underWay ? '' : ' as failed'}`;
    case 'remove':
      return `remove ${effect.key}`;
    case 'wake':
      return `wake at ${effect.at}`;
  }
}

const SEQUENCES: { title: string; events: OutboxEvent[]; effects: string[]; entries: string[] }[] = [
  {
    title: '[OUTBOX-1] a message is stored, sent, and removed once it has arrived',
    events: [write('a'), end('a', DONE)],
    effects: ['store a', 'attempt a', 'remove a'],
    entries: [],
  },
  {
    title: '[OUTBOX-2] the next message is sent when the first has arrived',
    events: [write('a'), write('b'), end('a', DONE)],
    effects: ['store a', 'attempt a', 'store b', 'remove a', 'attempt b'],
    entries: ['b sending'],
  },
  {
    title: '[OUTBOX-2] all messages wait for the network, also new ones, and then go in order',
    events: [write('a'), write('b'), end('a', OFFLINE), write('c'), WOKEN, end('a', OFFLINE), ONLINE, end('a', DONE)],
    effects: ['store a', 'attempt a', 'store b', 'store c', 'attempt a', 'attempt a', 'remove a', 'attempt b'],
    entries: ['b sending', 'c sending'],
  },
  {
    title: '[OUTBOX-2] a message is tried three more times when the network is back but does not work yet, and then fails',
    events: [
      write('a'),
      end('a', OFFLINE),
      ONLINE,
      end('a', UNREACHABLE),
      WOKEN,
      end('a', UNREACHABLE),
      WOKEN,
      end('a', UNREACHABLE),
      WOKEN,
      end('a', UNREACHABLE),
    ],
    effects: [
      'store a',
      'attempt a',
      'attempt a',
      'wake at 6000',
      'attempt a',
      'wake at 7000',
      'attempt a',
      'wake at 9000',
      'attempt a',
    ],
    entries: ['a failed: No answer.'],
  },
  {
    title: '[OUTBOX-2] once a message has arrived, the next one that does not reach the server fails at once',
    events: [
      write('a'),
      write('b'),
      end('a', OFFLINE),
      ONLINE,
      end('a', UNREACHABLE),
      WOKEN,
      end('a', DONE),
      end('b', UNREACHABLE),
    ],
    effects: ['store a', 'attempt a', 'store b', 'attempt a', 'wake at 6000', 'attempt a', 'remove a', 'attempt b'],
    entries: ['b failed: No answer.'],
  },
  {
    title: '[OUTBOX-2] a network that is back does not end the wait for the rate limit',
    events: [write('a'), end('a', TOO_MANY), ONLINE, write('b')],
    effects: ['store a', 'attempt a', 'wake at 60000', 'store b'],
    entries: ['a waiting', 'b waiting'],
  },
  {
    title: '[OUTBOX-2] after the rate limit the first message is sent again',
    events: [write('a'), write('b'), end('a', TOO_MANY), WOKEN],
    effects: ['store a', 'attempt a', 'store b', 'wake at 60000', 'attempt a'],
    entries: ['a sending', 'b sending'],
  },
  {
    title: '[IDEMPOTENCY-2] a message whose earlier attempt is in flight is shown as being sent until the next attempt',
    events: [write('a'), end('a', IN_FLIGHT)],
    effects: ['store a', 'attempt a', 'wake at 2000'],
    entries: ['a sending'],
  },
  {
    title: '[OUTBOX-2] a message that waits can be cancelled, and the others still wait',
    events: [write('a'), write('b'), end('a', OFFLINE), cancel('a'), ONLINE],
    effects: ['store a', 'attempt a', 'store b', 'attempt b'],
    entries: ['a failed', 'b sending'],
  },
  {
    title: '[OUTBOX-1] the message that is being sent is cancelled by aborting its attempt',
    events: [write('a'), write('b'), cancel('a'), end('a', ABORTED)],
    effects: ['store a', 'attempt a', 'store b', 'abort', 'attempt b'],
    entries: ['a failed', 'b sending'],
  },
  {
    title: '[OUTBOX-1] a cancellation that comes too late changes nothing',
    events: [write('a'), cancel('a'), end('a', DONE), cancel('a')],
    effects: ['store a', 'attempt a', 'abort', 'remove a'],
    entries: [],
  },
  {
    title: '[OUTBOX-1] a failure that its writer sees is stored as failed',
    events: [show(true), write('a'), end('a', REJECTED)],
    effects: ['store a', 'attempt a', 'store a as failed'],
    entries: ['a failed: Rejected.'],
  },
  {
    title: '[OUTBOX-1] a failure that its writer has not seen is stored as failed when it is shown',
    events: [show(true), write('a'), show(false), end('a', REJECTED), show(true)],
    effects: ['store a', 'attempt a', 'store a as failed'],
    entries: ['a failed: Rejected.'],
  },
  {
    title: '[WEB-12] a message that failed because the session ended stays under way',
    events: [show(true), write('a'), end('a', SIGNED_OUT), show(true)],
    effects: ['store a', 'attempt a'],
    entries: ['a failed: Sign in again.'],
  },
  {
    title: '[OUTBOX-1] a failed message does not delay later ones, and its retry keeps its place before those that wait',
    events: [write('a'), write('b'), write('c'), end('a', REJECTED), retry('a'), retry('a'), end('b', DONE)],
    effects: ['store a', 'attempt a', 'store b', 'store c', 'attempt b', 'store a', 'remove b', 'attempt a'],
    entries: ['a sending', 'c sending'],
  },
  {
    title: '[OUTBOX-1] a discarded message is removed, and the late end of its attempt does not bring it back',
    events: [show(true), write('a'), write('b'), discard('a'), end('a', REJECTED), retry('a')],
    effects: ['store a', 'attempt a', 'store b', 'abort', 'remove a', 'attempt b'],
    entries: ['b sending'],
  },
  {
    title: '[OUTBOX-1] events about messages that are not in the outbox change nothing',
    events: [retry('x'), cancel('x'), end('x', REJECTED), end('x', TOO_MANY), ONLINE, WOKEN, write('a')],
    effects: ['store a', 'attempt a'],
    entries: ['a sending'],
  },
];

for (const { title, events, effects, entries } of SEQUENCES) {
  test(title, () => {
    let [state] = openOutbox([], 0);
    const performed: OutboxEffect[] = [];
    for (const event of events) {
      const step = reduceOutbox(state, event);
      state = step[0];
      performed.push(...step[1]);
    }
    assert.deepEqual(performed.map(effectWords), effects);
    const words = state.entries.map(({ key, state: at, error }) => `${key} ${at}${error === null ? '' : `: ${error}`}`);
    assert.deepEqual(words, entries);
  });
}

test('[OUTBOX-1] a stored message is resumed within a day, unless it had failed or its files are lost', () => {
  const startedAt = '2026-11-20T10:00:00.000Z';
  const stored: Outgoing = { key: 'a', text: 'Hello', fileNames: [], startedAt, underWay: true };
  const end = Date.parse(startedAt) + 24 * 60 * 60_000;
  for (const offset of [-1000, -1, 0, 1, 1000]) {
    assert.equal(restoredEntry(stored, end + offset).state, offset < 0 ? 'sending' : 'failed', String(offset));
  }
  assert.equal(restoredEntry(stored, end - 2 * 24 * 60 * 60_000).state, 'sending', 'a clock that went back');
  const failed = { ...stored, key: 'b', underWay: false };
  const withFile = { ...stored, key: 'c', fileNames: ['scan.pdf'] };
  const [state, effects] = openOutbox([withFile, failed, stored], end - 1);
  assert.deepEqual(
    state.entries.map(({ key, state: at, filesLost }) => [key, at, filesLost]),
    [
      ['c', 'failed', true],
      ['b', 'failed', false],
      ['a', 'sending', false],
    ],
  );
  assert.deepEqual(effects.map(effectWords), ['attempt a']);
  assert.deepEqual(reduceOutbox(state, retry('c')), [state, []], 'a message without its files cannot be retried');
});

/** A tab of the browser, which performs the effects of its outbox as `Outbox` does. */
interface Tab {
  state: OutboxState;
  /** The message that the tab sends once it has the lock. */
  next: string | null;
  isAborted: boolean;
  stored: Set<string>;
}

/** A browser with several tabs, their common storage and lock, and the API behind them. */
class World {
  readonly tabs: Tab[] = [];
  readonly storage = new Map<string, Outgoing>();
  /** The attempt that has the lock. */
  inFlight: { tab: Tab; key: string } | null = null;
  readonly written: string[] = [];
  /** The tab in which each message was written. */
  readonly writers = new Map<string, Tab>();
  readonly arrivals: string[] = [];
  /** Messages whose arrival was reported to the tab that sent them. */
  readonly confirmed = new Set<string>();
  readonly discarded = new Set<string>();
  readonly failed = new Set<string>();

  open(): Tab {
    const outgoing = [...this.storage.values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt));
    const step = openOutbox(outgoing, this.written.length);
    const tab: Tab = { state: step[0], next: null, isAborted: false, stored: new Set(this.storage.keys()) };
    this.tabs.push(tab);
    this.#perform(tab, step);
    return tab;
  }

  close(tab: Tab): void {
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    if (this.inFlight?.tab === tab) this.inFlight = null;
  }

  write(tab: Tab): void {
    const key = `m${this.written.length}`;
    const entry = newEntry(key, { text: key, files: [] }, this.written.length);
    this.written.push(key);
    this.writers.set(key, tab);
    this.dispatch(tab, { type: 'written', entry });
  }

  dispatch(tab: Tab, event: OutboxEvent): void {
    if (event.type === 'discarded') this.discarded.add(event.key);
    this.#perform(tab, reduceOutbox(tab.state, event));
  }

  cancel(tab: Tab, key: string): void {
    this.failed.add(key);
    this.dispatch(tab, { type: 'cancelled', key });
  }

  /** Gives the lock to a tab that waits for it. */
  start(tab: Tab): void {
    if (this.inFlight !== null || tab.next === null) return;
    const key = tab.next;
    tab.next = null;
    const isGone = tab.stored.has(key) && !this.storage.has(key);
    if (tab.isAborted || isGone) {
      this.dispatch(tab, end(key, tab.isAborted ? ABORTED : DONE));
      return;
    }
    assert.ok(!this.discarded.has(key), 'a discarded message is not sent');
    assert.ok(!this.confirmed.has(key), 'a message that is known to have arrived is not sent again');
    this.inFlight = { tab, key };
  }

  /** Ends the attempt in flight. `arrives` says whether it reached the API, which stores each key once. */
  answer(outcome: Outcome, arrives: boolean): void {
    if (this.inFlight === null) return;
    const { tab, key } = this.inFlight;
    this.inFlight = null;
    if (arrives && !this.arrivals.includes(key)) this.arrivals.push(key);
    if (outcome.kind === 'done') this.confirmed.add(key);
    const hasFailed = outcome.kind === 'unreachable' ? tab.state.retries === 0 : outcome.kind === 'failed';
    if (hasFailed) this.failed.add(key);
    this.dispatch(tab, end(key, outcome));
  }

  #perform(tab: Tab, [state, effects]: Step): void {
    tab.state = state;
    for (const effect of effects) {
      if (effect.type === 'attempt') {
        assert.ok(tab.next === null && this.inFlight?.tab !== tab, 'a tab sends one message at a time');
        tab.next = effect.entry.key;
        tab.isAborted = false;
      } else if (effect.type === 'store') {
        const { entry, underWay } = effect;
        if (tab.stored.has(entry.key) && !this.storage.has(entry.key)) continue;
        tab.stored.add(entry.key);
        this.storage.set(entry.key, { ...entry, underWay });
      } else if (effect.type === 'remove') this.storage.delete(effect.key);
      else if (effect.type === 'abort') tab.isAborted = true;
    }
  }
}

const ACTS = [
  'open',
  'close',
  'write',
  'start',
  'answer',
  'retry',
  'cancel',
  'discard',
  'show',
  'hide',
  'online',
  'wake',
] as const;

/** Something that the writer, the network, or the API does. `pick` chooses the tab and the message. */
const act = fc.record({
  name: fc.constantFrom(...ACTS, 'write', 'start', 'start', 'answer', 'answer'),
  pick: fc.nat({ max: 11 }),
  outcome: fc.constantFrom(DONE, DONE, DONE, OFFLINE, UNREACHABLE, TOO_MANY, IN_FLIGHT, REJECTED, SIGNED_OUT),
  arrives: fc.boolean(),
});

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

function perform(world: World, { name, pick, outcome, arrives }: Act): void {
  const tab = world.tabs[pick % Math.max(1, world.tabs.length)];
  if (name === 'open' || tab === undefined) return void (world.tabs.length < 3 && world.open());
  const { entries } = tab.state;
  const entry = entries[pick % Math.max(1, entries.length)];
  if (name === 'close') world.close(tab);
  if (name === 'write') world.write(tab);
  if (name === 'start') world.start(tab);
  if (name === 'answer') world.answer(outcome, arrives || outcome === DONE);
  if (name === 'show' || name === 'hide') world.dispatch(tab, show(name === 'show'));
  if (name === 'online') world.dispatch(tab, ONLINE);
  if (name === 'wake' && tab.state.wait?.goesAt != null) world.dispatch(tab, WOKEN);
  if (entry === undefined) return;
  if (name === 'retry') world.dispatch(tab, retry(entry.key));
  if (name === 'cancel') world.cancel(tab, entry.key);
  // The page offers this only for messages that are not being sent.
  if (name === 'discard' && entry.key !== tab.state.attempt) world.dispatch(tab, discard(entry.key));
}

test('[OUTBOX-1, OUTBOX-2] across tabs, messages keep their order, none is sent twice or lost, and discarded ones stay away', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const world = new World();
      for (const one of acts) {
        perform(world, one);
        for (const key of world.written) {
          const isStored = world.storage.has(key);
          if (world.discarded.has(key)) assert.ok(!isStored, 'a discarded message does not come back');
          else assert.ok(isStored || world.confirmed.has(key), 'a message is stored until it has arrived');
        }
        for (const { state } of world.tabs) {
          const waiting = state.entries.filter((entry) => entry.state === 'waiting');
          assert.ok(waiting.length === 0 || state.wait !== null, 'a message waits for something');
          const unsent = state.entries.filter((entry) => entry.state !== 'failed');
          assert.ok(unsent.length === 0 || state.attempt !== null || state.wait !== null, 'an unsent message is not forgotten');
        }
      }
      const arrivedInOrder = world.arrivals.filter((key) => !world.failed.has(key));
      for (const writer of new Set(world.writers.values())) {
        const ofWriter = arrivedInOrder.filter((key) => world.writers.get(key) === writer);
        assert.deepEqual(ofWriter, [...ofWriter].sort(byNumber), 'the order in which they were written');
      }
      // The next document of the writer, on a network that works, sends everything that needs no decision.
      for (const tab of [...world.tabs]) world.close(tab);
      const tab = world.open();
      while (tab.state.attempt !== null) {
        world.start(tab);
        world.answer(DONE, true);
      }
      assert.ok(tab.state.entries.every(({ state }) => state === 'failed'));
      for (const [key, { underWay }] of world.storage) assert.ok(!underWay && world.failed.has(key), 'only failures remain');
    }),
    { numRuns: 1000 },
  );
});

/** Compares keys such as `m2` and `m10`. */
function byNumber(one: string, other: string): number {
  return Number(one.slice(1)) - Number(other.slice(1));
}
