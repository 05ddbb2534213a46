import pg from 'pg';
import { clientConfig, IS_WRITABLE, LimitedClient } from './database-client.ts';

interface ListenOptions {
  /** The database itself: behind a pooler no notification arrives. */
  url: string;
  channels: readonly string[];
  onNotification: (payload: string, channel: string) => void;
  /**
   * Called for the first connection and after each loss. Notifications in between were missed.
   * @param run runs statements on this connection, which is lost if this fails
   */
  onConnected: (run: RunListening) => unknown;
  onLost?: (error: unknown) => void;
}

export type RunListening = (text: string) => Promise<unknown[]>;

export interface Listening {
  stop(): Promise<void>;
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5000;
/** A regular query notices a connection that died silently, and a server that is no longer the primary and sends nothing. */
const PROBE_EVERY_MS = 15_000;

/** Listens to channels of PostgreSQL's LISTEN/NOTIFY on its own connection, and reconnects whenever that is lost. */
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

  const probe = (probed: pg.Client) => {
    timer = setTimeout(() => {
      probed.query(IS_WRITABLE).then(
        ({ rows }) => {
          if (rows[0]?.writable !== true) lose(probed, new Error('the server is read-only'));
          else if (client === probed) probe(probed);
        },
        (error) => lose(probed, error),
      );
    }, PROBE_EVERY_MS);
  };

  function connect(): void {
    const config = clientConfig({ url, name: `listen ${channels[0]}` });
    const next: pg.Client = new LimitedClient({ ...config, answerWithinMs: 5000 });
    client = next;
    next.on('error', (error) => lose(next, error));
    next.on('end', () => lose(next, new Error('the connection ended')));
    next.on('notification', ({ payload, channel }) => onNotification(payload ?? '', channel));
    next
      .connect()
      .then(() => next.query(channels.map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; ')))
      .then(async () => {
        wait = FIRST_WAIT_MS;
        await onConnected(async (text) => (await next.query(text)).rows);
        if (client === next) probe(next);
      })
      .catch((error) => lose(next, error));
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
