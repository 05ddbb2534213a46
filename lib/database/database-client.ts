import { connect as connectSocket } from 'node:net';
import pg from 'pg';
import { type DatabaseAddress, type DatabaseHost, parseDatabaseAddress } from './database-address.ts';
import { isUntrackedName, TRACKING_PROBE, tracksStatements } from './tracked-statements.ts';

/** Ids and counts stay below 2^53, so they can be numbers in JSON and in code. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const parseAnyTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/**
 * Parses a time as PostgreSQL writes it. One in UTC, the time zone of every session, and in a year of four digits
 * (`2026-11-26 20:22:52.12+00`) takes two thirds of the time of pg's expression, which a page of a list pays fifty times.
 */
export function parseTime(text: string): Date | number {
  const isUsual = text[10] === ' ' && text.endsWith('+00');
  return isUsual ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseAnyTime(text);
}
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseTime);

export interface ClientOptions {
  /** May name several hosts. */
  url: string;
  name: string;
  /** A statement ends after this long, by the server's clock; the client waits a little longer for the answer. */
  limitMs?: number;
  /** How long to wait for a free connection of a pool, or for a new one. */
  connectWithinMs?: number;
  /**
   * False behind a pooler, where the server's connection changes: start-up options do not work, and named statements only if the
   * pooler tracks them.
   */
  hasSession?: boolean;
  /** Called when this server can no longer be written, because it is no longer the primary. */
  onReadOnly?: () => void;
  /** Called when the server did not answer in time, not even with an error. */
  onSilent?: () => void;
}

const STATEMENT_LIMIT_MS = 15_000;
/** Every session of the platform has these settings, from its start-up options or from its role. */
export const SESSION_SETTINGS = {
  timezone: 'UTC',
  statement_timeout: String(STATEMENT_LIMIT_MS),
  idle_in_transaction_session_timeout: '30000',
} as const;
/**
 * Each connection plans a statement once. PostgreSQL would otherwise plan it with the values of its first five calls, or of all
 * calls if these look cheaper, and planning a list takes several times as long as running it. The role does not get this setting,
 * because the previous release, whose limits are parameters, uses the role too. So behind a pooler PostgreSQL chooses.
 */
const PLANS = { plan_cache_mode: 'force_generic_plan' } as const;
const CONNECT_LIMIT_MS = 5000;
/** Longer than the server's own limit, so that a healthy server reports first. */
const ANSWER_LIMIT_MS = 5000;
const END_LIMIT_MS = 2000;
const CANCEL_LIMIT_MS = 5000;
const CANCEL_REQUEST = 80_877_102;
export const READ_ONLY = '25006';
/** The message of pg when a statement with a `query_timeout` of its own is not answered. */
const NOT_ANSWERED = 'Query read timeout';
/** True only on a server that can be written. */
export const IS_WRITABLE = `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`;

/** The configuration of `pg.Client` and `pg.Pool`. */
export interface LimitedConfig extends pg.ClientConfig {
  address: DatabaseAddress;
  hasSession: boolean;
  onReadOnly: () => void;
  onSilent: () => void;
  connectionTimeoutMillis: number;
  /** How long statements wait on this side while none of them is answered. */
  answerWithinMs: number;
}

/** How to connect. Every wait has a limit on this side, whatever happens to the server. */
export function clientConfig(options: ClientOptions): LimitedConfig {
  const {
    url,
    name,
    limitMs = STATEMENT_LIMIT_MS,
    connectWithinMs = CONNECT_LIMIT_MS,
    hasSession = true,
    onReadOnly = () => {},
    onSilent = () => {},
  } = options;
  const address = parseDatabaseAddress(url);
  const { user, password, database, ssl, hosts } = address;
  const session = Object.entries({ ...SESSION_SETTINGS, ...PLANS, statement_timeout: limitMs });
  const settings = session.map(([setting, value]) => `-c ${setting}=${value}`).join(' ');
  return {
    user,
    password,
    database,
    ssl,
    address,
    hasSession,
    onReadOnly,
    onSilent,
    ...hosts[0],
    application_name: name,
    connectionTimeoutMillis: connectWithinMs,
    // The server has no time limit for a commit that waits for a standby.
    answerWithinMs: limitMs + ANSWER_LIMIT_MS,
    keepAlive: true,
    ...(hasSession ? { options: [settings, address.options].filter(Boolean).join(' ') } : {}),
  };
}

/**
 * A client that limits its waits: for a host that does not answer, for a statement, and for its own end. It connects to the host
 * that can be written.
 */
export class LimitedClient extends pg.Client {
  readonly #config: LimitedConfig;
  #hasEnded = false;
  #isCorked = false;
  #canPrepare: boolean;
  #unanswered = 0;
  /** One for the connection: pg's `query_timeout` starts one for each statement, with which a list costs a tenth more CPU. */
  #silence: NodeJS.Timeout | undefined;

  constructor(config: LimitedConfig) {
    super(config);
    this.#config = config;
    this.#canPrepare = config.hasSession;
    // A lost connection fails what waits for it. It must not end the process, at whatever moment it is lost.
    this.on('error', () => {});
  }

  /** Once connected: true if statements are prepared, which a pooler must support (SCALE-3). */
  get canPrepare(): boolean {
    return this.#canPrepare;
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares two overloads; this passes both on.
  override connect(callback?: any): any {
    const connecting = this.#connect();
    if (callback === undefined) return connecting;
    connecting.then(() => callback(null, this), callback);
  }

  async #connect(): Promise<this> {
    const { address } = this.#config;
    if (address.writableOnly) Object.assign(this, await findWritableHost(this.#config));
    if (this.#hasEnded) throw new Error('Client was closed and is not queryable');
    await super.connect();
    if (!this.#config.hasSession) await this.#probePooler();
    return this;
  }

  /** Once for each connection, because the next one may lead to another pooler, or to one that was reconfigured. */
  async #probePooler(): Promise<void> {
    try {
      this.#canPrepare = await tracksStatements(this.#query([TRACKING_PROBE]));
    } catch (error) {
      // The pool forgets a client that did not connect, so this ends it.
      this.end(() => {});
      throw error;
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares eleven overloads; this passes each of them on.
  override query(...args: any[]): any {
    const [statement] = args;
    if (this.pipeline) this.#cork();
    if (!this.#canPrepare && hasName(statement)) args[0] = { ...statement, name: undefined };
    const done = args.at(-1);
    if (typeof done === 'function') return this.#send(args.slice(0, -1), done);
    return isSubmittable(statement) ? super.query(statement) : this.#query(args);
  }

  /** Makes one promise for a statement, and not pg's two and a third one that notes its failure. */
  #query<Row extends pg.QueryResultRow>(args: unknown[]): Promise<pg.QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      this.#send(args, (error, result) => {
        if (!error) return resolve(result as pg.QueryResult<Row>);
        // As pg does, because the stack would lead to the socket and not to the statement.
        Error.captureStackTrace(error);
        reject(error);
      });
    });
  }

  #send(args: unknown[], done: (error: Error | null, ...results: unknown[]) => void): void {
    let isAnswered = false;
    const answer = (error: Error | null, ...results: unknown[]) => {
      // pg answers twice when it could not send a value.
      if (isAnswered) return;
      isAnswered = true;
      this.#unanswered -= 1;
      if (this.#unanswered > 0) this.#waitAgain();
      if (error) this.#noteFailure(error);
      done(error, ...results);
    };
    super.query(...([...args, answer] as [never]));
    this.#unanswered += 1;
    if (this.#unanswered === 1) this.#waitAgain();
  }

  /** The timer goes on after the last answer, because restarting it is cheaper than ending it. */
  #waitAgain(): void {
    this.#silence = this.#silence?.refresh() ?? setTimeout(() => this.#endSilence(), this.#config.answerWithinMs).unref();
  }

  #endSilence(): void {
    if (this.#unanswered === 0) return;
    this.breakOff(new Error(NOT_ANSWERED));
    this.#giveUp();
  }

  /** Sends all statements of this moment at once. */
  #cork(): void {
    if (this.#isCorked) return;
    const stream = this.#socket;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  override end(callback?: (error: Error) => void): Promise<void>;
  override end(callback: (error: Error) => void): void;
  // biome-ignore lint/suspicious/noExplicitAny: pg declares two overloads; this passes both on.
  override end(callback?: any): any {
    this.#hasEnded = true;
    const timer = setTimeout(() => this.#socket.destroy(), END_LIMIT_MS);
    timer.unref();
    this.once('end', () => clearTimeout(timer));
    return callback === undefined ? super.end() : super.end(callback);
  }

  /** Breaks the connection: statements that wait for their answers fail with this error. */
  breakOff(error: Error): void {
    this.#socket.destroy(error);
  }

  /** Closes a connection whose statement has not ended, and reports a server that can no longer be written. */
  #noteFailure(error: unknown): void {
    const { code, message } = (error ?? {}) as { code?: string; message?: string };
    if (message === NOT_ANSWERED) this.#giveUp();
    else if (code === READ_ONLY) this.#config.onReadOnly();
    else if (!this.#config.hasSession && isUntrackedName(error)) this.#canPrepare = false;
  }

  /** The server is not answering, so nothing more is asked on this connection. */
  #giveUp(): void {
    if (this.#hasEnded) return;
    this.#cancel();
    this.end(() => {});
    this.#config.onSilent();
  }

  /** Otherwise the server would go on waiting, and keep one of its connections busy (PostgreSQL, 55.2.9). */
  #cancel(): void {
    const { processID, secretKey, host, port } = this as unknown as Record<string, number> & { host: string };
    const request = Buffer.alloc(16);
    request.writeInt32BE(request.length, 0);
    request.writeInt32BE(CANCEL_REQUEST, 4);
    request.writeInt32BE(processID ?? 0, 8);
    request.writeInt32BE(secretKey ?? 0, 12);
    const path = `${host}/.s.PGSQL.${port}`;
    const socket = host.startsWith('/') ? connectSocket(path) : connectSocket(port ?? 0, host);
    socket.on('error', () => {});
    socket.setTimeout(CANCEL_LIMIT_MS, () => socket.destroy());
    socket.end(request);
  }

  get #socket() {
    return (this as unknown as { connection: pg.Connection }).connection.stream;
  }
}

/** True for a query object of pg, such as a cursor, which runs by itself. */
function isSubmittable(statement: unknown): statement is pg.Submittable {
  return typeof statement === 'object' && statement !== null && 'submit' in statement;
}

/** True for a statement to be prepared. Behind a pooler that does not track it, its name soon belongs to another connection. */
function hasName(statement: unknown): statement is pg.QueryConfig {
  return typeof statement === 'object' && statement !== null && !isSubmittable(statement) && 'name' in statement;
}

const searches = new WeakMap<DatabaseAddress, Promise<DatabaseHost>>();

/** Connects to all hosts at once and returns the first that can be written. Connections that open meanwhile share the search. */
function findWritableHost(config: LimitedConfig): Promise<DatabaseHost> {
  const { address } = config;
  const running = searches.get(address);
  if (running !== undefined) return running;
  const search = Promise.any(address.hosts.map((host) => requireWritable(config, host)))
    .catch(({ errors }: AggregateError) => {
      throw errors.find((error) => error.code !== READ_ONLY) ?? errors[0];
    })
    .finally(() => searches.delete(address));
  searches.set(address, search);
  return search;
}

async function requireWritable(config: LimitedConfig, host: DatabaseHost): Promise<DatabaseHost> {
  const address = { ...config.address, hosts: [host], writableOnly: false };
  // The pool hides the password from a copy.
  const { password } = address;
  const limits = { answerWithinMs: config.connectionTimeoutMillis, onSilent: () => {} };
  const client = new LimitedClient({ ...config, ...host, ...limits, address, password });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(IS_WRITABLE);
    if (rows[0]?.writable === true) return host;
    throw Object.assign(new Error('this host can only be read'), { code: READ_ONLY });
  } finally {
    client.end(() => {});
  }
}
