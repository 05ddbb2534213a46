import pg from 'pg';
import { clientConfig, IS_WRITABLE, LimitedClient } from './database-client.ts';

interface ListenOptions {
  /** Straight to the database: behind a pooler nothing is heard. */
  url: string;
  channels: readonly string[];
  onNotification: (payload: string, channel: string) => void;
  /** The connection stands, the first time and after each loss: what was announced in between is not told again. */
  onConnected: () => void;
  onLost?: (error: unknown) => void;
}

export interface Listening {
  stop(): Promise<void>;
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5000;
/** A connection that died without a word is noticed by asking; so is a primary that is none any more, and tells nothing. */
const ASK_EVERY_MS = 15_000;

/**
 * Listens to channels of PostgreSQL's LISTEN/NOTIFY on a connection of its own, and connects again whenever it is lost.
 */
export function listenTo({ url, channels, onNotification, onConnected, onLost }: ListenOptions): Listening {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let wait = FIRST_WAIT_MS;
  let stopped = false;

  const lose = (lost: pg.Client, error: unknown) => {
    if (client !== lost) return;
    client = null;
    clearTimeout(timer);
    lost.end().catch(() => {});
    if (stopped) return;
    onLost?.(error);
    timer = setTimeout(connect, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  };

  const ask = (asked: pg.Client) => {
    timer = setTimeout(() => {
      asked.query(IS_WRITABLE).then(
        ({ rows }) => {
          if (rows[0]?.writable !== true) lose(asked, new Error('the server is read-only'));
          else if (client === asked) ask(asked);
        },
        (error) => lose(asked, error),
      );
    }, ASK_EVERY_MS);
  };

  function connect(): void {
    const config = clientConfig({ url, name: `listen ${channels[0]}` });
    const next: pg.Client = new LimitedClient({ ...config, query_timeout: 5000 });
    client = next;
    next.on('error', (error) => lose(next, error));
    next.on('end', () => lose(next, new Error('the connection ended')));
    next.on('notification', ({ payload, channel }) => onNotification(payload ?? '', channel));
    next
      .connect()
      .then(() => next.query(channels.map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; ')))
      .then(
        () => {
          wait = FIRST_WAIT_MS;
          ask(next);
          onConnected();
        },
        (error) => lose(next, error),
      );
  }

  connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      await last?.end().catch(() => {});
    },
  };
}
