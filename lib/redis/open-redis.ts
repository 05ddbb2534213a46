import type { Redis as Client } from 'ioredis';
import type { Log } from '../log.ts';

/** A Redis or Valkey server, which may be away at any time. Nothing that must last is stored in it (SCALE-1). */
export interface Redis {
  /**
   * Runs commands in one round trip. @returns their answers.
   * @throws {Error} at once while the server is away, and after a fifth of a second if it does not answer.
   */
  run(commands: readonly (readonly (string | number)[])[]): Promise<unknown[]>;
  /** Receives messages of a channel from now on, and again after each loss of the connection. */
  subscribe(channel: string, subscriber: Subscriber): void;
  stop(): void;
}

interface Subscriber {
  onMessage: (message: string) => void;
  /** From now on no message is missed, until the subscription is lost. */
  onSubscribed: () => void;
  onLost: () => void;
}

interface Options {
  url: string;
  log: Pick<Log, 'info' | 'warn'>;
}

const ANSWER_WITHIN_MS = 200;
const CONNECT_WITHIN_MS = 1000;
const LONGEST_WAIT_MS = 2000;
/** A connection that died silently is noticed within this time. */
const PROBE_EVERY_MS = 5000;

/**
 * Opens a server. Nothing waits for it: while there is no connection, commands fail at once, and a server that does not answer
 * loses its connection, so that only the first command waits.
 */
export async function openRedis({ url, log }: Options): Promise<Redis> {
  // Loaded only where it is used.
  const { Redis: RedisClient } = await import('ioredis');
  let reason: unknown;
  const connect = (): Client => {
    const client = new RedisClient(url, {
      connectTimeout: CONNECT_WITHIN_MS,
      socketTimeout: PROBE_EVERY_MS,
      // A server that hangs does not close its side.
      disconnectTimeout: 1,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResubscribe: false,
      retryStrategy: (times) => Math.min(LONGEST_WAIT_MS, 50 * 2 ** Math.min(times, 10)),
    });
    client.on('error', (error) => {
      reason = error;
    });
    return client;
  };
  const client = connect();
  const clients = [client];
  const timers: NodeJS.Timeout[] = [];
  logOutages(client, log);

  return {
    async run(commands) {
      if (client.status !== 'ready' || broken.has(client)) throw new Error('Redis is away', { cause: reason });
      const results = await answered(client, client.pipeline(commands.map((words) => [...words])).exec());
      return (results ?? []).map(([error, value]) => {
        if (error !== null) throw error;
        return value;
      });
    },
    subscribe(channel, subscriber) {
      const listener = connect();
      clients.push(listener);
      timers.push(follow(listener, channel, subscriber));
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
      for (const one of clients) one.disconnect();
    },
  };
}

/** Clients whose connection is being closed, although it may still look open. */
const broken = new WeakSet<Client>();

function breakOff(client: Client): void {
  broken.add(client);
  client.once('close', () => broken.delete(client));
  client.disconnect(true);
}

/** Breaks the connection if there is no answer in time: the next commands then fail at once, until the server answers again. */
async function answered<Answer>(client: Client, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      breakOff(client);
      reject(new Error('Redis did not answer in time'));
    }, ANSWER_WITHIN_MS);
  });
  // It fails later, when its connection has been broken.
  answer.catch(() => {});
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}

/** @returns a timer that probes the connection. */
function follow(client: Client, channel: string, { onMessage, onSubscribed, onLost }: Subscriber): NodeJS.Timeout {
  let isSubscribed = false;
  client.on('ready', () => {
    answered(client, client.subscribe(channel)).then(
      () => {
        isSubscribed = true;
        onSubscribed();
      },
      () => breakOff(client),
    );
  });
  client.on('message', (_channel: string, message: string) => onMessage(message));
  client.on('close', () => {
    if (isSubscribed) onLost();
    isSubscribed = false;
  });
  const probe = () => {
    if (isSubscribed) answered(client, client.ping()).catch(() => {});
  };
  return setInterval(probe, PROBE_EVERY_MS).unref();
}

function logOutages(client: Client, log: Options['log']): void {
  let isAway: boolean | null = null;
  client.on('ready', () => {
    if (isAway === true) log.info('Redis is used');
    isAway = false;
  });
  const lose = () => {
    if (isAway !== true) log.warn('Redis is away: PostgreSQL is used instead');
    isAway = true;
  };
  client.on('close', lose);
}
